//! What runs and is written at each login, on each engine.

use peaje_model::{Fact, Gap, Phase, Run, Segment, TlsMode, WhatAnswered};

use crate::Expect::{CannotSay, Healthy, Info, Warning};
use crate::build::{answered, fact, nothing, on, run, switch, unpooled, with, word};
use crate::{Case, case};

const CODE: &str = "login-hooks";

pub(crate) fn cases() -> Vec<Case> {
    [postgres(), mysql(), sqlserver(), unread()].into_iter().flatten().collect()
}

/// Twenty logins of 10 ms: this long to authenticate and to begin the session.
fn run_of(engine: &str, in_path_us: f64, facts: Vec<Fact>) -> Run {
    let made = unpooled(TlsMode::Off).logins(20).phases(&[
        (Phase::Connect, 9000.0 - in_path_us, 1.0),
        (Phase::Authenticate, in_path_us - 400.0, 1.0),
        (Phase::Session, 400.0, 0.0),
        (Phase::FirstQuery, 500.0, 1.0),
        (Phase::Close, 500.0, 1.0),
    ]);
    on(engine, with(run([made]), |run| run.facts = facts))
}

/// Facts, with some of them replaced or added.
fn but(mut facts: Vec<Fact>, changes: Vec<Fact>) -> Vec<Fact> {
    facts.retain(|fact| !changes.iter().any(|change| change.name == fact.name));
    facts.extend(changes);
    facts
}

fn quiet_postgres() -> Vec<Fact> {
    vec![
        fact("server_version_num", 170_000.0),
        fact("login_event_triggers", 0.0),
        word("session_preload_libraries", ""),
        word("local_preload_libraries", ""),
        switch("log_connections", false),
        switch("log_disconnections", false),
    ]
}

fn postgres() -> Vec<Case> {
    let of = |in_path_us, changes| run_of("postgres", in_path_us, but(quiet_postgres(), changes));
    let trigger = || vec![fact("login_event_triggers", 1.0), word("login_event_trigger_names", "who_may")];
    let between = |run| {
        let what = WhatAnswered { segment: Segment::SomethingBetween, ..answered("PostgreSQL") };
        with(run, |run: &mut Run| run.what_answered = Some(what))
    };
    vec![
        case(CODE, Healthy, "nothing", of(6000.0, vec![])),
        // 6 of 10 ms
        case(CODE, Warning, "runs", of(6000.0, trigger()))
            .text("triggers", "who_may")
            .count("hooks", 1)
            .us("phase_us", 6000.0)
            .us("login_us", 10_000.0)
            .share("phase_share", 0.6)
            .absent("segment"),
        case(CODE, Info, "runs", of(4900.0, trigger())).share("phase_share", 0.49),
        case(CODE, Info, "runs", with(of(6000.0, trigger()), |run| run.login = None)).absent("phase_us"),
        case(CODE, Info, "runs", between(of(4900.0, trigger()))).text("segment", "something-between"),
        case(CODE, Healthy, "nothing", of(6000.0, but(trigger(), vec![switch("event_triggers", false)]))),
        case(CODE, Warning, "runs", of(6000.0, vec![switch("log_hostname", true)])).text("lookup", "log_hostname"),
        case(
            CODE,
            Info,
            "records",
            of(
                6000.0,
                vec![
                    word("session_preload_libraries", "auto_explain"),
                    word("local_preload_libraries", "mine"),
                    switch("log_connections", true),
                    switch("log_disconnections", true),
                    word("pgaudit.log", "read, ddl"),
                ],
            ),
        )
        .text("libraries", "auto_explain, mine")
        .count("log_lines", 4)
        .text("pgaudit", "read, ddl")
        .count("hooks", 3)
        .absent("phase_us"),
        // version 18 has a list
        case(CODE, Info, "records", of(6000.0, vec![word("log_connections", "receipt, setup_durations")]))
            .count("log_lines", 2),
        case(CODE, Info, "records", of(6000.0, vec![word("log_connections", "all")])).count("log_lines", 4),
        case(CODE, Healthy, "nothing", of(6000.0, vec![word("log_connections", ""), word("pgaudit.log", "none")])),
        case(
            CODE,
            Info,
            "records",
            of(6000.0, vec![fact("server_version_num", 130_000.0), word("log_connections", "on")]),
        )
        .count("log_lines", 2),
    ]
}

fn quiet_mysql() -> Vec<Fact> {
    vec![word("init_connect", ""), switch("general_log", false), word("audit_plugins", "")]
}

