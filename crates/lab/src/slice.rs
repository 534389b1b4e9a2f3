//! The threads of one slice: started together, watched, sampled, and waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use peaje_engine::Connector;
use peaje_model::Gap;
use peaje_stats::stationary;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::sync::mpsc;

use crate::account::{Account, in_time, note};
use crate::context::{Context, Event};
use crate::login::{Stage, most_sessions, share};
use crate::others::{Others, Ours};
use crate::schedule::Schedule;
use crate::stop::{StopRule, Watchdog};
use crate::worker::{self, Done, Job, Progress, Quota};

/// The threads of one slice while they run.
pub(crate) struct Slice {
    results: mpsc::UnboundedReceiver<std::io::Result<Done>>,
    progress: Vec<Arc<Progress>>,
    enough: Arc<AtomicBool>,
    threads: usize,
    planned: Option<u64>,
    time: Option<Duration>,
    origin: Instant,
    pub(crate) done: Vec<Done>,
}

/// What is written down, and who is looked after, while a slice runs.
pub(crate) struct Watch<'a> {
    /// Gets the samples; `None` in a warm-up.
    pub(crate) account: Option<&'a mut Account>,
    /// Other clients, on a server that peaje did not start.
    pub(crate) others: Option<&'a mut Others>,
    pub(crate) gaps: &'a mut Vec<Gap>,
}

const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Slice {
    pub(crate) fn start<C: Connector>(stage: &Stage<'_, C>, context: &Context, quotas: &[Quota]) -> Self {
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
                schedule: Schedule::new(settings.arrival, thread, threads, seed)
                    .map(|schedule| schedule.resumed_at(quota.time.unwrap_or_default() * stage.slice)),
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
    pub(crate) async fn finish<C>(
        &mut self,
        stage: &Stage<'_, C>,
        context: &mut Context,
        settle: bool,
        mut watch: Watch<'_>,
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
                        // All senders are gone, and not every thread has reported.
                        None => {
                            context.stop.stop(StopRule::Generator("a worker thread broke down".to_owned()));
                            break;
                        }
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
                    self.sample(context, &mut watch).await;
                    if let Err(rule) = self.look_after_others(stage, context, &mut watch).await {
                        context.stop.stop(rule);
                    }
                }
            }
        }
        if let Some(others) = watch.others {
            others.slice_ended(self.counts().1);
        }
    }

    async fn sample(&self, context: &mut Context, watch: &mut Watch<'_>) {
        let (Some(account), Some(observer)) = (&mut watch.account, &mut context.observer) else { return };
        match in_time(observer.sample()).await {
            Some(Ok(sample)) => {
                account.samples.sessions += sample.sessions;
                account.samples.encrypted += sample.encrypted;
            }
            Some(Err(gap)) => note(watch.gaps, gap),
            None => context.lose_observer(watch.gaps),
        }
    }

    async fn look_after_others<C>(
        &self,
        stage: &Stage<'_, C>,
        context: &mut Context,
        watch: &mut Watch<'_>,
    ) -> Result<(), StopRule> {
        let Some(others) = &mut watch.others else { return Ok(()) };
        if !others.is_due() || context.stop.is_draining() {
            return Ok(());
        }
        let Some(observer) = &mut context.observer else { return others.lose_sight() };
        let sessions = u64::from(most_sessions(stage.plan));
        let ours = Ours { sessions, failed: self.counts().1, open: sessions };
        others.look(observer.as_mut(), ours, watch.gaps).await
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
