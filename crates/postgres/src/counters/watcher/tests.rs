//! Servers of other versions than the installed ones, and sessions that are hard to come by, played by a script.

use peaje_engine::{Apart, SessionState};
use peaje_model::OutcomeKind;

use crate::counters::scripted::Script;

const SERVER: &str = "server_version_num|standby|default_read_only|started_at|database|role";
const COUNTERS: &str = "clock_us|started_us|cleared_us|databases";
const SESSIONS: &str = "pid|opened_us|usename|application_name|host|datname|state|since_us|used|backend_type|ssl";

fn server(version: &'static str) -> Script {
    let script = Script::default();
    script.set("server", SERVER, &[version]);
    script.set("watch_sessions", SESSIONS, &[]);
    script
}

#[tokio::test]
async fn before_14_logins_are_unknown_and_not_zero() {
    let script = server("130010|f|off|2026-01-01|shop|stat");
    script.set("watch_requests", COUNTERS, &["90|10|5|1:0:700 2:7:30"]);
    script.set("watch_address", "address|port|cluster", &["10.0.0.5|5432|east"]);
    script.set("watch_sessions", SESSIONS, &["7|20|ana|web|10.0.0.9|shop|idle|30|t|client backend|t"]);
    let mut watcher = script.watch("shop").await;
    let reading = watcher.read().await.expect("readable");
    let counters = reading.counters;
    assert_eq!((counters.logins_total, counters.logouts_total, counters.abandoned_total), (None, None, None));
    assert_eq!((counters.requests_total, counters.sessions, counters.since_us), (Some(730), Some(1), None));
    // The right to read the control file has been revoked.
    assert_eq!(reading.identity.name, "PostgreSQL at 10.0.0.5:5432 (east)");
    let gap = reading.gaps.iter().find(|gap| gap.what == "logins").expect("it is said");
    assert!(gap.why.contains("since version 14"), "{gap:?}");
}

#[tokio::test]
async fn version_14_counts_late_and_is_waited_for() {
    let script = server("140005|f|off|2026-01-01|shop|stat");
    script.set("watch_counters", COUNTERS, &["90|10|5|1:6:700:12:2"]);
    let before = std::time::Instant::now();
    let mut watcher = script.watch("shop").await;
    assert!(before.elapsed() >= super::COLLECTOR_PAUSE);
    let reading = watcher.read().await.expect("readable");
    assert_eq!((reading.counters.logins_total, reading.counters.since_us), (Some(11), Some(6)));
}

#[tokio::test]
async fn who_tells_nothing_and_who_is_no_client() {
    let script = server("160001|f|off|2026-01-01|shop|stat");
    script.set("watch_counters", COUNTERS, &["90|10|5|1:0:700:12:2"]);
    let client = "7|20|ana|web|10.0.0.9|shop|active|30|t|client backend|f";
    let silent = "8|21|eve|web|10.0.0.9|shop|disabled|-|-|client backend|-";
    let replica = "9|22|rep|standby1|10.0.0.8|-|active|31|t|walsender|t";
    script.set("watch_sessions", SESSIONS, &[client, silent, replica]);
    let mut watcher = script.watch("shop").await;
    let reading = watcher.read().await.expect("readable");
    let rows = reading.sessions.as_deref().expect("seen");
    assert_eq!((rows[0].state, rows[0].used), (SessionState::Active, Some(true)));
    assert_eq!((rows[1].state, rows[1].used, rows[1].encrypted), (SessionState::Idle, None, None));
    assert_eq!(rows[2].apart, Some(Apart::Replication));
    assert_eq!((reading.counters.sessions, reading.counters.active), (Some(2), None));
    assert!(reading.gaps.iter().any(|gap| gap.why.contains("track_activities")), "{:?}", reading.gaps);
    assert_eq!(reading.counters.logouts_total, Some(9));

    // Another role's session is hidden: neither the list nor what follows from it is given.
    script.set("watch_sessions", SESSIONS, &[client, "8|-|eve|web|-|shop|-|-|-|-|-"]);
    let reading = watcher.read().await.expect("readable");
    assert_eq!((&reading.sessions, reading.counters.logouts_total), (&None, None));
    assert_eq!((reading.counters.sessions, reading.counters.logins_total), (Some(2), Some(11)));

    // No sessions at all: a gap.
    script.refuse("watch_sessions");
    let reading = watcher.read().await.expect("the counters are there");
    assert_eq!((&reading.sessions, reading.counters.sessions), (&None, None));
    assert!(reading.gaps.iter().any(|gap| gap.next_step.as_deref() == Some("grant pg_monitor to \"stat\"")));

    // No counters: nothing to give.
    script.refuse("watch_counters");
    assert_eq!(watcher.read().await.expect_err("refused").kind, OutcomeKind::Rejected);
    script.set("watch_counters", COUNTERS, &["90|10|5|nonsense"]);
    assert_eq!(watcher.read().await.expect_err("unreadable").kind, OutcomeKind::Protocol);
}

/// Something between hands the session over to another server.
#[tokio::test]
async fn another_server_on_the_same_session_is_noticed() {
    let script = server("160001|f|off|2026-01-01|shop|stat");
    script.set("watch_counters", COUNTERS, &["90|10|5|1:0:700:12:2"]);
    script.set("watch_identity", "system_identifier", &["77"]);
    let mut watcher = script.watch("shop").await;
    let first = watcher.read().await.expect("readable");
    script.set("watch_counters", COUNTERS, &["95|50|5|1:0:900:99:2"]);
    script.set("watch_identity", "system_identifier", &["78"]);
    let second = watcher.read().await.expect("readable");
    assert_eq!((first.identity.name.as_str(), second.identity.name.as_str()), ("77", "78"));
    assert_eq!((second.identity.started_us, second.counters.sessions), (Some(50), Some(0)));
    assert!(second.counters.logins_total.is_some_and(|logins| logins >= 98));
}
