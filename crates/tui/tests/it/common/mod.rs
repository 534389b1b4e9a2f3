//! Views for the tests and the example: invented servers with every kind of figure, verdict and gap.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "shared with an example, which uses its own part")]

use std::collections::BTreeMap;

use peaje_model::{
    FailedLogins, Finding, Grade, GroupKind, GroupStatistics, Param, Pattern, Segment, Severity, Verdict, WatchGap,
    WatchGroup, WhatAnswered,
};
use peaje_tui::{Ages, Exactness, Figures, GroupView, History, ServerStatus, ServerView, View};

pub const DB: &str = "db.example.com:5432";

pub fn what(product: &str, version: &str) -> WhatAnswered {
    WhatAnswered {
        product: product.into(),
        version: Some(version.into()),
        banner: None,
        reference_server: false,
        segment: Segment::Server,
        pooler: None,
    }
}

pub fn wave(mean: f64, swing: f64, n: usize) -> History {
    (0..n).map(|i| Some(mean + swing * (i as f64 * 0.6).sin())).collect()
}

pub fn group(server: &str, name: &str, kind: GroupKind, rate: f64, sessions: f64) -> WatchGroup {
    WatchGroup {
        server: server.into(),
        name: name.into(),
        kind,
        verdict: Verdict::Healthy,
        verdict_codes: Vec::new(),
        pattern: Some(Pattern::Steady),
        grade: None,
        mean_session_life_s: (rate > 0.0).then(|| sessions / rate),
        life_since_start: false,
        logins_per_s: Some(rate),
        logouts_per_s: Some(rate),
        sessions: Some(sessions),
        limit: None,
        encrypted: Some(1.0),
        cost: None,
        statistics: GroupStatistics {
            replaced_per_h: (rate > 0.0).then(|| 3_600.0 * rate / sessions),
            ..GroupStatistics::default()
        },
    }
}

pub fn found(mut group: WatchGroup, code: &str, grade: Grade) -> WatchGroup {
    group.verdict = Verdict::Found;
    group.verdict_codes = vec![code.into()];
    group.pattern = None;
    group.grade = Some(grade);
    group
}

pub fn view_of(group: WatchGroup) -> GroupView {
    let rate = group.logins_per_s.unwrap_or(0.0);
    GroupView { logins: wave(rate, rate * 0.8, 40), group }
}

pub fn server(name: &str, rate: f64, sessions: f64) -> ServerView {
    ServerView {
        server: name.into(),
        answered: Some(what("PostgreSQL", "16.4")),
        status: ServerStatus::Read,
        readings: 2,
        now: Figures {
            logins_per_s: Some(rate),
            logouts_per_s: Some(rate * 0.98),
            sessions: Some(sessions),
            active: Some(6.0),
            waiting: None,
        },
        limit: Some(97),
        peak_sessions: Some(91),
        logins: wave(rate, rate * 0.5, 40),
        logouts: wave(rate, rate * 0.3, 40),
        encrypted: Some(0.92),
        ages: Some(Ages { median_s: 720.0, oldest_s: 12_600.0, exactness: Exactness::Exact }),
        authentication: vec![("scram-sha-256".into(), 0.88), ("md5".into(), 0.12)],
        never_used: Some(0.14),
        failed: Some(FailedLogins { total: 5.0, credentials: Some(3.0), limit: Some(2.0), probe: Some(120.0) }),
    }
}

/// A finding of a code that the catalogue and the pages have had since the first command.
pub fn finding(severity: Severity) -> Finding {
    let params = BTreeMap::from([
        ("variant".to_owned(), Param::Text("first-login".into())),
        ("limit".to_owned(), Param::Count(97)),
    ]);
    Finding { code: "server-full".into(), verdict: Verdict::Found, severity, params, evidence: Vec::new() }
}

