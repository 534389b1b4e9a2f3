//! The upper tail of the Poisson distribution: how surprising a count is.

/// Terms beyond which the sum no longer moves, for any mean that is asked about.
const MAX_TERMS: u32 = 100_000;

/// `P(X >= count)` for a Poisson variable with this mean.
///
/// Summed from `count` upwards, so that a tail of 1e-300 is as exact as one of 0.1; below the mean the complement is
/// summed instead. A mean that is not positive gives 1 for a count of 0 and 0 for any other.
pub fn poisson_tail(count: u64, mean: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if mean.is_nan() || mean <= 0.0 {
        return 0.0;
    }
    if (count as f64) <= mean {
        return (1.0 - below(count, mean)).clamp(0.0, 1.0);
    }
    let mut term = ln_term(count, mean).exp();
    let (mut sum, mut k) = (term, count);
    for _ in 0..MAX_TERMS {
        k += 1;
        term *= mean / k as f64;
        sum += term;
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum.clamp(0.0, 1.0)
}

/// `P(X < count)`, summed downwards from the largest term.
fn below(count: u64, mean: f64) -> f64 {
    let mut k = count - 1;
    let mut term = ln_term(k, mean).exp();
    let mut sum = term;
    while k > 0 && term > sum * 1e-17 {
        term *= k as f64 / mean;
        k -= 1;
        sum += term;
    }
    sum
}

/// Logarithm of `e^-mean mean^k / k!`.
fn ln_term(k: u64, mean: f64) -> f64 {
    k as f64 * mean.ln() - mean - ln_factorial(k)
}

/// Logarithm of k!: exact sum for small k, beyond it Stirling's series (Abramowitz and Stegun, 6.1.41; three terms, error below
/// 1e-12 from 50 on).
fn ln_factorial(k: u64) -> f64 {
    if k < 50 {
        return (2..=k).map(|i| (i as f64).ln()).sum();
    }
    let x = k as f64 + 1.0;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}
