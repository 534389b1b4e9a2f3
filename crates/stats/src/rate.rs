//! Rates from counts per tick: the mean with an interval, and the best window.
//!
//! Counts of neighbouring ticks depend on each other (a full queue stays full for a while), so an interval from the
//! ticks themselves would be too narrow. It is made from means of long batches instead.

use crate::t_quantile_975;

/// Batches that are aimed at; fewer when they would become too short.
const MAX_BATCHES: usize = 20;

/// Fewest batches that give an interval.
const MIN_BATCHES: usize = 5;

/// Shortest batch, seconds.
const MIN_BATCH_S: f64 = 0.1;

/// Lag-1 autocorrelation of the batch means above which batches are made longer.
const CORRELATED: f64 = 0.2;

/// Largest lag-1 autocorrelation that is corrected for: the factor on the variance is then 19.
const MAX_CORRECTED: f64 = 0.9;

/// A whole number of ticks may miss its width by rounding of the division.
const ROUNDING: f64 = 1e-9;

/// A mean rate, events per second, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RateInterval {
    /// All events over all time; `None` when no time was measured.
    pub value: Option<f64>,
    /// Lower end; `None` when the series is too short for five batches of 0.1 s, or holds no event.
    pub low: Option<f64>,
    /// Upper end; `None` when `low` is.
    pub high: Option<f64>,
}

/// The mean rate with a 95 % interval by batch means.
///
/// The ticks are grouped into 10 to 20 batches of equal length, and Student's t is applied to their means (Law,
/// "Simulation Modeling and Analysis", section 9.5.3). If neighbouring batches still depend on each other, batches
/// twice as long are tried; what positive lag-1 autocorrelation `r` remains widens the variance by `(1 + r) / (1 - r)`,
/// the factor of a first-order autoregressive series (Wilks, "Statistical Methods in the Atmospheric Sciences",
/// section 5.2.4).
pub fn rate_interval(counts_per_tick: &[u64], tick_s: f64) -> RateInterval {
    if counts_per_tick.is_empty() || !is_width(tick_s) {
        return RateInterval::default();
    }
    let total: u128 = counts_per_tick.iter().copied().map(u128::from).sum();
    let value = total as f64 / (counts_per_tick.len() as f64 * tick_s);
    let half = if total == 0 { None } else { half_width(counts_per_tick, tick_s) };
    RateInterval {
        value: Some(value),
        low: half.map(|half| (value - half).max(0.0)),
        high: half.map(|half| value + half),
    }
}

/// The highest rate in any window of `window_s` that begins at a tick, events per second; `None` when the series is
/// shorter than the window. A window that is no whole number of ticks is widened to one.
pub fn peak_rate(counts_per_tick: &[u64], tick_s: f64, window_s: f64) -> Option<f64> {
    if !is_width(tick_s) || !is_width(window_s) {
        return None;
    }
    let ticks = ticks_in(window_s, tick_s);
    let most: u128 = counts_per_tick.windows(ticks).map(sum).max()?;
    Some(most as f64 / (ticks as f64 * tick_s))
}

fn sum(counts: &[u64]) -> u128 {
    counts.iter().copied().map(u128::from).sum()
}

fn is_width(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

/// Ticks that cover a width, at least one.
fn ticks_in(width_s: f64, tick_s: f64) -> usize {
    ((width_s / tick_s - ROUNDING).ceil() as usize).max(1)
}

/// Half of the interval's width; `None` when there are too few batches.
fn half_width(counts: &[u64], tick_s: f64) -> Option<f64> {
    let shortest = ticks_in(MIN_BATCH_S, tick_s).max(counts.len().div_ceil(MAX_BATCHES));
    let batches = [shortest, shortest * 2]
        .into_iter()
        .map(|ticks| batch_rates(counts, ticks, tick_s))
        .filter(|batches| batches.len() >= MIN_BATCHES)
        // The first that is nearly independent, or else the longest batches.
        .reduce(|short, long| if autocorrelation(&short) > CORRELATED { long } else { short })?;
    let n = batches.len() as f64;
    let r = autocorrelation(&batches).clamp(0.0, MAX_CORRECTED);
    let variance = variance(&batches) * (1.0 + r) / (1.0 - r);
    Some(t_quantile_975(batches.len() as u64 - 1) * (variance / n).sqrt())
}

/// Rates of successive batches; ticks that do not fill a batch are left out at the start, where the series is youngest.
fn batch_rates(counts: &[u64], ticks: usize, tick_s: f64) -> Vec<f64> {
    let spare = counts.len() % ticks;
    counts[spare..].chunks_exact(ticks).map(|batch| sum(batch) as f64 / (ticks as f64 * tick_s)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Variance of the sample.
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// Autocorrelation at lag 1; 0 for a constant series.
fn autocorrelation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let all: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let lagged: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if all > 0.0 { lagged / all } else { 0.0 }
}
