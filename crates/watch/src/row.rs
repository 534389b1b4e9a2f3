//! The rows of a record: what one reading of one server adds to what was known.
//!
//! A row holds differences, never rates, and it holds them only when both readings are of the same counters: with a
//! [`Cut`] there are none. A newcomer would look for the sessions in every row; only those that came or went are there.

use peaje_engine::{Apart, SessionRow};
use peaje_engine::{ServerIdentity, WatchCounters};
use peaje_model::{Gap, WhatAnswered};

pub(crate) use crate::counter::{Changes, Counter};

/// Why a reading has no difference to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cut {
    /// There is none before it.
    First,
    /// The server was started anew in between.
    Restarted,
    /// The counters started anew, or one of them fell.
    CountersReset,
    /// Another server answered.
    AnotherServer,
    /// The server's clock and ours disagree about the length of the interval.
    ClockStep,
    /// The server could not be read in between.
    Unreachable,
    /// Nobody read: the watch was not running, or was suspended.
    NotSampled,
}

impl Cut {
    /// The reason as the run file names it; `None` for the first reading, which is no gap.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::First => None,
            Self::Restarted => Some("restarted"),
            Self::CountersReset => Some("counters-reset"),
            Self::AnotherServer => Some("another-server"),
            Self::ClockStep => Some("clock-step"),
            Self::Unreachable => Some("unreachable"),
            Self::NotSampled => Some("not-sampled"),
        }
    }

    /// Whether counters have a new origin after it.
    pub fn is_reset(self) -> bool {
        matches!(self, Self::Restarted | Self::CountersReset | Self::AnotherServer)
    }
}

/// Whose session it is: everything that many sessions share. Stored once and named by a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Origin {
    /// Program name; empty when the client gives none.
    pub application: String,
    /// Host name or address; empty over a local socket.
    pub host: String,
    /// Login name.
    pub user: String,
    /// Database.
    pub database: String,
    /// How it authenticated.
    pub authentication: Option<String>,
    /// Whether it is encrypted.
    pub encrypted: Option<bool>,
    /// Why it does not count as a client's: `replication`, `server-agent` or `own`.
    pub apart: Option<&'static str>,
}

impl Origin {
    /// Of a session.
    pub fn of(row: &SessionRow) -> Self {
        Self {
            application: row.application.clone(),
            host: row.host.clone(),
            user: row.user.clone(),
            database: row.database.clone(),
            authentication: row.authentication.clone(),
            encrypted: row.encrypted,
            apart: row.apart.map(|apart| match apart {
                Apart::Replication => "replication",
                Apart::ServerAgent => "server-agent",
                Apart::Peaje => "own",
            }),
        }
    }

    /// What it is grouped by: the application, or its user where it gives no name.
    pub fn group(&self) -> &str {
        if !self.application.is_empty() {
            &self.application
        } else if self.user.is_empty() {
            "(no name)"
        } else {
            &self.user
        }
    }

    /// The name of its group: `application @ host`.
    pub fn name(&self) -> String {
        format!("{} @ {}", self.group(), self.from())
    }

    /// Where it comes from, in words.
    pub fn from(&self) -> &str {
        if self.host.is_empty() { "local" } else { &self.host }
    }
}

/// A session that was seen for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Birth {
    /// Its number in the record; never used again.
    pub serial: u64,
    /// The server's number for it.
    pub id: u64,
    /// Login, microseconds since 1970 on the server's clock, to the millisecond.
    pub opened_us: i64,
    /// Number of its origin.
    pub origin: u32,
    /// The client's process.
    pub process: Option<u64>,
    /// Found open: its login is not one of the interval's.
    pub found: bool,
}

/// A session that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Death {
    /// Its number in the record.
    pub serial: u64,
    /// Since when it had been idle when it was last seen, microseconds on the server's clock, to the millisecond.
    pub idle_since_us: Option<i64>,
    /// Whether it had ever run a statement.
    pub used: Option<bool>,
}

/// What an open session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    /// Since when it is idle, as in [`Death::idle_since_us`]; `None` when at work or not known.
    pub idle_since_us: Option<i64>,
    /// Whether it ever ran a statement.
    pub used: Option<bool>,
}

/// The open sessions at a reading. Written now and then: it would be most of the record otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picture {
    /// What each open session does, in the order of their serials.
    States(Vec<State>),
    /// Everything about each of them: a record can begin here.
    Whole(Vec<(Birth, State)>),
}

/// A successful reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interval {
    /// The server's clock at the reading, microseconds since 1970.
    pub server_us: i64,
    /// Length since the reading before, on the server's clock; 0 with a cut.
    pub length_us: u64,
    /// Why there is no difference.
    pub cut: Option<Cut>,
    /// Differences; all unknown with a cut.
    pub changes: Changes,
    /// Open sessions.
    pub sessions: Option<u64>,
    /// Of these, at work.
    pub active: Option<u64>,
    /// Clients in a pooler's queue.
    pub waiting: Option<u64>,
    /// Whether the sessions could be listed.
    pub seen: bool,
    /// Who answered: at the first reading, when it changed, and with a whole picture.
    pub identity: Option<ServerIdentity>,
    /// The raw counters, where [`Self::identity`] is given.
    pub totals: Option<WatchCounters>,
    /// What could not be read, when that changed, and with a whole picture.
    pub missing: Option<Vec<Gap>>,
    /// Origins that occur for the first time, or again after they were forgotten.
    pub origins: Vec<(u32, Origin)>,
    /// Sessions that came.
    pub births: Vec<Birth>,
    /// Sessions that went, by serial.
    pub deaths: Vec<Death>,
    /// Sessions at work by origin.
    pub busy: Vec<(u32, u32)>,
    /// The open sessions, now and then.
    pub picture: Option<Picture>,
}

/// What was learnt about a server when the watch logged in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerNote {
    /// Nominal time between two readings, microseconds.
    pub interval_us: u64,
    /// Most sessions it allows.
    pub limit: Option<u64>,
    /// What answered.
    pub what_answered: Option<WhatAnswered>,
}

/// A reading that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// Why, in the server's or the system's words.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// What a row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The watch logged in.
    Server(Box<ServerNote>),
    /// A reading succeeded.
    Interval(Box<Interval>),
    /// A reading failed.
    Missed(Missed),
}

/// One row of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// When, microseconds since 1970 on the watch's clock, which never steps within one watch.
    pub at_us: i64,
    /// What.
    pub what: What,
}

impl Row {
    /// The reading, when it is one.
    pub fn interval(&self) -> Option<&Interval> {
        match &self.what {
            What::Interval(interval) => Some(interval),
            What::Server(_) | What::Missed(_) => None,
        }
    }
}
