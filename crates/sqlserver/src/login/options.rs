//! What a login takes from the command line, over what the connection string says.

use std::net::SocketAddr;

use peaje_engine::SourceAddresses;
use peaje_model::{CloseMode, ResolveMode, Secret, TlsMode};

use crate::config::TlsFileError;
use crate::protocol::login7::LONGEST_FIELD;

/// How to log in, apart from the connection string.
#[derive(Debug, Clone)]
pub struct LoginOptions {
    /// TLS of the series, over `Encrypt`.
    pub tls: TlsMode,
    /// The query of [`peaje_engine::Connector::query`]; empty = none.
    pub query: String,
    /// How sessions are closed.
    pub close: CloseMode,
    /// When names are resolved, and the SQL Browser is asked; `Once` keeps the addresses of the first login.
    pub resolve: ResolveMode,
    /// Source addresses on loopback.
    pub sources: SourceAddresses,
    /// Addresses not to dial.
    pub skip: Vec<SocketAddr>,
    /// Program name the server sees; empty = that of the connection string, else `peaje`.
    pub program_name: String,
    /// Access token, in place of user and password: these are not sent then.
    pub access_token: Option<Secret>,
}

impl Default for LoginOptions {
    fn default() -> Self {
        Self {
            tls: TlsMode::AsUrl,
            query: String::new(),
            close: CloseMode::Polite,
            resolve: ResolveMode::Each,
            sources: SourceAddresses::new(1),
            skip: Vec::new(),
            program_name: String::new(),
            access_token: None,
        }
    }
}

/// Why no login can be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// TLS: a file, or the trust store.
    #[error(transparent)]
    Tls(#[from] TlsFileError),
    /// The protocol has no room for it.
    #[error("{0} is longer than the {LONGEST_FIELD} characters that a login may hold")]
    TooLong(&'static str),
    /// Nobody says who logs in.
    #[error("no user: name one with User ID=NAME or SQLCMDUSER, or give an access token with --access-token-file")]
    NoUser,
    /// A token in clear could be used by whoever sees it.
    #[error("an access token is sent over TLS only: leave --tls off and Encrypt=optional out")]
    TokenInClear,
}
