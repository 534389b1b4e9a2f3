//! The server's RSA key, with which a password is encrypted where there is no TLS: OAEP with SHA-1, as MySQL has it.

use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;

use super::{NONCE, scramble};

/// The key of a server.
#[derive(Debug)]
pub struct PublicKey(OaepPublicEncryptingKey);

/// Why a key or a password cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RsaError {
    /// Not `-----BEGIN PUBLIC KEY-----`.
    #[error("it is no public key in PEM")]
    NotPem,
    /// Not RSA, or of another size than 2048 to 8192 bits.
    #[error("it is no RSA key of 2048 to 8192 bits")]
    NotRsa,
    /// The password is longer than a key of this size encrypts.
    #[error("the password is too long for the server's RSA key")]
    TooLong,
}

impl PublicKey {
    /// Reads what a server sends, or a file holds.
    pub fn from_pem(pem: &[u8]) -> Result<Self, RsaError> {
        let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| RsaError::NotPem)?;
        let key = PublicEncryptingKey::from_der(&der).map_err(|_| RsaError::NotRsa)?;
        OaepPublicEncryptingKey::new(key).map(Self).map_err(|_| RsaError::NotRsa)
    }

    /// Encrypts a password for the server that sent this challenge.
    pub fn encrypt(&self, password: &[u8], nonce: &[u8; NONCE]) -> Result<Vec<u8>, RsaError> {
        let plain = scramble::obfuscate(password, nonce);
        let mut out = vec![0; self.0.ciphertext_size()];
        let length = self.0.encrypt(&OAEP_SHA1_MGF1SHA1, &plain, &mut out, None).map_err(|_| RsaError::TooLong)?.len();
        out.truncate(length);
        Ok(out)
    }
}
