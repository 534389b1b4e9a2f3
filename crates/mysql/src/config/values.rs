//! Settings that have a closed list of spellings.

use peaje_model::TlsMode;

/// `ssl-mode`: whether and how strictly TLS is used; the order is that of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SslMode {
    /// Never.
    Disabled,
    /// When the server offers it; not over a Unix socket. A handshake that fails is a failure, as in MySQL's clients.
    Preferred,
    /// Always; nothing is verified.
    Required,
    /// Always, with the chain verified.
    VerifyCa,
    /// Always, with chain and host name verified.
    VerifyIdentity,
}

impl SslMode {
    /// Every mode.
    pub const ALL: [SslMode; 5] =
        [SslMode::Disabled, SslMode::Preferred, SslMode::Required, SslMode::VerifyCa, SslMode::VerifyIdentity];

    /// The spelling of MySQL's clients.
    pub const fn name(self) -> &'static str {
        match self {
            SslMode::Disabled => "DISABLED",
            SslMode::Preferred => "PREFERRED",
            SslMode::Required => "REQUIRED",
            SslMode::VerifyCa => "VERIFY_CA",
            SslMode::VerifyIdentity => "VERIFY_IDENTITY",
        }
    }

    /// Reads a mode in the spelling of MySQL's clients or MariaDB Connector/J (`trust`, `verify-full`), in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().replace('-', "_").as_str() {
            "DISABLED" | "DISABLE" | "FALSE" => SslMode::Disabled,
            "PREFERRED" | "PREFER" => SslMode::Preferred,
            "REQUIRED" | "REQUIRE" | "TRUST" => SslMode::Required,
            "VERIFY_CA" => SslMode::VerifyCa,
            "VERIFY_IDENTITY" | "VERIFY_FULL" => SslMode::VerifyIdentity,
            _ => return None,
        })
    }

    /// This mode under `--tls`: TLS that is asked for is at least required, and never checked less than the URL wants.
    #[must_use]
    pub fn under(self, tls: TlsMode) -> Self {
        match tls {
            TlsMode::AsUrl => self,
            TlsMode::Off => SslMode::Disabled,
            TlsMode::Full | TlsMode::Resumed => self.max(SslMode::Required),
        }
    }
}

/// The TLS versions spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// 1.2.
    Tls12,
    /// 1.3.
    Tls13,
}

impl TlsVersion {
    /// Reads `TLSv1.2` or `TLSv1.3`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_uppercase().as_str() {
            "TLSV1.3" => Some(TlsVersion::Tls13),
            "TLSV1.2" => Some(TlsVersion::Tls12),
            _ => None,
        }
    }

    /// Whether it names a version that is not spoken any more.
    pub(super) fn is_outdated(name: &str) -> bool {
        matches!(name.trim().to_ascii_uppercase().as_str(), "TLSV1" | "TLSV1.0" | "TLSV1.1")
    }
}

/// Whether a password may leave in clear when the server asks for it (`mysql_clear_password`, `dialog`). Even then it
/// does so only over TLS or a Unix socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cleartext {
    /// Never: any server could ask.
    #[default]
    Never,
    /// Over an encrypted or local connection (`enable-cleartext-plugin`).
    WhenProtected,
}

/// Whether a password may leave in the form of versions before 4.1 (`mysql_old_password`), out of which it can be
/// computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OldPassword {
    /// Never: any server could ask.
    #[default]
    Never,
    /// Yes (`secure-auth=false`, `skip-secure-auth`, `allowOldPasswords`).
    Allowed,
}

/// Whether the server may send the RSA key with which the password is encrypted where there is no TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PublicKeyRetrieval {
    /// No: whoever stands in between could send a key of its own.
    #[default]
    Never,
    /// Yes (`get-server-public-key`, `allowPublicKeyRetrieval`).
    Allowed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_the_modes() {
        for mode in SslMode::ALL {
            assert_eq!(SslMode::from_name(mode.name()), Some(mode));
            assert_eq!(SslMode::from_name(&mode.name().to_lowercase().replace('_', "-")), Some(mode));
        }
        assert_eq!(SslMode::from_name("trust"), Some(SslMode::Required));
        assert_eq!(SslMode::from_name("verify-full"), Some(SslMode::VerifyIdentity));
        assert_eq!(SslMode::from_name("on"), None);
    }

    #[test]
    fn the_option_tls_only_makes_stricter_or_switches_off() {
        use SslMode::{Disabled, Preferred, Required, VerifyCa, VerifyIdentity};
        for mode in SslMode::ALL {
            assert_eq!(mode.under(TlsMode::AsUrl), mode);
            assert_eq!(mode.under(TlsMode::Off), Disabled);
        }
        for tls in [TlsMode::Full, TlsMode::Resumed] {
            for mode in [Disabled, Preferred, Required] {
                assert_eq!(mode.under(tls), Required);
            }
            assert_eq!((VerifyCa.under(tls), VerifyIdentity.under(tls)), (VerifyCa, VerifyIdentity));
        }
    }
}
