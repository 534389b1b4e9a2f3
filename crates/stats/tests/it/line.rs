//! Lines and powers against certified values, naive computation and simulation.

use peaje_stats::{Line, PowerLaw};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::series::Random;

/// NIST Statistical Reference Datasets, linear regression, "Norris": x and y.
const NORRIS: [(f64, f64); 36] = [
    (0.2, 0.1),
    (337.4, 338.8),
    (118.2, 118.1),
    (884.6, 888.0),
    (10.1, 9.2),
    (226.5, 228.1),
    (666.3, 668.5),
    (996.3, 998.5),
    (448.6, 449.1),
    (777.0, 778.9),
    (558.2, 559.2),
    (0.4, 0.3),
    (0.6, 0.1),
    (775.5, 778.1),
    (666.9, 668.8),
    (338.0, 339.3),
    (447.5, 448.9),
    (11.6, 10.8),
    (556.0, 557.7),
    (228.1, 228.3),
    (995.8, 998.0),
    (887.6, 888.8),
    (120.2, 119.6),
    (0.3, 0.3),
    (0.3, 0.6),
    (556.8, 557.6),
    (339.1, 339.3),
    (887.2, 888.0),
    (999.0, 998.5),
    (779.0, 778.9),
    (11.1, 10.2),
    (118.3, 117.6),
    (229.2, 228.9),
    (669.1, 668.4),
    (448.9, 449.2),
    (0.5, 0.2),
];

#[test]
fn the_certified_line_of_norris() {
    let line = Line::fit(&NORRIS).unwrap();
    let (slope, intercept) = (line.slope(), line.intercept());
    assert!((slope.value - 1.002_116_818_020_45).abs() < 1e-12, "{slope:?}");
    assert!((intercept.value - -0.262_323_073_774_029).abs() < 1e-10, "{intercept:?}");
    // certified standard deviations of both, and t of 34 degrees of freedom (2.0322)
    let half = |low: Option<f64>, high: Option<f64>| (high.unwrap() - low.unwrap()) / 2.0;
    assert!((half(slope.low, slope.high) / 2.0322 - 0.429_796_848_199_937e-3).abs() < 1e-7);
    assert!((half(intercept.low, intercept.high) / 2.0322 - 0.232_818_234_301_152).abs() < 1e-4);
}

#[test]
fn few_points_give_no_interval_and_none_no_line() {
    assert_eq!(Line::fit(&[]), None);
    assert_eq!(Line::fit(&[(3.0, 1.0), (3.0, 2.0)]), None);
    assert_eq!(Line::fit(&[(1.0, f64::NAN), (2.0, 1.0)]), None);
    let line = Line::fit(&[(1.0, 10.0), (3.0, 20.0)]).unwrap();
    assert_eq!((line.slope().value, line.slope().low, line.intercept().value), (5.0, None, 5.0));
    let there = line.reaches(50.0).unwrap();
    assert_eq!((there.value, there.low, there.high), (9.0, None, None));
    assert_eq!(Line::fit(&[(1.0, 2.0), (2.0, 2.0)]).unwrap().reaches(3.0), None, "a flat line reaches nothing");
}

#[test]
fn a_slope_lost_in_noise_reaches_a_value_nobody_knows_where() {
    let line = Line::fit(&[(1.0, 5.0), (2.0, -4.0), (3.0, 6.0), (4.0, -3.0), (5.0, 5.5)]).unwrap();
    let there = line.reaches(40.0).unwrap();
    assert_eq!((there.low, there.high), (None, None), "{there:?}");
}

/// Shares of 2,000 series of noise whose interval holds the truth: slope, intercept, and where the line reaches 900.
#[test]
fn intervals_hold_the_truth_19_times_of_20() {
    const SERIES: usize = 2_000;
    let mut random = Random(11);
    let (mut slope, mut intercept, mut reach) = (0, 0, 0);
    for _ in 0..SERIES {
        let points: Vec<(f64, f64)> =
            (1..=6).map(|i| (f64::from(i) * 50.0, 200.0 + 1.8 * f64::from(i) * 50.0 + 9.0 * random.normal())).collect();
        let line = Line::fit(&points).unwrap();
        let holds = |of: peaje_stats::Estimate, truth: f64| (of.low.unwrap()..=of.high.unwrap()).contains(&truth);
        slope += usize::from(holds(line.slope(), 1.8));
        intercept += usize::from(holds(line.intercept(), 200.0));
        reach += usize::from(holds(line.reaches(900.0).unwrap(), 700.0 / 1.8));
    }
    for held in [slope, intercept, reach] {
        let share = held as f64 / SERIES as f64;
        assert!((0.935..=0.965).contains(&share), "{share}");
    }
}

#[test]
fn a_power_is_found_and_its_interval_holds_it() {
    let exact: Vec<(f64, f64)> = (1..=6).map(|i| (f64::from(i), 3.0 * f64::from(i).powf(1.7))).collect();
    let law = PowerLaw::fit(&exact).unwrap();
    assert!((law.exponent().value - 1.7).abs() < 1e-12 && (law.at(10.0) - 3.0 * 10_f64.powf(1.7)).abs() < 1e-9);
    assert_eq!(PowerLaw::fit(&[(0.0, 1.0), (1.0, 0.0), (2.0, 3.0)]), None, "one point has a logarithm");
    let mut random = Random(5);
    let noisy: Vec<(f64, f64)> =
        (0..9).map(|i| 100.0 * 2_f64.powi(i)).map(|x| (x, x.powf(0.5) * (0.05 * random.normal()).exp())).collect();
    let exponent = PowerLaw::fit(&noisy).unwrap().exponent();
    assert!((exponent.low.unwrap()..=exponent.high.unwrap()).contains(&0.5), "{exponent:?}");
}

proptest! {
    #[test]
    fn the_line_is_the_one_of_the_normal_equations(points in vec((-1e3..1e3_f64, -1e3..1e3_f64), 3..20)) {
        let (n, sum) = (points.len() as f64, |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>());
        let (x, y, xx, xy) = (sum(|p| p.0), sum(|p| p.1), sum(|p| p.0 * p.0), sum(|p| p.0 * p.1));
        let slope = (n * xy - x * y) / (n * xx - x * x);
        if let Some(line) = Line::fit(&points) {
            prop_assume!((n * xx - x * x) > 1.0);
            prop_assert!((line.slope().value - slope).abs() < 1e-6 * slope.abs().max(1.0));
            prop_assert!((line.intercept().value - (y - slope * x) / n).abs() < 1e-5 * (1.0 + y.abs()));
        }
    }

    #[test]
    fn where_the_interval_of_the_line_ends_begins_that_of_its_reach(
        points in vec(-5.0..5.0_f64, 4..12),
        y in 50.0..500.0_f64,
    ) {
        let points: Vec<(f64, f64)> =
            points.iter().enumerate().map(|(i, e)| (i as f64, 7.0 * i as f64 + e)).collect();
        let line = Line::fit(&points).unwrap();
        let there = line.reaches(y).unwrap();
        prop_assert!((line.at(there.value).value - y).abs() < 1e-6);
        if let (Some(low), Some(high)) = (there.low, there.high) {
            prop_assert!(low <= there.value && there.value <= high);
            prop_assert!((line.at(low).high.unwrap() - y).abs() < 1e-6 * y);
            prop_assert!((line.at(high).low.unwrap() - y).abs() < 1e-6 * y);
        }
    }
}
