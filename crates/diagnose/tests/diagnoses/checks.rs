//! What a check finds: runs for found, healthy and cannot say of each of its diagnoses.

use peaje_model::{
    ApplicationSessions, CertificateSeen, CheckResult, Experiment, Fact, HostLimits, HostUnknown, LongView,
    OutcomeKind, Param, Phase, Run, Segment, ServerCounters, SessionRoom, SinceEarlier, TlsMode, WhatAnswered,
};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{answered, fact, first_login, nothing, on, run, switch, unpooled, with, word};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [room(), certificate(), life(), idle(), encryption(), failed(), timeout(), recorded(), unused(), queue(), threads()]
        .into_iter()
        .flatten()
        .collect()
}

/// A check that saw nothing but two open sessions, altered.
fn check(alter: impl FnOnce(&mut CheckResult)) -> Run {
    of("postgres", alter)
}

fn of(engine: &str, alter: impl FnOnce(&mut CheckResult)) -> Run {
    let mut result = CheckResult { sessions: Some(2), ..CheckResult::default() };
    alter(&mut result);
    with(on(engine, nothing()), |run| {
        run.experiment = Experiment::Check;
        run.check = Some(result);
    })
}

fn facts(run: Run, facts: Vec<Fact>) -> Run {
    with(run, |run| run.facts = facts)
}

/// An application with this many sessions, all of them ten minutes old, used and encrypted.
fn application(name: &str, host: &str, sessions: u64) -> ApplicationSessions {
    ApplicationSessions {
        application: name.to_owned(),
        host: host.to_owned(),
        users: vec!["app".to_owned()],
        sessions,
        active: 0,
        idle_in_transaction: 0,
        longest_in_transaction_s: None,
        never_used: Some(0),
        encrypted: Some(sessions),
        oldest_s: 600.0,
        youngest_s: 5.0,
    }
}

fn with_applications(engine: &str, list: Vec<ApplicationSessions>) -> Run {
    of(engine, |check| check.applications = Some(list))
}

fn room() -> Vec<Case> {
    const CODE: &str = "room-for-sessions";
    let at = |limit, in_use, reserved| {
        move |check: &mut CheckResult| check.room = Some(SessionRoom { limit, in_use, reserved })
    };
    let with_peak = |peak| {
        check(move |check| {
            at(100, 20, 3)(check);
            check.peak_sessions = Some(peak);
        })
    };
    let refused = check(|check| {
        at(100, 20, 3)(check);
        let counters = ServerCounters { failed_limit: Some(7), ..ServerCounters::default() };
        check.since_start = Some(LongView::of(counters, None, None));
    });
    vec![
        // 93 of 97
        case(CODE, Critical, "now", check(at(100, 93, 3))).share("share", 93.0 / 97.0).count("free", 4),
        case(CODE, Critical, "now", check(at(10, 8, 0))).count("free", 2),
        case(CODE, Warning, "now", check(at(100, 78, 3))).count("reserved", 3).absent("peak"),
        case(CODE, Healthy, "room", check(at(100, 77, 3))).count("limit", 100).count("in_use", 77),
        // 93 of 97 at one time
        case(CODE, Warning, "was-reached", with_peak(93)).count("peak", 93),
        case(CODE, Healthy, "room", with_peak(92)).count("peak", 92),
        case(CODE, Warning, "was-reached", refused).count("refused", 7),
        case(CODE, CannotSay, "unreadable", check(|_| ())),
    ]
}

fn certificate() -> Vec<Case> {
    const CODE: &str = "certificate-expires";
    let left = |days_left| {
        check(move |check| {
            check.certificate = Some(CertificateSeen { ends: "2026-03-20T11:00:00Z".to_owned(), days_left });
        })
    };
    vec![
        case(CODE, Critical, "ended", left(-2.5)).count("days", 2).text("day", "2026-03-20"),
        case(CODE, Critical, "ended", left(-0.1)).count("days", 0),
        case(CODE, Critical, "soon", left(6.9)).count("days", 6),
        case(CODE, Warning, "soon", left(29.0)).count("days", 29),
        case(CODE, Healthy, "valid", left(30.0)),
        case(CODE, CannotSay, "no-tls", check(|_| ())),
    ]
}

