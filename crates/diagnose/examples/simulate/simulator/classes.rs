//! The twelve kinds of clients, with parameters drawn anew for each run.

use peaje_model::Pattern;
use rand::Rng;
use rand::rngs::StdRng;

use super::crowd::{bursts, in_bursts, log_uniform, one_of, steady};
use super::pool::{Eviction, Lifetime, PoolPlan, run_pool};
use super::{Session, WATCHED_S, World, people};

/// Periods of SqlClient's sweep, seconds.
const SQL_CLIENT_S: [f64; 12] = [120.0, 130.0, 140.0, 150.0, 160.0, 170.0, 180.0, 190.0, 200.0, 210.0, 220.0, 230.0];

/// A kind of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    NoPooling,
    Scripts,
    BelowMin,
    IdleTimeout,
    LifetimeWave,
    Healthy,
    MinTooBig,
    MaxTooSmall,
    Leak,
    FailedLogins,
    Interactive,
    Batch,
}

/// What is right to say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A finding.
    Code(&'static str),
    /// Nothing wrong, explained by one of these.
    Benign(&'static [Pattern]),
}

impl Class {
    /// All of them.
    pub(crate) const ALL: [Class; 12] = [
        Class::NoPooling,
        Class::Scripts,
        Class::BelowMin,
        Class::IdleTimeout,
        Class::LifetimeWave,
        Class::Healthy,
        Class::MinTooBig,
        Class::MaxTooSmall,
        Class::Leak,
        Class::FailedLogins,
        Class::Interactive,
        Class::Batch,
    ];

    /// What is right to say.
    pub(crate) fn expected(self) -> Expected {
        match self {
            Class::NoPooling => Expected::Code("no-pooling"),
            Class::Scripts => Expected::Code("short-scripts"),
            Class::BelowMin => Expected::Code("pool-below-min"),
            Class::IdleTimeout => Expected::Code("idle-timeout-churn"),
            Class::LifetimeWave => Expected::Code("lifetime-wave"),
            Class::Healthy => Expected::Benign(&[Pattern::Steady, Pattern::MaximumLifetime]),
            Class::MinTooBig => Expected::Code("pool-min-too-big"),
            Class::MaxTooSmall => Expected::Code("pool-max-too-small"),
            Class::Leak => Expected::Code("session-leak"),
            Class::FailedLogins => Expected::Code("failed-login-storm"),
            Class::Interactive => Expected::Benign(&[Pattern::InteractiveUsers]),
            Class::Batch => Expected::Benign(&[Pattern::BatchWorkers]),
        }
    }

    /// Its name in the table.
    pub(crate) fn name(self) -> &'static str {
        match (self, self.expected()) {
            (_, Expected::Code(code)) => code,
            (Class::Healthy, _) => "healthy pool",
            (Class::Interactive, _) => "interactive users",
            (_, Expected::Benign(_)) => "batch workers",
        }
    }

    /// A server with such clients.
    pub(crate) fn world(self, rng: &mut StdRng) -> World {
        let mut world = World::of(match self {
            Class::NoPooling => people::no_pooling(rng),
            Class::Scripts => people::scripts(rng),
            Class::BelowMin => below_min(rng),
            Class::IdleTimeout => idle_timeout(rng),
            Class::LifetimeWave => lifetime_wave(rng),
            Class::Healthy | Class::FailedLogins => healthy(rng),
            Class::MinTooBig => min_too_big(rng),
            Class::MaxTooSmall => max_too_small(rng),
            Class::Leak => leak(rng),
            Class::Interactive => people::interactive(rng),
            Class::Batch => people::batch(rng),
        });
        if self == Class::FailedLogins {
            world.failures = people::storm(rng);
        }
        world
    }
}

/// A pool of fixed size that lives through the watch.
fn plan(process: u64, size: usize) -> PoolPlan {
    PoolPlan {
        app: 0,
        process,
        pool: 0,
        min: size,
        max: size,
        eviction: Eviction::Never,
        below_min: false,
        lifetime: None,
        from: 0.0,
        until: WATCHED_S,
    }
}

