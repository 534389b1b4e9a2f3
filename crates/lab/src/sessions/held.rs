//! The sessions of one ladder, wherever they are held.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use peaje_engine::Connector;
use peaje_model::{DroppedSessions, LatencySummary, Secret, StepChurn, StepProbe};

use super::crew::{Crew, Part};
use super::drops::Drops;
use super::gauge::{Counters, Gauge, State};
use super::holder::Parts;
use super::order::{Beginning, Order};
use super::process::Starting;
use super::report::Report;
use super::results::{Churned, Closed, Opened, ProbePlan, Probed, Warmed};
use super::thread::Thread;
use super::{HeldError, HoldNumbers, HoldPlan};
use crate::stop::Stop;

/// Closes at a time, where time is limited.
const CLOSES_IN_A_HURRY: u32 = 64;

/// All sessions. Dropping it lets them say goodbye, all at the same time, within half a second; then their connections
/// are closed. Its methods need a tokio runtime around them, and never fail: what went wrong is counted, and what ends
/// the run is in the [`Stop`].
#[derive(Debug)]
pub struct Held {
    crew: Crew,
    concurrency: u32,
    dropped: Drops,
    dropped_since_step: u64,
}

/// The numbers of the logins of a crew of threads among all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Among {
    pub(super) first: u64,
    pub(super) threads: u64,
}

/// A crew of threads of this process. The end of the last session stops the run only where `among` is everything.
pub(super) fn threads<C: Connector>(
    plan: &HoldPlan<C>,
    among: Option<Among>,
    stop: &Stop,
) -> Result<(Crew, Gauge), HeldError> {
    let counters = Arc::new(Counters::default());
    let gauge = Gauge::new([counters.clone()]);
    let count = u64::from(plan.numbers.threads.max(1));
    let crew = Crew::new(stop.clone(), gauge.clone(), |reports| {
        let start = |number: u64| {
            let parts = Parts {
                connector: plan.connector.clone(),
                warm: plan.warm.clone(),
                numbers: plan.numbers,
                first_attempt: among.map_or(0, |a| a.first) + number,
                attempt_stride: among.map_or(count, |a| a.threads),
                stop: stop.clone(),
                counters: counters.clone(),
                gauge: among.is_none().then(|| gauge.clone()),
            };
            Thread::start(number as usize, parts, reports.clone()).map(Part::Thread)
        };
        (0..count).map(start).collect()
    })?;
    Ok((crew, gauge))
}

impl Held {
    /// Threads of this process hold the sessions.
    pub fn here<C: Connector>(mut plan: HoldPlan<C>, stop: &Stop) -> Result<Self, HeldError> {
        // Strictly one after the other needs one thread only.
        plan.numbers.threads = plan.numbers.threads.clamp(1, plan.numbers.concurrency.max(1));
        let (crew, _) = threads(&plan, None, stop)?;
        Ok(Self::new(crew, plan.numbers.concurrency))
    }

    /// Worker processes hold them. `command` gives the program, which reads `hello` (one line; secrets may be in it) from
    /// its standard input and then calls [`super::work`] with the rest.
    pub fn spread(
        workers: u32,
        numbers: HoldNumbers,
        hello: &Secret,
        command: &dyn Fn() -> Command,
        stop: &Stop,
    ) -> Result<Self, HeldError> {
        let workers = workers.max(1);
        let each = (numbers.threads / workers).max(1);
        let counters: Vec<Arc<Counters>> = (0..workers).map(|_| Arc::default()).collect();
        let gauge = Gauge::new(counters.clone());
        let crew = Crew::new(stop.clone(), gauge.clone(), |reports| {
            let start = |(worker, counters): (usize, Arc<Counters>)| {
                let beginning = Beginning {
                    numbers: HoldNumbers { threads: each, ..numbers },
                    first: worker as u64 * u64::from(each),
                    threads: u64::from(workers) * u64::from(each),
                };
                Starting::start(command(), hello, beginning, counters)
            };
            // All start at the same time.
            let starting: Vec<Starting> = counters.into_iter().enumerate().map(start).collect::<Result<_, _>>()?;
            let ready = |(number, starting): (usize, Starting)| {
                starting.ready(number, reports.clone(), gauge.clone(), stop.clone()).map(Part::Process)
            };
            starting.into_iter().enumerate().map(ready).collect()
        })?;
        Ok(Self::new(crew, numbers.concurrency))
    }

    fn new(crew: Crew, concurrency: u32) -> Self {
        Self { crew, concurrency: concurrency.max(1), dropped: Drops::default(), dropped_since_step: 0 }
    }

    async fn carry(&mut self, order: Order) -> Report {
        let report = self.crew.carry(order).await;
        self.dropped.merge(&report.drops);
        self.dropped_since_step += report.drops.iter().map(|dropped| dropped.count).sum::<u64>();
        report
    }

    /// Opens what is missing until so many are held. A login that fails is not repeated: the next call does that.
    pub async fn open(&mut self, wanted: u64) -> Opened {
        self.look().await;
        let missing = wanted.saturating_sub(self.crew.held());
        let report = self.carry(Order::Open { sessions: missing, concurrency: self.concurrency }).await;
        let tally = &report.tally;
        Opened {
            sessions: self.crew.held(),
            wanted,
            opened: tally.logins(),
            failed: tally.counts().failed,
            dropped: std::mem::take(&mut self.dropped_since_step),
            counts: tally.counts(),
            seconds: report.span.seconds(),
            login_us: tally.login_us(),
            phases_us: tally.phases_us(),
            rtt_us: tally.rtt_us(),
            outcomes: tally.outcomes(),
            tls_seen: tally.tls_seen(),
            auth_seen: tally.auth_seen(),
            login_histogram: tally.login_histogram(),
        }
    }