/// Counters over a thousand seconds, with these sessions.
fn view(counters: ServerCounters, sessions: f64) -> LongView {
    LongView::of(counters, Some(1_000.0), Some(sessions))
}

fn logins(n: u64) -> ServerCounters {
    ServerCounters { logins: Some(n), ..ServerCounters::default() }
}

fn since_visit(interval: Option<LongView>) -> SinceEarlier {
    SinceEarlier { earlier: "2026-02-01T10:00:00Z".to_owned(), interval, no_comparison: None }
}

fn life() -> Vec<Case> {
    const CODE: &str = "sessions-live-short";
    let start = |n, sessions| check(move |check| check.since_start = Some(view(logins(n), sessions)));
    let visited = check(|check| {
        check.since_start = Some(view(logins(50), 100.0));
        check.since = Some(since_visit(Some(view(logins(2_000), 100.0))));
    });
    let between = with(start(2_000, 100.0), |run| {
        let what = WhatAnswered { segment: Segment::SomethingBetween, ..answered("PostgreSQL") };
        run.what_answered = Some(what);
    });
    vec![
        // 1,000 s × 100 sessions / 2,000 logins
        case(CODE, Warning, "since-start", start(2_000, 100.0))
            .us("life_us", 50e6)
            .param("logins_per_s", Param::PerS(2.0))
            .param("replaced_per_h", Param::PerS(72.0))
            .absent("segment"),
        case(CODE, Info, "since-start", start(500, 100.0)).us("life_us", 200e6),
        case(CODE, Healthy, "since-start", start(40, 1.0)).us("life_us", 25e6),
        case(CODE, Healthy, "since-start", start(200, 100.0)).us("life_us", 500e6),
        case(CODE, Warning, "since-visit", visited).us("life_us", 50e6),
        case(CODE, Warning, "since-start", between).text("segment", "something-between"),
        case(
            CODE,
            CannotSay,
            "too-short",
            check(|check| {
                check.since_start = Some(LongView::of(logins(2_000), Some(599.0), Some(9.0)));
            }),
        ),
        case(CODE, CannotSay, "not-counted", start(2_000, 0.0)),
        case(CODE, CannotSay, "not-counted", start(19, 100.0)),
        case(CODE, CannotSay, "not-counted", check(|_| ())),
    ]
}

fn idle() -> Vec<Case> {
    const CODE: &str = "idle-in-transaction";
    let waiting = |sessions, longest_s: f64| ApplicationSessions {
        idle_in_transaction: sessions,
        longest_in_transaction_s: Some(longest_s),
        ..application("billing", "web2", 5)
    };
    let of = |one| with_applications("postgres", vec![application("shop", "web1", 9), one]);
    let timeout = |run, ms| facts(run, vec![fact("idle_in_transaction_session_timeout", ms)]);
    vec![
        case(CODE, Warning, "long", of(waiting(2, 60.0)))
            .count("sessions", 2)
            .us("for_us", 60e6)
            .text("applications", "billing @ web2")
            .absent("closed_after_us")
            .absent("no_timeout"),
        case(CODE, Critical, "long", of(waiting(1, 3_600.0))),
        case(CODE, Warning, "long", timeout(of(waiting(1, 99.0)), 600_000.0)).us("closed_after_us", 600e6),
        case(CODE, Warning, "long", timeout(of(waiting(1, 99.0)), 0.0))
            .text("no_timeout", "idle_in_transaction_session_timeout"),
        case(CODE, Healthy, "short", of(waiting(3, 59.0))).count("sessions", 3),
        case(CODE, Healthy, "none", of(application("billing", "web2", 5))).count("sessions", 0),
        case(CODE, CannotSay, "unseen", check(|_| ())),
    ]
}

