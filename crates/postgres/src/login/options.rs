//! What a login takes from the command line, over what the connection string says.

use std::net::SocketAddr;

use peaje_engine::SourceAddresses;
use peaje_model::{CloseMode, ResolveMode, ScramCache, TlsMode};

use crate::config::TlsFileError;

/// How to log in, apart from the connection string.
#[derive(Debug, Clone)]
pub struct LoginOptions {
    /// TLS of the series, over `sslmode`.
    pub tls: TlsMode,
    /// The query of [`peaje_engine::Connector::query`]; empty = none.
    pub query: String,
    /// How sessions are closed.
    pub close: CloseMode,
    /// Whether derived keys are kept between logins.
    pub scram_cache: ScramCache,
    /// When names are resolved; `Once` keeps the addresses of the first login.
    pub resolve: ResolveMode,
    /// Source addresses on loopback.
    pub sources: SourceAddresses,
    /// Addresses not to dial.
    pub skip: Vec<SocketAddr>,
    /// Program name the server sees; empty = that of the connection string.
    pub application_name: String,
}

impl Default for LoginOptions {
    fn default() -> Self {
        Self {
            tls: TlsMode::AsUrl,
            query: String::new(),
            close: CloseMode::Polite,
            scram_cache: ScramCache::Off,
            resolve: ResolveMode::Each,
            sources: SourceAddresses::new(1),
            skip: Vec::new(),
            application_name: String::new(),
        }
    }
}

/// Why no login can be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// TLS: a file, a key, or the trust store.
    #[error(transparent)]
    Tls(#[from] TlsFileError),
    /// A text that is sent to the server holds a zero byte, which the protocol cannot carry.
    #[error("{0} must not hold a zero byte")]
    ZeroByte(&'static str),
    /// A start-up message of this size is refused by every server.
    #[error("user, database, options and program name together are longer than the {limit} bytes a server accepts", limit = crate::protocol::MAX_STARTUP)]
    StartupTooLong,
}
