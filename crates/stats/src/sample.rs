//! Figures of a plain list of numbers: quantiles, variance, correlation.
//!
//! These are for short series held in memory; times of logins belong in a `Distribution`. Quantiles interpolate between
//! neighbours (Hyndman and Fan 1996, type 7), so a quantile need not be a value that occurred.

/// Arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Variance of the sample (divided by n − 1); `None` below two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() >= 2)?;
    Some(values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64)
}

/// Standard deviation over mean; `None` below two values, or when the mean is not positive.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| *mean > 0.0)?;
    Some(variance(values)?.sqrt() / mean)
}

/// Variance over mean of counts, 1 for independent arrivals (the index of dispersion; Cox and Lewis, "The Statistical
/// Analysis of Series of Events", 1966); `None` below two values, or when nothing was counted.
pub fn dispersion(counts: &[f64]) -> Option<f64> {
    let mean = mean(counts).filter(|mean| *mean > 0.0)?;
    Some(variance(counts)? / mean)
}

/// A list of numbers in ascending order, for quantiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts; what is no number is left out.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// The values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The value below which a share `q` (0 to 1) lies; `None` of nothing.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        let place = q.clamp(0.0, 1.0) * last as f64;
        let below = place.floor() as usize;
        let (low, high) = (self.0[below], self.0[(below + 1).min(last)]);
        Some(low + (high - low) * (place - below as f64))
    }

    /// The middle.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }
}

/// The middle of a list; `None` of nothing.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    Sorted::new(values).median()
}

/// Pearson's correlation of two series of the same length (the longer one is cut); `None` below three pairs, or when
/// one of them is constant.
pub fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len().min(b.len());
    if n < 3 {
        return None;
    }
    let (a, b) = (&a[..n], &b[..n]);
    let (mean_a, mean_b) = (mean(a)?, mean(b)?);
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 { a.iter().zip(b).map(|(a, b)| f(a - mean_a, b - mean_b)).sum() };
    let (both, of_a, of_b) = (sum(&|a, b| a * b), sum(&|a, _| a * a), sum(&|_, b| b * b));
    let scale = (of_a * of_b).sqrt();
    // A constant series leaves nothing but the rounding of its mean.
    let constant = |of: f64, mean: f64| of <= n as f64 * (mean * 1e-12).powi(2);
    (!constant(of_a, mean_a) && !constant(of_b, mean_b)).then(|| (both / scale).clamp(-1.0, 1.0))
}

/// Correlation of `a` with `b` taken `lag` places later; `None` as in [`correlation`].
pub fn lagged_correlation(a: &[f64], b: &[f64], lag: usize) -> Option<f64> {
    correlation(a, b.get(lag..)?)
}
