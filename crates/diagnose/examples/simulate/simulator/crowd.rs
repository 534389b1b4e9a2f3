//! Crowds of pools: the requests they get, and how their processes lie in time.

use rand::Rng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, Exp};

use super::{Demand, WATCHED_S};

/// A value from a range, evenly on a logarithmic scale.
pub(super) fn log_uniform(rng: &mut StdRng, low: f64, high: f64) -> f64 {
    (rng.random_range(low.ln()..high.ln())).exp()
}

/// One of several.
pub(super) fn one_of<T: Copy>(rng: &mut StdRng, of: &[T]) -> T {
    of[rng.random_range(0..of.len())]
}

/// An exponential time with this mean.
pub(super) fn exponential(rng: &mut StdRng, mean: f64) -> f64 {
    Exp::new(1.0 / mean).expect("a mean is positive").sample(rng)
}

/// Requests that come on their own, at a rate, from `from` to the end of the watch.
pub(super) fn steady(rng: &mut StdRng, from: f64, per_s: f64, takes_s: f64) -> Vec<Demand> {
    let mut demands = Vec::new();
    let mut at = from + exponential(rng, 1.0 / per_s);
    while at < WATCHED_S {
        demands.push(Demand { at, takes: exponential(rng, takes_s) });
        at += exponential(rng, 1.0 / per_s);
    }
    demands
}

/// The moments of bursts: a mean distance apart, each at random within half of it.
pub(super) fn bursts(rng: &mut StdRng, from: f64, every_s: f64) -> Vec<f64> {
    let mut at = from + rng.random_range(0.0..every_s);
    let mut all = Vec::new();
    while at < WATCHED_S {
        all.push(at);
        at += every_s * rng.random_range(0.75..1.25);
    }
    all
}

/// Requests of one pool in bursts: at each moment (not the same instant in every process), so many at once.
pub(super) fn in_bursts(
    rng: &mut StdRng,
    moments: &[f64],
    spread_s: f64,
    at_once: std::ops::RangeInclusive<usize>,
    takes_s: f64,
) -> Vec<Demand> {
    let mut demands = Vec::new();
    for moment in moments {
        let start = moment + rng.random_range(0.0..spread_s);
        for _ in 0..rng.random_range(at_once.clone()) {
            demands.push(Demand { at: start + rng.random_range(0.0..2.0), takes: exponential(rng, takes_s) });
        }
    }
    demands.sort_by(|a, b| a.at.total_cmp(&b.at));
    demands
}
