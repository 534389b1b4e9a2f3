//! The ladder of one target: up step by step, an eye on memory and on other clients, and down again.
//!
//! A newcomer would measure first and close then. When memory or other clients are in need, it is the other way round.

use std::time::{Duration, Instant};

use peaje_lab::sessions::{Held, ProbePlan};
use peaje_lab::{Stop, StopRule};
use peaje_model::{Closing, Gap, Hold, MemorySource, SessionStep};

use super::climb::Ask;
use super::eye::{Eye, blocking};
use super::ground::Ground;
use super::guard::{self, Guard, Limits};
use super::screen::Screen;
use crate::ask;

/// How long sessions may take to leave when the run was interrupted, or when the server or its machine is in need.
const HURRIED_CLOSE: Duration = Duration::from_secs(5);
/// How long a server may take to end the last session.
const LAST_LEAVES: Duration = Duration::from_secs(10);
/// Time between two looks while sessions are held.
const HELD_LOOK: Duration = Duration::from_millis(500);
/// One probe: logins and queries, and how long a share of the sessions works.
const PROBE: (u64, u64, f64) = (5, 20, 1.0);
/// How long sessions are closed and reopened at a step, seconds.
const CHURN_S: f64 = 2.0;

/// A ladder under way.
pub(super) struct Ladder<'a> {
    ask: Ask<'a>,
    held: Held,
    stop: Stop,
    ground: Ground,
}

impl<'a> Ladder<'a> {
    pub(super) fn new(ask: Ask<'a>, held: Held, stop: Stop, ground: Ground) -> Self {
        Self { ask, held, stop, ground }
    }

    /// Up and down; an interruption only turns it round. What was measured, once no session is held.
    pub(super) async fn until_interrupted(mut self, interrupted: &Stop) -> Ground {
        let stop = self.stop.clone();
        {
            let climbing = self.up_and_down();
            tokio::pin!(climbing);
            tokio::select! {
                () = &mut climbing => {}
                () = interrupted.aborted() => {
                    stop.stop(StopRule::Interrupted);
                    climbing.await;
                }
            }
        }
        self.ground
    }

    async fn up_and_down(&mut self) {
        let limits = Limits::of(self.ask.settings());
        let guard = Guard::start(self.ground.eye.clone(), limits, self.stop.clone());
        if guard.is_err() {
            let words = "the guard of memory could not be started: this machine has no thread left".to_owned();
            self.stop.stop(StopRule::Generator(words));
        }
        self.baseline().await;
        for wanted in self.ask.settings().steps.clone() {
            if !self.step(wanted, limits).await {
                break;
            }
        }
        self.keep().await;
        drop(guard);
        self.come_down().await;
        self.ground.result.stopped_by = self.stop.rule().map(|rule| rule.name().to_owned());
        self.ground.result.dropped = self.held.dropped();
        self.analyse();
    }

    fn analyse(&mut self) {
        peaje_diagnose::held::analyse(&mut self.ground.result, self.ask.settings());
    }

    /// Before the first session.
    async fn baseline(&mut self) {
        self.settle().await;
        let mut baseline = SessionStep::default();
        self.measure(&mut baseline).await;
        self.ground.result.baseline = baseline;
        self.ground.told.note_own().await;
        self.ground.told.meet_others(self.held.gauge().read().failed).await;
        self.analyse();
    }

    /// One step; whether the next one may follow.
    async fn step(&mut self, wanted: u64, limits: Limits) -> bool {
        if self.stop.rule().is_some() {
            return false;
        }
        if let Some(rule) = self.forbids(wanted, limits).await {
            self.stop.stop(rule);
            return false;
        }
        let before = self.ground.result.steps.last().map_or(0, |step| step.sessions);
        let mut step = self.open(wanted).await;
        if self.ask.settings().warm_query.is_some() && self.stop.rule().is_none() {
            self.warm(&mut step).await;
        }
        self.settle().await;
        let state = self.held.look().await;
        let earlier: u64 = self.ground.result.steps.iter().map(|step| step.dropped).sum();
        (step.sessions, step.dropped) = (state.held, state.dropped.saturating_sub(earlier));
        if self.is_urgent() {
            self.glance(&mut step).await;
        } else {
            self.measure(&mut step).await;
        }
        if self.stop.rule().is_none() {
            self.try_out(&mut step).await;
        }
        if step.sessions > before {
            self.ground.result.steps.push(step);
            self.analyse();
            self.ask.shared.screen.step(&self.ground.result);
        }
        self.stop.rule().is_none()
    }

