//! Every statement that is ever sent to a server beside the measured query: one file each, sent exactly as it stands.
//!
//! The place holder is written as sqlcmd writes its variables, `$(program_name)`, so that what `--show-sql` prints can be
//! pasted into sqlcmd. In `--grants` it is `$(login)`, and is a quoted name.

use std::fmt::Write as _;

/// Where a statement makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Everywhere.
    Any,
    /// From this major version of SQL Server on (10 = 2008, 11 = 2012), managed instances too, but not in Azure SQL
    /// Database.
    Since(u32),
    /// In Azure SQL Database only.
    AzureDatabase,
}

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Short name, the file's.
    pub name: &'static str,
    /// The text, with its comment.
    pub sql: &'static str,
    /// Where it is sent.
    pub versions: Versions,
}

/// The only place holder: the program name of the measured sessions.
const PROGRAM_NAME: &str = "$(program_name)";

macro_rules! statement {
    ($name:ident, $file:literal, $versions:expr, $purpose:literal) => {
        #[doc = concat!("`", $file, ".sql`: ", $purpose, ".")]
        pub const $name: Statement =
            Statement { name: $file, sql: include_str!(concat!("../sql/", $file, ".sql")), versions: $versions };
    };
}

statement!(GUARD, "guard", Versions::Any, "limits of the observing session itself");
statement!(SERVER, "server", Versions::Any, "what answered");
statement!(VERSION, "version", Versions::Any, "the version sentence alone");
statement!(RIGHTS, "rights", Versions::Any, "which rights this login has");
statement!(PEER, "peer", Versions::Any, "whether something stands between");
statement!(LISTENER, "listener", Versions::Since(11), "availability-group listeners");
statement!(SETTINGS, "settings", Versions::Since(9), "settings that decide what a login costs");
statement!(MACHINE, "machine", Versions::Any, "start, processors and worker threads");
statement!(LOGON_TRIGGERS, "logon_triggers", Versions::Since(9), "triggers that run at each login");
statement!(LOGIN_AUDITS, "login_audits", Versions::Since(10), "audits that record each login");
statement!(LOGIN_EVENTS, "login_events", Versions::Since(11), "event sessions that record each login");
statement!(LOGIN_AUDIT_LEVEL, "login_audit_level", Versions::Since(9), "which logins go to the error log");
statement!(FORCED_ENCRYPTION, "forced_encryption", Versions::Since(9), "whether encryption is forced");
statement!(CLASSIFIER, "classifier", Versions::Since(10), "the classifier of Resource Governor");
statement!(LIMITS, "limits", Versions::Since(9), "room for sessions");
statement!(AZURE_LIMITS, "azure_limits", Versions::AzureDatabase, "room for sessions in Azure SQL Database");
statement!(COUNTERS, "counters", Versions::Any, "logins, logouts and resets, and this run's sessions");
statement!(LOGIN_TIMERS, "login_timers", Versions::Since(10), "logins of which the server kept where their time went");
statement!(SAMPLE, "sample", Versions::Any, "this run's sessions, and how many are encrypted");
statement!(SESSION_MEMORY, "session_memory", Versions::Since(11), "what sessions have allocated");
statement!(WATCH_COUNTERS, "watch_counters", Versions::Any, "what a watching session reads each time");
statement!(WATCH_CLOCK, "watch_clock", Versions::Any, "the server's name and clock alone");
statement!(WATCH_SESSIONS, "watch_sessions", Versions::Any, "the sessions that are open");

/// Every statement, in the order in which they are sent.
pub const STATEMENTS: &[Statement] = &[
    GUARD,
    SERVER,
    VERSION,
    RIGHTS,
    PEER,
    LISTENER,
    MACHINE,
    SETTINGS,
    LOGON_TRIGGERS,
    LOGIN_AUDITS,
    LOGIN_EVENTS,
    LOGIN_AUDIT_LEVEL,
    FORCED_ENCRYPTION,
    CLASSIFIER,
    LIMITS,
    AZURE_LIMITS,
    COUNTERS,
    SAMPLE,
    LOGIN_TIMERS,
    SESSION_MEMORY,
    WATCH_COUNTERS,
    WATCH_CLOCK,
    WATCH_SESSIONS,
];

impl Statement {
    /// The text as it is sent: the place holder replaced by the program's name. Without a place holder it is
    /// [`Statement::sql`] itself.
    pub fn text(&self, program_name: &str) -> String {
        self.sql.replace(PROGRAM_NAME, &in_literal(program_name))
    }

