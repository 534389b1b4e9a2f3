//! The boundary between an engine and an experiment.

use std::future::Future;
use std::task::{Context, Poll};

use crate::{Failure, Trace};

/// Logs in to one server, runs the query, says goodbye. Cheap to clone: workers hold a clone each.
///
/// An implementation enters each phase on the [`Trace`] as it begins and leaves the last one open; the caller stops
/// the trace. Nothing here times out by itself: the experiment wraps it.
pub trait Connector: Clone + Send + Sync + 'static {
    /// A connection that is logged in. Dropping it closes the socket without a goodbye.
    type Session: Send + 'static;

    /// Done once before the load: what must not be paid inside it (names that are resolved once).
    fn prepare(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Logs in: phases `resolve` to `session`. `attempt` numbers the logins of the run, to spread source addresses.
    fn log_in(&self, attempt: u64, trace: &mut Trace) -> impl Future<Output = Result<Self::Session, Failure>> + Send;

    /// Runs the query of the settings and reads the whole answer. The caller has entered the phase, if any.
    fn query(&self, session: &mut Self::Session, trace: &mut Trace)
    -> impl Future<Output = Result<(), Failure>> + Send;

    /// Gives back what an idle session does not need: it is going to be held for a while.
    fn settle(&self, _session: &mut Self::Session) {}

    /// Looks after an idle session: how the server has ended it, once it has. What it says that ends nothing (notices)
    /// is taken in. `Pending` = it lives, and the context is woken when there is something to look at.
    ///
    /// The failure has the server's code, or that of the system, or none when the server has closed without a word.
    fn poll_ended(&self, _session: &mut Self::Session, _context: &mut Context<'_>) -> Poll<Failure> {
        Poll::Pending
    }

    /// Says goodbye and closes as the settings want: phase `close`.
    fn close(&self, session: Self::Session, trace: &mut Trace) -> impl Future<Output = Result<(), Failure>> + Send;
}