fn encryption() -> Vec<Case> {
    const CODE: &str = "unencrypted-applications";
    let clear = |name: &str, host: &str, oldest_s| ApplicationSessions {
        encrypted: Some(1),
        oldest_s,
        ..application(name, host, 4)
    };
    let list = || vec![clear("shop", "web1", 600.0), clear("report", "10.1.2.3", 3.0), application("psql", "", 1)];
    let probed = |run| {
        with(run, |run: &mut Run| {
            let made = unpooled(TlsMode::AsUrl).logins(20).phases(&[(Phase::Tls, 2_500.0, 2.0)]);
            run.login = crate::build::run([made]).login;
        })
    };
    let local = vec![ApplicationSessions { encrypted: Some(0), ..application("psql", "", 1) }];
    let unknown = vec![ApplicationSessions { encrypted: None, ..application("shop", "web1", 1) }];
    let reference = with(with_applications("postgres", list()), |run| {
        run.what_answered = Some(WhatAnswered { reference_server: true, ..answered("peaje reference server") });
    });
    assert!(peaje_diagnose::diagnose(&reference).iter().all(|finding| finding.code != CODE));
    vec![
        case(CODE, Warning, "in-clear", with_applications("postgres", list()))
            .count("in_clear", 6)
            .count("sessions", 8)
            .text("applications", "shop @ web1, report @ 10.1.2.3")
            .text("unpooled", "report @ 10.1.2.3")
            .absent("tls_us"),
        case(CODE, Warning, "in-clear", probed(with_applications("postgres", list()))).us("tls_us", 2_500.0),
        case(
            CODE,
            Info,
            "not-forced",
            facts(
                with_applications("mysql", vec![application("shop", "web1", 4)]),
                vec![switch("require_secure_transport", false)],
            ),
        )
        .count("sessions", 4),
        case(CODE, Healthy, "none-in-clear", with_applications("sqlserver", local)).count("sessions", 0),
        case(
            CODE,
            Healthy,
            "forced",
            facts(with_applications("postgres", list()), vec![switch("hba_allows_clear", false)]),
        ),
        case(CODE, Healthy, "forced", facts(of("sqlserver", |_| ()), vec![switch("forced_encryption", true)])),
        case(CODE, CannotSay, "unseen", with_applications("postgres", unknown)),
        case(CODE, CannotSay, "unseen", check(|_| ())),
    ]
}

fn failed() -> Vec<Case> {
    const CODE: &str = "many-failed-logins";
    let counters = |failed, logins| ServerCounters {
        logins: Some(logins),
        failed: Some(failed),
        failed_credentials: Some(failed / 2),
        ..ServerCounters::default()
    };
    let start = |failed, logins| check(move |check| check.since_start = Some(view(counters(failed, logins), 5.0)));
    let visited = check(|check| {
        check.since_start = Some(view(counters(0, 1_000), 5.0));
        let at_limit = ServerCounters { failed_limit: Some(4), ..counters(30, 70) };
        check.since = Some(since_visit(Some(view(at_limit, 5.0))));
    });
    vec![
        case(CODE, Warning, "since-start", start(20, 180)).share("share", 0.1).count("credentials", 10),
        case(CODE, Info, "since-start", start(20, 1_980)).share("share", 0.01),
        case(CODE, Healthy, "since-start", start(19, 1)).count("failed", 19),
        case(CODE, Healthy, "since-start", start(20, 1_981)),
        case(CODE, Warning, "since-visit", visited).share("share", 0.3).count("at_limit", 4),
        case(CODE, CannotSay, "not-counted", check(|check| check.since_start = Some(view(logins(50), 5.0)))),
        case(CODE, CannotSay, "not-counted", check(|_| ())),
    ]
}

fn timeout() -> Vec<Case> {
    const CODE: &str = "login-timeout-too-short";
    let after = |run: Run, us| {
        with(run, |run| {
            run.login = crate::build::run([]).login;
            run.login.as_mut().expect("just given").first_login = Some(first_login(OutcomeKind::Ok, us));
        })
    };
    let postgres = |us| after(facts(check(|_| ()), vec![fact("authentication_timeout", 60.0)]), us);
    let mysql = |us| after(facts(of("mysql", |_| ()), vec![fact("connect_timeout", 10.0)]), us);
    vec![
        case(CODE, Warning, "server", postgres(15e6))
            .us("worst_us", 15e6)
            .us("limit_us", 60e6)
            .share("timeout_share", 0.25),
        case(CODE, Critical, "server", mysql(7.5e6)).text("setting", "connect_timeout"),
        case(CODE, Healthy, "server", postgres(14.9e6)).text("setting", "authentication_timeout"),
        case(CODE, CannotSay, "no-login", facts(check(|_| ()), vec![fact("authentication_timeout", 60.0)])),
        case(CODE, CannotSay, "unreadable", after(check(|_| ()), 1e6)),
    ]
}

