//! What one worker thread records about one slice, without locks; merged afterwards.
//!
//! Identity: `scheduled = completed + failed + skipped + in flight`, where `in flight` is what was started and neither
//! completed nor failed: nothing while the run goes well, the aborted operations after an interruption.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use peaje_engine::{AuthFacts, Failure, TlsFacts, Trace};
use peaje_model::{Counts, OutcomeKind, PerPhase, Phase};
use peaje_stats::Distribution;

use crate::ticks::Ticks;

/// Operations that ended alike.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ended {
    pub(crate) count: u64,
    pub(crate) message: Option<String>,
    pub(crate) took: Distribution,
}

/// The parts of pooled operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct PoolParts {
    pub(crate) wait: Distribution,
    pub(crate) query: Distribution,
    pub(crate) give_back: Distribution,
}

/// One operation, ended.
pub(crate) struct Operation {
    /// When it was due; `None` in a closed loop, where an operation is due when its worker is free.
    pub(crate) scheduled: Option<Instant>,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    /// The query alone.
    pub(crate) query: Option<Duration>,
    /// Wait and give-back of a pooled operation.
    pub(crate) pool: Option<(Duration, Duration)>,
    pub(crate) result: Result<(), Failure>,
}

/// Everything recorded about a slice or, merged, about a series.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    pub(crate) latency: Distribution,
    pub(crate) service: Distribution,
    pub(crate) lag: Distribution,
    pub(crate) query: Distribution,
    pub(crate) phases: PerPhase<Distribution>,
    pub(crate) round_trips: PerPhase<u64>,
    pub(crate) pool: PoolParts,
    pub(crate) crypto: Duration,
    pub(crate) logins: u64,
    pub(crate) redirected: u64,
    pub(crate) least_connect: Option<Duration>,
    pub(crate) outcomes: BTreeMap<(OutcomeKind, Option<String>), Ended>,
    pub(crate) tls: Vec<(TlsFacts, u64)>,
    pub(crate) auth: Vec<(AuthFacts, u64)>,
    pub(crate) ticks: Ticks,
    started: u64,
    skipped: u64,
    completed: u64,
    failed: u64,
}

/// Which phases of a login are recorded with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoginPart {
    /// All: the operation is the login, from the first phase to the end of the close.
    Whole,
    /// Up to `session`: the session is kept, its close is recorded when it comes.
    Opening,
}

impl Recorder {
    /// An operation was started, `offset` after the start of the slice.
    pub(crate) fn start(&mut self, offset: Duration) {
        self.started += 1;
        self.ticks.started(offset);
    }

    /// Operations that were due and will never start.
    pub(crate) fn skip(&mut self, operations: u64) {
        self.skipped += operations;
    }

    /// An operation has ended; `origin` is the start of the slice.
    pub(crate) fn end(&mut self, operation: &Operation, origin: Instant) {
        let offset = operation.ended.saturating_duration_since(origin);
        let service = operation.ended - operation.started;
        match &operation.result {
            Ok(()) => {
                self.completed += 1;
                self.ticks.completed(offset);
                self.times(operation, service);
                self.outcome(OutcomeKind::Ok, None, None, service);
            }
            Err(failure) => {
                self.failed += 1;
                self.ticks.failed(offset);
                self.outcome(failure.kind, failure.code.clone(), Some(&failure.message), service);
            }
        }
    }

    fn times(&mut self, operation: &Operation, service: Duration) {
        let scheduled = operation.scheduled.unwrap_or(operation.started);
        self.latency.record(operation.ended.saturating_duration_since(scheduled));
        self.service.record(service);
        if operation.scheduled.is_some() {
            self.lag.record(operation.started.saturating_duration_since(scheduled));
        }
        if let Some(query) = operation.query {
            self.query.record(query);
        }
        if let Some((wait, give_back)) = operation.pool {
            self.pool.wait.record(wait);
            self.pool.query.record(operation.query.unwrap_or_default());
            self.pool.give_back.record(give_back);
        }
    }

    fn outcome(&mut self, kind: OutcomeKind, code: Option<String>, message: Option<&String>, took: Duration) {
        let ended = self.outcomes.entry((kind, code)).or_default();
        ended.count += 1;
        ended.took.record(took);
        if ended.message.is_none() {
            ended.message = message.cloned();
        }
    }

    /// A login has succeeded, whatever becomes of its session: the server counts it from here.
    pub(crate) fn logged_in(&mut self) {
        self.logins += 1;
    }

    /// The course of a login that was counted by [`Recorder::logged_in`].
    pub(crate) fn login(&mut self, trace: &Trace, part: LoginPart) {
        self.crypto += trace.crypto();
        self.redirected += u64::from(trace.redirected);
        if let Some(tls) = trace.tls {
            bump(&mut self.tls, tls);
        }
        if let Some(auth) = trace.auth {
            bump(&mut self.auth, auth);
        }
        for (phase, lap) in trace.laps().iter() {
            if part == LoginPart::Whole || phase < Phase::FirstQuery {
                self.phases[phase].record(*lap);
                self.round_trips[phase] += u64::from(trace.round_trips()[phase]);
            }
        }
        let connect = trace.laps()[Phase::Connect];
        if trace.round_trips()[Phase::Connect] == 1 {
            self.least_connect = Some(self.least_connect.map_or(connect, |least| least.min(connect)));
        }
    }

