//! The distribution against naive computations on sorted vectors.

use std::time::Duration;

use peaje_stats::{DecodeError, Distribution};
use proptest::collection::vec;
use proptest::prelude::*;

fn distribution(values: &[u64]) -> Distribution {
    let mut distribution = Distribution::new();
    for value in values {
        distribution.record_ns(*value);
    }
    distribution
}

/// Nearest rank on the sorted values; `per_mille` keeps the oracle free of rounding.
fn naive_quantile(values: &[u64], per_mille: u64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() as u64 * per_mille).div_ceil(1000).max(1);
    sorted[rank as usize - 1]
}

fn is_close(got: f64, wanted: f64, relative: f64) -> bool {
    (got - wanted).abs() <= wanted.abs() * relative
}

/// Count, sum, ends, buckets and deviation: all that can be seen of a distribution.
type View = (u64, u128, Option<u64>, Option<u64>, Vec<(u64, u64)>, Option<f64>);

fn view(d: &Distribution) -> View {
    (d.count(), d.sum_ns(), d.min_ns(), d.max_ns(), d.buckets().collect(), d.stddev_ns())
}

/// Times of logins: microseconds to minutes, with zero and the ends of the range now and then.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 1_000_u64..100_000_000_000, 4 => 0_u64..5_000, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn ordinary() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..5_000, 1_000_u64..100_000_000_000]
}

#[test]
fn empty_says_nothing() {
    let empty = Distribution::default();
    assert!(empty.is_empty());
    assert_eq!((empty.count(), empty.sum_ns(), empty.min_ns(), empty.max_ns()), (0, 0, None, None));
    assert_eq!((empty.mean_ns(), empty.stddev_ns(), empty.mean_interval_ns()), (None, None, None));
    assert_eq!(empty.quantile_ns(0.0), None);
    assert_eq!(empty.buckets().count(), 0);
    assert!(Distribution::from_base64(&empty.to_base64()).unwrap().is_empty());
}

#[test]
fn quantiles_need_one_value_beyond_them() {
    // q, fewest values: n * (1 - q) >= 1. In floating point 10 * (1 - 0.9) is below 1, and 1000 * (1 - 0.999) as well.
    let table = [(0.0, 1), (0.5, 2), (0.75, 4), (0.9, 10), (0.95, 20), (0.99, 100), (0.999, 1000), (0.9999, 10_000)];
    for (q, fewest) in table {
        let values: Vec<u64> = (1..=fewest).collect();
        assert!(distribution(&values).quantile_ns(q).is_some(), "q {q} with {fewest} values");
        let fewer = distribution(&values[1..]);
        assert_eq!(fewer.quantile_ns(q), None, "q {q} with {} values", fewest - 1);
    }
}

#[test]
fn quantiles_outside_the_scale_are_none() {
    let d = distribution(&(0..5000).collect::<Vec<_>>());
    for q in [1.0, 1.1, -0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(d.quantile_ns(q), None, "{q}");
    }
}

#[test]
fn small_values_are_exact() {
    let d = distribution(&(1..=1000).collect::<Vec<_>>());
    let quantiles = [0.0, 0.5, 0.9, 0.99, 0.999].map(|q| d.quantile_ns(q));
    assert_eq!(quantiles, [1, 500, 900, 990, 999].map(Some));
    assert_eq!(d.mean_ns(), Some(500.5));
}

#[test]
fn the_whole_range_is_taken() {
    let d = distribution(&[0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX - 1, u64::MAX]);
    assert_eq!((d.count(), d.min_ns(), d.max_ns()), (6, Some(0), Some(u64::MAX)));
    assert!(d.quantile_ns(0.5).is_some());
    assert_eq!(d.buckets().map(|(_, n)| n).sum::<u64>(), 6);
    assert_eq!(Distribution::from_base64(&d.to_base64()).unwrap().count(), 6);

    let mut long = Distribution::new();
    long.record(Duration::MAX);
    assert_eq!(long.max_ns(), Some(u64::MAX));
    assert_eq!(long.quantile_ns(0.0), Some(u64::MAX), "a lone value is its own quantile");
}

