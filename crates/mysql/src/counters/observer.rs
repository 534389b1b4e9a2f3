//! The engine's [`Observer`], on a session of its own.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use peaje_engine::{Failure, Observer, SessionCounters, SessionLimits, SessionSample, Troubles};
use peaje_model::{Fact, Gap, WhatAnswered};

use super::arithmetic::{Counting, Origins, Reading, count};
use super::connect::{ObserverOptions, connect, our_end};
use super::identify::{Between, Identity, compare, describe};
use super::session::{Row, Session, number, text};
use super::whose::{self, Whose};
use super::{
    COUNTERS_MARIADB, COUNTERS_MYSQL, GUARD_MARIADB, GUARD_MYSQL, LIMITS, MAXSCALE, PEER, PLUGINS, PROXYSQL, READ_ONLY,
    SAMPLE, SETTINGS, VERSION, facts,
};
use crate::config::Config;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A failed attempt is told to the client before it is counted, by as long as the server's thread then has to wait for a
/// processor.
const SETTLE_PAUSE: Duration = Duration::from_millis(5);
/// Readings until the counters are taken as they are: under other clients' load they never rest.
const SETTLE_READINGS: u32 = 6;

/// Reads MySQL's and MariaDB's own account on one persistent session.
pub struct MysqlObserver {
    session: Session,
    between: Between,
    counting: Counting,
    whose: Whose,
    /// Rows of the version statement.
    version: Row,
    settings: Vec<Fact>,
    /// What was missing when the session began.
    gaps: Vec<Gap>,
    origins: Origins,
}

impl std::fmt::Debug for MysqlObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MysqlObserver")
            .field("between", &self.between)
            .field("counting", &self.counting)
            .field("whose", &self.whose)
            .finish_non_exhaustive()
    }
}

impl MysqlObserver {
    /// Logs in. The login is over, and counted by the server, when this returns.
    pub async fn connect(config: &Config, options: &ObserverOptions) -> Result<Self, Failure> {
        let mut session = connect(config, options).await?;
        let mut gaps = Vec::new();
        let between = match session.row(&PEER, "the server's view of the connection").await {
            Ok(seen) => compare(&seen, our_end(session.login())),
            Err(_) => Between::Unknown,
        };
        let version = session.row(&VERSION, "version()").await.map_err(|gap| note(gap, &mut gaps)).unwrap_or_default();
        let counting = counting(text(&version, "version").unwrap_or_default());
        if between == Between::Nothing {
            // Without them the client's own limit still holds.
            let guard = if counting == Counting::MariaDb { &GUARD_MARIADB } else { &GUARD_MYSQL };
            let _ = session.rows(guard, "limits of the observing session").await;
            let _ = session.rows(&READ_ONLY, "limits of the observing session").await;
        }
        let rows = session.rows(&SETTINGS, "global variables").await;
        let (settings, missing) = match rows {
            Ok(rows) => facts::settings(&rows),
            Err(gap) => (Vec::new(), vec![gap]),
        };
        gaps.extend(missing);
        let whose = whose::decide(&mut session, &settings, &mut gaps).await;
        Ok(Self { session, between, counting, whose, version, settings, gaps, origins: Origins::default() })
    }

    /// Says goodbye. Just dropping it closes the socket, which the server counts as an aborted client.
    pub async fn close(self) {
        self.session.close().await;
    }

