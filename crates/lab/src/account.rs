//! Readings at the edges of a slice, and samples within it: what the server and this machine say beside the workers.

use std::time::{Duration, Instant};

use peaje_engine::{Observer, ProcessCpu, SessionCounters, SessionSample, ThreadCpu};
use peaje_host::NetworkReading;
use peaje_model::{Gap, NetworkCounters};

use crate::Context;

/// How long a slice waits for its sessions to leave the server before the counters are read.
///
/// Behind a pooler, or beside another run, sessions of the same name stay: one long wait shows that, and is enough.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(Duration::from_secs(5))
    }
}

impl Patience {
    fn lost(&mut self) {
        self.0 = Duration::from_millis(100);
    }
}

/// Everything read at one edge of a slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    counters: Option<SessionCounters>,
    server_cpu: Option<Duration>,
    at: Instant,
    process: ProcessCpu,
    orchestrator: ThreadCpu,
    network: NetworkReading,
}

/// Differences between the edges of the slices of one series, added up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Account {
    slices: u32,
    /// `None` as soon as one slice could not be counted.
    logins: Option<u64>,
    pub(crate) server_cpu: Option<Duration>,
    /// Time between the edges: a little more than the slices, because sessions end after the last operation.
    pub(crate) between_edges: Duration,
    pub(crate) client_cpu: Duration,
    pub(crate) network: NetworkCounters,
    pub(crate) samples: SessionSample,
}

impl Edge {
    /// Waits until our sessions have left, then reads everything. Runs on the orchestrator's thread.
    pub(crate) async fn read(context: &mut Context, gaps: &mut Vec<Gap>, patience: &mut Patience) -> Self {
        let counters = match &mut context.observer {
            Some(observer) => {
                let settled = settled_counters(observer.as_mut(), gaps, patience).await;
                if settled.is_none() {
                    context.lose_observer(gaps);
                }
                settled.flatten()
            }
            None => None,
        };
        Self {
            counters,
            server_cpu: context.server_cpu.as_ref().and_then(|read| read()),
            at: Instant::now(),
            process: ProcessCpu::now(),
            orchestrator: ThreadCpu::now(),
            network: context.host.network(),
        }
    }
}

/// An observer that needs longer than this for one answer is given up: it must not hold the run.
const OBSERVER_LIMIT: Duration = Duration::from_secs(3);

/// An answer of the observer, if it comes in time.
pub(crate) async fn in_time<T>(answer: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(OBSERVER_LIMIT, answer).await.ok()
}

