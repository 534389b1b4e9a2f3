//! What `peaje watch` reads of a server at one moment: cumulative counters and the sessions that are open.
//!
//! A reading is raw: nothing here is a rate. Rates are differences of two readings of the same server with the same
//! origin. A newcomer would put 0 where a server does not count something: that is `None`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use peaje_model::{Fact, Gap, WhatAnswered};
use serde::{Deserialize, Serialize};

use crate::{Failure, SessionLimits};

/// Cumulative counts since the server's own origin. `None`: the server does not count it, or may not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WatchCounters {
    /// Since when they count, microseconds since 1970 on the server's clock (its start, or the last reset of its
    /// statistics, whichever the counters follow); `None` when nobody can say.
    pub since_us: Option<i64>,
    /// Successful logins of clients (physical ones, also where the server's counter includes pooled re-uses).
    pub logins_total: Option<u64>,
    /// Sessions that ended; derived from logins and sessions where the server has no counter of its own.
    pub logouts_total: Option<u64>,
    /// Failed logins, port checks excluded.
    pub failed_total: Option<u64>,
    /// Of these, wrong password or unknown login.
    pub failed_credentials_total: Option<u64>,
    /// Of these, refused because a limit was reached.
    pub failed_limit_total: Option<u64>,
    /// Connections that never spoke (port checks).
    pub probes_total: Option<u64>,
    /// Sessions that ended without a goodbye.
    pub abandoned_total: Option<u64>,
    /// Re-uses of a pooled session that the server sees (SQL Server's connection resets).
    pub resets_total: Option<u64>,
    /// Requests: transactions, batches, statements.
    pub requests_total: Option<u64>,
    /// Logins that paid a TLS handshake.
    pub tls_logins_total: Option<u64>,
    /// Client sessions open now, peaje's own excluded.
    pub sessions: Option<u64>,
    /// Of these, at work now.
    pub active: Option<u64>,
    /// Clients waiting for a session (a pooler's queue).
    pub waiting: Option<u64>,
    /// Most sessions since the origin.
    pub peak_sessions: Option<u64>,
}

/// What a session does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SessionState {
    /// A request is running.
    Active,
    /// It waits for a request.
    Idle,
    /// It waits for a request within an open transaction.
    IdleInTransaction,
}

/// Why a session does not count as a client's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Apart {
    /// Replication, change capture, log shipping.
    Replication,
    /// An agent of the server itself (jobs, event scheduler).
    ServerAgent,
    /// Another session of peaje.
    Peaje,
}

/// One open session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The server's number for it. Numbers are used again: a session is (number, time of login).
    pub id: u64,
    /// When it logged in, microseconds since 1970 on the server's clock. The physical login, where a pool's re-use moves
    /// another time stamp.
    pub opened_us: i64,
    /// Login name.
    pub user: String,
    /// Program name, as the client gives it; empty when it gives none.
    pub application: String,
    /// Where it comes from: host name or address; empty over a local socket.
    pub host: String,
    /// Database.
    pub database: String,
    /// The client's process on its host, where the client tells it.
    pub process: Option<u64>,
    /// What it does.
    pub state: SessionState,
    /// Since when it has been in this state, microseconds since 1970 on the server's clock.
    pub since_us: Option<i64>,
    /// Whether it has ever run a statement.
    pub used: Option<bool>,
    /// Whether it is encrypted.
    pub encrypted: Option<bool>,
    /// How it authenticated, in the server's words.
    pub authentication: Option<String>,
    /// Why it does not count as a client's.
    pub apart: Option<Apart>,
}

/// Which server answered. Behind one address another one may answer next time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServerIdentity {
    /// What stays the same over a restart (system identifier, `@@server_uuid`, `@@SERVERNAME`).
    pub name: String,
    /// When it was started, microseconds since 1970 on its own clock.
    pub started_us: Option<i64>,
    /// Changes whenever counters start anew without a restart (`stats_reset`, `Uptime_since_flush_status`).
    pub origin: String,
}

/// One reading of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchReading {
    /// Which server answered.
    pub identity: ServerIdentity,
    /// The server's clock at the reading, microseconds since 1970.
    pub server_clock_us: i64,
    /// The counters.
    pub counters: WatchCounters,
    /// Open sessions, peaje's observing session excluded; `None` when they cannot be seen.
    pub sessions: Option<Vec<SessionRow>>,
    /// What could not be read this time.
    pub gaps: Vec<Gap>,
}

/// Logins of a group as the server itself counts them, where it does so (per account, per user).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountCounters {
    /// The account.
    pub user: String,
    /// Its host, where the server tells them apart.
    pub host: Option<String>,
    /// Logins since the origin.
    pub logins_total: u64,
    /// Time its ended sessions lasted, microseconds, where the server adds it up.
    pub connected_us_total: Option<u64>,
}

/// Options of a watching session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// The name the session gives itself.
    pub program_name: String,
    /// Whether each reading lists the sessions, or the counters alone.
    pub sessions: Snapshot,
}

/// Whether each reading lists the open sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Snapshot {
    /// Counters and sessions.
    #[default]
    Sessions,
    /// Counters alone.
    CountersOnly,
}

/// What a [`Watcher`] does, in a box.
pub type Watching<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Logs a watcher in: at the start, and again whenever its session is lost.
pub type OpenWatcher = Arc<dyn Fn() -> Watching<'static, Result<Box<dyn Watcher>, Failure>> + Send + Sync>;

/// One persistent session that reads a server again and again. Its own session and login are in no figure it gives.
pub trait Watcher: Send {
    /// What answered.
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>>;

    /// Room for sessions.
    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>>;

    /// Settings and figures worth keeping beside the counters; what could not be read is a gap and ends nothing.
    fn facts(&mut self) -> Watching<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async { (Vec::new(), Vec::new()) })
    }

    /// One reading. An error means that the session is lost: log in again. A missing privilege is a gap in the reading.
    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>>;

    /// Logins per account where the server counts them; empty where it does not.
    fn accounts(&mut self) -> Watching<'_, Result<Vec<AccountCounters>, Gap>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Says goodbye.
    fn close(self: Box<Self>) -> Watching<'static, ()>;
}
