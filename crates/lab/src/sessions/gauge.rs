//! Live counts for a screen and for guards, read at any time from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// Counts since the first login; `held` is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    /// Sessions open now.
    pub held: u64,
    /// Logins that succeeded, of probes and churn too.
    pub opened: u64,
    /// Logins that failed.
    pub failed: u64,
    /// Sessions that the server ended.
    pub dropped: u64,
}

/// The counts of one process.
#[derive(Debug, Default)]
pub(super) struct Counters {
    held: AtomicU64,
    opened: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> State {
        State {
            held: self.held.load(Relaxed),
            opened: self.opened.load(Relaxed),
            failed: self.failed.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
        }
    }

    /// What another process says of its own.
    pub(super) fn set(&self, state: State) {
        self.held.store(state.held, Relaxed);
        self.opened.store(state.opened, Relaxed);
        self.failed.store(state.failed, Relaxed);
        self.dropped.store(state.dropped, Relaxed);
    }

    /// A session is held.
    pub(super) fn hold(&self) {
        self.held.fetch_add(1, Relaxed);
    }

    /// A session is held no more, because we let it go.
    pub(super) fn let_go(&self) {
        self.held.fetch_sub(1, Relaxed);
    }

    /// The server has ended a session.
    pub(super) fn drop_one(&self) {
        self.dropped.fetch_add(1, Relaxed);
        self.held.fetch_sub(1, Relaxed);
    }

    pub(super) fn login(&self, succeeded: bool) {
        let count = if succeeded { &self.opened } else { &self.failed };
        count.fetch_add(1, Relaxed);
    }

    /// The process is gone, and its sessions with it.
    pub(super) fn lose_all(&self) -> u64 {
        let lost = self.held.swap(0, Relaxed);
        self.dropped.fetch_add(lost, Relaxed);
        lost
    }
}

/// The counts of all processes together.
#[derive(Debug, Clone)]
pub struct Gauge {
    parts: Arc<[Arc<Counters>]>,
    /// Sessions end now because we close them.
    closing: Arc<AtomicBool>,
}

impl Gauge {
    pub(super) fn new(parts: impl IntoIterator<Item = Arc<Counters>>) -> Self {
        Self { parts: parts.into_iter().collect(), closing: Arc::default() }
    }

    /// The counts now. Those of worker processes are up to a tenth of a second old.
    pub fn read(&self) -> State {
        self.parts.iter().map(|part| part.read()).fold(State::default(), |sum, part| State {
            held: sum.held + part.held,
            opened: sum.opened + part.opened,
            failed: sum.failed + part.failed,
            dropped: sum.dropped + part.dropped,
        })
    }

    /// From here on it says nothing of the server that no session is left.
    pub(super) fn close(&self) {
        self.closing.store(true, Relaxed);
    }

    /// Sessions are opened again.
    pub(super) fn open(&self) {
        self.closing.store(false, Relaxed);
    }

    /// Asked after the server has ended a session: whether it was the last one, and the server is gone. `None` = some
    /// are left.
    pub(super) fn all_dropped(&self) -> Option<u64> {
        let state = self.read();
        (state.held == 0 && state.dropped > 0 && !self.closing.load(Relaxed)).then_some(state.dropped)
    }
}
