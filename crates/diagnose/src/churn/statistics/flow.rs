//! Logins, logouts, failures and requests: sums, dispersion, and how they go together.

use std::ops::Range;

use peaje_model::{FailedLogins, GroupStatistics};
use peaje_stats::{correlation, dispersion, lagged_correlation, mean};

use crate::churn::{Bin, GroupSeries};

/// Bins after a logout within which a login takes its place.
const REFILL_BINS: usize = 3;

/// Bins over which the moment of a logout may be smeared.
const SMEARED_BINS: usize = 3;

/// Failures per second from which logins are failing.
const FAILING_PER_S: f64 = 0.1;

/// Over this long.
const FAILING_WINDOW_S: f64 = 120.0;

/// Window in which failures are compared with what is usual.
const BURST_WINDOW_S: f64 = 300.0;

/// A part of a login this small is rounding.
pub(super) const NOTHING: f64 = 1e-6;

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let bins = &series.bins;
    let logins = column(bins, |bin| bin.logins);
    let logouts = column(bins, |bin| bin.logouts);
    figures.logins = logins.iter().sum();
    figures.logouts = logouts.iter().sum();
    // A login that may lie in either of two bins leaves one of them empty.
    figures.bins_without_login = mean(&column(bins, |bin| (1.0 - bin.logins).max(0.0))).unwrap_or(0.0);
    figures.login_dispersion = dispersion(&logins);
    figures.logout_dispersion = dispersion(&logouts);
    figures.most_logouts = logouts.iter().copied().fold(0.0, f64::max);
    figures.refill = refill(&logins, &logouts);
    figures.residual = residual(bins, series.bin_s, figures.logins);
    figures.reuses = sum(bins, |bin| bin.reuses);
    figures.abandoned = sum(bins, |bin| bin.abandoned).and_then(|gone| part(gone, figures.logouts));
    add_requests(bins, &logins, figures);
    add_failures(series, figures);
}

/// A logout is known to half an interval where readings see it, a login exactly: so sums of three bins are compared as
/// well, in which what belongs together falls together.
fn refill(logins: &[f64], logouts: &[f64]) -> Option<f64> {
    let sums = |counts: &[f64]| -> Vec<f64> { counts.windows(SMEARED_BINS).map(|bins| bins.iter().sum()).collect() };
    let exact = (0..=REFILL_BINS).filter_map(|lag| lagged_correlation(logouts, logins, lag));
    exact.chain(correlation(&sums(logouts), &sums(logins))).reduce(f64::max)
}

fn add_requests(bins: &[Bin], logins: &[f64], figures: &mut GroupStatistics) {
    let Some(requests) = sum(bins, |bin| bin.requests) else { return };
    figures.requests_per_login = (figures.logins > 0.0).then(|| requests / figures.logins);
    let requests = column(bins, |bin| bin.requests.unwrap_or(0.0));
    figures.logins_follow_requests = correlation(logins, &requests);
}

fn add_failures(series: &GroupSeries, figures: &mut GroupStatistics) {
    let known: Vec<FailedLogins> = series.bins.iter().filter_map(|bin| bin.failed).collect();
    if known.is_empty() {
        return;
    }
    let class = |of: fn(&FailedLogins) -> Option<f64>| known.iter().filter_map(of).reduce(|a, b| a + b);
    figures.failed = Some(FailedLogins {
        total: known.iter().map(|failed| failed.total).sum(),
        credentials: class(|failed| failed.credentials),
        limit: class(|failed| failed.limit),
        probe: class(|failed| failed.probe),
    });
    let failed = column(&series.bins, |bin| bin.failed.map_or(0.0, |failed| failed.total));
    let longest = failing(&failed, series.bin_s);
    figures.failing_for_s = Some(longest.len() as f64 * series.bin_s);
    let (failures, logins) = series.bins[longest.clone()]
        .iter()
        .zip(&failed[longest])
        .fold((0.0, 0.0), |sum, (bin, failed)| (sum.0 + failed, sum.1 + bin.logins));
    figures.failing_share = part(failures, failures + logins);
    let most = windows(&failed, series.bin_s, BURST_WINDOW_S).map(|window| window.iter().sum()).fold(0.0, f64::max);
    figures.most_failed_in_5min = Some(most);
}

/// Longest stretch covered by windows of two minutes in which logins fail all the while.
fn failing(failed: &[f64], bin_s: f64) -> Range<usize> {
    let mut failing = vec![false; failed.len()];
    for (start, window) in windows(failed, bin_s, FAILING_WINDOW_S).enumerate() {
        if window.iter().sum::<f64>() + NOTHING >= FAILING_PER_S * window.len() as f64 * bin_s {
            failing[start..start + window.len()].fill(true);
        }
    }
    let (mut longest, mut start) = (0..0, 0);
    for stretch in failing.chunk_by(|a, b| a == b) {
        if stretch[0] && stretch.len() > longest.len() {
            longest = start..start + stretch.len();
        }
        start += stretch.len();
    }
    longest
}

/// All windows of this length; one of what there is when the series is shorter.
fn windows(values: &[f64], bin_s: f64, window_s: f64) -> impl Iterator<Item = &[f64]> {
    let bins = (window_s / bin_s).ceil().max(1.0) as usize;
    values.windows(bins.min(values.len()).max(1))
}

/// What logins − logouts leaves of the change of sessions, over the logins. The first bin only gives the start, and what
/// changed over a gap is in no bin.
fn residual(bins: &[Bin], bin_s: f64, logins: f64) -> Option<f64> {
    let seen: Vec<usize> = (0..bins.len()).filter(|i| bins[*i].sessions.is_some()).collect();
    let (first, last) = (*seen.first()?, *seen.last()?);
    let mut change = bins[last].sessions? - bins[first].sessions?;
    let mut flow: f64 = bins[first + 1..=last].iter().map(|bin| bin.logins - bin.logouts).sum();
    for pair in bins[first..=last].windows(2).filter(|pair| pair[1].at_s - pair[0].at_s > 1.5 * bin_s) {
        if let (Some(before), Some(after)) = (pair[0].sessions, pair[1].sessions) {
            change -= after - before;
            flow -= pair[1].logins - pair[1].logouts;
        }
    }
    (last > first && logins > 0.0).then(|| (change - flow).abs() / logins)
}

/// One figure of every bin.
pub(super) fn column(bins: &[Bin], of: impl Fn(&Bin) -> f64) -> Vec<f64> {
    bins.iter().map(of).collect()
}

/// The sum of a figure over the bins in which it is known; `None` when it never is.
fn sum(bins: &[Bin], of: impl Fn(&Bin) -> Option<f64>) -> Option<f64> {
    bins.iter().filter_map(of).reduce(|a, b| a + b)
}

/// A share within 0 to 1; `None` of nothing.
pub(super) fn part(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| (part / whole).clamp(0.0, 1.0))
}

/// Share of the items that are so; 0 of none.
pub(super) fn share<T>(items: impl Iterator<Item = T>, is: impl Fn(&T) -> bool) -> f64 {
    let (all, so) = items.fold((0_u64, 0_u64), |(all, so), item| (all + 1, so + u64::from(is(&item))));
    if all > 0 { so as f64 / all as f64 } else { 0.0 }
}
