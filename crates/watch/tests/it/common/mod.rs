//! A server that exists in the tests only: it counts logins on virtual time, and breaks in every way that is asked for.
#![allow(clippy::unwrap_used, reason = "a broken test server is a failed test")]

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use peaje_engine::{
    Failure, ServerIdentity, SessionLimits, SessionRow, SessionState, WatchCounters, WatchReading, Watcher, Watching,
};
use peaje_model::{Gap, OutcomeKind, Segment, WhatAnswered};
use peaje_watch::{Collector, CollectorPlan, Reconnect, Record, Recorder, ServerPlan, Snapshot};
use tokio::time::Instant;

/// 2026-11-30 20:00:00 UTC.
pub(crate) const START_US: i64 = 1_796_068_800_000_000;

/// What the server is like now; tests change it while it is watched.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) name: String,
    pub(crate) started_us: i64,
    pub(crate) origin: String,
    /// The server's clock is ahead by this much.
    pub(crate) clock_ahead_us: i64,
    /// Logins per second; each session stays for a moment only.
    pub(crate) rate: f64,
    /// Counters at `since`.
    pub(crate) logins: f64,
    pub(crate) since: Instant,
    pub(crate) sessions: Vec<SessionRow>,
    pub(crate) can_list: bool,
    pub(crate) broken: Option<Failure>,
    pub(crate) rejects: bool,
    pub(crate) answers_within: Duration,
    /// Stands still for so long when it has looked at its clock already.
    pub(crate) stands_still: Duration,
    pub(crate) open_at_start: u64,
    /// Sessions that nobody put into the list: one opens every so often and stays for so long, microseconds.
    pub(crate) passing: Option<(i64, i64)>,
    pub(crate) missing: Vec<Gap>,
    pub(crate) logged_in: u32,
    pub(crate) readings: u32,
    /// Readings under way at the same time, and the most there were.
    pub(crate) busy: (u32, u32),
}

impl World {
    /// The login counter at this moment.
    pub(crate) fn logins_now(&self) -> u64 {
        (self.logins + self.rate * self.since.elapsed().as_secs_f64()) as u64
    }
}

/// The server.
#[derive(Debug, Clone)]
pub(crate) struct Fake {
    world: Arc<Mutex<World>>,
    began: Instant,
}

impl Fake {
    pub(crate) fn new(rate: f64) -> Self {
        let world = World {
            name: "alpha".to_owned(),
            started_us: START_US - 86_400_000_000,
            origin: "1".to_owned(),
            clock_ahead_us: 0,
            rate,
            logins: 1_000_000.0,
            since: Instant::now(),
            sessions: Vec::new(),
            can_list: true,
            broken: None,
            rejects: false,
            answers_within: Duration::from_millis(3),
            stands_still: Duration::ZERO,
            open_at_start: 10,
            passing: None,
            missing: Vec::new(),
            logged_in: 0,
            readings: 0,
            busy: (0, 0),
        };
        Self { world: Arc::new(Mutex::new(world)), began: Instant::now() }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    /// The server's clock.
    pub(crate) fn clock_us(&self) -> i64 {
        START_US + self.began.elapsed().as_micros() as i64 + self.world().clock_ahead_us
    }

    pub(crate) fn watcher(&self) -> Box<dyn Watcher> {
        self.world().logged_in += 1;
        Box::new(FakeWatcher(self.clone()))
    }

    pub(crate) fn reconnect(&self) -> Reconnect {
        let fake = self.clone();
        Box::new(move || {
            let fake = fake.clone();
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                if fake.world().rejects {
                    return Err(Failure::new(OutcomeKind::Rejected, "wrong password").code("28P01"));
                }
                let broken = fake.world().broken.clone();
                broken.map_or_else(|| Ok(fake.watcher()), Err)
            })
        })
    }

    pub(crate) fn server(&self, label: &str) -> ServerPlan {
        ServerPlan { label: label.to_owned(), watcher: None, reconnect: self.reconnect() }
    }

    fn reading(&self) -> WatchReading {
        let server_clock_us = self.clock_us();
        let mut world = self.world();
        world.readings += 1;
        let logins = world.logins_now();
        let sessions = world.open_at_start + world.sessions.len() as u64;
        WatchReading {
            identity: ServerIdentity {
                name: world.name.clone(),
                started_us: Some(world.started_us),
                origin: world.origin.clone(),
            },
            server_clock_us,
            counters: WatchCounters {
                since_us: Some(world.started_us),
                logins_total: Some(logins),
                logouts_total: Some(logins.saturating_sub(sessions)),
                failed_total: Some(17),
                sessions: Some(sessions),
                active: Some(1),
                ..WatchCounters::default()
            },
            sessions: world.can_list.then(|| {
                let passing = world.passing.into_iter().flat_map(|times| passing(server_clock_us, times));
                world.sessions.iter().cloned().chain(passing).collect()
            }),
            gaps: world.missing.clone(),
        }
    }
}

