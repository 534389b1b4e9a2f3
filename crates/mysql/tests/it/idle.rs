//! Held sessions that a real server ends. MariaDB gives no reason to an idle one, MySQL does: its words are in the tests of
//! the module itself.

use std::future::poll_fn;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::OutcomeKind;
use peaje_mysql::config::SslMode;
use peaje_mysql::login::{LoginOptions, MysqlConnector, MysqlSession};
use peaje_mysql::throwaway::ThrowawayAuth;

use crate::common::{Client, start};

async fn ended(connector: &MysqlConnector, session: &mut MysqlSession) -> Failure {
    let end = poll_fn(|context| connector.poll_ended(session, context));
    tokio::time::timeout(Duration::from_secs(30), end).await.expect("the end is not seen")
}

/// Closed, or reset: of a server that says nothing it depends on what was under way.
fn without_a_word(failure: &Failure) -> bool {
    failure.kind == OutcomeKind::Reset && matches!(failure.code.as_deref(), None | Some("ECONNRESET"))
}

#[tokio::test]
async fn the_end_is_seen_without_a_query() {
    let server = start(&[]);
    for ssl_mode in [SslMode::Disabled, SslMode::Required] {
        let options = LoginOptions { query: "set session wait_timeout = 1".to_owned(), ..LoginOptions::default() };
        let config = server.config(ThrowawayAuth::Native, ssl_mode);
        let held = MysqlConnector::new(&config, options).expect("the settings are sound");
        let mut session = held.log_in(0, &mut Trace::start()).await.expect("a login");
        held.settle(&mut session);
        Client::admin(&server).run(&format!("kill {}", session.connection_id())).expect("it may");
        let failure = ended(&held, &mut session).await;
        assert!(without_a_word(&failure), "{failure:?}");

        let mut session = held.log_in(0, &mut Trace::start()).await.expect("a login");
        held.query(&mut session, &mut Trace::start()).await.expect("it may");
        let failure = ended(&held, &mut session).await;
        assert!(without_a_word(&failure), "{failure:?}");
    }
}
