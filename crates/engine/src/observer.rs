//! The server's own account, read on one persistent session beside the measurement.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use peaje_model::{Fact, Gap, WhatAnswered};

use crate::Failure;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Cumulative counters, read at the edges of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionCounters {
    /// Logins since the server's own origin; `None` when it does not count them.
    pub logins_total: Option<u64>,
    /// Sessions of this run that are open right now.
    pub own_sessions: u64,
    /// When the counters were last reset, in the server's words: another value means another origin.
    pub origin: Option<u64>,
}

/// This run's sessions as the server sees them at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionSample {
    /// Sessions of this run.
    pub sessions: u64,
    /// Of these, encrypted in the server's view.
    pub encrypted: u64,
}

/// What went wrong for anybody's sessions, cumulative: refused, failed, or ended by force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Troubles {
    /// How many.
    pub total: u64,
    /// Over how long they were counted, by the server's clock.
    pub counted_for: Duration,
}

/// Room for sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionLimits {
    /// Most sessions the server (database, role: the least of them) allows.
    pub limit: u64,
    /// Open now.
    pub in_use: u64,
    /// Kept back for administrators.
    pub reserved: u64,
}

impl SessionLimits {
    /// Sessions that are free now.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.in_use).saturating_sub(self.reserved)
    }

    /// Sessions peaje allows itself on somebody's production: half of the free ones, and never the last 10.
    pub fn allowed(&self) -> u64 {
        (self.free() / 2).min(self.free().saturating_sub(10))
    }
}

/// How a gap names what [`Observer::session_memory`] could not read.
pub const SESSION_MEMORY: &str = "memory of sessions";

/// What helps where a server does not tell its memory, or not all of it.
pub const OBSERVE_THERE: &str = "run `peaje sessions --observe` on the server's machine and read it with --observed-by";

/// Which sessions a figure of memory speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// All sessions that this login may see, and nothing else.
    EverySession,
    /// More than sessions: only its growth with them says something.
    WholeServer,
    /// The observer's own session, which stands for one that has worked a little.
    ThisSession,
}

/// What the server's own views say that sessions take: what it allocated, not what its machine gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMemory {
    /// Bytes.
    pub bytes: u64,
    /// Sessions that `bytes` covers; the observer's own is among them.
    pub sessions: u64,
    /// Sessions that the server counts, everybody's, as far as this login may know.
    pub open: u64,
    /// Which ones they are.
    pub covers: Covers,
    /// Where it was read.
    pub source: String,
    /// What is missing from it.
    pub gaps: Vec<Gap>,
}

/// What is missing when the observer cannot log in at all.
pub fn gap_of(failure: &Failure) -> Gap {
    Gap {
        what: "the server's own counters".to_owned(),
        why: format!("the observing session could not log in: {}", failure.message),
        next_step: failure.hint.clone(),
    }
}

/// One persistent session with its own program name; its own login is over before the first reading.
pub trait Observer: Send {
    /// What answered.
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>>;

    /// Settings and views worth keeping; what could not be read is a gap and ends nothing.
    fn facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)>;

    /// Room for sessions.
    fn limits(&mut self) -> Boxed<'_, Result<SessionLimits, Gap>>;

    /// Cumulative counters.
    fn counters(&mut self) -> Boxed<'_, Result<SessionCounters, Gap>>;

    /// This run's sessions now.
    fn sample(&mut self) -> Boxed<'_, Result<SessionSample, Gap>>;

    /// What goes wrong for other clients too; a server that counts no such thing is a gap.
    fn troubles(&mut self) -> Boxed<'_, Result<Troubles, Gap>> {
        Box::pin(async {
            Err(Gap {
                what: "failures of other clients".to_owned(),
                why: "this server does not count them".to_owned(),
                next_step: None,
            })
        })
    }

    /// What the server's own views say that sessions take, for a server on another machine.
    fn session_memory(&mut self) -> Boxed<'_, Result<SessionMemory, Gap>> {
        Box::pin(async {
            Err(Gap {
                what: SESSION_MEMORY.to_owned(),
                why: "this server does not tell it".to_owned(),
                next_step: Some(OBSERVE_THERE.to_owned()),
            })
        })
    }

    /// Settings and views that only a check needs: who may log in how, what the server recorded of slow logins.
    fn check_facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async { (Vec::new(), Vec::new()) })
    }

    /// Where the counters come from (`pg_stat_database.sessions`).
    fn source(&self) -> String;

    /// Says goodbye; just dropping it would look like an abandoned session.
    fn close(self: Box<Self>) -> Boxed<'static, ()>;
}
