//! Student's t, for 95 % intervals only.

/// 0.975 quantiles for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2).
const TABLE: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// 0.975 quantile of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 0.975 quantile of Student's t: half the width of a two-sided 95 % interval, in standard errors.
///
/// A table up to 30 degrees of freedom, beyond it the expansion of Abramowitz and Stegun, 26.7.5 (error below 0.0001).
/// Without a degree of freedom there is no interval: infinity.
pub fn t_quantile_975(degrees_of_freedom: u64) -> f64 {
    if degrees_of_freedom == 0 {
        return f64::INFINITY;
    }
    if let Some(t) = usize::try_from(degrees_of_freedom - 1).ok().and_then(|i| TABLE.get(i)) {
        return *t;
    }
    let (z, n) = (NORMAL_975, degrees_of_freedom as f64);
    let first = (z.powi(3) + z) / (4.0 * n);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
    z + first + second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_published_values() {
        // NIST/SEMATECH e-Handbook, same table, rows beyond 30; the last one is the normal distribution's.
        let published =
            [(1, 12.706), (5, 2.571), (19, 2.093), (30, 2.042), (31, 2.040), (40, 2.021), (60, 2.000), (100, 1.984)];
        for (degrees, expected) in published {
            let t = t_quantile_975(degrees);
            assert!((t - expected).abs() < 0.0006, "{degrees} degrees: {t}, published {expected}");
        }
        assert!((t_quantile_975(u64::MAX) - 1.960).abs() < 0.0001);
    }

    #[test]
    fn falls_with_the_degrees_of_freedom() {
        assert!(t_quantile_975(0).is_infinite());
        for degrees in 1..200 {
            assert!(t_quantile_975(degrees) > t_quantile_975(degrees + 1), "{degrees}");
        }
    }
}
