//! Advice names settings and views of the engine that was measured, and of no other.

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_model::{Ended, Finding, Param, Run, TargetKind};
use peaje_report::{Language, TextOptions, finding_sentence, text};

const LANGUAGES: [Language; 2] = [Language::English, Language::Spanish];

/// Words that only one engine's users know.
const WORDS: [(&str, &[&str]); 3] = [
    ("postgres", &["PostgreSQL", "pg_", "pgbench", "PgBouncer", "sslmode", "sslnegotiation", "preload_libraries"]),
    ("mysql", &["MySQL", "MariaDB", "skip_name_resolve", "ProxySQL", "init_connect", "processlist", "ssl-mode"]),
    ("sqlserver", &["SQL Server", "sys.", "MultiSubnetFailover", "Pool Size", "user connections", "Encrypt=", "18456"]),
];

/// Codes and variants that speak of one engine by their nature: its findings come from its runs alone.
const OF_ONE_ENGINE: [(&str, &str); 16] = [
    ("slow-logins-recorded", ""),
    ("thread-cache-too-small", ""),
    ("late-greeting", ""),
    ("full-authentication-each-time", ""),
    ("redirected-login", ""),
    ("login-hooks", "runs"),
    ("login-hooks", "records"),
    ("login-hooks", "unreadable"),
    ("scram-derivation-dominates", ""),
    ("resumption-not-happening", "postgresql"),
    ("server-full", "account-limit"),
    ("server-full", "account-limit-first"),
    ("dead-address", "at-once-timed-out"),
    ("dead-address", "at-once-unreachable"),
    ("dead-address", "at-once-refused"),
    ("dead-address", "at-once-not-resolved"),
];

fn real_findings() -> Vec<Finding> {
    include_str!("../findings.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word(finding: &Finding, key: &str) -> String {
    match finding.params.get(key) {
        Some(Param::Text(word)) => word.clone(),
        _ => String::new(),
    }
}

fn is_of_one_engine(finding: &Finding) -> bool {
    let variant = word(finding, "variant");
    OF_ONE_ENGINE.iter().any(|(code, only)| finding.code == *code && (only.is_empty() || variant == *only))
}

/// The same finding of another engine, without the figures that only the first one has.
fn of(engine: &str, finding: &Finding) -> Finding {
    let mut finding = finding.clone();
    finding.params.insert("engine".to_owned(), Param::Text(engine.to_owned()));
    for only in ["undivided", "windows"] {
        finding.params.remove(only);
    }
    finding
}

#[test]
fn advice_names_nothing_of_another_engine() {
    for finding in real_findings().iter().filter(|finding| !is_of_one_engine(finding)) {
        for (engine, _) in WORDS {
            for language in LANGUAGES {
                let said = finding_sentence(&of(engine, finding), language);
                let all = [said.title, said.sentence, said.next_step.unwrap_or_default()].join(" ");
                for (other, words) in WORDS.iter().filter(|(other, _)| *other != engine) {
                    let foreign = words.iter().find(|word| all.contains(*word));
                    assert!(foreign.is_none(), "{engine} is told of {other}'s {foreign:?}: {all}");
                }
            }
        }
    }
}

#[test]
fn a_finding_of_an_older_run_names_no_engine_and_is_said_all_the_same() {
    for finding in real_findings() {
        let mut older = finding.clone();
        older.params.remove("engine");
        for language in LANGUAGES {
            let said = finding_sentence(&older, language);
            assert!(!said.sentence.starts_with(older.code.as_str()), "{language:?}: {older:?}");
            let found = older.verdict == peaje_model::Verdict::Found;
            assert_eq!(said.next_step.is_some(), found, "{language:?}: {older:?}");
        }
    }
}

/// A run on another engine, stopped by a rule.
fn stopped(engine: &str, rule: &str) -> Run {
    let mut run = crate::common::sample();
    engine.clone_into(&mut run.target.engine);
    run.ended = Ended::Stopped { rule: rule.to_owned(), message: "said by the server".to_owned() };
    run.findings.clear();
    run
}

fn said(run: &Run) -> String {
    let whole = text(run, &TextOptions { width: 200, ..TextOptions::default() });
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_to_do_after_a_stop_is_the_engines_own() {
    for (engine, rule, wanted) in [
        ("postgres", "rejected", "Check password, role and pg_hba.conf before"),
        ("mysql", "rejected", "and the account's host and authentication plugin, before"),
        ("sqlserver", "rejected", "state of error 18456 in the server's error log before"),
        ("postgres", "server-full", "(pg_stat_activity)"),
        ("mysql", "server-full", "(information_schema.processlist)"),
        ("sqlserver", "server-full", "(sys.dm_exec_sessions)"),
    ] {
        let said = said(&stopped(engine, rule));
        assert!(said.contains(wanted), "{engine} {rule}: {said}");
    }
}

/// What is done about a slow phase must belong to that phase.
#[test]
fn a_wait_before_the_password_is_not_put_down_to_what_comes_after_it() {
    let findings: Vec<Finding> =
        include_str!("../findings.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let in_negotiate = |finding: &&Finding| {
        finding.params.get("stage").is_some_and(|stage| *stage == Param::Text("negotiate".to_owned()))
    };
    let said: Vec<&Finding> = findings.iter().filter(in_negotiate).collect();
    assert_eq!(said.len(), 3, "one for each engine");
    for finding in said {
        for language in [Language::English, Language::Spanish] {
            let next = peaje_report::finding_sentence(finding, language).next_step.unwrap();
            for later in ["LDAP", "PAM", "Resource Governor", "session_preload", "audit plugins"] {
                assert!(!next.contains(later), "{later}: {next}");
            }
            let of_mysql = finding.params["engine"] == Param::Text("mysql".to_owned());
            assert_eq!(next.contains("late-greeting"), of_mysql, "{next}");
        }
    }
}

#[test]
fn a_limit_of_the_account_is_no_full_server() {
    for (engine, message, wanted) in [
        ("mysql", "User 'x' has exceeded the 'max_user_connections' resource", "it is max_user_connections that was"),
        (
            "mysql",
            "User x already has more than 'max_user_connections' active connections",
            "it is max_user_connections that",
        ),
        ("postgres", "too many connections for role \"x\"", "the role (rolconnlimit in pg_roles): it is rolconnlimit"),
        ("postgres", "too many connections for database \"x\"", "the database (datconnlimit in pg_database)"),
    ] {
        let mut run = stopped(engine, "server-full");
        run.ended = Ended::Stopped { rule: "server-full".to_owned(), message: message.to_owned() };
        let said = said(&run);
        assert!(said.contains(wanted), "{engine}: {said}");
        assert!(!said.contains("Find out who holds"), "{engine}: {said}");
    }
}

#[test]
fn a_throwaway_server_is_called_by_its_name() {
    for (engine, wanted) in [("postgres", "throwaway PostgreSQL"), ("mysql", "throwaway MariaDB")] {
        let mut run = stopped(engine, "generator");
        run.target.kind = TargetKind::Throwaway;
        assert!(said(&run).contains(wanted), "{engine}");
    }
}
