//! From `sslmode` and the files behind it to the engine's TLS.
//!
//! Files are read here, when TLS is set up, and not when the connection string is read: a run without TLS must not
//! fail over a certificate that it does not use.

use std::path::{Path, PathBuf};

use peaje_engine::{ClientTls, Resume, Roots, TlsOptions, TlsSetupError, Verify};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};

use super::values::{RootCert, SslMode, TlsVersion};
use super::{Config, SslNegotiation};

/// Name of the protocol, which direct TLS negotiation must offer (version 17).
pub const ALPN: &[u8] = b"postgresql";

/// Why the TLS settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFileError {
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
    /// Certificate without key, or the other way round.
    #[error("a client certificate needs both sslcert and sslkey: {missing} is missing")]
    Incomplete {
        /// The one that is missing.
        missing: &'static str,
    },
    /// `verify-ca` and `verify-full` need roots.
    #[error("sslmode={} needs trusted roots: give sslrootcert=FILE or sslrootcert=system, or place them in ~/.postgresql/root.crt", .0.name())]
    NoRoots(SslMode),
    /// The engine's refusal.
    #[error(transparent)]
    Setup(#[from] TlsSetupError),
}

impl Config {
    /// The engine's TLS for this configuration; `mode` is usually [`Config::ssl_mode`], or what replaces it.
    pub fn client_tls(&self, mode: SslMode, resume: Resume) -> Result<ClientTls, TlsFileError> {
        Ok(ClientTls::new(self.tls_options(mode, resume)?)?)
    }

    /// The options behind [`Config::client_tls`].
    pub fn tls_options(&self, mode: SslMode, resume: Resume) -> Result<TlsOptions, TlsFileError> {
        let verify = match (mode, &self.ssl_root_cert) {
            (SslMode::VerifyFull, _) => Verify::Full,
            // libpq's rule: `require` checks the issuer when there is a root certificate.
            (SslMode::VerifyCa, _) | (SslMode::Require, Some(_)) => Verify::Chain,
            _ => Verify::Nothing,
        };
        let roots = match (&self.ssl_root_cert, verify) {
            (_, Verify::Nothing) => Roots::None,
            (Some(RootCert::System), _) => Roots::System,
            (Some(RootCert::File(path)), _) => Roots::Given(certificates("the root certificate file", path)?),
            (None, _) => return Err(TlsFileError::NoRoots(mode)),
        };
        Ok(TlsOptions {
            verify,
            roots,
            client_auth: self.client_auth()?,
            alpn: match self.ssl_negotiation {
                SslNegotiation::Direct => vec![ALPN.to_vec()],
                SslNegotiation::Postgres => Vec::new(),
            },
            resume,
            versions: self.tls_versions(),
        })
    }

    fn tls_versions(&self) -> Vec<&'static rustls::SupportedProtocolVersion> {
        let min = self.ssl_min_version.unwrap_or(TlsVersion::Tls12);
        let max = self.ssl_max_version.unwrap_or(TlsVersion::Tls13);
        [(TlsVersion::Tls12, &TLS12), (TlsVersion::Tls13, &TLS13)]
            .into_iter()
            .filter(|(version, _)| (min..=max).contains(version))
            .map(|(_, supported)| supported)
            .collect()
    }

    #[allow(clippy::type_complexity)]
    fn client_auth(&self) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, TlsFileError> {
        match (&self.ssl_cert, &self.ssl_key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => {
                Ok(Some((certificates("the client certificate", certificate)?, private_key(key)?)))
            }
            (Some(_), None) => Err(TlsFileError::Incomplete { missing: "sslkey" }),
            (None, Some(_)) => Err(TlsFileError::Incomplete { missing: "sslcert" }),
        }
    }
}

fn certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let read = |reason: String| TlsFileError::Read { what, path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|e| read(e.to_string()))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|e| read(e.to_string()))?;
    if found.is_empty() { Err(read("there is no certificate in it (PEM is expected)".to_owned())) } else { Ok(found) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsFileError> {
    let read = |reason: String| TlsFileError::Read { what: "the client key", path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|e| read(e.to_string()))?;
    let text = String::from_utf8_lossy(&pem);
    if text.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(TlsFileError::EncryptedKey { path: path.to_owned() });
    }
    PrivateKeyDer::from_pem_slice(&pem).map_err(|e| read(e.to_string()))
}
