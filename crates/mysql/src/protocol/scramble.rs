//! The arithmetic of the challenges: what the client answers, and how the server checks it.

use aws_lc_rs::digest::{self, Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512};
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::{Scalar, clamp_integer};

use super::NONCE;

fn hash<const N: usize>(algorithm: &'static Algorithm, parts: &[&[u8]]) -> [u8; N] {
    let mut context = digest::Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    let mut out = [0; N];
    out.copy_from_slice(context.finish().as_ref());
    out
}

fn xor<const N: usize>(mut left: [u8; N], right: [u8; N]) -> [u8; N] {
    left.iter_mut().zip(right).for_each(|(l, r)| *l ^= r);
    left
}

/// `mysql_native_password`: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))). An empty password is answered with
/// nothing at all.
pub fn native(password: &[u8], nonce: &[u8; NONCE]) -> [u8; 20] {
    let once: [u8; 20] = hash(&SHA1_FOR_LEGACY_USE_ONLY, &[password]);
    let twice: [u8; 20] = hash(&SHA1_FOR_LEGACY_USE_ONLY, &[&once]);
    xor(once, hash(&SHA1_FOR_LEGACY_USE_ONLY, &[nonce, &twice]))
}

/// Whether an answer of `mysql_native_password` is right.
pub fn native_is_right(password: &[u8], nonce: &[u8; NONCE], answer: &[u8]) -> bool {
    if password.is_empty() { answer.is_empty() } else { answer == native(password, nonce) }
}

/// `caching_sha2_password`, fast: SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce). An empty password is
/// answered with nothing at all.
pub fn caching_sha2(password: &[u8], nonce: &[u8; NONCE]) -> [u8; 32] {
    let once: [u8; 32] = hash(&SHA256, &[password]);
    let twice: [u8; 32] = hash(&SHA256, &[&once]);
    xor(once, hash(&SHA256, &[&twice, nonce]))
}

/// Whether an answer of `caching_sha2_password` is right.
pub fn caching_sha2_is_right(password: &[u8], nonce: &[u8; NONCE], answer: &[u8]) -> bool {
    if password.is_empty() { answer.is_empty() } else { answer == caching_sha2(password, nonce) }
}

/// The password with its zero, XORed with the challenge: what RSA encrypts.
pub fn obfuscate(password: &[u8], nonce: &[u8; NONCE]) -> Vec<u8> {
    let with_zero = password.iter().chain(std::iter::once(&0));
    with_zero.zip(nonce.iter().cycle()).map(|(p, n)| p ^ n).collect()
}

/// MariaDB's ed25519: the keys that belong to a password. Derived once: it costs half of a login's arithmetic.
///
/// It is RFC 8032 with the whole SHA-512 of the *password* in the place of the secret key's.
#[derive(Clone)]
pub struct Ed25519Key {
    secret: Scalar,
    prefix: [u8; 32],
    public: [u8; 32],
}

impl std::fmt::Debug for Ed25519Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ed25519Key(***)")
    }
}

impl Ed25519Key {
    /// Derives the keys.
    pub fn new(password: &[u8]) -> Self {
        let hashed: [u8; 64] = hash(&SHA512, &[password]);
        let (mut low, mut prefix) = ([0; 32], [0; 32]);
        low.copy_from_slice(&hashed[..32]);
        prefix.copy_from_slice(&hashed[32..]);
        let secret = Scalar::from_bytes_mod_order(clamp_integer(low));
        Self { secret, prefix, public: EdwardsPoint::mul_base(&secret).compress().to_bytes() }
    }

    /// What the server keeps (`mysql.global_priv`, there in base64).
    pub fn public(&self) -> [u8; 32] {
        self.public
    }

    /// Signs the challenge.
    pub fn sign(&self, nonce: &[u8]) -> [u8; 64] {
        let r = Scalar::from_bytes_mod_order_wide(&hash(&SHA512, &[&self.prefix, nonce]));
        let point = EdwardsPoint::mul_base(&r).compress().to_bytes();
        let k = Scalar::from_bytes_mod_order_wide(&hash(&SHA512, &[&point, &self.public, nonce]));
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&point);
        signature[32..].copy_from_slice((k * self.secret + r).as_bytes());
        signature
    }
}

/// Whether a signature of a challenge is right for a public key.
pub fn ed25519_is_right(public: &[u8; 32], nonce: &[u8], signature: &[u8]) -> bool {
    let Some((point, s)) = signature.split_at_checked(32).filter(|(_, s)| s.len() == 32) else { return false };
    let mut low = [0; 32];
    low.copy_from_slice(s);
    let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(low));
    let (Some(s), Some(key)) = (s, CompressedEdwardsY(*public).decompress()) else { return false };
    let k = Scalar::from_bytes_mod_order_wide(&hash(&SHA512, &[point, public, nonce]));
    // R = sB - kA
    (EdwardsPoint::mul_base(&s) - key * k).compress().as_bytes() == point
}
