//! The words that settings may take, typed.

use std::path::PathBuf;

use peaje_model::TlsMode;

/// A setting with a closed list of spellings.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every spelling, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// PostgreSQL's spelling.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// From PostgreSQL's spelling.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// `sslmode`, from none to the strictest.
    SslMode {
        /// Never TLS.
        Disable = "disable",
        /// Without TLS first, with TLS if the server refuses that.
        Allow = "allow",
        /// TLS if the server offers it.
        Prefer = "prefer",
        /// TLS; the certificate is not checked (unless a root certificate file is there, as in libpq).
        Require = "require",
        /// TLS, and the certificate's issuer is checked.
        VerifyCa = "verify-ca",
        /// TLS, and the certificate's issuer and host name are checked.
        VerifyFull = "verify-full",
    }
}

impl SslMode {
    /// This mode under `--tls`: TLS that is asked for is at least required, and never checked less than the URL wants.
    #[must_use]
    pub fn under(self, tls: TlsMode) -> Self {
        match tls {
            TlsMode::AsUrl => self,
            TlsMode::Off => SslMode::Disable,
            TlsMode::Full | TlsMode::Resumed => self.max(SslMode::Require),
        }
    }
}

words! {
    /// `sslnegotiation`: how TLS begins.
    SslNegotiation {
        /// Ask first (SSLRequest).
        Postgres = "postgres",
        /// TLS at once (server version 17 or later).
        Direct = "direct",
    }
}

words! {
    /// `channel_binding`: whether SCRAM is bound to the TLS channel.
    ChannelBindingMode {
        /// Never.
        Disable = "disable",
        /// When the server offers it.
        Prefer = "prefer",
        /// Always; anything else is refused.
        Require = "require",
    }
}

words! {
    /// `target_session_attrs`: which server of several hosts will do.
    TargetSessionAttrs {
        /// The first that answers.
        Any = "any",
        /// One that accepts writes.
        ReadWrite = "read-write",
        /// One whose sessions are read-only.
        ReadOnly = "read-only",
        /// Not a standby.
        Primary = "primary",
        /// A standby.
        Standby = "standby",
        /// A standby if there is one, else any.
        PreferStandby = "prefer-standby",
    }
}

words! {
    /// `ssl_min_protocol_version` and `ssl_max_protocol_version`.
    TlsVersion {
        /// TLS 1.0: not spoken by peaje.
        Tls10 = "TLSv1",
        /// TLS 1.1: not spoken by peaje.
        Tls11 = "TLSv1.1",
        /// TLS 1.2.
        Tls12 = "TLSv1.2",
        /// TLS 1.3.
        Tls13 = "TLSv1.3",
    }
}

words! {
    /// A method named in `require_auth`.
    AuthWord {
        /// Password in clear.
        Password = "password",
        /// MD5 challenge.
        Md5 = "md5",
        /// Kerberos by GSSAPI.
        Gss = "gss",
        /// Windows' own.
        Sspi = "sspi",
        /// SCRAM, bound to the channel or not.
        ScramSha256 = "scram-sha-256",
        /// OAuth bearer token (version 18).
        Oauth = "oauth",
        /// No authentication at all.
        None = "none",
    }
}

/// How a login was authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuthMethod {
    /// No password asked for.
    Trust,
    /// Password in clear.
    Password,
    /// MD5 challenge.
    Md5,
    /// SCRAM-SHA-256.
    ScramSha256,
    /// SCRAM-SHA-256-PLUS (bound to the TLS channel).
    ScramSha256Plus,
}

impl AuthMethod {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            AuthMethod::Trust => "trust",
            AuthMethod::Password => "password",
            AuthMethod::Md5 => "md5",
            AuthMethod::ScramSha256 => "scram-sha-256",
            AuthMethod::ScramSha256Plus => "scram-sha-256-plus",
        }
    }
}

impl AuthWord {
    /// The word that covers this method.
    pub fn of(method: AuthMethod) -> Self {
        match method {
            AuthMethod::Trust => AuthWord::None,
            AuthMethod::Password => AuthWord::Password,
            AuthMethod::Md5 => AuthWord::Md5,
            AuthMethod::ScramSha256 | AuthMethod::ScramSha256Plus => AuthWord::ScramSha256,
        }
    }
}

/// `require_auth`: methods the client insists on, or refuses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RequireAuth {
    /// Whatever the server asks for.
    #[default]
    Any,
    /// One of these.
    OneOf(Vec<AuthWord>),
    /// None of these.
    NoneOf(Vec<AuthWord>),
}

impl RequireAuth {
    /// Whether a login by this method is acceptable.
    pub fn allows(&self, method: AuthMethod) -> bool {
        self.allows_word(AuthWord::of(method))
    }

    /// Whether this word is acceptable.
    pub fn allows_word(&self, word: AuthWord) -> bool {
        match self {
            RequireAuth::Any => true,
            RequireAuth::OneOf(words) => words.contains(&word),
            RequireAuth::NoneOf(words) => !words.contains(&word),
        }
    }
}

/// `sslrootcert`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootCert {
    /// A file of PEM certificates.
    File(PathBuf),
    /// The operating system's trust store (`system`).
    System,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_tls_only_makes_stricter_or_switches_off() {
        use SslMode::{Allow, Disable, Prefer, Require, VerifyCa, VerifyFull};
        for mode in [Disable, Allow, Prefer, Require, VerifyCa, VerifyFull] {
            assert_eq!(mode.under(TlsMode::AsUrl), mode);
            assert_eq!(mode.under(TlsMode::Off), Disable);
        }
        for tls in [TlsMode::Full, TlsMode::Resumed] {
            for mode in [Disable, Allow, Prefer, Require] {
                assert_eq!(mode.under(tls), Require);
            }
            assert_eq!(VerifyCa.under(tls), VerifyCa);
            assert_eq!(VerifyFull.under(tls), VerifyFull);
        }
    }
}
