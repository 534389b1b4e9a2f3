//! The engine's [`Watcher`]: one persistent session that reads counters and sessions again and again.
//!
//! Each reading is one statement for the counters and one for the sessions. A newcomer would take `login_time` for the
//! time of the login: a pool that re-uses a session moves it. `connect_time` stays.

mod sessions;
mod totals;

use peaje_engine::{
    Failure, ServerIdentity, SessionLimits, SessionRow, SessionState, Snapshot, WatchCounters, WatchOptions,
    WatchReading, Watcher, Watching,
};
use peaje_model::{Fact, Gap, OutcomeKind, Secret, WhatAnswered};

use super::connect::log_in;
use super::opened::Opened;
use super::rights::Right;
use super::row::Row;
use super::{Statement, WATCH_CLOCK, WATCH_COUNTERS, WATCH_SESSIONS};
use crate::config::Config;
use crate::login::LoginOptions;
use sessions::Roster;
use totals::{Clock, Totals};

/// The view that the counters come from.
const COUNTERS: &str = "sys.dm_os_performance_counters";

/// Logs a watching session in, under the name of the options, with an access token in place of user and password if one
/// is given. Its login is over, and counted by the server, when this returns; it is in no figure of its readings.
///
/// # Errors
/// When it cannot log in.
pub async fn open_watcher(
    config: &Config,
    options: &WatchOptions,
    access_token: Option<&Secret>,
) -> Result<Box<dyn Watcher>, Failure> {
    let login = LoginOptions { access_token: access_token.cloned(), ..LoginOptions::default() };
    open_watcher_with(config, options, login).await
}

/// As [`open_watcher`], with what the command line says of the login over the connection string (TLS, addresses to
/// leave out); name and close are the watching session's own.
///
/// # Errors
/// When it cannot log in.
pub async fn open_watcher_with(
    config: &Config,
    options: &WatchOptions,
    login: LoginOptions,
) -> Result<Box<dyn Watcher>, Failure> {
    let session = log_in(config, &options.program_name, &options.program_name, login).await?;
    let opened = Opened::begin(session).await;
    let totals = Totals::default();
    Ok(Box::new(SqlServerWatcher { opened, snapshot: options.sessions, totals, roster: Roster::default() }))
}

struct SqlServerWatcher {
    opened: Opened,
    snapshot: Snapshot,
    totals: Totals,
    roster: Roster,
}

impl SqlServerWatcher {
    /// The rows of a statement, and a gap when the right is missing or the server says no. An error means that the
    /// session is lost.
    async fn rows(
        &mut self,
        statement: &Statement,
        what: &str,
        right: Option<Right>,
        gaps: &mut Vec<Gap>,
    ) -> Result<Option<Vec<Row>>, Failure> {
        let allowed = right.map_or(Ok(()), |right| self.opened.rights.need(what, right));
        let answer = match allowed {
            Ok(()) => self.opened.session.rows(statement, what).await,
            Err(gap) => Err(gap),
        };
        if let Some(failure) = self.opened.session.ended() {
            return Err(failure.clone());
        }
        Ok(answer.map_err(|gap| gaps.push(gap)).ok())
    }

    async fn take_reading(&mut self) -> Result<WatchReading, Failure> {
        let mut gaps = Vec::new();
        let right = Some(Right::PerformanceState);
        let row =
            self.rows(&WATCH_COUNTERS, COUNTERS, right, &mut gaps).await?.and_then(|rows| rows.into_iter().next());
        let asked = self.opened.session.asked();
        let (clock, identity, mut counters) = match row.as_ref().and_then(|row| Some((row, Clock::of(row)?))) {
            Some((row, clock)) => {
                let (identity, counters) = self.totals.take(row, &clock, asked, &mut gaps);
                (clock, identity, counters)
            }
            None => self.clock_alone(&mut gaps).await?,
        };
        let sessions = self.sessions(&clock, &mut gaps).await?;
        counters.active = sessions.as_ref().map(|all| {
            let active = all.iter().filter(|session| session.state == SessionState::Active && session.apart.is_none());
            active.count() as u64
        });
        gaps.extend(self.always());
        Ok(WatchReading { identity, server_clock_us: clock.now_us, counters, sessions, gaps })
    }

    /// Who answers and its clock, where the counters cannot be read.
    async fn clock_alone(&mut self, gaps: &mut Vec<Gap>) -> Result<(Clock, ServerIdentity, WatchCounters), Failure> {
        let rows = self.rows(&WATCH_CLOCK, "the server's clock", None, gaps).await?.unwrap_or_default();
        let row = rows.first().and_then(|row| Some((row, Clock::of(row)?)));
        let (row, clock) = row.ok_or_else(|| {
            let why = gaps.pop().map_or_else(|| "it does not say".to_owned(), |gap| gap.why);
            Failure::new(OutcomeKind::Rejected, format!("the server's clock cannot be read: {why}"))
        })?;
        Ok((clock, self.totals.identity(row), WatchCounters::default()))
    }

    async fn sessions(&mut self, clock: &Clock, gaps: &mut Vec<Gap>) -> Result<Option<Vec<SessionRow>>, Failure> {
        if self.snapshot == Snapshot::CountersOnly {
            return Ok(None);
        }
        let right = Some(Right::SecurityState);
        let rows = self.rows(&WATCH_SESSIONS, "sys.dm_exec_connections", right, gaps).await?;
        Ok(rows.map(|rows| self.roster.take(&rows, clock)))
    }

    /// What this server never tells.
    fn always(&self) -> Vec<Gap> {
        let failures = Gap {
            what: "failed logins".to_owned(),
            why: "SQL Server has no counter of them".to_owned(),
            next_step: Some(
                "have failed logins written to the error log (server properties, login auditing)".to_owned(),
            ),
        };
        let others = self.opened.is_azure_database().then(|| Gap {
            what: "sessions of other databases".to_owned(),
            why: "Azure SQL Database shows the sessions of its own database only".to_owned(),
            next_step: None,
        });
        [failures].into_iter().chain(others).collect()
    }
}

impl Watcher for SqlServerWatcher {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        Box::pin(self.opened.what_answered())
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.opened.limits())
    }

    fn facts(&mut self) -> Watching<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(self.opened.facts())
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(self.take_reading())
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(self.opened.session.close())
    }
}
