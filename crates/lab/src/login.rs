//! The login experiment: series taken in turns, in slices, each between two readings of the server's counters.
//!
//! A newcomer would measure one series after the other. Whatever drifts meanwhile (caches, other load, heat) would then
//! look like a difference between them; turns in alternating order let it hit all alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{Arrival, Ended, FirstLogin, Gap, Interval, Mode, Phase, Series, SeriesSettings, TlsMode, WarmUp};
use peaje_stats::stationary;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::sync::mpsc;

use crate::account::{Account, Edge, note};
use crate::context::{Context, Event};
use crate::recorder::Recorder;
use crate::schedule::Schedule;
use crate::stop::{StopRule, Watchdog};
use crate::summary;
use crate::worker::{self, Done, Job, Progress, Quota};

/// One series to be measured.
#[derive(Debug, Clone)]
pub struct SeriesPlan<C> {
    /// `unpooled, TLS full`.
    pub label: String,
    /// How connections are obtained.
    pub mode: Mode,
    /// TLS.
    pub tls: TlsMode,
    /// Logs in with this series' TLS.
    pub connector: C,
    /// Everything else.
    pub settings: SeriesSettings,
}

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Experiment<C> {
    /// The series, in the order of the run file.
    pub series: Vec<SeriesPlan<C>>,
    /// Seed of random gaps.
    pub seed: u64,
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// Every series, also those that a stop left empty.
    pub series: Vec<Series>,
    /// How it ended.
    pub ended: Ended,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// One network round trip, the least seen, microseconds.
    pub rtt_us: Option<f64>,
}

/// Figures of one series, growing slice by slice.
#[derive(Debug, Default)]
pub(crate) struct Total {
    pub(crate) recorder: Recorder,
    pub(crate) account: Account,
    pub(crate) elapsed: Duration,
    /// CPU of the busiest thread of each slice, added up.
    pub(crate) busiest: Duration,
    /// The longest wait for a core of each slice, added up.
    pub(crate) run_delay: Option<Duration>,
    /// Whether anything ran at all.
    pub(crate) slices: u32,
}

/// Logs in once, alone, before any load; the session is closed again. The failure comes with the trace's time.
pub async fn first_login<C: Connector>(
    connector: &C,
    has_query: bool,
    login_timeout: Duration,
) -> (FirstLogin, Result<(), Failure>) {
    let mut trace = Trace::start();
    let attempt = async {
        let mut session = connector.log_in(0, &mut trace).await.map_err(|f| f.phase(trace.current()))?;
        let queried = if has_query {
            trace.enter(Phase::FirstQuery);
            connector.query(&mut session, &mut trace).await.map_err(|f| f.phase(Some(Phase::FirstQuery)))
        } else {
            Ok(())
        };
        trace.enter(Phase::Close);
        queried.and(connector.close(session, &mut trace).await)
    };
    let result = match tokio::time::timeout(login_timeout, attempt).await {
        Ok(result) => result,
        Err(_) => Err(Failure::timed_out(login_timeout, trace.current())),
    };
    trace.stop();
    (summary::first_login(&trace, result.as_ref().err()), result)
}

/// Runs the experiment. Must be called on a runtime that also drives the observer's connection.
pub async fn run<C: Connector>(experiment: Experiment<C>, context: &mut Context) -> Measured {
    let mut totals: Vec<Total> = experiment.series.iter().map(|_| Total::default()).collect();
    let mut gaps = Vec::new();
    let slices = experiment.series.iter().map(|s| s.settings.slices.max(1)).max().unwrap_or(1);
    let turns: Vec<(u32, usize)> = (0..slices).flat_map(|slice| turn_order(slice, experiment.series.len())).collect();
    for (turn, &(slice, index)) in turns.iter().enumerate() {
        let plan = &experiment.series[index];
        if context.stop.is_draining() {
            break;
        }
        if let Err(rule) = room_for(plan, context, &mut gaps).await {
            context.stop.stop(rule);
            break;
        }
        let stage = Stage { plan, slice, index, seed: experiment.seed, turn, turns: turns.len() };
        if slice == 0 {
            stage.warm_up(context).await;
        }
        stage.measure(context, &mut totals[index], &mut gaps).await;
    }
    let rtt_us = totals.iter().filter_map(|t| t.recorder.least_connect).min().map(|d| d.as_nanos() as f64 / 1e3);
    let series =
        experiment.series.iter().zip(&totals).map(|(plan, total)| summary::series(plan, total, context)).collect();
    Measured { series, ended: ended(context), gaps, rtt_us }
}

