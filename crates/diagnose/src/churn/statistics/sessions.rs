//! Open sessions: their mean, how far they swing, how many are at work, whether they grow; and the mean life of one.

use peaje_model::GroupStatistics;
use peaje_stats::{Sorted, mean, median, theil_sen};

use crate::churn::{Bin, GroupSeries};

use super::flow::share;

/// Seconds in an hour.
const HOUR_S: f64 = 3600.0;

/// Blocks whose medians give the slope.
const BLOCKS: usize = 12;

/// Bins over which the swing is taken.
const SMOOTHED_BINS: usize = 3;

/// How near to the maximum is at the maximum: a share of it, and at least one session.
const NEAR_MAXIMUM: f64 = 0.02;

/// Change of the sessions over the window, as a share of the logins, up to which Little's law may be applied to it.
const STEADY: f64 = 0.2;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let open: Vec<f64> = series.bins.iter().filter_map(|bin| bin.sessions).collect();
    let Some(mean_open) = mean(&open) else { return };
    let sorted = Sorted::new(open.iter().copied());
    figures.mean_sessions = Some(mean_open);
    figures.sessions_at_end = open.last().copied();
    add_swing(&open, figures);
    figures.growth_per_h = growth(&series.bins, series.bin_s, sorted.median());
    let third = series.bins.len().div_ceil(3).max(1);
    let thirds = series.bins.chunks(third).map(|bins| growth(bins, series.bin_s, sorted.median()));
    figures.least_growth_per_h = thirds.collect::<Option<Vec<f64>>>().and_then(|all| all.into_iter().reduce(f64::min));
    let waiting: Vec<f64> = series.bins.iter().filter_map(|bin| bin.waiting).collect();
    figures.mean_waiting = mean(&waiting);
    add_use(&series.bins, mean_open, sorted.median(), figures);
    add_life(&open, mean_open, figures);
}

/// How far the sessions swing and how often they are at their maximum, by the means of three bins and without the highest
/// twentieth of them: where sessions are counted from what readings saw, one that is replaced may be missing, or there
/// twice, for the length of a bin.
fn add_swing(open: &[f64], figures: &mut GroupStatistics) {
    let smooth: Vec<f64> = open.windows(SMOOTHED_BINS.min(open.len())).filter_map(mean).collect();
    let sorted = Sorted::new(smooth.iter().copied());
    let (Some(low), Some(high)) = (sorted.quantile(0.05), sorted.quantile(0.95)) else { return };
    figures.amplitude = (high > 0.0).then(|| (high - low) / high);
    let near = high - (high * NEAR_MAXIMUM).max(1.0);
    figures.at_maximum = Some(share(smooth.iter(), |open| **open >= near));
}

fn add_use(bins: &[Bin], mean_open: f64, median_open: Option<f64>, figures: &mut GroupStatistics) {
    let active: Vec<f64> = bins.iter().filter_map(|bin| bin.active).collect();
    let Some(mean_active) = mean(&active) else { return };
    let sorted = Sorted::new(active);
    let over_median = |of: Option<f64>| Some(of? / median_open.filter(|open| *open > 0.0)?);
    figures.peak_use = over_median(sorted.quantile(0.99));
    figures.median_use = over_median(sorted.median());
    figures.mean_use = (mean_open > 0.0).then(|| mean_active / mean_open);
}

/// Little's law: mean life = mean sessions / rate of logins. Not applied while the sessions rise or fall as a whole, and
/// no life when a session was never seen: then it is only known to be short.
fn add_life(open: &[f64], mean_open: f64, figures: &mut GroupStatistics) {
    let change = open.last().zip(open.first()).map_or(0.0, |(last, first)| (last - first).abs());
    if figures.logins <= 0.0 || mean_open <= 0.0 || change > STEADY * figures.logins + 1.0 {
        return;
    }
    let life_s = mean_open * figures.window_s / figures.logins;
    // A mean below one is itself sampled: seen or not seen.
    let sampled = if mean_open < 1.0 { 1.0 / (open.len() as f64 * mean_open) } else { 0.0 };
    figures.mean_life_s = Some(life_s);
    figures.mean_life_error = Some((1.0 / figures.logins + sampled).sqrt());
    figures.replaced_per_h = Some(HOUR_S / life_s);
}

/// Theil-Sen slope of the medians of twelve blocks of time, relative to the median and per hour.
fn growth(bins: &[Bin], bin_s: f64, median_open: Option<f64>) -> Option<f64> {
    let middle = median_open.filter(|open| *open > 0.0)?;
    let (start, end) = (bins.first()?.at_s, bins.last()?.at_s + bin_s);
    let block_s = (end - start) / BLOCKS as f64;
    let block = |i: usize| {
        let from = start + i as f64 * block_s;
        let within = bins.iter().filter(|bin| (from..from + block_s).contains(&bin.at_s));
        Some((from / HOUR_S, median(within.filter_map(|bin| bin.sessions))?))
    };
    let points: Vec<(f64, f64)> = (0..BLOCKS).filter_map(block).collect();
    (bins.len() >= BLOCKS).then(|| theil_sen(&points)).flatten().map(|slope| slope / middle)
}
