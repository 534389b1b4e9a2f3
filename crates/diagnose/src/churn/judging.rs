//! What a judgement needs besides the series: declared pools, what a login costs, the scale of time.
//!
//! Series come in seconds of analysis (already scaled); everything here is in seconds of the clock on the wall, as a DBA
//! writes it. Judging brings the two together.

use std::collections::BTreeMap;

use crate::churn::DeclaredPool;

/// What is known beside the series.
#[derive(Debug, Clone, PartialEq)]
pub struct Judging {
    /// Seconds of analysis for each second of the clock: 1, except where timeouts were scaled down for a test.
    pub time_scale: f64,
    /// Pools as declared by the user.
    pub pools: Vec<DeclaredPool>,
    /// What one login costs on this server, from a run of `peaje login`; `None` = cannot say how much.
    pub login_cost: Option<LoginCost>,
    /// Counters since each server's start, by the name of the server as in the series: for an average before the first
    /// window is full.
    pub since_start: BTreeMap<String, SinceStart>,
    /// Failed logins per second (of the clock) that are usual on a server: the median of the last 24 h.
    pub usual_failures_per_s: BTreeMap<String, f64>,
}

impl Default for Judging {
    fn default() -> Self {
        Self {
            time_scale: 1.0,
            pools: Vec::new(),
            login_cost: None,
            since_start: BTreeMap::new(),
            usual_failures_per_s: BTreeMap::new(),
        }
    }
}

impl Judging {
    /// The declared pools of an application (those of its name, or of none), in seconds of analysis.
    pub(crate) fn scaled_pools(&self, application: &str) -> Vec<DeclaredPool> {
        let scaled = |s: Option<f64>| s.map(|s| s * self.time_scale);
        let of_it = self.pools.iter().filter(|pool| pool.is_of(application));
        let in_analysis = of_it.map(|pool| DeclaredPool {
            idle_s: scaled(pool.idle_s),
            lifetime_s: scaled(pool.lifetime_s),
            sweep_s: scaled(pool.sweep_s),
            ..pool.clone()
        });
        in_analysis.collect()
    }
}

/// What one login costs, as `peaje login` measured it against this server.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoginCost {
    /// Mean time of a login, seconds.
    pub latency_s: f64,
    /// Median time of a login, seconds.
    pub p50_s: Option<f64>,
    /// 99th percentile, seconds.
    pub p99_s: Option<f64>,
    /// What the distance alone takes: round trips of a login times the least round trip, seconds.
    pub round_trips_s: Option<f64>,
    /// Server CPU of a login, seconds.
    pub server_cpu_s: Option<f64>,
    /// Cores of the server.
    pub cores: Option<u32>,
}

/// Cumulative counters of a server since its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SinceStart {
    /// Time since the counters' origin, seconds of the clock.
    pub uptime_s: f64,
    /// Logins since then.
    pub logins: u64,
    /// Open sessions now.
    pub sessions: f64,
}

impl SinceStart {
    /// The average life of a session, seconds: uptime × sessions / logins.
    pub(crate) fn mean_life_s(&self) -> Option<f64> {
        (self.logins > 0).then(|| self.uptime_s * self.sessions / self.logins as f64)
    }
}
