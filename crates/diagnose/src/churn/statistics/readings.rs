//! What sessions that were seen say about single readings: who was replaced between two of them, and how many were open.
//!
//! A logout is known only to lie between the two readings around it, a login exactly. In bins of time the two fall apart;
//! between the same two readings they stay together.

use std::collections::BTreeMap;

use peaje_model::{GroupKind, GroupStatistics};
use peaje_stats::{Sorted, correlation};

use crate::churn::{GroupSeries, Life};

/// Intervals with logouts from which a correlation is taken.
const FEWEST: usize = 12;

/// Share of the readings that must be known from logouts before the sessions at them stand for all.
const KNOWN: f64 = 0.5;

/// Moments this close are the same reading, seconds.
const SAME_S: f64 = 0.01;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let intervals = intervals(&series.lives);
    let opened = Sorted::new(series.lives.iter().map(|life| life.opened_s));
    let replaced = replaced(&intervals, &opened);
    figures.refill = figures.refill.into_iter().chain(replaced).reduce(f64::max);
    let readings = readings(&intervals);
    let known = readings.len() as f64 >= KNOWN * series.bins.len() as f64;
    if series.kind != GroupKind::Instance && readings.len() >= FEWEST && known {
        let closed = Sorted::new(series.lives.iter().filter_map(|life| life.closed_s));
        let open = Sorted::new(readings.iter().map(|at| (before(&opened, *at) - before(&closed, *at)) as f64));
        let ends = open.quantile(0.05).zip(open.quantile(0.95)).filter(|(_, high)| *high > 0.0);
        figures.amplitude = ends.map(|(low, high)| (high - low) / high).or(figures.amplitude);
    }
}

/// The intervals between two readings in which sessions ended: start, end, logouts.
fn intervals(lives: &[Life]) -> Vec<(f64, f64, f64)> {
    let mut ends: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
    for life in lives.iter().filter(|life| life.closed_within_s > 0.0) {
        let Some(closed_s) = life.closed_s else { continue };
        let (start, end) = (closed_s - life.closed_within_s / 2.0, closed_s + life.closed_within_s / 2.0);
        ends.entry((start / SAME_S).round() as i64).or_insert((start, end, 0.0)).2 += 1.0;
    }
    ends.into_values().collect()
}

/// Correlation of logouts with logins between the same two readings, both per second: a longer interval has more of both.
fn replaced(intervals: &[(f64, f64, f64)], opened: &Sorted) -> Option<f64> {
    let logouts: Vec<f64> = intervals.iter().map(|(start, end, logouts)| logouts / (end - start)).collect();
    let logins: Vec<f64> = intervals
        .iter()
        .map(|(start, end, _)| (before(opened, *end) - before(opened, *start)) as f64 / (end - start))
        .collect();
    (intervals.len() >= FEWEST).then(|| correlation(&logouts, &logins)).flatten()
}

/// The readings at the ends of these intervals.
fn readings(intervals: &[(f64, f64, f64)]) -> Vec<f64> {
    let mut all: Vec<f64> = intervals.iter().flat_map(|(start, end, _)| [*start, *end]).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() <= SAME_S);
    all
}

/// How many of the moments are not after this one.
fn before(moments: &Sorted, at_s: f64) -> i64 {
    moments.values().partition_point(|moment| *moment <= at_s) as i64
}
