//! The whole experiment on a fake engine whose logins are timers: counts, modes, schedules and stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use peaje_engine::{
    AuthFacts, Connector, Failure, Observer, SessionCounters, SessionLimits, SessionSample, Trace, Troubles,
};
use peaje_lab::{Context, Experiment, Guards, Measured, SeriesPlan, Stop, StopRule};
use peaje_model::{
    Arrival, BoundReasonCode, BoundVerdict, CloseMode, Ended, Fact, Gap, Mode, OutcomeKind, Phase, PoolSettings,
    ResolveMode, ScramCache, Series, SeriesSettings, TlsMode, WarmUp, WhatAnswered,
};

/// A server with one queue: each login takes `login`, and every `fail_every`th is refused.
#[derive(Clone)]
struct Fake {
    login: Duration,
    fail_every: Option<u64>,
    failure: Failure,
    logins: Arc<AtomicU64>,
    open: Arc<AtomicU64>,
    attempts: Arc<AtomicU64>,
    query: Duration,
    close: Duration,
    goodbyes: Arc<AtomicU64>,
    /// Logins after which nobody answers any more.
    gone_after: Option<u64>,
}

struct FakeSession(Arc<AtomicU64>);

impl Drop for FakeSession {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Fake {
    fn new(login_ms: u64) -> Self {
        Self {
            login: Duration::from_millis(login_ms),
            fail_every: None,
            failure: Failure::new(OutcomeKind::Refused, "connection refused").code("ECONNREFUSED"),
            logins: Arc::default(),
            open: Arc::default(),
            attempts: Arc::default(),
            query: Duration::ZERO,
            close: Duration::ZERO,
            goodbyes: Arc::default(),
            gone_after: None,
        }
    }
}

impl Connector for Fake {
    type Session = FakeSession;

    async fn log_in(&self, _attempt: u64, trace: &mut Trace) -> Result<FakeSession, Failure> {
        trace.enter(Phase::Connect);
        trace.count_round_trip();
        let n = self.attempts.fetch_add(1, Ordering::SeqCst) + 1;
        if self.fail_every.is_some_and(|every| n.is_multiple_of(every)) || self.gone_after.is_some_and(|last| n > last)
        {
            return Err(self.failure.clone());
        }
        trace.enter(Phase::Authenticate);
        trace.count_round_trip();
        tokio::time::sleep(self.login).await;
        trace.auth = Some(AuthFacts { method: "trust", iterations: None, cached: false });
        self.logins.fetch_add(1, Ordering::SeqCst);
        self.open.fetch_add(1, Ordering::SeqCst);
        Ok(FakeSession(self.open.clone()))
    }

    async fn query(&self, _session: &mut FakeSession, trace: &mut Trace) -> Result<(), Failure> {
        trace.count_round_trip();
        tokio::task::yield_now().await;
        if !self.query.is_zero() {
            tokio::time::sleep(self.query).await;
        }
        Ok(())
    }