    /// Runs the warm statements once in each session that has not had them.
    pub async fn warm(&mut self) -> Warmed {
        let report = self.carry(Order::Warm { concurrency: self.concurrency }).await;
        Warmed {
            sessions: report.uses.times.0.count(),
            seconds: report.span.seconds(),
            warm_us: (&report.uses.times.0).into(),
            failed: report.uses.failed,
            last_failure: report.uses.last_failure,
        }
    }

    /// Logins and queries, one after the other; then the queries again beside sessions that work.
    pub async fn probe(&mut self, plan: ProbePlan) -> Probed {
        let mut probed = Probed::default();
        if plan.logins > 0 {
            let logins = self.carry(Order::Logins { count: plan.logins }).await;
            probed.probe.login_us = logins.tally.login_us();
            probed.failed += logins.tally.counts().failed;
            probed.last_failure = logins.tally.outcomes().into_iter().find_map(|outcome| outcome.message);
        }
        probed.probe.query_us = self.queries(plan.queries, &mut probed).await.into_summary();
        let active = active_sessions(plan.active, self.crew.held());
        if active > 0 {
            self.probe_beside(active, plan, &mut probed).await;
        }
        probed
    }

    async fn queries(&mut self, count: u64, probed: &mut Probed) -> Report {
        let report = self.carry(Order::Queries { count }).await;
        probed.failed += report.uses.failed;
        probed.last_failure = probed.last_failure.take().or(report.uses.last_failure.clone());
        report
    }

    async fn probe_beside(&mut self, active: u64, plan: ProbePlan, probed: &mut Probed) {
        let began = Instant::now();
        self.carry(Order::Work { sessions: active }).await;
        let mut beside = Report::default();
        let least = Duration::from_secs_f64(plan.active_s.clamp(0.0, 1e6));
        loop {
            let more = self.queries(plan.queries.max(1), probed).await;
            let answered = more.uses.times.0.count();
            beside.merge(more);
            if began.elapsed() >= least || answered == 0 {
                break;
            }
        }
        let worked = self.carry(Order::Rest).await;
        probed.failed += worked.uses.failed;
        probed.last_failure = probed.last_failure.take().or(worked.uses.last_failure);
        let seconds = worked.span.seconds();
        let StepProbe { query_beside_active_us, active_per_s, .. } = &mut probed.probe;
        *query_beside_active_us = (beside.uses.times.0.count() > 0).then(|| beside.into_summary());
        *active_per_s = (seconds > 0.0).then(|| worked.uses.times.0.count() as f64 / seconds);
    }

    /// Closes and opens again so many sessions a second, for so long. The rate that was reached is in the result.
    pub async fn churn(&mut self, per_s: f64, seconds: f64) -> Churned {
        if per_s.is_nan() || per_s <= 0.0 {
            return Churned::default();
        }
        // A login and a close of some milliseconds each: at thousands a second, some tens are under way.
        let concurrency = self.concurrency.max(CLOSES_IN_A_HURRY);
        let report = self.carry(Order::Churn { per_s, seconds, concurrency }).await;
        let (logins, span) = (report.tally.logins(), report.span.seconds());
        // A slow server needs longer than planned; a fast one leaves the last interval open.
        let took = span.max(seconds.min(logins as f64 / per_s));
        let reached = if took > 0.0 { logins as f64 / took } else { 0.0 };
        let churn = StepChurn { per_s: reached, login_us: report.tally.login_us(), context_switches_per_login: None };
        Churned { churn, logins, failed: report.tally.counts().failed, seconds: span }
    }

    /// Looks what the server has ended since the last call of anything.
    pub async fn look(&mut self) -> State {
        self.carry(Order::Look).await;
        self.gauge().read()
    }

    /// Sessions that the server has ended so far, by its reason.
    pub fn dropped(&self) -> Vec<DroppedSessions> {
        self.dropped.list()
    }

    /// Closes all sessions as their connector was told to, as many at a time as there were logins: with a concurrency of
    /// 1 in the order in which they were opened. After an interruption, or with a limit, what has not left in that time
    /// is just closed.
    pub async fn close(&mut self, limit: Option<Duration>) -> Closed {
        let concurrency = if limit.is_some() { self.concurrency.max(CLOSES_IN_A_HURRY) } else { self.concurrency };
        let report = self.carry(Order::Close { concurrency, limit_s: limit.map(|l| l.as_secs_f64()) }).await;
        Closed {
            sessions: report.uses.times.0.count(),
            seconds: report.span.seconds(),
            close_us: (&report.uses.times.0).into(),
            failed: report.uses.failed,
            cut_off: report.uses.cut_off,
        }
    }

    /// Live counts.
    pub fn gauge(&self) -> Gauge {
        self.crew.gauge().clone()
    }

    /// Processes that hold sessions: the workers, or this one.
    pub fn pids(&self) -> Vec<u32> {
        let workers = self.crew.pids();
        if workers.is_empty() { vec![std::process::id()] } else { workers }
    }
}

impl Report {
    fn into_summary(self) -> LatencySummary {
        (&self.uses.times.0).into()
    }
}

/// At least one works when any share does, and at least one is left to be probed.
fn active_sessions(share: f64, held: u64) -> u64 {
    if share.is_nan() || share <= 0.0 || held < 2 {
        return 0;
    }
    ((share * held as f64).round() as u64).clamp(1, held - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_work_and_one_is_left_to_be_probed() {
        let table = [(0.0, 100, 0), (0.01, 100, 1), (0.01, 10, 1), (0.5, 1, 0), (1.0, 10, 9), (0.25, 1000, 250)];
        for (share, held, active) in table {
            assert_eq!(active_sessions(share, held), active, "{share} of {held}");
        }
    }
}
