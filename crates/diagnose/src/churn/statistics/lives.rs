//! Lives of sessions: how long those lasted that ended, and how idle the others are.
//!
//! Lives are seen by readings: a session shorter than the distance of two readings is mostly missed, so these figures
//! describe sessions that last.

use peaje_model::GroupStatistics;
use peaje_stats::{Sorted, coefficient_of_variation};

use crate::churn::{GroupSeries, Life};

use super::flow::share;

/// Idle time from which an old session is forgotten rather than resting.
const FORGOTTEN_S: f64 = 1800.0;

/// Ended lives from which quantiles are given.
const FEWEST: usize = 5;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let ended: Vec<&Life> = series.lives.iter().filter(|life| life.closed_s.is_some()).collect();
    let open: Vec<&Life> = series.lives.iter().filter(|life| life.closed_s.is_none()).collect();
    add_ended(&ended, figures);
    add_open(&open, figures);
    add_kept(series, &open, figures);
}

fn add_ended(ended: &[&Life], figures: &mut GroupStatistics) {
    let lasted: Vec<f64> = ended.iter().filter_map(|life| Some((life.closed_s? - life.opened_s).max(0.0))).collect();
    figures.lives = lasted.len() as u64;
    if lasted.len() < FEWEST {
        return;
    }
    figures.life_cv = coefficient_of_variation(&lasted);
    let sorted = Sorted::new(lasted);
    figures.life_p10_s = sorted.quantile(0.1);
    figures.life_p50_s = sorted.median();
    let idle = Sorted::new(ended.iter().filter_map(|life| life.idle_s));
    if idle.values().len() >= FEWEST && idle.values().len() * 2 >= ended.len() {
        figures.idle_at_logout_p10_s = idle.quantile(0.1);
        figures.idle_at_logout_p50_s = idle.median();
        figures.idle_at_logout_p90_s = idle.quantile(0.9);
    }
}

fn add_open(open: &[&Life], figures: &mut GroupStatistics) {
    figures.idle_now_p50_s = Sorted::new(open.iter().filter_map(|life| life.idle_s)).median();
    let told: Vec<bool> = open.iter().filter_map(|life| life.used).collect();
    figures.never_used = (!told.is_empty()).then(|| share(told.iter(), |used| !**used));
    let mut by_age: Vec<&&Life> = open.iter().collect();
    by_age.sort_by(|a, b| a.opened_s.total_cmp(&b.opened_s));
    let oldest = &by_age[..by_age.len().div_ceil(4)];
    let told = oldest.iter().any(|life| life.idle_s.is_some());
    let forgotten = |life: &&&&Life| life.idle_s.is_some_and(|idle_s| idle_s > FORGOTTEN_S);
    figures.oldest_idle = told.then(|| share(oldest.iter(), forgotten));
}

/// A leak keeps what nobody uses; growth keeps what is used. Sessions from before the window are neither.
fn add_kept(series: &GroupSeries, open: &[&Life], figures: &mut GroupStatistics) {
    let end_s = series.bins.last().map_or(0.0, |bin| bin.at_s + series.bin_s);
    let kept = open.iter().filter(|life| (0.0..end_s - FORGOTTEN_S).contains(&life.opened_s));
    let kept: Vec<&&Life> = kept.collect();
    let told = kept.iter().any(|life| life.idle_s.is_some());
    let forgotten = |life: &&&&Life| life.idle_s.is_some_and(|idle_s| idle_s > FORGOTTEN_S);
    figures.kept_idle = told.then(|| share(kept.iter(), forgotten));
}
