//! One login, in phases: dial, PRELOGIN, TLS handshake, LOGIN7, the rest of its answer.
//!
//! A newcomer would expect a failed login to be tried again in another way. peaje repeats nothing once credentials were
//! sent, and never leaves TLS out quietly where it was asked for.

mod authenticate;
mod browser;
mod dialogue;
mod failures;
mod idle;
mod messages;
mod negotiate;
mod options;
mod prepared;
mod redirect;
mod session;

use std::sync::Arc;
use std::task::{Context, Poll};

use peaje_engine::{Connector, Failure, Trace};

use crate::config::Config;

pub use browser::locate;
pub use options::{LoginOptions, SetupError};
pub use session::SqlServerSession;

use prepared::Prepared;

/// Logs in to the server of one connection string. Clones share everything.
#[derive(Debug, Clone)]
pub struct SqlServerConnector {
    prepared: Arc<Prepared>,
}

impl SqlServerConnector {
    /// Prepares what every login needs: messages, TLS configuration with its files. Nothing is dialled.
    pub fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        Ok(Self { prepared: Arc::new(Prepared::new(config, options)?) })
    }

    /// What a person should know of these logins: passwords in clear, TLS for the login message only.
    pub fn warnings(&self) -> &[String] {
        &self.prepared.warnings
    }
}

impl Connector for SqlServerConnector {
    type Session = SqlServerSession;

    async fn prepare(&self) {
        // With `--resolve once` this pins port and addresses; else a login does it.
        let _ = self.prepared.dial_plan(&mut Trace::start()).await;
    }

    async fn log_in(&self, attempt: u64, trace: &mut Trace) -> Result<SqlServerSession, Failure> {
        redirect::log_in(&self.prepared, attempt, trace).await
    }

    async fn query(&self, session: &mut SqlServerSession, trace: &mut Trace) -> Result<(), Failure> {
        if self.prepared.query.is_empty() {
            return Ok(());
        }
        session.run_unread(&self.prepared.query, trace).await
    }

    fn settle(&self, session: &mut SqlServerSession) {
        session.wire().settle();
    }

    fn poll_ended(&self, session: &mut SqlServerSession, context: &mut Context<'_>) -> Poll<Failure> {
        idle::poll_ended(session.wire(), context)
    }

    async fn close(&self, session: SqlServerSession, trace: &mut Trace) -> Result<(), Failure> {
        session.close(self.prepared.close, trace).await
    }
}
