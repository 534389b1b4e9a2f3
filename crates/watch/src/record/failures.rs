//! Failed logins over a day, in stretches of five minutes: what is usual for a server.

use std::collections::VecDeque;

const STRETCH_US: i64 = 300_000_000;
const STRETCHES: usize = 288;
/// Fewer stretches than two hours of them say nothing of what is usual.
const ENOUGH: usize = 24;

/// Failed logins of the last 24 hours.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Failures {
    /// Number of the stretch, failures in it, and for how long they were counted.
    stretches: VecDeque<(i64, u64, u64)>,
}

impl Failures {
    /// Adds an interval that ended at a moment.
    pub(crate) fn add(&mut self, to_us: i64, failed: u64, length_us: u64) {
        let number = to_us.div_euclid(STRETCH_US);
        match self.stretches.back_mut() {
            Some(last) if last.0 == number => {
                last.1 = last.1.saturating_add(failed);
                last.2 = last.2.saturating_add(length_us);
            }
            _ => self.stretches.push_back((number, failed, length_us)),
        }
        let oldest = number - STRETCHES as i64;
        while self.stretches.len() > STRETCHES || self.stretches.front().is_some_and(|first| first.0 < oldest) {
            self.stretches.pop_front();
        }
    }

    /// The median of their rates, per second.
    pub(crate) fn usual_per_s(&self) -> Option<f64> {
        let rates = self.stretches.iter().filter(|stretch| stretch.2 > 0);
        let mut rates: Vec<f64> = rates.map(|(_, failed, us)| *failed as f64 * 1e6 / *us as f64).collect();
        if rates.len() < ENOUGH {
            return None;
        }
        rates.sort_by(f64::total_cmp);
        Some(rates[rates.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_does_not_move_what_is_usual_and_a_day_is_kept() {
        let mut failures = Failures::default();
        for stretch in 0..23 {
            failures.add(stretch * STRETCH_US + 1, 30, 300_000_000);
        }
        assert_eq!(failures.usual_per_s(), None, "under two hours");
        failures.add(23 * STRETCH_US + 1, 3_000_000, 300_000_000);
        assert_eq!(failures.usual_per_s(), Some(0.1));
        for stretch in 24..400 {
            failures.add(stretch * STRETCH_US + 1, 300, 150_000_000);
            failures.add(stretch * STRETCH_US + 2, 0, 150_000_000);
        }
        assert_eq!(failures.usual_per_s(), Some(1.0));
        assert!(failures.stretches.len() <= STRETCHES);
    }
}
