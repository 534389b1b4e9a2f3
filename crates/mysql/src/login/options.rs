//! What a login takes from the command line, over what the connection string says.

use std::net::SocketAddr;

use peaje_engine::SourceAddresses;
use peaje_model::{CloseMode, ResolveMode, TlsMode};

use crate::config::TlsFileError;

/// Whether the phase `session` waits until the server has run its `init_connect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AwaitInit {
    /// The login ends with the server's OK, which comes *before* `init_connect` runs: its cost falls into whatever is
    /// asked next.
    #[default]
    No,
    /// One `COM_PING` after the OK: its answer comes when `init_connect` is done. It costs a round trip.
    Ping,
}

/// How to log in, apart from the connection string.
#[derive(Debug, Clone)]
pub struct LoginOptions {
    /// TLS of the series, over `ssl-mode`.
    pub tls: TlsMode,
    /// The query of [`peaje_engine::Connector::query`]; empty = none.
    pub query: String,
    /// How sessions are closed.
    pub close: CloseMode,
    /// When names are resolved; `Once` keeps the addresses of the first login.
    pub resolve: ResolveMode,
    /// Source addresses on loopback.
    pub sources: SourceAddresses,
    /// Addresses not to dial.
    pub skip: Vec<SocketAddr>,
    /// Program name the server sees (connection attribute `program_name`); empty = that of the connection string, else
    /// `peaje`.
    pub program_name: String,
    /// Whether `init_connect` is waited for.
    pub await_init: AwaitInit,
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
            await_init: AwaitInit::No,
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
    /// A name longer than any server accepts.
    #[error("{what} is longer than {limit} bytes")]
    TooLong {
        /// Which one.
        what: &'static str,
        /// The limit, bytes.
        limit: usize,
    },
    /// The server's RSA key cannot be used.
    #[error("the server's public key {} cannot be used: {reason}", .path.display())]
    PublicKey {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
