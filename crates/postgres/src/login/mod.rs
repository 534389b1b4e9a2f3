//! One login, in phases: dial, ask for TLS, TLS handshake, authenticate, wait until the server is ready.
//!
//! A newcomer would expect a failed TLS or a rejected password to be tried again in another way, as libpq does here and
//! there. peaje repeats nothing that the server could count as a second failed login, and never leaves TLS out
//! quietly where it was asked for.

mod authenticate;
mod dialogue;
mod end_point;
mod endpoint;
mod exchange;
pub(crate) mod failures;
mod idle;
mod options;
mod prepared;
mod query;
mod ready;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::task::{Context, Poll};

use peaje_engine::{Connector, Failure, Trace, Wire};
use peaje_model::{CloseMode, Phase};

use crate::config::Config;

pub use options::{LoginOptions, SetupError};

use prepared::Prepared;

/// Logs in to the servers of one connection string. Clones share everything.
#[derive(Debug, Clone)]
pub struct PostgresConnector {
    prepared: Arc<Prepared>,
}

impl PostgresConnector {
    /// Prepares what every login needs: messages, TLS configuration with its files. Nothing is dialled.
    pub fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        Ok(Self { prepared: Arc::new(Prepared::new(config, options)?) })
    }
}

/// A session that is logged in.
#[derive(Debug)]
pub struct PostgresSession {
    wire: Wire,
    /// The server's process; `None` when it gave none (some poolers).
    process_id: Option<i32>,
}

impl PostgresSession {
    /// The server's process for this session (`pg_stat_activity.pid`); `None` when it gave none, as some poolers do.
    pub fn process_id(&self) -> Option<i32> {
        self.process_id
    }

    /// Whether the session is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.wire.is_encrypted()
    }
}

impl Connector for PostgresConnector {
    type Session = PostgresSession;

    async fn prepare(&self) {
        // With `--resolve once` this pins the addresses; else it does nothing.
        self.prepared.dial_plan(&mut Trace::start()).await;
    }

    async fn log_in(&self, attempt: u64, trace: &mut Trace) -> Result<PostgresSession, Failure> {
        endpoint::first_that_serves(&self.prepared, attempt, trace).await
    }

    async fn query(&self, session: &mut PostgresSession, trace: &mut Trace) -> Result<(), Failure> {
        if self.prepared.query.is_empty() {
            return Ok(());
        }
        session.wire.queue(&self.prepared.query, trace);
        query::read_answer(&mut session.wire, trace).await
    }

    fn settle(&self, session: &mut PostgresSession) {
        session.wire.settle();
    }

    fn poll_ended(&self, session: &mut PostgresSession, context: &mut Context<'_>) -> Poll<Failure> {
        idle::poll_ended(&mut session.wire, context)
    }

    async fn close(&self, session: PostgresSession, trace: &mut Trace) -> Result<(), Failure> {
        trace.enter(Phase::Close);
        let mut wire = session.wire;
        if self.prepared.close == CloseMode::Reset {
            return wire.close_by_reset().map_err(|e| Failure::from_io(&e, Some(Phase::Close)));
        }
        wire.queue(prepared::TERMINATE, trace);
        match self.prepared.close {
            CloseMode::Polite => wire.close_politely(trace).await,
            CloseMode::Quick | CloseMode::Reset => wire.close_quickly(trace).await,
        }
    }
}
