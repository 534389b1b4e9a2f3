//! From what was typed to settings; what was left out is decided by whose servers they are.

use std::path::Path;
use std::time::Duration;

use peaje_lab::sessions::sources_needed;
use peaje_model::{CloseMode, Hold, SessionsSettings};

use super::args::{GuardArg, LadderArgs, SessionsArgs};
use super::values::{HoldArg, evenly};
use crate::exit::hinted;

/// Whose servers the targets are; one setting holds for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// peaje starts them all.
    Peaje,
    /// At least one is somebody's.
    Somebody,
}

/// Steps when nobody says how many: enough for a line and its interval.
const OWN_STEPS: [u64; 5] = [25, 50, 100, 150, 200];
/// As many logins as `peaje login` makes by default on somebody's server.
const POLITE_STEPS: [u64; 4] = [5, 10, 15, 20];

const OWN_SETTLE: Duration = Duration::from_millis(300);
const SETTLE: Duration = Duration::from_millis(500);

/// The longest statement that a file of `--warm-query` may hold.
const LONGEST_STATEMENT: u64 = 1 << 20;

/// Settings for `peaje sessions`.
pub(super) fn settings(args: &SessionsArgs, owner: Owner, login_timeout: Duration) -> anyhow::Result<SessionsSettings> {
    let ladder = &args.ladder;
    let steps = steps(ladder, owner);
    let last = steps.last().copied().unwrap_or(0);
    let settle = ladder.settle.unwrap_or(if owner == Owner::Peaje { OWN_SETTLE } else { SETTLE });
    Ok(SessionsSettings {
        concurrency: ladder.concurrency,
        settle_s: settle.as_secs_f64(),
        active: ladder.active.0,
        query: args.session.query.trim().to_owned(),
        warm_query: ladder.warm_query.as_deref().map(statement).transpose()?,
        churn_per_s: ladder.churn,
        hold: match ladder.hold {
            None => Hold::No,
            Some(HoldArg::UntilKey) => Hold::UntilKey,
            Some(HoldArg::For(time)) => Hold::For { seconds: time.as_secs_f64() },
        },
        close: CloseMode::from(args.session.close),
        memory_floor: args.safety.memory_floor.0,
        swap_guard: args.safety.swap_guard == GuardArg::On,
        reserve: args.memory.reserve.0,
        login_timeout_s: login_timeout.as_secs_f64(),
        source_addresses: ladder
            .source_addresses
            .unwrap_or_else(|| if owner == Owner::Peaje { sources_needed(last) } else { 1 }),
        steps,
    })
}

/// The guards protect somebody's machine: whoever started the server on this one may do without.
pub(super) fn check_guards(args: &SessionsArgs, own: bool) -> anyhow::Result<()> {
    if own {
        return Ok(());
    }
    let off = if args.safety.memory_floor.0 <= 0.0 {
        "--memory-floor 0"
    } else if args.safety.swap_guard == GuardArg::Off {
        "--swap-guard off"
    } else {
        return Ok(());
    };
    Err(hinted(
        format!(
            "{off} is only for servers that peaje started: a machine without memory takes everybody's sessions along"
        ),
        "leave it out, lower the floor (--memory-floor 5%), or try it on `postgres:`, `mariadb:` or `serve:process`",
    ))
}

fn steps(ladder: &LadderArgs, owner: Owner) -> Vec<u64> {
    match (&ladder.steps, ladder.to) {
        (Some(steps), _) => steps.0.clone(),
        (None, Some(to)) => match ladder.by {
            Some(by) => evenly(by, by, to),
            None => by_factor(to, ladder.factor.unwrap_or(2.0)),
        },
        (None, None) if owner == Owner::Peaje => OWN_STEPS.to_vec(),
        (None, None) => POLITE_STEPS.to_vec(),
    }
}

/// From the last step down to some fifty sessions: 800 by 2 is 50, 100, 200, 400, 800. Four steps are the fewest that a line
/// with an interval deserves.
fn by_factor(to: u64, factor: f64) -> Vec<u64> {
    let mut steps = vec![to];
    let mut next = to as f64 / factor;
    while next >= 1.0 && (next >= 50.0 || steps.len() < 4) {
        let step = next.round() as u64;
        if steps.last().is_some_and(|last| step < *last) {
            steps.push(step);
        }
        next /= factor;
    }
    steps.reverse();
    steps
}