/// Counters once no session of ours is left (or the patience is over: then a gap says so). `None` = the observer does
/// not answer any more.
async fn settled_counters(
    observer: &mut dyn Observer,
    gaps: &mut Vec<Gap>,
    patience: &mut Patience,
) -> Option<Option<SessionCounters>> {
    let mut pause = Duration::from_millis(1);
    let deadline = tokio::time::Instant::now() + patience.0;
    loop {
        match in_time(observer.counters()).await? {
            Ok(counters) if counters.own_sessions == 0 => return Some(Some(counters)),
            Ok(counters) if tokio::time::Instant::now() >= deadline => {
                patience.lost();
                note(
                    gaps,
                    Gap {
                        what: observer.source(),
                        why: format!(
                            "{} sessions of this run were still open at the edge of a slice",
                            counters.own_sessions
                        ),
                        next_step: Some("the server's login counter may differ by as many".to_owned()),
                    },
                );
                return Some(Some(counters));
            }
            Ok(_) => {}
            Err(gap) => {
                note(gaps, gap);
                return Some(None);
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Notes a gap once.
pub(crate) fn note(gaps: &mut Vec<Gap>, gap: Gap) {
    if !gaps.iter().any(|known| known.what == gap.what) {
        gaps.push(gap);
    }
}

impl Account {
    /// Adds one slice. In an embedded server's process, its CPU is not the client's.
    pub(crate) fn add(&mut self, before: &Edge, after: &Edge, embedded: bool, gaps: &mut Vec<Gap>) {
        if before.counters.zip(after.counters).is_some_and(|(a, b)| a.origin != b.origin) {
            note(
                gaps,
                Gap {
                    what: "the server's login counter".to_owned(),
                    why: "it was reset, or the server was started anew, during the run".to_owned(),
                    next_step: Some("measure again while nobody resets the statistics".to_owned()),
                },
            );
        }
        let first = self.slices == 0;
        self.slices += 1;
        let logins = counted(before.counters.as_ref(), after.counters.as_ref());
        self.logins = if first { logins } else { self.logins.zip(logins).map(|(a, b)| a + b) };
        self.between_edges += after.at - before.at;
        let server = before.server_cpu.zip(after.server_cpu).map(|(a, b)| b.saturating_sub(a));
        self.server_cpu = if first { server } else { self.server_cpu.zip(server).map(|(a, b)| a + b) };
        let not_ours = after.orchestrator.since(before.orchestrator)
            + if embedded { server.unwrap_or_default() } else { Duration::ZERO };
        self.client_cpu += after.process.since(before.process).saturating_sub(not_ours);
        let network = after.network.since(before.network);
        self.network.listen_overflows = plus(self.network.listen_overflows, network.listen_overflows);
        self.network.listen_drops = plus(self.network.listen_drops, network.listen_drops);
        self.network.syn_cookies = plus(self.network.syn_cookies, network.syn_cookies_sent);
        self.network.retransmits = plus(self.network.retransmits, network.retransmits);
        self.network.time_wait = after.network.time_wait;
    }

    /// Logins by the server's own count; `None` when a slice could not be counted.
    pub(crate) fn logins(&self) -> Option<u64> {
        self.logins
    }
}

/// A reset or a restart between the edges leaves no difference to take.
fn counted(before: Option<&SessionCounters>, after: Option<&SessionCounters>) -> Option<u64> {
    let (before, after) = before.zip(after)?;
    if before.origin != after.origin {
        return None;
    }
    after.logins_total?.checked_sub(before.logins_total?)
}

fn plus(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (None, more) => more,
        (sum, None) => sum,
        (Some(sum), Some(more)) => Some(sum + more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(logins: u64, origin: u64) -> SessionCounters {
        SessionCounters { logins_total: Some(logins), own_sessions: 0, origin: Some(origin) }
    }

    #[test]
    fn a_reset_between_the_edges_gives_no_figure() {
        assert_eq!(counted(Some(&counters(10, 1)), Some(&counters(35, 1))), Some(25));
        assert_eq!(counted(Some(&counters(10, 1)), Some(&counters(35, 2))), None);
        assert_eq!(counted(Some(&counters(10, 1)), Some(&counters(5, 1))), None);
        assert_eq!(counted(None, Some(&counters(5, 1))), None);
    }

    fn edge(logins: Option<u64>) -> Edge {
        Edge {
            counters: logins.map(|l| counters(l, 1)),
            server_cpu: None,
            at: Instant::now(),
            process: ProcessCpu::now(),
            orchestrator: ThreadCpu::now(),
            network: NetworkReading::default(),
        }
    }

    #[test]
    fn one_slice_without_a_count_leaves_the_series_without_one() {
        let mut account = Account::default();
        account.add(&edge(Some(1)), &edge(Some(4)), false, &mut Vec::new());
        account.add(&edge(Some(4)), &edge(Some(9)), false, &mut Vec::new());
        assert_eq!(account.logins(), Some(8));
        account.add(&edge(None), &edge(Some(9)), false, &mut Vec::new());
        assert_eq!(account.logins(), None);
        account.add(&edge(Some(9)), &edge(Some(12)), false, &mut Vec::new());
        assert_eq!(account.logins(), None, "a later slice must not start a new count");
    }
}
