//! The server's side: for the reference server and for tests.

use hmac::Mac;
use sha2::{Digest, Sha256};

use super::attributes::{Attributes, decode, decode_digest, encode, is_nonce, text};
use super::keys::{hmac, mac, xor};
use super::{ClientKeys, ScramError, StoredKeys};

/// What the server keeps of a user's password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScramVerifier {
    /// Salt.
    pub salt: Vec<u8>,
    /// Iterations.
    pub iterations: u32,
    /// Keys.
    pub keys: StoredKeys,
}

impl ScramVerifier {
    /// Derives it from the password, once for each user.
    pub fn from_password(password: &str, salt: &[u8], iterations: u32) -> Self {
        let keys = ClientKeys::derive(password, salt, iterations).stored();
        Self { salt: salt.to_vec(), iterations, keys }
    }
}

/// An exchange whose challenge is ready.
#[derive(Debug, Clone)]
pub struct ScramServer {
    keys: StoredKeys,
    nonce: String,
    challenge: String,
    first_bare: String,
    /// What the client has to repeat: its header, and the certificate's hash it is bound to.
    binding: Vec<u8>,
}

impl ScramServer {
    /// Reads the client's first message. `end_point` is the hash of the own certificate when the client has chosen
    /// SCRAM-SHA-256-PLUS, `None` when it has chosen the mechanism without channel binding.
    pub fn begin(
        verifier: &ScramVerifier,
        client_first: &[u8],
        server_nonce: &str,
        end_point: Option<&[u8]>,
    ) -> Result<Self, ScramError> {
        let first = text(client_first, "first message")?;
        let mut attributes = Attributes::new(first);
        let flag = attributes.next().unwrap_or_default();
        if !attributes.next().is_some_and(|authzid| authzid.is_empty() || authzid.starts_with("a=")) {
            return Err(ScramError::Malformed("first message"));
        }
        let first_bare = attributes.rest().ok_or(ScramError::Malformed("first message"))?;
        let header = &first[..first.len() - first_bare.len()];
        attributes.expect('n', "user name")?;
        let client_nonce = attributes.expect('r', "client nonce")?;
        if !is_nonce(client_nonce) {
            return Err(ScramError::Malformed("client nonce"));
        }
        let nonce = format!("{client_nonce}{server_nonce}");
        let challenge = format!("r={nonce},s={},i={}", encode(&verifier.salt), verifier.iterations);
        let binding = expected_binding(flag, header, end_point)?;
        Ok(Self { keys: verifier.keys, nonce, challenge, first_bare: first_bare.to_owned(), binding })
    }

    /// The challenge to send.
    pub fn challenge(&self) -> &[u8] {
        self.challenge.as_bytes()
    }

    /// Checks the client's proof, in constant time, and returns the server's signature to send.
    pub fn finish(&self, client_final: &[u8]) -> Result<Vec<u8>, ScramError> {
        let last = text(client_final, "last message")?;
        let (without_proof, proof) = last.rsplit_once(",p=").ok_or(ScramError::Malformed("last message"))?;
        let mut attributes = Attributes::new(without_proof);
        if decode(attributes.expect('c', "channel binding")?, "channel binding")? != self.binding {
            return Err(ScramError::ChannelBinding);
        }
        if attributes.expect('r', "nonce of the last message")? != self.nonce {
            return Err(ScramError::Nonce);
        }
        let parts = [self.first_bare.as_bytes(), b",", self.challenge(), b",", without_proof.as_bytes()];
        let signature = hmac(&self.keys.stored_key, &parts);
        let client_key = xor(&decode_digest(proof, "client proof")?, &signature);
        let shown: [u8; 32] = Sha256::digest(client_key).into();
        if !same(&shown, &self.keys.stored_key) {
            return Err(ScramError::ClientProof);
        }
        Ok(format!("v={}", encode(&hmac(&self.keys.server_key, &parts))).into_bytes())
    }
}

fn expected_binding(flag: &str, header: &str, end_point: Option<&[u8]>) -> Result<Vec<u8>, ScramError> {
    let mut binding = header.as_bytes().to_vec();
    match (flag, end_point) {
        ("n" | "y", None) => Ok(binding),
        ("p=tls-server-end-point", Some(hash)) => {
            binding.extend_from_slice(hash);
            Ok(binding)
        }
        ("n" | "y", Some(_)) | (_, None) => Err(ScramError::ChannelBinding),
        _ => Err(ScramError::Malformed("channel binding flag")),
    }
}

/// Compares in constant time: MACs under one key are equal exactly when the digests are.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    const KEY: &[u8] = b"comparison";
    mac(KEY, &[a]).verify_slice(&hmac(KEY, &[b])).is_ok()
}
