//! What the analysis of a group starts from: its bins, and the lives of its sessions.
//!
//! Whoever builds this scales its times beforehand (`WatchResult::time_scale`); the rules know one clock only.

use peaje_model::{FailedLogins, GroupKind};

/// One bin of a group's series.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bin {
    /// Start, seconds since the start of the window.
    pub at_s: f64,
    /// Logins; fractions come from readings that do not fall on the edges of bins.
    pub logins: f64,
    /// Logouts.
    pub logouts: f64,
    /// Open sessions at the end of the bin; `None` when not seen.
    pub sessions: Option<f64>,
    /// Of these, at work.
    pub active: Option<f64>,
    /// Requests.
    pub requests: Option<f64>,
    /// Failed logins.
    pub failed: Option<FailedLogins>,
    /// Uses of pooled sessions.
    pub reuses: Option<f64>,
    /// Sessions that ended without a goodbye.
    pub abandoned: Option<f64>,
    /// Clients waiting in a pooler's queue.
    pub waiting: Option<f64>,
}

/// A session that was seen, open still or ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// Login, seconds since the start of the window; negative when it was open before.
    pub opened_s: f64,
    /// Logout; `None` while it is open.
    pub closed_s: Option<f64>,
    /// How exactly the logout is known, seconds (distance of the readings around it).
    pub closed_within_s: f64,
    /// How long it had been idle at its end (or is now); `None` when not known or at work.
    pub idle_s: Option<f64>,
    /// Whether it ever ran a statement.
    pub used: Option<bool>,
    /// The client's process: equal values are the same process.
    pub process: Option<u64>,
    /// User and database: equal values are the same pool of one process.
    pub pool: u64,
}

/// The series of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupSeries {
    /// Which server.
    pub server: String,
    /// The group's name.
    pub name: String,
    /// What its sessions have in common.
    pub kind: GroupKind,
    /// Length of a bin, seconds.
    pub bin_s: f64,
    /// Known bins in the order of time; what is missing between them is a gap.
    pub bins: Vec<Bin>,
    /// Sessions seen.
    pub lives: Vec<Life>,
    /// Share of the group's logins whose session was seen; `None` where there is nothing to compare with.
    pub coverage: Option<f64>,
    /// Times the counters started anew within the window.
    pub resets: u64,
    /// The limit its sessions count against.
    pub limit: Option<u64>,
}
