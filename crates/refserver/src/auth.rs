//! How users prove who they are, whichever protocol is spoken.
//!
//! A newcomer would expect every engine to know every way: [`crate::Protocol::has`] says which it has.

use peaje_model::Secret;

/// Whether `caching_sha2_password` caches who has been authenticated in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum AuthCache {
    /// Until `flush privileges`.
    #[default]
    Kept,
    /// The fast path is never taken.
    Off,
}

/// How users prove who they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Auth {
    /// Everybody is let in.
    #[default]
    Trust,
    /// The password in clear (inside TLS, if there is TLS): PostgreSQL's `password`, MySQL's `mysql_clear_password`, SQL
    /// Server's own logins.
    Password {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// PostgreSQL's `md5`.
    Md5 {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// PostgreSQL's SCRAM-SHA-256, over TLS also SCRAM-SHA-256-PLUS.
    Scram {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// MySQL's and MariaDB's `mysql_native_password`.
    MysqlNative {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// MySQL's `caching_sha2_password`: the first login is authenticated in full, later ones from the server's cache.
    CachingSha2 {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// MySQL's `sha256_password`: every login is authenticated in full.
    Sha256 {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// MariaDB's `ed25519`.
    Ed25519 {
        /// The only user.
        user: String,
        /// Its password.
        password: Secret,
    },
}

impl Auth {
    /// Its name, as its engine calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Password { .. } => "password",
            Self::Md5 { .. } => "md5",
            Self::Scram { .. } => "scram-sha-256",
            Self::MysqlNative { .. } => "mysql_native_password",
            Self::CachingSha2 { .. } => "caching_sha2_password",
            Self::Sha256 { .. } => "sha256_password",
            Self::Ed25519 { .. } => "ed25519",
        }
    }
}
