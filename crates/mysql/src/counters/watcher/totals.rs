//! From the row of `watch_counters_*` to what a reading tells.
//!
//! A newcomer would take differences of what stands there. Attempts under way are counted as connections before they
//! are failures, so that the number of logins could fall; MariaDB numbers the runs of its own events as connections;
//! and a client's goodbye is a question.

use peaje_engine::{ServerIdentity, WatchCounters};

use super::super::arithmetic::Counting;
use super::super::session::{Row, text, unsigned};

/// Times that whole seconds cannot tell apart.
const SAME_S: u64 = 1;

/// The row, as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Figures {
    /// The server's clock, microseconds since 1970.
    pub(super) now_us: i64,
    /// What the server is called.
    server: String,
    started_s: u64,
    /// Last `FLUSH STATUS`, or the start.
    flushed_s: u64,
    /// Attempts that were not refused before the greeting, and runs of MariaDB's events.
    connections: u64,
    events: u64,
    /// Attempts that failed.
    aborted: u64,
    /// Failures that are among the connections, by a moment later.
    failed_later: Option<u64>,
    /// Of those that failed, those that never spoke.
    unspoken: Option<u64>,
    /// Failed logins, and denied statements.
    denied: Option<u64>,
    /// Attempts that found no session left.
    refused: u64,
    abandoned: Option<u64>,
    tls: Option<u64>,
    questions: Option<u64>,
    /// Sessions and attempts that are open.
    pub(super) connected: u64,
    running: Option<u64>,
    peak: Option<u64>,
}

impl Figures {
    /// Reads the row; `None` when what every server has is not there.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let now_s = unsigned(row, "now_s")?;
        let uptime_s = unsigned(row, "uptime_s")?;
        // Servers without it do not reset a part of their counters either.
        let since_flush_s = unsigned(row, "since_flush_s").unwrap_or(uptime_s);
        Some(Self {
            now_us: text(row, "now_us")?.parse().ok()?,
            server: text(row, "server")?.to_owned(),
            started_s: now_s.saturating_sub(uptime_s),
            flushed_s: now_s.saturating_sub(since_flush_s),
            connections: unsigned(row, "connections")?,
            events: unsigned(row, "events").unwrap_or(0),
            aborted: unsigned(row, "aborted")?,
            failed_later: None,
            unspoken: unsigned(row, "unspoken"),
            denied: unsigned(row, "denied"),
            refused: unsigned(row, "refused").unwrap_or(0),
            abandoned: unsigned(row, "abandoned"),
            tls: unsigned(row, "tls"),
            questions: unsigned(row, "questions"),
            connected: unsigned(row, "connected")?,
            running: unsigned(row, "running"),
            peak: unsigned(row, "peak"),
        })
    }

    /// Whether failures before the last `FLUSH STATUS` are missing, and so look like logins since the start.
    pub(super) fn is_flushed(&self) -> bool {
        self.flushed_s > self.started_s + SAME_S
    }

    /// Whether connections that never spoke can be told from failed logins.
    pub(super) fn tells_port_checks(&self) -> bool {
        self.unspoken.is_some()
    }

    fn fell_to(&self, later: &Self) -> bool {
        let fell = |of: fn(&Self) -> Option<u64>| of(self).zip(of(later)).is_some_and(|(before, now)| now < before);
        later.connections < self.connections
            || later.aborted < self.aborted
            || later.refused < self.refused
            || fell(|f| f.abandoned)
            || fell(|f| f.tls)
    }

    /// Notes the row of `watch_failures_*`.
    pub(super) fn note_later(&mut self, row: &Row, counting: Counting) {
        let refused = unsigned(row, "refused").unwrap_or(0);
        self.failed_later = unsigned(row, "aborted").map(|aborted| no_logins(aborted, refused, counting));
    }

    /// Logins, if so many of those that are connected have not logged in.
    fn logins(&self, counting: Counting, undecided: u64) -> u64 {
        let failed = self.failed_later.unwrap_or_else(|| no_logins(self.aborted, self.refused, counting));
        self.connections.saturating_sub(failed).saturating_sub(self.events + undecided)
    }

    /// Connections that are not among the listed sessions: they have not logged in, or are about to be gone. A new one
    /// is counted before it can be seen in any state. Without a list nobody is.
    fn undecided(&self, listed: Option<u64>) -> u64 {
        listed.map_or(0, |listed| self.connected.saturating_sub(listed + 1))
    }

    fn failed(&self, counting: Counting) -> u64 {
        match counting {
            Counting::MariaDb => self.aborted.saturating_sub(self.unspoken.unwrap_or(0)),
            // A refusal at the end of the login is in both: once too often is better than not at all.
            Counting::MySql => self.aborted + self.refused,
        }
    }
}

