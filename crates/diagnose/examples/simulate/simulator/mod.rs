//! Clients of a database, simulated event by event, and what readings of such a server show.
//!
//! The models know nothing of the rules: they open and close sessions as pools, scripts and people do, and
//! [`observe`] looks at them as a collector does, at a random moment in every interval. What it cannot see (a session
//! between two readings) it does not tell.

mod classes;
mod crowd;
mod observe;
mod people;
mod pool;

pub(crate) use classes::{Class, Expected};
#[allow(unused_imports, reason = "the example and the tests use different parts")]
pub(crate) use observe::{Bearer, View, observe};
#[allow(unused_imports, reason = "the example and the tests use different parts")]
pub(crate) use pool::{Demand, Eviction, Lifetime, PoolPlan, run_pool};

/// How long the simulated sessions are watched, seconds.
pub(crate) const WATCHED_S: f64 = 14_400.0;

/// One session; times are seconds, 0 is the start of the watch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    /// Which application.
    pub(crate) app: usize,
    /// Which process.
    pub(crate) process: u64,
    /// Which pool of it.
    pub(crate) pool: u64,
    /// Login.
    pub(crate) opened: f64,
    /// Logout; infinite when it outlives the watch.
    pub(crate) closed: f64,
    /// When it was at work, in order.
    pub(crate) busy: Vec<(f64, f64)>,
    /// Whether it ended without a goodbye.
    pub(crate) abandoned: bool,
}

impl Session {
    /// A session that works from its login to its logout.
    pub(crate) fn at_work(app: usize, process: u64, opened: f64, closed: f64) -> Self {
        Self { app, process, pool: 0, opened, closed, busy: vec![(opened, closed)], abandoned: false }
    }
}

/// A failed login.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Failure {
    /// When.
    pub(crate) at: f64,
    /// Whether it was a port check and no failure at all.
    pub(crate) probe: bool,
}

/// Everything that happens on a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct World {
    /// Names of the applications, by number.
    pub(crate) apps: Vec<String>,
    /// All sessions.
    pub(crate) sessions: Vec<Session>,
    /// All failed logins.
    pub(crate) failures: Vec<Failure>,
    /// How long it is watched, seconds.
    pub(crate) watched_s: f64,
}

impl World {
    /// A server with one application.
    pub(crate) fn of(sessions: Vec<Session>) -> Self {
        Self { apps: vec!["app".to_owned()], sessions, failures: Vec::new(), watched_s: WATCHED_S }
    }
}
