//! Certificates and keys from PEM files, with errors that name the file and what it should hold.

use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Certificate chain and key of a client.
pub type ClientIdentity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Why a file gives no certificate or key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PemError {
    /// A file cannot be read.
    #[error("{what} {} cannot be read: {reason}", .path.display())]
    Read {
        /// What it should hold.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's or the parser's words.
        reason: String,
    },
    /// The client's key is encrypted.
    #[error("the client key {} is encrypted, which is not supported: decrypt it with `openssl pkey -in FILE -out NEW` and chmod 600 NEW", .path.display())]
    EncryptedKey {
        /// The file.
        path: PathBuf,
    },
}

impl PemError {
    fn read(what: &'static str, path: &Path, reason: &dyn std::fmt::Display) -> Self {
        Self::Read { what, path: path.to_owned(), reason: reason.to_string() }
    }
}

/// The certificates of a file, at least one; `what` names its part in messages.
pub fn certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let pem = std::fs::read(path).map_err(|e| PemError::read(what, path, &e))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|e| PemError::read(what, path, &e))?;
    if found.is_empty() {
        return Err(PemError::read(what, path, &"there is no certificate in it (PEM is expected)"));
    }
    Ok(found)
}

/// The client's key of a file.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, PemError> {
    const WHAT: &str = "the client key";
    let pem = std::fs::read(path).map_err(|e| PemError::read(WHAT, path, &e))?;
    let text = String::from_utf8_lossy(&pem);
    if text.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(PemError::EncryptedKey { path: path.to_owned() });
    }
    PrivateKeyDer::from_pem_slice(&pem).map_err(|e| PemError::read(WHAT, path, &e))
}
