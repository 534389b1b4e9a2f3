//! What keeps to a clock: logins at one place of the minute (scripts), logouts on the period of a sweeping pool.

use std::collections::BTreeMap;

use peaje_model::GroupStatistics;
use peaje_stats::{Sorted, best_comb, comb_strength};

use crate::churn::{GroupSeries, Life};

use super::flow::NOTHING;

/// Periods on which a scheduler starts scripts, seconds.
const SCHEDULES_S: [f64; 2] = [60.0, 300.0];

/// Periods that are tried for a sweep: SqlClient draws one of these for each pool, seconds.
const SWEEPS_S: [f64; 12] = [120.0, 130.0, 140.0, 150.0, 160.0, 170.0, 180.0, 190.0, 200.0, 210.0, 220.0, 230.0];

/// Moments that a concentration needs: a single one is always concentrated.
const FEWEST_MOMENTS: usize = 6;

/// Moments must be known this many times better than the period that is tested.
const RESOLUTION: f64 = 6.0;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    figures.clock_concentration = SCHEDULES_S.into_iter().filter_map(|p| on_schedule(series, p)).reduce(f64::max);
    let mut sweeps: Vec<(f64, f64)> = logouts_by_process(series).iter().filter_map(|times| sweep(times)).collect();
    sweeps.sort_by(|a, b| a.1.total_cmp(&b.1));
    let usual = sweeps.get(sweeps.len() / 2);
    figures.sweep_period_s = usual.map(|(period, _)| *period);
    figures.sweep_strength = usual.map(|(_, strength)| *strength);
}

/// How strictly logins keep to one place within `period`: from the times that the server gives for the sessions seen, or
/// from the bins.
fn on_schedule(series: &GroupSeries, period: f64) -> Option<f64> {
    let opened: Vec<f64> = series.lives.iter().map(|life| life.opened_s).filter(|at| *at >= 0.0).collect();
    let from_lives = concentration(&opened, period);
    let fine = series.bin_s * RESOLUTION <= period;
    let with_logins = series.bins.iter().filter(|bin| bin.logins > NOTHING);
    let binned: Vec<f64> = with_logins
        .flat_map(|bin| std::iter::repeat_n(bin.at_s + series.bin_s / 2.0, (bin.logins.round() as usize).clamp(1, 100)))
        .collect();
    let from_bins = if fine { concentration(&binned, period) } else { None };
    from_lives.into_iter().chain(from_bins).reduce(f64::max)
}

/// The comb test, when the moments fall into enough periods.
fn concentration(times: &[f64], period: f64) -> Option<f64> {
    let mut periods: Vec<i64> = times.iter().map(|at| (at / period).floor() as i64).collect();
    periods.sort_unstable();
    periods.dedup();
    (periods.len() >= FEWEST_MOMENTS).then(|| comb_strength(times, period)).flatten()
}

/// Logouts of each client process whose moment is known well enough.
fn logouts_by_process(series: &GroupSeries) -> Vec<Vec<f64>> {
    let mut by_process: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let known = |life: &&Life| life.closed_within_s * RESOLUTION <= SWEEPS_S[0];
    for life in series.lives.iter().filter(known) {
        if let (Some(process), Some(closed_s)) = (life.process, life.closed_s) {
            by_process.entry(process).or_default().push(closed_s);
        }
    }
    by_process.into_values().collect()
}

/// The sweep that a process's logouts keep to most strictly. What closes together counts once.
fn sweep(times: &[f64]) -> Option<(f64, f64)> {
    let sorted = Sorted::new(times.iter().copied());
    let mut moments: Vec<f64> = Vec::new();
    for at in sorted.values() {
        if moments.last().is_none_or(|last| at - last > SWEEPS_S[0] / 2.0) {
            moments.push(*at);
        }
    }
    (moments.len() >= FEWEST_MOMENTS).then(|| best_comb(&moments, SWEEPS_S)).flatten()
}
