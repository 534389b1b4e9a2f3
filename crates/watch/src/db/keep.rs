//! How long a recording keeps what it holds.

use std::time::Duration;

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
    pub fn keep(time: Duration) -> Self {
        let exact = (time / 3).max(Duration::from_secs(86_400));
        Self { keep: Some(time), exact, merged: Duration::from_secs(300) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_third_stays_exact_and_at_least_a_day() {
        let kept = Retention::keep(Duration::from_secs(30 * 86_400));
        assert_eq!(kept.exact, Duration::from_secs(10 * 86_400));
        assert_eq!(Retention::keep(Duration::from_secs(7200)).exact, Duration::from_secs(86_400));
    }
}
