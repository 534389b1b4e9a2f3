//! peaje's watching session sees this server as it sees a MySQL, and its figures are the server's own.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use crate::in_models::in_every_model;
use crate::mysql_support::{
    PASSWORD, USER, block_on, config, config_tls, connect, eventually, options, raw, root_file, start,
};
use mysql_async::prelude::Queryable;
use peaje_engine::{Apart, Connector, SessionState, Snapshot, Trace, WatchOptions, WatchReading, Watcher};
use peaje_model::{Secret, TlsMode};
use peaje_mysql::config::{BareSurroundings, Config};
use peaje_mysql::counters::open_watcher;
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_refserver::{Auth, KeyKind, RefServer, ServerOptions, TlsSetting};

fn with_limit(max_sessions: u32) -> ServerOptions {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let auth = Auth::MysqlNative { user: USER.into(), password: Secret::new(PASSWORD) };
    ServerOptions { tls, auth, max_sessions: Some(max_sessions), ..options() }
}

fn target(server: &RefServer, mode: &str) -> Config {
    let url = format!("mysql://{USER}:{PASSWORD}@{}/shop?ssl-mode={mode}", server.address());
    Config::parse(&url, &BareSurroundings).unwrap()
}

async fn watch(server: &RefServer, mode: &str) -> Box<dyn Watcher> {
    let options = WatchOptions { program_name: "peaje watch".into(), sessions: Snapshot::Sessions };
    open_watcher(&target(server, mode), &options).await.unwrap()
}

