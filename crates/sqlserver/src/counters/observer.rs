//! The engine's [`Observer`], on a session of peaje's own.

use std::future::Future;
use std::pin::Pin;

use peaje_engine::{Failure, Observer, SessionCounters, SessionLimits, SessionSample};
use peaje_model::{Fact, Gap, WhatAnswered};

use super::calibrate::{Meaning, Reading, meaning, physical_logins};
use super::connect::{ObserverOptions, connect};
use super::facts;
use super::identify::{AZURE_SQL_DATABASE, Between, between, describe, engine_edition};
use super::rights::{Right, Rights};
use super::row::Row;
use super::session::Session;
use super::{AZURE_LIMITS, COUNTERS, GUARD, LIMITS, LISTENER, PEER, RIGHTS, SAMPLE, SERVER, VERSION};
use crate::config::Config;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What holds where nobody has set `user connections`.
const MOST_SESSIONS: u64 = 32_767;

/// Reads SQL Server's own account on one persistent session.
pub struct SqlServerObserver {
    session: Session,
    /// The row of `server.sql`, or as much of it as the server understands.
    server: Row,
    /// Why the row is not whole.
    server_gap: Option<Gap>,
    rights: Rights,
    between: Between,
    /// The first reading of the counters, with its origin.
    first: Option<(u64, Reading)>,
    meaning: Meaning,
}

impl std::fmt::Debug for SqlServerObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlServerObserver")
            .field("between", &self.between)
            .field("meaning", &self.meaning)
            .finish_non_exhaustive()
    }
}

impl SqlServerObserver {
    /// Logs in. The login is over, and counted by the server, when this returns.
    pub async fn connect(config: &Config, options: &ObserverOptions) -> Result<Self, Failure> {
        let mut session = connect(config, options).await?;
        // Without it the client's own limit still holds.
        let _ = session.rows(&GUARD, "limits of the observing session").await;
        let (server, server_gap) = match session.row(&SERVER, "version and properties of the server").await {
            Ok(row) => (row, None),
            Err(gap) => (session.row(&VERSION, "version of the server").await.unwrap_or_default(), Some(gap)),
        };
        let row = session.row(&RIGHTS, "rights of the login").await.ok();
        let rights = Rights::new(row, &server, &session.login);
        let peer = match rights.need("the server's view of the connection", Right::SecurityState) {
            Ok(()) => session.row(&PEER, "the server's view of the connection").await.ok(),
            Err(_) => None,
        };
        let between = between(session.local, &server, peer.as_ref());
        Ok(Self { session, server, server_gap, rights, between, first: None, meaning: Meaning::default() })
    }

    /// Says goodbye.
    pub async fn close(self) {
        self.session.close().await;
    }

    async fn listeners(&mut self) -> Vec<Row> {
        let on = self.server.number("hadr_enabled") == Some(1);
        if !on || !self.rights.has(Right::Definition) {
            return Vec::new();
        }
        self.session.rows(&LISTENER, "availability-group listeners").await.unwrap_or_default()
    }

    async fn read_limits(&mut self) -> Result<SessionLimits, Gap> {
        let what = "room for sessions";
        self.rights.need(what, Right::PerformanceState)?;
        let azure = engine_edition(&self.server) == Some(AZURE_SQL_DATABASE);
        let row = self.session.row(if azure { &AZURE_LIMITS } else { &LIMITS }, what).await?;
        let limit = match row.count("max_connections") {
            Some(0) if !azure => MOST_SESSIONS,
            Some(limit) if !azure => limit.min(MOST_SESSIONS),
            other => other.ok_or_else(|| unreadable("max_connections"))?,
        };
        // The administrator's own connection is not among them.
        Ok(SessionLimits { limit, in_use: count(&row, "in_use")?, reserved: 0 })
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
        self.rights.need(WHAT, Right::PerformanceState)?;
        let row = self.session.row(&COUNTERS, WHAT).await?;
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
        counters.logins_total.is_none().then(|| Gap {
            what: "sys.dm_os_performance_counters".to_owned(),
            why: "the server has no counters of logins: they failed to register when the instance was set up"
                .to_owned(),
            next_step: Some(
                "look for error 3409 in the server's error log, and load the counters with lodctr".to_owned(),
            ),
        })
    }
}

impl Observer for SqlServerObserver {
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async {
            let listeners = self.listeners().await;
            match &self.server_gap {
                Some(gap) if self.server == Row::default() => Err(gap.clone()),
                _ => Ok(describe(&self.server, self.between, &listeners)),
            }
        })
    }

    fn facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async {
            let (facts, mut gaps) = facts::read(&mut self.session, &self.server, &self.rights).await;
            gaps.extend(self.server_gap.clone());
            if !self.rights.has(Right::SecurityState) {
                gaps.push(self.rights.gap("sys.dm_exec_connections.encrypt_option", Right::SecurityState));
            }
            gaps.extend(self.missing_counters().await);
            (facts, gaps)
        })
    }

    fn limits(&mut self) -> Boxed<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.read_limits())
    }

    fn counters(&mut self) -> Boxed<'_, Result<SessionCounters, Gap>> {
        Box::pin(self.read_counters())
    }

    fn sample(&mut self) -> Boxed<'_, Result<SessionSample, Gap>> {
        Box::pin(async {
            let what = "sys.dm_exec_connections.encrypt_option";
            self.rights.need(what, Right::SecurityState)?;
            let row = self.session.row(&SAMPLE, what).await?;
            Ok(SessionSample { sessions: count(&row, "sessions")?, encrypted: count(&row, "encrypted")? })
        })
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

fn count(row: &Row, column: &'static str) -> Result<u64, Gap> {
    row.count(column).ok_or_else(|| unreadable(column))
}

fn unreadable(what: &str) -> Gap {
    Gap { what: what.to_owned(), why: "the server's answer holds no number there".to_owned(), next_step: None }
}