    /// A session that was kept has been closed.
    pub(crate) fn close(&mut self, trace: &Trace) {
        self.phases[Phase::Close].record(trace.laps()[Phase::Close]);
        self.round_trips[Phase::Close] += u64::from(trace.round_trips()[Phase::Close]);
        self.crypto += trace.crypto();
    }

    /// Operations by fate.
    pub fn counts(&self) -> Counts {
        Counts {
            scheduled: self.started + self.skipped,
            completed: self.completed,
            failed: self.failed,
            skipped: self.skipped,
            in_flight: self.started - self.completed - self.failed,
        }
    }

    /// Adds another thread of the same slice.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.ticks.merge(&other.ticks);
        self.add(other);
    }

    /// Appends the next slice of the same series.
    pub(crate) fn append(&mut self, next: &Self) {
        self.ticks.append(&next.ticks);
        self.add(next);
    }

    fn add(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.service.merge(&other.service);
        self.lag.merge(&other.lag);
        self.query.merge(&other.query);
        for phase in Phase::ALL {
            self.phases[phase].merge(&other.phases[phase]);
            self.round_trips[phase] += other.round_trips[phase];
        }
        self.pool.wait.merge(&other.pool.wait);
        self.pool.query.merge(&other.pool.query);
        self.pool.give_back.merge(&other.pool.give_back);
        self.crypto += other.crypto;
        self.logins += other.logins;
        self.redirected += other.redirected;
        self.least_connect = self.least_connect.into_iter().chain(other.least_connect).min();
        for (key, ended) in &other.outcomes {
            let own = self.outcomes.entry(key.clone()).or_default();
            own.count += ended.count;
            own.took.merge(&ended.took);
            if own.message.is_none() {
                own.message.clone_from(&ended.message);
            }
        }
        for (tls, count) in &other.tls {
            add_count(&mut self.tls, *tls, *count);
        }
        for (auth, count) in &other.auth {
            add_count(&mut self.auth, *auth, *count);
        }
        self.started += other.started;
        self.skipped += other.skipped;
        self.completed += other.completed;
        self.failed += other.failed;
    }
}

fn bump<T: PartialEq>(counts: &mut Vec<(T, u64)>, value: T) {
    add_count(counts, value, 1);
}

/// A handful of distinct values at most: a scan beats a map.
fn add_count<T: PartialEq>(counts: &mut Vec<(T, u64)>, value: T, more: u64) {
    match counts.iter_mut().find(|(known, _)| *known == value) {
        Some((_, count)) => *count += more,
        None => counts.push((value, more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(origin: Instant, result: Result<(), Failure>) -> Operation {
        let at = |ms| origin + Duration::from_millis(ms);
        Operation { scheduled: Some(at(1)), started: at(3), ended: at(10), query: None, pool: None, result }
    }

    #[test]
    fn counts_balance_with_two_threads_and_errors_in_both() {
        let origin = Instant::now();
        let refused = || Failure::new(OutcomeKind::Refused, "connection refused").code("ECONNREFUSED");
        let mut threads = [Recorder::default(), Recorder::default()];
        for recorder in &mut threads {
            for _ in 0..3 {
                recorder.start(Duration::ZERO);
            }
            recorder.end(&operation(origin, Ok(())), origin);
            recorder.end(&operation(origin, Err(refused())), origin);
            recorder.skip(2);
        }
        let [mut all, other] = threads;
        all.merge(&other);
        let counts = all.counts();
        assert!(counts.balance(), "{counts:?}");
        assert_eq!((counts.scheduled, counts.completed, counts.failed), (10, 2, 2));
        assert_eq!((counts.skipped, counts.in_flight), (4, 2));
        let key = (OutcomeKind::Refused, Some("ECONNREFUSED".to_owned()));
        assert_eq!(all.outcomes[&key].count, 2);
    }

    #[test]
    fn latency_counts_from_the_schedule_and_service_from_the_start() {
        let origin = Instant::now();
        let mut recorder = Recorder::default();
        recorder.start(Duration::ZERO);
        recorder.end(&operation(origin, Ok(())), origin);
        assert_eq!(recorder.latency.max_ns(), Some(9_000_000));
        assert_eq!(recorder.service.max_ns(), Some(7_000_000));
        assert_eq!(recorder.lag.max_ns(), Some(2_000_000));
    }

    #[test]
    fn a_kept_session_is_recorded_without_query_and_close() {
        let mut trace = Trace::start();
        for phase in [Phase::Connect, Phase::Authenticate, Phase::Session] {
            trace.enter(phase);
            trace.count_round_trip();
        }
        trace.stop();
        let mut recorder = Recorder::default();
        recorder.logged_in();
        recorder.login(&trace, LoginPart::Opening);
        assert_eq!(recorder.phases[Phase::Close].count(), 0);
        assert_eq!(recorder.phases[Phase::Session].count(), 1);
        assert_eq!(
            recorder.phases[Phase::Tls].count(),
            1,
            "a phase that did not happen counts as nothing, not as missing"
        );
        assert!(recorder.least_connect.is_some());
        assert_eq!(recorder.logins, 1);
    }
}
