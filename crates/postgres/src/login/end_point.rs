//! `tls-server-end-point` (RFC 5929, section 4.1): the hash of the server's certificate, to which SCRAM-SHA-256-PLUS is
//! bound.

use std::sync::{Arc, OnceLock};

use peaje_engine::{SignatureHash, ThreadCpu, Trace, signature_hash};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// What channel binding needs to know of the TLS connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EndPoint {
    /// Hash of the certificate.
    Hash(Vec<u8>),
    /// The certificate cannot be read.
    Unknown,
}

impl EndPoint {
    fn of_certificate(der: &[u8]) -> Self {
        match signature_hash(der) {
            Some(SignatureHash::Sha256) => EndPoint::Hash(Sha256::digest(der).to_vec()),
            Some(SignatureHash::Sha384) => EndPoint::Hash(Sha384::digest(der).to_vec()),
            Some(SignatureHash::Sha512) => EndPoint::Hash(Sha512::digest(der).to_vec()),
            None => EndPoint::Unknown,
        }
    }
}

/// The hash of the first certificate seen, so that it is computed once and not at each login.
#[derive(Debug, Default)]
pub(super) struct EndPoints {
    first: OnceLock<(Vec<u8>, Arc<EndPoint>)>,
}

impl EndPoints {
    /// The hash for this certificate.
    pub(super) fn of(&self, der: &[u8], trace: &mut Trace) -> Arc<EndPoint> {
        if let Some((known, end_point)) = self.first.get()
            && known == der
        {
            return end_point.clone();
        }
        let before = ThreadCpu::now();
        let end_point = Arc::new(EndPoint::of_certificate(der));
        trace.add_crypto(ThreadCpu::now().since(before));
        let _ = self.first.set((der.to_vec(), end_point.clone()));
        end_point
    }
}
