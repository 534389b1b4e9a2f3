//! The watcher on the console of a real PgBouncer.
//!
//! PgBouncer has to be installed (package `pgbouncer`), and psql; without one of them tests fail and say so.

use std::time::{Duration, Instant};

use crate::common::{Bouncer, leave, run, stay, tell};
use peaje_engine::{SessionState, Snapshot, WatchOptions, WatchReading, Watcher};
use peaje_model::{Fact, FactValue, Secret, Segment};
use peaje_postgres::counters::open_watcher;
use peaje_postgres::throwaway::{ThrowawayCluster, ThrowawayOptions};

const PATIENCE: Duration = Duration::from_secs(30);

fn server() -> ThrowawayCluster {
    ThrowawayCluster::start(&ThrowawayOptions::default()).expect("PostgreSQL is installed")
}

async fn watch(bouncer: &Bouncer, sessions: Snapshot) -> Box<dyn Watcher> {
    let options = WatchOptions { program_name: "peaje watch".to_owned(), sessions };
    let started = Instant::now();
    loop {
        match open_watcher(&bouncer.config("pgbouncer"), &options).await {
            Ok(watcher) => return watcher,
            Err(failure) => assert!(started.elapsed() < PATIENCE, "{failure}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn until(watcher: &mut Box<dyn Watcher>, wanted: impl Fn(&WatchReading) -> bool) -> WatchReading {
    let started = Instant::now();
    loop {
        let reading = watcher.read().await.expect("the session holds");
        if wanted(&reading) {
            return reading;
        }
        assert!(started.elapsed() < PATIENCE, "{reading:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn until_open(watcher: &mut Box<dyn Watcher>, sessions: u64) -> WatchReading {
    until(watcher, |reading| reading.counters.sessions == Some(sessions)).await
}

fn state(reading: &WatchReading, application: &str) -> Option<SessionState> {
    let rows = reading.sessions.as_deref().unwrap_or_default();
    rows.iter().find(|row| row.application == application).map(|row| row.state)
}

fn number(facts: &[Fact], name: &str) -> f64 {
    match facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value) {
        Some(FactValue::Number(n)) => *n,
        other => panic!("{name}: {other:?}"),
    }
}

fn unix_us() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_micros()).expect("not that late")
}

#[tokio::test]
async fn clients_come_wait_work_and_go() {
    let server = server();
    let bouncer = Bouncer::start(&server);
    let mut watcher = watch(&bouncer, Snapshot::Sessions).await;
    let seen = watcher.what_answered().await.expect("it answers");
    assert_eq!((seen.product.as_str(), seen.segment), ("PgBouncer", Segment::PoolerConsole));
    let start = watcher.read().await.expect("the session holds");
    assert_eq!((start.counters.sessions, start.sessions.as_deref()), (Some(0), Some(&[][..])));

    let url = bouncer.connection_string("peaje");
    let (idle, mut busy) = (stay(&url, "idle"), stay(&url, "busy"));
    tell(&mut busy, "begin; select 1;");
    until(&mut watcher, |r| state(r, "busy") == Some(SessionState::Active)).await;
    let mut waits = stay(&url, "waits");
    tell(&mut waits, "select 1;");
    let queue = until(&mut watcher, |r| r.counters.waiting == Some(1) && state(r, "idle").is_some()).await;
    assert_eq!((queue.counters.sessions, queue.counters.active), (Some(3), Some(2)));
    assert_eq!((queue.counters.logins_total, queue.counters.logouts_total), (Some(3), Some(0)));
    assert_eq!(state(&queue, "waits"), Some(SessionState::Active));
    assert_eq!(state(&queue, "idle"), Some(SessionState::Idle));
    let row = queue.sessions.as_deref().and_then(|rows| rows.iter().find(|row| row.application == "idle"));
    let row = row.expect("it is logged in");
    assert_eq!((row.user.as_str(), row.host.as_str(), row.database.as_str()), ("peaje_trust", "127.0.0.1", "peaje"));
    assert_eq!((row.process, row.used, row.encrypted), (None, None, Some(false)));
    // Others in the console are no clients of a server.
    run(&bouncer.connection_string("pgbouncer"), "exporter", "show pools;").expect("the console answers");

    let (facts, gaps) = watcher.facts().await;
    assert_eq!(gaps, []);
    assert_eq!((number(&facts, "clients_waiting"), number(&facts, "server_sessions_lent")), (1.0, 1.0));
    assert_eq!((number(&facts, "default_pool_size"), number(&facts, "pool_size of peaje")), (1.0, 1.0));
    assert!(number(&facts, "longest_wait") < 30.0 && number(&facts, "server_session_age_highest") < 30.0);

    tell(&mut busy, "commit;");
    let served = until(&mut watcher, |r| r.counters.waiting == Some(0) && r.counters.active == Some(0)).await;
    assert_eq!(served.counters.requests_total.zip(start.counters.requests_total).map(|(a, b)| a - b), Some(2));
    for session in [idle, busy, waits] {
        leave(session);
    }
    let end = until_open(&mut watcher, 0).await;
    assert_eq!((end.counters.logins_total, end.counters.logouts_total), (Some(3), Some(3)));
    assert_eq!(end.identity, start.identity);
    assert!(end.gaps.iter().any(|gap| gap.what.starts_with("logins of clients that leave between")), "{:?}", end.gaps);
    watcher.close().await;
}

#[tokio::test]
async fn times_are_told_apart_from_their_zone() {
    let server = server();
    let bouncer = Bouncer::with(&server, "pool_mode = transaction\n", "Asia/Kolkata");
    let mut watcher = watch(&bouncer, Snapshot::Sessions).await;
    let before = unix_us();
    let session = stay(&bouncer.connection_string("peaje"), "psql");
    let reading = until_open(&mut watcher, 1).await;
    let row = &reading.sessions.as_deref().expect("seen")[0];
    let second = 1_000_000;
    assert!((before - second..unix_us() + second).contains(&row.opened_us), "{row:?} {before}");
    assert!((reading.server_clock_us - unix_us()).abs() < second);
    // The same client is the same row, and the clock runs at our pace.
    let later = until(&mut watcher, |r| r.server_clock_us - reading.server_clock_us > 2 * second).await;
    assert!((later.server_clock_us - unix_us()).abs() < second);
    let again = &later.sessions.as_deref().expect("seen")[0];
    assert_eq!((again.id, again.opened_us), (row.id, row.opened_us));
    leave(session);
}

#[tokio::test]
async fn where_sessions_are_lent_as_a_whole_nobody_knows_who_works() {
    let server = server();
    let bouncer = Bouncer::with(&server, "pool_mode = session\nmax_client_conn = 40\n", "UTC");
    let mut watcher = watch(&bouncer, Snapshot::CountersOnly).await;
    let (mut session, over_the_socket) =
        (stay(&bouncer.connection_string("peaje"), "psql"), stay(&bouncer.socket_string("peaje"), "local"));
    tell(&mut session, "select 1;");
    let reading = until(&mut watcher, |r| r.counters.sessions == Some(2) && r.counters.active.is_none()).await;
    assert_eq!(reading.sessions, None);
    assert!(reading.gaps.iter().any(|gap| gap.what == "clients at work"), "{:?}", reading.gaps);
    let limits = watcher.limits().await.expect("readable");
    // The two clients and whoever asks.
    assert_eq!((limits.limit, limits.in_use, limits.reserved), (40, 3, 0));
    // Over a socket the client's process is known.
    let mut whole = watch(&bouncer, Snapshot::Sessions).await;
    let reading = until_open(&mut whole, 2).await;
    let row = reading.sessions.as_deref().and_then(|rows| rows.iter().find(|row| row.application == "local"));
    let row = row.expect("it is logged in");
    assert_eq!((row.process, row.host.as_str()), (Some(u64::from(over_the_socket.id())), ""));
    for session in [session, over_the_socket] {
        leave(session);
    }
}

#[tokio::test]
async fn encrypted_clients_are_told() {
    let server = server();
    let folder = server.folder().display();
    let settings = format!(
        "pool_mode = transaction\nclient_tls_sslmode = allow\nclient_tls_cert_file = {folder}/server.crt\n\
         client_tls_key_file = {folder}/server.key\n"
    );
    let bouncer = Bouncer::with(&server, &settings, "UTC");
    let mut watcher = watch(&bouncer, Snapshot::Sessions).await;
    let url = bouncer.connection_string("peaje");
    let secret = Secret::new(url.expose().replace("sslmode=disable", "sslmode=require"));
    let sessions = [stay(&secret, "secret"), stay(&url, "plain")];
    let reading = until_open(&mut watcher, 2).await;
    let rows = reading.sessions.as_deref().expect("seen");
    let encrypted = |name: &str| rows.iter().find(|row| row.application == name).and_then(|row| row.encrypted);
    assert_eq!((encrypted("secret"), encrypted("plain")), (Some(true), Some(false)));
    for session in sessions {
        leave(session);
    }
}

#[tokio::test]
async fn another_pgbouncer_is_another_origin() {
    let server = server();
    let bouncer = Bouncer::start(&server);
    let mut watcher = watch(&bouncer, Snapshot::Sessions).await;
    let before = watcher.read().await.expect("the session holds");
    drop(bouncer);
    watcher.read().await.expect_err("it is gone");
    let again = Bouncer::start(&server);
    let after = watch(&again, Snapshot::Sessions).await.read().await.expect("the session holds");
    assert_ne!(after.identity, before.identity);
    // A database behind it is a server, whose sessions are the pool's.
    let options = WatchOptions { program_name: "peaje watch".to_owned(), sessions: Snapshot::Sessions };
    let mut through = open_watcher(&again.config("peaje"), &options).await.expect("the pool lets it in");
    assert_eq!(through.what_answered().await.expect("it answers").product, "PostgreSQL");
    assert!(through.read().await.expect("readable").counters.logins_total.is_some());
}
