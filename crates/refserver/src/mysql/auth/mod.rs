//! Credentials: what is asked, and whether the answer is right.
//!
//! A newcomer would turn an unknown user away at once. The real server goes through the same exchange for everybody,
//! so that nobody can find out who exists; clients are measured against that.

mod check;
mod exchange;
mod rsa;

pub(crate) use exchange::{Offer, Path, Verdict, authenticate, new_scramble};

use peaje_model::Secret;

use crate::area::{Area, Word};
use crate::{Auth, AuthCache, RefServerError, ServerOptions};

use rsa::RsaKey;

/// A way of checking passwords, by its name in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plugin {
    Native,
    CachingSha2,
    Sha256,
    Ed25519,
    Clear,
}

impl Plugin {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
            Self::Sha256 => "sha256_password",
            Self::Ed25519 => "client_ed25519",
            Self::Clear => "mysql_clear_password",
        }
    }
}

/// The only account, with everything that can be computed beforehand.
#[derive(Debug)]
pub(crate) enum Account {
    /// Everybody is let in.
    Trust,
    /// One user.
    One { user: String, password: Secret, method: Method },
}

/// How the account's password is checked.
#[derive(Debug)]
pub(crate) enum Method {
    /// SHA-1 of SHA-1 of the password.
    Native {
        stored: [u8; 20],
    },
    CachingSha2 {
        /// SHA-256 of SHA-256 of the password: what the cache holds.
        stored: [u8; 32],
        /// 1 = a full authentication has filled the cache.
        cached: Word,
        cache: AuthCache,
        key: RsaKey,
    },
    Sha256 {
        key: RsaKey,
    },
    Ed25519 {
        public_key: [u8; 32],
    },
    Clear,
}

impl Method {
    fn plugin(&self) -> Plugin {
        match self {
            Self::Native { .. } => Plugin::Native,
            Self::CachingSha2 { .. } => Plugin::CachingSha2,
            Self::Sha256 { .. } => Plugin::Sha256,
            Self::Ed25519 { .. } => Plugin::Ed25519,
            Self::Clear => Plugin::Clear,
        }
    }
}

impl Account {
    pub(crate) fn new(options: &ServerOptions, area: &mut Area) -> Result<Self, RefServerError> {
        let (user, password) = match &options.auth {
            Auth::Trust => return Ok(Self::Trust),
            Auth::Md5 { .. } | Auth::Scram { .. } => return Err(RefServerError::auth(options)),
            Auth::Password { user, password }
            | Auth::MysqlNative { user, password }
            | Auth::CachingSha2 { user, password }
            | Auth::Sha256 { user, password }
            | Auth::Ed25519 { user, password } => (user.clone(), password.clone()),
        };
        let bytes = password.expose().as_bytes();
        let method = match &options.auth {
            Auth::MysqlNative { .. } => Method::Native { stored: check::sha1(&[&check::sha1(&[bytes])]) },
            Auth::CachingSha2 { .. } => Method::CachingSha2 {
                stored: check::sha256(&[&check::sha256(&[bytes])]),
                cached: area.word(),
                cache: options.auth_cache,
                key: RsaKey::new()?,
            },
            Auth::Sha256 { .. } => Method::Sha256 { key: RsaKey::new()? },
            Auth::Ed25519 { .. } => Method::Ed25519 { public_key: check::ed25519_public_key(bytes) },
            _ => Method::Clear,
        };
        Ok(Self::One { user, password, method })
    }

    /// The plugin named in the greeting. `client_ed25519`, `sha256_password` and clear text are never a server's
    /// default: clients are switched to them.
    pub(crate) fn greeting_plugin(&self) -> Plugin {
        match self {
            Self::One { method: Method::CachingSha2 { .. } | Method::Sha256 { .. } | Method::Clear, .. } => {
                Plugin::CachingSha2
            }
            _ => Plugin::Native,
        }
    }

    /// Forgets who has been authenticated in full (`flush privileges`).
    pub(crate) fn empty_cache(&self) {
        if let Self::One { method: Method::CachingSha2 { cached, .. }, .. } = self {
            cached.store(0, std::sync::atomic::Ordering::Relaxed);
        }
    }
}