    /// Why the step may not begin: memory, room, other clients.
    async fn forbids(&mut self, wanted: u64, limits: Limits) -> Option<StopRule> {
        let now = match blocking(&self.ground.eye, Eye::guarded).await.unwrap_or_else(|| Ok(Vec::new())) {
            Ok(now) => now,
            Err(rule) if !limits.are_off() => return Some(rule),
            Err(_) => Vec::new(),
        };
        if let Some(rule) = guard::before_step(&self.ground.result, &now, wanted, limits) {
            return Some(rule);
        }
        let state = self.held.gauge().read();
        self.ground.told.look_at_others(wanted, state.held, state.failed).await.err()
    }

    /// Opens what is missing, with an eye on the other clients.
    async fn open(&mut self, wanted: u64) -> SessionStep {
        let gauge = self.held.gauge();
        let done = tokio::sync::Notify::new();
        let opening = async {
            let opened = self.held.open(wanted).await;
            done.notify_one();
            opened
        };
        let (screen, told, stop) = (&self.ask.shared.screen, &mut self.ground.told, &self.stop);
        // A question to the observer is never left half asked: this ends between two of them.
        let beside = async {
            loop {
                tokio::select! {
                    biased;
                    () = done.notified() => break,
                    () = tokio::time::sleep(Screen::TICK) => {}
                }
                let state = gauge.read();
                screen.tick(wanted, state.held);
                if told.is_due()
                    && let Err(rule) = told.look_at_others(wanted, state.held, state.failed).await
                {
                    stop.stop(rule);
                }
            }
        };
        let (opened, ()) = tokio::join!(opening, beside);
        opened.step()
    }

    /// Runs the warm query in the new sessions, with the idle figure taken before it.
    async fn warm(&mut self, step: &mut SessionStep) {
        self.settle().await;
        let mut idle = SessionStep::default();
        self.measure(&mut idle).await;
        step.idle_bytes = idle.pss_bytes.or(idle.views_bytes);
        let warmed = self.held.warm().await;
        if let Some(words) = warmed.last_failure {
            self.ground.note(Gap {
                what: "the query of --warm-query".to_owned(),
                why: format!("it failed in {} sessions: {words}", warmed.failed),
                next_step: Some("mend the query: sessions in which it failed count as idle ones".to_owned()),
            });
        }
    }

