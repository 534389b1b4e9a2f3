//! What all logins of a connector share, made once: a login itself encodes and allocates as little as possible.

use std::sync::OnceLock;

use peaje_engine::{ClientTls, DialPlan, Endpoint, PasswordOrigin, Resume, Trace};
use peaje_model::{CloseMode, ScramCache, Secret, TlsMode};

use super::end_point::EndPoints;
use super::{LoginOptions, SetupError};
use crate::config::{ChannelBindingMode, Config, RequireAuth, SslMode, SslNegotiation, TargetSessionAttrs};
use crate::protocol::scram::KeyCache;
use crate::protocol::{MAX_STARTUP, frontend};

/// The goodbye: type `X`, length 4.
pub(super) const TERMINATE: &[u8] = b"X\0\0\0\x04";

/// The question for TLS: length 8 and the number that stands for it.
pub(super) const SSL_REQUEST: &[u8] = b"\0\0\0\x08\x04\xd2\x16\x2f";

/// Shared, and immutable but for the three caches (addresses, certificate hash, keys).
#[derive(Debug)]
pub(super) struct Prepared {
    dial: DialPlan,
    /// The plan with addresses, once they are known and to be kept.
    pinned: OnceLock<DialPlan>,
    pub(super) startup: Vec<u8>,
    pub(super) query: Vec<u8>,
    pub(super) close: CloseMode,
    pub(super) ssl_mode: SslMode,
    pub(super) ssl_negotiation: SslNegotiation,
    /// `--tls` asked for TLS, so that a Unix socket will not do.
    pub(super) tls_demanded: bool,
    /// `None` with `sslmode=disable` only.
    pub(super) tls: Option<ClientTls>,
    pub(super) end_points: EndPoints,
    pub(super) credentials: Credentials,
    pub(super) target: TargetSessionAttrs,
    /// What each endpoint's certificate is checked against.
    server_names: Vec<String>,
}

/// Who logs in, and what is acceptable.
#[derive(Debug)]
pub(super) struct Credentials {
    pub(super) user: String,
    /// For each endpoint.
    pub(super) passwords: Vec<Option<Secret>>,
    /// `None` = the password file.
    pub(super) password_origin: Option<PasswordOrigin>,
    pub(super) channel_binding: ChannelBindingMode,
    pub(super) require_auth: RequireAuth,
    /// `None` = derive at each login.
    pub(super) cache: Option<KeyCache>,
}

impl Prepared {
    pub(super) fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        let ssl_mode = config.ssl_mode.under(options.tls);
        let resume = if options.tls == TlsMode::Resumed { Resume::WhenOffered } else { Resume::Never };
        let tls = if ssl_mode == SslMode::Disable { None } else { Some(config.client_tls(ssl_mode, resume)?) };
        let startup = startup(config, &options.application_name)?;
        Ok(Self {
            startup,
            query: query(&options.query)?,
            close: options.close,
            ssl_mode,
            ssl_negotiation: config.ssl_negotiation,
            tls_demanded: matches!(options.tls, TlsMode::Full | TlsMode::Resumed),
            tls,
            end_points: EndPoints::default(),
            credentials: Credentials::new(config, options.scram_cache),
            target: config.target_session_attrs,
            dial: DialPlan {
                resolve: options.resolve,
                connect_timeout: config.connect_timeout,
                sources: options.sources,
                skip: options.skip,
                ..DialPlan::new(config.endpoints.clone())
            },
            pinned: OnceLock::new(),
            server_names: config.endpoints.iter().map(Endpoint::host).collect(),
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

    /// The plan to dial by.
    pub(super) async fn dial_plan(&self, trace: &mut Trace) -> &DialPlan {
        self.dial.resolved(&self.pinned, trace).await
    }
}

impl Credentials {
    fn new(config: &Config, cache: ScramCache) -> Self {
        Self {
            user: config.user.clone(),
            passwords: (0..config.endpoints.len()).map(|i| config.password_for(i).cloned()).collect(),
            password_origin: config.password.is_some().then(|| config.password_origin.clone()),
            channel_binding: config.channel_binding,
            require_auth: config.require_auth.clone(),
            cache: (cache == ScramCache::On).then(KeyCache::default),
        }
    }
}

fn startup(config: &Config, application_name: &str) -> Result<Vec<u8>, SetupError> {
    let application_name =
        if application_name.is_empty() { config.application_name.as_deref() } else { Some(application_name) };
    let optional = [("application_name", application_name), ("options", config.options.as_deref())];
    let mut parameters = vec![("user", config.user.as_str()), ("database", config.database.as_str())];
    parameters.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
    parameters.push(("client_encoding", "UTF8"));
    if let Some((name, _)) = parameters.iter().find(|(_, value)| value.contains('\0')) {
        return Err(SetupError::ZeroByte(match *name {
            "user" => "the user name",
            "database" => "the database name",
            "options" => "options",
            _ => "the program name",
        }));
    }
    let mut message = Vec::with_capacity(128);
    frontend::startup(&mut message, &parameters);
    if message.len() > MAX_STARTUP { Err(SetupError::StartupTooLong) } else { Ok(message) }
}

fn query(sql: &str) -> Result<Vec<u8>, SetupError> {
    let mut message = Vec::new();
    if sql.contains('\0') {
        return Err(SetupError::ZeroByte("the query"));
    }
    if !sql.is_empty() {
        frontend::query(&mut message, sql);
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_messages_are_what_the_encoders_write() {
        let (mut terminate, mut ssl) = (Vec::new(), Vec::new());
        frontend::terminate(&mut terminate);
        frontend::ssl_request(&mut ssl);
        assert_eq!((terminate.as_slice(), ssl.as_slice()), (TERMINATE, SSL_REQUEST));
    }
}
