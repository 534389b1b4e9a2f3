//! A server that is read without a load: opened once, with the password asked for when only that is missing, and again
//! whenever its session is lost.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use peaje_engine::{Failure, OpenWatcher, Snapshot, WatchOptions, Watcher, program_name};
use peaje_model::{Secret, Target};

use crate::ask;
use crate::login::{self, Site};
use crate::printer::Printer;

/// A server is being opened.
pub(crate) type Opening<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Subject>> + 'a>>;

/// How a server is opened.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// Word added to the program name that the server sees.
    pub(crate) tag: Option<String>,
    /// A directory's token, in place of a password.
    pub(crate) access_token: Option<Secret>,
    /// Whether each reading lists the sessions.
    pub(crate) snapshot: Snapshot,
    /// Where a password is asked for.
    pub(crate) printer: Printer,
}

/// A server, ready to be read.
pub(crate) struct Subject {
    /// The server as it was asked for.
    pub(crate) target: Target,
    /// `host:port`, the name that figures stand under.
    pub(crate) label: String,
    /// The connection string's warnings.
    pub(crate) warnings: Vec<String>,
    /// Logs in; the first call gives what the first login gave: the session that is open already, or its failure.
    pub(crate) open: OpenWatcher,
    /// Why the first login failed, if it did.
    pub(crate) failure: Option<Failure>,
}

/// Opens a site. A login that fails is no error: another server may be watched meanwhile, and this one come back.
pub(crate) async fn open<S: Site>(mut site: S, words: &Words) -> anyhow::Result<Subject> {
    let options = WatchOptions { program_name: program_name(words.tag.as_deref()), sessions: words.snapshot };
    let mut log_in = site.watcher(options.clone(), words.access_token.clone());
    let mut first = log_in().await;
    if let Err(failure) = &first
        && site.lacks_password(failure)
        && words.printer.can_ask()
    {
        let user = site.user().unwrap_or_default();
        site.give_password(ask::password(format!("Password for {user} at {}: ", label(&site))).await?);
        log_in = site.watcher(options, words.access_token.clone());
        first = log_in().await;
    }
    let timeout = site.login_timeout().unwrap_or(login::DEFAULT_LOGIN_TIMEOUT);
    let failure = first.as_ref().err().cloned();
    Ok(Subject {
        target: login::target(&site, is_local(&site), (Vec::new(), None), timeout),
        label: label(&site),
        warnings: site.warnings(),
        open: with_first(first, log_in),
        failure,
    })
}

fn label<S: Site>(site: &S) -> String {
    let Some(endpoint) = site.endpoints().first() else { return S::ENGINE.to_owned() };
    match endpoint.port() {
        Some(port) => format!("{}:{port}", endpoint.host()),
        None => endpoint.host(),
    }
}

/// A socket's server runs here; of others it is only known once their address is.
fn is_local<S: Site>(site: &S) -> bool {
    site.endpoints().first().is_some_and(|endpoint| {
        let host = endpoint.host();
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        endpoint.port().is_none() || host == "localhost" || ip.is_ok_and(|ip| peaje_host::this_host().is_local(ip))
    })
}

/// Gives the first login's outcome first, a failed one too: a rejected password is not sent again. Then it logs in.
fn with_first(first: Result<Box<dyn Watcher>, Failure>, log_in: OpenWatcher) -> OpenWatcher {
    let first = Mutex::new(Some(first));
    Arc::new(move || match first.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(first) => Box::pin(async { first }),
        None => log_in(),
    })
}
