//! The engine's [`Watcher`]: one persistent session that reads counters and sessions again and again.
//!
//! Each reading is one statement for the counters, one for the sessions and one for their transactions; what a client
//! tells once (program name, process, encryption) is asked for only when there are new sessions, and failures once more
//! only when there are new logins. Nothing is asked that the account may not read.

mod accounts;
mod listed;
mod memory;
mod roster;
mod totals;

use std::collections::HashMap;

use peaje_engine::{
    AccountCounters, Failure, SessionLimits, SessionRow, Snapshot, WatchOptions, WatchReading, Watcher, Watching,
};
use peaje_model::{Fact, Gap, OutcomeKind, WhatAnswered};

use super::arithmetic::Counting;
use super::connect::log_in;
use super::identify::Between;
use super::opened::Opened;
use super::rights::{View, has_process, no_process};
use super::session::{Row, text, unsigned};
use super::{
    Statement, WATCH_ATTRIBUTES, WATCH_CONNECTION_TYPES, WATCH_COUNTERS_MARIADB, WATCH_COUNTERS_MYSQL,
    WATCH_FAILURES_MARIADB, WATCH_FAILURES_MYSQL, WATCH_PROCESSLIST, WATCH_PROCESSLIST_MARIADB, WATCH_STAY,
    WATCH_THREADS, WATCH_TRANSACTIONS,
};
use crate::config::Config;
use listed::{Listed, is_encrypted};
use memory::Memory;
use roster::Told;
use totals::{Figures, Own, Totals};

/// Logs a watching session in, under the name of the options. Its login is over, and counted by the server, when this
/// returns; it is in no figure of its readings.
///
/// # Errors
/// When it cannot log in, or the server does not answer the statement of the counters.
pub async fn open_watcher(config: &Config, options: &WatchOptions) -> Result<Box<dyn Watcher>, Failure> {
    let session = log_in(config.clone(), &options.program_name, &options.program_name, Vec::new()).await?;
    let mut opened = Opened::begin(session).await;
    if opened.between == Between::Nothing {
        // Without it a short wait_timeout costs a new login now and then, which is told.
        let _ = opened.session.rows(&WATCH_STAY, "limits of the watching session").await;
    }
    let process = has_process(&mut opened.session).await;
    let source = match options.sessions {
        Snapshot::Sessions => Some(source(&opened, process)),
        Snapshot::CountersOnly => None,
    };
    let totals = Totals::new(opened.counting);
    let mut watcher = MysqlWatcher { opened, process, source, totals, memory: Memory::default() };
    watcher.figures().await?;
    Ok(Box::new(watcher))
}

/// The list of sessions that is read, or why there is none.
fn source(opened: &Opened, process: bool) -> Result<&'static Statement, Gap> {
    let threads = opened.rights.need(View::Threads);
    match opened.counting {
        // It tells the time in a state to the millisecond.
        Counting::MariaDb if process => Ok(&WATCH_PROCESSLIST_MARIADB),
        _ if threads.is_ok() => Ok(&WATCH_THREADS),
        Counting::MySql if process => Ok(&WATCH_PROCESSLIST),
        Counting::MySql if opened.rights.schema_is_on() => Err(threads.expect_err("it has just been denied")),
        _ => Err(no_process("sessions of other accounts", &opened.session.user)),
    }
}

struct MysqlWatcher {
    opened: Opened,
    /// Whether the account has the right PROCESS.
    process: bool,
    /// The list of sessions, or why there is none; `None` = the counters alone are wanted.
    source: Option<Result<&'static Statement, Gap>>,
    totals: Totals,
    memory: Memory,
}

impl MysqlWatcher {
    /// The rows of a statement, and a gap when the server says no. An error means that the session is lost.
    async fn rows(
        &mut self,
        statement: &Statement,
        what: &str,
        gaps: &mut Vec<Gap>,
    ) -> Result<Option<Vec<Row>>, Failure> {
        let answer = self.opened.session.rows(statement, what).await;
        if let Some(failure) = self.opened.session.ended() {
            return Err(failure.clone());
        }
        Ok(answer.map_err(|gap| gaps.push(gap)).ok())
    }

    async fn figures(&mut self) -> Result<Figures, Failure> {
        let statement = self.opened.by_server(&WATCH_COUNTERS_MARIADB, &WATCH_COUNTERS_MYSQL);
        let mut gaps = Vec::new();
        let rows = self.rows(statement, "global status", &mut gaps).await?.unwrap_or_default();
        rows.first().and_then(Figures::of).ok_or_else(|| {
            let why = gaps.pop().map_or_else(|| "it lacks figures that every server has".to_owned(), |gap| gap.why);
            Failure::new(OutcomeKind::Rejected, format!("the server's counters cannot be read: {why}"))
        })
    }