fn turn_order(slice: u32, series: usize) -> Vec<(u32, usize)> {
    let forward = (0..series).map(|index| (slice, index));
    if slice.is_multiple_of(2) { forward.collect() } else { forward.rev().collect() }
}

fn ended(context: &Context) -> Ended {
    match context.stop.rule() {
        None => Ended::Completed,
        Some(StopRule::Interrupted) => Ended::Interrupted,
        Some(rule) => Ended::Stopped { rule: rule.name().to_owned(), message: rule.message().to_owned() },
    }
}

/// On production, never more than half of the free sessions, and never the last ten; read again at each slice.
async fn room_for<C>(plan: &SeriesPlan<C>, context: &mut Context, gaps: &mut Vec<Gap>) -> Result<(), StopRule> {
    if !context.guards.production {
        return Ok(());
    }
    let Some(observer) = &mut context.observer else { return Ok(()) };
    match observer.limits().await {
        Ok(limits) => {
            let wanted = u64::from(most_sessions(plan));
            if wanted <= limits.allowed() {
                return Ok(());
            }
            Err(StopRule::FreeSessions(format!(
                "{wanted} sessions wanted, but only {} are free ({} of {} in use, {} reserved) and peaje takes {} at most: \
                 lower --concurrency",
                limits.free(),
                limits.in_use,
                limits.limit,
                limits.reserved,
                limits.allowed()
            )))
        }
        Err(gap) => {
            note(gaps, gap);
            Ok(())
        }
    }
}

/// Sessions that a series holds at the same time, at most.
pub(crate) fn most_sessions<C>(plan: &SeriesPlan<C>) -> u32 {
    match (plan.mode, plan.settings.pool) {
        (Mode::Pooled, Some(pool)) => pool.max.max(1),
        _ => plan.settings.concurrency,
    }
}

/// One turn of one series.
struct Stage<'a, C> {
    plan: &'a SeriesPlan<C>,
    slice: u32,
    index: usize,
    seed: u64,
    turn: usize,
    turns: usize,
}

impl<C: Connector> Stage<'_, C> {
    async fn warm_up(&self, context: &mut Context) {
        let limit_s = match self.plan.settings.warm_up {
            WarmUp::None => return,
            WarmUp::Fixed { duration_s: s } | WarmUp::Stationary { limit_s: s } => s,
        };
        if limit_s <= 0.0 {
            return;
        }
        (context.tell)(Event::Stage { series: self.index, warm_up: true });
        let quota = Quota { time: Some(Duration::from_secs_f64(limit_s)), ..Quota::default() };
        let settle = matches!(self.plan.settings.warm_up, WarmUp::Stationary { .. });
        let mut slice = Slice::start(self, context, &vec![quota; self.threads() as usize]);
        slice.finish(self, context, settle, None).await;
    }

    async fn measure(&self, context: &mut Context, total: &mut Total, gaps: &mut Vec<Gap>) {
        let quotas = self.quotas();
        if context.stop.is_draining() || quotas.iter().all(|q| q.per_thread == Some(0)) {
            return;
        }
        (context.tell)(Event::Stage { series: self.index, warm_up: false });
        let before = Edge::read(context, gaps).await;
        let mut slice = Slice::start(self, context, &quotas);
        slice.finish(self, context, false, Some((&mut total.account, gaps))).await;
        let after = Edge::read(context, gaps).await;
        total.account.add(&before, &after, context.embedded);
        total.add(&slice.done, self.open_window(context));
    }

    fn threads(&self) -> u32 {
        // One pool belongs to one process and one event loop, as in an application.
        if self.plan.mode == Mode::Pooled {
            return 1;
        }
        self.plan.settings.threads.clamp(1, self.plan.settings.concurrency.max(1))
    }

    fn slice_share(&self, whole: u64) -> u64 {
        share(whole, self.slice, self.plan.settings.slices.max(1))
    }

    /// The part of each thread in this slice.
    fn quotas(&self) -> Vec<Quota> {
        let settings = &self.plan.settings;
        let slices = f64::from(settings.slices.max(1));
        let time = settings.duration_s.map(|s| Duration::from_secs_f64((s / slices).max(0.0)));
        let per_worker = settings.iterations.map(|n| self.slice_share(n));
        let operations = settings.operations.map(|n| self.slice_share(n));
        let threads = self.threads();
        (0..threads)
            .map(|t| {
                let workers = u64::from(share(u64::from(settings.concurrency), t, threads) as u32);
                let limits = [operations.map(|n| share(n, t, threads)), per_worker.map(|n| n * workers)];
                Quota { per_worker, per_thread: limits.into_iter().flatten().min(), time }
            })
            .collect()
    }

    /// The window in which an open loop's operations are due: it counts as elapsed even when the last one ends early.
    fn open_window(&self, context: &Context) -> Option<Duration> {
        if self.plan.settings.arrival == Arrival::Closed || context.stop.is_draining() {
            return None;
        }
        self.plan.settings.duration_s.map(|s| Duration::from_secs_f64(s / f64::from(self.plan.settings.slices.max(1))))
    }
}

