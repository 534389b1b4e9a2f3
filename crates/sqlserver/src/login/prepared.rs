//! What all logins of a connector share, made once: a login itself encodes and allocates as little as possible.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use peaje_engine::{ClientTls, DialPlan, Endpoint, Failure, PasswordOrigin, Resume, Trace};
use peaje_model::{CloseMode, Phase, ResolveMode, Secret, TlsMode};

use super::messages::{self, frame_login};
use super::{LoginOptions, SetupError, browser};
use crate::config::{Config, Encrypt};
use crate::protocol::login7::{Feature, Login7};
use crate::protocol::prelogin::{Encryption, Prelogin};

/// Where a connection's number stands in its identity; what stands before it is random.
const NUMBER_AT: usize = 8;

/// Shared, and immutable but for the addresses that are kept.
#[derive(Debug)]
pub(super) struct Prepared {
    dial: DialPlan,
    instance: Option<String>,
    /// The plan with port and addresses, once they are known and to be kept.
    pinned: OnceLock<DialPlan>,
    /// The same for the server that logins are sent on to.
    redirected: OnceLock<DialPlan>,
    prelogin: Vec<u8>,
    /// Where the connection's identity stands in it.
    trace_id_at: usize,
    connections: AtomicU64,
    login: Login7,
    /// The login message for the first server, when no token is in it.
    login_message: Masked,
    access_token: Option<Secret>,
    /// `None` = a token takes the password's place.
    pub(super) password_origin: Option<PasswordOrigin>,
    /// Nothing is known that could be sent: an empty password would be a failed login.
    pub(super) lacks_password: bool,
    pub(super) query: Vec<u8>,
    pub(super) close: CloseMode,
    pub(super) encrypt: Encrypt,
    /// `None` with [`Encrypt::Off`] only.
    pub(super) tls: Option<ClientTls>,
    certificate_name: Option<String>,
    pub(super) warnings: Vec<String>,
}

/// Bytes that hold a password.
struct Masked(Vec<u8>);

impl std::fmt::Debug for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Prepared {
    pub(super) fn new(config: &Config, options: LoginOptions) -> Result<Self, SetupError> {
        let encrypt = config.encrypt.under(options.tls);
        check_token(config, &options, encrypt)?;
        let resume = if options.tls == TlsMode::Resumed { Resume::WhenOffered } else { Resume::Never };
        let tls = if encrypt == Encrypt::Off { None } else { Some(config.client_tls(encrypt, resume)?) };
        let login = messages::login(config, &options, encrypt)?;
        let mut login_message = Vec::new();
        if options.access_token.is_none() {
            frame_login(&login, &mut login_message);
        }
        let (prelogin, trace_id_at) =
            messages::prelogin(encrypt, config.instance.as_deref(), options.access_token.is_some());
        Ok(Self {
            prelogin,
            trace_id_at,
            connections: AtomicU64::new(0),
            login,
            login_message: Masked(login_message),
            query: messages::query(&options.query),
            close: options.close,
            encrypt,
            tls,
            certificate_name: config.host_name_in_certificate.clone(),
            warnings: warnings(encrypt),
            lacks_password: config.password.is_none() && options.access_token.is_none(),
            password_origin: options.access_token.is_none().then(|| config.password_origin.clone()),
            access_token: options.access_token,
            instance: config.instance.clone(),
            dial: DialPlan {
                resolve: options.resolve,
                order: config.dialling(),
                sources: options.sources,
                skip: options.skip,
                ..DialPlan::new(config.endpoints.clone())
            },
            pinned: OnceLock::new(),
            redirected: OnceLock::new(),
        })
    }

