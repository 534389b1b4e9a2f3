//! A distribution of times in nanoseconds: a histogram for the quantiles, exact sums for everything else.
//!
//! The mean is *not* read from the histogram: count, sum, sum of squares, minimum and maximum are kept beside it and
//! are exact. Only quantiles carry the histogram's error, which is below 0.1 % (three significant digits).

mod parcel;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};

use crate::t_quantile_975;

/// Bytes of a V2 header; the payload's length is its second word.
const HEADER: usize = 40;

/// The library reserves what the header announces before it looks at what is there.
fn check_length(bytes: &[u8]) -> Result<(), DecodeError> {
    let announced = bytes.get(4..8).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes);
    match announced {
        Some(length) if length as usize <= bytes.len().saturating_sub(HEADER) => Ok(()),
        _ => Err(DecodeError::Histogram("the payload is shorter than its header says".to_owned())),
    }
}

/// Significant decimal digits of the histogram: a bucket is at most 1/1024 of its value wide.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Largest value the histogram tells apart, 292 years; larger ones share its last bucket. Other implementations of
/// HdrHistogram hold values in a signed 64-bit integer.
const LARGEST_TRACKED_NS: u64 = i64::MAX as u64;

/// Quantiles are taken to nine decimals, so that `1 - 0.9` is a tenth and not a little less.
const QUANTILE_UNITS: u128 = 1_000_000_000;

/// Fewest values for which a mean carries an interval.
const MIN_FOR_INTERVAL: u64 = 5;

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The text is not base64: the run file was cut or edited.
    #[error("the histogram is not valid base64 (was the run file cut or edited?)")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not an HdrHistogram V2: another format or version, or damaged.
    #[error("the histogram is not an uncompressed HdrHistogram V2: {0}")]
    Histogram(String),
}

/// Values in nanoseconds. Never panics, whatever is recorded; counters saturate at the end of their range instead of
/// wrapping (the count at 2^64 - 1, a histogram bucket at 2^32 - 1, after which quantiles lean away from that bucket).
#[derive(Debug, Clone)]
pub struct Distribution {
    histogram: Histogram<u32>,
    count: u64,
    sum: u128,
    sum_of_squares: u128,
    min: u64,
    max: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

impl Distribution {
    /// An empty distribution. It starts small (8 KiB) and grows with the largest value.
    pub fn new() -> Self {
        let histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three significant digits are allowed");
        Self { histogram, count: 0, sum: 0, sum_of_squares: 0, min: u64::MAX, max: 0 }
    }

