//! A server, a watcher, and readings of it.

use std::time::{Duration, Instant};

use peaje_engine::{SessionRow, Snapshot, WatchOptions, WatchReading, Watcher};
use peaje_postgres::config::{Config, SslMode};
use peaje_postgres::counters::open_watcher;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};

use crate::common::Postgres;

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A server that does nothing on its own.
pub(crate) fn start(pg: &Postgres) -> ThrowawayCluster {
    let settings = vec![("autovacuum".to_owned(), "off".to_owned())];
    pg.start(&ThrowawayOptions { max_connections: 230, settings, ..ThrowawayOptions::default() })
}

pub(crate) fn options(sessions: Snapshot) -> WatchOptions {
    WatchOptions { program_name: "peaje watch".to_owned(), sessions }
}

pub(crate) async fn watch(config: &Config) -> Box<dyn Watcher> {
    open_watcher(config, &options(Snapshot::Sessions)).await.expect("the watcher logs in")
}

pub(crate) async fn watch_as_admin(server: &ThrowawayCluster) -> Box<dyn Watcher> {
    watch(&server.config(ThrowawayAuth::Admin, SslMode::Disable)).await
}

pub(crate) async fn read(watcher: &mut Box<dyn Watcher>) -> WatchReading {
    watcher.read().await.expect("the session holds")
}

/// Reads until it is so.
pub(crate) async fn until(watcher: &mut Box<dyn Watcher>, wanted: impl Fn(&WatchReading) -> bool) -> WatchReading {
    let started = Instant::now();
    loop {
        let reading = read(watcher).await;
        if wanted(&reading) {
            return reading;
        }
        assert!(started.elapsed() < PATIENCE, "{reading:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn until_open(watcher: &mut Box<dyn Watcher>, sessions: u64) -> WatchReading {
    until(watcher, |reading| reading.counters.sessions == Some(sessions)).await
}

/// Logins, logouts, and ends without a goodbye since.
pub(crate) fn since(before: &WatchReading, after: &WatchReading) -> (u64, u64, u64) {
    assert_eq!(before.identity, after.identity);
    let difference = |of: fn(&WatchReading) -> Option<u64>| {
        let (now, then) = (of(after).expect("counted"), of(before).expect("counted"));
        now.checked_sub(then).expect("a total never falls")
    };
    (
        difference(|r| r.counters.logins_total),
        difference(|r| r.counters.logouts_total),
        difference(|r| r.counters.abandoned_total),
    )
}

pub(crate) fn rows(reading: &WatchReading) -> &[SessionRow] {
    reading.sessions.as_deref().expect("the administrator sees them all")
}

pub(crate) fn named<'a>(reading: &'a WatchReading, application: &str) -> &'a SessionRow {
    rows(reading).iter().find(|row| row.application == application).expect("it is logged in")
}