fn recorded() -> Vec<Case> {
    const CODE: &str = "slow-logins-recorded";
    let ring = |slowest_ms: f64| {
        facts(
            of("sqlserver", |_| ()),
            vec![
                fact("recorded_logins", 3.0),
                fact("slow_recorded_logins", 1.0),
                fact("slowest_recorded_login_ms", slowest_ms),
                word("slowest_recorded_login_part", "network-reads"),
            ],
        )
    };
    let hosts = |blocked, worst, names| {
        facts(
            of("mysql", |_| ()),
            vec![
                fact("host_cache_blocked", blocked),
                fact("host_cache_worst_errors", worst),
                fact("host_cache_name_errors", names),
                fact("max_connect_errors", 100.0),
            ],
        )
    };
    let postgres = |version, log: Option<&str>| {
        let log = log.map(|list| word("log_connections", list));
        facts(check(|_| ()), [fact("server_version_num", version)].into_iter().chain(log).collect())
    };
    vec![
        case(CODE, Warning, "ring-buffer", ring(1_000.0))
            .count("logins", 3)
            .us("slowest_us", 1e6)
            .text("part", "network-reads"),
        case(CODE, Healthy, "ring-buffer", ring(999.0)),
        case(CODE, Healthy, "ring-buffer", facts(of("sqlserver", |_| ()), vec![fact("recorded_logins", 0.0)])),
        case(CODE, CannotSay, "unreadable", of("sqlserver", |_| ())),
        case(CODE, Warning, "host-cache", hosts(1.0, 0.0, 0.0)).count("blocked", 1).absent("names"),
        case(CODE, Warning, "host-cache", hosts(0.0, 50.0, 0.0)).count("worst", 50).count("limit", 100),
        case(CODE, Info, "host-cache", hosts(0.0, 49.0, 2.0)).count("names", 2),
        case(CODE, Healthy, "host-cache", hosts(0.0, 49.0, 0.0)),
        case(CODE, CannotSay, "unreadable", of("mysql", |_| ())),
        case(CODE, Healthy, "in-the-log", postgres(180_000.0, Some("receipt, setup_durations"))),
        case(CODE, CannotSay, "not-logged", postgres(180_001.0, Some("receipt"))),
        case(CODE, CannotSay, "not-kept", postgres(170_000.0, Some("on"))),
        case(CODE, CannotSay, "unreadable", postgres(180_000.0, None)),
    ]
}

fn unused() -> Vec<Case> {
    const CODE: &str = "never-used-sessions";
    let of = |never_used, sessions, oldest_s| {
        let idle =
            ApplicationSessions { never_used: Some(never_used), oldest_s, ..application("shop", "web1", sessions) };
        with_applications("postgres", vec![idle])
    };
    let unknown = ApplicationSessions { never_used: None, ..application("shop", "web1", 9) };
    vec![
        case(CODE, Warning, "unused", of(100, 300, 600.0)).count("unused", 100).text("applications", "shop @ web1"),
        case(CODE, Info, "unused", of(10, 30, 600.0)).share("share", 1.0 / 3.0),
        case(CODE, Healthy, "unused", of(9, 10, 600.0)),
        case(CODE, Healthy, "unused", of(100, 400, 600.0)),
        case(CODE, Healthy, "unused", of(100, 100, 59.0)).count("unused", 0),
        case(CODE, CannotSay, "unseen", with_applications("mysql", vec![unknown])),
        case(CODE, CannotSay, "unseen", check(|_| ())),
    ]
}