    /// Records a duration; one of more than 584 years counts as 584 years.
    pub fn record(&mut self, value: Duration) {
        self.record_ns(u64::try_from(value.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records a value in nanoseconds.
    pub fn record_ns(&mut self, value_ns: u64) {
        self.histogram
            .record(value_ns.min(LARGEST_TRACKED_NS))
            .expect("a histogram that resizes itself takes every value below 2^63");
        let wide = u128::from(value_ns);
        self.count = self.count.saturating_add(1);
        self.sum = self.sum.saturating_add(wide);
        self.sum_of_squares = self.sum_of_squares.saturating_add(wide * wide);
        self.min = self.min.min(value_ns);
        self.max = self.max.max(value_ns);
    }

    /// Adds all values of another distribution: the same as recording them here.
    pub fn merge(&mut self, other: &Distribution) {
        self.histogram.add(&other.histogram).expect("a histogram that resizes itself takes every other one");
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_of_squares = self.sum_of_squares.saturating_add(other.sum_of_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Sum of all values, exact, nanoseconds.
    pub fn sum_ns(&self) -> u128 {
        self.sum
    }

    /// Smallest value, exact, nanoseconds; `None` when empty.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min)
    }

    /// Largest value, exact, nanoseconds; `None` when empty.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max)
    }

    /// Arithmetic mean from the exact sum, nanoseconds; `None` when empty.
    pub fn mean_ns(&self) -> Option<f64> {
        if self.is_empty() {
            return None;
        }
        let n = u128::from(self.count);
        // Whole part and rest apart: a sum beyond 2^53 keeps its fraction.
        Some((self.sum / n) as f64 + (self.sum % n) as f64 / n as f64)
    }

    /// Standard deviation of the sample (divisor n - 1), nanoseconds; `None` below two values, or when the sum of
    /// squares left its range (10^9 values of an hour each do not).
    ///
    /// Computed in integers from values shifted by the whole part of the mean, which avoids the cancellation of
    /// `sum of squares - n * mean^2` (Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983).
    pub fn stddev_ns(&self) -> Option<f64> {
        if self.count < 2 || self.sum_of_squares == u128::MAX {
            return None;
        }
        let n = u128::from(self.count);
        let shift = self.sum / n;
        let rest = self.sum % n;
        // Sum of (x - shift)^2 = squares - 2 * shift * sum + n * shift^2, ordered so that no step leaves its range.
        let about_shift = self.sum_of_squares.saturating_sub(shift * self.sum).saturating_sub(shift * rest);
        let rest = rest as f64;
        let about_mean = (about_shift as f64 - rest * rest / n as f64).max(0.0);
        Some((about_mean / (n - 1) as f64).sqrt())
    }

    /// 95 % confidence interval of the mean, nanoseconds, by Student's t; `None` below five values.
    ///
    /// It takes the values as independent, which successive logins only roughly are, and the mean as normally
    /// distributed, which with a long tail needs some dozens of values.
    pub fn mean_interval_ns(&self) -> Option<(f64, f64)> {
        if self.count < MIN_FOR_INTERVAL {
            return None;
        }
        let (mean, deviation) = (self.mean_ns()?, self.stddev_ns()?);
        let half = t_quantile_975(self.count - 1) * deviation / (self.count as f64).sqrt();
        Some(((mean - half).max(0.0), mean + half))
    }

    /// The value below or at which a share `q` of the values lies (nearest rank), at most 0.1 % above it and never
    /// above the exact maximum, nanoseconds.
    ///
    /// `None` when too few values stand behind it: at least one must be expected beyond it, `n * (1 - q) >= 1`, so the
    /// median needs 2, `q = 0.9` needs 10, `0.99` needs 100, `0.999` needs 1,000; `q = 1` is the maximum's business.
    /// `q` is taken to nine decimals; outside 0 to 1 the answer is `None`.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        if self.is_empty() || !(0.0..=1.0).contains(&q) {
            return None;
        }
        let units = (q * QUANTILE_UNITS as f64).round() as u128;
        if u128::from(self.count) * (QUANTILE_UNITS - units) < QUANTILE_UNITS {
            return None;
        }
        let rank = (u128::from(self.histogram.len()) * units).div_ceil(QUANTILE_UNITS).max(1);
        let mut below = 0_u128;
        self.buckets()
            .find(|&(_, n)| {
                below += u128::from(n);
                below >= rank
            })
            .map(|(upper_ns, _)| upper_ns)
            .or(Some(self.max))
    }

    /// The buckets that hold something, in ascending order: upper end in nanoseconds (inclusive, the last one at most
    /// the exact maximum) and count. For plots.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram
            .iter_recorded()
            .map(|step| (step.value_iterated_to().clamp(self.min, self.max), step.count_since_last_iteration()))
    }

    /// The histogram as HdrHistogram V2 (uncompressed), base64: what the run file holds, readable by any HdrHistogram.
    pub fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.histogram, &mut bytes)
            .expect("writing to memory does not fail, and the histogram is far below 4 GiB");
        STANDARD.encode(bytes)
    }

    /// Reads what [`Distribution::to_base64`] wrote.
    ///
    /// The format holds the buckets alone: count and quantiles come back as they were, but sum, sum of squares and
    /// minimum and maximum are taken from the buckets, within 0.1 % of the exact ones.
    pub fn from_base64(text: &str) -> Result<Self, DecodeError> {
        let bytes = STANDARD.decode(text.trim())?;
        check_length(&bytes)?;
        let stored: Histogram<u32> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| DecodeError::Histogram(error.to_string()))?;
        let mut read = Self::new();
        for step in stored.iter_recorded() {
            read.record_bucket(stored.median_equivalent(step.value_iterated_to()), step.count_since_last_iteration());
        }
        if !stored.is_empty() {
            read.min = stored.lowest_equivalent(stored.min());
            read.max = stored.highest_equivalent(stored.max());
        }
        Ok(read)
    }

    /// Records the middle of a bucket `n` times.
    fn record_bucket(&mut self, middle_ns: u64, n: u64) {
        self.histogram
            .record_n(middle_ns.min(LARGEST_TRACKED_NS), u32::try_from(n).unwrap_or(u32::MAX))
            .expect("a histogram that resizes itself takes every value below 2^63");
        let (wide, times) = (u128::from(middle_ns), u128::from(n));
        self.count = self.count.saturating_add(n);
        self.sum = self.sum.saturating_add(wide * times);
        self.sum_of_squares = self.sum_of_squares.saturating_add((wide * wide).saturating_mul(times));
    }
}
