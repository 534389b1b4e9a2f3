//! peaje's own watcher sees this server as it sees a PostgreSQL.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{block_on, client_tls, config, connect, connect_tls, eventually, raw, raw_login, start};
use crate::in_models::in_every_model;
use peaje_engine::{Resume, SessionRow, SessionState, Snapshot, WatchOptions, WatchReading};
use peaje_postgres::config::{BareSurroundings, Config};
use peaje_postgres::counters::open_watcher;
use peaje_refserver::{KeyKind, RefServer, ServerOptions, TlsSetting};

fn target(server: &RefServer) -> Config {
    let url = format!("postgresql://ana@{}/shop?sslmode=disable", server.address());
    Config::parse(&url, &BareSurroundings).unwrap()
}

fn options(sessions: Snapshot) -> WatchOptions {
    WatchOptions { program_name: "peaje watch".to_owned(), sessions }
}

fn named<'a>(reading: &'a WatchReading, name: &str) -> &'a SessionRow {
    reading.sessions.as_deref().unwrap().iter().find(|row| row.application == name).unwrap()
}

#[test]
fn logins_logouts_and_sessions() {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    in_every_model(&ServerOptions { tls, ..ServerOptions::default() }, logins_logouts_and_sessions_of);
}

fn logins_logouts_and_sessions_of(server: &RefServer) {
    block_on(async {
        let mut watcher = open_watcher(&target(server), &options(Snapshot::Sessions)).await.unwrap();
        let before = watcher.read().await.unwrap();
        assert_eq!((before.counters.logins_total, before.counters.logouts_total), (Some(0), Some(0)));
        assert_eq!((before.counters.sessions, before.sessions.as_deref()), (Some(0), Some(&[][..])));

        let plain = connect(config(server).application_name("plain")).await.unwrap();
        let secret = connect_tls(config(server).application_name("secret"), &client_tls(server, Resume::Never)).await;
        let secret = secret.unwrap();
        secret.simple_query("begin").await.unwrap();
        let mut rude = raw(server);
        raw_login(&mut rude, &[("user", "ana"), ("application_name", "rude")]);
        let during = watcher.read().await.unwrap();
        let counters = during.counters;
        assert_eq!((counters.logins_total, counters.logouts_total, counters.sessions), (Some(3), Some(0), Some(3)));
        assert_eq!((counters.active, counters.abandoned_total), (Some(0), Some(0)));
        let row = named(&during, "plain");
        assert_eq!((row.used, row.encrypted, row.state), (Some(false), Some(false), SessionState::Idle));
        assert_eq!((row.user.as_str(), row.host.as_str()), ("ana", "127.0.0.1"));
        assert!((before.server_clock_us..=during.server_clock_us).contains(&row.opened_us));
        let row = named(&during, "secret");
        assert_eq!((row.used, row.encrypted), (Some(true), Some(true)));
        assert_eq!(row.state, SessionState::IdleInTransaction);

        secret.simple_query("rollback").await.unwrap();
        plain.simple_query("set application_name = 'renamed'").await.unwrap();
        assert_eq!(named(&watcher.read().await.unwrap(), "renamed").used, Some(true));
        drop((plain, rude));
        eventually(server, |c| c.sessions_now == 2).await;
        let after = watcher.read().await.unwrap();
        assert_eq!((after.counters.logins_total, after.counters.logouts_total), (Some(3), Some(2)));
        assert_eq!((after.counters.sessions, after.counters.abandoned_total), (Some(1), Some(1)));
        // A transaction and a statement: the watcher's own are not among them.
        assert_eq!(after.counters.requests_total.unwrap() - before.counters.requests_total.unwrap(), 2);
        assert_eq!(after.identity, before.identity);

        let mut counters = open_watcher(&target(server), &options(Snapshot::CountersOnly)).await.unwrap();
        let alone = counters.read().await.unwrap();
        assert_eq!((alone.sessions, alone.counters.sessions), (None, Some(2)));
        counters.close().await;
        assert!(watcher.what_answered().await.unwrap().reference_server);
        watcher.close().await;
    });
}

#[test]
fn another_server_is_another_one() {
    let (a, b) = (start(ServerOptions::default()), start(ServerOptions::default()));
    block_on(async {
        let mut identities = Vec::new();
        for server in [&a, &a, &b] {
            let mut watcher = open_watcher(&target(server), &options(Snapshot::Sessions)).await.unwrap();
            identities.push(watcher.read().await.unwrap().identity);
            watcher.close().await;
        }
        assert_eq!(identities[0], identities[1]);
        assert_ne!(identities[0].name, identities[2].name);
    });
}