    async fn close(&self, session: FakeSession, trace: &mut Trace) -> Result<(), Failure> {
        trace.enter(Phase::Close);
        self.goodbyes.fetch_add(1, Ordering::SeqCst);
        if !self.close.is_zero() {
            tokio::time::sleep(self.close).await;
        }
        drop(session);
        Ok(())
    }
}

fn settings(concurrency: u32) -> SeriesSettings {
    SeriesSettings {
        arrival: Arrival::Closed,
        concurrency,
        iterations: None,
        operations: None,
        duration_s: None,
        warm_up: WarmUp::None,
        slices: 1,
        threads: 2,
        query: "select 1".to_owned(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: Some(PoolSettings { min: 0, max: concurrency, idle_timeout_s: None, lifetime_s: None }),
        login_timeout_s: 5.0,
    }
}

fn context(stop: &Stop) -> Context {
    Context {
        observer: None,
        server_cpu: None,
        server_cpu_step: Duration::ZERO,
        embedded: false,
        host: peaje_host::this_host(),
        local: true,
        guards: Guards { production: false, expect_rejects: false },
        stop: stop.clone(),
        tell: Box::new(|_| {}),
    }
}

fn run_with(plans: Vec<(Mode, Fake, SeriesSettings)>, stop: &Stop) -> Measured {
    run_in(plans, &mut context(stop))
}

fn run_in(plans: Vec<(Mode, Fake, SeriesSettings)>, context: &mut Context) -> Measured {
    let series = plans
        .into_iter()
        .map(|(mode, connector, settings)| SeriesPlan {
            label: mode.name().to_owned(),
            mode,
            tls: TlsMode::Off,
            connector,
            settings,
        })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let measured = runtime.block_on(peaje_lab::run(Experiment { series, seed: 5 }, context));
    for series in &measured.series {
        assert!(series.counts.balance(), "{:?}", series.counts);
        assert_eq!(series.timeline.completed.iter().sum::<u64>(), series.counts.completed);
        assert_eq!(
            series.outcomes.iter().map(|o| o.count).sum::<u64>(),
            series.counts.scheduled - series.counts.skipped
        );
    }
    measured
}

fn run_one(mode: Mode, fake: &Fake, settings: SeriesSettings) -> Series {
    let mut measured = run_with(vec![(mode, fake.clone(), settings)], &Stop::new());
    assert_eq!(measured.ended, Ended::Completed);
    measured.series.remove(0)
}

#[test]
fn unpooled_logs_in_for_each_operation() {
    let fake = Fake::new(2);
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { iterations: Some(20), slices: 3, ..settings(5) });
    assert_eq!((series.counts.completed, series.logins), (100, 100));
    assert_eq!(fake.logins.load(Ordering::SeqCst), 100);
    assert_eq!(fake.open.load(Ordering::SeqCst), 0, "every session was closed");
    let sum: f64 = series.phases_us.values().filter_map(|p| p.mean).sum();
    let service = series.service_us.mean.expect("measured");
    assert!((sum - service).abs() < 1.0, "phases {sum} µs, service {service} µs");
    let shares: f64 = series.phases_us.values().filter_map(|p| p.share).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    assert_eq!(series.phases_us[&Phase::Authenticate].round_trips, Some(1.0));
    assert_eq!(series.auth_seen[0].count, 100);
}

#[test]
fn pooled_logs_in_as_often_as_the_pool_opens() {
    let fake = Fake::new(2);
    let pool = Some(PoolSettings { min: 0, max: 4, idle_timeout_s: None, lifetime_s: None });
    let series = run_one(Mode::Pooled, &fake, SeriesSettings { iterations: Some(50), slices: 2, pool, ..settings(10) });
    assert_eq!(series.counts.completed, 500);
    assert_eq!(series.logins, fake.logins.load(Ordering::SeqCst));
    assert!(series.logins <= 8, "two slices of a pool of four: {}", series.logins);
    assert_eq!(fake.open.load(Ordering::SeqCst), 0, "the pool's sessions were closed");
    let pool = series.pool_us.expect("a pooled series has its parts");
    let parts: f64 = [pool.wait, pool.query, pool.give_back].iter().filter_map(|p| p.mean).sum();
    let service = series.service_us.mean.expect("measured");
    assert!((parts - service).abs() < 1.0, "parts {parts} µs, service {service} µs");
    assert_eq!(series.client_cpu_us_per_login, None);
}

#[test]
fn persistent_logs_in_once_for_each_worker_and_slice() {
    let fake = Fake::new(2);
    let series = run_one(Mode::Persistent, &fake, SeriesSettings { iterations: Some(40), slices: 2, ..settings(6) });
    assert_eq!((series.counts.completed, series.logins), (240, 12));
    assert_eq!(fake.open.load(Ordering::SeqCst), 0);
}

#[test]
fn a_total_of_operations_is_kept_whatever_the_workers() {
    let fake = Fake::new(0);
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { operations: Some(101), slices: 2, ..settings(7) });
    assert_eq!(series.counts.completed, 101);
}

