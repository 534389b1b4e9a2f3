//! The lag from logins to logouts: what opens together closes together, one idle timeout later.
//!
//! A lag alone proves nothing: workers of a batch that work for a few minutes show one as well.

use peaje_model::GroupStatistics;
use peaje_stats::lagged_correlation;

use crate::churn::GroupSeries;

use super::flow::column;

/// Longest lag that is looked for, in bins.
const LONGEST: usize = 120;

/// Series with shifted logouts that a lag must beat.
const SHIFTS: usize = 20;

/// Correlation that it must reach.
const LEAST: f64 = 0.2;

/// Logins that it needs.
const LOGINS: f64 = 60.0;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let logins = column(&series.bins, |bin| bin.logins);
    let logouts = column(&series.bins, |bin| bin.logouts);
    if figures.logins < LOGINS {
        return;
    }
    let Some((lag, correlation)) = best(&logins, &logouts, LEAST) else { return };
    let shifted = (1..=SHIFTS).any(|shift| {
        let mut moved = logouts.clone();
        moved.rotate_right(shift * logouts.len() / (SHIFTS + 1));
        best(&logins, &moved, correlation).is_some()
    });
    if !shifted {
        figures.logout_lag_s = Some(lag as f64 * series.bin_s);
        figures.logout_lag_correlation = Some(correlation);
    }
}

/// The lag with the highest correlation, when that reaches `least`.
fn best(logins: &[f64], logouts: &[f64], least: f64) -> Option<(usize, f64)> {
    let longest = LONGEST.min(logins.len() / 2);
    let all = (1..=longest).filter_map(|lag| Some((lag, lagged_correlation(logins, logouts, lag)?)));
    all.filter(|(_, correlation)| *correlation >= least).max_by(|a, b| a.1.total_cmp(&b.1))
}
