//! What an experiment is given besides its plan: the observer, the host, the guards, and somebody to tell.

use std::sync::Arc;
use std::time::Duration;

use peaje_engine::Observer;
use peaje_host::Host;
use peaje_model::Gap;

use crate::Stop;
use crate::account::note;

/// Reads the server's CPU time so far; `None` when it cannot be read (any more).
pub type ServerCpu = Arc<dyn Fn() -> Option<Duration> + Send + Sync>;

/// What protects a server that peaje did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guards {
    /// The server is somebody's production.
    pub production: bool,
    /// Rejected logins do not stop the run (only on servers that peaje started).
    pub expect_rejects: bool,
}

/// Something a person may want to see while the run goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A stage of a series begins.
    Stage {
        /// Position of the series.
        series: usize,
        /// Whether its figures are thrown away.
        warm_up: bool,
    },
    /// Progress of the whole run.
    Progress {
        /// Part of the run that is done, 0 to 1.
        done: f64,
        /// Completed operations per second over the last moments.
        rate_per_s: f64,
        /// Failed operations so far.
        failed: u64,
    },
}

/// Everything around the plan.
pub struct Context {
    /// The server's own account, when it could be reached.
    pub observer: Option<Box<dyn Observer>>,
    /// The server's CPU, when it is local.
    pub server_cpu: Option<ServerCpu>,
    /// Step in which that CPU is counted (10 ms in `/proc`): a series that used only a few steps has no figure.
    pub server_cpu_step: Duration,
    /// CPU of threads of this process that belong to an embedded server: not the client's.
    pub embedded: bool,
    /// This machine.
    pub host: Arc<dyn Host>,
    /// Whether the server runs on this machine.
    pub local: bool,
    /// Protection of production.
    pub guards: Guards,
    /// Stops the run.
    pub stop: Stop,
    /// Told what happens; must return at once.
    pub tell: Box<dyn Fn(Event)>,
}

impl Context {
    /// The observer does not answer any more: the run goes on without it.
    pub(crate) fn lose_observer(&mut self, gaps: &mut Vec<Gap>) {
        self.observer = None;
        note(
            gaps,
            Gap {
                what: "the server's own account".to_owned(),
                why: "the observing session stopped answering during the run".to_owned(),
                next_step: Some(
                    "look at the server: it may be overloaded, or a network device dropped the session".to_owned(),
                ),
            },
        );
    }
}