/// Failures that are among the connections.
fn no_logins(aborted: u64, refused: u64, counting: Counting) -> u64 {
    match counting {
        Counting::MariaDb => aborted.saturating_sub(refused),
        Counting::MySql => aborted,
    }
}

/// What the watching session itself adds to the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Own {
    /// Statements it has sent.
    pub(super) asked: u64,
    /// Whether it is encrypted.
    pub(super) encrypted: bool,
}

/// Totals that do not fall as long as they have one origin.
#[derive(Debug)]
pub(super) struct Totals {
    counting: Counting,
    last: Option<Figures>,
    /// Resets seen only because a counter fell.
    falls: u64,
    /// Whether the counters were reset since this session logged in.
    reset: bool,
    logins: u64,
    logouts: u64,
    failed: u64,
    credentials: u64,
    requests: u64,
    /// By how much goodbyes are overrated: the server's own threads have numbers, and say none.
    unsaid: u64,
}

impl Totals {
    pub(super) fn new(counting: Counting) -> Self {
        Self {
            counting,
            last: None,
            falls: 0,
            reset: false,
            logins: 0,
            logouts: 0,
            failed: 0,
            credentials: 0,
            requests: 0,
            unsaid: 0,
        }
    }

    /// Whether failures have to be read once more: the server reads its counters one after the other, and an attempt
    /// that ends meanwhile may be no failure yet and no connection any more, as if it had logged in and out.
    pub(super) fn is_doubtful(&self, now: &Figures, listed: Option<u64>) -> bool {
        now.logins(self.counting, now.undecided(listed)) > self.logins + 1
    }

    /// Readings come in order of time. `listed` are the connections in the list of sessions, which was read after the
    /// figures; `None` without one.
    pub(super) fn take(&mut self, mut now: Figures, listed: Option<u64>, own: Own) -> (ServerIdentity, WatchCounters) {
        let before = self.last.take();
        let goes_on = before.as_ref().is_some_and(|before| self.goes_on(before, &mut now));
        let denied = |figures: &Figures| figures.denied.unwrap_or(0);
        let base = before.as_ref().filter(|b| goes_on || b.started_s == now.started_s).map_or(0, denied);
        if !goes_on {
            self.reset |= before.is_some();
            (self.logins, self.logouts, self.failed, self.credentials, self.requests) = (0, 0, 0, 0, 0);
        }
        // Its own session is one of those that are connected.
        let undecided = now.undecided(listed);
        let sessions = now.connected.saturating_sub(undecided + 1);
        let logins = now.logins(self.counting, undecided).saturating_sub(1);
        self.logins = self.logins.max(logins);
        self.logouts = self.logouts.max(self.logins.saturating_sub(sessions));
        let failed = self.failed.max(now.failed(self.counting));
        // Denied statements are counted with the failed logins: of a login there is a failure, too.
        self.credentials += denied(&now).saturating_sub(base).min(failed - self.failed);
        self.failed = failed;
        // Goodbyes are counted as requests.
        let goodbyes = self.logouts.saturating_sub(now.abandoned.unwrap_or(0));
        self.requests = self.requests.max(self.requests_of(now.questions.unwrap_or(0), own.asked + goodbyes, !goes_on));
        let own_tls = u64::from(own.encrypted && !self.reset);
        let identity = self.identity(&now);
        let counters = WatchCounters {
            since_us: identity.started_us,
            logins_total: Some(self.logins),
            logouts_total: Some(self.logouts),
            failed_total: Some(self.failed),
            failed_credentials_total: now.denied.map(|_| self.credentials),
            failed_limit_total: Some(now.refused),
            probes_total: now.unspoken,
            abandoned_total: now.abandoned,
            resets_total: None,
            requests_total: now.questions.map(|_| self.requests),
            tls_logins_total: now.tls.map(|n| n.saturating_sub(own_tls)),
            sessions: Some(sessions),
            active: now.running.map(|n| n.saturating_sub(1)),
            waiting: None,
            peak_sessions: now.peak,
        };
        self.last = Some(now);
        (identity, counters)
    }

