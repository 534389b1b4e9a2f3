//! Logins against a scripted server in this process, which plays what real servers, proxies and strangers send.

mod hostile;
mod hosts;
mod local;
mod methods;
mod phases;
mod queries;
mod server;
mod tls;

use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind, Phase};

use super::{LoginOptions, MysqlConnector, MysqlSession};
use crate::config::{BareSurroundings, Config};

fn config(text: &str) -> Config {
    Config::parse(text, &BareSurroundings).unwrap()
}

/// A connector for one port on 127.0.0.1, with these credentials and a query string.
fn connector_with(port: u16, credentials: &str, query: &str, options: LoginOptions) -> MysqlConnector {
    MysqlConnector::new(&config(&format!("mysql://{credentials}@127.0.0.1:{port}/shop?{query}")), options).unwrap()
}

fn connector(port: u16, query: &str) -> MysqlConnector {
    connector_with(port, "alice:secret", query, LoginOptions::default())
}

/// Logs in, and holds the clocks against each other: the phases add up to the whole time, exactly.
async fn log_in(connector: &MysqlConnector) -> (Result<MysqlSession, Failure>, Trace) {
    let before = Instant::now();
    let mut trace = Trace::start();
    let limit = Duration::from_secs(20);
    let result = tokio::time::timeout(limit, connector.log_in(0, &mut trace)).await.expect("the login hangs");
    assert!(trace.current().is_some(), "the last phase stays open");
    let stopped = trace.stop();
    assert_eq!(trace.total(), stopped - trace.started(), "no time between the phases is lost");
    assert!(trace.total() <= before.elapsed());
    (result, trace)
}

async fn succeeds(connector: &MysqlConnector) -> (MysqlSession, Trace) {
    let (result, trace) = log_in(connector).await;
    (result.expect("the login succeeds"), trace)
}

async fn fails(connector: &MysqlConnector) -> Failure {
    let (result, _) = log_in(connector).await;
    let failure = result.expect_err("the login fails");
    assert!(!format!("{failure:?}").contains("secret"), "a secret in {failure:?}");
    failure
}

/// Kind, code and phase of a failure.
fn gist(failure: &Failure) -> (OutcomeKind, Option<&str>, Option<Phase>) {
    (failure.kind, failure.code.as_deref(), failure.phase)
}
