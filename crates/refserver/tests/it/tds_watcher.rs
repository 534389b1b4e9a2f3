//! peaje's watching session sees this server as it sees a SQL Server, and its figures are the server's own.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use crate::in_models::in_every_model;
use crate::tds_common::{PASSWORD, USER, block_on, start, wait_for, with_tls};
use peaje_engine::{
    Apart, Connector, Failure, SessionState, Snapshot, Trace, WatchCounters, WatchOptions, WatchReading, Watcher,
};
use peaje_model::Secret;
use peaje_refserver::{RefServer, ServerOptions, ServerState, SqlServerOptions};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::counters::open_watcher;
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector, SqlServerSession};

fn config(server: &RefServer, more: &str) -> Config {
    let port = server.address().port();
    let text =
        format!("Server=tcp:127.0.0.1,{port};User ID={USER};Password={PASSWORD};TrustServerCertificate=yes;{more}");
    Config::parse(&text, &BareSurroundings).unwrap()
}

async fn try_watch(config: &Config, sessions: Snapshot, token: Option<&Secret>) -> Result<Box<dyn Watcher>, Failure> {
    let options = WatchOptions { program_name: "peaje watch".into(), sessions };
    open_watcher(config, &options, token).await
}

async fn watch(server: &RefServer, more: &str) -> Box<dyn Watcher> {
    try_watch(&config(server, more), Snapshot::Sessions, None).await.unwrap()
}

async fn log_in(config: &Config, program_name: &str) -> SqlServerSession {
    let options = LoginOptions { program_name: program_name.into(), ..LoginOptions::default() };
    SqlServerConnector::new(config, options).unwrap().log_in(0, &mut Trace::start()).await.unwrap()
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
    in_every_model(
        &ServerOptions { max_sessions: Some(30), ..with_tls() },
        counters_are_the_servers_own_without_the_watching_session_of,
    );
}

fn counters_are_the_servers_own_without_the_watching_session_of(server: &RefServer) {
    block_on(async {
        let mut watcher = watch(server, "Encrypt=yes").await;
        let before = watcher.read().await.unwrap();
        let expected = WatchCounters {
            since_us: before.identity.started_us,
            logins_total: Some(0),
            logouts_total: Some(0),
            resets_total: Some(0),
            requests_total: Some(0),
            sessions: Some(0),
            active: Some(0),
            ..WatchCounters::default()
        };
        assert_eq!(before.counters, expected);
        let age_us = before.server_clock_us - before.identity.started_us.unwrap();
        assert!((0..60_000_000).contains(&age_us), "{age_us}");
        assert_eq!(before.gaps.iter().map(|gap| gap.what.as_str()).collect::<Vec<_>>(), ["failed logins"]);
        let target = config(server, "Encrypt=yes");
        let mut open = log_in(&target, "shop").await;
        let gone = log_in(&target, "shop").await;
        open.query_named("select 1").await.unwrap();
        drop(gone);
        let after = when(&mut watcher, |reading| reading.counters.sessions == Some(1)).await.counters;
        assert_eq!((after.logins_total, after.logouts_total, after.requests_total), (Some(2), Some(1), Some(1)));
        assert_eq!(server.counters().logins, 3, "with its own");
        assert_eq!(watcher.limits().await.unwrap().in_use, 2);
        assert!(watcher.what_answered().await.unwrap().reference_server);
        watcher.close().await;
        wait_for(server, |c| c.sessions_now == 1);
    });
}

#[test]
fn sessions_are_those_that_are_open_with_what_their_clients_tell() {
    in_every_model(&with_tls(), sessions_are_those_that_are_open_with_what_their_clients_tell_of);
}

