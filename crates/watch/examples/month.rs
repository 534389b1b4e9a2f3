//! Measures a recording of a month: 30 days at 10 s, one server, 200 applications. Prints its size, the time to replay
//! it, and what the replay says; exit code 1 beyond 500 MiB or 10 s.
//!
//! Time is virtual, so a month takes some minutes. Arguments: a folder for the file (default: a temporary one; a file
//! that is there already is replayed as it is), and the number of days.
#![allow(clippy::print_stdout, reason = "a program that measures")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use peaje_engine::{
    Failure, ServerIdentity, SessionLimits, SessionRow, SessionState, WatchCounters, WatchReading, Watcher, Watching,
};
use peaje_model::{Gap, WhatAnswered};
use peaje_watch::{
    Analysis, Collector, CollectorPlan, Recorder, RecordingPlan, RecordingState, Retention, ServerPlan, replay_db,
    result,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const START_US: i64 = 1_796_068_800_000_000;
const WINDOW: Duration = Duration::from_secs(3600);
const APPLICATIONS: u64 = 200;

/// How an application's sessions come and go.
#[derive(Clone, Copy)]
struct Habit {
    sessions: u64,
    /// Mean life, seconds.
    life_s: f64,
    /// Share of the sessions at work at a reading.
    at_work: f64,
}

/// Of ten applications seven have a quiet pool, two a pool that breathes, and one logs in for each piece of work.
fn habit(application: u64) -> Habit {
    match application % 10 {
        0..=6 => Habit { sessions: 5, life_s: 1800.0, at_work: 0.1 },
        7 | 8 => Habit { sessions: 6, life_s: 150.0, at_work: 0.2 },
        _ => Habit { sessions: 2, life_s: 8.0, at_work: 0.7 },
    }
}

struct Month {
    began: tokio::time::Instant,
    rng: StdRng,
    open: Vec<(SessionRow, i64)>,
    counts: Vec<u64>,
    logins: u64,
    requests: u64,
    next_id: u64,
}

impl Month {
    fn read_now(&mut self) -> WatchReading {
        let now_us = START_US + self.began.elapsed().as_micros() as i64;
        let (rng, counts) = (&mut self.rng, &mut self.counts);
        self.open.retain(|(session, ends_us)| {
            let stays = *ends_us > now_us;
            if !stays {
                counts[session.process.unwrap_or_default() as usize % APPLICATIONS as usize] -= 1;
            }
            stays
        });
        for application in 0..APPLICATIONS {
            let habit = habit(application);
            while counts[application as usize] < habit.sessions {
                let opened_us = now_us - rng.random_range(0..10_000_000);
                let life_s = habit.life_s * -rng.random_range(1e-9_f64..1.0).ln();
                let ends_us = (opened_us + (life_s * 1e6) as i64).max(now_us + 1);
                self.open.push((session(application, self.next_id, opened_us, rng), ends_us));
                counts[application as usize] += 1;
                self.next_id += rng.random_range(1..4);
                self.logins += 1;
            }
        }
        for (session, _) in &mut self.open {
            let work = habit(session.process.unwrap_or_default() % APPLICATIONS).at_work;
            let draw = rng.random_range(0.0..1.0);
            session.state = if draw < work { SessionState::Active } else { SessionState::Idle };
            if draw < 2.0 * work {
                session.since_us = Some(now_us - rng.random_range(0..10_000_000));
            }
        }
        self.requests += 12_345;
        let sessions = self.open.len() as u64;
        let active = self.open.iter().filter(|(session, _)| session.state == SessionState::Active).count();
        WatchReading {
            identity: ServerIdentity {
                name: "a".to_owned(),
                started_us: Some(START_US - 1_000_000),
                origin: String::new(),
            },
            server_clock_us: now_us,
            counters: WatchCounters {
                since_us: Some(START_US - 1_000_000),
                logins_total: Some(self.logins),
                logouts_total: Some(self.logins - sessions),
                failed_total: Some(self.requests / 1_000_000),
                requests_total: Some(self.requests),
                sessions: Some(sessions),
                active: Some(active as u64),
                ..WatchCounters::default()
            },
            sessions: Some(self.open.iter().map(|(session, _)| session.clone()).collect()),
            gaps: Vec::new(),
        }
    }
}

fn session(application: u64, id: u64, opened_us: i64, rng: &mut StdRng) -> SessionRow {
    // The process tells the application, so that nothing else need be kept.
    let process = application + APPLICATIONS * rng.random_range(1..5);
    SessionRow {
        id,
        opened_us,
        user: format!("user{}", application % 40),
        application: format!("application-{application}"),
        host: format!("10.0.{}.{}", application / 8, process / APPLICATIONS),
        database: format!("db{}", application % 5),
        process: Some(process),
        state: SessionState::Idle,
        since_us: Some(opened_us),
        used: Some(true),
        encrypted: Some(!application.is_multiple_of(9)),
        authentication: None,
        apart: None,
    }
}

impl Watcher for Month {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        let why = "it is made up".to_owned();
        Box::pin(async { Err(Gap { what: "version".to_owned(), why, next_step: None }) })
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(async { Ok(SessionLimits { limit: 5000, in_use: 1000, reserved: 3 }) })
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(async { Ok(self.read_now()) })
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(async {})
    }
}