async fn when(watcher: &mut Box<dyn Watcher>, holds: impl Fn(&WatchReading) -> bool) -> WatchReading {
    let started = Instant::now();
    loop {
        let reading = watcher.read().await.unwrap();
        if holds(&reading) {
            return reading;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{reading:#?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[test]
fn counters_are_the_servers_own_without_the_watching_session() {
    in_every_model(&with_limit(5), counters_are_the_servers_own_without_the_watching_session_of);
}

fn counters_are_the_servers_own_without_the_watching_session_of(server: &RefServer) {
    let root = root_file(server);
    block_on(async {
        let mut watcher = watch(server, "REQUIRED").await;
        let before = watcher.read().await.unwrap();
        let first = before.counters;
        assert_eq!((first.logins_total, first.logouts_total, first.sessions), (Some(0), Some(0), Some(0)));
        assert_eq!((first.tls_logins_total, first.requests_total, first.failed_total), (Some(0), Some(0), Some(0)));
        assert_eq!((first.failed_credentials_total, first.probes_total), (None, None), "as on a MySQL");
        assert_eq!(before.gaps.iter().map(|gap| gap.what.as_str()).collect::<Vec<_>>(), ["port checks"]);

        let mut plain = connect(config(server)).await.unwrap();
        let secret = connect(config_tls(server, &root)).await.unwrap();
        connect(config(server).pass(Some("pen"))).await.map(drop).unwrap_err();
        let undecided = raw(server);
        eventually(server, |c| c.logging_in == 1).await;
        let during = when(&mut watcher, |reading| reading.counters.failed_total == Some(1)).await;
        assert_eq!((during.counters.logins_total, during.counters.sessions), (Some(2), Some(2)));
        assert_eq!((during.counters.tls_logins_total, during.counters.logouts_total), (Some(1), Some(0)));
        drop(undecided);
        eventually(server, |c| c.abandoned == 1).await;

        let held = (connect(config(server)).await.unwrap(), connect(config(server)).await.unwrap());
        connect(config(server)).await.map(drop).unwrap_err();
        plain.query_drop("do 1").await.unwrap();
        let full = watcher.read().await.unwrap().counters;
        assert_eq!((full.logins_total, full.sessions, full.failed_limit_total), (Some(4), Some(4), Some(1)));
        assert_eq!(watcher.limits().await.unwrap().in_use, 5);
        plain.disconnect().await.unwrap();
        drop((secret, held));
        let after = when(&mut watcher, |reading| reading.counters.sessions == Some(0)).await;
        assert_eq!((after.counters.logins_total, after.counters.logouts_total), (Some(4), Some(4)));
        assert_eq!(server.counters().logins, 5, "with its own");
        assert_eq!(after.identity, before.identity);
        assert!(watcher.what_answered().await.unwrap().reference_server);
        watcher.close().await;
        eventually(server, |c| c.sessions_now == 0).await;
    });
}

#[test]
fn sessions_are_those_that_are_open_with_what_their_clients_tell() {
    in_every_model(&with_limit(9), sessions_are_those_that_are_open_with_what_their_clients_tell_of);
}

fn sessions_are_those_that_are_open_with_what_their_clients_tell_of(server: &RefServer) {
    block_on(async {
        let mut watcher = watch(server, "DISABLED").await;
        let first = watcher.read().await.unwrap();
        assert_eq!(first.sessions.as_deref(), Some(&[][..]));
        let log_in = |tls, name: &str| {
            let options = LoginOptions { tls, program_name: name.into(), ..LoginOptions::default() };
            MysqlConnector::new(&target(server, "REQUIRED"), options).unwrap()
        };
        let shop = log_in(TlsMode::AsUrl, "shop").log_in(0, &mut Trace::start()).await.unwrap();
        let mut peaje = log_in(TlsMode::Off, "peaje CHG1").log_in(0, &mut Trace::start()).await.unwrap();
        let seen = watcher.read().await.unwrap();
        let sessions = seen.sessions.unwrap();
        let all: Vec<_> = sessions.iter().map(|s| (s.application.as_str(), s.encrypted, s.apart, s.used)).collect();
        assert_eq!(all, [("shop", Some(true), None, None), ("peaje CHG1", Some(false), Some(Apart::Peaje), None)]);
        for session in &sessions {
            assert_eq!(
                (session.user.as_str(), session.database.as_str(), session.host.as_str()),
                (USER, "shop", "127.0.0.1")
            );
            assert_eq!((session.state, session.process), (SessionState::Idle, Some(std::process::id().into())));
            assert!((first.server_clock_us..=seen.server_clock_us).contains(&session.opened_us), "{session:?}");
        }
        peaje.rows("begin", &mut Trace::start()).await.unwrap();
        let begun = when(&mut watcher, |reading| {
            reading.sessions.iter().flatten().any(|session| session.state == SessionState::IdleInTransaction)
        })
        .await;
        assert_eq!(begun.sessions.unwrap()[1].used, Some(true));
        let accounts = watcher.accounts().await.unwrap();
        let totals: Vec<_> = accounts.iter().map(|a| (a.user.as_str(), a.host.as_deref(), a.logins_total)).collect();
        assert_eq!(totals, [(USER, Some("127.0.0.1"), 2)]);
        drop((shop, peaje));
        // A session is gone a moment before it counts as abandoned.
        let after = when(&mut watcher, |reading| {
            (reading.counters.sessions, reading.counters.abandoned_total) == (Some(0), Some(2))
        })
        .await;
        assert_eq!(after.sessions.as_deref(), Some(&[][..]));
    });
}

#[test]
fn a_flush_is_another_origin() {
    let server = start(with_limit(9));
    block_on(async {
        let mut watcher = watch(&server, "DISABLED").await;
        connect(config(&server).pass(Some("pen"))).await.map(drop).unwrap_err();
        let before = when(&mut watcher, |reading| reading.counters.failed_total == Some(1)).await;
        let mut other = connect(config(&server)).await.unwrap();
        other.query_drop("flush status").await.unwrap();
        let after = watcher.read().await.unwrap();
        assert_eq!(after.identity.name, before.identity.name);
        assert_ne!(after.identity.origin, before.identity.origin);
        assert_eq!(after.counters.failed_total, Some(0));
    });
}