    /// The plan to dial by. When names are resolved once, the first login does it (and asks the SQL Browser), in its
    /// phase `resolve`; what fails then is tried again by each login.
    pub(super) async fn dial_plan(&self, trace: &mut Trace) -> Result<Cow<'_, DialPlan>, Failure> {
        if let Some(plan) = self.pinned.get() {
            return Ok(Cow::Borrowed(plan));
        }
        if self.instance.is_none() && self.dial.resolve == ResolveMode::Each {
            return Ok(Cow::Borrowed(&self.dial));
        }
        trace.enter(Phase::Resolve);
        let mut plan = self.dial.clone();
        if let Some(instance) = &self.instance {
            for endpoint in &mut plan.endpoints {
                *endpoint = browser::located(endpoint, instance, trace).await?;
            }
        }
        Ok(pin(plan, &self.pinned).await)
    }

    /// The plan to dial the server that the login was sent on to.
    pub(super) async fn redirected_plan(&self, endpoint: Endpoint, trace: &mut Trace) -> Cow<'_, DialPlan> {
        if let Some(plan) = self.redirected.get().filter(|plan| plan.endpoints.first() == Some(&endpoint)) {
            return Cow::Borrowed(plan);
        }
        trace.enter(Phase::Resolve);
        let plan = DialPlan { endpoints: vec![endpoint], pinned: Vec::new(), ..self.dial.clone() };
        pin(plan, &self.redirected).await
    }

    /// What a certificate has to show for this host.
    pub(super) fn certificate_name<'a>(&'a self, host: &'a str) -> &'a str {
        self.certificate_name.as_deref().unwrap_or(host)
    }

    /// Appends PRELOGIN with an identity of its own for the connection.
    pub(super) fn write_prelogin(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.prelogin);
        let at = start + self.trace_id_at;
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        out[at + NUMBER_AT..at + 16].copy_from_slice(&number.to_be_bytes());
    }

    /// Appends LOGIN7. `server` = the name of another server than the first one.
    pub(super) fn write_login(&self, server: Option<&str>, answered: &Prelogin, out: &mut Vec<u8>) {
        if server.is_none() && !self.login_message.0.is_empty() {
            out.extend_from_slice(&self.login_message.0);
            return;
        }
        let mut login = self.login.clone();
        if let Some(server) = server {
            server.clone_into(&mut login.server);
        }
        if let Some(token) = &self.access_token {
            let echo = answered.fed_auth_required == Some(true);
            login.features.insert(0, Feature::AccessToken { echo, token: token.clone(), nonce: answered.nonce });
        }
        frame_login(&login, out);
    }

    /// How the run file calls the authentication.
    pub(super) fn method(&self) -> &'static str {
        if self.access_token.is_some() { "access-token" } else { "sql-login" }
    }

    /// What is said of encryption in PRELOGIN.
    pub(super) fn encryption(&self) -> Encryption {
        messages::encryption(self.encrypt)
    }
}

/// Keeps the addresses if they are to be kept.
async fn pin(plan: DialPlan, kept: &OnceLock<DialPlan>) -> Cow<'_, DialPlan> {
    if plan.resolve == ResolveMode::Each {
        return Cow::Owned(plan);
    }
    let plan = plan.with_addresses().await;
    Cow::Borrowed(kept.get_or_init(|| plan))
}

fn check_token(config: &Config, options: &LoginOptions, encrypt: Encrypt) -> Result<(), SetupError> {
    match &options.access_token {
        Some(_) if encrypt < Encrypt::On => Err(SetupError::TokenInClear),
        None if config.user.is_empty() => Err(SetupError::NoUser),
        _ => Ok(()),
    }
}

fn warnings(encrypt: Encrypt) -> Vec<String> {
    match encrypt {
        Encrypt::Off => vec!["without TLS the password travels in a form that anybody on the way can read".to_owned()],
        Encrypt::LoginOnly => vec![
            "Encrypt=optional: TLS protects the login message only and its certificate is not checked; the handshake is \
             paid at each login all the same"
                .to_owned(),
        ],
        Encrypt::On | Encrypt::Strict => Vec::new(),
    }
}
