//! Whether a warm-up has settled.
//!
//! "No proof of a trend" alone would accept a very short or very noisy series: the means must agree as well, and below
//! [`MIN_WINDOWS`] the answer is no.

/// Fewest windows that can be judged: six of them are looked at, the least for which the normal approximation of the
/// Mann-Kendall test decides as its exact table does.
pub const MIN_WINDOWS: usize = 9;

/// Largest difference between the means of the middle and the last third, share of their mean.
const MAX_DIFFERENCE: f64 = 0.05;

/// Two-sided 5 % bound of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// Whether the rates of successive windows of equal width have settled.
///
/// The first third is taken as the rise and left out. Of the rest, the two halves' means must differ by less than 5 %,
/// and the Mann-Kendall test must find no trend at the 5 % level (Mann 1945; Kendall, "Rank Correlation Methods",
/// 1975; variance corrected for ties). Rates that depend on their predecessor make the test find trends too often: the
/// warm-up then lasts a little longer than it must. No rate, or one that is not finite, is not settled.
pub fn stationary(rates: &[f64]) -> bool {
    if rates.len() < MIN_WINDOWS || rates.iter().any(|r| !r.is_finite()) {
        return false;
    }
    let settled = &rates[rates.len() / 3..];
    let (middle, last) = settled.split_at(settled.len() / 2);
    means_agree(middle, last) && trend_z(settled).abs() < NORMAL_975
}

fn means_agree(a: &[f64], b: &[f64]) -> bool {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a, b) = (mean(a), mean(b));
    let both = f64::midpoint(a, b);
    both > 0.0 && (a - b).abs() < MAX_DIFFERENCE * both
}

/// The Mann-Kendall statistic, standardised: `S / sqrt(var S)` with S moved by one towards 0 (continuity).
fn trend_z(values: &[f64]) -> f64 {
    let mut s = 0_i64;
    for (i, earlier) in values.iter().enumerate() {
        for later in &values[i + 1..] {
            s += i64::from(later > earlier) - i64::from(later < earlier);
        }
    }
    let spread = variance_of_s(values).sqrt();
    if spread > 0.0 { (s - s.signum()) as f64 / spread } else { 0.0 }
}

/// `(n (n-1) (2n+5) - sum over groups of t equal values of t (t-1) (2t+5)) / 18`.
fn variance_of_s(values: &[f64]) -> f64 {
    let term = |n: usize| (n * (n - 1) * (2 * n + 5)) as f64;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(|group| term(group.len())).sum();
    (term(values.len()) - ties) / 18.0
}
