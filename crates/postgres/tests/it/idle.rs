//! Held sessions that a real server ends: the reason is the server's.

use std::future::poll_fn;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::OutcomeKind;
use peaje_postgres::config::SslMode;
use peaje_postgres::login::{LoginOptions, PostgresConnector, PostgresSession};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};

use crate::common::{Postgres, on_each_version};

fn connector(config: &peaje_postgres::config::Config, query: &str) -> PostgresConnector {
    let options = LoginOptions { query: query.to_owned(), ..LoginOptions::default() };
    PostgresConnector::new(config, options).expect("the settings are sound")
}

async fn ended(connector: &PostgresConnector, session: &mut PostgresSession) -> Failure {
    let end = poll_fn(|context| connector.poll_ended(session, context));
    tokio::time::timeout(Duration::from_secs(30), end).await.expect("the end is not seen")
}

async fn the_reason_of_the_end_is_the_servers(pg: &Postgres) {
    let cluster = pg.start(&ThrowawayOptions::default());
    let admin = cluster.config(ThrowawayAuth::Admin, SslMode::Disable);
    for ssl_mode in [SslMode::Disable, SslMode::Require] {
        let held = connector(&cluster.config(ThrowawayAuth::Scram, ssl_mode), "select 1");
        let mut session = held.log_in(0, &mut Trace::start()).await.expect("a login");
        held.settle(&mut session);
        let pid = session.process_id().expect("the server's process");
        let terminator = connector(&admin, &format!("select pg_terminate_backend({pid})"));
        let mut other = terminator.log_in(0, &mut Trace::start()).await.expect("a login");
        terminator.query(&mut other, &mut Trace::start()).await.expect("it may");
        let failure = ended(&held, &mut session).await;
        assert_eq!((failure.code.as_deref(), failure.kind), (Some("57P01"), OutcomeKind::Reset), "{failure:?}");
        assert!(failure.message.contains("terminating connection"), "{failure:?}");
        terminator.close(other, &mut Trace::start()).await.expect("a goodbye");
    }
    let held = connector(&cluster.config(ThrowawayAuth::Scram, SslMode::Disable), "set idle_session_timeout = 50");
    let mut session = held.log_in(0, &mut Trace::start()).await.expect("a login");
    held.query(&mut session, &mut Trace::start()).await.expect("it may");
    let failure = ended(&held, &mut session).await;
    assert_eq!(failure.code.as_deref(), Some("57P05"), "{failure:?}");
    cluster.stop().expect("it stops");
}

on_each_version!(; async the_reason_of_the_end_is_the_servers);
