//! What an engine gives to a throwaway server.

use std::future::Future;
use std::path::PathBuf;

use crate::{CertificateState, CommandLine, Folder, ServerKeyKind, ThrowawayError};

/// A server of one product: its binaries, contents and commands.
///
/// The order is: `before_initialising`, `initialise`, `after_initialising`; then for one free port after another
/// `configure` and `serve`, until one of them is not taken; then `is_ready` until it is; then `prepare`. In the folder
/// there are `server.crt` and `server.key`, `root.crt` (the certificate of their authority), and `log`.
pub trait Recipe: Sync {
    /// The product's name.
    const PRODUCT: &'static str;
    /// What the folder's name begins with.
    const PREFIX: &'static str;
    /// Accounts to run under when this process is root: the first that exists.
    const ACCOUNTS: &'static [&'static str];
    /// Signals that stop the server, the politest first; each is given 5 s.
    const STOP_SIGNALS: &'static str;

    /// The server's key and certificate.
    fn identity(&self) -> (ServerKeyKind, CertificateState);

    /// Writes what `initialise` needs.
    fn before_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError>;

    /// The command that makes the data.
    fn initialise(&self, folder: &Folder) -> CommandLine;

    /// Removes what only `initialise` needed, and writes what does not depend on the port.
    fn after_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError>;

    /// Writes what depends on the port.
    fn configure(&self, folder: &Folder, port: u16) -> Result<(), ThrowawayError>;

    /// The command that runs the server, in the foreground.
    fn serve(&self, folder: &Folder, port: u16) -> CommandLine;

    /// Whether the log says that somebody else has taken the port.
    fn port_was_taken(&self, log: &str) -> bool;

    /// Whether somebody can log in; the error says why not yet.
    fn is_ready(&self, started: &Started) -> impl Future<Output = Result<(), String>> + Send;

    /// Proves, over the port, that the server is the one that was started, and makes what is still missing.
    fn prepare(&self, started: &Started) -> impl Future<Output = Result<(), ThrowawayError>> + Send;
}

/// A server that was started and is not known to be ready.
#[derive(Debug)]
pub struct Started {
    /// Its folder.
    pub folder: Folder,
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// Its process id.
    pub pid: u32,
}

impl Started {
    /// Certificate of the authority that signed the server's.
    pub fn root_certificate(&self) -> PathBuf {
        self.folder.join("root.crt")
    }

    /// The error for a server on the port that is not this one.
    pub fn not_ours(&self, difference: impl Into<String>) -> ThrowawayError {
        ThrowawayError::NotOurs { port: self.port, difference: difference.into() }
    }
}
