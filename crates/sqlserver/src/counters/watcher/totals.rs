//! From the row of `watch_counters` to what a reading tells.
//!
//! A newcomer would read `Logins/sec` as it stands. Whether it holds re-uses of pooled sessions is found out while
//! watching; until then what may be re-uses is left out.

use peaje_engine::{ServerIdentity, WatchCounters};
use peaje_model::Gap;

use super::super::calibrate::{Reading, certain_logins};
use super::super::opened::no_counters;
use super::super::row::Row;
use super::COUNTERS;

/// Offsets of time zones are whole quarters of an hour.
const QUARTER: i64 = 15;

/// The server's clock at a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// Microseconds since 1970.
    pub(super) now_us: i64,
    /// What its local time is ahead of UTC by, microseconds. Most of its views tell local times.
    pub(super) ahead_us: i64,
}

impl Clock {
    /// From a row with `now_ms`, and `offset_minutes` where local times matter.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let now_us = row.number("now_ms")?.checked_mul(1000)?;
        // Both times are read one after the other: the difference may be a minute off.
        let minutes = row.number("offset_minutes").unwrap_or(0);
        let ahead_us = (minutes + minutes.signum() * QUARTER / 2) / QUARTER * QUARTER * 60_000_000;
        Some(Self { now_us, ahead_us })
    }

    /// A local time, in milliseconds, as one in UTC.
    pub(super) fn utc_us(&self, local_ms: i64) -> i64 {
        local_ms.saturating_mul(1000).saturating_sub(self.ahead_us)
    }
}

/// What has to be kept from one reading to the next.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// The start in the server's words and as it was first computed, with the first counters after it.
    start: Option<Start>,
    logins: u64,
}

#[derive(Debug, Clone)]
struct Start {
    words: String,
    started_us: Option<i64>,
    first: Option<Reading>,
}

impl Totals {
    /// Readings come in order of time. `asked` are the statements that the watching session has sent.
    pub(super) fn take(
        &mut self,
        row: &Row,
        clock: &Clock,
        asked: u64,
        gaps: &mut Vec<Gap>,
    ) -> (ServerIdentity, WatchCounters) {
        self.begin(row, clock);
        let reading = reading(row);
        let mut counters = WatchCounters { since_us: self.started_us(), ..WatchCounters::default() };
        match reading {
            Some(now) => {
                counters.logins_total = self.logins(now, gaps);
                counters.logouts_total = Some(now.logouts);
                counters.resets_total = row.count("resets_total");
                // Its own session is one of them.
                counters.sessions = Some(now.user_connections.saturating_sub(1));
                counters.requests_total = row.count("batches_total").map(|n| n.saturating_sub(asked));
            }
            None => gaps.push(no_counters()),
        }
        (self.identity(row), counters)
    }

    /// Another start is another origin. The computed start trembles, its words do not.
    fn begin(&mut self, row: &Row, clock: &Clock) {
        let words = row.text("started_at").unwrap_or_default();
        if self.start.as_ref().is_none_or(|start| start.words != words) {
            let up_us = row.number("up_ms").and_then(|ms| ms.checked_mul(1000));
            let started_us = up_us.map(|up| clock.now_us - up);
            self.start = Some(Start { words: words.to_owned(), started_us, first: None });
            self.logins = 0;
        }
    }

    fn started_us(&self) -> Option<i64> {
        self.start.as_ref().and_then(|start| start.started_us)
    }

    /// Physical logins, its own excluded.
    fn logins(&mut self, now: Reading, gaps: &mut Vec<Gap>) -> Option<u64> {
        let start = self.start.as_mut()?;
        let first = *start.first.get_or_insert(now);
        let Some(logins) = certain_logins(first, now) else {
            gaps.push(Gap {
                what: format!("{COUNTERS}: Logins/sec"),
                why: "its balance with logouts and connections does not add up: it is not clear what it counts here"
                    .to_owned(),
                next_step: None,
            });
            return None;
        };
        // A session that is open and not yet counted as a login must not make the total fall.
        self.logins = self.logins.max(logins.saturating_sub(1));
        Some(self.logins)
    }

    /// Who answers.
    pub(super) fn identity(&self, row: &Row) -> ServerIdentity {
        let name = row.text("server_name").unwrap_or("a server without a name").to_owned();
        ServerIdentity { name, started_us: self.started_us(), origin: "start".to_owned() }
    }
}

