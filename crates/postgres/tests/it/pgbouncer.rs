//! The observer behind PgBouncer: it says so, and leaves nothing on the sessions that others will get.
//!
//! PgBouncer has to be installed (package `pgbouncer`); without it this test fails and says so.

use std::time::{Duration, Instant};

use crate::common::{Bouncer, run};
use peaje_engine::Observer;
use peaje_model::Segment;
use peaje_postgres::config::SslMode;
use peaje_postgres::counters::{ObserverOptions, PgObserver};
use peaje_postgres::throwaway::{ThrowawayCluster, ThrowawayOptions};

async fn observe(bouncer: &Bouncer, database: &str) -> PgObserver {
    let options = ObserverOptions {
        ssl_mode: SslMode::Disable,
        application_name: "peaje".to_owned(),
        endpoint: None,
        skip: Vec::new(),
    };
    let started = Instant::now();
    loop {
        match PgObserver::connect(&bouncer.config(database), &options).await {
            Ok(observer) => return observer,
            Err(failure) => assert!(started.elapsed() < Duration::from_secs(20), "{failure}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_pooler_is_noticed_and_its_sessions_are_left_as_they_were() {
    let server = ThrowawayCluster::start(&ThrowawayOptions::default()).expect("PostgreSQL is installed");
    let bouncer = Bouncer::start(&server);
    let mut observer = observe(&bouncer, "peaje").await;
    let seen = observer.what_answered().await.expect("it answers");
    assert_eq!(seen.product, "PostgreSQL");
    assert_eq!(seen.segment, Segment::SomethingBetween);
    observer.counters().await.expect("readable through a pooler");
    observer.sample().await.expect("readable through a pooler");

    // The pool has one session, which the next client gets.
    let show = "select current_setting('statement_timeout'), current_setting('default_transaction_read_only')";
    let next = run(&bouncer.connection_string("peaje"), "psql", show);
    assert_eq!(next.as_deref(), Ok("0|off"));
}

#[tokio::test]
async fn the_console_is_named_and_has_no_counters() {
    let server = ThrowawayCluster::start(&ThrowawayOptions::default()).expect("PostgreSQL is installed");
    let bouncer = Bouncer::start(&server);
    let mut observer = observe(&bouncer, "pgbouncer").await;
    let seen = observer.what_answered().await.expect("it answers");
    assert_eq!(seen.product, "PgBouncer");
    assert!(seen.version.is_some_and(|v| v.starts_with("1.")));
    let gap = observer.counters().await.expect_err("it has none");
    assert!(gap.why.contains("console"), "{gap:?}");
}