#[test]
fn merging_a_larger_range_into_a_smaller_one() {
    let mut small = distribution(&[3, 4]);
    small.merge(&distribution(&[3_600_000_000_000]));
    assert_eq!(view(&small), view(&distribution(&[3, 4, 3_600_000_000_000])));
    small.merge(&Distribution::new());
    assert_eq!(small.min_ns(), Some(3), "merging an empty one moves no end");
    let mut empty = Distribution::new();
    empty.merge(&small);
    assert_eq!(view(&empty), view(&small));
}

/// NIST StRD univariate data set NumAcc4: 10000000.2 and 10000000.1, 10000000.3 in turn (500 times); certified mean
/// 10000000.2, standard deviation 0.1. Here in tenths, which are integers.
#[test]
fn standard_deviation_of_nist_numacc4() {
    let mut values = vec![100_000_002];
    for _ in 0..500 {
        values.extend([100_000_001, 100_000_003]);
    }
    let d = distribution(&values);
    assert!((d.mean_ns().unwrap() - 100_000_002.0).abs() < 1e-6);
    assert!((d.stddev_ns().unwrap() - 1.0).abs() < 1e-12, "{:?}", d.stddev_ns());
}

#[test]
fn interval_of_a_published_example() {
    // Student's sleep data, 1908, second drug, hours of additional sleep (+ 10 h, in tenths): mean 2.33, deviation
    // 2.002; 95 % interval 0.898 to 3.762 (R: t.test(extra[group == 2])).
    let d = distribution(&[119, 108, 111, 101, 99, 144, 155, 116, 146, 134]);
    let (low, high) = d.mean_interval_ns().unwrap();
    assert!((low - 108.977).abs() < 0.01 && (high - 137.623).abs() < 0.01, "{low} {high}");
    assert_eq!(distribution(&[1, 2, 3, 4]).mean_interval_ns(), None);
    assert_eq!(distribution(&[7; 5]).mean_interval_ns(), Some((7.0, 7.0)));
}

#[test]
fn a_histogram_of_another_implementation_is_read() {
    // Empty HdrHistogram V2 of three digits, payload and all, written by hand after the format's description:
    // cookie 0x1c849313, payload length 2, normalising offset 0, digits 3, low 1, high 3600000000, ratio 1.0,
    // then one zero-run of 5 slots (zig-zag -5 = 9) and one count of 7 at value 5 (zig-zag 7 = 14).
    let mut bytes = Vec::new();
    for word in [0x1c84_9313_u32, 2, 0, 3] {
        bytes.extend(word.to_be_bytes());
    }
    for word in [1_u64, 3_600_000_000, 1.0_f64.to_bits()] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend([9, 14]);
    let d = Distribution::from_base64(&encode(&bytes)).unwrap();
    assert_eq!((d.count(), d.sum_ns(), d.min_ns(), d.max_ns()), (7, 35, Some(5), Some(5)));
    assert_eq!(d.quantile_ns(0.5), Some(5));
}