    async fn take_reading(&mut self) -> Result<WatchReading, Failure> {
        let mut gaps = self.opened.gaps.clone();
        let mut figures = self.figures().await?;
        let asked = self.opened.session.asked();
        self.memory.turn_to(self.totals.identity_of(&figures));
        let listed = self.listed(&mut gaps).await?;
        let connections = listed.as_ref().map(|all| all.iter().filter(|one| one.is_connection).count() as u64);
        if listed.is_some() && self.totals.is_doubtful(&figures, connections) {
            let statement = self.opened.by_server(&WATCH_FAILURES_MARIADB, &WATCH_FAILURES_MYSQL);
            let rows = self.rows(statement, "global status", &mut gaps).await?.unwrap_or_default();
            if let Some(row) = rows.first() {
                figures.note_later(row, self.opened.counting);
            }
        }
        let sessions = match listed {
            Some(listed) => Some(self.sessions(listed, figures.now_us, &mut gaps).await?),
            None => None,
        };
        gaps.extend(untold(&figures));
        let own = Own { asked, encrypted: self.opened.session.login().is_encrypted() };
        let server_clock_us = figures.now_us;
        let (identity, counters) = self.totals.take(figures, connections, own);
        Ok(WatchReading { identity, server_clock_us, counters, sessions, gaps })
    }

    /// The list of open sessions, the watching one aside; `None` = it is not wanted, or cannot be read.
    async fn listed(&mut self, gaps: &mut Vec<Gap>) -> Result<Option<Vec<Listed>>, Failure> {
        let list = match self.source.clone() {
            None => return Ok(None),
            Some(Err(gap)) => {
                gaps.push(gap);
                return Ok(None);
            }
            Some(Ok(list)) => list,
        };
        let rows = self.rows(list, "the list of sessions", gaps).await?;
        Ok(rows.map(|rows| rows.iter().filter_map(Listed::of).collect()))
    }

    /// The open sessions with what their clients tell.
    async fn sessions(
        &mut self,
        listed: Vec<Listed>,
        now_us: i64,
        gaps: &mut Vec<Gap>,
    ) -> Result<Vec<SessionRow>, Failure> {
        let told = self.told(&listed, gaps).await?;
        let in_transaction = self.in_transaction(gaps).await?;
        let own_id = self.opened.session.login().connection_id().into();
        Ok(self.memory.roster.take(listed, &told, &in_transaction, own_id, now_us))
    }

    /// What clients tell once; empty when nobody is new.
    async fn told(&mut self, listed: &[Listed], gaps: &mut Vec<Gap>) -> Result<HashMap<u64, Told>, Failure> {
        let mut told: HashMap<u64, Told> = HashMap::new();
        let (attributes, threads) = (self.opened.rights.need(View::Attributes), self.opened.rights.need(View::Threads));
        let is_new = self.memory.roster.has_new(listed);
        match attributes {
            Ok(()) if is_new => {
                let rows = self.rows(&WATCH_ATTRIBUTES, &View::Attributes.name(), gaps).await?;
                for (id, row) in by_id(&rows.unwrap_or_default()) {
                    let entry = told.entry(id).or_default();
                    text(row, "program").unwrap_or_default().clone_into(&mut entry.application);
                    entry.process = unsigned(row, "process");
                }
            }
            Ok(()) => {}
            Err(gap) => gaps.push(gap),
        }
        match threads {
            Ok(()) if is_new && self.source != Some(Ok(&WATCH_THREADS)) => {
                let rows = self.rows(&WATCH_CONNECTION_TYPES, &View::Threads.name(), gaps).await?;
                for (id, row) in by_id(&rows.unwrap_or_default()) {
                    told.entry(id).or_default().encrypted = text(row, "connection_type").and_then(is_encrypted);
                }
            }
            Ok(()) => {}
            Err(gap) => gaps.push(gap),
        }
        Ok(told)
    }

    async fn in_transaction(&mut self, gaps: &mut Vec<Gap>) -> Result<Vec<u64>, Failure> {
        if !self.process {
            let gap = no_process("open transactions", &self.opened.session.user);
            gaps.push(Gap { why: "this account may not read them: it lacks PROCESS".to_owned(), ..gap });
            return Ok(Vec::new());
        }
        let rows = self.rows(&WATCH_TRANSACTIONS, "open transactions", gaps).await?;
        Ok(rows.unwrap_or_default().iter().filter_map(|row| unsigned(row, "id")).collect())
    }
}

/// What the counters themselves cannot tell here.
fn untold(figures: &Figures) -> Vec<Gap> {
    let gap = |what: &str, why: &str| Gap { what: what.to_owned(), why: why.to_owned(), next_step: None };
    let flushed = figures.is_flushed().then(|| {
        gap(
            "logins since the start",
            "FLUSH STATUS has cleared the failed attempts before it, which are counted as logins since then; \
             between two readings logins are exact",
        )
    });
    let port_checks = (!figures.tells_port_checks())
        .then(|| gap("port checks", "this server counts connections that never spoke among the failed logins"));
    flushed.into_iter().chain(port_checks).collect()
}

/// Rows by the number of their session.
fn by_id(rows: &[Row]) -> impl Iterator<Item = (u64, &Row)> {
    rows.iter().filter_map(|row| Some((unsigned(row, "id")?, row)))
}

impl Watcher for MysqlWatcher {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async { Ok(self.opened.what_answered().await) })
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(async {
            let figures = self.figures().await.map_err(|failure| Gap {
                what: "connection limits".to_owned(),
                why: failure.words(),
                next_step: failure.hint,
            })?;
            self.opened.limits(figures.connected).await
        })
    }

    fn facts(&mut self) -> Watching<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(self.opened.facts())
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(self.take_reading())
    }

    fn accounts(&mut self) -> Watching<'_, Result<Vec<AccountCounters>, Gap>> {
        Box::pin(accounts::read(&mut self.opened, self.process))
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(self.opened.session.close())
    }
}
