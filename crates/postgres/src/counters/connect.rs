//! The observer's login, through the driver: same endpoints, same user, same TLS as the measured logins.

use std::net::SocketAddr;
use std::time::Duration;

use peaje_engine::{ClientTls, Endpoint, Failure, Resume, resolve};
use peaje_model::{OutcomeKind, Phase};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::{ChannelBinding, SslMode as DriverSslMode, SslNegotiation as DriverNegotiation};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::failure::failure;
use super::session::Session;
use crate::config::{ChannelBindingMode, Config, SslMode, SslNegotiation};

/// Program name of the observing session.
pub const OBSERVER_NAME: &str = "peaje observer";

/// The whole login of the observer, when the connection string sets no limit.
const LOGIN_LIMIT: Duration = Duration::from_secs(15);

/// How the observer logs in.
#[derive(Debug, Clone)]
pub struct ObserverOptions {
    /// TLS: the connection string's `sslmode`, or what replaces it.
    pub ssl_mode: SslMode,
    /// Exact program name of the measured sessions.
    pub application_name: String,
    /// The only endpoint to use: where the first login ended. `None` = each in turn.
    pub endpoint: Option<usize>,
    /// Addresses found dead before the load.
    pub skip: Vec<SocketAddr>,
}

/// The client's own end of the connection: what the server should see if nothing stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocalEnd {
    Tcp(SocketAddr),
    Unix,
}

/// Logs in to the first endpoint that lets it, under the program name `own_name`.
pub(super) async fn connect(
    config: &Config,
    options: &ObserverOptions,
    own_name: &str,
) -> Result<(Session, LocalEnd), Failure> {
    let limit = config.connect_timeout.map_or(LOGIN_LIMIT, |limit| limit.max(LOGIN_LIMIT));
    tokio::time::timeout(limit, connect_in_turn(config, options, own_name))
        .await
        .unwrap_or_else(|_| Err(Failure::timed_out(limit, None)))
}

async fn connect_in_turn(
    config: &Config,
    options: &ObserverOptions,
    own_name: &str,
) -> Result<(Session, LocalEnd), Failure> {
    let mut last = Failure::new(OutcomeKind::NotResolved, "there is no host to log in to");
    for index in 0..config.endpoints.len() {
        if options.endpoint.is_some_and(|only| only != index) {
            continue;
        }
        match connect_to(Login { config, options, own_name, index }).await {
            Ok(connected) => return Ok(connected),
            // A server that says no will say no again: one rejected login, not one for each host.
            Err(failure) if failure.kind == OutcomeKind::Rejected => return Err(failure),
            Err(failure) => last = failure,
        }
    }
    Err(last)
}

async fn connect_to(login: Login<'_>) -> Result<(Session, LocalEnd), Failure> {
    let Login { config, options, index, .. } = login;
    let endpoint = &config.endpoints[index];
    if let Endpoint::Unix { path } = endpoint {
        let stream = UnixStream::connect(path).await.map_err(|e| Failure::from_unix(&e, path))?;
        // Sockets are not encrypted, whatever sslmode says: libpq's rule.
        return Ok((login.run(stream, DriverSslMode::Disable, "").await?, LocalEnd::Unix));
    }
    let mut last = Failure::new(OutcomeKind::NotResolved, "the name has no address").phase(Some(Phase::Resolve));
    for address in resolve(endpoint).await?.into_iter().filter(|a| !options.skip.contains(a)) {
        match login.over_tcp(address, &endpoint.host()).await {
            Ok(connected) => return Ok(connected),
            Err(failure) if failure.kind == OutcomeKind::Rejected => return Err(failure),
            Err(failure) => last = failure,
        }
    }
    Err(last)
}

#[derive(Clone, Copy)]
struct Login<'a> {
    config: &'a Config,
    options: &'a ObserverOptions,
    own_name: &'a str,
    index: usize,
}