fn reading(row: &Row) -> Option<Reading> {
    Some(Reading {
        logins: row.count("logins_total")?,
        logouts: row.count("logouts_total")?,
        // Very old versions do not count them.
        resets: row.count("resets_total").unwrap_or(0),
        user_connections: row.count("user_connections")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(started: &str, logins: u64, logouts: u64, resets: u64, connections: u64) -> Row {
        let numbers = [logins, logouts, resets, connections].map(|n| n.to_string());
        Row::of(&[
            ("server_name", "SQL01"),
            ("started_at", started),
            ("up_ms", "60000"),
            ("now_ms", "1000000000"),
            ("offset_minutes", "119"),
            ("logins_total", &numbers[0]),
            ("logouts_total", &numbers[1]),
            ("resets_total", &numbers[2]),
            ("user_connections", &numbers[3]),
            ("batches_total", "5000"),
        ])
    }

    fn take(totals: &mut Totals, row: &Row) -> (ServerIdentity, WatchCounters, usize) {
        let mut gaps = Vec::new();
        let clock = Clock::of(row).expect("it has one");
        let (identity, counters) = totals.take(row, &clock, 7, &mut gaps);
        (identity, counters, gaps.len())
    }

    #[test]
    fn clocks() {
        for (minutes, hours_in_quarters) in [("0", 0), ("119", 8), ("120", 8), ("121", 8), ("-299", -20), ("345", 23)] {
            let row = Row::of(&[("now_ms", "7200000"), ("offset_minutes", minutes)]);
            let clock = Clock::of(&row).expect("it has one");
            assert_eq!(clock.ahead_us, hours_in_quarters * 900_000_000, "{minutes}");
        }
        let clock = Clock { now_us: 0, ahead_us: 7_200_000_000 };
        assert_eq!(clock.utc_us(7_200_001), 1000);
        assert_eq!(Clock::of(&Row::of(&[])), None);
    }

    #[test]
    fn its_own_session_is_in_no_figure() {
        let mut totals = Totals::default();
        let (identity, counters, gaps) = take(&mut totals, &row("2026-01-01", 1000, 900, 50, 100));
        assert_eq!((identity.name.as_str(), identity.started_us), ("SQL01", Some(999_940_000_000)));
        assert_eq!(
            (counters.logins_total, counters.logouts_total, counters.sessions),
            (Some(999), Some(900), Some(99))
        );
        assert_eq!((counters.requests_total, counters.resets_total, gaps), (Some(4993), Some(50), 0));
        assert_eq!((counters.failed_total, counters.since_us), (None, identity.started_us));
    }

    #[test]
    fn reuses_are_no_logins_and_what_does_not_add_up_is_none() {
        let mut totals = Totals::default();
        let mut logins = |row: &Row| {
            let (_, counters, gaps) = take(&mut totals, row);
            (counters.logins_total, gaps)
        };
        assert_eq!(logins(&row("2026-01-01", 1000, 900, 0, 100)), (Some(999), 0));
        assert_eq!(logins(&row("2026-01-01", 1140, 930, 100, 110)), (Some(1039), 0), "not yet decided");
        assert_eq!(logins(&row("2026-01-01", 1139, 929, 100, 110)), (Some(1039), 0), "it does not fall");
        assert_eq!(logins(&row("2026-01-01", 1340, 930, 300, 110)), (Some(1039), 0), "decided");
        assert_eq!(logins(&row("2026-01-01", 1190, 930, 300, 110)), (None, 1));
        assert_eq!(logins(&row("2026-01-02", 3, 1, 0, 2)), (Some(2), 0), "another start");
    }

    #[test]
    fn the_start_does_not_tremble_and_missing_counters_are_none() {
        let mut totals = Totals::default();
        let first = take(&mut totals, &row("2026-01-01", 10, 9, 0, 2)).0;
        let later = Row::of(&[
            ("server_name", "SQL01"),
            ("started_at", "2026-01-01"),
            ("up_ms", "60003"),
            ("now_ms", "1000000005"),
        ]);
        let (identity, counters, gaps) = take(&mut totals, &later);
        assert_eq!((identity, counters.logins_total, gaps), (first, None, 1));
    }
}
