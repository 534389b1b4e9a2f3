//! What a thread, or a worker process, answers to an order.

use peaje_engine::Failure;
use peaje_model::DroppedSessions;
use serde::{Deserialize, Serialize};

use super::drops::Drops;
use super::tally::Tally;
use super::times::{Span, Times};

/// The answer to any order; what an order does not concern stays empty.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Report {
    /// Logins.
    pub(super) tally: Tally,
    /// Queries (of a probe, warm statements of a session together), or closes.
    pub(super) uses: Uses,
    /// From the first login, query or close to the end of the last.
    pub(super) span: Span,
    /// Sessions held now.
    pub(super) held: u64,
    /// Sessions that the server has ended since the report before.
    pub(super) drops: Vec<DroppedSessions>,
}

/// What was done with sessions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Uses {
    /// Those that succeeded.
    pub(super) times: Times,
    pub(super) failed: u64,
    /// Sessions that were not given the time to leave.
    pub(super) cut_off: u64,
    pub(super) last_failure: Option<String>,
}

impl Uses {
    pub(super) fn fail(&mut self, failure: &Failure) {
        self.failed += 1;
        self.last_failure = Some(failure.words());
    }
}

impl Report {
    /// Adds the report of another thread or process on its part of the same order.
    pub(super) fn merge(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.uses.times.0.merge(&other.uses.times.0);
        self.uses.failed += other.uses.failed;
        self.uses.cut_off += other.uses.cut_off;
        self.uses.last_failure = self.uses.last_failure.take().or(other.uses.last_failure);
        self.span.merge(other.span);
        self.held += other.held;
        let mut drops = Drops::default();
        drops.merge(&self.drops);
        drops.merge(&other.drops);
        self.drops = drops.list();
    }
}