impl Login<'_> {
    async fn over_tcp(&self, address: SocketAddr, host: &str) -> Result<(Session, LocalEnd), Failure> {
        let mut last = None;
        for mode in driver_modes(self.options.ssl_mode) {
            let stream = dial(address, self.config.connect_timeout).await?;
            let local = stream.local_addr().map_err(|e| Failure::from_io(&e, Some(Phase::Connect)))?;
            match self.run(stream, *mode, host).await {
                Ok(session) => return Ok((session, LocalEnd::Tcp(local))),
                Err(failure) => last = Some(failure),
            }
        }
        Err(last.unwrap_or_else(|| Failure::new(OutcomeKind::Protocol, "no TLS mode to try")))
    }

    async fn run<S>(&self, stream: S, mode: DriverSslMode, host: &str) -> Result<Session, Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let settings = self.driver_settings(mode);
        let role = self.config.user.clone();
        let name = self.options.application_name.clone();
        if mode == DriverSslMode::Disable {
            let connected = settings.connect_raw(stream, tokio_postgres::NoTls).await;
            let (client, connection) = connected.map_err(|e| failure(&e))?;
            return Ok(Session::new(client, tokio::spawn(until_it_ends(connection)), role, name));
        }
        let tls = self.tls()?;
        let Ok(connector) = MakeTlsConnect::<S>::make_tls_connect(
            &mut MakeRustlsConnect::new((**tls.config()).clone()),
            host.trim_start_matches('[').trim_end_matches(']'),
        );
        let (client, connection) = settings.connect_raw(stream, connector).await.map_err(|e| failure(&e))?;
        Ok(Session::new(client, tokio::spawn(until_it_ends(connection)), role, name))
    }

    fn tls(&self) -> Result<ClientTls, Failure> {
        self.config
            .client_tls(self.options.ssl_mode, Resume::Never)
            .map_err(|e| Failure::new(OutcomeKind::TlsFailed, e.to_string()).phase(Some(Phase::Tls)))
    }

    fn driver_settings(&self, mode: DriverSslMode) -> tokio_postgres::Config {
        let mut settings = tokio_postgres::Config::new();
        settings
            .user(&self.config.user)
            .dbname(&self.config.database)
            .application_name(self.own_name)
            .ssl_mode(mode)
            .ssl_negotiation(match self.config.ssl_negotiation {
                SslNegotiation::Postgres => DriverNegotiation::Postgres,
                SslNegotiation::Direct => DriverNegotiation::Direct,
            })
            .channel_binding(match self.config.channel_binding {
                ChannelBindingMode::Disable => ChannelBinding::Disable,
                ChannelBindingMode::Prefer => ChannelBinding::Prefer,
                ChannelBindingMode::Require => ChannelBinding::Require,
            });
        if let Some(password) = self.config.password_for(self.index) {
            settings.password(password.expose());
        }
        if let Some(options) = &self.config.options {
            settings.options(options);
        }
        settings
    }
}

async fn until_it_ends(connection: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    // How it ended is seen by the next statement.
    let _ = connection.await;
}

async fn dial(address: SocketAddr, limit: Option<Duration>) -> Result<TcpStream, Failure> {
    let connected = match limit {
        None => TcpStream::connect(address).await,
        Some(limit) => tokio::time::timeout(limit, TcpStream::connect(address))
            .await
            .unwrap_or_else(|_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut))),
    };
    let stream = connected.map_err(|e| Failure::from_io(&e, Some(Phase::Connect)))?;
    stream.set_nodelay(true).map_err(|e| Failure::from_io(&e, Some(Phase::Connect)))?;
    Ok(stream)
}

/// The driver's modes to try, in order. It does not know `allow`, and verification is in the TLS configuration.
fn driver_modes(mode: SslMode) -> &'static [DriverSslMode] {
    match mode {
        SslMode::Disable => &[DriverSslMode::Disable],
        SslMode::Allow => &[DriverSslMode::Disable, DriverSslMode::Require],
        SslMode::Prefer => &[DriverSslMode::Prefer],
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[DriverSslMode::Require],
    }
}