    /// The program name in a text of this statement; empty for one without a place holder. `None` = another text.
    pub fn program_name_in(&self, text: &str) -> Option<String> {
        let Some((before, after)) = self.sql.split_once(PROGRAM_NAME) else {
            return (self.sql == text).then(String::new);
        };
        let quoted = text.strip_prefix(before)?.strip_suffix(after)?;
        Some(quoted.replace("''", "'"))
    }

    /// What the login needs, as its file says.
    pub fn privilege(&self) -> &'static str {
        let line = self.sql.lines().find_map(|line| line.strip_prefix("-- privilege: "));
        line.unwrap_or_default()
    }
}

/// Which statement a text is, and the program name in it.
pub fn recognise(text: &str) -> Option<(&'static Statement, String)> {
    STATEMENTS.iter().find_map(|statement| Some((statement, statement.program_name_in(text)?)))
}

/// All statements for a person who wants to see them before they are sent.
pub fn show_sql() -> String {
    let mut out = String::from(
        "-- What peaje sends to SQL Server beside the logins and the query of --query. It only reads.\n\
         -- In sqlcmd: -v program_name=peaje\n",
    );
    for statement in STATEMENTS {
        let _ = write!(out, "\n{}\ngo\n", statement.sql.trim_end());
    }
    out
}

/// The inside of a string literal. T-SQL knows no escape but the doubled quote.
fn in_literal(text: &str) -> String {
    text.replace('\0', "").replace('\'', "''")
}

/// A quoted name (of a login, a database, …).
pub fn quote_identifier(name: &str) -> String {
    format!("[{}]", name.replace('\0', "").replace(']', "]]"))
}

/// The template of the least-privilege script.
pub const GRANTS: &str = include_str!("../sql/grants.sql");

/// The least-privilege script for this login.
pub fn grants(login: &str) -> String {
    GRANTS.replace("$(login)", &quote_identifier(login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted() {
        assert_eq!(quote_identifier("o]brien"), "[o]]brien]");
        assert_eq!(in_literal("it's \\ odd\0"), "it''s \\ odd");
    }

    #[test]
    fn every_file_says_what_it_needs_and_holds_one_statement() {
        for statement in STATEMENTS {
            let lines: Vec<&str> = statement.sql.lines().collect();
            for (line, start) in lines.iter().zip(["-- peaje: ", "-- versions: ", "-- privilege: ", "-- reads: "]) {
                assert!(line.starts_with(start), "{}: {line}", statement.name);
            }
            let azure =
                lines[1].contains("Azure SQL Database") && !lines[1].contains("not") && !lines[1].contains("but");
            assert_eq!(azure, statement.versions == Versions::AzureDatabase, "{}", statement.name);
            assert_eq!(lines[1] == "-- versions: any", statement.versions == Versions::Any, "{}", statement.name);
            assert!(!statement.privilege().is_empty());
            let body = lines[4..].join(" ");
            assert!(!body.contains(';') && !body.contains(" go "), "{}: one statement", statement.name);
            let verb = body.split(' ').next().expect("there is text");
            let harmless = matches!(verb, "select") || *statement == GUARD || body.contains("xp_instance_regread");
            assert!(harmless, "{}: {verb}", statement.name);
            assert!(lines.iter().all(|line| line.chars().count() <= 120), "{}", statement.name);
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sql");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is part of the crate")
            .map(|entry| entry.expect("readable").file_name().into_string().expect("ASCII names"))
            .collect();
        files.sort();
        let mut listed: Vec<String> = STATEMENTS.iter().map(|s| format!("{}.sql", s.name)).collect();
        listed.push("grants.sql".to_owned());
        listed.sort();
        assert_eq!(files, listed);
    }

    #[test]
    fn texts_are_recognised_and_only_by_their_own_statement() {
        for statement in STATEMENTS {
            for name in ["peaje", "it's '' odd"] {
                let (found, told) = recognise(&statement.text(name)).expect("it is one of ours");
                assert_eq!(found, statement);
                assert_eq!(told, if statement.sql.contains(PROGRAM_NAME) { name } else { "" });
            }
            assert!(show_sql().contains(statement.sql.trim_end()), "{}", statement.name);
        }
        assert_eq!(recognise("select 1"), None);
    }

    #[test]
    fn the_grants_name_the_login() {
        let script = grants("pe]aje");
        assert!(script.contains("grant view server state to [pe]]aje];"));
        assert!(!script.contains("$(login)"));
    }
}