    async fn reading(&mut self) -> Result<Reading, Gap> {
        let statement = match self.counting {
            Counting::MariaDb => &COUNTERS_MARIADB,
            Counting::MySql => &COUNTERS_MYSQL,
        };
        Reading::of(&self.session.row(statement, "global status").await?)
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

    async fn own_sessions(&mut self) -> Result<u64, Gap> {
        count(&self.session.row(self.whose.statement(), "sessions of this run").await?, "own_sessions")
    }

    async fn read_counters(&mut self) -> Result<SessionCounters, Gap> {
        // In this order: a session is counted as a connection before it is listed, so that once none is left the
        // counters hold them all.
        let own_sessions = self.own_sessions().await?;
        let reading = if own_sessions > 0 { self.reading().await? } else { self.settled_reading().await? };
        Ok(SessionCounters {
            logins_total: Some(reading.logins(self.counting)),
            own_sessions,
            origin: Some(self.origins.of(&reading)),
        })
    }

    async fn read_limits(&mut self) -> Result<SessionLimits, Gap> {
        let connected = self.reading().await?.connected;
        let row = self.session.row(&LIMITS, "connection limits").await?;
        least_room(&row, connected)
    }

    async fn read_sample(&mut self) -> Result<SessionSample, Gap> {
        if self.whose == Whose::ByUser {
            return Err(whose::no_sample(&self.settings, &self.gaps));
        }
        let row = self.session.row(&SAMPLE, "encryption of the sessions").await?;
        Ok(SessionSample { sessions: count(&row, "sessions")?, encrypted: count(&row, "encrypted")? })
    }

    async fn read_facts(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        let (mut found, mut gaps) = (self.settings.clone(), self.gaps.clone());
        match self.session.rows(&PLUGINS, "information_schema.plugins").await {
            Ok(rows) => found.extend(facts::plugins(&rows)),
            Err(gap) => gaps.push(gap),
        }
        match self.reading().await {
            Ok(reading) => found.extend(facts::uptimes(&reading)),
            Err(gap) => gaps.push(gap),
        }
        // What is missing where it is on is among the gaps since the session began.
        if facts::is_on(&self.settings, "performance_schema") == Some(false) {
            gaps.push(whose::no_sample(&self.settings, &self.gaps));
        }
        (found, gaps)
    }

    async fn read_what_answered(&mut self) -> WhatAnswered {
        let (mut proxysql, mut maxscale) = (None, None);
        if self.between == Between::Something {
            let row = self.session.row(&PROXYSQL, "ProxySQL").await.unwrap_or_default();
            proxysql = row.into_values().next().flatten();
            let row = self.session.row(&MAXSCALE, "MaxScale").await.unwrap_or_default();
            maxscale = text(&row, "version").map(str::to_owned);
        }
        let identity = Identity {
            version: text(&self.version, "version").unwrap_or_default(),
            comment: text(&self.version, "version_comment").unwrap_or_default(),
            greeting: self.session.login().server_version(),
            proxysql: proxysql.as_deref(),
            maxscale: maxscale.as_deref(),
        };
        describe(&identity, self.between, &self.settings)
    }
}

fn note(gap: Gap, gaps: &mut Vec<Gap>) -> Gap {
    gaps.push(gap.clone());
    gap
}

/// By whose rules the counters go: MariaDB says its name in its version.
fn counting(version: &str) -> Counting {
    let old_mysql = version.starts_with("5.5.") || version.starts_with("5.6.");
    if version.contains("MariaDB") || old_mysql { Counting::MariaDb } else { Counting::MySql }
}

/// The level with the least room left: the server or the account. The server has one session more than
/// `max_connections`, for an administrator.
fn least_room(row: &Row, connected: u64) -> Result<SessionLimits, Gap> {
    let server = SessionLimits { limit: count(row, "server_limit")? + 1, in_use: connected, reserved: 1 };
    let account = number(row, "account_limit").filter(|limit| *limit > 0).map(i64::unsigned_abs);
    let Some(limit) = account else { return Ok(server) };
    let account = SessionLimits { limit, in_use: count(row, "account_in_use")?, reserved: 0 };
    Ok(if account.free() < server.free() { account } else { server })
}

impl Observer for MysqlObserver {
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async { Ok(self.read_what_answered().await) })
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
        Box::pin(async { Ok(self.reading().await?.troubles(self.counting)) })
    }

    fn source(&self) -> String {
        let logins = match self.counting {
            Counting::MariaDb => "Connections - (Aborted_connects - Connection_errors_max_connections)",
            Counting::MySql => "Connections - Aborted_connects",
        };
        format!("global status ({logins}), {}", self.whose.source())
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { Self::close(*self).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    #[test]
    fn the_least_room_counts_and_one_session_is_the_administrators() {
        for (account, in_use, expected) in
            [("0", "5", (101, 20, 1)), ("30", "5", (30, 5, 0)), ("6", "5", (6, 5, 0)), ("200", "5", (101, 20, 1))]
        {
            let row = row(&[("server_limit", "100"), ("account_limit", account), ("account_in_use", in_use)]);
            let (limit, in_use, reserved) = expected;
            assert_eq!(least_room(&row, 20).expect("complete"), SessionLimits { limit, in_use, reserved });
        }
        assert!(least_room(&row(&[]), 20).is_err());
    }

    #[test]
    fn whose_rules() {
        for (version, expected) in [
            ("10.11.19-MariaDB-0+deb12u1", Counting::MariaDb),
            ("5.5.5-10.4.12-MariaDB", Counting::MariaDb),
            ("5.6.51", Counting::MariaDb),
            ("5.7.44-log", Counting::MySql),
            ("8.4.3", Counting::MySql),
        ] {
            assert_eq!(counting(version), expected, "{version}");
        }
    }
}
