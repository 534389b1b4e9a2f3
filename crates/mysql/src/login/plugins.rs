//! The authentication plugins that are spoken, and who could read along.

use crate::protocol::plugin;

/// The plugins that are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plugin {
    Native,
    CachingSha2,
    Sha256,
    Ed25519,
    Cleartext,
    /// PAM's questions.
    Dialog,
    /// Of before version 4.1.
    Old,
}

impl Plugin {
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        use Plugin::{CachingSha2, Cleartext, Dialog, Ed25519, Native, Old, Sha256};
        const ALL: [Plugin; 7] = [Native, CachingSha2, Sha256, Ed25519, Cleartext, Dialog, Old];
        ALL.into_iter().find(|known| known.name().as_bytes() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Plugin::Native => plugin::NATIVE,
            Plugin::CachingSha2 => plugin::CACHING_SHA2,
            Plugin::Sha256 => plugin::SHA256,
            Plugin::Ed25519 => plugin::ED25519,
            Plugin::Cleartext => plugin::CLEARTEXT,
            Plugin::Dialog => plugin::DIALOG,
            Plugin::Old => plugin::OLD_PASSWORD,
        }
    }

    /// The spelling of the run file.
    pub(super) const fn method(self) -> &'static str {
        match self {
            Plugin::Native => "mysql-native-password",
            Plugin::CachingSha2 => "caching-sha2-password-fast",
            Plugin::Sha256 => "sha256-password",
            Plugin::Ed25519 => "ed25519",
            Plugin::Cleartext => "cleartext",
            Plugin::Dialog => "pam",
            Plugin::Old => "mysql-old-password",
        }
    }
}

/// Who else can read along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    /// Anybody in between.
    None,
    /// Nobody: TLS.
    Tls,
    /// Nobody outside of this machine.
    Socket,
    /// Nobody at all.
    TlsOverSocket,
}

impl Protection {
    pub(super) fn is_encrypted(self) -> bool {
        matches!(self, Protection::Tls | Protection::TlsOverSocket)
    }

    pub(super) fn is_local(self) -> bool {
        matches!(self, Protection::Socket | Protection::TlsOverSocket)
    }
}