/// A statement as it stands, or that of the file with this name.
fn statement(text: &str) -> anyhow::Result<String> {
    let path = Path::new(text);
    if !path.is_file() {
        return Ok(text.trim().to_owned());
    }
    let cannot = |why: String| {
        hinted(
            format!("the statement in {} cannot be used: {why}", path.display()),
            "write one statement into the file",
        )
    };
    let length = path.metadata().map_err(|error| cannot(error.to_string()))?.len();
    if length > LONGEST_STATEMENT {
        return Err(cannot(format!("{length} bytes are more than the {LONGEST_STATEMENT} allowed")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    let statement = text.trim().trim_end_matches(';').trim_end();
    if statement.is_empty() { Err(cannot("it is empty".to_owned())) } else { Ok(statement.to_owned()) }
}

#[cfg(test)]
pub(super) mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn typed(line: &str) -> SessionsArgs {
        let words = ["peaje", "sessions"].into_iter().chain(line.split_whitespace());
        let Some(Command::Sessions(args)) = Args::parse_from(words).command else { panic!("`sessions` was typed") };
        *args
    }

    /// Those of a command line, on somebody's server.
    pub(in crate::sessions) fn of(line: &str) -> SessionsSettings {
        for_owner(line, Owner::Somebody)
    }

    fn for_owner(line: &str, owner: Owner) -> SessionsSettings {
        settings(&typed(line), owner, Duration::from_secs(15)).expect("sound")
    }

    #[test]
    fn somebody_elses_server_gets_twenty_sessions() {
        let s = for_owner("", Owner::Somebody);
        assert_eq!((s.steps, s.concurrency, s.source_addresses), (vec![5, 10, 15, 20], 1, 1));
        assert!((s.memory_floor - 0.1).abs() < 1e-9 && s.swap_guard, "guards are on");
        assert_eq!(for_owner("", Owner::Peaje).steps, [25, 50, 100, 150, 200]);
    }

    #[test]
    fn ladders_of_a_last_step() {
        for (line, expected) in [
            ("--to 800", vec![50, 100, 200, 400, 800]),
            ("--to 400 --by 100", vec![100, 200, 300, 400]),
            ("--to 450 --by 100", vec![100, 200, 300, 400, 450]),
            ("--to 1000 --factor 10", vec![1, 10, 100, 1000]),
            ("--to 20", vec![3, 5, 10, 20]),
            ("--to 1", vec![1]),
            ("--steps 100,200,400", vec![100, 200, 400]),
        ] {
            assert_eq!(for_owner(line, Owner::Peaje).steps, expected, "{line}");
        }
        let long = for_owner("--to 32767", Owner::Peaje);
        assert_eq!((long.steps.last(), long.source_addresses), (Some(&32_767), 4));
    }

    #[test]
    fn guards_are_off_only_where_peaje_started_the_server() {
        for line in ["--memory-floor 0", "--swap-guard off"] {
            let error = check_guards(&typed(line), false).expect_err("somebody's");
            assert!(error.to_string().starts_with(line), "{error}");
        }
        assert!(check_guards(&typed("--memory-floor 0 --swap-guard off"), true).is_ok());
        assert!(check_guards(&typed("--memory-floor 1%"), false).is_ok());
    }

    #[test]
    fn a_warm_query_is_a_statement_or_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("q.sql");
        std::fs::write(&file, "select count(*)\nfrom pg_class;\n").expect("writable");
        assert_eq!(statement(file.to_str().expect("plain")).expect("a file"), "select count(*)\nfrom pg_class");
        assert_eq!(statement(" select 1 ").expect("a statement"), "select 1");
        std::fs::write(&file, " ;\n").expect("writable");
        assert!(statement(file.to_str().expect("plain")).is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        for line in ["--by 10", "--factor 2", "--to 10 --by 2 --factor 2", "--to 10 --steps 1,2", "--observe postgres:"]
        {
            let words = ["peaje", "sessions"].into_iter().chain(line.split_whitespace());
            assert!(Args::try_parse_from(words).is_err(), "{line}");
        }
    }
}
