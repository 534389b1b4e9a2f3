//! What all logins of a connector share, made once: a login itself encodes and allocates as little as possible.

use std::sync::{Arc, OnceLock};

use peaje_engine::{ClientTls, DialPlan, Endpoint, PasswordOrigin, Resume, Trace};
use peaje_model::{CloseMode, Secret, TlsMode};

use super::plugins::Plugin;
use super::{AwaitInit, LoginOptions, SetupError, failures};
use crate::config::{Cleartext, Config, OldPassword, ProcessSurroundings, PublicKeyRetrieval, SslMode, Surroundings};
use crate::protocol::rsa::PublicKey;
use crate::protocol::scramble::Ed25519Key;
use crate::protocol::{capability, command, packet, request};

/// The goodbye: one byte.
pub(super) const QUIT: &[u8] = &[1, 0, 0, 0, command::QUIT];
/// The question whether the server is there.
pub(super) const PING: &[u8] = &[1, 0, 0, 0, command::PING];
/// Longest user, database or program name: servers accept less.
const LONGEST_NAME: usize = 512;
/// The name of the program where nobody gave another.
const PROGRAM: &str = "peaje";

/// Shared, and immutable but for the caches (addresses, version, derived key).
#[derive(Debug)]
pub(super) struct Prepared {
    dial: DialPlan,
    /// The plan with addresses, once they are known and to be kept.
    pinned: OnceLock<DialPlan>,
    /// What the client can do, without TLS.
    pub(super) capabilities: u32,
    pub(super) database: String,
    pub(super) attributes: Vec<u8>,
    /// Whole packets; empty = none.
    pub(super) query: Vec<u8>,
    /// Statements at the end of a login, as packets.
    pub(super) init: Vec<Vec<u8>>,
    pub(super) await_init: AwaitInit,
    pub(super) close: CloseMode,
    pub(super) ssl_mode: SslMode,
    /// `None` with `DISABLED` only.
    pub(super) tls: Option<ClientTls>,
    pub(super) credentials: Credentials,
    /// What each endpoint's certificate is checked against.
    server_names: Vec<String>,
    version: OnceLock<Arc<str>>,
}

/// Who logs in, and what is acceptable.
#[derive(Debug)]
pub(super) struct Credentials {
    pub(super) user: String,
    password: Option<Secret>,
    pub(super) password_origin: PasswordOrigin,
    ed25519: OnceLock<Ed25519Key>,
    pub(super) cleartext: Cleartext,
    pub(super) old_password: OldPassword,
    pub(super) public_key_retrieval: PublicKeyRetrieval,
    pub(super) server_key: Option<PublicKey>,
    /// The plugin to begin with, when the settings name one.
    pub(super) first_plugin: Option<Plugin>,
    /// Whether the user has the name of the operating-system user, as `unix_socket` wants it.
    pub(super) is_system_user: bool,
}

impl Credentials {
    fn new(config: &Config) -> Result<Self, SetupError> {
        let local = config.endpoints.iter().any(|endpoint| matches!(endpoint, Endpoint::Unix { .. }));
        Ok(Self {
            user: config.user.clone(),
            password: config.password.clone(),
            password_origin: config.password_origin.clone(),
            ed25519: OnceLock::new(),
            cleartext: config.cleartext,
            old_password: config.old_password,
            public_key_retrieval: config.public_key_retrieval,
            server_key: server_key(config)?,
            first_plugin: config.default_auth.as_deref().and_then(|name| Plugin::from_name(name.as_bytes())),
            is_system_user: local && ProcessSurroundings.user_name().is_some_and(|name| name == config.user),
        })
    }

    /// The password; empty when there is none.
    pub(super) fn password(&self) -> &[u8] {
        self.password.as_ref().map_or(b"", |p| p.expose().as_bytes())
    }

    /// Whether one was given, be it an empty one.
    pub(super) fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The key of ed25519, derived at its first use.
    pub(super) fn ed25519(&self) -> &Ed25519Key {
        self.ed25519.get_or_init(|| Ed25519Key::new(self.password()))
    }
}

