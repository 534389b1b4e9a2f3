//! Why a reference server cannot be started.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::ServerOptions;

/// Why a reference server cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefServerError {
    /// The engine has no such authentication.
    #[error("{engine} has no authentication {auth} (leave it to the engine's default)")]
    Auth {
        /// The engine.
        engine: &'static str,
        /// The authentication asked for.
        auth: &'static str,
    },
    /// The address is taken, or not this machine's, or the port needs a privilege.
    #[error("the reference server cannot listen on {address}: {source} (choose another address or port)")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// No port between 20000 and 32000 could be taken.
    #[error("the reference server found no free port between 20000 and 32000: {source} (name a port)")]
    NoFreePort {
        /// What the operating system said at the last try.
        source: io::Error,
    },
    /// A thread or its event loop cannot be created.
    #[error("the reference server cannot start a thread: {0} (look at the limits of processes and open files)")]
    Thread(io::Error),
    /// The model needs processes of its own.
    #[error("a server of this model needs processes of its own (give it a home apart)")]
    Home,
    /// Memory cannot be had.
    #[error("the reference server cannot have its memory: {0} (ask for less)")]
    Memory(io::Error),
    /// Its process cannot be started.
    #[error("the reference server's process {program} cannot be started: {source}")]
    Launch {
        /// The program.
        program: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Its process was started, and could not be put where it belongs.
    #[error("the reference server's process {process} cannot be put into its place: {source}")]
    Place {
        /// The process.
        process: u32,
        /// What the operating system said.
        source: io::Error,
    },
    /// Its process did not answer.
    #[error("the reference server's process has ended before it could serve: {0}")]
    Silent(io::Error),
    /// Its process has told why it cannot serve.
    #[error("{0}")]
    Told(String),
    /// The key for passwords cannot be made.
    #[error("the reference server cannot make an RSA key (choose another authentication)")]
    MakeKey,
    /// The certificate cannot be made.
    #[error("the reference server cannot make its certificate: {0}")]
    MakeCertificate(#[from] rcgen::Error),
    /// A file of the certificate cannot be read.
    #[error("{path}: {source} (the certificate and its key have to be files in PEM)")]
    ReadCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not fit together, or the key is of an unknown kind.
    #[error("the certificate cannot be used: {0} (does the key belong to it?)")]
    UseCertificate(#[from] rustls::Error),
}

impl RefServerError {
    /// The options ask for an authentication that their protocol does not have.
    pub(crate) fn auth(options: &ServerOptions) -> Self {
        Self::Auth { engine: options.protocol.engine(), auth: options.auth.name() }
    }
}
