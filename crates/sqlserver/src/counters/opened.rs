//! How an observing or a watching session begins: what answers, what lies between, and what the login may see.

use peaje_engine::SessionLimits;
use peaje_model::{Fact, Gap, WhatAnswered};

use super::identify::{AZURE_SQL_DATABASE, Between, between, describe, engine_edition};
use super::rights::{Right, Rights};
use super::row::Row;
use super::session::Session;
use super::{AZURE_LIMITS, GUARD, LIMITS, LISTENER, LOGIN_TIMERS, PEER, RIGHTS, SERVER, VERSION, facts, login_timers};

/// What holds where nobody has set `user connections`.
const MOST_SESSIONS: u64 = 32_767;

/// A session whose begin is over.
pub(super) struct Opened {
    pub(super) session: Session,
    /// The row of `server.sql`, or as much of it as the server understands.
    pub(super) server: Row,
    /// Why the row is not whole.
    server_gap: Option<Gap>,
    pub(super) rights: Rights,
    pub(super) between: Between,
}

impl Opened {
    /// Asks what there is to know once. The login is over, and counted by the server.
    pub(super) async fn begin(mut session: Session) -> Self {
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
        Self { session, server, server_gap, rights, between }
    }

    /// Whether it is a database of Azure, which shows itself alone.
    pub(super) fn is_azure_database(&self) -> bool {
        engine_edition(&self.server) == Some(AZURE_SQL_DATABASE)
    }

    /// What answered.
    pub(super) async fn what_answered(&mut self) -> Result<WhatAnswered, Gap> {
        let listeners = self.listeners().await;
        match &self.server_gap {
            Some(gap) if self.server == Row::default() => Err(gap.clone()),
            _ => Ok(describe(&self.server, self.between, &listeners)),
        }
    }

    async fn listeners(&mut self) -> Vec<Row> {
        let on = self.server.number("hadr_enabled") == Some(1);
        if !on || !self.rights.has(Right::Definition) {
            return Vec::new();
        }
        self.session.rows(&LISTENER, "availability-group listeners").await.unwrap_or_default()
    }

    /// Everything that is worth keeping, and what could not be read.
    pub(super) async fn facts(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        let (facts, mut gaps) = facts::read(&mut self.session, &self.server, &self.rights).await;
        gaps.extend(self.server_gap.clone());
        if !self.rights.has(Right::SecurityState) {
            gaps.push(self.rights.gap("sys.dm_exec_connections.encrypt_option", Right::SecurityState));
        }
        (facts, gaps)
    }

    /// What the server kept of logins that went wrong.
    pub(super) async fn login_timers(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        if !facts::applies(LOGIN_TIMERS.versions, &self.server) {
            return (Vec::new(), Vec::new());
        }
        let what = "sys.dm_os_ring_buffers";
        let rows = match self.rights.need(what, Right::PerformanceState) {
            Ok(()) => self.session.rows(&LOGIN_TIMERS, what).await,
            Err(gap) => Err(gap),
        };
        match rows {
            Ok(rows) => (login_timers::facts(&rows), Vec::new()),
            Err(gap) => (Vec::new(), vec![gap]),
        }
    }

    /// Room for sessions.
    pub(super) async fn limits(&mut self) -> Result<SessionLimits, Gap> {
        let what = "room for sessions";
        self.rights.need(what, Right::PerformanceState)?;
        let azure = self.is_azure_database();
        let row = self.session.row(if azure { &AZURE_LIMITS } else { &LIMITS }, what).await?;
        let limit = match row.count("max_connections") {
            Some(0) if !azure => MOST_SESSIONS,
            Some(limit) if !azure => limit.min(MOST_SESSIONS),
            other => other.ok_or_else(|| unreadable("max_connections"))?,
        };
        // The administrator's own connection is not among them.
        Ok(SessionLimits { limit, in_use: count(&row, "in_use")?, reserved: 0 })
    }
}

/// A count that must be there.
pub(super) fn count(row: &Row, column: &'static str) -> Result<u64, Gap> {
    row.count(column).ok_or_else(|| unreadable(column))
}

fn unreadable(what: &str) -> Gap {
    Gap { what: what.to_owned(), why: "the server's answer holds no number there".to_owned(), next_step: None }
}

/// No rows of counters at all: they failed to register when the instance was set up (error 3409).
pub(super) fn no_counters() -> Gap {
    Gap {
        what: "sys.dm_os_performance_counters".to_owned(),
        why: "the server has no counters of logins: they failed to register when the instance was set up".to_owned(),
        next_step: Some("look for error 3409 in the server's error log, and load the counters with lodctr".to_owned()),
    }
}