impl Prepared {
    pub(super) fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        let ssl_mode = config.ssl_mode.under(options.tls);
        let resume = if options.tls == TlsMode::Resumed { Resume::WhenOffered } else { Resume::Never };
        let tls = if ssl_mode == SslMode::Disabled { None } else { Some(config.client_tls(ssl_mode, resume)?) };
        let database = config.database.clone().unwrap_or_default();
        check_name("the user name", &config.user)?;
        check_name("the database name", &database)?;
        let with_database = if database.is_empty() { 0 } else { capability::CONNECT_WITH_DB };
        Ok(Self {
            capabilities: capability::CLIENT | with_database,
            attributes: attributes(config, &options.program_name)?,
            query: query(&options.query),
            init: config.init_commands.iter().map(|sql| query(sql)).collect(),
            await_init: options.await_init,
            close: options.close,
            ssl_mode,
            tls,
            credentials: Credentials::new(config)?,
            dial: DialPlan {
                resolve: options.resolve,
                connect_timeout: config.connect_timeout,
                sources: options.sources,
                skip: options.skip,
                ..DialPlan::new(config.endpoints.clone())
            },
            pinned: OnceLock::new(),
            server_names: config.endpoints.iter().map(server_name).collect(),
            version: OnceLock::new(),
            database,
        })
    }

    pub(super) fn endpoint(&self, endpoint: usize) -> &Endpoint {
        &self.dial.endpoints[endpoint]
    }

    pub(super) fn endpoint_count(&self) -> usize {
        self.dial.endpoints.len()
    }

    #[cfg(test)]
    pub(super) fn has_pinned_addresses(&self) -> bool {
        self.pinned.get().is_some_and(|plan| plan.pinned.iter().all(|addresses| !addresses.is_empty()))
    }

    /// The host as certificates know it.
    pub(super) fn server_name(&self, endpoint: usize) -> &str {
        &self.server_names[endpoint]
    }

    /// The server's version, kept from the first login: it is the same in all of them.
    pub(super) fn version(&self, told: &[u8]) -> Arc<str> {
        let told = told.strip_prefix(REPLICATION_PREFIX).filter(|rest| !rest.is_empty()).unwrap_or(told);
        match self.version.get() {
            Some(known) if known.as_bytes() == told => known.clone(),
            _ => {
                let version: Arc<str> = failures::printable(&String::from_utf8_lossy(told)).into();
                self.version.get_or_init(|| version.clone());
                version
            }
        }
    }

    /// The plan to dial by.
    pub(super) async fn dial_plan(&self, trace: &mut Trace) -> &DialPlan {
        self.dial.resolved(&self.pinned, trace).await
    }
}

/// MariaDB 10 puts this before its version, for replicas that cannot read numbers of two digits.
const REPLICATION_PREFIX: &[u8] = b"5.5.5-";

/// A socket's server is checked as `localhost`, as MySQL's clients do it.
fn server_name(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Tcp { .. } => endpoint.host(),
        Endpoint::Unix { .. } => "localhost".to_owned(),
    }
}

fn check_name(what: &'static str, text: &str) -> Result<(), SetupError> {
    if text.contains('\0') {
        return Err(SetupError::ZeroByte(what));
    }
    if text.len() > LONGEST_NAME { Err(SetupError::TooLong { what, limit: LONGEST_NAME }) } else { Ok(()) }
}

/// The attributes that MySQL's own clients send (`performance_schema.session_connect_attrs`).
fn attributes(config: &Config, program_name: &str) -> Result<Vec<u8>, SetupError> {
    let program =
        if program_name.is_empty() { config.program_name.as_deref().unwrap_or(PROGRAM) } else { program_name };
    check_name("the program name", program)?;
    let mut out = Vec::with_capacity(128);
    for (name, value) in [
        ("_client_name", PROGRAM),
        ("_client_version", env!("CARGO_PKG_VERSION")),
        ("_os", std::env::consts::OS),
        ("_platform", std::env::consts::ARCH),
        ("_pid", &std::process::id().to_string()),
        ("program_name", program),
    ] {
        request::put_attribute(&mut out, name, value);
    }
    Ok(out)
}

/// A statement as a packet, or several when it is that long.
pub(super) fn query(sql: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if !sql.is_empty() {
        let mut payload = Vec::with_capacity(sql.len() + 1);
        payload.push(command::QUERY);
        payload.extend_from_slice(sql.as_bytes());
        packet::encode_long(&mut out, 0, &payload);
    }
    out
}

fn server_key(config: &Config) -> Result<Option<PublicKey>, SetupError> {
    let Some(path) = &config.server_public_key else { return Ok(None) };
    let bad = |reason: String| SetupError::PublicKey { path: path.clone(), reason };
    let pem = std::fs::read(path).map_err(|e| bad(e.to_string()))?;
    PublicKey::from_pem(&pem).map(Some).map_err(|e| bad(e.to_string()))
}
