//! The words that settings may take, typed.

use std::time::Duration;

use peaje_model::TlsMode;

/// What is encrypted, from nothing to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encrypt {
    /// No TLS at all: the password travels as good as in clear. No driver of Microsoft does this when TLS can be had.
    Off,
    /// The login message only (`Encrypt=optional`, `false`, `no`), or everything if the server insists. The handshake
    /// is paid all the same, and nothing is verified.
    LoginOnly,
    /// Everything (`Encrypt=mandatory`, `true`, `yes`).
    On,
    /// Everything, from the first byte (`Encrypt=strict`, TDS 8.0).
    Strict,
}

impl Encrypt {
    /// The spelling of connection strings; `disable` is that of other drivers than Microsoft's.
    pub const fn name(self) -> &'static str {
        match self {
            Encrypt::Off => "disable",
            Encrypt::LoginOnly => "optional",
            Encrypt::On => "mandatory",
            Encrypt::Strict => "strict",
        }
    }

    /// From the spelling of any driver.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "disable" => Some(Encrypt::Off),
            "optional" | "false" | "no" | "0" => Some(Encrypt::LoginOnly),
            "mandatory" | "true" | "yes" | "1" => Some(Encrypt::On),
            "strict" => Some(Encrypt::Strict),
            _ => None,
        }
    }

    /// This setting under `--tls`: off means no TLS at all; TLS that is asked for covers the whole session, and is
    /// never weaker than the connection string wants.
    #[must_use]
    pub fn under(self, tls: TlsMode) -> Self {
        match tls {
            TlsMode::AsUrl => self,
            TlsMode::Off => Encrypt::Off,
            TlsMode::Full | TlsMode::Resumed => self.max(Encrypt::On),
        }
    }
}

/// `ApplicationIntent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ApplicationIntent {
    /// Reads and writes.
    #[default]
    ReadWrite,
    /// Only reads: an availability group may send the login to a readable secondary.
    ReadOnly,
}

/// The pool that the application's string asks for; `None` = the driver's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PoolSettings {
    /// `Pooling`.
    pub enabled: bool,
    /// `Min Pool Size` (default of ADO.NET: 0).
    pub min: Option<u32>,
    /// `Max Pool Size` (default of ADO.NET: 100).
    pub max: Option<u32>,
    /// `Load Balance Timeout`, also `Connection Lifetime`: longest life of a pooled session; `None` = without limit.
    pub lifetime: Option<Duration>,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self { enabled: true, min: None, max: None, lifetime: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_tls_only_makes_stricter_or_switches_off() {
        use Encrypt::{LoginOnly, Off, On, Strict};
        for encrypt in [Off, LoginOnly, On, Strict] {
            assert_eq!(encrypt.under(TlsMode::AsUrl), encrypt);
            assert_eq!(encrypt.under(TlsMode::Off), Off);
            assert_eq!(Encrypt::from_name(encrypt.name()), Some(encrypt));
        }
        for tls in [TlsMode::Full, TlsMode::Resumed] {
            assert_eq!([Off, LoginOnly, On, Strict].map(|e| e.under(tls)), [On, On, On, Strict]);
        }
    }
}