async fn record(path: &Path, days: u64) {
    let plan = RecordingPlan { window: WINDOW, keep: Retention::everything() };
    let recorder = Recorder::open(path, plan).expect("the folder is writable");
    let month = Month {
        began: tokio::time::Instant::now(),
        rng: StdRng::seed_from_u64(4),
        open: Vec::new(),
        counts: vec![0; APPLICATIONS as usize],
        logins: 0,
        requests: 0,
        next_id: 1,
    };
    let server = ServerPlan {
        label: "db:5432".to_owned(),
        watcher: Some(Box::new(month)),
        reconnect: Box::new(|| Box::pin(std::future::pending())),
    };
    let plan = CollectorPlan {
        servers: vec![server],
        interval: Duration::from_secs(10),
        read_timeout: Duration::from_secs(5),
        window: WINDOW,
        started_us: START_US,
        seed: 1,
    };
    let record = recorder.record();
    let collector = Collector::spawn(plan, record, Some(recorder));
    let mut snapshots = collector.snapshots();
    let end_us = START_US + days as i64 * 86_400_000_000;
    while snapshots.changed().await.is_ok() {
        let (at_us, readings, recording) = {
            let snapshot = snapshots.borrow_and_update();
            (snapshot.at_us, snapshot.servers[0].readings, snapshot.recording.clone())
        };
        if at_us >= end_us {
            break;
        }
        // The disk has real time only: let it follow.
        if let Some(RecordingState::Recording { rows }) = recording
            && readings > rows + 4000
        {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    collector.stop().await.1.expect("everything was written");
}

/// CPU time of this process so far, seconds: the clock on the wall counts what else the machine does.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let temporary = tempfile::tempdir().expect("there is a temporary folder");
    let folder = arguments.next().map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let days: u64 = arguments.next().and_then(|days| days.parse().ok()).unwrap_or(30);
    let path = folder.join("month.db");
    if !path.exists() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let began = Instant::now();
        runtime.expect("a runtime can be built").block_on(record(&path, days));
        println!("recorded {days} days in {:.0} s", began.elapsed().as_secs_f64());
    }
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let (began, cpu_before_s) = (Instant::now(), cpu_s());
    let record = replay_db(&path, WINDOW).expect("what was recorded can be read");
    let replayed_s = began.elapsed().as_secs_f64();
    let said = result(&record, &Analysis::default());
    let judged_s = began.elapsed().as_secs_f64() - replayed_s;
    let mib = bytes as f64 / f64::from(1 << 20);
    let cpu_s = cpu_s() - cpu_before_s;
    println!("size {mib:.0} MiB, replay {replayed_s:.1} s, verdicts {judged_s:.2} s ({cpu_s:.1} s of CPU)");
    println!("{} groups, coverage {:?}, {} readings in the window", said.groups.len(), said.coverage, said.readings);
    if mib < 500.0 && replayed_s + judged_s < 10.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
