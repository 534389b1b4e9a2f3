//! SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, RFC 7677), both sides, without randomness: nonces and salts are
//! arguments.
//!
//! A newcomer would derive the key from the password at each login, which is 4096 rounds of HMAC at least. RFC 5802
//! lets a client keep the derived [`ClientKeys`]; whether peaje does is the user's choice, because both are worth
//! measuring.

mod attributes;
mod cache;
mod client;
mod keys;
mod server;

pub use cache::KeyCache;
pub use client::{Challenged, ChannelBinding, ExpectedSignature, ScramClient};
pub use keys::{ClientKeys, StoredKeys, saslprep};
pub use server::{ScramServer, ScramVerifier};

/// Mechanism without channel binding.
pub const SCRAM_SHA_256: &str = "SCRAM-SHA-256";
/// Mechanism bound to the TLS channel.
pub const SCRAM_SHA_256_PLUS: &str = "SCRAM-SHA-256-PLUS";

/// Most iterations a client works for. PostgreSQL's default is 4096; at ten million one login takes about a second of
/// CPU, and more is either a mistake or somebody who wants to keep clients busy.
pub const MAX_ITERATIONS: u32 = 10_000_000;

/// Why a SCRAM exchange fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScramError {
    /// A message does not have the form of RFC 5802, section 7.
    #[error("SCRAM: malformed {0}")]
    Malformed(&'static str),
    /// The server's nonce does not begin with ours: somebody replays an old exchange.
    #[error("SCRAM: the server's nonce does not extend the client's")]
    Nonce,
    /// The iteration count is 0.
    #[error("SCRAM: the server asks for 0 iterations")]
    NoIterations,
    /// The iteration count is over [`MAX_ITERATIONS`].
    #[error("SCRAM: the server asks for {0} iterations, more than the {MAX_ITERATIONS} allowed here")]
    TooManyIterations(u64),
    /// The server reports an error in place of its signature.
    #[error("SCRAM: the server says `{0}`")]
    Server(String),
    /// The server's signature is wrong: it does not know the password's verifier.
    #[error("SCRAM: wrong server signature: the server does not know this user's password")]
    ServerSignature,
    /// The client's proof is wrong: wrong password.
    #[error("SCRAM: wrong client proof")]
    ClientProof,
    /// The channel binding does not fit: the TLS connection ends somewhere between client and server.
    #[error("SCRAM: channel binding does not match")]
    ChannelBinding,
}
