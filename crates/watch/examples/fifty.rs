//! Measures what watching 50 servers at 1 s costs: share of one core, memory with a full window, and what one round of
//! verdicts takes. Exit code 1 beyond 10 % or 100 MiB.
//!
//! The servers are made up, in this process: what a driver and a network add is not in it. Argument: seconds to watch.
#![allow(clippy::print_stdout, reason = "a program that measures")]

use std::process::ExitCode;
use std::time::Duration;

use peaje_engine::{
    Failure, ServerIdentity, SessionLimits, SessionRow, SessionState, WatchCounters, WatchReading, Watcher, Watching,
};
use peaje_model::{Gap, WhatAnswered};
use peaje_watch::{Analysis, Collector, CollectorPlan, Record, ServerPlan};

const START_US: i64 = 1_796_068_800_000_000;
const SERVERS: usize = 50;
const SESSIONS: u64 = 100;
const WINDOW: Duration = Duration::from_secs(3600);

/// A server with twenty applications; two sessions are replaced every second.
struct Server(tokio::time::Instant);

impl Server {
    fn read_now(&self) -> WatchReading {
        let elapsed_us = self.0.elapsed().as_micros() as i64;
        let logins = 1000 + elapsed_us as u64 / 500_000;
        let open = |number: u64| {
            let born = logins - number;
            let opened_us = START_US + (born as i64 - 1000) * 500_000;
            SessionRow {
                id: born,
                opened_us,
                user: format!("user{}", born % 4),
                application: format!("application-{}", born % 20),
                host: format!("10.0.0.{}", born % 20),
                database: "main".to_owned(),
                process: Some(born % 40),
                state: if born.is_multiple_of(9) { SessionState::Active } else { SessionState::Idle },
                since_us: Some(opened_us),
                used: Some(true),
                encrypted: Some(true),
                authentication: None,
                apart: None,
            }
        };
        WatchReading {
            identity: ServerIdentity { name: "a".to_owned(), started_us: Some(START_US), origin: String::new() },
            server_clock_us: START_US + elapsed_us,
            counters: WatchCounters {
                since_us: Some(START_US),
                logins_total: Some(logins),
                logouts_total: Some(logins - SESSIONS),
                requests_total: Some(logins * 100),
                sessions: Some(SESSIONS),
                active: Some(SESSIONS / 9),
                ..WatchCounters::default()
            },
            sessions: Some((0..SESSIONS).map(open).collect()),
            gaps: Vec::new(),
        }
    }
}

impl Watcher for Server {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        let why = "it is made up".to_owned();
        Box::pin(async { Err(Gap { what: "version".to_owned(), why, next_step: None }) })
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(async { Ok(SessionLimits { limit: 500, in_use: SESSIONS, reserved: 3 }) })
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(async { Ok(self.read_now()) })
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(async {})
    }
}

fn start() -> Collector {
    let began = tokio::time::Instant::now();
    let servers = (0..SERVERS).map(|number| ServerPlan {
        label: format!("db{number}:5432"),
        watcher: Some(Box::new(Server(began))),
        reconnect: Box::new(|| Box::pin(std::future::pending())),
    });
    let plan = CollectorPlan {
        servers: servers.collect(),
        interval: Duration::from_secs(1),
        read_timeout: Duration::from_secs(1),
        window: WINDOW,
        started_us: START_US,
        seed: 1,
    };
    Collector::spawn(plan, Record::new(WINDOW), None)
}

/// CPU time of this process so far, seconds.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn resident_mib(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    let kib: f64 = line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or_default();
    kib / 1024.0
}

fn main() -> ExitCode {
    let seconds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let (share, judging_s) = runtime.expect("a runtime can be built").block_on(async {
        let collector = start();
        // An hour on virtual time, so that the window is full; then the clock on the wall.
        tokio::time::sleep(WINDOW + Duration::from_secs(60)).await;
        let before = cpu_s();
        let said = collector.result(&Analysis::default());
        let judging_s = cpu_s() - before;
        println!("full window: {} groups, {} readings", said.groups.len(), said.readings);
        drop(said);
        tokio::time::resume();
        let before = cpu_s();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        ((cpu_s() - before) / seconds as f64, judging_s)
    });
    let mib = resident_mib("VmHWM");
    println!("{SERVERS} servers at 1 s: {:.1} % of a core, at most {mib:.0} MiB", share * 100.0);
    println!("verdicts of all groups: {judging_s:.2} s of CPU each time");
    if share < 0.10 && mib < 100.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
