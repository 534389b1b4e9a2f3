//! The login experiment: series taken in turns, in slices, each between two readings of the server's counters.
//!
//! A newcomer would measure one series after the other. Whatever drifts meanwhile (caches, other load, heat) would then
//! look like a difference between them; turns in alternating order let it hit all alike.

use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{Arrival, Ended, FirstLogin, Gap, Interval, Mode, Phase, Series, SeriesSettings, TlsMode, WarmUp};

use crate::account::{Account, Edge, Patience};
use crate::context::{Context, Event};
use crate::operation;
use crate::others::{Others, Ours};
use crate::recorder::Recorder;
use crate::slice::{Slice, Watch};
use crate::stop::StopRule;
use crate::summary;
use crate::worker::{Done, Quota};

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
    /// Whether the server was gone while this series ran.
    pub(crate) server_gone: bool,
}

/// Logs in once, alone, before any load; the session is closed again. The failure comes with the trace's time.
pub async fn first_login<C: Connector>(
    connector: &C,
    has_query: bool,
    login_timeout: Duration,
) -> (FirstLogin, Result<(), Failure>) {
    let mut trace = Trace::start();
    let attempt = async {
        let login = tokio::time::timeout(login_timeout, connector.log_in(0, &mut trace)).await;
        let mut session = login
            .unwrap_or_else(|_| Err(Failure::timed_out(login_timeout, None)))
            .map_err(|f| f.phase(trace.current()))?;
        let queried = if has_query {
            trace.enter(Phase::FirstQuery);
            operation::query(connector, &mut session, login_timeout, &mut trace).await
        } else {
            Ok(())
        };
        trace.enter(Phase::Close);
        let closed = tokio::time::timeout(login_timeout, connector.close(session, &mut trace)).await;
        let closed = closed.unwrap_or_else(|_| Err(Failure::timed_out(login_timeout, Some(Phase::Close))));
        queried.and(closed)
    };
    let result = attempt.await;
    trace.stop();
    (summary::first_login(&trace, result.as_ref().err()), result)
}

/// Runs the experiment. Must be called on a runtime that also drives the observer's connection.
pub async fn run<C: Connector>(experiment: Experiment<C>, context: &mut Context) -> Measured {
    let mut totals: Vec<Total> = experiment.series.iter().map(|_| Total::default()).collect();
    let mut gaps = Vec::new();
    let slices = experiment.series.iter().map(|s| s.settings.slices.max(1)).max().unwrap_or(1);
    for plan in &experiment.series {
        plan.connector.prepare().await;
    }
    let mut patience = Patience::default();
    let mut others = meet_others(context, &mut gaps).await;
    let turns: Vec<(u32, usize)> = (0..slices).flat_map(|slice| turn_order(slice, experiment.series.len())).collect();
    for (turn, &(slice, index)) in turns.iter().enumerate() {
        let plan = &experiment.series[index];
        if context.stop.is_draining() {
            break;
        }
        if let Err(rule) = may_go_on(plan, others.as_mut(), context, &mut gaps).await {
            context.stop.stop(rule);
            break;
        }
        let stage = Stage { plan, slice, index, seed: experiment.seed, turn, turns: turns.len() };
        if slice == 0 {
            stage.warm_up(context, Watch { account: None, others: others.as_mut(), gaps: &mut gaps }).await;
        }
        stage.measure(context, &mut totals[index], others.as_mut(), &mut gaps, &mut patience).await;
    }
    let rtt_us = totals.iter().filter_map(|t| t.recorder.least_connect).min().map(|d| d.as_nanos() as f64 / 1e3);
    let series =
        experiment.series.iter().zip(&totals).map(|(plan, total)| summary::series(plan, total, context)).collect();
    Measured { series, ended: ended(context), gaps, rtt_us }
}

/// A server that peaje did not start has other clients.
async fn meet_others(context: &mut Context, gaps: &mut Vec<Gap>) -> Option<Others> {
    if !context.guards.production {
        return None;
    }
    let mut others = Others::default();
    others.meet(context.observer.as_mut()?.as_mut(), gaps).await;
    Some(others)
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

/// On production: whether there is room for the series that comes next, and whether others fare as before.
async fn may_go_on<C>(
    plan: &SeriesPlan<C>,
    others: Option<&mut Others>,
    context: &mut Context,
    gaps: &mut Vec<Gap>,
) -> Result<(), StopRule> {
    let ours = Ours { sessions: u64::from(most_sessions(plan)), failed: 0, open: 0 };
    match (others, &mut context.observer) {
        (Some(others), Some(observer)) => others.look(observer.as_mut(), ours, gaps).await,
        (Some(others), None) => others.lose_sight(),
        (None, _) => Ok(()),
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
pub(crate) struct Stage<'a, C> {
    pub(crate) plan: &'a SeriesPlan<C>,
    pub(crate) slice: u32,
    pub(crate) index: usize,
    pub(crate) seed: u64,
    pub(crate) turn: usize,
    pub(crate) turns: usize,
}

impl<C: Connector> Stage<'_, C> {
    async fn warm_up(&self, context: &mut Context, watch: Watch<'_>) {
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
        slice.finish(self, context, settle, watch).await;
    }

    async fn measure(
        &self,
        context: &mut Context,
        total: &mut Total,
        others: Option<&mut Others>,
        gaps: &mut Vec<Gap>,
        patience: &mut Patience,
    ) {
        let quotas = self.quotas();
        if context.stop.is_draining() || quotas.iter().all(|q| q.per_thread == Some(0)) {
            return;
        }
        (context.tell)(Event::Stage { series: self.index, warm_up: false });
        let before = Edge::read(context, gaps, patience).await;
        let mut slice = Slice::start(self, context, &quotas);
        slice.finish(self, context, false, Watch { account: Some(&mut total.account), others, gaps }).await;
        let after = Edge::read(context, gaps, patience).await;
        total.account.add(&before, &after, context.embedded, gaps);
        total.add(&slice.done, self.open_window(context));
        // Nothing had stopped the run before this slice.
        total.server_gone |= matches!(context.stop.rule(), Some(StopRule::ServerGone(_)));
    }

    fn threads(&self) -> u32 {
        // One pool belongs to one process and one event loop, as in an application; and operations of an open loop
        // must not queue at one thread while another is idle.
        if self.plan.mode == Mode::Pooled || self.plan.settings.arrival != Arrival::Closed {
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
pub(crate) fn share(whole: u64, index: u32, parts: u32) -> u64 {
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
