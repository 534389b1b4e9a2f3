//! Sessions that no pool holds: clients without one, scripts, people, workers, and what is forgotten.

use rand::Rng;
use rand::rngs::StdRng;

use super::crowd::{exponential, log_uniform, one_of};
use super::{Failure, Session, WATCHED_S};

/// Clients that log in for each request, at a rate that swings.
pub(super) fn no_pooling(rng: &mut StdRng) -> Vec<Session> {
    let (rate, life) = (log_uniform(rng, 1.0, 60.0), log_uniform(rng, 0.02, 0.33));
    let (swing, period) = (rng.random_range(0.0..0.8), rng.random_range(300.0..3600.0));
    let workers = rng.random_range(1..=12_u64);
    let mut sessions = Vec::new();
    let mut at = exponential(rng, 1.0 / rate);
    while at < WATCHED_S {
        let now = 1.0 - swing * (0.5 + 0.5 * (at / period * std::f64::consts::TAU).sin());
        if rng.random_range(0.0..1.0) < now {
            sessions.push(Session::at_work(0, rng.random_range(0..workers), at, at + exponential(rng, life)));
        }
        at += exponential(rng, 1.0 / rate);
    }
    sessions
}

/// Scripts that a scheduler starts on the minute, or every five.
pub(super) fn scripts(rng: &mut StdRng) -> Vec<Session> {
    let every = one_of(rng, &[60.0, 60.0, 120.0, 300.0]);
    let count = rng.random_range(2..=20_u32);
    let life = log_uniform(rng, 0.05, 3.0);
    let offset = one_of(rng, &[0.0, 0.0, 5.0, 30.0]);
    let mut sessions = Vec::new();
    let mut process = 0;
    for tick in 0..(WATCHED_S / every) as u32 {
        for _ in 0..count {
            let at = f64::from(tick) * every + offset + rng.random_range(0.0..2.0);
            process += 1;
            sessions.push(Session::at_work(0, process, at, at + exponential(rng, life)));
        }
    }
    sessions
}

/// People: each comes when they like, thinks, works a little, and leaves.
pub(super) fn interactive(rng: &mut StdRng) -> Vec<Session> {
    let people = rng.random_range(10.0..100.0);
    let life = log_uniform(rng, 180.0, 1200.0);
    let think = rng.random_range(5.0..40.0);
    let mut sessions = Vec::new();
    let mut at = -4.0 * life;
    while at < WATCHED_S {
        at += exponential(rng, life / people);
        let closed = at + exponential(rng, life);
        let mut busy = Vec::new();
        let mut now = at;
        while now < closed {
            let until = (now + exponential(rng, 0.4)).min(closed);
            busy.push((now, until));
            now = until + exponential(rng, think);
        }
        let process = sessions.len() as u64;
        sessions.push(Session { app: 0, process, pool: 0, opened: at, closed, busy, abandoned: false });
    }
    sessions
}

/// Jobs that start workers together, which work until they are done.
pub(super) fn batch(rng: &mut StdRng) -> Vec<Session> {
    let every = rng.random_range(600.0..2000.0);
    let workers = rng.random_range(10..=40_u32);
    let life = rng.random_range(180.0..800.0);
    let mut sessions = Vec::new();
    let mut start = -every * rng.random_range(0.0..1.0);
    while start < WATCHED_S {
        for _ in 0..workers {
            let opened = start + rng.random_range(0.0..20.0);
            let closed = opened + life * rng.random_range(0.6..1.4);
            let process = sessions.len() as u64;
            let busy = pieces(rng, opened, closed);
            sessions.push(Session { app: 0, process, pool: 0, opened, closed, busy, abandoned: false });
        }
        start += every * rng.random_range(0.8..1.2);
    }
    sessions
}

/// Work from end to end, but for short breaths.
fn pieces(rng: &mut StdRng, from: f64, to: f64) -> Vec<(f64, f64)> {
    let (mut at, mut busy) = (from, Vec::new());
    while at < to {
        let until = (at + exponential(rng, 19.0)).min(to);
        busy.push((at, until));
        at = until + exponential(rng, 1.0);
    }
    busy
}

/// Sessions that are used once and never given back.
pub(super) fn forgotten(rng: &mut StdRng, per_h: f64) -> Vec<Session> {
    let mut sessions = Vec::new();
    let mut at = exponential(rng, 3600.0 / per_h);
    while at < WATCHED_S {
        let busy = vec![(at, at + exponential(rng, 1.0))];
        let process = rng.random_range(0..4);
        sessions.push(Session { app: 0, process, pool: 0, opened: at, closed: f64::INFINITY, busy, abandoned: false });
        at += exponential(rng, 3600.0 / per_h);
    }
    sessions
}

/// Failed logins at a rate, for a while.
pub(super) fn storm(rng: &mut StdRng) -> Vec<Failure> {
    let per_s = log_uniform(rng, 0.3, 5.0);
    let from = rng.random_range(0.0..WATCHED_S / 2.0);
    let until = from + log_uniform(rng, 300.0, WATCHED_S / 2.0);
    let mut at = from;
    let mut failures = Vec::new();
    while at < until {
        at += exponential(rng, 1.0 / per_s);
        failures.push(Failure { at, probe: false });
    }
    failures
}
