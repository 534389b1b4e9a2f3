//! From `sslmode` and the files behind it to the engine's TLS.
//!
//! Files are read here, when TLS is set up, and not when the connection string is read: a run without TLS must not
//! fail over a certificate that it does not use.

use peaje_engine::{
    ClientIdentity, ClientTls, PemError, Resume, Roots, ServerNameIndication, TlsOptions, TlsSetupError, Verify,
    certificates, private_key,
};
use rustls::version::{TLS12, TLS13};

use super::values::{RootCert, SslMode, TlsVersion};
use super::{Config, SslNegotiation};

/// Name of the protocol, which direct TLS negotiation must offer (version 17).
pub const ALPN: &[u8] = b"postgresql";

/// Why the TLS settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFileError {
    /// A file of certificates or the key.
    #[error(transparent)]
    Pem(#[from] PemError),
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
            server_name: if self.ssl_sni { ServerNameIndication::Sent } else { ServerNameIndication::Withheld },
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

    fn client_auth(&self) -> Result<Option<ClientIdentity>, TlsFileError> {
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
