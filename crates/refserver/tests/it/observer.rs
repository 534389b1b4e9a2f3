//! peaje's own observer sees this server as it sees a PostgreSQL.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{block_on, client_tls, config, connect, connect_tls, eventually};
use crate::in_models::in_every_model;
use peaje_engine::{Observer, Resume};
use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::counters::{ObserverOptions, PgObserver};
use peaje_refserver::{KeyKind, RefServer, ServerOptions, TlsSetting};

#[test]
fn logins_sessions_limits_and_facts() {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    in_every_model(
        &ServerOptions { tls, max_sessions: Some(30), ..ServerOptions::default() },
        logins_sessions_limits_and_facts_of,
    );
}

fn logins_sessions_limits_and_facts_of(server: &RefServer) {
    block_on(async {
        let url = format!("postgresql://ana@{}/shop?sslmode=disable", server.address());
        let target = Config::parse(&url, &BareSurroundings).unwrap();
        let options = ObserverOptions {
            ssl_mode: SslMode::Disable,
            application_name: "test".to_owned(),
            endpoint: None,
            skip: Vec::new(),
        };
        let mut observer = PgObserver::connect(&target, &options).await.unwrap();
        let before = observer.counters().await.unwrap();
        assert_eq!((before.logins_total, before.own_sessions), (Some(1), 0));

        let plain = connect(&config(server)).await.unwrap();
        let _secret = connect_tls(&config(server), &client_tls(server, Resume::Never)).await.unwrap();
        let other = connect(config(server).application_name("somebody else")).await.unwrap();
        let during = observer.counters().await.unwrap();
        assert_eq!((during.logins_total, during.own_sessions), (Some(4), 2));
        assert_eq!(during.origin, before.origin);
        let sample = observer.sample().await.unwrap();
        assert_eq!((sample.sessions, sample.encrypted), (2, 1));
        let limits = observer.limits().await.unwrap();
        assert_eq!((limits.limit, limits.in_use, limits.reserved), (30, 4, 0));

        other.simple_query("set application_name = 'test'").await.unwrap();
        assert_eq!(observer.sample().await.unwrap().sessions, 3);
        drop(plain);
        eventually(server, |c| c.sessions_now == 3).await;
        assert_eq!(observer.sample().await.unwrap().sessions, 2);

        let answered = observer.what_answered().await.unwrap();
        assert!(format!("{answered:?}").contains("reference server"), "{answered:?}");
        let (facts, gaps) = observer.facts().await;
        assert!(facts.iter().any(|f| f.name == "max_connections"), "{facts:?}");
        assert!(gaps.is_empty(), "{gaps:?}");
    });
}
