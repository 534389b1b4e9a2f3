//! The engine's [`Observer`], on a session of its own.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use peaje_engine::{Failure, Observer, SessionCounters, SessionLimits, SessionMemory, SessionSample, Troubles};
use peaje_model::{Fact, Gap, WhatAnswered};

use super::arithmetic::{Counting, Origins, Reading, count};
use super::connect::{ObserverOptions, connect};
use super::opened::Opened;
use super::rights::View;
use super::whose::{self, Whose};
use super::{CHECK_STATUS, COUNTERS_MARIADB, COUNTERS_MYSQL, HOST_CACHE, SAMPLE, facts, memory};
use crate::config::Config;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A failed attempt is told to the client before it is counted, by as long as the server's thread then has to wait for a
/// processor.
const SETTLE_PAUSE: Duration = Duration::from_millis(5);
/// Readings until the counters are taken as they are: under other clients' load they never rest.
const SETTLE_READINGS: u32 = 6;

/// Reads MySQL's and MariaDB's own account on one persistent session.
pub struct MysqlObserver {
    opened: Opened,
    whose: Whose,
    origins: Origins,
}

impl std::fmt::Debug for MysqlObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MysqlObserver")
            .field("between", &self.opened.between)
            .field("counting", &self.opened.counting)
            .field("whose", &self.whose)
            .finish_non_exhaustive()
    }
}

impl MysqlObserver {
    /// Logs in. The login is over, and counted by the server, when this returns.
    pub async fn connect(config: &Config, options: &ObserverOptions) -> Result<Self, Failure> {
        let mut opened = Opened::begin(connect(config, options).await?).await;
        let whose = whose::decide(&mut opened).await;
        Ok(Self { opened, whose, origins: Origins::default() })
    }

    /// Says goodbye. Just dropping it closes the socket, which the server counts as an aborted client.
    pub async fn close(self) {
        self.opened.session.close().await;
    }

    async fn reading(&mut self) -> Result<Reading, Gap> {
        let statement = self.opened.by_server(&COUNTERS_MARIADB, &COUNTERS_MYSQL);
        Reading::of(&self.opened.session.row(statement, "global status").await?)
    }

    /// Reads until nothing moves: an attempt that has just failed is a connection already and not yet a failure.
    async fn settled_reading(&mut self) -> Result<Reading, Gap> {
        let mut last = self.reading().await?;
        for _ in 1..SETTLE_READINGS {
            tokio::time::sleep(SETTLE_PAUSE).await;
            let next = self.reading().await?;
            if next.rests_at(&last) {
                break;
            }
            last = next;
        }
        Ok(last)
    }

    async fn read_check_facts(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        let (mut found, mut gaps) = (Vec::new(), Vec::new());
        match self.opened.session.rows(&CHECK_STATUS, "Threads_created").await {
            Ok(rows) => found.extend(facts::thread_counters(&rows)),
            Err(gap) => gaps.push(gap),
        }
        // Without the performance schema the table is empty, and empty is not "nothing went wrong".
        if facts::is_on(&self.opened.settings, "performance_schema") == Some(true) {
            let row = match self.opened.rights.need(View::HostCache) {
                Ok(()) => self.opened.session.row(&HOST_CACHE, "performance_schema.host_cache").await,
                Err(gap) => Err(gap),
            };
            match row {
                Ok(row) => found.extend(facts::host_cache(&row)),
                Err(gap) => gaps.push(gap),
            }
        }
        (found, gaps)
    }

    async fn own_sessions(&mut self) -> Result<u64, Gap> {
        count(&self.opened.session.row(self.whose.statement(), "sessions of this run").await?, "own_sessions")
    }

    async fn read_counters(&mut self) -> Result<SessionCounters, Gap> {
        // In this order: a session is counted as a connection before it is listed, so that once none is left the
        // counters hold them all.
        let own_sessions = self.own_sessions().await?;
        let reading = if own_sessions > 0 { self.reading().await? } else { self.settled_reading().await? };
        Ok(SessionCounters {
            logins_total: Some(reading.logins(self.opened.counting)),
            own_sessions,
            origin: Some(self.origins.of(&reading)),
        })
    }

    async fn read_limits(&mut self) -> Result<SessionLimits, Gap> {
        let connected = self.reading().await?.connected;
        self.opened.limits(connected).await
    }

    async fn read_sample(&mut self) -> Result<SessionSample, Gap> {
        if self.whose == Whose::ByUser {
            return Err(whose::no_sample(&self.opened.settings, &self.opened.gaps));
        }
        let row = self.opened.session.row(&SAMPLE, "encryption of the sessions").await?;
        Ok(SessionSample { sessions: count(&row, "sessions")?, encrypted: count(&row, "encrypted")? })
    }

    async fn read_facts(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        let (mut found, mut gaps) = self.opened.facts().await;
        match self.reading().await {
            Ok(reading) => found.extend(facts::uptimes(&reading)),
            Err(gap) => gaps.push(gap),
        }
        // What is missing where it is on is among the gaps since the session began.
        if facts::is_on(&self.opened.settings, "performance_schema") == Some(false) {
            gaps.push(whose::no_sample(&self.opened.settings, &self.opened.gaps));
        }
        (found, gaps)
    }
}

impl Observer for MysqlObserver {
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async { Ok(self.opened.what_answered().await) })
    }

    fn facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(self.read_facts())
    }

    fn limits(&mut self) -> Boxed<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.read_limits())
    }

    fn counters(&mut self) -> Boxed<'_, Result<SessionCounters, Gap>> {
        Box::pin(self.read_counters())
    }

    fn sample(&mut self) -> Boxed<'_, Result<SessionSample, Gap>> {
        Box::pin(self.read_sample())
    }

    fn troubles(&mut self) -> Boxed<'_, Result<Troubles, Gap>> {
        Box::pin(async { Ok(self.reading().await?.troubles(self.opened.counting)) })
    }

    fn session_memory(&mut self) -> Boxed<'_, Result<SessionMemory, Gap>> {
        Box::pin(memory::read(&mut self.opened))
    }

    fn check_facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(self.read_check_facts())
    }

    fn source(&self) -> String {
        let logins = match self.opened.counting {
            Counting::MariaDb => "Connections - (Aborted_connects - Connection_errors_max_connections)",
            Counting::MySql => "Connections - Aborted_connects",
        };
        format!("global status ({logins}), {}", self.whose.source())
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { Self::close(*self).await })
    }
}