/// One server, a script host that does not pool, pools that breathe, a gap that is over.
pub fn one() -> View {
    let instance = found(group(DB, DB, GroupKind::Instance, 12.4, 84.0), "no-pooling", Grade::Suspected);
    let app = |name: &str, rate, sessions| group(DB, name, GroupKind::Application, rate, sessions);
    let groups = vec![
        instance,
        found(app("cron-report @ 10.0.0.7", 10.2, 3.06), "no-pooling", Grade::Confirmed),
        found(app("web-shop @ 10.0.0.21", 1.6, 64.0), "idle-timeout-churn", Grade::Likely),
        WatchGroup { pattern: Some(Pattern::MaximumLifetime), ..app("billing @ 10.0.0.30", 0.011, 12.0) },
        WatchGroup {
            verdict: Verdict::CannotSay,
            pattern: None,
            life_since_start: true,
            ..app("psql @ 10.0.0.4", 0.002, 2.0)
        },
        group(DB, "cron-report @ 10.0.0.7 # 4711", GroupKind::Process, 5.1, 1.5),
    ];
    View {
        at: "2026-11-30T10:41:07Z".into(),
        utc_offset_s: 0,
        interval_s: 10.0,
        servers: vec![server(DB, 12.4, 84.0)],
        groups: groups.into_iter().map(view_of).collect(),
        findings: vec![finding(Severity::Critical)],
        gaps: vec![gap(DB, "10:31:02", Some("10:31:20"), "the server was restarted")],
        coverage: Some(0.96),
        verdict_at: None,
        recording: Some("night.db".into()),
        notes: Vec::new(),
    }
}

pub fn gap(server: &str, from: &str, until: Option<&str>, message: &str) -> WatchGap {
    let at = |time: &str| format!("2026-11-30T{time}Z");
    WatchGap {
        server: server.into(),
        from: at(from),
        until: until.map(at),
        reason: if message.contains("refused") { "unreachable" } else { "restarted" }.into(),
        message: message.into(),
    }
}

/// The first minutes: averages since the start, and a verdict to come.
pub fn early() -> View {
    let mut view = one();
    view.groups.truncate(1);
    view.groups[0].group = WatchGroup {
        verdict: Verdict::CannotSay,
        verdict_codes: Vec::new(),
        grade: None,
        life_since_start: true,
        ..group(DB, DB, GroupKind::Instance, 12.4, 84.0)
    };
    view.servers[0] = ServerView {
        logins: vec![None, Some(12.4)],
        logouts: vec![None, Some(12.1)],
        failed: None,
        encrypted: None,
        authentication: Vec::new(),
        ..server(DB, 12.4, 84.0)
    };
    view.findings.clear();
    view.gaps.clear();
    view.recording = None;
    view.verdict_at = Some("2026-11-30T10:42:30Z".into());
    view
}

/// Nothing could be read yet.
pub fn silent() -> View {
    View {
        at: "2026-11-30T10:41:07Z".into(),
        interval_s: 10.0,
        servers: vec![ServerView { server: DB.into(), ..ServerView::default() }],
        ..View::default()
    }
}

/// Many servers, one of them out of reach, in a zone east of UTC.
pub fn fleet() -> View {
    let name = |n: usize| format!("db{n:02}.example.com:5432");
    let mut servers: Vec<ServerView> = (1..=12).map(|n| server(&name(n), n as f64 * 3.0, 20.0 + n as f64)).collect();
    servers[1].status = ServerStatus::Gap;
    servers[1].now = Figures::default();
    servers[1].logins = vec![Some(6.0), Some(5.0), None, None];
    servers[2].answered = Some(WhatAnswered { pooler: Some("Pgpool-II 4.5.0".into()), ..what("PostgreSQL", "15.8") });
    let instances =
        (1..=12).map(|n| view_of(group(&name(n), &name(n), GroupKind::Instance, n as f64 * 3.0, 20.0 + n as f64)));
    let applications = (1..=12).map(|n| {
        view_of(group(&name(n), &format!("app{n} @ 10.0.1.{n}"), GroupKind::Application, n as f64 * 2.0, 10.0))
    });
    View {
        utc_offset_s: 3_600,
        groups: instances.chain(applications).collect(),
        gaps: vec![gap(&name(2), "10:40:41", None, "connection refused")],
        notes: vec!["The recording stopped at 10:39: no space is left on the device.".into()],
        servers,
        ..one()
    }
}
