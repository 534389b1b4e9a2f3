//! From the server's counters to logins.
//!
//! What each event moves, on MariaDB 10.11:
//!
//! | event | Connections | Aborted_connects | Connection_errors_max_connections |
//! |---|---|---|---|
//! | login | +1 | | |
//! | wrong password, or a connection without a word | +1 | +1 | |
//! | refused before the greeting: no session left | | +1 | +1 |
//! | refused at the end of the login: only the administrator's session left | +1 | +1 | |
//!
//! so that logins = Connections - (Aborted_connects - Connection_errors_max_connections). MySQL counts a refusal before
//! the greeting in neither of the first two, and one at the end of the login in all three: there logins = Connections -
//! Aborted_connects, by the server's source.

use std::time::Duration;

use peaje_engine::Troubles;
use peaje_model::Gap;

use super::session::{Row, number, text};

/// Whose rules the counters follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// A refusal before the greeting is an aborted connect.
    MariaDb,
    /// It is not.
    MySql,
}

/// The counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// Attempts to log in that were not refused before the greeting.
    pub(super) connections: u64,
    /// Attempts that failed.
    pub(super) aborted: u64,
    /// Attempts that found no session left.
    pub(super) refused: u64,
    /// Sessions and attempts that are open.
    pub(super) connected: u64,
    /// Seconds over which failed attempts were counted: since the start, or the last `FLUSH STATUS`.
    pub(super) counted_s: u64,
    /// Which server, since when, and since which `FLUSH STATUS`.
    pub(super) birth: Birth,
}

/// What makes one series of counters: the server, its start, and its last partial reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Birth {
    server: String,
    /// Seconds since 1970 by the server's clock. Both are exact: the uptimes are taken at the same instant as the clock.
    started_s: u64,
    flushed_s: u64,
}

impl Birth {
    /// Start of the server and its last `FLUSH STATUS`, seconds since 1970 by its own clock.
    pub(super) fn times(&self) -> (u64, u64) {
        (self.started_s, self.flushed_s)
    }
}

impl Reading {
    /// Reads the row of the counters.
    pub(super) fn of(row: &Row) -> Result<Self, Gap> {
        let now = count(row, "now_s")?;
        let uptime = count(row, "uptime_s")?;
        // Servers without it do not reset a part of their counters either.
        let since_flush = number(row, "since_flush_s").map_or(uptime, i64::unsigned_abs);
        let port = text(row, "port").unwrap_or_default();
        Ok(Self {
            connections: count(row, "connections")?,
            aborted: count(row, "aborted")?,
            refused: number(row, "refused").map_or(0, i64::unsigned_abs),
            connected: count(row, "connected")?,
            counted_s: since_flush,
            birth: Birth {
                server: format!("{}:{port}", text(row, "host").unwrap_or_default()),
                started_s: now.saturating_sub(uptime),
                flushed_s: now.saturating_sub(since_flush),
            },
        })
    }

    /// Logins since the counters' origin; attempts under way are among them until they fail.
    pub(super) fn logins(&self, counting: Counting) -> u64 {
        let failed = match counting {
            Counting::MariaDb => self.aborted.saturating_sub(self.refused),
            Counting::MySql => self.aborted,
        };
        self.connections.saturating_sub(failed)
    }

    /// Whether nothing was counted since: the clock alone has gone on.
    pub(super) fn rests_at(&self, before: &Self) -> bool {
        Self { counted_s: before.counted_s, ..self.clone() } == *before
    }

    /// Attempts of anybody that failed or were refused.
    pub(super) fn troubles(&self, counting: Counting) -> Troubles {
        let total = match counting {
            Counting::MariaDb => self.aborted,
            // A refusal at the end of the login is in both: once too often is better than not at all.
            Counting::MySql => self.aborted + self.refused,
        };
        Troubles { total, counted_for: Duration::from_secs(self.counted_s) }
    }

    /// Whether a counter has fallen since: a reset that its time, which has whole seconds only, may not show.
    pub(super) fn fell_to(&self, later: &Reading) -> bool {
        later.connections < self.connections || later.aborted < self.aborted || later.refused < self.refused
    }
}

/// Numbers series of counters: another series, another number.
#[derive(Debug, Default)]
pub(super) struct Origins {
    last: Option<Reading>,
    /// Resets seen only because a counter fell.
    falls: u64,
}

