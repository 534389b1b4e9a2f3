//! Summaries of distributions as they stand in the run file, and how they are made from a recorded distribution.

use peaje_stats::{Distribution, RateInterval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rate or a mean with its 95 % interval. `low` and `high` are `null` when the run was too short to give one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The point estimate.
    pub value: Option<f64>,
    /// Lower end of the 95 % confidence interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % confidence interval.
    pub high: Option<f64>,
}

/// A distribution of times, microseconds. A percentile with too few samples behind it is `null`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LatencySummary {
    /// Arithmetic mean (exact: a sum, not read from the histogram).
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile; at least 10 samples.
    pub p90: Option<f64>,
    /// 99th percentile; at least 100 samples.
    pub p99: Option<f64>,
    /// 99.9th percentile; at least 1,000 samples.
    pub p999: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
}

/// One phase over all logins of a series.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PhaseSummary {
    /// Mean over the logins, microseconds; the phases' means add up to the mean login.
    pub mean: Option<f64>,
    /// Median, microseconds.
    pub p50: Option<f64>,
    /// 99th percentile, microseconds.
    pub p99: Option<f64>,
    /// This phase's part of the whole login, 0 to 1.
    pub share: Option<f64>,
    /// Mean number of network round trips in this phase.
    pub round_trips: Option<f64>,
}

/// The parts of a pooled operation; their means add up to the mean service time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PoolSummary {
    /// Waiting for the pool to hand out a connection (including a login if the pool had to open one), microseconds.
    pub wait: LatencySummary,
    /// The query, microseconds.
    pub query: LatencySummary,
    /// Giving the connection back, microseconds.
    pub give_back: LatencySummary,
}

const NS_PER_US: f64 = 1000.0;

impl From<RateInterval> for Interval {
    fn from(rate: RateInterval) -> Self {
        Self { value: rate.value, low: rate.low, high: rate.high }
    }
}

impl From<&Distribution> for LatencySummary {
    fn from(d: &Distribution) -> Self {
        let quantile = |q| d.quantile_ns(q).map(|ns| ns as f64 / NS_PER_US);
        Self {
            mean: d.mean_ns().map(|ns| ns / NS_PER_US),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: d.max_ns().map(|ns| ns as f64 / NS_PER_US),
        }
    }
}

/// Summary of one phase: `total_sum_ns` is the sum over all phases (for the share), `round_trips` the total counted.
pub fn phase_summary(d: &Distribution, total_sum_ns: u128, round_trips: u64) -> PhaseSummary {
    let n = d.count();
    PhaseSummary {
        mean: d.mean_ns().map(|ns| ns / NS_PER_US),
        p50: d.quantile_ns(0.5).map(|ns| ns as f64 / NS_PER_US),
        p99: d.quantile_ns(0.99).map(|ns| ns as f64 / NS_PER_US),
        share: (total_sum_ns > 0).then(|| d.sum_ns() as f64 / total_sum_ns as f64),
        round_trips: (n > 0).then(|| round_trips as f64 / n as f64),
    }
}
