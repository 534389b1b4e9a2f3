//! Sessions that are opened, held, probed, churned and closed: thousands of them, in this process or in several.
//!
//! A newcomer would give each session a task. Here each thread keeps its sessions on a shelf, and a socket that becomes
//! readable rings a bell: an idle session costs no CPU, and no more memory than its socket and a waker.
//!
//! ```text
//! Held ── orders ──> Crew ──> threads of this process (holder.rs: shelf, bell, orders)
//!      <── reports ──      └─> worker processes (process.rs), each with a Crew of threads (work.rs)
//! ```

mod active;
mod bell;
mod churn;
mod close;
mod crew;
mod drops;
mod gauge;
mod held;
mod holder;
mod opening;
mod order;
mod places;
mod process;
mod queries;
mod report;
mod results;
mod shelf;
mod tally;
mod thread;
mod times;
mod work;

use serde::{Deserialize, Serialize};

pub use gauge::{Gauge, State};
pub use held::Held;
pub use places::{sources_needed, workers_needed};
pub use results::{Churned, Closed, Opened, ProbePlan, Probed, Warmed};
pub use work::{refuse, work};

/// What sessions are made with.
#[derive(Debug, Clone)]
pub struct HoldPlan<C> {
    /// Logs in; its query is the trivial one of probes and working sessions.
    pub connector: C,
    /// One connector for each statement that a session runs once, in turn, to be no longer a session that never worked.
    pub warm: Vec<C>,
    /// How many, how long.
    pub numbers: HoldNumbers,
}

/// Figures of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HoldNumbers {
    /// Logins in flight at most; 1 = strictly one after the other.
    pub concurrency: u32,
    /// Threads at most, over all processes.
    pub threads: u32,
    /// Limit of each login, seconds.
    pub login_timeout_s: f64,
    /// Rejected logins do not stop the run (only on servers that peaje started).
    pub expect_rejects: bool,
}

impl HoldNumbers {
    fn login_timeout(self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.login_timeout_s.clamp(0.001, 1e6))
    }
}

/// Why sessions cannot be held, before the first login.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeldError {
    /// No thread, or no runtime for it, could be made.
    #[error("no thread could be started to hold sessions: {0}; look at the limits of processes and memory")]
    Thread(#[source] std::io::Error),
    /// A worker process could not be started.
    #[error("no worker process could be started to hold sessions: {0}; look at the limits of processes and memory")]
    Process(#[source] std::io::Error),
    /// A worker process could not begin, and said why.
    #[error("a worker process cannot hold sessions: {0}")]
    Refused(String),
    /// What came over the pipe between peaje and its worker is not what one of the same version says.
    #[error("peaje and its worker process do not understand each other: {0}; are they of one version?")]
    Words(String),
}