#[test]
fn fifty_in_flight_of_a_tenth_of_a_second_are_five_hundred_a_second() {
    let fake = Fake::new(100);
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { iterations: Some(5), ..settings(50) });
    let rate = series.throughput_per_s.value.expect("measured");
    assert!((400.0..=500.5).contains(&rate), "{rate}");
}

#[test]
fn failures_are_outcomes_with_their_code() {
    let fake = Fake { fail_every: Some(4), ..Fake::new(1) };
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { operations: Some(40), ..settings(4) });
    assert_eq!((series.counts.completed, series.counts.failed), (30, 10));
    let refused = series.outcomes.iter().find(|o| o.kind == OutcomeKind::Refused).expect("counted");
    assert_eq!((refused.count, refused.code.as_deref()), (10, Some("ECONNREFUSED")));
}

#[test]
fn a_rejected_login_stops_the_run() {
    let failure = Failure::new(OutcomeKind::Rejected, "password authentication failed").code("28P01");
    let fake = Fake { fail_every: Some(1), failure, ..Fake::new(1) };
    let plan = (Mode::Unpooled, fake.clone(), SeriesSettings { iterations: Some(1000), threads: 1, ..settings(1) });
    let measured = run_with(vec![plan], &Stop::new());
    assert!(matches!(measured.ended, Ended::Stopped { ref rule, .. } if rule == "rejected"), "{:?}", measured.ended);
    assert_eq!(fake.attempts.load(Ordering::SeqCst), 1);
}

/// What goes wrong with the view of a server that others use, some readings after the run has begun.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sight {
    /// Limits are refused.
    Refused,
    /// Nothing is answered any more.
    Hangs,
    /// Others fail, ten at each reading.
    OthersFail,
    /// Others take the room.
    OthersCome,
}

/// An observer that sees well for three readings.
struct FakeObserver(Sight, u64);

impl FakeObserver {
    async fn goes_wrong(&mut self) -> bool {
        self.1 += 1;
        if self.1 > 3 && self.0 == Sight::Hangs {
            std::future::pending::<()>().await;
        }
        self.1 > 3
    }
}

type Answer<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Observer for FakeObserver {
    fn what_answered(&mut self) -> Answer<'_, Result<WhatAnswered, Gap>> {
        unreachable!("asked before the run")
    }

    fn facts(&mut self) -> Answer<'_, (Vec<Fact>, Vec<Gap>)> {
        unreachable!("asked before the run")
    }

    fn limits(&mut self) -> Answer<'_, Result<SessionLimits, Gap>> {
        Box::pin(async {
            let wrong = self.goes_wrong().await;
            match self.0 {
                Sight::Refused if wrong => {
                    Err(Gap { what: "limits".to_owned(), why: "permission denied".to_owned(), next_step: None })
                }
                Sight::OthersCome if wrong => Ok(SessionLimits { limit: 100, in_use: 95, reserved: 3 }),
                _ => Ok(SessionLimits { limit: 100, in_use: 5, reserved: 3 }),
            }
        })
    }

    fn counters(&mut self) -> Answer<'_, Result<SessionCounters, Gap>> {
        Box::pin(async { Ok(SessionCounters::default()) })
    }

    fn sample(&mut self) -> Answer<'_, Result<SessionSample, Gap>> {
        Box::pin(async {
            if self.1 > 3 && self.0 == Sight::Hangs {
                std::future::pending::<()>().await;
            }
            Ok(SessionSample::default())
        })
    }

    fn troubles(&mut self) -> Answer<'_, Result<Troubles, Gap>> {
        Box::pin(async {
            let total = if self.0 == Sight::OthersFail { 10 * self.1 } else { 0 };
            Ok(Troubles { total, counted_for: Duration::from_secs(100_000 + self.1) })
        })
    }

    fn source(&self) -> String {
        "fake".to_owned()
    }

    fn close(self: Box<Self>) -> Answer<'static, ()> {
        Box::pin(async {})
    }
}