fn sessions_are_those_that_are_open_with_what_their_clients_tell_of(server: &RefServer) {
    block_on(async {
        let mut watcher = watch(server, "Encrypt=optional").await;
        let first = watcher.read().await.unwrap();
        assert_eq!(first.sessions.as_deref(), Some(&[][..]));
        let mut shop = log_in(&config(server, "Encrypt=yes;Database=sales;Workstation ID=WEB1"), "shop").await;
        let _peaje = log_in(&config(server, "Encrypt=optional"), "peaje CHG1").await;
        let seen = watcher.read().await.unwrap();
        let all: Vec<_> =
            seen.sessions.iter().flatten().map(|s| (s.application.as_str(), s.encrypted, s.apart)).collect();
        assert_eq!(all, [("shop", Some(true), None), ("peaje CHG1", Some(false), Some(Apart::Peaje))]);
        let session = seen.sessions.as_ref().unwrap()[0].clone();
        assert_eq!((session.user.as_str(), session.host.as_str(), session.database.as_str()), (USER, "WEB1", "sales"));
        assert_eq!(
            (session.process, session.authentication.as_deref()),
            (Some(std::process::id().into()), Some("SQL"))
        );
        assert_eq!((session.state, session.used), (SessionState::Idle, Some(false)), "it has had no request");
        let (from, to) = (first.server_clock_us - 1000, seen.server_clock_us);
        assert!((from..=to).contains(&session.opened_us), "{session:?}");

        shop.query_named("begin tran").await.unwrap();
        let begun = when(&mut watcher, |reading| {
            reading.sessions.iter().flatten().any(|session| session.state == SessionState::IdleInTransaction)
        })
        .await;
        let begun = begun.sessions.unwrap()[0].clone();
        assert_eq!((begun.id, begun.opened_us, begun.used), (session.id, session.opened_us, Some(true)));
        assert!(begun.since_us >= Some(begun.opened_us));
        let waits = tokio::spawn(async move { shop.query_named("waitfor delay '00:00:00.3'").await.map(drop) });
        let busy = when(&mut watcher, |reading| reading.counters.active == Some(1)).await;
        assert_eq!(busy.sessions.unwrap()[0].state, SessionState::Active);
        waits.await.unwrap().unwrap();
    });
}

#[test]
fn each_missing_right_is_named_and_the_clock_is_read_all_the_same() {
    let sql_server = SqlServerOptions { server_state: ServerState::Hidden, ..SqlServerOptions::default() };
    let server = start(ServerOptions { sql_server, ..with_tls() });
    block_on(async {
        let mut watcher = watch(&server, "Encrypt=optional").await;
        let reading = watcher.read().await.unwrap();
        assert_eq!((reading.counters, reading.sessions), (WatchCounters::default(), None));
        assert!(reading.server_clock_us > 1_700_000_000_000_000);
        let steps: Vec<_> = reading.gaps.iter().filter_map(|gap| gap.next_step.as_deref()).collect();
        assert_eq!(
            steps[..2],
            ["grant view server performance state to [sa]", "grant view server security state to [sa]"]
        );
        let gap = watcher.limits().await.unwrap_err();
        assert_eq!(gap.next_step.as_deref(), Some("grant view server performance state to [sa]"));
        assert!(!watcher.facts().await.1.is_empty());
    });
}

#[test]
fn an_access_token_takes_the_place_of_the_password_and_a_lost_session_is_an_error() {
    let server = start(with_tls());
    block_on(async {
        let text = format!("Server=tcp:127.0.0.1,{};TrustServerCertificate=yes;Encrypt=yes", server.address().port());
        let target = Config::parse(&text, &BareSurroundings).unwrap();
        let token = Secret::new(PASSWORD);
        let mut watcher = try_watch(&target, Snapshot::CountersOnly, Some(&token)).await.unwrap();
        let reading = watcher.read().await.unwrap();
        assert_eq!((reading.counters.sessions, reading.counters.active, reading.sessions), (Some(0), None, None));
        let wrong = Secret::new("nope");
        let failure = try_watch(&target, Snapshot::CountersOnly, Some(&wrong)).await.map(drop).unwrap_err();
        assert!(!format!("{failure:?}").contains("nope"));
        drop(server);
        watcher.read().await.map(drop).unwrap_err();
        watcher.read().await.map(drop).unwrap_err();
    });
}