fn mysql() -> Vec<Case> {
    let of = |changes| run_of("mysql", 6000.0, but(quiet_mysql(), changes));
    vec![
        case(CODE, Healthy, "nothing", of(vec![])),
        // the first statement waits for it too
        case(CODE, Warning, "runs", of(vec![word("init_connect", "set @who = user()")]))
            .text("statements", "init_connect")
            .us("phase_us", 6500.0),
        case(
            CODE,
            Info,
            "records",
            of(vec![
                switch("general_log", true),
                word("log_output", "TABLE"),
                switch("server_audit_logging", true),
                word("server_audit_events", "connect,query"),
                word("audit_plugins", "SERVER_AUDIT, my_auditor"),
                word("audit_log_policy", "LOGINS"),
            ]),
        )
        .text("general_log", "TABLE")
        .text("audits", "server_audit")
        .text("audit_plugins", "my_auditor")
        .text("audit_policy", "LOGINS")
        .count("hooks", 4),
        case(
            CODE,
            Healthy,
            "nothing",
            of(vec![
                switch("general_log", true),
                word("log_output", "NONE"),
                switch("server_audit_logging", true),
                word("server_audit_events", "TABLE"),
                word("audit_log_policy", "QUERIES"),
            ]),
        ),
    ]
}

fn quiet_sqlserver() -> Vec<Fact> {
    vec![
        fact("engine_edition", 3.0),
        word("logon_triggers", ""),
        word("login_audits", ""),
        word("login_event_sessions", ""),
        word("resource_governor_classifier", ""),
        word("login_audit_level", "failed"),
    ]
}

fn sqlserver() -> Vec<Case> {
    let of = |changes| run_of("sqlserver", 6000.0, but(quiet_sqlserver(), changes));
    vec![
        case(CODE, Healthy, "nothing", of(vec![])),
        case(CODE, Healthy, "nothing", run_of("sqlserver", 6000.0, vec![fact("engine_edition", 5.0)])),
        case(
            CODE,
            Warning,
            "runs",
            of(vec![
                word("logon_triggers", "limit_hosts; log_it"),
                word("resource_governor_classifier", "dbo.classify"),
                fact("password_hash_algorithm", 3.0),
                word("login_audits", "compliance: SUCCESSFUL_LOGIN_GROUP"),
                word("login_event_sessions", "who"),
                word("login_audit_level", "both"),
                fact("c2_audit_mode", 1.0),
                fact("common_criteria_compliance_enabled", 1.0),
            ]),
        )
        .text("triggers", "limit_hosts; log_it")
        .text("classifier", "dbo.classify")
        .text("hash", "PBKDF2")
        .text("audits", "compliance: SUCCESSFUL_LOGIN_GROUP")
        .text("event_sessions", "who")
        .text("error_log", "both")
        .count("hooks", 8),
        case(CODE, Info, "records", of(vec![word("login_audit_level", "successful"), fact("c2_audit_mode", 1.0)]))
            .count("hooks", 2),
    ]
}

fn unread() -> Vec<Case> {
    let gap = |what: &str, next_step: Option<&str>| Gap {
        what: what.to_owned(),
        why: "no right to see it".to_owned(),
        next_step: next_step.map(str::to_owned),
    };
    let hidden = || {
        let mut facts = quiet_sqlserver();
        facts.retain(|fact| fact.name != "logon_triggers");
        with(run_of("sqlserver", 6000.0, facts), |run| {
            run.gaps = vec![
                gap("sys.dm_exec_connections", Some("grant something else")),
                gap("sys.server_triggers", Some("grant view any definition to [peaje]")),
            ];
        })
    };
    let some = || with(hidden(), |run| run.facts.push(fact("c2_audit_mode", 1.0)));
    vec![
        case(CODE, CannotSay, "unreadable", hidden())
            .text("unread", "logon_triggers")
            .text("mend", "grant view any definition to [peaje]"),
        case(CODE, Info, "records", some()).text("unread", "logon_triggers"),
        case(CODE, CannotSay, "unreadable", run_of("mysql", 6000.0, vec![]))
            .text("unread", "init_connect, audit_plugins, general_log")
            .absent("mend"),
        case(CODE, CannotSay, "unreadable", nothing()),
        case(CODE, CannotSay, "not-measured", on("oracle", nothing())),
    ]
}

#[test]
fn the_reference_server_has_none() {
    let run = with(run_of("postgres", 6000.0, vec![]), |run| {
        run.what_answered = Some(WhatAnswered { reference_server: true, ..answered("peaje reference server") });
    });
    assert!(peaje_diagnose::diagnose(&run).iter().all(|finding| finding.code != CODE));
}