fn below_min(rng: &mut StdRng) -> Vec<Session> {
    let (min, idle_s) = (rng.random_range(2..=8_usize), log_uniform(rng, 30.0, 600.0));
    let every_s = one_of(rng, &[1.0, 10.0, 30.0_f64.min(idle_s)]);
    let processes = rng.random_range(3..=40_u64);
    let busy = rng.random_range(0.0..1.0) < 0.5;
    let mut sessions = Vec::new();
    for process in 0..processes {
        let eviction = Eviction::Sweep { idle_s, every_s };
        let from = -rng.random_range(0.0..1200.0);
        let plan = PoolPlan { max: min + 4, eviction, below_min: true, from, ..plan(process, min) };
        let demands = if busy { steady(rng, from, 1.0 / idle_s / 4.0, 0.05) } else { Vec::new() };
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn idle_timeout(rng: &mut StdRng) -> Vec<Session> {
    let eviction = match rng.random_range(0..3) {
        0 => None,
        1 => Some(Eviction::Sweep { idle_s: 60.0, every_s: one_of(rng, &[0.333, 10.0, 30.0]) }),
        _ => Some(Eviction::Sweep { idle_s: 300.0, every_s: one_of(rng, &[0.333, 10.0]) }),
    };
    let processes = rng.random_range(5..=60_u64);
    let timeout = match eviction {
        Some(Eviction::Sweep { idle_s, .. }) => idle_s,
        _ => 240.0,
    };
    let pause_s = timeout * rng.random_range(1.6..4.0);
    let moments = bursts(rng, -600.0, pause_s);
    let (most, spread_s, takes_s) =
        (rng.random_range(3..=15_usize), rng.random_range(1.0..timeout / 6.0), rng.random_range(0.05..2.0));
    let mut sessions = Vec::new();
    for process in 0..processes {
        let eviction = eviction.unwrap_or(Eviction::Generations { every_s: one_of(rng, &SQL_CLIENT_S) });
        let min = rng.random_range(0..=1);
        let plan = PoolPlan { min, max: 100, eviction, from: -600.0, ..plan(process, 0) };
        let demands = in_bursts(rng, &moments, spread_s, 1..=most, takes_s);
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn lifetime_wave(rng: &mut StdRng) -> Vec<Session> {
    let life = Lifetime { s: one_of(rng, &[600.0, 900.0, 1200.0, 1800.0, 3600.0]), jitter: 0.0 };
    let (processes, size) = (rng.random_range(4..=40_u64), rng.random_range(4..=20_usize));
    let start = -rng.random_range(0.0..life.s);
    let spread_s = rng.random_range(0.1..8.0);
    let mut sessions = Vec::new();
    for process in 0..processes {
        let from = start + rng.random_range(0.0..spread_s);
        let plan = PoolPlan { lifetime: Some(life), from, ..plan(process, size) };
        let demands = steady(rng, from, 0.02 * size as f64, 0.3);
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn healthy(rng: &mut StdRng) -> Vec<Session> {
    let life = match rng.random_range(0..4) {
        0 => None,
        1 => Some(Lifetime { s: 1800.0, jitter: 0.025 }),
        2 => Some(Lifetime { s: 3600.0, jitter: 0.0 }),
        _ => Some(Lifetime { s: 3600.0, jitter: 0.1 }),
    };
    let (processes, size) = (rng.random_range(3..=20_u64), rng.random_range(4..=20_usize));
    let (use_of, takes) = (rng.random_range(0.05..0.6), rng.random_range(1.0..4.0));
    let mut sessions = Vec::new();
    for process in 0..processes {
        let from = -rng.random_range(0.0..3600.0);
        let plan = PoolPlan { lifetime: life, from, ..plan(process, size) };
        let demands = steady(rng, from, use_of * size as f64 / takes, takes);
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn min_too_big(rng: &mut StdRng) -> Vec<Session> {
    let life = one_of(rng, &[None, Some(Lifetime { s: 1800.0, jitter: 0.025 })]);
    let (processes, size) = (rng.random_range(10..=60_u64), rng.random_range(20..=60_usize));
    let mut sessions = Vec::new();
    for process in 0..processes {
        let from = -rng.random_range(0.0..3600.0);
        let plan = PoolPlan { lifetime: life, from, ..plan(process, size) };
        let per_s = rng.random_range(0.01..0.1);
        let demands = steady(rng, from, per_s, 0.2);
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn max_too_small(rng: &mut StdRng) -> Vec<Session> {
    let life = one_of(rng, &[None, Some(Lifetime { s: 1800.0, jitter: 0.025 })]);
    let (processes, size) = (rng.random_range(1..=6_u64), one_of(rng, &[4_usize, 10, 15, 20]));
    let (load, takes) = (rng.random_range(0.98..1.3), rng.random_range(1.0..4.0));
    let mut sessions = Vec::new();
    for process in 0..processes {
        let from = -rng.random_range(300.0..3600.0);
        let plan = PoolPlan { lifetime: life, from, ..plan(process, size) };
        let demands = steady(rng, from, load * size as f64 / takes, takes);
        sessions.extend(run_pool(plan, &demands, rng));
    }
    sessions
}

fn leak(rng: &mut StdRng) -> Vec<Session> {
    let mut sessions = Vec::new();
    let (processes, size) = (rng.random_range(2..=8_u64), rng.random_range(4..=10_usize));
    for process in 0..processes {
        let from = -rng.random_range(0.0..3600.0);
        let demands = steady(rng, from, 0.2 * size as f64, 1.0);
        sessions.extend(run_pool(PoolPlan { from, ..plan(process, size) }, &demands, rng));
    }
    let base = sessions.len() as f64;
    let per_h = (base * rng.random_range(0.25..0.8)).max(20.0);
    sessions.extend(people::forgotten(rng, per_h));
    sessions
}
