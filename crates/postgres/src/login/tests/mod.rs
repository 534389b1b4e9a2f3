//! Logins against a scripted server in this process, which plays what real servers, poolers and strangers send.

mod hosts;
mod local;
mod methods;
mod negotiation;
mod phases;
mod queries;
mod server;
mod tls;
mod tls_files;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind, Phase};

use super::{LoginOptions, PostgresConnector, PostgresSession};
use crate::config::{Config, FileKind, Metadata, Surroundings};

/// Nothing outside the connection string, but the files it names.
struct Bare;

impl Surroundings for Bare {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }

    fn read_file(&self, path: &Path) -> io::Result<String> {
        std::fs::read_to_string(path)
    }

    fn metadata(&self, path: &Path) -> Option<Metadata> {
        path.exists().then_some(Metadata { kind: FileKind::Regular, mode: Some(0o600) })
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }

    fn user_name(&self) -> Option<String> {
        None
    }
}

fn config(text: &str) -> Config {
    Config::parse(text, &Bare).unwrap()
}

/// A connector for one port on 127.0.0.1, with further settings.
fn connector_with(port: u16, settings: &str, options: LoginOptions) -> PostgresConnector {
    let text = format!("host=127.0.0.1 port={port} user=alice dbname=shop {settings}");
    PostgresConnector::new(&config(&text), options).unwrap()
}

fn connector(port: u16, settings: &str) -> PostgresConnector {
    connector_with(port, settings, LoginOptions::default())
}

/// Logs in, and holds the clocks against each other: the phases add up to the wall time.
async fn log_in(connector: &PostgresConnector) -> (Result<PostgresSession, Failure>, Trace) {
    let before = Instant::now();
    let mut trace = Trace::start();
    let limit = Duration::from_secs(20);
    let result = tokio::time::timeout(limit, connector.log_in(0, &mut trace)).await.expect("the login hangs");
    trace.stop();
    let wall = before.elapsed();
    assert!(trace.total() <= wall, "phases {:?} are longer than the wall time {wall:?}", trace.total());
    // What lies between the two readings of the clock, on a busy machine.
    assert!(wall.saturating_sub(trace.total()) < Duration::from_millis(50), "phases {:?} of {wall:?}", trace.total());
    (result, trace)
}

async fn succeeds(connector: &PostgresConnector) -> (PostgresSession, Trace) {
    let (result, trace) = log_in(connector).await;
    (result.expect("the login succeeds"), trace)
}

async fn fails(connector: &PostgresConnector) -> Failure {
    let (result, _) = log_in(connector).await;
    let failure = result.expect_err("the login fails");
    assert!(!failure.message.contains("secret"), "a secret in {failure}");
    assert!(!failure.hint.as_deref().unwrap_or_default().contains("secret"), "a secret in {failure:?}");
    failure
}

/// Kind, code and phase of a failure.
fn gist(failure: &Failure) -> (OutcomeKind, Option<&str>, Option<Phase>) {
    (failure.kind, failure.code.as_deref(), failure.phase)
}
