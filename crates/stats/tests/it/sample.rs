//! Sample figures against naive computation and published values.

use peaje_stats::{
    Sorted, best_comb, coefficient_of_variation, comb_strength, correlation, dispersion, lagged_correlation, mean,
    median, poisson_tail, theil_sen, variance,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn near(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within * a.abs().max(b.abs()).max(1e-300)
}

#[test]
fn quantiles_are_those_of_type_7() {
    // R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .25, .5, .9, 1)) = 1 1.4 2 4 12.8 16
    let sorted = Sorted::new([16.0, 2.0, 8.0, 1.0, 4.0, f64::NAN]);
    for (q, expected) in [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 4.0), (0.9, 12.8), (1.0, 16.0), (7.0, 16.0)] {
        assert!(near(sorted.quantile(q).unwrap(), expected, 1e-12), "{q}");
    }
    assert_eq!(sorted.values(), [1.0, 2.0, 4.0, 8.0, 16.0]);
    assert_eq!(median([3.0, 1.0]), Some(2.0));
    assert_eq!(median([]), None);
}

#[test]
fn moments_by_hand() {
    // mean 5, squares of the distances 9 1 1 1 0 0 4 16 = 32, over 7
    let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    assert_eq!(mean(&values), Some(5.0));
    assert!(near(variance(&values).unwrap(), 32.0 / 7.0, 1e-12));
    assert!(near(coefficient_of_variation(&values).unwrap(), (32.0_f64 / 7.0).sqrt() / 5.0, 1e-12));
    assert!(near(dispersion(&values).unwrap(), 32.0 / 35.0, 1e-12));
    assert_eq!((mean(&[]), variance(&[1.0]), dispersion(&[0.0, 0.0])), (None, None, None));
    assert_eq!(coefficient_of_variation(&[-1.0, -3.0]), None);
}

#[test]
fn correlation_of_a_published_set() {
    // Anscombe's first quartet (1973): r = 0.81642
    let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
    let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    assert!((correlation(&x, &y).unwrap() - 0.816_42).abs() < 5e-6);
    assert_eq!(correlation(&x, &[0.1; 11]), None);
    assert_eq!(correlation(&[1.0, 2.0], &[1.0, 2.0]), None);
}

#[test]
fn a_lag_is_found_where_it_is() {
    let logins = [9.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0];
    let logouts = [0.0, 0.0, 9.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0, 0.0];
    assert!(near(lagged_correlation(&logins, &logouts, 2).unwrap(), 1.0, 1e-12));
    assert!(lagged_correlation(&logins, &logouts, 1).unwrap() < 0.0);
    assert_eq!(lagged_correlation(&logins, &logouts, 11), None);
}

#[test]
fn a_slope_survives_wild_points() {
    let mut points: Vec<(f64, f64)> = (0..20).map(|x| (f64::from(x), 3.0 + 0.5 * f64::from(x))).collect();
    for wild in [3, 9, 17] {
        points[wild].1 = 1e6;
    }
    assert!(near(theil_sen(&points).unwrap(), 0.5, 1e-9));
    assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 5.0)]), None);
}

#[test]
fn poisson_tails_are_exact() {
    // summed with 60 decimals
    let exact = [
        (1, 1.0, 6.321_205_588_285_577e-1),
        (5, 2.0, 5.265_301_734_371_116e-2),
        (10, 10.0, 5.420_702_855_281_478e-1),
        (30, 10.0, 2.509_951_201_527_908e-7),
        (100, 20.0, 3.488_878_669_689_653e-37),
    ];
    for (count, mean, expected) in exact {
        assert!(near(poisson_tail(count, mean), expected, 1e-10), "{count} {mean}: {}", poisson_tail(count, mean));
    }
    assert_eq!((poisson_tail(0, 3.0), poisson_tail(2, 0.0), poisson_tail(0, 0.0)), (1.0, 0.0, 1.0));
    assert!(poisson_tail(1_000, 10.0) < f64::MIN_POSITIVE, "below the smallest number there is");
    assert!((0.45..0.55).contains(&poisson_tail(1_000_000, 1e6)));
}

