//! Logins, logouts and open sessions of one moment, made to agree.
//!
//! Servers count logins and list sessions, but do not count logouts: they are the logins that are no longer open. A
//! newcomer would subtract: a session is in the list a moment before it is counted, so the difference falls and rises
//! again, and each fall would be a logout that never was. Logouts can only rise: the highest difference seen so far is
//! the truth, as long as the counter is read before the list.

/// The account since the origin of the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Balance {
    /// Sessions that were open at the origin and are in no counter.
    before: u64,
    logins: u64,
    logouts: u64,
    begun: bool,
}

impl Balance {
    /// Takes the counter, then the number of open sessions; gives logins and logouts.
    pub(in super::super) fn take(&mut self, counted: u64, open: u64) -> (u64, u64) {
        if !self.begun {
            self.before = open.saturating_sub(counted);
            self.begun = true;
        }
        self.logouts = self.logouts.max((counted + self.before).saturating_sub(open));
        // Whoever is in the list has logged in, even where the counter comes late.
        let logged_in = (self.logouts + open).saturating_sub(self.before);
        self.logins = self.logins.max(counted).max(logged_in);
        (self.logins, self.logouts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        let mut balance = Balance::default();
        for (counted, open, expected) in [
            (100, 10, (100, 90)),
            (105, 12, (105, 93)),
            // Two are in the list and not yet counted.
            (105, 14, (107, 93)),
            (107, 14, (107, 93)),
            (107, 0, (107, 107)),
        ] {
            assert_eq!(balance.take(counted, open), expected, "{counted} {open}");
        }
    }

    #[test]
    fn after_a_reset_there_are_more_sessions_than_logins() {
        let mut balance = Balance::default();
        for (counted, open, expected) in [(0, 10, (0, 0)), (1, 10, (1, 1)), (1, 3, (1, 8)), (4, 3, (4, 11))] {
            assert_eq!(balance.take(counted, open), expected, "{counted} {open}");
        }
    }

    proptest! {
        /// Sessions log in, are counted late, and leave only after they are counted, as PostgreSQL has it.
        #[test]
        fn never_falls_and_is_exact_once_all_is_counted(steps in proptest::collection::vec(0..4u8, 1..200)) {
            let (mut logins, mut counted, mut logouts) = (0_u64, 0_u64, 0_u64);
            let mut balance = Balance::default();
            let mut last = balance.take(0, 0);
            for step in steps {
                match step {
                    0 | 1 => logins += 1,
                    2 if counted < logins => counted += 1,
                    3 if logouts < counted => logouts += 1,
                    _ => {}
                }
                let now = balance.take(counted, logins - logouts);
                prop_assert!(now.0 >= last.0 && now.1 >= last.1 && now.0 <= logins && now.1 <= logouts);
                last = now;
            }
            prop_assert_eq!(balance.take(logins, logins - logouts), (logins, logouts));
        }
    }
}