#[test]
fn a_load_on_a_server_that_others_use_does_not_go_on_blindly() {
    for (sight, expected) in [
        (Sight::Refused, "free-sessions"),
        (Sight::Hangs, "free-sessions"),
        (Sight::OthersFail, "other-clients"),
        (Sight::OthersCome, "free-sessions"),
    ] {
        let plan = (Mode::Unpooled, Fake::new(1), SeriesSettings { duration_s: Some(60.0), ..settings(4) });
        let mut context = Context {
            observer: Some(Box::new(FakeObserver(sight, 0))),
            guards: Guards { production: true, expect_rejects: false },
            ..context(&Stop::new())
        };
        let measured = run_in(vec![plan], &mut context);
        assert!(
            matches!(measured.ended, Ended::Stopped { ref rule, .. } if rule == expected),
            "{sight:?}: {:?}",
            measured.ended
        );
        assert!(measured.series[0].elapsed_s < 15.0, "{sight:?}: {} s", measured.series[0].elapsed_s);
    }
}

#[test]
fn an_open_loop_below_capacity_starts_on_time() {
    let fake = Fake::new(1);
    let arrival = Arrival::Poisson { rate_per_s: 200.0 };
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { arrival, duration_s: Some(2.0), ..settings(50) });
    let due = series.counts.scheduled as f64;
    // Poisson with mean 400: five standard deviations.
    assert!((due - 400.0).abs() < 100.0, "{due}");
    assert_eq!(series.counts.skipped, 0);
    let lag = series.lag_us.p50.expect("measured");
    assert!(lag < 2_000.0, "{lag} µs");
}

#[test]
fn an_open_loop_above_capacity_shows_it_in_the_latency_and_not_in_the_service_time() {
    // Four at a time, 10 ms each: capacity 400/s at most.
    let fake = Fake::new(10);
    let arrival = Arrival::Constant { rate_per_s: 800.0 };
    let series = run_one(Mode::Unpooled, &fake, SeriesSettings { arrival, duration_s: Some(2.0), ..settings(4) });
    assert_eq!(series.counts.scheduled, 1600, "every due operation is accounted for");
    assert!(series.counts.skipped > 400, "{:?}", series.counts);
    let (corrected, uncorrected) = (series.latency_us.p99.expect("measured"), series.service_us.p99.expect("measured"));
    assert!(corrected > 500_000.0, "{corrected}");
    assert!(uncorrected < 200_000.0, "{uncorrected}");
}

#[test]
fn an_operation_that_waits_longer_than_the_login_timeout_is_skipped() {
    let fake = Fake::new(50);
    let arrival = Arrival::Burst { rate_per_s: 100.0, size: 100 };
    let settings = SeriesSettings { arrival, operations: Some(100), login_timeout_s: 0.12, threads: 1, ..settings(2) };
    let series = run_one(Mode::Unpooled, &fake, settings);
    assert_eq!(series.counts.scheduled, 100);
    // Two at a time, 50 ms each, within 120 ms: three rounds start.
    assert!((4..=8).contains(&series.counts.completed), "{:?}", series.counts);
    assert_eq!(series.counts.skipped, 100 - series.counts.completed);
}