/// Part `index` of `parts` of a whole number, so that the parts add up and differ by one at most.
fn share(whole: u64, index: u32, parts: u32) -> u64 {
    whole / u64::from(parts) + u64::from(u64::from(index) < whole % u64::from(parts))
}

impl Total {
    fn add(&mut self, done: &[Done], window: Option<Duration>) {
        let mut slice = Recorder::default();
        for thread in done {
            slice.merge(&thread.recorder);
        }
        self.recorder.append(&slice);
        self.slices += 1;
        self.elapsed += done.iter().map(|d| d.elapsed).chain(window).max().unwrap_or_default();
        self.busiest += done.iter().map(|d| d.cpu).max().unwrap_or_default();
        let delay = done.iter().filter_map(|d| d.run_delay).max();
        self.run_delay = self.run_delay.into_iter().chain(delay).reduce(|a, b| a + b);
    }
}

/// The threads of one slice while they run.
struct Slice {
    results: mpsc::UnboundedReceiver<std::io::Result<Done>>,
    progress: Vec<Arc<Progress>>,
    enough: Arc<AtomicBool>,
    threads: usize,
    planned: Option<u64>,
    time: Option<Duration>,
    origin: Instant,
    done: Vec<Done>,
}

const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Slice {
    fn start<C: Connector>(stage: &Stage<'_, C>, context: &Context, quotas: &[Quota]) -> Self {
        let settings = &stage.plan.settings;
        let threads = quotas.len() as u32;
        let watchdog = Arc::new(Watchdog::new(context.stop.clone(), context.guards, settings.concurrency));
        let enough = Arc::new(AtomicBool::new(false));
        let (send, results) = mpsc::unbounded_channel();
        let mut progress = Vec::new();
        let origin = Instant::now();
        for (thread, quota) in quotas.iter().enumerate() {
            let thread = thread as u32;
            let own = Arc::new(Progress::default());
            progress.push(own.clone());
            let seed = stage.seed ^ (u64::from(stage.slice) << 32) ^ (stage.index as u64) << 48;
            let job = Job {
                connector: stage.plan.connector.clone(),
                mode: stage.plan.mode,
                pool: settings.pool,
                has_query: !settings.query.trim().is_empty(),
                quota: *quota,
                workers: share(u64::from(settings.concurrency), thread, threads) as u32,
                schedule: Schedule::new(settings.arrival, thread, threads, seed),
                // Source addresses go on where the turn before this one stopped, roughly.
                first_attempt: (stage.turn as u64) * 7 + u64::from(thread),
                attempt_stride: u64::from(threads),
                login_timeout: Duration::from_secs_f64(settings.login_timeout_s),
                stop: context.stop.clone(),
                watchdog: watchdog.clone(),
                progress: own,
                enough: enough.clone(),
                origin,
                host: context.host.clone(),
            };
            let send = send.clone();
            let run = move || {
                // The receiver is gone only when the orchestrator is.
                let _ = send.send(worker::run(job));
            };
            if let Err(error) = std::thread::Builder::new().name(format!("worker-{thread}")).spawn(run) {
                let words = format!("no worker thread could be started: {error}");
                context.stop.stop(StopRule::Generator(words));
            }
        }
        let planned = quotas.iter().map(|q| q.per_thread).sum::<Option<u64>>();
        Self {
            results,
            progress,
            enough,
            threads: quotas.len(),
            planned,
            time: quotas[0].time,
            origin,
            done: Vec::new(),
        }
    }

    /// Waits for all threads; meanwhile samples the server, tells the progress, and ends a warm-up that has settled.
    async fn finish<C>(
        &mut self,
        stage: &Stage<'_, C>,
        context: &mut Context,
        settle: bool,
        mut account: Option<(&mut Account, &mut Vec<Gap>)>,
    ) {
        let mut rates: Vec<f64> = Vec::new();
        let mut last = (Instant::now(), 0);
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        look.tick().await;
        let mut rng = StdRng::from_os_rng();
        let mut next_sample = Instant::now() + first_sample_after(&mut rng);
        let mut ended = 0;
        while ended < self.threads {
            let wait_sample = tokio::time::sleep_until(next_sample.into());
            tokio::select! {
                result = self.results.recv() => {
                    ended += 1;
                    match result {
                        Some(Ok(done)) => self.done.push(done),
                        Some(Err(error)) => context.stop.stop(StopRule::Generator(format!("a worker could not run: {error}"))),
                        // All senders are gone: a worker thread panicked or never started.
                        None => break,
                    }
                }
                _ = look.tick() => {
                    let (completed, failed) = self.counts();
                    let now = Instant::now();
                    let rate = (completed - last.1) as f64 / (now - last.0).as_secs_f64().max(1e-3);
                    last = (now, completed);
                    rates.push(rate);
                    if settle && stationary(&rates) {
                        self.enough.store(true, Ordering::Relaxed);
                    }
                    let done = (stage.turn as f64 + self.part(completed)) / stage.turns as f64;
                    (context.tell)(Event::Progress { done, rate_per_s: recent(&rates), failed });
                }
                () = wait_sample => {
                    next_sample = Instant::now() + sample_gap(&mut rng);
                    if let (Some((account, gaps)), Some(observer)) = (&mut account, &mut context.observer) {
                        match observer.sample().await {
                            Ok(sample) => {
                                account.samples.sessions += sample.sessions;
                                account.samples.encrypted += sample.encrypted;
                            }
                            Err(gap) => note(gaps, gap),
                        }
                    }
                }
            }
        }
    }

    fn counts(&self) -> (u64, u64) {
        let sum = |pick: fn(&Progress) -> u64| self.progress.iter().map(|p| pick(p)).sum();
        (sum(|p| p.completed.load(Ordering::Relaxed)), sum(|p| p.failed.load(Ordering::Relaxed)))
    }

    fn part(&self, completed: u64) -> f64 {
        let by_count = self.planned.map(|n| completed as f64 / (n.max(1)) as f64);
        let by_time = self.time.map(|t| self.origin.elapsed().as_secs_f64() / t.as_secs_f64().max(1e-9));
        by_count.into_iter().chain(by_time).fold(0.0, f64::max).min(1.0)
    }
}

