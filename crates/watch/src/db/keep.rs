//! How long a recording keeps what it holds.

use std::str::FromStr;
use std::time::Duration;

/// A time such as `30d`, `12h` or `90m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep(pub Duration);

/// A time that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time to keep a recording; write days, hours or minutes, as in 30d, 12h or 90m")]
pub struct KeepError(String);

impl FromStr for Keep {
    type Err = KeepError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || KeepError(text.to_owned());
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let seconds = match &text[digits.len()..] {
            "d" => 86_400,
            "h" => 3600,
            "m" | "min" => 60,
            "s" => 1,
            _ => return Err(wrong()),
        };
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let total = number.checked_mul(seconds).filter(|total| *total > 0).ok_or_else(wrong)?;
        Ok(Self(Duration::from_secs(total)))
    }
}

/// What is kept for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Rows older than this are removed; `None` keeps them for ever.
    pub keep: Option<Duration>,
    /// Rows older than this are merged; never within the last two windows, which stay exact.
    pub exact: Duration,
    /// Into stretches of this length.
    pub merged: Duration,
}

impl Retention {
    /// Everything, as it was.
    pub fn everything() -> Self {
        Self { keep: None, exact: Duration::MAX, merged: Duration::from_secs(300) }
    }

    /// For a time: the last third of it exactly (at least a day, when there is one), the rest in stretches of five
    /// minutes.
    pub fn keep(keep: Keep) -> Self {
        let exact = (keep.0 / 3).max(Duration::from_secs(86_400));
        Self { keep: Some(keep.0), exact, merged: Duration::from_secs(300) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_mistakes_named() {
        for (text, seconds) in [("30d", 2_592_000), ("12h", 43_200), ("90m", 5400), ("90min", 5400), ("45s", 45)] {
            assert_eq!(text.parse(), Ok(Keep(Duration::from_secs(seconds))));
        }
        for text in ["", "30", "d", "-3d", "1.5d", "0d", "30w", "99999999999999999d"] {
            assert_eq!(text.parse::<Keep>(), Err(KeepError(text.to_owned())), "{text}");
        }
        let kept = Retention::keep(Keep(Duration::from_secs(30 * 86_400)));
        assert_eq!(kept.exact, Duration::from_secs(10 * 86_400));
        assert_eq!(Retention::keep(Keep(Duration::from_secs(7200))).exact, Duration::from_secs(86_400));
    }
}