#[test]
fn events_on_a_period_are_told_from_events_anywhere() {
    let on: Vec<f64> = (0..40).map(|i| 17.0 + 190.0 * f64::from(i * i % 23)).collect();
    let candidates = || (12..=23).map(|tens| f64::from(tens) * 10.0);
    let (period, strength) = best_comb(&on, candidates()).unwrap();
    assert!(near(period, 190.0, 1e-12) && strength > 0.999, "{period} {strength}");
    // a multiplicative congruential sequence, as good as random here
    let mut state = 1_u64;
    let anywhere: Vec<f64> = std::iter::repeat_with(|| {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0 * 14_400.0
    })
    .take(400)
    .collect();
    assert!(best_comb(&anywhere, candidates()).unwrap().1 < 0.15);
    assert_eq!((comb_strength(&[], 10.0), comb_strength(&[1.0], 0.0), best_comb(&[1.0], [])), (None, None, None));
}

proptest! {
    #[test]
    fn quantiles_stay_among_the_values(values in vec(-1e6..1e6_f64, 1..60), q in 0.0..1.0_f64) {
        let sorted = Sorted::new(values.clone());
        let quantile = sorted.quantile(q).unwrap();
        let at_most = values.iter().filter(|value| **value <= quantile).count() as f64;
        let at_least = values.iter().filter(|value| **value >= quantile).count() as f64;
        let n = values.len() as f64;
        prop_assert!(at_most >= (q * (n - 1.0)).floor() + 1.0 - 1e-9 && at_least >= ((1.0 - q) * (n - 1.0)).floor());
    }

    #[test]
    fn the_slope_is_the_naive_median_of_slopes(points in vec((0.0..100.0_f64, -50.0..50.0_f64), 2..30)) {
        let mut slopes = Vec::new();
        for i in 0..points.len() {
            for j in 0..points.len() {
                if points[i].0 < points[j].0 {
                    slopes.push((points[j].1 - points[i].1) / (points[j].0 - points[i].0));
                }
            }
        }
        slopes.sort_by(f64::total_cmp);
        let n = slopes.len();
        let naive = (n > 0).then(|| f64::midpoint(slopes[(n - 1) / 2], slopes[n / 2]));
        match (theil_sen(&points), naive) {
            (Some(slope), Some(naive)) => prop_assert!((slope - naive).abs() <= 1e-9 * naive.abs().max(1.0)),
            (slope, naive) => prop_assert_eq!(slope, naive),
        }
    }

    #[test]
    fn correlation_is_bounded_and_symmetric(pairs in vec((-1e3..1e3_f64, -1e3..1e3_f64), 3..50), scale in 0.1..9.0_f64) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        if let Some(r) = correlation(&a, &b) {
            prop_assert!((-1.0..=1.0).contains(&r));
            prop_assert!((r - correlation(&b, &a).unwrap()).abs() < 1e-9);
            let moved: Vec<f64> = b.iter().map(|b| b * scale + 7.0).collect();
            prop_assert!((r - correlation(&a, &moved).unwrap()).abs() < 1e-6);
        }
    }

    #[test]
    fn the_poisson_tail_is_one_minus_the_naive_sum(count in 1_u64..40, mean in 0.1..30.0_f64) {
        let mut term = (-mean).exp();
        let mut below = 0.0;
        for k in 0..count {
            below += term;
            term *= mean / (k + 1) as f64;
        }
        prop_assert!((poisson_tail(count, mean) - (1.0 - below)).abs() < 1e-12);
        prop_assert!(poisson_tail(count + 1, mean) <= poisson_tail(count, mean));
    }

    #[test]
    fn the_comb_is_the_length_of_the_naive_mean(times in vec(0.0..1e4_f64, 1..40), period in 1.0..500.0_f64) {
        let n = times.len() as f64;
        let angle = |t: &f64| 2.0 * std::f64::consts::PI * t / period;
        let x: f64 = times.iter().map(|t| angle(t).cos()).sum();
        let y: f64 = times.iter().map(|t| angle(t).sin()).sum();
        prop_assert!((comb_strength(&times, period).unwrap() - (x * x + y * y).sqrt() / n).abs() < 1e-6);
    }
}