    fn requests_of(&mut self, questions: u64, others: u64, begins: bool) -> u64 {
        if begins {
            self.unsaid = others.saturating_sub(questions);
        }
        (questions + self.unsaid).saturating_sub(others)
    }

    /// Whether a reading has the origin of the one before; times that differ by rounding alone are made the same.
    fn goes_on(&mut self, before: &Figures, now: &mut Figures) -> bool {
        let same = before.server == now.server
            && before.started_s.abs_diff(now.started_s) <= SAME_S
            && before.flushed_s.abs_diff(now.flushed_s) <= SAME_S;
        let fell = before.fell_to(now);
        if same && fell {
            self.falls += 1;
        }
        if before.server == now.server && before.started_s.abs_diff(now.started_s) <= SAME_S {
            now.started_s = before.started_s;
        }
        if same && !fell {
            now.flushed_s = before.flushed_s;
        }
        same && !fell
    }

    /// Which server and start a reading is of. Its time is that of the first reading, as far as it differs by rounding.
    pub(super) fn identity_of(&self, now: &Figures) -> ServerIdentity {
        let same =
            |before: &&Figures| before.server == now.server && before.started_s.abs_diff(now.started_s) <= SAME_S;
        self.identity(self.last.as_ref().filter(same).unwrap_or(now))
    }