#[test]
fn an_interruption_aborts_what_is_in_flight_and_keeps_what_was_measured() {
    let fake = Fake::new(200);
    let stop = Stop::new();
    let later = stop.clone();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        later.stop(StopRule::Interrupted);
    });
    let plan = (Mode::Unpooled, fake.clone(), SeriesSettings { duration_s: Some(60.0), ..settings(8) });
    let measured = run_with(vec![plan], &stop);
    timer.join().expect("the timer ends");
    assert_eq!(measured.ended, Ended::Interrupted);
    let counts = measured.series[0].counts;
    assert_eq!(counts.in_flight, 8, "{counts:?}");
    assert!(counts.completed >= 8, "{counts:?}");
    assert_eq!(fake.open.load(Ordering::SeqCst), 0);
    assert!(measured.series[0].outcomes.iter().any(|o| o.kind == OutcomeKind::Aborted && o.count == 8));
}

#[test]
fn series_that_were_never_reached_stand_empty_in_the_result() {
    let stop = Stop::new();
    let failure = Failure::new(OutcomeKind::Rejected, "no").code("28000");
    let bad = Fake { fail_every: Some(1), failure, ..Fake::new(1) };
    let count = |s: SeriesSettings| SeriesSettings { iterations: Some(1), ..s };
    let plans = vec![(Mode::Unpooled, bad, count(settings(1))), (Mode::Pooled, Fake::new(1), count(settings(1)))];
    let measured = run_with(plans, &stop);
    assert_eq!(measured.series.len(), 2);
    assert_eq!(measured.series[1].counts.scheduled, 0);
    assert_eq!(measured.series[1].throughput_per_s.value, None);
}

#[test]
fn a_login_of_the_pool_that_fails_is_an_outcome_with_its_own_code() {
    let fake = Fake { fail_every: Some(3), ..Fake::new(1) };
    let pool = Some(PoolSettings { min: 0, max: 20, idle_timeout_s: None, lifetime_s: None });
    let started = std::time::Instant::now();
    let series = run_one(Mode::Pooled, &fake, SeriesSettings { iterations: Some(20), pool, ..settings(20) });
    assert!(started.elapsed() < Duration::from_secs(4), "nobody waits for the login timeout: {:?}", started.elapsed());
    let refused = series.outcomes.iter().find(|o| o.kind == OutcomeKind::Refused).expect("counted");
    assert_eq!(refused.code.as_deref(), Some("ECONNREFUSED"));
    assert_eq!(series.counts.completed + series.counts.failed, 400);
    assert_eq!(series.logins, fake.logins.load(Ordering::SeqCst));
}

#[test]
fn a_rejected_login_of_the_pool_stops_the_run() {
    let failure = Failure::new(OutcomeKind::Rejected, "password authentication failed").code("28P01");
    let fake = Fake { fail_every: Some(1), failure, ..Fake::new(1) };
    for min in [0, 2] {
        let pool = Some(PoolSettings { min, max: 2, idle_timeout_s: None, lifetime_s: None });
        let plan = (Mode::Pooled, fake.clone(), SeriesSettings { iterations: Some(1000), pool, ..settings(1) });
        let measured = run_with(vec![plan], &Stop::new());
        assert!(
            matches!(measured.ended, Ended::Stopped { ref rule, .. } if rule == "rejected"),
            "{:?}",
            measured.ended
        );
    }
}

#[test]
fn a_pool_that_wants_more_idle_than_it_may_have_is_cut() {
    let fake = Fake::new(1);
    let pool = Some(PoolSettings { min: 50, max: 5, idle_timeout_s: None, lifetime_s: None });
    let series = run_one(Mode::Pooled, &fake, SeriesSettings { iterations: Some(10), pool, ..settings(5) });
    assert_eq!((series.counts.completed, series.logins), (50, 5));
}

