//! One login, in phases: dial, wait for the greeting, TLS, authenticate, and what follows until the server waits for a
//! query.
//!
//! A newcomer would count the wait for the greeting as a part of the connect. The kernel of the server answers a
//! connect; the greeting is the server's own, and comes late when it looks up the client's name first. It is the phase
//! `negotiate`.

mod authenticate;
mod dialogue;
mod endpoint;
mod exchange;
mod failures;
mod greeting;
mod idle;
mod options;
mod plugins;
mod prepared;
mod query;
mod rows;
mod session;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::task::{Context, Poll};

use peaje_engine::{Connector, Failure, Socket, Trace, Wire};
use peaje_model::{CloseMode, Phase};

use crate::config::Config;

pub use options::{AwaitInit, LoginOptions, SetupError};
pub use rows::Rows;

use prepared::Prepared;

/// Logs in to the servers of one connection string. Clones share everything.
#[derive(Debug, Clone)]
pub struct MysqlConnector {
    prepared: Arc<Prepared>,
}

impl MysqlConnector {
    /// Prepares what every login needs: messages, TLS configuration with its files. Nothing is dialled.
    pub fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        Ok(Self { prepared: Arc::new(Prepared::new(config, options)?) })
    }
}

/// A session that is logged in.
#[derive(Debug)]
pub struct MysqlSession {
    wire: Wire,
    capabilities: u32,
    connection_id: u32,
    server_version: Arc<str>,
}

impl MysqlSession {
    /// The server's number for this session (`SHOW PROCESSLIST`).
    pub fn connection_id(&self) -> u32 {
        self.connection_id
    }

    /// What the server calls itself (`10.11.14-MariaDB`), without the `5.5.5-` that MariaDB puts before it.
    pub fn server_version(&self) -> &str {
        &self.server_version
    }

    /// Whether the session is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.wire.is_encrypted()
    }

    /// The socket, for this side's address.
    pub fn socket(&self) -> &Socket {
        self.wire.socket()
    }

    /// Runs a statement and keeps its first result. After [`peaje_model::OutcomeKind::Rejected`] the session goes on.
    pub async fn rows(&mut self, sql: &str, trace: &mut Trace) -> Result<Rows, Failure> {
        self.wire.queue(&prepared::query(sql), trace);
        rows::read_rows(&mut self.wire, self.capabilities, trace).await
    }
}

impl Connector for MysqlConnector {
    type Session = MysqlSession;

    async fn prepare(&self) {
        // With `--resolve once` this pins the addresses; else it does nothing.
        self.prepared.dial_plan(&mut Trace::start()).await;
    }

    async fn log_in(&self, attempt: u64, trace: &mut Trace) -> Result<MysqlSession, Failure> {
        endpoint::first_that_serves(&self.prepared, attempt, trace).await
    }

    async fn query(&self, session: &mut MysqlSession, trace: &mut Trace) -> Result<(), Failure> {
        if self.prepared.query.is_empty() {
            return Ok(());
        }
        session.wire.queue(&self.prepared.query, trace);
        query::read_answer(&mut session.wire, session.capabilities, trace).await
    }

    fn settle(&self, session: &mut MysqlSession) {
        session.wire.settle();
    }

    fn poll_ended(&self, session: &mut MysqlSession, context: &mut Context<'_>) -> Poll<Failure> {
        idle::poll_ended(&mut session.wire, context)
    }

    async fn close(&self, session: MysqlSession, trace: &mut Trace) -> Result<(), Failure> {
        trace.enter(Phase::Close);
        let mut wire = session.wire;
        if self.prepared.close == CloseMode::Reset {
            return wire.close_by_reset().map_err(|e| Failure::from_io(&e, Some(Phase::Close)));
        }
        wire.queue(prepared::QUIT, trace);
        match self.prepared.close {
            CloseMode::Polite => wire.close_politely(trace).await,
            CloseMode::Quick | CloseMode::Reset => wire.close_quickly(trace).await,
        }
    }
}
