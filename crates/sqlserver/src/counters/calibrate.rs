//! What `Logins/sec` counts on this server, decided from the counters themselves.
//!
//! A newcomer would believe the documentation. It says of some versions that the counter includes re-uses of pooled
//! connections, and of others that it does not. The balance decides: every physical login ends as a logout or is still a
//! user connection, so `dLogins - dLogouts - dUserConnections` is 0 if re-uses are left out, and the number of resets if
//! they are in.

/// One reading of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reading {
    pub(super) logins: u64,
    pub(super) logouts: u64,
    pub(super) resets: u64,
    pub(super) user_connections: u64,
}

/// What the counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Meaning {
    /// There were too few resets to tell.
    #[default]
    Undecided,
    /// Physical logins only.
    Physical,
    /// Physical logins and re-uses of pooled connections.
    WithReuses,
    /// There were resets enough, and the balance fits neither.
    Contradictory,
}

/// Resets that a decision needs: with fewer, the few logins under way at a reading could tip it.
const LEAST_RESETS: u64 = 200;
/// How far the balance may be from 0 or 1 resets.
const TOLERANCE: f64 = 0.1;

/// The meaning between two readings of the same origin.
pub(super) fn meaning(first: Reading, now: Reading) -> Meaning {
    let resets = now.resets.saturating_sub(first.resets);
    if resets < LEAST_RESETS {
        return Meaning::Undecided;
    }
    let share = balance(first, now) as f64 / resets as f64;
    if share.abs() <= TOLERANCE {
        Meaning::Physical
    } else if (share - 1.0).abs() <= TOLERANCE {
        Meaning::WithReuses
    } else {
        Meaning::Contradictory
    }
}

/// Physical logins of `now`, on the scale of the counter's value at the first reading.
pub(super) fn physical_logins(first: Reading, now: Reading) -> u64 {
    match meaning(first, now) {
        Meaning::WithReuses => now.logins.saturating_add_signed(-balance(first, now)),
        _ => now.logins,
    }
}

/// Physical logins of `now` where every reading has to be right, not only the one that decides: until there are resets
/// enough, what may be re-uses is left out. `None` = the balance fits neither meaning, and nothing can be said.
pub(super) fn certain_logins(first: Reading, now: Reading) -> Option<u64> {
    match meaning(first, now) {
        Meaning::Physical => Some(now.logins),
        Meaning::WithReuses => Some(physical_logins(first, now)),
        Meaning::Contradictory => None,
        Meaning::Undecided => {
            let resets = i64::try_from(now.resets.saturating_sub(first.resets)).unwrap_or(i64::MAX);
            Some(now.logins.saturating_add_signed(-balance(first, now).clamp(0, resets)))
        }
    }
}

fn balance(first: Reading, now: Reading) -> i64 {
    let delta = |of: fn(&Reading) -> u64| of(&now) as i64 - of(&first) as i64;
    delta(|r| r.logins) - delta(|r| r.logouts) - delta(|r| r.user_connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Reading = Reading { logins: 1_000_000, logouts: 999_900, resets: 5_000_000, user_connections: 100 };

    fn later(logins: u64, logouts: u64, resets: u64, more_connections: i64) -> Reading {
        Reading {
            logins: FIRST.logins + logins,
            logouts: FIRST.logouts + logouts,
            resets: FIRST.resets + resets,
            user_connections: FIRST.user_connections.saturating_add_signed(more_connections),
        }
    }

    #[test]
    fn until_it_is_decided_no_reuse_counts_as_a_login() {
        for (now, expected) in [
            (later(500, 480, 0, 20), Some(500)),
            // Three logins are under way, and nothing was re-used.
            (later(503, 480, 0, 20), Some(503)),
            (later(620, 480, 120, 20), Some(500)),
            (later(500, 480, 120, 20), Some(500)),
            // A session that is open is not yet counted as a login.
            (later(499, 480, 120, 20), Some(499)),
            (later(4500, 480, 4000, 20), Some(500)),
            (later(2500, 480, 4000, 20), None),
        ] {
            assert_eq!(certain_logins(FIRST, now).map(|n| n - FIRST.logins), expected, "{now:?}");
        }
    }

    #[test]
    fn the_balance_decides() {
        for (now, expected, physical) in [
            // 500 logins, of which 20 are still open; nobody re-uses connections.
            (later(500, 480, 0, 20), Meaning::Undecided, 500),
            (later(500, 480, 199, 20), Meaning::Undecided, 500),
            (later(500, 480, 4000, 20), Meaning::Physical, 500),
            // The same with a pool that shrinks meanwhile, and three logins under way.
            (later(503, 590, 4000, -90), Meaning::Physical, 503),
            (later(4500, 480, 4000, 20), Meaning::WithReuses, 500),
            (later(2500, 480, 4000, 20), Meaning::Contradictory, 2500),
        ] {
            assert_eq!(meaning(FIRST, now), expected, "{now:?}");
            assert_eq!(physical_logins(FIRST, now) - FIRST.logins, physical, "{now:?}");
        }
    }
}
