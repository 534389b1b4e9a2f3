//! Sums over databases whose differences stay true when a database is created, dropped, or reset.
//!
//! A newcomer would add up the rows and subtract two sums: a database that is dropped takes its logins with it, and the
//! difference is negative, or too small by as much.

use std::collections::HashMap;
use std::hash::Hash;

/// What a counter that has fallen means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum OnFall {
    /// Its server has lost it, and what it counted meanwhile cannot be known.
    StartAnew,
    /// It was freed and made again, and counts from zero.
    CountFromZero,
}

/// Counters of one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Counts<K, const N: usize> {
    pub(in super::super) key: K,
    /// When they were reset; any other value means another origin.
    pub(in super::super) reset: i64,
    pub(in super::super) values: [u64; N],
}

/// Whether the sums can be compared with those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Continuity {
    Continued,
    Anew,
}

/// The sums.
#[derive(Debug)]
pub(in super::super) struct Sums<K, const N: usize> {
    on_fall: OnFall,
    last: Option<HashMap<K, (i64, [u64; N])>>,
    totals: [u64; N],
}

impl<K: Hash + Eq, const N: usize> Sums<K, N> {
    pub(in super::super) fn new(on_fall: OnFall) -> Self {
        Self { on_fall, last: None, totals: [0; N] }
    }

    pub(in super::super) fn totals(&self) -> [u64; N] {
        self.totals
    }

    /// Whether a reading has been taken, and not been forgotten.
    pub(in super::super) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// The next reading begins anew, whatever it says.
    pub(in super::super) fn forget(&mut self) {
        self.last = None;
    }

    /// Takes a reading of all databases.
    pub(in super::super) fn take(&mut self, reading: Vec<Counts<K, N>>) -> Continuity {
        let continuity = match self.last.take() {
            Some(last) if !reading.iter().any(|now| self.breaks(now, &last)) => {
                for now in &reading {
                    self.grow(now, last.get(&now.key));
                }
                Continuity::Continued
            }
            _ => {
                self.totals = [0; N];
                for now in &reading {
                    self.grow(now, None);
                }
                Continuity::Anew
            }
        };
        self.last = Some(reading.into_iter().map(|now| (now.key, (now.reset, now.values))).collect());
        continuity
    }

    fn breaks(&self, now: &Counts<K, N>, last: &HashMap<K, (i64, [u64; N])>) -> bool {
        let Some((reset, before)) = last.get(&now.key) else { return false };
        let fell = now.values.iter().zip(before).any(|(now, before)| now < before);
        *reset != now.reset || (fell && self.on_fall == OnFall::StartAnew)
    }

    fn grow(&mut self, now: &Counts<K, N>, before: Option<&(i64, [u64; N])>) {
        let before = before.map_or([0; N], |(_, counts)| *counts);
        let fell = now.values.iter().zip(&before).any(|(now, before)| now < before);
        for ((total, now), before) in self.totals.iter_mut().zip(now.values).zip(before) {
            *total = total.saturating_add(if fell { now } else { now - before });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rows: &[(&'static str, i64, u64)]) -> Vec<Counts<&'static str, 1>> {
        rows.iter().map(|(key, reset, count)| Counts { key: *key, reset: *reset, values: [*count] }).collect()
    }

    #[test]
    fn databases_come_and_go_and_are_reset() {
        use Continuity::{Anew, Continued};
        let mut sums = Sums::new(OnFall::StartAnew);
        for (rows, expected, total) in [
            (&[("a", 0, 10), ("b", 0, 5)][..], Anew, 15),
            (&[("a", 0, 12), ("b", 0, 5)], Continued, 17),
            // c is new, with all its logins; b is dropped, and what it had counted stays counted.
            (&[("a", 0, 12), ("c", 7, 3)], Continued, 20),
            (&[("a", 0, 13), ("c", 7, 4)], Continued, 22),
            // a is reset.
            (&[("a", 9, 1), ("c", 7, 4)], Anew, 5),
            (&[("a", 9, 2), ("c", 7, 4)], Continued, 6),
            // A crash: no reset is noted, and the counters are small again.
            (&[("a", 9, 0), ("c", 7, 1)], Anew, 1),
        ] {
            assert_eq!((sums.take(reading(rows)), sums.totals()), (expected, [total]), "{rows:?}");
        }
        sums.forget();
        assert_eq!((sums.take(reading(&[("a", 9, 100)])), sums.totals()), (Anew, [100]));
    }

    #[test]
    fn a_freed_pool_counts_from_zero() {
        let mut sums = Sums::new(OnFall::CountFromZero);
        for (count, total) in [(10, 10), (12, 12), (3, 15), (4, 16)] {
            sums.take(reading(&[("a", 0, count)]));
            assert_eq!(sums.totals(), [total]);
        }
    }
}
