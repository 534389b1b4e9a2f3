//! Rates, intervals and stationarity on series whose truth is known, with fixed seeds.

use peaje_stats::{MIN_WINDOWS, peak_rate, rate_interval, stationary};
use proptest::collection::vec;
use proptest::prelude::*;

/// SplitMix64 (Steele, Lea, Flood 2014): a seeded generator without a dependency.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0, variance 1: the sum of twelve uniform values less six.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// First-order autoregressive counts per tick around `mean`.
fn autoregressive(random: &mut Random, ticks: usize, mean: f64, deviation: f64, r: f64) -> Vec<u64> {
    let mut state = random.normal();
    (0..ticks)
        .map(|_| {
            state = r * state + (1.0 - r * r).sqrt() * random.normal();
            (mean + deviation * state).max(0.0).round() as u64
        })
        .collect()
}

/// Share of intervals that hold the true rate, over 400 series.
fn coverage(seed: u64, ticks: usize, r: f64) -> f64 {
    const SERIES: usize = 400;
    let mut random = Random(seed);
    let held = (0..SERIES)
        .filter(|_| {
            let rate = rate_interval(&autoregressive(&mut random, ticks, 200.0, 20.0, r), 0.1);
            (rate.low.expect("long enough")..=rate.high.expect("long enough")).contains(&2000.0)
        })
        .count();
    held as f64 / SERIES as f64
}

#[test]
fn intervals_of_independent_ticks_hold_the_truth_19_times_of_20() {
    let share = coverage(1, 200, 0.0);
    assert!((0.92..=0.985).contains(&share), "{share}");
}

#[test]
fn intervals_of_dependent_ticks_are_nearly_as_good() {
    // An interval from the ticks themselves would hold the truth in two thirds of the cases.
    let share = coverage(2, 600, 0.8);
    assert!((0.91..=0.99).contains(&share), "{share}");
}

#[test]
fn short_dependent_series_do_not_promise_too_much() {
    let share = coverage(3, 100, 0.8);
    assert!(share >= 0.85, "{share}");
}

#[test]
fn the_value_is_all_events_over_all_time() {
    let rate = rate_interval(&[10, 20, 30], 0.5);
    assert_eq!(rate.value, Some(40.0));
    assert_eq!((rate.low, rate.high), (None, None), "three ticks make no five batches");
}

#[test]
fn five_batches_of_a_tenth_of_a_second_are_the_least() {
    // ticks, width, whether there is an interval.
    let table = [(5, 0.1, true), (4, 0.1, false), (4, 1.0, false), (5, 1.0, true), (49, 0.01, false), (50, 0.01, true)];
    for (ticks, width, expected) in table {
        let counts: Vec<u64> = (0..ticks).map(|i| 10 + i % 3).collect();
        assert_eq!(rate_interval(&counts, width).low.is_some(), expected, "{ticks} ticks of {width} s");
    }
}

#[test]
fn no_events_and_no_time() {
    let none = rate_interval(&[0; 100], 0.1);
    assert_eq!((none.value, none.low), (Some(0.0), None), "no event tells no upper end by its scatter");
    for (counts, width) in [(&[][..], 0.1), (&[1][..], 0.0), (&[1][..], -1.0), (&[1][..], f64::NAN)] {
        assert_eq!(rate_interval(counts, width).value, None);
        assert_eq!(peak_rate(counts, width, 1.0), None);
    }
}

#[test]
fn student_interval_by_hand() {
    // Batches 8, 9, 10, 11, 12 per 1 s tick: mean 10, variance 2.5, lag-1 autocorrelation 0.4, factor 7/3,
    // t(4) = 2.776; half width 2.776 * sqrt(2.5 * 7/3 / 5) = 2.9984.
    let rate = rate_interval(&[8, 9, 10, 11, 12], 1.0);
    assert_eq!(rate.value, Some(10.0));
    assert!((rate.low.unwrap() - 7.0016).abs() < 0.001, "{rate:?}");
    assert!((rate.high.unwrap() - 12.9984).abs() < 0.001, "{rate:?}");
}

