//! What both sides can do: the capability flags of the greeting and of the client's answer.

/// Flags as the protocol numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Capabilities(pub(crate) u32);

impl Capabilities {
    pub(crate) const LONG_PASSWORD: Self = Self(1);
    pub(crate) const FOUND_ROWS: Self = Self(1 << 1);
    pub(crate) const LONG_FLAG: Self = Self(1 << 2);
    pub(crate) const CONNECT_WITH_DB: Self = Self(1 << 3);
    pub(crate) const ODBC: Self = Self(1 << 6);
    pub(crate) const IGNORE_SPACE: Self = Self(1 << 8);
    pub(crate) const PROTOCOL_41: Self = Self(1 << 9);
    pub(crate) const INTERACTIVE: Self = Self(1 << 10);
    pub(crate) const SSL: Self = Self(1 << 11);
    pub(crate) const TRANSACTIONS: Self = Self(1 << 13);
    pub(crate) const SECURE_CONNECTION: Self = Self(1 << 15);
    pub(crate) const MULTI_STATEMENTS: Self = Self(1 << 16);
    pub(crate) const MULTI_RESULTS: Self = Self(1 << 17);
    pub(crate) const PS_MULTI_RESULTS: Self = Self(1 << 18);
    pub(crate) const PLUGIN_AUTH: Self = Self(1 << 19);
    pub(crate) const CONNECT_ATTRS: Self = Self(1 << 20);
    pub(crate) const PLUGIN_AUTH_LENENC: Self = Self(1 << 21);
    pub(crate) const EXPIRED_PASSWORDS: Self = Self(1 << 22);
    pub(crate) const DEPRECATE_EOF: Self = Self(1 << 24);

    /// What this server offers, TLS aside. No compression: it is off in what is measured.
    pub(crate) const OFFERED: Self = Self(
        Self::LONG_PASSWORD.0
            | Self::FOUND_ROWS.0
            | Self::LONG_FLAG.0
            | Self::CONNECT_WITH_DB.0
            | Self::ODBC.0
            | Self::IGNORE_SPACE.0
            | Self::PROTOCOL_41.0
            | Self::INTERACTIVE.0
            | Self::TRANSACTIONS.0
            | Self::SECURE_CONNECTION.0
            | Self::MULTI_STATEMENTS.0
            | Self::MULTI_RESULTS.0
            | Self::PS_MULTI_RESULTS.0
            | Self::PLUGIN_AUTH.0
            | Self::CONNECT_ATTRS.0
            | Self::PLUGIN_AUTH_LENENC.0
            | Self::EXPIRED_PASSWORDS.0
            | Self::DEPRECATE_EOF.0,
    );

    pub(crate) fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    pub(crate) fn with(self, flag: Self) -> Self {
        Self(self.0 | flag.0)
    }

    pub(crate) fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }

    /// What both sides have.
    pub(crate) fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
