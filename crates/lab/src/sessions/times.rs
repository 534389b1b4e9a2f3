//! A distribution that can travel to another process, and a clock that several processes share.

use std::time::Instant;

use peaje_stats::Distribution;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Times, exact also after the journey.
#[derive(Debug, Clone, Default)]
pub(super) struct Times(pub(super) Distribution);

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_parcel())
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Distribution::from_parcel(&text).map(Times).map_err(serde::de::Error::custom)
    }
}

/// From the first instant to the last, nanoseconds of the clock that all processes of a machine share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Span(Option<(u64, u64)>);

impl Span {
    /// Widens it to what lies between two instants.
    pub(super) fn add(&mut self, began: Instant, ended: Instant) {
        self.merge(Self(Some((shared_ns(began), shared_ns(ended)))));
    }

    /// Widens it by another one.
    pub(super) fn merge(&mut self, other: Self) {
        self.0 = match (self.0, other.0) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (own, other) => own.or(other),
        };
    }

    /// Its length, seconds.
    pub(super) fn seconds(self) -> f64 {
        self.0.map_or(0.0, |(began, ended)| ended.saturating_sub(began) as f64 / 1e9)
    }
}

/// The standard library does not say what its instants count from.
fn shared_ns(instant: Instant) -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let now_ns = now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs();
    now_ns.saturating_sub(instant.elapsed().as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_span_reaches_from_the_first_to_the_last() {
        let start = Instant::now().checked_sub(Duration::from_secs(1)).expect("the clock is past its first second");
        let at = |ms| start + Duration::from_millis(ms);
        let mut span = Span::default();
        assert!(span.seconds().abs() < 1e-9);
        span.add(at(20), at(30));
        let mut other = Span::default();
        other.add(at(0), at(25));
        span.merge(other);
        span.merge(Span::default());
        // Each end is read anew: the clock may go on a little between two readings.
        assert!((span.seconds() - 0.030).abs() < 0.005, "{}", span.seconds());
    }
}