/// Early enough for a slice of a fifth of a second.
fn first_sample_after(rng: &mut StdRng) -> Duration {
    Duration::from_millis(rng.random_range(5..30))
}

/// A random phase in each interval, so that nothing that beats on a grid is missed.
fn sample_gap(rng: &mut StdRng) -> Duration {
    Duration::from_millis(rng.random_range(100..400))
}

fn recent(rates: &[f64]) -> f64 {
    let last = &rates[rates.len().saturating_sub(10)..];
    last.iter().sum::<f64>() / last.len().max(1) as f64
}

/// The measured rate with its interval; the value is exact, the interval comes from the counts over time.
pub(crate) fn throughput(total: &Total) -> Interval {
    let elapsed_s = total.elapsed.as_secs_f64();
    if elapsed_s <= 0.0 {
        return Interval::default();
    }
    let value = total.recorder.counts().completed as f64 / elapsed_s;
    let ticks = total.recorder.ticks.completed_counts();
    let interval = peaje_stats::rate_interval(&ticks, crate::ticks::TICK.as_secs_f64());
    Interval {
        value: Some(value),
        low: interval.low.map(|low| low.min(value)),
        high: interval.high.map(|high| high.max(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_take_turns_in_alternating_order() {
        let order: Vec<usize> = (0..2).flat_map(|slice| turn_order(slice, 3)).map(|(_, index)| index).collect();
        assert_eq!(order, [0, 1, 2, 2, 1, 0]);
    }

    #[test]
    fn shares_add_up() {
        for whole in [0, 1, 7, 100, 101] {
            for parts in [1, 2, 3, 8] {
                let shares: Vec<u64> = (0..parts).map(|i| share(whole, i, parts)).collect();
                assert_eq!(shares.iter().sum::<u64>(), whole);
                assert!(shares.iter().max().expect("one") - shares.iter().min().expect("one") <= 1);
            }
        }
    }
}
