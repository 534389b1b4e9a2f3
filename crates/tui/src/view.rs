//! What the screen shows: the figures of one moment, made by the command from what the collector knows.
//!
//! A figure that is not known is `None`. A newcomer would put 0 there: on this screen a 0 is a measured 0.

use peaje_model::{FailedLogins, Finding, GroupKind, WatchGap, WatchGroup, WhatAnswered};

/// Figures of the last intervals, oldest first; `None` where there was a gap.
pub type History = Vec<Option<f64>>;

/// Everything there is to show at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// When: RFC 3339, UTC.
    pub at: String,
    /// The viewer's clock against UTC, seconds; 0 shows UTC and says so.
    pub utc_offset_s: i32,
    /// Mean time between two readings, seconds.
    pub interval_s: f64,
    /// The servers, in the order in which they were named.
    pub servers: Vec<ServerView>,
    /// The groups, of all kinds; instances are shown with their server.
    pub groups: Vec<GroupView>,
    /// What was found, most important first; those that are healthy or cannot say are not shown.
    pub findings: Vec<Finding>,
    /// Stretches without figures, oldest first.
    pub gaps: Vec<WatchGap>,
    /// Share of the logins counted by the servers whose session was seen.
    pub coverage: Option<f64>,
    /// When the evidence will suffice for a verdict: RFC 3339; `None` when it does, or when nobody can say.
    pub verdict_at: Option<String>,
    /// The file that is written (or replayed).
    pub recording: Option<String>,
    /// What the viewer has to know beside the figures ("recording stopped: no space left"), in sentences.
    pub notes: Vec<String>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerView {
    /// `host:port`, as in [`WatchGroup::server`].
    pub server: String,
    /// What answered; `None` before the first answer.
    pub answered: Option<WhatAnswered>,
    /// Whether it is read at present.
    pub status: ServerStatus,
    /// Readings so far: views come more often than readings of one server, and its plain line only with a new one.
    pub readings: u64,
    /// Figures of the last interval.
    pub now: Figures,
    /// Sessions that clients may open (the limit without what is kept back for administrators).
    pub limit: Option<u64>,
    /// Most sessions since the server's start.
    pub peak_sessions: Option<u64>,
    /// Logins per second, interval by interval.
    pub logins: History,
    /// Logouts per second, interval by interval.
    pub logouts: History,
    /// Share of the open sessions that are encrypted.
    pub encrypted: Option<f64>,
    /// How old the open sessions are.
    pub ages: Option<Ages>,
    /// Authentication methods and their share of the open sessions, most frequent first.
    pub authentication: Vec<(String, f64)>,
    /// Share of the open sessions that never ran a statement.
    pub never_used: Option<f64>,
    /// Failed logins in the window.
    pub failed: Option<FailedLogins>,
}

/// Whether a server is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerStatus {
    /// No reading yet, or only the first: rates need two.
    #[default]
    Starting,
    /// The last reading succeeded.
    Read,
    /// It cannot be read at present; [`View::gaps`] says why.
    Gap,
}

/// How old open sessions are: known from the first reading on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ages {
    /// Half of them are older, seconds.
    pub median_s: f64,
    /// The oldest, seconds.
    pub oldest_s: f64,
    /// How far the server tells.
    pub exactness: Exactness,
}

/// Whether an age is the time since the login, or at least so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exactness {
    /// The server keeps the time of each login.
    #[default]
    Exact,
    /// It tells since when a session does what it does now: it is at least as old.
    AtLeast,
}

/// Figures of one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Logins per second.
    pub logins_per_s: Option<f64>,
    /// Logouts per second.
    pub logouts_per_s: Option<f64>,
    /// Open sessions.
    pub sessions: Option<f64>,
    /// Of these, at work.
    pub active: Option<f64>,
    /// Clients that wait for a session (a pooler's queue).
    pub waiting: Option<f64>,
}

/// One group and its recent past.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupView {
    /// The group, with its verdict.
    pub group: WatchGroup,
    /// Logins per second, interval by interval.
    pub logins: History,
}

impl View {
    /// The whole instance behind a server's address.
    pub(crate) fn instance(&self, server: &str) -> Option<&WatchGroup> {
        let is_it = |view: &&GroupView| view.group.kind == GroupKind::Instance && view.group.server == server;
        self.groups.iter().find(is_it).map(|view| &view.group)
    }
}
