//! The key by which a password travels without TLS.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rsa::{KeySize, OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::RefServerError;

/// An RSA key with 2048 bits, made at the start.
#[derive(Debug)]
pub(crate) struct RsaKey {
    private: OaepPrivateDecryptingKey,
    /// What a client gets that asks for it.
    public_pem: String,
}

impl RsaKey {
    pub(super) fn new() -> Result<Self, RefServerError> {
        let made = || {
            let private = PrivateDecryptingKey::generate(KeySize::Rsa2048).ok()?;
            let public: PublicKeyX509Der<'_> = private.public_key().as_der().ok()?;
            let public_pem = pem(public.as_ref());
            Some(Self { private: OaepPrivateDecryptingKey::new(private).ok()?, public_pem })
        };
        made().ok_or(RefServerError::MakeKey)
    }

    pub(super) fn public_pem(&self) -> &[u8] {
        self.public_pem.as_bytes()
    }

    /// Decrypts a password and takes the scramble off; `None` = it was not encrypted with this key.
    pub(super) fn open(&self, sealed: &[u8], scramble: &[u8]) -> Option<Vec<u8>> {
        let mut buffer = vec![0; self.private.min_output_size()];
        let opened = self.private.decrypt(&OAEP_SHA1_MGF1SHA1, sealed, &mut buffer, None).ok()?;
        Some(opened.iter().zip(scramble.iter().cycle()).map(|(a, b)| a ^ b).collect())
    }
}

fn pem(der: &[u8]) -> String {
    let mut text = String::from("-----BEGIN PUBLIC KEY-----\n");
    for line in STANDARD.encode(der).as_bytes().chunks(64) {
        text.extend(line.iter().map(|b| char::from(*b)));
        text.push('\n');
    }
    text.push_str("-----END PUBLIC KEY-----\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_seals_is_opened_and_nothing_else() {
        let key = RsaKey::new().unwrap();
        let scramble = b"abcdefghijklmnopqrst";
        for password in ["pencil", "", "a password that is a good deal longer than the scramble"] {
            let mixed: Vec<u8> = password.bytes().chain([0]).zip(scramble.iter().cycle()).map(|(a, b)| a ^ b).collect();
            let mut sealed = mysql_common::crypto::encrypt(&mixed, key.public_pem()).unwrap();
            let opened = key.open(&sealed, scramble).unwrap();
            assert_eq!(opened, [password.as_bytes(), &[0]].concat());
            sealed[7] ^= 1;
            assert_eq!(key.open(&sealed, scramble), None);
        }
        assert_eq!(key.open(b"", scramble), None);
    }
}