fn queue() -> Vec<Case> {
    const CODE: &str = "listen-backlog-too-small";
    let of = |length, peak, overflows| {
        check(move |check| {
            check.peak_sessions = Some(peak);
            check.host = Some(HostLimits {
                somaxconn: Some(4_096),
                listen_backlog: Some(length),
                listen_overflows: Some(overflows),
                ..HostLimits::default()
            });
        })
    };
    let unknown = |why| check(move |check| check.host_unknown = Some(why));
    vec![
        case(CODE, Warning, "queue", of(128, 129, 5)).count("length", 128).count("sessions", 129).count("overflows", 5),
        case(CODE, Info, "queue", of(128, 129, 0)).count("somaxconn", 4_096).absent("overflows"),
        case(CODE, Healthy, "queue", of(128, 128, 5)),
        case(CODE, Healthy, "queue", of(4_096, 9_000, 0)),
        case(CODE, CannotSay, "managed", unknown(HostUnknown::ManagedService)),
        case(CODE, CannotSay, "remote", unknown(HostUnknown::Remote)),
        case(CODE, CannotSay, "unknown-process", unknown(HostUnknown::NotItsProcess)),
        case(CODE, CannotSay, "unknown-process", check(|check| check.host = Some(HostLimits::default()))),
    ]
}

fn threads() -> Vec<Case> {
    const CODE: &str = "thread-cache-too-small";
    // Over a thousand seconds.
    let of = |created, connections| {
        facts(
            of("mysql", |check| check.since_start = Some(view(logins(100), 5.0))),
            vec![
                fact("threads_created", created),
                fact("connections_total", connections),
                fact("thread_cache_size", 9.0),
                word("thread_handling", "one-thread-per-connection"),
            ],
        )
    };
    let pooled = facts(self::of("mysql", |_| ()), vec![word("thread_handling", "pool-of-threads")]);
    assert!(peaje_diagnose::diagnose(&check(|_| ())).iter().all(|finding| finding.code != CODE));
    vec![
        case(CODE, Warning, "cache", of(50_000.0, 100_000.0)).share("misses", 0.5).param("per_s", Param::PerS(50.0)),
        case(CODE, Info, "cache", of(1_000.0, 9_000.0)).count("size", 9).count("created", 1_000),
        case(CODE, Healthy, "cache", of(1_000.0, 10_000.0)),
        case(CODE, Healthy, "cache", of(999.0, 2_000.0)),
        case(CODE, Healthy, "thread-pool", pooled),
        case(CODE, CannotSay, "too-few-logins", of(50.0, 99.0)).count("needed", 100),
        case(CODE, CannotSay, "unreadable", self::of("mysql", |_| ())),
    ]
}

#[test]
fn what_is_no_check_says_nothing_of_a_check() {
    let codes = [
        "room-for-sessions",
        "certificate-expires",
        "sessions-live-short",
        "idle-in-transaction",
        "unencrypted-applications",
        "many-failed-logins",
        "login-timeout-too-short",
        "slow-logins-recorded",
        "never-used-sessions",
        "listen-backlog-too-small",
        "thread-cache-too-small",
    ];
    let findings = peaje_diagnose::diagnose(&run([unpooled(TlsMode::Off)]));
    assert!(findings.iter().all(|finding| !codes.contains(&finding.code.as_str())), "{findings:#?}");
}

#[test]
fn what_makes_a_login_dear_is_a_note_in_a_check() {
    let costs =
        ["distance-dominates", "full-authentication-each-time", "rsa-key-dominates", "scram-derivation-dominates"];
    let serious = crate::cases()
        .into_iter()
        .filter(|case| costs.contains(&case.code) && case.expect.severity() > peaje_model::Severity::Info);
    let mut seen = 0;
    for case in serious {
        let of_check = with(case.run, |run| run.experiment = Experiment::Check);
        let findings = peaje_diagnose::diagnose(&of_check);
        let said: Vec<_> = findings.iter().filter(|finding| finding.code == case.code).collect();
        assert!(!said.is_empty() && said.iter().all(|f| f.severity == peaje_model::Severity::Info), "{said:#?}");
        seen += 1;
    }
    assert!(seen > 0, "some of them are serious under a load");
}
