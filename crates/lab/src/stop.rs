//! How a run ends before its time: Ctrl-C aborts, a stop rule drains.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use peaje_engine::Failure;
use peaje_model::{OutcomeKind, Phase};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// Why a run was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopRule {
    /// Ctrl-C or a termination signal: operations in flight are aborted.
    Interrupted,
    /// A login was rejected: more of them could lock the account.
    Rejected(String),
    /// The server has no session left.
    ServerFull(String),
    /// Nothing has worked for a while.
    ServerGone(String),
    /// This machine cannot open more connections.
    Generator(String),
    /// Too few sessions are free for the load.
    FreeSessions(String),
    /// Other clients fail more than before.
    OtherClients(String),
    /// Too little memory is left on the server's machine, or in its control group.
    MemoryFloor(String),
    /// The server's machine swaps.
    Swap(String),
}

impl StopRule {
    /// The word of the run file.
    pub const fn name(&self) -> &'static str {
        match self {
            StopRule::Interrupted => "interrupted",
            StopRule::Rejected(_) => "rejected",
            StopRule::ServerFull(_) => "server-full",
            StopRule::ServerGone(_) => "server-gone",
            StopRule::Generator(_) => "generator",
            StopRule::FreeSessions(_) => "free-sessions",
            StopRule::OtherClients(_) => "other-clients",
            StopRule::MemoryFloor(_) => "memory-floor",
            StopRule::Swap(_) => "swap",
        }
    }

    /// The words for a person.
    pub fn message(&self) -> &str {
        match self {
            StopRule::Interrupted => "interrupted",
            StopRule::Rejected(m)
            | StopRule::ServerFull(m)
            | StopRule::ServerGone(m)
            | StopRule::Generator(m)
            | StopRule::FreeSessions(m)
            | StopRule::OtherClients(m)
            | StopRule::MemoryFloor(m)
            | StopRule::Swap(m) => m,
        }
    }
}

/// Shared between the command (signals), the orchestrator and the workers. The first rule wins.
#[derive(Debug, Clone)]
pub struct Stop {
    rule: Arc<watch::Sender<Option<StopRule>>>,
    /// Read before each operation; cheaper than the channel.
    draining: Arc<AtomicBool>,
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    /// Nothing has stopped yet.
    pub fn new() -> Self {
        Self { rule: Arc::new(watch::channel(None).0), draining: Arc::default() }
    }

    /// Stops the run. Only the first call counts, except that an interruption turns draining into aborting.
    pub fn stop(&self, rule: StopRule) {
        self.rule.send_if_modified(|current| {
            let replace =
                current.is_none() || (rule == StopRule::Interrupted && *current != Some(StopRule::Interrupted));
            if replace {
                *current = Some(rule);
            }
            replace
        });
        self.draining.store(true, Ordering::Release);
    }

    /// The rule that stopped the run.
    pub fn rule(&self) -> Option<StopRule> {
        self.rule.borrow().clone()
    }

    /// Whether no new operation may start.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Waits until operations in flight have to be aborted.
    pub async fn aborted(&self) {
        let mut rule = self.rule.subscribe();
        // The sender lives as long as `self`, so this ends only with an interruption.
        let _ = rule.wait_for(|r| *r == Some(StopRule::Interrupted)).await;
    }

    /// Waits until a rule has stopped the run that is not the known one.
    pub(crate) async fn other_than(&self, known: Option<&StopRule>) -> Option<StopRule> {
        let mut rule = self.rule.subscribe();
        rule.wait_for(|rule| rule.is_some() && rule.as_ref() != known).await.ok()?.clone()
    }

    /// Waits until any rule has stopped the run.
    pub async fn stopped(&self) {
        let mut rule = self.rule.subscribe();
        let _ = rule.wait_for(Option::is_some).await;
    }
}

/// Watches the outcomes of all workers and applies the stop rules.
#[derive(Debug)]
pub(crate) struct Watchdog {
    stop: Stop,
    started: Instant,
    /// Failures since the last success.
    failures: AtomicU64,
    /// When the last success was, milliseconds after `started`.
    last_success_ms: AtomicU64,
    tolerate_rejects: bool,
    tolerate_full: bool,
    enough_failures: u64,
}

