//! Why a throwaway server could not be started.

use std::io;
use std::path::PathBuf;

/// Why a throwaway server could not be started. Logs quoted here belong to a server that was just made: they hold no
/// secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThrowawayError {
    /// No server of this kind is installed where peaje looks.
    #[error(
        "no {product} server found ({wanted}, looked in {}): install the package `{package}`, or name the folder of \
         the binaries in {variable}",
        .searched.join(", ")
    )]
    NoBinaries {
        /// The product.
        product: &'static str,
        /// The package that has it.
        package: &'static str,
        /// The environment variable that names the folder.
        variable: &'static str,
        /// The binaries.
        wanted: String,
        /// Where peaje looked.
        searched: Vec<String>,
    },
    /// The folder that was named does not hold the binaries.
    #[error("{variable} names {}, which does not hold `{wanted}`", .folder.display())]
    WrongFolder {
        /// The environment variable that names the folder.
        variable: &'static str,
        /// The folder.
        folder: PathBuf,
        /// The binaries.
        wanted: String,
    },
    /// The binaries are there and what they need is not, or they are of another product.
    #[error("the {product} in {} cannot be used: {reason}", .folder.display())]
    Unfit {
        /// The product that was wanted.
        product: &'static str,
        /// Folder of the binaries.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The server refuses to run as root, and there is no other account.
    #[error("{product} does not run as root, and there is no user `{names}`: run peaje as an ordinary user")]
    NoAccount {
        /// The product.
        product: &'static str,
        /// Accounts that would do.
        names: String,
    },
    /// The temporary folder cannot be made or written.
    #[error("the temporary folder {}: {source}; set TMPDIR to a folder that can be written", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The guard process cannot be started or does not answer.
    #[error("the guard process (/bin/sh) failed: {0}")]
    Guard(io::Error),
    /// The certificate cannot be made.
    #[error("the server's certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The data folder could not be made.
    #[error("making the data folder of {product} failed with status {status}{}\n{log}", hint(*status))]
    Initialise {
        /// The product.
        product: &'static str,
        /// Exit status.
        status: i32,
        /// End of its output.
        log: String,
    },
    /// There is no free port below the ephemeral range.
    #[error("no free port from {low} to {high} on 127.0.0.1")]
    NoPort {
        /// First port that was tried.
        low: u16,
        /// Last.
        high: u16,
    },
    /// The server ended by itself.
    #[error("the server ended with status {status}; the end of its log:\n{log}")]
    Exited {
        /// Exit status.
        status: i32,
        /// End of its log.
        log: String,
    },
    /// The server did not let anybody in within the limit.
    #[error("the server was not ready after {limit_s} s ({reason}); the end of its log:\n{log}")]
    NotReady {
        /// The limit, seconds.
        limit_s: u64,
        /// The last answer.
        reason: String,
        /// End of its log.
        log: String,
    },
    /// Another server answers on the port.
    #[error("the server on port {port} is not the one that was started ({difference}); nothing was done to it")]
    NotOurs {
        /// The port.
        port: u16,
        /// What differs.
        difference: String,
    },
    /// Logins and databases cannot be made.
    #[error("the throwaway server cannot be prepared: {0}")]
    Prepare(String),
    /// Stopping took too long; what was left was killed and removed.
    #[error("the server did not stop within {limit_s} s and was killed")]
    Stop {
        /// The limit, seconds.
        limit_s: u64,
    },
}

fn hint(status: i32) -> &'static str {
    match status {
        126 | 127 => " (the account of the server may not run it: check the permissions of the folders above)",
        _ => "",
    }
}
