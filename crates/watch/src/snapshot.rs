//! What screens and the Prometheus endpoint read: the latest figures, made ready once per reading.
//!
//! Snapshots are shared and never changed, so whoever draws them slowly disturbs nobody. `None` is unknown, never 0.

use std::sync::Arc;

use peaje_engine::WatchCounters;
use peaje_model::{Gap, WhatAnswered};

use crate::metrics::Histogram;

/// Points of a history.
pub const HISTORY: usize = 60;

/// All servers at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// When the last of them changed, microseconds since 1970.
    pub at_us: i64,
    /// Nominal time between two readings, seconds.
    pub interval_s: f64,
    /// The servers, in the order they were given.
    pub servers: Vec<Arc<ServerSnapshot>>,
    /// The recording, when there is one.
    pub recording: Option<RecordingState>,
}

/// How a server is doing, as the watch sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ServerState {
    /// No reading yet.
    #[default]
    Starting,
    /// Readings succeed.
    Watching,
    /// It cannot be read.
    Lost {
        /// Since when.
        since_us: i64,
        /// Why.
        message: String,
        /// What to do next.
        hint: Option<String>,
        /// When the watch tries again.
        next_try_us: i64,
    },
    /// It refuses us: trying on could lock the account.
    GivenUp {
        /// Why.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
}

/// One server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerSnapshot {
    /// Its label (`host:port`).
    pub server: String,
    /// What answered.
    pub what_answered: Option<WhatAnswered>,
    /// How it is doing.
    pub state: ServerState,
    /// Its last reading; 0 before the first.
    pub at_us: i64,
    /// Readings since the watch began.
    pub readings: u64,
    /// Its raw counters at the last reading; [`WatchCounters::since_us`] is their start.
    pub counters: WatchCounters,
    /// When this watch began.
    pub since_us: i64,
    /// Most sessions it allows.
    pub limit: Option<u64>,
    /// Rates of the last interval; `None` in a gap.
    pub rates: Option<Rates>,
    /// The last points, oldest first.
    pub history: Vec<Point>,
    /// What its sessions do.
    pub states: SessionStates,
    /// How old its open sessions are; `None` where they cannot be seen, or when there are none.
    pub ages: Option<Ages>,
    /// How its open sessions authenticated, in the server's words, most frequent first; those of which it does not tell
    /// are left out.
    pub authentication: Vec<(String, u64)>,
    /// Lives of the sessions that ended since the watch began.
    pub lives: Histogram,
    /// Its largest groups by logins seen, then sessions; the rest, when there is one, is `other` and last.
    pub groups: Vec<GroupSnapshot>,
    /// Gaps since the watch began.
    pub gaps: u64,
    /// Times the counters got a new origin since the watch began.
    pub resets: u64,
    /// What could not be read last time.
    pub missing: Vec<Gap>,
}

/// Rates of one interval, per second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// Logins.
    pub logins_per_s: Option<f64>,
    /// Logouts.
    pub logouts_per_s: Option<f64>,
    /// Failed logins.
    pub failed_per_s: Option<f64>,
    /// Requests.
    pub requests_per_s: Option<f64>,
    /// Uses of pooled sessions.
    pub resets_per_s: Option<f64>,
    /// Share of the logins that paid for TLS.
    pub tls_share: Option<f64>,
    /// Length of the interval, seconds.
    pub length_s: f64,
}

/// One point of a server's history.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// When.
    pub at_us: i64,
    /// Logins.
    pub logins_per_s: Option<f32>,
    /// Logouts.
    pub logouts_per_s: Option<f32>,
    /// Failed logins.
    pub failed_per_s: Option<f32>,
    /// Open sessions.
    pub sessions: Option<f32>,
}

/// What the sessions of clients do; `None` where they cannot be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionStates {
    /// At work.
    pub active: Option<u64>,
    /// Waiting for a request.
    pub idle: Option<u64>,
    /// Waiting within a transaction.
    pub idle_in_transaction: Option<u64>,
    /// Never ran a statement (they are counted in their state as well); `None` where the server does not tell.
    pub never_used: Option<u64>,
    /// Encrypted.
    pub encrypted: Option<u64>,
}

/// How old the open sessions of clients are. Known from the first reading on, long before any rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ages {
    /// Half of them are older than this, seconds.
    pub median_s: f64,
    /// The oldest, seconds.
    pub oldest_s: f64,
}

/// One group of sessions: `application @ host`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupSnapshot {
    /// `application @ host`, or `other`.
    pub name: String,
    /// Application; its user where it gives no name.
    pub application: String,
    /// Host; `local` over a local socket.
    pub host: String,
    /// Open sessions.
    pub sessions: u64,
    /// Of these, at work.
    pub active: u64,
    /// Of these, waiting within a transaction.
    pub idle_in_transaction: u64,
    /// Share of the open sessions that are encrypted.
    pub encrypted: Option<f64>,
    /// Open sessions that never ran a statement.
    pub never_used: Option<u64>,
    /// Logins seen since the watch began. Short sessions are missed. `other` has those that were seen while their group
    /// was part of it: a group that comes or goes moves no count.
    pub logins_total: u64,
    /// Logouts, likewise.
    pub logouts_total: u64,
    /// Logins seen in the last interval; `None` in a gap.
    pub logins_per_s: Option<f64>,
    /// The last of these, oldest first.
    pub history: Vec<Option<f32>>,
}

/// How the recording is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordingState {
    /// Rows are written.
    Recording {
        /// Rows written since the watch began.
        rows: u64,
    },
    /// They cannot be written now (the disk is full, …). The watch goes on; what was written stays.
    Waiting {
        /// Since when.
        since_us: i64,
        /// Why, and what to do.
        message: String,
        /// Rows that wait in memory.
        rows_waiting: u64,
        /// Rows that were given up, because too many waited.
        rows_lost: u64,
    },
    /// The recording ended; the watch goes on.
    Failed {
        /// Why.
        message: String,
    },
}
