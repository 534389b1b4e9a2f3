//! One connection pool: a stack of idle sessions (the last one back is the first one out), a queue of waiting requests,
//! an eviction of idle sessions in three variants, a maximum lifetime.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::Rng;
use rand::rngs::StdRng;

use super::Session;

/// How long opening one session takes; a pool opens them one after the other.
const OPEN_S: f64 = 0.03;

/// How a pool finds idle sessions to close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Eviction {
    /// It does not.
    Never,
    /// Every so often, those idle for longer than the timeout.
    Sweep { idle_s: f64, every_s: f64 },
    /// Every period, those not used since the period before (two generations).
    Generations { every_s: f64 },
}

/// A maximum lifetime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lifetime {
    /// Age at which a session is replaced.
    pub(crate) s: f64,
    /// Up to this share of it earlier.
    pub(crate) jitter: f64,
}

/// The settings of a pool and its place in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PoolPlan {
    pub(crate) app: usize,
    pub(crate) process: u64,
    pub(crate) pool: u64,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) eviction: Eviction,
    /// Whether idle sessions are closed below the minimum too, and then opened anew.
    pub(crate) below_min: bool,
    pub(crate) lifetime: Option<Lifetime>,
    /// When it is created; its minimum is opened then.
    pub(crate) from: f64,
    pub(crate) until: f64,
}

/// A request: when it comes and how long it holds a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Demand {
    pub(crate) at: f64,
    pub(crate) takes: f64,
}

/// Something that happens to one of the pool's sessions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Back(usize),
    Check(usize, u32),
    Expire(usize),
}

/// One of the pool's sessions, open or closed.
struct Connection {
    session: Session,
    in_use: bool,
    uses: u32,
    expires: f64,
}

struct Pool<'a> {
    plan: PoolPlan,
    rng: &'a mut StdRng,
    /// Where the grid of its sweeps lies.
    phase: f64,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    open: usize,
    waiting: VecDeque<f64>,
    events: BinaryHeap<Reverse<(u64, usize)>>,
    planned: Vec<Event>,
}

/// All sessions of a pool that serves these requests (in order of time).
pub(crate) fn run_pool(plan: PoolPlan, demands: &[Demand], rng: &mut StdRng) -> Vec<Session> {
    let phase = match plan.eviction {
        Eviction::Never => 0.0,
        Eviction::Sweep { every_s, .. } | Eviction::Generations { every_s } => {
            plan.from + rng.random_range(0.0..every_s)
        }
    };
    let mut pool = Pool {
        plan,
        rng,
        phase,
        connections: Vec::new(),
        idle: Vec::new(),
        open: 0,
        waiting: VecDeque::new(),
        events: BinaryHeap::new(),
        planned: Vec::new(),
    };
    pool.refill(plan.from);
    for demand in demands.iter().filter(|demand| demand.at >= plan.from && demand.at < plan.until) {
        pool.run_until(demand.at);
        pool.request(*demand);
    }
    pool.run_until(plan.until);
    pool.connections.into_iter().map(|connection| connection.session).collect()
}

impl Pool<'_> {
    fn run_until(&mut self, until: f64) {
        while let Some(Reverse((bits, number))) = self.events.peek().copied() {
            let at = f64::from_bits(bits) - SHIFT;
            if at > until {
                break;
            }
            self.events.pop();
            match self.planned[number] {
                Event::Back(i) => self.back(at, i),
                Event::Check(i, uses) => self.check(at, i, uses),
                Event::Expire(i) => self.expire(at, i),
            }
        }
    }

    fn plan(&mut self, at: f64, event: Event) {
        self.planned.push(event);
        self.events.push(Reverse(((at + SHIFT).to_bits(), self.planned.len() - 1)));
    }

    fn request(&mut self, demand: Demand) {
        match self.idle.pop() {
            Some(i) => self.use_it(demand.at, i, demand.takes),
            None if self.open < self.plan.max => {
                let i = self.open_one(demand.at);
                self.use_it(demand.at + OPEN_S, i, demand.takes);
            }
            None => self.waiting.push_back(demand.takes),
        }
    }

    fn use_it(&mut self, at: f64, i: usize, takes: f64) {
        let connection = &mut self.connections[i];
        connection.in_use = true;
        connection.uses += 1;
        connection.session.busy.push((at, at + takes));
        self.plan(at + takes, Event::Back(i));
    }

    fn back(&mut self, at: f64, i: usize) {
        self.connections[i].in_use = false;
        if at >= self.connections[i].expires {
            self.close(at, i);
            self.refill(at);
            if let Some(takes) = self.waiting.pop_front() {
                self.request(Demand { at, takes });
            }
        } else if let Some(takes) = self.waiting.pop_front() {
            self.use_it(at, i, takes);
        } else {
            self.rest(at, i);
        }
    }

    fn rest(&mut self, at: f64, i: usize) {
        self.idle.push(i);
        if let Some(due) = self.due(at) {
            self.plan(due, Event::Check(i, self.connections[i].uses));
        }
    }

    /// When a session that rests from `at` on is found to be idle for too long.
    fn due(&self, at: f64) -> Option<f64> {
        let next = |after: f64, every: f64| self.phase + ((after - self.phase) / every).ceil() * every;
        match self.plan.eviction {
            Eviction::Never => None,
            Eviction::Sweep { idle_s, every_s } => Some(next(at + idle_s, every_s)),
            Eviction::Generations { every_s } => Some(next(at, every_s) + every_s),
        }
    }

    fn check(&mut self, at: f64, i: usize, uses: u32) {
        let connection = &self.connections[i];
        if connection.in_use || connection.uses != uses || connection.session.closed.is_finite() {
            return;
        }
        if self.open > self.plan.min || self.plan.below_min {
            self.close(at, i);
            self.refill(at);
        } else if let Eviction::Sweep { every_s, .. } | Eviction::Generations { every_s } = self.plan.eviction {
            self.plan(at + every_s.max(5.0), Event::Check(i, uses));
        }
    }

    fn expire(&mut self, at: f64, i: usize) {
        let connection = &self.connections[i];
        if !connection.in_use && connection.session.closed.is_infinite() {
            self.close(at, i);
            self.refill(at);
        }
    }

    fn close(&mut self, at: f64, i: usize) {
        self.connections[i].session.closed = at;
        self.idle.retain(|other| *other != i);
        self.open -= 1;
    }

    fn refill(&mut self, at: f64) {
        let mut ready = at;
        while self.open < self.plan.min {
            ready += OPEN_S;
            let i = self.open_one(ready);
            self.rest(ready, i);
        }
    }

    fn open_one(&mut self, at: f64) -> usize {
        let PoolPlan { app, process, pool, lifetime, .. } = self.plan;
        let session =
            Session { app, process, pool, opened: at, closed: f64::INFINITY, busy: Vec::new(), abandoned: false };
        let expires = lifetime.map_or(f64::INFINITY, |life| {
            at + life.s * (1.0 - if life.jitter > 0.0 { self.rng.random_range(0.0..life.jitter) } else { 0.0 })
        });
        self.connections.push(Connection { session, in_use: false, uses: 0, expires });
        self.open += 1;
        let i = self.connections.len() - 1;
        if expires.is_finite() {
            self.plan(expires, Event::Expire(i));
        }
        i
    }
}

/// Makes every time positive, so that its bits are in its order.
const SHIFT: f64 = 1e7;
