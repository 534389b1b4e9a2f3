//! What the word after `peaje login` means.

use std::ffi::OsString;

use clap::CommandFactory;

use crate::args::Args;
use crate::engines::{self, Engine};

/// Which server is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice<'a> {
    /// The embedded reference server.
    Embedded,
    /// A throwaway server of this engine.
    Throwaway(&'static Engine),
    /// A connection string of this engine.
    Url(&'static Engine, &'a str),
}

/// Decides by the form of the word; an unknown form is an error that names the known ones.
pub(crate) fn choose(word: Option<&str>) -> anyhow::Result<Choice<'_>> {
    let Some(word) = word.map(str::trim) else { return Ok(Choice::Embedded) };
    for engine in engines::ENGINES {
        if engine.throwaway_words.contains(&word) {
            return Ok(Choice::Throwaway(engine));
        }
        if (engine.is_target)(word) {
            return Ok(Choice::Url(engine, word));
        }
    }
    let mut near_misses = engines::ENGINES.iter().filter_map(|engine| engine.near_misses);
    let near = near_misses.find(|(words, _)| words.contains(&word));
    let next = near.map_or_else(known_forms, |(_, next)| next.to_owned());
    // The word itself may hold a password: it is not repeated.
    Err(crate::exit::hinted("the target is no connection string that peaje knows", next))
}

/// `peaje URL` is `peaje check URL`: the command is put in where a connection string stands before any command's name.
pub(crate) fn with_check(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let commands = Args::command();
    let is_command = |word: &str| commands.get_subcommands().any(|c| c.get_name() == word);
    let is_target = |word: &str| engines::ENGINES.iter().any(|engine| (engine.is_target)(word.trim()));
    let words = || args.iter().skip(1).filter_map(|word| word.to_str());
    if words().take_while(|word| !is_command(word)).any(is_target) {
        args.insert(1, "check".into());
    }
    args
}

/// Every form of a target.
fn known_forms() -> String {
    let known: Vec<&str> = engines::ENGINES.iter().map(|e| e.example).collect();
    let throwaway: Vec<String> =
        engines::ENGINES.iter().filter_map(|e| e.throwaway_words.first()).map(|word| format!("`{word}`")).collect();
    format!(
        "write {}, the string of an application (`Server=…;…`, `host=… user=…`, `jdbc:…`), or {} for a throwaway server",
        known.join(" or "),
        throwaway.join(" or ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_string_alone_is_a_check() {
        let of = |line: &[&str]| with_check(line.iter().map(OsString::from));
        for line in [
            &["peaje", "postgresql://db/x"][..],
            &["peaje", "-q", "mysql://u@db", "mssql://u@db2"],
            &["peaje", "--json", "run.json", "host=db user=u"],
        ] {
            assert_eq!(of(line)[1], "check", "{line:?}");
            assert_eq!(of(line).len(), line.len() + 1);
        }
        for line in [
            &["peaje"][..],
            &["peaje", "--help"],
            &["peaje", "login", "postgresql://db/x"],
            &["peaje", "-q", "check", "postgresql://db/x"],
            &["peaje", "logni", "--json", "x"],
            &["peaje", "explain", "server-full"],
        ] {
            assert_eq!(of(line), line.iter().map(OsString::from).collect::<Vec<_>>());
        }
    }

    #[test]
    fn forms() {
        assert!(matches!(choose(None), Ok(Choice::Embedded)));
        for word in ["postgres:", "postgres", "postgresql:"] {
            assert!(matches!(choose(Some(word)), Ok(Choice::Throwaway(e)) if e.name == "postgres"), "{word}");
        }
        for word in ["postgresql://db/x", "postgres://u:p@db", "host=db user=u"] {
            assert!(matches!(choose(Some(word)), Ok(Choice::Url(e, _)) if e.name == "postgres"), "{word}");
        }
        for word in ["mysql://u:p@db/shop", "mariadb://db", "jdbc:mysql://db/shop"] {
            assert!(matches!(choose(Some(word)), Ok(Choice::Url(e, _)) if e.name == "mysql"), "{word}");
        }
        for word in ["mssql://u@db", "Server=tcp:db,1433;User ID=u", "jdbc:sqlserver://db;user=u", "Data Source=db"] {
            assert!(matches!(choose(Some(word)), Ok(Choice::Url(e, _)) if e.name == "sqlserver"), "{word}");
        }
        let error = choose(Some("oracle://u:hunter2@db")).expect_err("not an engine yet");
        assert!(!format!("{error:?}").contains("hunter2"));
    }
}
