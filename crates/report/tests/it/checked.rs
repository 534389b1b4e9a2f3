//! The page of a check: one screen, most important first, three commands last; in both languages and as HTML.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-report --test it checked`, then read the difference.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its golden files; the crate itself stays pure"
)]

use crate::common::golden;
use peaje_diagnose::diagnose;
use peaje_model::{
    ApplicationSessions, AuthenticationInUse, CertificateSeen, CheckResult, CheckSettings, Experiment, Fact, FactValue,
    Gap, HostLimits, HostUnknown, LongView, NoComparison, Run, ServerCounters, SessionRoom, Settings, SinceEarlier,
};
use peaje_report::{Language, TextOptions, html, text};

fn application(name: &str, host: &str, sessions: u64) -> ApplicationSessions {
    ApplicationSessions {
        application: name.to_owned(),
        host: host.to_owned(),
        users: vec!["app".to_owned()],
        sessions,
        active: 1,
        idle_in_transaction: 0,
        longest_in_transaction_s: None,
        never_used: Some(0),
        encrypted: Some(sessions),
        oldest_s: 86_400.0 * 3.0,
        youngest_s: 12.0,
    }
}

fn fact(name: &str, value: FactValue, unit: Option<&str>) -> Fact {
    Fact { name: name.into(), value, unit: unit.map(str::to_owned), source: "pg_settings".into(), at: None }
}

/// A server with something of everything.
fn result() -> CheckResult {
    let counters = ServerCounters {
        logins: Some(1_200_000),
        failed: Some(240_000),
        failed_credentials: Some(239_000),
        failed_limit: Some(1_000),
        abandoned: Some(17),
        requests: Some(9_600_000),
        tls_logins: Some(600_000),
        ..ServerCounters::default()
    };
    CheckResult {
        room: Some(SessionRoom { limit: 100, in_use: 91, reserved: 3 }),
        peak_sessions: Some(97),
        sessions: Some(88),
        active: Some(4),
        applications: Some(vec![
            ApplicationSessions { never_used: Some(41), ..application("shop-api", "web1.corp.example", 60) },
            ApplicationSessions {
                idle_in_transaction: 2,
                longest_in_transaction_s: Some(4_000.0),
                ..application("billing", "10.1.2.3", 25)
            },
            ApplicationSessions {
                encrypted: Some(0),
                oldest_s: 3.0,
                youngest_s: 0.4,
                ..application("report", "10.1.2.9", 2)
            },
            application("psql", "", 1),
        ]),
        apart: Some(2),
        authentication: vec![AuthenticationInUse { method: "scram-sha-256".to_owned(), sessions: 88 }],
        since_start: Some(LongView::of(counters, Some(864_000.0), Some(88.0))),
        certificate: Some(CertificateSeen { ends: "2026-03-20T11:00:00Z".to_owned(), days_left: 19.0 }),
        host: Some(HostLimits {
            somaxconn: Some(128),
            listen_backlog: Some(128),
            listen_waiting: Some(0),
            listen_overflows: Some(3),
            open_files: Some(1_024),
            first_port: Some(32_768),
            last_port: Some(60_999),
            time_wait: Some(9),
        }),
        ..CheckResult::default()
    }
}

/// The sample's unpooled series with TLS as the probe.
fn check(result: CheckResult) -> Run {
    let mut run = crate::common::sample();
    run.experiment = Experiment::Check;
    run.settings = Settings::Check(CheckSettings { probe: 20, login_timeout_s: 15.0, since: None });
    run.login.as_mut().unwrap().series.drain(..1);
    run.login.as_mut().unwrap().series.truncate(1);
    run.facts = vec![
        fact("server_version_num", FactValue::Number(150_004.0), None),
        fact("authentication_timeout", FactValue::Number(60.0), Some("s")),
        fact("idle_in_transaction_session_timeout", FactValue::Number(0.0), Some("ms")),
        fact("hba_allows_clear", FactValue::Bool(true), None),
    ];
    run.gaps = vec![Gap {
        what: "sessions of other roles".into(),
        why: "their details are hidden from this role".into(),
        next_step: Some("grant pg_read_all_stats to \"app\"".into()),
    }];
    run.check = Some(result);
    run.findings = diagnose(&run);
    run
}

