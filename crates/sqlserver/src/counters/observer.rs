//! The engine's [`Observer`], on a session of peaje's own.

use std::future::Future;
use std::pin::Pin;

use peaje_engine::{Failure, Observer, SessionCounters, SessionLimits, SessionMemory, SessionSample};
use peaje_model::{Fact, Gap, WhatAnswered};

use super::calibrate::{Meaning, Reading, meaning, physical_logins};
use super::connect::{ObserverOptions, connect};
use super::opened::{Opened, count, no_counters};
use super::rights::Right;
use super::row::Row;
use super::{COUNTERS, SAMPLE, memory};
use crate::config::Config;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Reads SQL Server's own account on one persistent session.
pub struct SqlServerObserver {
    opened: Opened,
    /// The first reading of the counters, with its origin.
    first: Option<(u64, Reading)>,
    meaning: Meaning,
}

impl std::fmt::Debug for SqlServerObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlServerObserver")
            .field("between", &self.opened.between)
            .field("meaning", &self.meaning)
            .finish_non_exhaustive()
    }
}

impl SqlServerObserver {
    /// Logs in. The login is over, and counted by the server, when this returns.
    pub async fn connect(config: &Config, options: &ObserverOptions) -> Result<Self, Failure> {
        let opened = Opened::begin(connect(config, options).await?).await;
        Ok(Self { opened, first: None, meaning: Meaning::default() })
    }

    /// Says goodbye.
    pub async fn close(self) {
        self.opened.session.close().await;
    }

    async fn read_counters(&mut self) -> Result<SessionCounters, Gap> {
        let counters = self.read_counters_once().await?;
        if counters.own_sessions > 0 {
            return Ok(counters);
        }
        // Within one statement the counters may be read before the sessions are listed, and a login in between is then
        // in neither. Once no session is left, the next statement finds all of them counted.
        self.read_counters_once().await
    }

    async fn read_counters_once(&mut self) -> Result<SessionCounters, Gap> {
        const WHAT: &str = "sys.dm_os_performance_counters";
        self.opened.rights.need(WHAT, Right::PerformanceState)?;
        let row = self.opened.session.row(&COUNTERS, WHAT).await?;
        let own_sessions = count(&row, "own_sessions")?;
        let Some(now) = reading(&row) else {
            return Ok(SessionCounters { logins_total: None, own_sessions, origin: None });
        };
        let origin = origin(&row);
        let first = match self.first {
            Some((same, first)) if same == origin && first.logins <= now.logins => first,
            // The server was started anew meanwhile.
            _ => now,
        };
        self.first = Some((origin, first));
        self.meaning = meaning(first, now);
        Ok(SessionCounters { logins_total: Some(physical_logins(first, now)), own_sessions, origin: Some(origin) })
    }

    /// No rows at all: they failed to register when the instance was set up (error 3409).
    async fn missing_counters(&mut self) -> Option<Gap> {
        let counters = self.read_counters_once().await.ok()?;
        counters.logins_total.is_none().then(no_counters)
    }
}

impl Observer for SqlServerObserver {
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>> {
        Box::pin(self.opened.what_answered())
    }

    fn facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async {
            let (facts, mut gaps) = self.opened.facts().await;
            gaps.extend(self.missing_counters().await);
            (facts, gaps)
        })
    }

    fn limits(&mut self) -> Boxed<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.opened.limits())
    }

    fn counters(&mut self) -> Boxed<'_, Result<SessionCounters, Gap>> {
        Box::pin(self.read_counters())
    }

    fn sample(&mut self) -> Boxed<'_, Result<SessionSample, Gap>> {
        Box::pin(async {
            let what = "sys.dm_exec_connections.encrypt_option";
            self.opened.rights.need(what, Right::SecurityState)?;
            let row = self.opened.session.row(&SAMPLE, what).await?;
            Ok(SessionSample { sessions: count(&row, "sessions")?, encrypted: count(&row, "encrypted")? })
        })
    }

    fn session_memory(&mut self) -> Boxed<'_, Result<SessionMemory, Gap>> {
        Box::pin(memory::read(&mut self.opened))
    }

    fn check_facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(self.opened.login_timers())
    }

    fn source(&self) -> String {
        let logins = match self.meaning {
            Meaning::Undecided => "Logins/sec",
            Meaning::Physical => "Logins/sec (physical logins, by its balance with logouts and connections)",
            Meaning::WithReuses => {
                "Logouts/sec and User Connections (Logins/sec counts re-uses of pooled connections here)"
            }
            Meaning::Contradictory => "Logins/sec (its balance with logouts and connections does not add up here)",
        };
        format!("sys.dm_os_performance_counters: {logins}; sys.dm_exec_sessions, sys.dm_exec_connections")
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { Self::close(*self).await })
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

/// Start of the server, as a number: FNV-1a over its text.
fn origin(row: &Row) -> u64 {
    let bytes = row.text("started_at").unwrap_or_default().bytes();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
