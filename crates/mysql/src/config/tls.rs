//! From `ssl-mode` and the files behind it to the engine's TLS.
//!
//! Files are read here, when TLS is set up, and not when the connection string is read: a run without TLS must not
//! fail over a certificate that it does not use.

use std::path::Path;

use peaje_engine::{
    ClientIdentity, ClientTls, PemError, Resume, Roots, TlsOptions, TlsSetupError, Verify, certificates, private_key,
};
use rustls::pki_types::CertificateDer;
use rustls::version::{TLS12, TLS13};

use super::Config;
use super::values::{SslMode, TlsVersion};

/// Why the TLS settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFileError {
    /// A file of certificates or the key.
    #[error(transparent)]
    Pem(#[from] PemError),
    /// Certificate without key, or the other way round.
    #[error("a client certificate needs both ssl-cert and ssl-key: {missing} is missing")]
    Incomplete {
        /// The one that is missing.
        missing: &'static str,
    },
    /// The trust store is empty.
    #[error("ssl-mode={} needs trusted roots, and none were found: give ssl-ca=FILE", .0.name())]
    NoRoots(SslMode),
    /// The engine's refusal.
    #[error(transparent)]
    Setup(TlsSetupError),
}

impl Config {
    /// The engine's TLS for this configuration; `mode` is usually [`Config::ssl_mode`], or what replaces it.
    pub fn client_tls(&self, mode: SslMode, resume: Resume) -> Result<ClientTls, TlsFileError> {
        ClientTls::new(self.tls_options(mode, resume)?).map_err(|error| match error {
            // Its words name the settings of another engine.
            TlsSetupError::NoRoots => TlsFileError::NoRoots(mode),
            other => TlsFileError::Setup(other),
        })
    }

    /// The options behind [`Config::client_tls`].
    pub fn tls_options(&self, mode: SslMode, resume: Resume) -> Result<TlsOptions, TlsFileError> {
        let verify = match mode {
            SslMode::VerifyIdentity => Verify::Full,
            SslMode::VerifyCa => Verify::Chain,
            SslMode::Disabled | SslMode::Preferred | SslMode::Required => Verify::Nothing,
        };
        let roots = if verify == Verify::Nothing { Roots::None } else { self.roots()? };
        let client_auth = self.client_auth()?;
        Ok(TlsOptions { verify, roots, client_auth, resume, versions: self.versions(), ..TlsOptions::default() })
    }

    /// `ssl-ca` and `ssl-capath` together; without them the system's store.
    fn roots(&self) -> Result<Roots, TlsFileError> {
        let mut given = Vec::new();
        match (&self.ssl_ca, &self.ssl_ca_path) {
            (None, None) => return Ok(Roots::System),
            (file, folder) => {
                if let Some(file) = file {
                    given.extend(certificates("the file of trusted roots (ssl-ca)", file)?);
                }
                if let Some(folder) = folder {
                    given.extend(certificates_of_folder(folder)?);
                }
            }
        }
        Ok(Roots::Given(given))
    }

    fn versions(&self) -> Vec<&'static rustls::SupportedProtocolVersion> {
        self.tls_versions
            .iter()
            .map(|version| match version {
                TlsVersion::Tls12 => &TLS12,
                TlsVersion::Tls13 => &TLS13,
            })
            .collect()
    }

    fn client_auth(&self) -> Result<Option<ClientIdentity>, TlsFileError> {
        match (&self.ssl_cert, &self.ssl_key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => {
                Ok(Some((certificates("the client certificate (ssl-cert)", certificate)?, private_key(key)?)))
            }
            (Some(_), None) => Err(TlsFileError::Incomplete { missing: "ssl-key" }),
            (None, Some(_)) => Err(TlsFileError::Incomplete { missing: "ssl-cert" }),
        }
    }
}

/// Every certificate in the files of a folder; what is none is passed over, as OpenSSL does.
fn certificates_of_folder(folder: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let what = "the folder of trusted roots (ssl-capath)";
    let read = |e: std::io::Error| PemError::Read { what, path: folder.to_owned(), reason: e.to_string() };
    let mut found: Vec<CertificateDer<'static>> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        // Folders of OpenSSL hold each certificate twice: under its name and under its hash.
        let more = certificates(what, &path).unwrap_or_default();
        let new: Vec<_> = more.into_iter().filter(|certificate| !found.contains(certificate)).collect();
        found.extend(new);
    }
    Ok(found)
}
