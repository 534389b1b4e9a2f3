//! What each stage of the experiment gives back.

use std::collections::BTreeMap;

use peaje_model::{
    AuthSeen, Counts, LatencySummary, OutcomeCount, Phase, PhaseSummary, SessionStep, StepChurn, StepProbe, TlsSeen,
};

/// Sessions were opened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Opened {
    /// Held now.
    pub sessions: u64,
    /// To be held.
    pub wanted: u64,
    /// Opened in this step.
    pub opened: u64,
    /// Logins that failed in this step.
    pub failed: u64,
    /// Sessions that the server ended since the step before.
    pub dropped: u64,
    /// The logins of this step by fate; what a stop left unopened is `skipped`.
    pub counts: Counts,
    /// From the start of the first login to the end of the last, seconds.
    pub seconds: f64,
    /// Each login, microseconds.
    pub login_us: LatencySummary,
    /// Where its time went, microseconds.
    pub phases_us: BTreeMap<Phase, PhaseSummary>,
    /// One network round trip, the least seen, microseconds.
    pub rtt_us: Option<f64>,
    /// How the logins ended.
    pub outcomes: Vec<OutcomeCount>,
    /// TLS as it happened.
    pub tls_seen: Vec<TlsSeen>,
    /// Authentication as it happened.
    pub auth_seen: Vec<AuthSeen>,
    /// The logins as HdrHistogram V2, base64.
    pub login_histogram: String,
}

impl Opened {
    /// What the step of the run file takes from it.
    pub fn step(&self) -> SessionStep {
        SessionStep {
            sessions: self.sessions,
            wanted: self.wanted,
            opened: self.opened,
            failed: self.failed,
            dropped: self.dropped,
            seconds: self.seconds,
            login_us: self.login_us,
            phases_us: self.phases_us.clone(),
            ..SessionStep::default()
        }
    }
}

/// Sessions have worked for the first time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warmed {
    /// Sessions in which all statements ended well.
    pub sessions: u64,
    /// From the first to the last, seconds.
    pub seconds: f64,
    /// All statements of a session together, microseconds.
    pub warm_us: LatencySummary,
    /// Sessions in which a statement failed.
    pub failed: u64,
    /// Words of one of the failures.
    pub last_failure: Option<String>,
}

/// What a probe is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbePlan {
    /// Logins, one after the other; each session is closed again.
    pub logins: u64,
    /// Queries on held sessions in turn, one after the other.
    pub queries: u64,
    /// Share of the sessions that work while the queries are repeated, 0 to 1; 0 = none.
    pub active: f64,
    /// How long they work at least, seconds.
    pub active_s: f64,
}

/// What a probe saw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Probed {
    /// For the run file.
    pub probe: StepProbe,
    /// Logins and queries that failed, those of the working sessions too.
    pub failed: u64,
    /// Words of one of the failures.
    pub last_failure: Option<String>,
}

/// Sessions were closed and opened again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Churned {
    /// For the run file; context switches are the caller's.
    pub churn: StepChurn,
    /// Logins that succeeded.
    pub logins: u64,
    /// Logins that failed: as many sessions fewer are held.
    pub failed: u64,
    /// From the first to the last, seconds.
    pub seconds: f64,
}

/// Sessions were closed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Closed {
    /// Closed as the plan wants it.
    pub sessions: u64,
    /// From the first close to the end of the last, seconds.
    pub seconds: f64,
    /// Each close, microseconds.
    pub close_us: LatencySummary,
    /// Closes that failed; these sessions are gone too.
    pub failed: u64,
    /// Sessions that were not given the time to leave: their connections were just closed.
    pub cut_off: u64,
}
