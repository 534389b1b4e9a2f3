//! Operations of an open loop that are due, and the slots in which they run.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use peaje_engine::Connector;

use crate::kept::Kept;

/// What a worker keeps between its operations.
pub(crate) struct Slot<C: Connector> {
    pub(crate) session: Option<Kept<C>>,
    /// Failures one after the other.
    pub(crate) failures: u32,
}

impl<C: Connector> Slot<C> {
    pub(crate) fn new() -> Self {
        Self { session: None, failures: 0 }
    }
}

/// Operations that are due, and the room for them.
pub(crate) struct Queue<C: Connector> {
    state: RefCell<QueueState<C>>,
    idle: tokio::sync::Notify,
}

struct QueueState<C: Connector> {
    /// Instants at which waiting operations were due, oldest first.
    waiting: VecDeque<Instant>,
    /// Slots that no operation uses.
    free: Vec<Slot<C>>,
    in_use: u32,
    most: u32,
}

/// What becomes of an operation that is due.
pub(crate) enum Entry<C: Connector> {
    /// It starts in this slot.
    Now(Slot<C>),
    /// It waits.
    Queued,
    /// Too many wait already.
    Full,
}

/// Operations that wait at most: what comes beyond is skipped, so that memory stays bounded.
const MOST_WAITING: usize = 1_000_000;

impl<C: Connector> Queue<C> {
    pub(crate) fn new(most: u32) -> Self {
        let state = QueueState { waiting: VecDeque::new(), free: Vec::new(), in_use: 0, most: most.max(1) };
        Self { state: RefCell::new(state), idle: tokio::sync::Notify::new() }
    }

    /// An operation is due.
    pub(crate) fn enter(&self, due: Instant) -> Entry<C> {
        let mut state = self.state.borrow_mut();
        if state.in_use < state.most {
            state.in_use += 1;
            return Entry::Now(state.free.pop().unwrap_or_else(Slot::new));
        }
        if state.waiting.len() >= MOST_WAITING {
            return Entry::Full;
        }
        state.waiting.push_back(due);
        Entry::Queued
    }

    /// The next operation that has not waited longer than a client would, and how many had.
    pub(crate) fn next(&self, patience: Duration) -> (Option<Instant>, u64) {
        let mut state = self.state.borrow_mut();
        let mut given_up = 0;
        while let Some(due) = state.waiting.pop_front() {
            if due.elapsed() <= patience {
                return (Some(due), given_up);
            }
            given_up += 1;
        }
        (None, given_up)
    }

    /// Forgets the operations that wait; returns how many.
    pub(crate) fn give_up(&self) -> u64 {
        let mut state = self.state.borrow_mut();
        let waiting = state.waiting.len() as u64;
        state.waiting.clear();
        waiting
    }

    /// The slot is free again.
    pub(crate) fn leave(&self, slot: Slot<C>) {
        let mut state = self.state.borrow_mut();
        state.free.push(slot);
        state.in_use -= 1;
        if state.in_use == 0 {
            self.idle.notify_one();
        }
    }

    /// Waits until nothing is in flight.
    pub(crate) async fn idle(&self) {
        loop {
            if self.state.borrow().in_use == 0 {
                return;
            }
            self.idle.notified().await;
        }
    }

    /// The slots, with the sessions they keep.
    pub(crate) fn take_slots(&self) -> Vec<Slot<C>> {
        std::mem::take(&mut self.state.borrow_mut().free)
    }
}
