//! Two servers: one with every figure there can be, one that could not be read yet.

use std::collections::BTreeMap;

use peaje_watch::metrics::{
    ApplicationInterval, Applications, Exposition, Failures, Histogram, LIFE_EDGES_S, LOGIN_EDGES_S, ServerMetrics,
    SessionStates,
};

const STARTED_S: f64 = 1_796_000_000.0;
const WATCHING_S: f64 = 1_796_083_267.5;

pub(crate) fn exposition() -> Exposition {
    Exposition {
        version: "0.1.0".into(),
        rules: vec!["no-pooling", "idle-timeout-churn"],
        servers: vec![full(), unread()],
    }
}

fn full() -> ServerMetrics {
    let mut lives = Histogram::new(LIFE_EDGES_S);
    for life in [0.3, 0.3, 59.0, 61.5, 90_000.0] {
        lives.observe(life);
    }
    let mut tls = Histogram::new(LOGIN_EDGES_S);
    for time in [0.0011, 0.052, 16.0] {
        tls.observe(time);
    }
    ServerMetrics {
        system: "postgresql".into(),
        address: "db.example.com".into(),
        port: 5432,
        up: true,
        readings: 360,
        gaps: BTreeMap::from([("restarted".into(), 1), ("unreachable".into(), 2)]),
        started_s: Some(STARTED_S),
        watching_since_s: WATCHING_S,
        logins: Some(1_234_567),
        logouts: Some(1_234_483),
        failures: Failures { total: Some(7), credentials: Some(4), limit: Some(2), probe: Some(8_640) },
        resets: Some(55),
        sessions: Some(SessionStates { active: 6, idle: 64, idle_in_transaction: 2, never_used: 12 }),
        sessions_in_all: Some(84),
        limit: Some(97),
        encrypted: Some(0.92),
        coverage: Some(0.96),
        mean_life_s: Some(40.25),
        lives: Some(lives),
        logins_by_phase: BTreeMap::from([("tls", tls)]),
        applications: Some(applications()),
        found: vec![
            ("no-pooling", Some("cron \"nightly\" @ 10.0.0.7".into())),
            ("no-pooling", Some("too small for a series @ h".into())),
            ("no-pooling", Some("and another @ h".into())),
            ("not-asked-for", None),
        ],
    }
}

fn applications() -> Applications {
    let mut applications = Applications::new(WATCHING_S);
    let sessions = SessionStates { active: 1, idle: 2, ..SessionStates::default() };
    let interval = ApplicationInterval { logins: 12, logouts: 11, sessions };
    applications.add(
        WATCHING_S + 10.0,
        &BTreeMap::from([
            ("cron \"nightly\" @ 10.0.0.7".to_owned(), interval),
            ("C:\\svc\\app.exe\n @ h".to_owned(), interval),
        ]),
    );
    applications
}

fn unread() -> ServerMetrics {
    ServerMetrics {
        system: "mysql".into(),
        address: "2001:db8::1".into(),
        port: 3306,
        watching_since_s: WATCHING_S,
        ..ServerMetrics::default()
    }
}
