//! The observer's login: the same code, endpoints, user and TLS as the measured logins.

use std::net::SocketAddr;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{CloseMode, OutcomeKind, Secret, TlsMode};

use super::session::Session;
use crate::config::Config;
use crate::login::{LoginOptions, SqlServerConnector};

/// Program name of the observing session.
pub const OBSERVER_NAME: &str = "peaje observer";

/// The whole login of the observer, when the connection string sets no limit.
const LOGIN_LIMIT: Duration = Duration::from_secs(15);

/// How the observer logs in.
#[derive(Debug, Clone)]
pub struct ObserverOptions {
    /// TLS, over `Encrypt`: that of the first series.
    pub tls: TlsMode,
    /// Exact program name of the measured sessions.
    pub program_name: String,
    /// Addresses found dead before the load.
    pub skip: Vec<SocketAddr>,
    /// Access token, in place of user and password.
    pub access_token: Option<Secret>,
}

/// Logs in.
pub(super) async fn connect(config: &Config, options: &ObserverOptions) -> Result<Session, Failure> {
    let login = LoginOptions {
        tls: options.tls,
        skip: options.skip.clone(),
        access_token: options.access_token.clone(),
        ..LoginOptions::default()
    };
    log_in(config, OBSERVER_NAME, &options.program_name, login).await
}

/// Logs in as `own_name`, to ask for the sessions named `program_name`.
pub(super) async fn log_in(
    config: &Config,
    own_name: &str,
    program_name: &str,
    login: LoginOptions,
) -> Result<Session, Failure> {
    let login = LoginOptions { close: CloseMode::Polite, program_name: own_name.to_owned(), ..login };
    let connector = SqlServerConnector::new(config, login)
        .map_err(|error| Failure::new(OutcomeKind::Unsupported, error.to_string()))?;
    let limit = config.connect_timeout.map_or(LOGIN_LIMIT, |limit| limit.max(LOGIN_LIMIT));
    let session = tokio::time::timeout(limit, connector.log_in(0, &mut Trace::start())).await;
    let session = session.unwrap_or_else(|_| Err(Failure::timed_out(limit, None)))?;
    Ok(Session::new(connector, session, config.user.clone(), program_name.to_owned()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_observer_is_not_taken_for_one_of_the_measured_sessions() {
        assert_ne!(peaje_engine::program_name(None), super::OBSERVER_NAME);
    }
}