#[test]
fn peak_windows() {
    // counts, tick, window, peak.
    let table: [(&[u64], f64, f64, Option<f64>); 8] = [
        (&[1, 5, 3, 0], 1.0, 1.0, Some(5.0)),
        (&[1, 5, 3, 0], 1.0, 2.0, Some(4.0)),
        (&[1, 5, 3, 0], 1.0, 4.0, Some(2.25)),
        (&[1, 5, 3, 0], 1.0, 5.0, None),
        (&[1, 5, 3, 0], 0.1, 0.3, Some(30.0)),
        (&[1, 5, 3, 0], 0.5, 0.75, Some(8.0)),
        (&[u64::MAX, u64::MAX], 1.0, 2.0, Some(u64::MAX as f64)),
        (&[], 1.0, 1.0, None),
    ];
    for (counts, tick, window, expected) in table {
        let got = peak_rate(counts, tick, window);
        match (got, expected) {
            (Some(got), Some(expected)) => assert!((got - expected).abs() <= expected * 1e-12, "{counts:?}: {got}"),
            _ => assert_eq!(got.is_some(), expected.is_some(), "{counts:?} {tick} {window}"),
        }
    }
}

#[test]
fn stationary_series_are_accepted() {
    let mut random = Random(4);
    let accepted =
        (0..200).filter(|_| stationary(&(0..30).map(|_| 1000.0 + 20.0 * random.normal()).collect::<Vec<_>>())).count();
    // The trend test refuses one in twenty by design.
    assert!((180..=199).contains(&accepted), "{accepted} of 200");
    assert!(stationary(&[500.0; MIN_WINDOWS]));
}

#[test]
fn the_rise_at_the_start_is_forgiven() {
    let mut random = Random(5);
    let rates: Vec<f64> =
        (0..30).map(|i| if i < 9 { 100.0 * f64::from(i) } else { 1000.0 + 10.0 * random.normal() }).collect();
    assert!(stationary(&rates));
}

#[test]
fn moving_series_are_refused() {
    let mut random = Random(6);
    let mut series = |rate: &dyn Fn(f64) -> f64| (0..30).map(|i| rate(f64::from(i)) + 5.0 * random.normal()).collect();
    let moving: [(&str, Vec<f64>); 4] = [
        ("a slow rise", series(&|i| 1000.0 + 4.0 * i)),
        ("a slow fall", series(&|i| 1000.0 - 4.0 * i)),
        ("a step late", series(&|i| if i < 20.0 { 900.0 } else { 1000.0 })),
        ("a saturating rise", series(&|i| 1000.0 * (1.0 - (-i / 12.0).exp()))),
    ];
    for (name, rates) in &moving {
        assert!(!stationary(rates), "{name}");
    }
}

#[test]
fn too_little_is_refused() {
    assert!(!stationary(&[500.0; MIN_WINDOWS - 1]));
    assert!(!stationary(&[0.0; 30]), "nothing happens");
    assert!(!stationary(&[f64::NAN; 30]));
    assert!(!stationary(&[]));
}

proptest! {
    #[test]
    fn the_interval_holds_its_value(counts in vec(0_u64..10_000, 1..300), tick_ms in 1_u32..2000) {
        let rate = rate_interval(&counts, f64::from(tick_ms) / 1000.0);
        let value = rate.value.unwrap();
        prop_assert_eq!(rate.low.is_some(), rate.high.is_some());
        if let (Some(low), Some(high)) = (rate.low, rate.high) {
            prop_assert!(0.0 <= low && low <= value && value <= high && high.is_finite(), "{:?}", rate);
        }
    }

    #[test]
    fn the_peak_is_the_naive_one(counts in vec(0_u64..1000, 1..100), ticks in 1_usize..20) {
        let naive = (0..counts.len())
            .filter(|start| start + ticks <= counts.len())
            .map(|start| counts[start..start + ticks].iter().sum::<u64>())
            .max();
        // A tenth of a second is no binary fraction: a window of `ticks` ticks must not become one more.
        let got = peak_rate(&counts, 0.1, ticks as f64 * 0.1);
        prop_assert_eq!(got.map(|rate| (rate * 0.1 * ticks as f64).round() as u64), naive);
    }
}
