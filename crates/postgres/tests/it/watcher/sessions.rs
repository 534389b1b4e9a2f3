//! The sessions that are open, and what may not be seen of them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use peaje_engine::{Apart, SessionState, Snapshot};
use peaje_model::Secret;
use peaje_postgres::config::SslMode;
use peaje_postgres::counters::open_watcher;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster};

use super::support::{PATIENCE, named, options, read, rows, since, start, until, until_open, watch, watch_as_admin};
use crate::common::{Postgres, leave, on_each_version, run, stay, tell};

async fn sessions_are_told_as_they_are(pg: &Postgres) {
    let server = start(pg);
    let before_us = unix_us();
    let plain = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let secret = server.connection_string(ThrowawayAuth::Scram, SslMode::Require);
    let (fresh, mut idle) = (stay(&plain, "fresh"), stay(&secret, "idle"));
    let (mut within, mut busy) = (stay(&plain, "within"), stay(&plain, "busy"));
    let socket = stay(&Secret::new(server.socket_string(ThrowawayAuth::Scram).expose().to_owned()), "");
    tell(&mut idle, "select 1;");
    tell(&mut within, "begin; select 1;");
    tell(&mut busy, "select pg_sleep(60);");
    let mut watcher = watch_as_admin(&server).await;
    let reading = until(&mut watcher, |r| {
        rows(r).len() == 5
            && r.counters.active == Some(1)
            && named(r, "idle").used == Some(true)
            && named(r, "within").state == SessionState::IdleInTransaction
    })
    .await;
    assert_eq!(named(&reading, "fresh").used, Some(false));
    assert_eq!(named(&reading, "busy").state, SessionState::Active);
    let row = named(&reading, "idle");
    assert_eq!((row.state, row.encrypted), (SessionState::Idle, Some(true)));
    assert_eq!((row.user.as_str(), row.host.as_str(), row.database.as_str()), ("peaje_scram", "127.0.0.1", "peaje"));
    assert_eq!((row.process, row.apart), (None, None));
    assert!((before_us..=reading.server_clock_us).contains(&row.opened_us));
    assert!(row.since_us.is_some_and(|since| since >= row.opened_us));
    assert_eq!(named(&reading, "fresh").encrypted, Some(false));
    let over_the_socket = named(&reading, "");
    assert_eq!((over_the_socket.host.as_str(), over_the_socket.encrypted), ("", Some(false)));
    assert!(reading.gaps.iter().all(|gap| gap.what == "failed logins"), "{:?}", reading.gaps);

    // The counters alone say the same, and nobody's name.
    let config = server.config(ThrowawayAuth::Admin, SslMode::Disable);
    let mut counters = open_watcher(&config, &options(Snapshot::CountersOnly)).await.expect("it logs in");
    let alone = read(&mut counters).await;
    assert_eq!(alone.sessions, None);
    // The two watchers see each other.
    assert_eq!((alone.counters.sessions, alone.counters.active), (Some(6), Some(1)));
    let other = read(&mut watcher).await;
    assert_eq!(named(&other, "peaje watch").apart, Some(Apart::Peaje));
    let _ = busy.kill();
    for session in [fresh, idle, within, busy, socket] {
        leave(session);
    }
}

fn unix_us() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_micros()).expect("not that late")
}

async fn replication_is_counted_apart(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let hba = server.folder().join("data/pg_hba.conf");
    let line = "host replication peaje_admin 127.0.0.0/8 scram-sha-256\n";
    let lines = std::fs::read_to_string(&hba).expect("readable") + line;
    std::fs::write(&hba, lines).expect("writable");
    run(&admin, "psql", "select pg_reload_conf()").expect("reloaded");
    let mut watcher = watch_as_admin(&server).await;
    let before = until_open(&mut watcher, 0).await;
    // Not within the server's folder: what this test writes as root, the server's guard could not remove.
    let folder = tempfile::Builder::new().prefix("peaje-wal-").tempdir().expect("a folder of its own");
    let mut replica = replicate(&server, folder.path());
    let started = Instant::now();
    let seen = loop {
        let reading = read(&mut watcher).await;
        if !rows(&reading).is_empty() {
            break reading;
        }
        if replica.try_wait().expect("it is ours").is_some() {
            // A reload takes a moment to arrive.
            replica = replicate(&server, folder.path());
        }
        assert!(started.elapsed() < PATIENCE, "{reading:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(rows(&seen)[0].apart, Some(Apart::Replication));
    assert_eq!(seen.counters.sessions, Some(0));
    assert_eq!(since(&before, &seen), (0, 0, 0));
    replica.kill().expect("it runs");
    replica.wait().expect("it ends");
    let after = until(&mut watcher, |reading| rows(reading).is_empty()).await;
    assert_eq!(since(&before, &after), (0, 0, 0));
}

/// A client that takes the log of changes: `pg_receivewal`, or where this version's is not installed, a session that
/// logs in as it does. It writes to this folder.
fn replicate(server: &ThrowawayCluster, folder: &Path) -> Child {
    let receiver = server.bindir().join("pg_receivewal");
    let text = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let text = text.expose().replace("dbname=peaje", "replication=true");
    if !receiver.exists() {
        return stay(&Secret::new(text), "pg_receivewal");
    }
    let mut command = Command::new(receiver);
    command.arg("-D").arg(folder).args(["--no-loop", "-d", &text.replace("replication=true", "")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it is installed")
}

async fn what_is_hidden_is_a_gap_and_no_zero(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let poor = server.config(ThrowawayAuth::Scram, SslMode::Disable);
    let mut watcher = watch(&poor).await;
    // Alone, it sees all there is.
    until(&mut watcher, |reading| reading.sessions.as_deref() == Some(&[])).await;
    let stays = stay(&server.connection_string(ThrowawayAuth::Trust, SslMode::Disable), "pool");
    for sessions in [Snapshot::Sessions, Snapshot::CountersOnly] {
        let mut watcher = open_watcher(&poor, &options(sessions)).await.expect("it logs in");
        let hidden = until(&mut watcher, |r| r.gaps.iter().any(|gap| gap.what == "sessions of other roles")).await;
        let gap = hidden.gaps.iter().find(|gap| gap.what == "sessions of other roles").expect("seen above");
        assert_eq!(gap.next_step.as_deref(), Some("grant pg_read_all_stats to \"peaje_scram\""));
        assert_eq!((&hidden.sessions, hidden.counters.active, hidden.counters.logouts_total), (&None, None, None));
        // They can be counted, and the logins are public.
        assert!(hidden.counters.sessions.is_some_and(|open| open >= 1), "{hidden:?}");
        assert!(hidden.counters.logins_total.is_some_and(|logins| logins >= 1));
        watcher.close().await;
    }
    run(&admin, "psql", "grant pg_read_all_stats to peaje_scram").expect("granted");
    let seen = until(&mut watcher, |r| r.sessions.as_ref().is_some_and(|rows| rows.len() == 1)).await;
    assert_eq!(named(&seen, "pool").user, "peaje_trust");
    assert!(seen.counters.logouts_total.is_some());
    leave(stays);
}

on_each_version! {
    ; async sessions_are_told_as_they_are, replication_is_counted_apart, what_is_hidden_is_a_gap_and_no_zero
}
