//! From a password to the keys of SCRAM (RFC 5802, section 3).

use std::borrow::Cow;

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// What a client needs to prove that it knows the password, and to check that the server does.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientKeys {
    pub(super) client_key: [u8; 32],
    pub(super) stored: StoredKeys,
}

impl std::fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Whoever has the client's key can log in.
        f.write_str("ClientKeys(***)")
    }
}

impl ClientKeys {
    /// Derives the keys: `iterations` rounds of HMAC-SHA-256.
    pub fn derive(password: &str, salt: &[u8], iterations: u32) -> Self {
        let salted = salted_password(saslprep(password).as_bytes(), salt, iterations);
        let client_key = hmac(&salted, &[b"Client Key"]);
        let stored_key = Sha256::digest(client_key).into();
        Self { client_key, stored: StoredKeys { stored_key, server_key: hmac(&salted, &[b"Server Key"]) } }
    }

    /// What a server stores.
    pub fn stored(&self) -> StoredKeys {
        self.stored
    }
}

/// What a server stores: enough to check a client, not enough to log in as one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoredKeys {
    /// Hash of the client's key.
    pub stored_key: [u8; 32],
    /// Key of the server's signature.
    pub server_key: [u8; 32],
}

impl std::fmt::Debug for StoredKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredKeys(***)")
    }
}

/// Normalises a password (RFC 4013). One that the profile forbids is used as it is: PostgreSQL does so on both sides.
pub fn saslprep(password: &str) -> Cow<'_, str> {
    stringprep::saslprep(password).unwrap_or(Cow::Borrowed(password))
}

/// HMAC-SHA-256 over the parts, one after the other.
pub(super) fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    mac(key, parts).finalize().into_bytes().into()
}

/// The same, ready to be compared in constant time.
pub(super) fn mac(key: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac
}

pub(super) fn xor(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// `Hi(password, salt, iterations)`: PBKDF2 with HMAC-SHA-256 and one block of output.
pub(super) fn salted_password(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 32] {
    pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password, salt, iterations)
}