impl Origins {
    /// The number of the series that this reading belongs to. Readings come in order of time.
    pub(super) fn of(&mut self, reading: &Reading) -> u64 {
        if self.last.as_ref().is_some_and(|last| last.fell_to(reading)) {
            self.falls += 1;
        }
        self.last = Some(reading.clone());
        let birth = &reading.birth;
        fnv(&format!("{}/{}/{}/{}", birth.server, birth.started_s, birth.flushed_s, self.falls))
    }
}

/// FNV-1a.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A count that must be there.
pub(super) fn count(row: &Row, column: &str) -> Result<u64, Gap> {
    number(row, column).and_then(|n| u64::try_from(n).ok()).ok_or_else(|| Gap {
        what: column.to_owned(),
        why: "the server's answer holds no number there".to_owned(),
        next_step: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(connections: u64, aborted: u64, refused: u64) -> Reading {
        let birth = Birth { server: "a:1".to_owned(), started_s: 1_000, flushed_s: 1_000 };
        Reading { connections, aborted, refused, connected: 1, counted_s: 60, birth }
    }

    /// What one event adds to connections, aborted connects and refusals.
    type Moves = (u64, u64, u64);

    fn logins_after(counting: Counting, events: &[(Moves, u64)]) -> u64 {
        let mut now = reading(100, 7, 3);
        let before = now.logins(counting);
        for ((connections, aborted, refused), times) in events {
            now.connections += connections * times;
            now.aborted += aborted * times;
            now.refused += refused * times;
        }
        now.logins(counting) - before
    }

    #[test]
    fn only_logins_count() {
        let (login, wrong_password, probe) = ((1, 0, 0), (1, 1, 0), (1, 1, 0));
        let mariadb = [(login, 40), (wrong_password, 5), (probe, 1), ((0, 1, 1), 6), ((1, 1, 0), 2)];
        assert_eq!(logins_after(Counting::MariaDb, &mariadb), 40);
        let mysql = [(login, 40), (wrong_password, 5), (probe, 1), ((0, 0, 1), 6), ((1, 1, 1), 2)];
        assert_eq!(logins_after(Counting::MySql, &mysql), 40);
    }

    #[test]
    fn the_published_example() {
        // 46 connections, 12 aborted of which 6 refused: 40 logins.
        assert_eq!(reading(46, 12, 6).logins(Counting::MariaDb), 40);
    }

    #[test]
    fn another_start_flush_or_server_is_another_origin_and_time_alone_is_not() {
        let mut origins = Origins::default();
        let first = origins.of(&reading(10, 2, 1));
        assert_eq!(origins.of(&reading(15, 3, 1)), first);
        let birth = |f: fn(&mut Birth)| {
            let mut later = reading(20, 3, 1);
            f(&mut later.birth);
            later
        };
        for other in [birth(|b| b.started_s += 1), birth(|b| b.flushed_s += 60), birth(|b| b.server = "b:1".to_owned())]
        {
            assert_ne!(Origins::default().of(&other), first);
        }
    }

    #[test]
    fn a_flush_in_the_second_of_the_start_shows_by_the_counters_that_fell() {
        let mut origins = Origins::default();
        let first = origins.of(&reading(10, 2, 1));
        let flushed = origins.of(&reading(11, 0, 0));
        assert_ne!(flushed, first);
        assert_eq!(origins.of(&reading(12, 1, 0)), flushed);
    }

    #[test]
    fn rows() {
        let row = |pairs: &[(&str, &str)]| -> Row {
            pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
        };
        let full = [
            ("now_s", "1796060485"),
            ("host", "vm"),
            ("port", "3306"),
            ("uptime_s", "100"),
            ("since_flush_s", "40"),
            ("connections", "46"),
            ("aborted", "12"),
            ("refused", "6"),
            ("connected", "2"),
        ];
        let read = Reading::of(&row(&full)).expect("complete");
        let birth = Birth { server: "vm:3306".to_owned(), started_s: 1_796_060_385, flushed_s: 1_796_060_445 };
        assert_eq!(read, Reading { connections: 46, aborted: 12, refused: 6, connected: 2, counted_s: 40, birth });
        assert_eq!(read.troubles(Counting::MariaDb), Troubles { total: 12, counted_for: Duration::from_secs(40) });
        assert_eq!(read.troubles(Counting::MySql).total, 18);
        let without: Vec<_> = full.iter().copied().filter(|(name, _)| *name != "aborted").collect();
        assert_eq!(Reading::of(&row(&without)).expect_err("incomplete").what, "aborted");
    }
}