#[test]
fn damage_is_an_error() {
    assert!(matches!(Distribution::from_base64("not base64!"), Err(DecodeError::Base64(_))));
    let text = distribution(&[1, 2, 3_000_000]).to_base64();
    for end in [0, 4, 20, text.len() / 4 * 4 - 4] {
        assert!(matches!(Distribution::from_base64(&text[..end]), Err(DecodeError::Histogram(_))), "cut at {end}");
    }
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn count_sum_mean_and_ends_are_exact(values in vec(value(), 1..400)) {
        let d = distribution(&values);
        let sum: u128 = values.iter().map(|v| u128::from(*v)).sum();
        prop_assert_eq!(d.count(), values.len() as u64);
        prop_assert_eq!(d.sum_ns(), sum);
        prop_assert_eq!(d.min_ns(), values.iter().copied().min());
        prop_assert_eq!(d.max_ns(), values.iter().copied().max());
        prop_assert!(is_close(d.mean_ns().unwrap(), sum as f64 / values.len() as f64, 1e-15));
    }

    #[test]
    fn quantiles_are_within_a_thousandth_above(values in vec(ordinary(), 1..3000), per_mille in 0_u64..1000) {
        let d = distribution(&values);
        let enough = values.len() as u64 * (1000 - per_mille) >= 1000;
        let q = per_mille as f64 / 1000.0;
        match d.quantile_ns(q) {
            None => prop_assert!(!enough),
            Some(got) => {
                prop_assert!(enough);
                let exact = naive_quantile(&values, per_mille);
                prop_assert!(got >= exact && got as f64 <= exact as f64 * 1.001, "{} for {}", got, exact);
                prop_assert!(got <= d.max_ns().unwrap());
            }
        }
    }

    #[test]
    fn quantiles_rise_with_q(values in vec(value(), 100..120)) {
        let d = distribution(&values);
        let quantiles: Vec<u64> = (0..100).step_by(9).filter_map(|q| d.quantile_ns(f64::from(q) / 100.0)).collect();
        prop_assert_eq!(quantiles.len(), 12);
        prop_assert!(quantiles.is_sorted());
    }

    #[test]
    fn merging_is_recording_all(a in vec(value(), 0..200), b in vec(value(), 0..200)) {
        let mut merged = distribution(&a);
        merged.merge(&distribution(&b));
        prop_assert_eq!(view(&merged), view(&distribution(&[a, b].concat())));
    }

    #[test]
    fn standard_deviation_is_the_naive_one(values in vec(ordinary(), 2..300)) {
        let mean = values.iter().map(|v| *v as f64).sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|v| (*v as f64 - mean).powi(2)).sum();
        let naive = (squares / (values.len() as f64 - 1.0)).sqrt();
        let got = distribution(&values).stddev_ns().unwrap();
        prop_assert!((got - naive).abs() <= naive * 1e-9 + 1e-6, "{} for {}", got, naive);
    }

    #[test]
    fn base64_keeps_the_buckets(values in vec(ordinary(), 1..300)) {
        let d = distribution(&values);
        let read = Distribution::from_base64(&d.to_base64()).unwrap();
        prop_assert_eq!(read.count(), d.count());
        let counts = |d: &Distribution| d.buckets().map(|(_, n)| n).collect::<Vec<_>>();
        prop_assert_eq!(counts(&read), counts(&d));
        for (got, wanted) in [(read.sum_ns() as f64, d.sum_ns() as f64), (read.mean_ns().unwrap(), d.mean_ns().unwrap())] {
            prop_assert!(is_close(got, wanted, 0.001), "{} for {}", got, wanted);
        }
        prop_assert!(read.min_ns() <= d.min_ns() && read.max_ns() >= d.max_ns());
        prop_assert!(is_close(read.max_ns().unwrap() as f64, d.max_ns().unwrap() as f64, 0.001));
        prop_assert_eq!(Distribution::from_base64(&read.to_base64()).unwrap().to_base64(), read.to_base64());
    }

    #[test]
    fn foreign_bytes_never_panic(mut bytes in vec(any::<u8>(), 0..200), real_header in any::<bool>()) {
        if real_header {
            let header = distribution(&[5, 70_000]).to_base64();
            let header = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, header).unwrap();
            bytes.splice(0..0, header[..40].iter().copied());
        }
        if let Ok(d) = Distribution::from_base64(&encode(&bytes)) {
            prop_assert!(d.quantile_ns(0.5).is_some() || d.count() < 2);
            prop_assert!(d.stddev_ns().is_none_or(f64::is_finite));
        }
    }

    #[test]
    fn buckets_hold_every_value(values in vec(value(), 1..300)) {
        let d = distribution(&values);
        let buckets: Vec<(u64, u64)> = d.buckets().collect();
        prop_assert_eq!(buckets.iter().map(|(_, n)| n).sum::<u64>(), d.count());
        prop_assert!(buckets.is_sorted_by_key(|(upper, _)| upper));
        prop_assert!(buckets.last().unwrap().0 <= d.max_ns().unwrap());
    }
}