#[test]
fn a_server_with_something_of_everything() {
    let run = check(result());
    golden("check.en.100.txt", &run, Language::English, 100);
    golden("check.en.80.txt", &run, Language::English, 80);
    golden("check.es.100.txt", &run, Language::Spanish, 100);
}

#[test]
fn a_healthy_server_fits_on_one_screen() {
    let mut quiet = result();
    quiet.room = Some(SessionRoom { limit: 100, in_use: 3, reserved: 3 });
    (quiet.peak_sessions, quiet.sessions) = (Some(9), Some(2));
    quiet.applications = Some(vec![application("shop-api", "web1.corp.example", 2)]);
    quiet.certificate = Some(CertificateSeen { ends: "2027-03-20T11:00:00Z".to_owned(), days_left: 384.0 });
    quiet.since_start = Some(LongView::of(
        ServerCounters { logins: Some(100), failed: Some(0), ..ServerCounters::default() },
        Some(864_000.0),
        Some(2.0),
    ));
    (quiet.host, quiet.host_unknown) = (None, Some(HostUnknown::Remote));
    let said = golden("check-healthy.en.100.txt", &check(quiet), Language::English, 100);
    assert!(said.lines().count() <= 50, "{} lines:\n{said}", said.lines().count());
}

#[test]
fn what_is_serious_comes_first_and_three_commands_last() {
    let run = check(result());
    let said = text(&run, &TextOptions::default());
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(place("idle in a transaction for long") < place("Open sessions"));
    assert!(place("Open sessions") < place("A login from here") && place("What could not be read") < place("\nNext\n"));
    let commands: Vec<&str> = said[place("\nNext\n")..].lines().filter(|l| l.starts_with("  peaje ")).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    assert!(commands[0].starts_with("  peaje explain "), "{commands:?}");
    assert!(commands.iter().any(|command| command.contains("--grants postgres")), "{commands:?}");
}

#[test]
fn an_earlier_visit_is_compared_or_says_why_not() {
    let visit = |interval, no_comparison| {
        let since = SinceEarlier { earlier: "2026-02-23T08:00:00Z".to_owned(), interval, no_comparison };
        let run = check(CheckResult { since: Some(since), ..result() });
        text(&run, &TextOptions { width: 120, ..TextOptions::default() })
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let counters = ServerCounters { logins: Some(7_200), ..ServerCounters::default() };
    let said = visit(Some(LongView::of(counters, Some(7_200.0), Some(50.0))), None);
    assert!(
        said.contains("Since the visit of 2026-02-23 08:00:00 UTC (2.0 h): 7,200 logins, 1.00 a second."),
        "{said}"
    );
    assert!(said.contains("A session lives 50 s on average"), "{said}");
    for (why, words) in [
        (NoComparison::AnotherServer, "another server answered"),
        (NoComparison::Restarted, "the server was restarted in between"),
        (NoComparison::CountersReset, "its counters were reset in between"),
        (NoComparison::ClockStep, "the server's clock is not later"),
        (NoComparison::NothingCounted, "holds no counters"),
    ] {
        let said = visit(None, Some(why));
        assert!(said.contains("cannot be compared") && said.contains(words), "{said}");
    }
}

#[test]
fn nothing_known_is_nothing_said() {
    for language in [Language::English, Language::Spanish] {
        let mut run = check(CheckResult::default());
        run.login = None;
        run.findings = diagnose(&run);
        let said = text(&run, &TextOptions { language, ..TextOptions::default() });
        assert!(!said.contains('⟨') && said.lines().count() < 40, "{said}");
    }
}

#[test]
fn the_page_holds_the_same_and_lets_no_markup_in() {
    let mut hostile = result();
    hostile.applications.as_mut().unwrap()[0].application = "<script>alert(1)</script>".to_owned();
    let page = html(&check(hostile), Language::English);
    assert!(page.contains("peaje check: PostgreSQL") && !page.contains("<script"), "escaped");
    for words in ["Open sessions", "The server&#39;s machine", "peaje explain", "What can be known without load?"] {
        let plain = words.replace("&#39;", "'");
        assert!(page.contains(words) || page.contains(&plain), "{words}");
    }
    assert!(!page.contains('⟨'));
}
