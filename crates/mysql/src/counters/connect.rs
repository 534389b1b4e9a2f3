//! The observer's login: the measured login itself, under another program name. Drivers were looked at: the best of
//! them asks the server for its RSA key without being allowed to, checks certificates by other rules, and does not know
//! `sha256_password`; an observer that logs in otherwise than what it observes is no use where it matters.

use std::net::SocketAddr;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Socket, SourceAddresses, Trace};
use peaje_model::{CloseMode, OutcomeKind, ResolveMode, TlsMode};

use super::identify::OurEnd;
use super::session::Session;
use crate::config::{Config, SslMode};
use crate::login::{LoginOptions, MysqlConnector, MysqlSession};

/// Program name of the observing session.
pub const OBSERVER_NAME: &str = "peaje observer";

/// The whole login of the observer, when the connection string sets no limit.
const LOGIN_LIMIT: Duration = Duration::from_secs(15);

/// How the observer logs in.
#[derive(Debug, Clone)]
pub struct ObserverOptions {
    /// TLS: the connection string's `ssl-mode`, or what replaces it.
    pub ssl_mode: SslMode,
    /// Exact program name of the measured sessions.
    pub program_name: String,
    /// The only endpoint to use: where the first login ended. `None` = each in turn.
    pub endpoint: Option<usize>,
    /// Addresses found dead before the load.
    pub skip: Vec<SocketAddr>,
}

/// Logs in to the first endpoint that lets it.
pub(super) async fn connect(config: &Config, options: &ObserverOptions) -> Result<Session, Failure> {
    let mut config = config.clone();
    config.ssl_mode = options.ssl_mode;
    if let Some(only) = options.endpoint {
        let endpoint = config.endpoints.get(only).cloned();
        let missing = || Failure::new(OutcomeKind::NotResolved, "there is no such host in the connection string");
        config.endpoints = vec![endpoint.ok_or_else(missing)?];
    }
    log_in(config, OBSERVER_NAME, &options.program_name, options.skip.clone()).await
}

/// Logs in as `own_name`, to ask for the sessions named `program_name`.
pub(super) async fn log_in(
    mut config: Config,
    own_name: &str,
    program_name: &str,
    skip: Vec<SocketAddr>,
) -> Result<Session, Failure> {
    // What a login runs for the application is not the observer's to run.
    config.init_commands.clear();
    let login = LoginOptions {
        tls: TlsMode::AsUrl,
        close: CloseMode::Polite,
        resolve: ResolveMode::Each,
        sources: SourceAddresses::new(1),
        skip,
        program_name: own_name.to_owned(),
        ..LoginOptions::default()
    };
    let connector =
        MysqlConnector::new(&config, login).map_err(|error| Failure::new(OutcomeKind::TlsFailed, error.to_string()))?;
    let limit = config.connect_timeout.map_or(LOGIN_LIMIT, |limit| limit.max(LOGIN_LIMIT));
    let mut trace = Trace::start();
    let session = tokio::time::timeout(limit, connector.log_in(0, &mut trace)).await;
    let session = session.unwrap_or_else(|_| Err(Failure::timed_out(limit, trace.current())))?;
    Ok(Session::new(connector, session, config.user, program_name.to_owned()))
}

/// This side of a session's connection.
pub(super) fn our_end(session: &MysqlSession) -> OurEnd {
    let address = match session.socket() {
        Socket::Tcp(stream) => stream.local_addr().ok(),
        Socket::Unix(_) => None,
    };
    OurEnd { address, session_id: session.connection_id() }
}