    fn identity(&self, now: &Figures) -> ServerIdentity {
        let mut origin = if now.is_flushed() { format!("flush status {}", now.flushed_s) } else { "start".to_owned() };
        if self.falls > 0 {
            origin = format!("{origin} ({})", self.falls);
        }
        let started_us = i64::try_from(now.started_s).ok().map(|s| s.saturating_mul(1_000_000));
        ServerIdentity { name: now.server.clone(), started_us, origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Own = Own { asked: 10, encrypted: true };

    fn figures() -> Figures {
        Figures {
            now_us: 2_000_000_000,
            server: "a:3306".to_owned(),
            started_s: 1_000,
            flushed_s: 1_000,
            connections: 47,
            aborted: 12,
            failed_later: None,
            unspoken: Some(2),
            denied: Some(4),
            refused: 6,
            abandoned: Some(1),
            tls: Some(9),
            questions: Some(110),
            connected: 6,
            running: Some(2),
            peak: Some(8),
            events: 0,
        }
    }

    #[test]
    fn its_own_session_is_in_no_figure() {
        let (identity, counters) = Totals::new(Counting::MariaDb).take(figures(), Some(5), OWN);
        assert_eq!(
            identity,
            ServerIdentity { name: "a:3306".to_owned(), started_us: Some(1_000_000_000), origin: "start".to_owned() }
        );
        assert_eq!(
            counters,
            WatchCounters {
                since_us: Some(1_000_000_000),
                logins_total: Some(40),
                logouts_total: Some(35),
                failed_total: Some(10),
                failed_credentials_total: Some(4),
                failed_limit_total: Some(6),
                probes_total: Some(2),
                abandoned_total: Some(1),
                resets_total: None,
                requests_total: Some(66),
                tls_logins_total: Some(8),
                sessions: Some(5),
                active: Some(1),
                waiting: None,
                peak_sessions: Some(8),
            }
        );
    }

    #[test]
    fn attempts_under_way_and_events_are_no_logins_and_nothing_falls() {
        let mut totals = Totals::new(Counting::MariaDb);
        let read = |totals: &mut Totals, change: &dyn Fn(&mut Figures), listed| {
            let mut now = figures();
            change(&mut now);
            let counters = totals.take(now, listed, OWN).1;
            (counters.logins_total.unwrap_or(0), counters.logouts_total.unwrap_or(0), counters.sessions.unwrap_or(0))
        };
        assert_eq!(read(&mut totals, &|_| (), Some(5)), (40, 35, 5));
        let three_more = |f: &mut Figures| (f.connections, f.connected) = (50, 9);
        assert_eq!(read(&mut totals, &three_more, Some(5)), (40, 35, 5));
        // One of them has logged in, another session has ended while the list was read.
        assert_eq!(read(&mut totals, &three_more, Some(6)), (41, 35, 6));
        assert_eq!(read(&mut totals, &|f| (f.connections, f.aborted, f.connected) = (50, 14, 6), Some(5)), (41, 36, 5));
        // Without a list they look like logins, and their failure does not take that back.
        let two_more = |f: &mut Figures| (f.connections, f.aborted, f.connected) = (52, 14, 8);
        assert_eq!(read(&mut totals, &two_more, None), (43, 36, 7));
        assert_eq!(read(&mut totals, &|f| (f.connections, f.aborted, f.connected) = (52, 16, 6), None), (43, 38, 5));
        // Two runs of an event, one login.
        let event = |f: &mut Figures| (f.connections, f.aborted, f.events, f.connected) = (57, 16, 2, 7);
        assert_eq!(read(&mut totals, &event, Some(6)), (44, 38, 6));
    }

    #[test]
    fn what_looks_like_a_login_is_doubted_until_failures_are_read_once_more() {
        let mut totals = Totals::new(Counting::MariaDb);
        totals.take(figures(), Some(5), OWN);
        assert!(!totals.is_doubtful(&figures(), Some(5)));
        let under_way = Figures { connections: 48, connected: 7, ..figures() };
        assert!(!totals.is_doubtful(&under_way, Some(5)));
        assert!(totals.is_doubtful(&under_way, Some(6)), "it has logged in, or not quite");
        let mut ended = Figures { connections: 48, ..figures() };
        assert!(totals.is_doubtful(&ended, Some(5)));
        let row = [("aborted", "13"), ("refused", "6")].map(|(k, v)| (k.to_owned(), Some(v.to_owned())));
        ended.note_later(&Row::from(row), Counting::MariaDb);
        assert_eq!(totals.take(ended, Some(5), OWN).1.logins_total, Some(40), "it has failed");
    }

    #[test]
    fn a_denied_statement_is_no_failed_login() {
        let mut totals = Totals::new(Counting::MariaDb);
        let mut credentials = |denied, aborted| {
            let now = Figures { denied: Some(denied), aborted, ..figures() };
            totals.take(now, Some(5), OWN).1.failed_credentials_total
        };
        assert_eq!(credentials(4, 12), Some(4));
        assert_eq!(credentials(9, 12), Some(4), "five statements");
        assert_eq!(credentials(10, 14), Some(5), "a wrong password, and another failure");
    }

    #[test]
    fn flush_restart_and_another_server_are_other_origins_and_rounding_is_not() {
        let first = Totals::new(Counting::MariaDb).take(figures(), Some(5), OWN).0;
        let second = |change: &dyn Fn(&mut Figures)| {
            let mut totals = Totals::new(Counting::MariaDb);
            totals.take(figures(), Some(5), OWN);
            let mut now = figures();
            change(&mut now);
            totals.take(now, Some(5), OWN)
        };
        for rounding in [999, 1_000, 1_001] {
            assert_eq!(second(&|f| (f.started_s, f.flushed_s) = (rounding, rounding)).0, first, "{rounding}");
        }
        let (identity, counters) =
            second(&|f| (f.flushed_s, f.aborted, f.unspoken, f.tls) = (1_090, 0, Some(0), Some(3)));
        assert_eq!((identity.origin.as_str(), identity.started_us), ("flush status 1090", first.started_us));
        assert_eq!(counters.tls_logins_total, Some(3), "its own login was before");
        assert_eq!(counters.failed_credentials_total, Some(0));
        assert_eq!(second(&|f| f.aborted = 3).0.origin, "start (1)", "a flush in the second of the start");
        assert_ne!(second(&|f| (f.started_s, f.flushed_s) = (1_090, 1_090)).0, first);
        assert_ne!(second(&|f| f.server = "b:3306".to_owned()).0, first);
    }

    #[test]
    fn mysql_counts_other_things() {
        let now = Figures { unspoken: None, denied: None, ..figures() };
        let counters = Totals::new(Counting::MySql).take(now, Some(5), OWN).1;
        assert_eq!((counters.logins_total, counters.failed_total), (Some(34), Some(18)));
        assert_eq!((counters.failed_credentials_total, counters.probes_total), (None, None));
    }
}
