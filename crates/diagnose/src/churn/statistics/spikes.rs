//! Peaks of logouts and the distances between them.

use peaje_model::GroupStatistics;
use peaje_stats::{coefficient_of_variation, mean};

use crate::churn::GroupSeries;

use super::flow::column;

/// A bin belongs to a peak when its logouts are this many times the mean …
const TIMES_MEAN: f64 = 4.0;

/// … and this share of the most in one bin …
const OF_MOST: f64 = 0.2;

/// … and no fewer than these.
const FEWEST: f64 = 2.0;

/// Peaks nearer than this are one: a jittered lifetime spreads its wave.
const APART_S: f64 = 120.0;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let peaks = peaks(series);
    let gaps: Vec<f64> = peaks.windows(2).map(|pair| pair[1] - pair[0]).collect();
    figures.spikes = peaks.len() as u64;
    figures.spike_gap_s = mean(&gaps);
    figures.spike_gap_cv = coefficient_of_variation(&gaps);
}

/// The times of the peaks: each the mean of its bins' times, weighted by their logouts.
fn peaks(series: &GroupSeries) -> Vec<f64> {
    let logouts = column(&series.bins, |bin| bin.logouts);
    let Some(mean) = mean(&logouts) else { return Vec::new() };
    let most = logouts.iter().copied().fold(0.0, f64::max);
    let least = (TIMES_MEAN * mean).max(OF_MOST * most).max(FEWEST);
    let mut clusters: Vec<Peak> = Vec::new();
    for bin in series.bins.iter().filter(|bin| bin.logouts >= least) {
        match clusters.last_mut() {
            Some(last) if bin.at_s - last.until_s <= APART_S => last.take_in(bin.at_s, bin.logouts),
            _ => clusters.push(Peak::new(bin.at_s, bin.logouts)),
        }
    }
    clusters.into_iter().map(|peak| peak.moment / peak.weight).collect()
}

struct Peak {
    until_s: f64,
    weight: f64,
    moment: f64,
}

impl Peak {
    fn new(at_s: f64, logouts: f64) -> Self {
        Self { until_s: at_s, weight: logouts, moment: at_s * logouts }
    }

    fn take_in(&mut self, at_s: f64, logouts: f64) {
        self.until_s = at_s;
        self.weight += logouts;
        self.moment += at_s * logouts;
    }
}