#[test]
fn logins_of_aborted_operations_are_counted() {
    for mode in [Mode::Unpooled, Mode::Pooled, Mode::Persistent] {
        // The logins are done at once, the queries never end before the interruption.
        let fake = Fake { query: Duration::from_secs(60), ..Fake::new(1) };
        let stop = Stop::new();
        let later = stop.clone();
        let timer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            later.stop(StopRule::Interrupted);
        });
        let settings = SeriesSettings { duration_s: Some(60.0), login_timeout_s: 30.0, ..settings(6) };
        let measured = run_with(vec![(mode, fake.clone(), settings)], &stop);
        timer.join().expect("the timer ends");
        let series = &measured.series[0];
        assert_eq!((series.logins, series.counts.in_flight), (6, 6), "{mode:?}");
        assert!(series.elapsed_s >= 0.4, "{mode:?}: the stall belongs to the time measured: {}", series.elapsed_s);
        assert_eq!(fake.open.load(Ordering::SeqCst), 0, "{mode:?}");
        assert_eq!(fake.goodbyes.load(Ordering::SeqCst), 6, "{mode:?}: a server would count aborted clients");
    }
}

/// Nobody who has pressed Ctrl-C waits for a server that does not answer.
#[test]
fn goodbyes_do_not_hold_an_interrupted_run() {
    for mode in [Mode::Unpooled, Mode::Pooled, Mode::Persistent] {
        let minute = Duration::from_secs(60);
        let fake = Fake { query: minute, close: minute, ..Fake::new(1) };
        let stop = Stop::new();
        let later = stop.clone();
        let timer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            later.stop(StopRule::Interrupted);
            std::time::Instant::now()
        });
        let settings = SeriesSettings { duration_s: Some(60.0), login_timeout_s: 30.0, ..settings(6) };
        run_with(vec![(mode, fake.clone(), settings)], &stop);
        let since = timer.join().expect("the timer ends").elapsed();
        assert!(since < Duration::from_secs(3), "{mode:?}: {since:?}");
        assert_eq!(fake.goodbyes.load(Ordering::SeqCst), 6, "{mode:?}");
    }
}

/// Whatever the CPU and the waiting were: a part of the time there was nobody to be the limit.
#[test]
fn what_limited_the_rate_of_a_server_that_went_away_is_not_said() {
    let fake = Fake { gone_after: Some(200), ..Fake::new(1) };
    let endless = |mode| (mode, fake.clone(), SeriesSettings { duration_s: Some(60.0), ..settings(8) });
    let measured = run_with(vec![endless(Mode::Unpooled), endless(Mode::Persistent)], &Stop::new());
    assert!(matches!(measured.ended, Ended::Stopped { ref rule, .. } if rule == "server-gone"), "{:?}", measured.ended);
    let codes = |i: usize| -> Vec<BoundReasonCode> {
        measured.series[i].bound.reasons.iter().map(|reason| reason.code).collect()
    };
    assert_eq!(measured.series[0].bound.verdict, BoundVerdict::Undecided);
    assert_eq!(codes(0), [BoundReasonCode::ServerGone], "{:?}", measured.series[0].bound);
    assert_eq!(codes(1), [BoundReasonCode::TooShort], "it was never reached");
}

#[test]
fn a_query_that_never_ends_does_not_hold_the_run() {
    let fake = Fake { query: Duration::from_secs(60), ..Fake::new(1) };
    let settings = SeriesSettings { operations: Some(4), login_timeout_s: 0.1, ..settings(4) };
    let series = run_one(Mode::Unpooled, &fake, settings);
    assert_eq!(series.counts.failed, 4);
    assert_eq!((series.outcomes[0].kind, series.logins), (OutcomeKind::TimedOut, 4));
}

#[test]
fn an_open_loop_has_one_queue() {
    // Eight slots on eight threads would leave each thread with a queue of its own.
    let fake = Fake::new(10);
    let arrival = Arrival::Poisson { rate_per_s: 400.0 };
    let settings = SeriesSettings { arrival, duration_s: Some(2.0), threads: 8, ..settings(8) };
    let series = run_one(Mode::Unpooled, &fake, settings);
    // With 8 servers at half load an M/D/8 queue makes less than 1 % wait; eight queues of one would make half wait.
    let lag = series.lag_us.p90.expect("measured");
    assert!(lag < 5_000.0, "{lag} µs");
}
