//! The cumulative counters of a server, by name, and differences of them.
//!
//! Each is known or not on its own: a server that does not count requests still counts logins.

use peaje_engine::WatchCounters;

/// A cumulative counter of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Logins of clients.
    Logins,
    /// Sessions that ended.
    Logouts,
    /// Failed logins.
    Failed,
    /// Of these, wrong password or unknown login.
    FailedCredentials,
    /// Of these, refused because a limit was reached.
    FailedLimit,
    /// Connections that never spoke.
    Probes,
    /// Sessions that ended without a goodbye.
    Abandoned,
    /// Uses of a pooled session.
    Resets,
    /// Requests.
    Requests,
    /// Logins over TLS.
    TlsLogins,
}

impl Counter {
    /// How many there are.
    pub const COUNT: usize = 10;
    /// All of them, in the order of the record.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Logins,
        Self::Logouts,
        Self::Failed,
        Self::FailedCredentials,
        Self::FailedLimit,
        Self::Probes,
        Self::Abandoned,
        Self::Resets,
        Self::Requests,
        Self::TlsLogins,
    ];

    /// Its column's name in exports and in the CSV files that are replayed.
    pub fn column(self) -> &'static str {
        match self {
            Self::Logins => "logins_total",
            Self::Logouts => "logouts_total",
            Self::Failed => "failed_total",
            Self::FailedCredentials => "failed_credentials_total",
            Self::FailedLimit => "failed_limit_total",
            Self::Probes => "probes_total",
            Self::Abandoned => "abandoned_total",
            Self::Resets => "resets_total",
            Self::Requests => "requests_total",
            Self::TlsLogins => "tls_logins_total",
        }
    }

    /// Its value in a reading.
    pub fn of(self, counters: &WatchCounters) -> Option<u64> {
        match self {
            Self::Logins => counters.logins_total,
            Self::Logouts => counters.logouts_total,
            Self::Failed => counters.failed_total,
            Self::FailedCredentials => counters.failed_credentials_total,
            Self::FailedLimit => counters.failed_limit_total,
            Self::Probes => counters.probes_total,
            Self::Abandoned => counters.abandoned_total,
            Self::Resets => counters.resets_total,
            Self::Requests => counters.requests_total,
            Self::TlsLogins => counters.tls_logins_total,
        }
    }

    /// Where its value stands in a reading.
    pub fn place(self, counters: &mut WatchCounters) -> &mut Option<u64> {
        match self {
            Self::Logins => &mut counters.logins_total,
            Self::Logouts => &mut counters.logouts_total,
            Self::Failed => &mut counters.failed_total,
            Self::FailedCredentials => &mut counters.failed_credentials_total,
            Self::FailedLimit => &mut counters.failed_limit_total,
            Self::Probes => &mut counters.probes_total,
            Self::Abandoned => &mut counters.abandoned_total,
            Self::Resets => &mut counters.resets_total,
            Self::Requests => &mut counters.requests_total,
            Self::TlsLogins => &mut counters.tls_logins_total,
        }
    }
}

/// Differences of the counters between two readings. `None`: not known, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes(pub(crate) [Option<u64>; Counter::COUNT]);

impl Changes {
    /// The difference of one counter.
    pub fn get(&self, counter: Counter) -> Option<u64> {
        self.0[counter as usize]
    }

    pub(crate) fn set(&mut self, counter: Counter, value: Option<u64>) {
        self.0[counter as usize] = value;
    }
}
