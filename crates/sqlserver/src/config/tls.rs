//! From `Encrypt` and the certificate settings to the engine's TLS.
//!
//! Files are read here, when TLS is set up, and not when the connection string is read: a run without TLS must not
//! fail over a certificate that it does not use.

use std::path::Path;

use peaje_engine::{ClientTls, PemError, Resume, Roots, TlsOptions, TlsSetupError, Verify};
use rustls::pki_types::CertificateDer;

use super::{Config, Encrypt};
use crate::protocol::ALPN;

/// Why the TLS settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFileError {
    /// The certificate's file cannot be read.
    #[error(transparent)]
    Read(#[from] PemError),
    /// The engine's refusal.
    #[error(transparent)]
    Setup(#[from] TlsSetupError),
}

impl Config {
    /// The engine's TLS for this configuration under `encrypt` (usually [`Config::encrypt`], or what replaces it).
    pub fn client_tls(&self, encrypt: Encrypt, resume: Resume) -> Result<ClientTls, TlsFileError> {
        let verify = self.verify(encrypt);
        let roots = match (&self.server_certificate, verify) {
            (_, Verify::Nothing) => Roots::None,
            (Some(path), _) => Roots::Given(certificate(path)?),
            (None, _) => Roots::System,
        };
        let alpn = if encrypt == Encrypt::Strict { vec![ALPN.to_vec()] } else { Vec::new() };
        Ok(ClientTls::new(TlsOptions { verify, roots, alpn, resume, ..TlsOptions::default() })?)
    }

    /// How much is checked. Microsoft's drivers check nothing when only the login is encrypted.
    pub(crate) fn verify(&self, encrypt: Encrypt) -> Verify {
        match encrypt {
            Encrypt::Off | Encrypt::LoginOnly => Verify::Nothing,
            Encrypt::On if self.trust_server_certificate => Verify::Nothing,
            // A certificate that is named is the identity: its names do not matter, unless one is asked for.
            Encrypt::On | Encrypt::Strict
                if self.server_certificate.is_some() && self.host_name_in_certificate.is_none() =>
            {
                Verify::Chain
            }
            Encrypt::On | Encrypt::Strict => Verify::Full,
        }
    }
}

/// A file in PEM or DER, as Windows exports either.
fn certificate(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    // A DER file begins with a SEQUENCE.
    if let Ok(bytes) = std::fs::read(path)
        && bytes.first() == Some(&0x30)
    {
        return Ok(vec![CertificateDer::from(bytes)]);
    }
    Ok(peaje_engine::certificates("the certificate of ServerCertificate", path)?)
}
