//! Logins against a scripted server in this process, which plays what real servers, gateways and strangers send.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certificates;
mod close;
mod encryption;
mod errors;
mod hostile;
mod phases;
mod queries;
mod redirects;
mod server;
mod tokens;

use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind, Phase};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector, SqlServerSession};

fn config(port: u16, settings: &str) -> Config {
    let text = format!("Server=tcp:127.0.0.1,{port};User ID=alice;Password=secret;Database=shop;{settings}");
    Config::parse(&text, &BareSurroundings).unwrap()
}

/// A connector for one port on 127.0.0.1, with further settings.
fn connector_with(port: u16, settings: &str, options: LoginOptions) -> SqlServerConnector {
    SqlServerConnector::new(&config(port, settings), options).unwrap()
}

fn connector(port: u16, settings: &str) -> SqlServerConnector {
    connector_with(port, settings, LoginOptions::default())
}

/// Logs in, and holds the clocks against each other: the phases add up to the whole time, exactly.
async fn log_in(connector: &SqlServerConnector) -> (Result<SqlServerSession, Failure>, Trace) {
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

async fn succeeds(connector: &SqlServerConnector) -> (SqlServerSession, Trace) {
    let (result, trace) = log_in(connector).await;
    (result.expect("the login succeeds"), trace)
}

async fn fails(connector: &SqlServerConnector) -> Failure {
    let (result, _) = log_in(connector).await;
    let failure = result.expect_err("the login fails");
    assert!(!format!("{failure:?}").contains("secret"), "a secret in {failure:?}");
    failure
}

/// Kind, code and phase of a failure.
fn gist(failure: &Failure) -> (OutcomeKind, Option<&str>, Option<Phase>) {
    (failure.kind, failure.code.as_deref(), failure.phase)
}

/// Round trips of negotiate, tls, authenticate, session.
fn round_trips(trace: &Trace) -> [u32; 4] {
    [Phase::Negotiate, Phase::Tls, Phase::Authenticate, Phase::Session].map(|phase| trace.round_trips()[phase])
}
