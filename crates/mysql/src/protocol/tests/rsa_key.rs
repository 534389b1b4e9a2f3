//! A server's RSA key, made once for all tests.

use std::sync::OnceLock;

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rsa::{KeySize, OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, PrivateDecryptingKey};

fn private() -> &'static PrivateDecryptingKey {
    static KEY: OnceLock<PrivateDecryptingKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateDecryptingKey::generate(KeySize::Rsa2048).unwrap())
}

/// The public key as a server sends it.
pub(crate) fn pem() -> String {
    let der: PublicKeyX509Der<'_> = private().public_key().as_der().unwrap();
    to_pem(der.as_ref())
}

/// Bytes as a public key in PEM.
pub(crate) fn to_pem(der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in der.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
}

/// What a client has encrypted, without the challenge.
pub(crate) fn decrypt(encrypted: &[u8], nonce: &[u8; 20]) -> Vec<u8> {
    let key = OaepPrivateDecryptingKey::new(private().clone()).unwrap();
    let mut plain = vec![0; key.min_output_size()];
    let plain = key.decrypt(&OAEP_SHA1_MGF1SHA1, encrypted, &mut plain, None).unwrap();
    plain.iter().zip(nonce.iter().cycle()).map(|(p, n)| p ^ n).collect()
}