    async fn settle(&self) {
        let time = Duration::from_secs_f64(self.ask.settings().settle_s);
        tokio::select! {
            () = self.stop.stopped() => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    /// Memory of the server, its machine and peaje; the server's own count.
    async fn measure(&mut self, step: &mut SessionStep) {
        if let Some(Some(sample)) = blocking(&self.ground.eye, Eye::look).await {
            step.pss_bytes = sample.server.and_then(|server| server.pss);
            step.processes = sample.server.map(|server| server.processes);
            step.threads = sample.server.map(|server| server.threads);
            step.memory_available_bytes = sample.host.available;
            step.memory = Some(sample);
        }
        let pids = self.held.pids();
        step.client = blocking(&self.ground.eye, move |eye| eye.client(pids)).await.flatten();
        step.server_sessions = self.ground.told.sessions().await;
        step.views_bytes = self.ground.told.memory().await;
        if step.views_bytes.is_some() && self.ground.result.memory_source == MemorySource::None {
            self.ground.result.memory_source = MemorySource::Views;
        }
    }

    /// One more login, queries on held sessions, and whatever else was asked for.
    async fn try_out(&mut self, step: &mut SessionStep) {
        let settings = self.ask.settings();
        let (logins, queries, active_s) = PROBE;
        let probed = self.held.probe(ProbePlan { logins, queries, active: settings.active, active_s }).await;
        step.probe = Some(probed.probe);
        if let Some(per_s) = settings.churn_per_s.filter(|_| self.stop.rule().is_none()) {
            let before = blocking(&self.ground.eye, Eye::context_switches).await.flatten();
            let churned = self.held.churn(per_s, CHURN_S).await;
            let after = blocking(&self.ground.eye, Eye::context_switches).await.flatten();
            let mut churn = churned.churn;
            churn.context_switches_per_login = before
                .zip(after)
                .filter(|_| churned.logins > 0)
                .map(|(before, after)| after.saturating_sub(before) as f64 / churned.logins as f64);
            step.churn = Some(churn);
        }
    }

    /// `--hold`.
    async fn keep(&mut self) {
        if self.stop.rule().is_some() {
            return;
        }
        let held = self.held.gauge().read().held;
        let printer = self.ask.request.printer;
        match self.ask.settings().hold {
            Hold::No => {}
            Hold::For { seconds } => {
                printer.say(&format!("{held} sessions are held for {seconds} s (Ctrl-C closes them)"));
                let end = tokio::time::sleep(Duration::from_secs_f64(seconds));
                self.until(end).await;
            }
            Hold::UntilKey => {
                let question = format!("{held} sessions are held. Press Enter to close them. ");
                self.until(async { drop(ask::line(&question).await) }).await;
            }
        }
    }

    async fn until(&mut self, end: impl Future<Output = ()>) {
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => return,
                () = self.stop.stopped() => return,
                () = tokio::time::sleep(HELD_LOOK) => {}
            }
            let state = self.held.look().await;
            if self.ground.told.is_due()
                && let Err(rule) = self.ground.told.look_at_others(state.held, state.held, state.failed).await
            {
                self.stop.stop(rule);
            }
        }
    }

    /// Whether the server or its machine is in need: then sessions are closed before anything is measured.
    fn is_urgent(&self) -> bool {
        let rule = self.stop.rule();
        matches!(rule, Some(StopRule::MemoryFloor(_) | StopRule::Swap(_) | StopRule::OtherClients(_)))
    }

    /// What is seen at once: what the machine and the group have left, and no process of the server.
    async fn glance(&mut self, step: &mut SessionStep) {
        let samples = blocking(&self.ground.eye, Eye::guarded).await.and_then(Result::ok);
        if let Some(sample) = samples.and_then(|samples| samples.into_iter().next_back()) {
            step.memory_available_bytes = sample.host.available;
            step.memory = Some(sample);
        }
    }

    /// Closes all sessions and sees what comes back.
    async fn come_down(&mut self) {
        let mut before = SessionStep::default();
        if self.is_urgent() {
            before = self.ground.result.steps.last().cloned().unwrap_or_default();
        } else {
            self.measure(&mut before).await;
        }
        let interrupted = self.stop.rule() == Some(StopRule::Interrupted);
        let hurries = interrupted || self.is_urgent();
        let started = Instant::now();
        let closed = self.held.close(hurries.then_some(HURRIED_CLOSE)).await;
        let own_left = self.ground.told.until_none_is_left(LAST_LEAVES).await;
        let seconds = if own_left == Some(0) { started.elapsed().as_secs_f64() } else { closed.seconds };
        let time = Duration::from_secs_f64(self.ask.settings().settle_s);
        if !interrupted {
            tokio::time::sleep(time).await;
        }
        let server_sessions = self.ground.told.sessions_again(self.ground.result.baseline.server_sessions).await;
        let mut after = SessionStep::default();
        self.measure(&mut after).await;
        let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        self.ground.result.closing = Some(Closing {
            sessions: closed.sessions,
            seconds,
            pss_returned_bytes: before.pss_bytes.zip(after.pss_bytes).map(|(b, a)| signed(b) - signed(a)),
            host_returned_bytes: before
                .memory_available_bytes
                .zip(after.memory_available_bytes)
                .map(|(b, a)| signed(a) - signed(b)),
            memory: after.memory,
            server_sessions,
            own_left,
        });
    }
}