/// Without one success for this long, and failures from every worker, the server counts as gone.
const GONE_AFTER: Duration = Duration::from_secs(2);

impl Watchdog {
    pub(crate) fn new(stop: Stop, guards: crate::Guards, concurrency: u32) -> Self {
        Self {
            stop,
            started: Instant::now(),
            failures: AtomicU64::new(0),
            last_success_ms: AtomicU64::new(0),
            tolerate_rejects: guards.expect_rejects,
            tolerate_full: !guards.production,
            enough_failures: u64::from(concurrency).clamp(3, 50),
        }
    }

    pub(crate) fn success(&self) {
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
        self.last_success_ms.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        let words = || failure.words();
        // A query that fails locks no account: only a rejected login stops the run.
        let in_login = failure.phase != Some(Phase::FirstQuery);
        match failure.kind {
            OutcomeKind::Rejected if in_login && !self.tolerate_rejects => self.stop.stop(StopRule::Rejected(words())),
            OutcomeKind::ServerFull if !self.tolerate_full => self.stop.stop(StopRule::ServerFull(words())),
            OutcomeKind::Rejected => {}
            kind => self.count(kind, words),
        }
    }

    fn count(&self, kind: OutcomeKind, words: impl Fn() -> String) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let last = Duration::from_millis(self.last_success_ms.load(Ordering::Relaxed));
        if failures < self.enough_failures || self.started.elapsed().saturating_sub(last) < GONE_AFTER {
            return;
        }
        self.stop.stop(match kind {
            OutcomeKind::Generator => StopRule::Generator(words()),
            OutcomeKind::ServerFull => StopRule::ServerFull(words()),
            _ => StopRule::ServerGone(words()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_wins_but_an_interruption_aborts() {
        let stop = Stop::new();
        assert!(!stop.is_draining());
        stop.stop(StopRule::ServerFull("full".into()));
        stop.stop(StopRule::ServerGone("gone".into()));
        assert_eq!(stop.rule(), Some(StopRule::ServerFull("full".into())));
        stop.stop(StopRule::Interrupted);
        assert_eq!(stop.rule(), Some(StopRule::Interrupted));
        assert!(stop.is_draining());
    }

    fn watchdog(production: bool, expect_rejects: bool) -> (Stop, Watchdog) {
        let stop = Stop::new();
        let guards = crate::Guards { production, expect_rejects };
        (stop.clone(), Watchdog::new(stop, guards, 10))
    }

    #[test]
    fn one_rejected_login_stops_unless_expected() {
        let rejected = Failure::new(OutcomeKind::Rejected, "password authentication failed").code("28P01");
        let (stop, dog) = watchdog(true, false);
        dog.failure(&rejected);
        assert_eq!(stop.rule().map(|r| r.name()), Some("rejected"));
        let (stop, dog) = watchdog(false, true);
        dog.failure(&rejected);
        assert_eq!(stop.rule(), None);
    }

    #[test]
    fn a_full_server_stops_only_in_production() {
        let full = Failure::new(OutcomeKind::ServerFull, "too many clients").code("53300");
        let (stop, dog) = watchdog(true, false);
        dog.failure(&full);
        assert_eq!(stop.rule().map(|r| r.name()), Some("server-full"));
        let (stop, dog) = watchdog(false, false);
        dog.failure(&full);
        assert_eq!(stop.rule(), None);
    }

    #[test]
    fn many_failures_without_success_mean_that_the_server_is_gone() {
        let (stop, mut dog) = watchdog(false, false);
        let refused = Failure::new(OutcomeKind::Refused, "connection refused");
        for _ in 0..100 {
            dog.failure(&refused);
        }
        assert_eq!(stop.rule(), None, "not before {GONE_AFTER:?} without success");
        dog.started = Instant::now().checked_sub(GONE_AFTER).expect("the clock is past its first seconds");
        dog.failure(&refused);
        assert_eq!(stop.rule().map(|r| r.name()), Some("server-gone"));
    }
}