/// The passing sessions that are open at a moment.
fn passing(now_us: i64, (every_us, life_us): (i64, i64)) -> impl Iterator<Item = SessionRow> {
    let newest = (now_us - START_US).div_euclid(every_us);
    let opened_us = move |number: i64| START_US + number * every_us;
    let open = (0..=newest).rev().take_while(move |number| opened_us(*number) + life_us > now_us);
    open.map(move |number| session(1_000_000 + number as u64, opened_us(number), "passing"))
}

struct FakeWatcher(Fake);

impl Watcher for FakeWatcher {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        let answered = WhatAnswered {
            product: "Fake".to_owned(),
            version: Some("1".to_owned()),
            banner: None,
            reference_server: false,
            segment: Segment::Server,
            pooler: None,
        };
        Box::pin(async { Ok(answered) })
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(async { Ok(SessionLimits { limit: 100, in_use: 10, reserved: 3 }) })
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(async {
            let (within, late) = {
                let mut world = self.0.world();
                world.busy.0 += 1;
                world.busy.1 = world.busy.1.max(world.busy.0);
                (world.answers_within, std::mem::take(&mut world.stands_still))
            };
            tokio::time::sleep(within / 2).await;
            let reading = self.0.reading();
            tokio::time::sleep(within / 2 + late).await;
            self.0.world().busy.0 -= 1;
            match self.0.world().broken.clone() {
                Some(failure) => Err(failure),
                None => Ok(reading),
            }
        })
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(async {})
    }
}

/// A session.
pub(crate) fn session(id: u64, opened_us: i64, application: &str) -> SessionRow {
    SessionRow {
        id,
        opened_us,
        user: "u".to_owned(),
        application: application.to_owned(),
        host: "10.0.0.1".to_owned(),
        database: "d".to_owned(),
        process: Some(id % 7),
        state: SessionState::Idle,
        since_us: Some(opened_us + 10_000),
        used: Some(true),
        encrypted: Some(true),
        authentication: Some("scram".to_owned()),
        apart: None,
    }
}

pub(crate) fn plan(servers: Vec<ServerPlan>, interval: Duration) -> CollectorPlan {
    CollectorPlan {
        servers,
        interval,
        read_timeout: Duration::from_secs(5),
        window: WINDOW,
        started_us: START_US,
        seed: 7,
    }
}

pub(crate) const WINDOW: Duration = Duration::from_secs(3600);

pub(crate) fn watch_with(fake: &Fake, recorder: Option<Recorder>) -> Collector {
    let record = recorder.as_ref().map_or_else(|| Record::new(WINDOW), Recorder::record);
    Collector::spawn(plan(vec![fake.server("alpha:1")], Duration::from_secs(10)), record, recorder)
}

pub(crate) fn watch(fake: &Fake) -> Collector {
    watch_with(fake, None)
}

/// Lets time pass, and looks at every snapshot meanwhile.
pub(crate) async fn pass(collector: &Collector, seconds: u64, mut look: impl FnMut(&Snapshot)) {
    let mut snapshots = collector.snapshots();
    let end = Instant::now() + Duration::from_secs(seconds);
    while let Ok(Ok(())) = tokio::time::timeout_at(end, snapshots.changed()).await {
        let snapshot = Arc::clone(&snapshots.borrow_and_update());
        look(&snapshot);
    }
}

pub(crate) fn gone() -> Failure {
    Failure::new(OutcomeKind::Reset, "the server closed the connection").code("57P01")
}
