//! How an observing or a watching session begins: what answers, what lies between, and what the account may read.

use peaje_engine::SessionLimits;
use peaje_model::{Fact, Gap, WhatAnswered};

use super::arithmetic::{Counting, count};
use super::connect::our_end;
use super::identify::{Between, Identity, compare, describe};
use super::rights::Rights;
use super::session::{Row, Session, number, text};
use super::{
    GUARD_MARIADB, GUARD_MYSQL, LIMITS, MAXSCALE, PEER, PLUGINS, PROXYSQL, READ_ONLY, SETTINGS, Statement, VERSION,
    facts,
};

/// A session whose begin is over.
pub(super) struct Opened {
    pub(super) session: Session,
    pub(super) between: Between,
    pub(super) counting: Counting,
    pub(super) rights: Rights,
    /// Rows of the version statement.
    version: Row,
    pub(super) settings: Vec<Fact>,
    /// What was missing when the session began.
    pub(super) gaps: Vec<Gap>,
}

impl Opened {
    /// Asks what there is to know once. The login is over, and counted by the server.
    pub(super) async fn begin(mut session: Session) -> Self {
        let mut gaps = Vec::new();
        let between = match session.row(&PEER, "the server's view of the connection").await {
            Ok(seen) => compare(&seen, our_end(session.login())),
            Err(_) => Between::Unknown,
        };
        let version = session.row(&VERSION, "version()").await.map_err(|gap| gaps.push(gap)).unwrap_or_default();
        let counting = counting(text(&version, "version").unwrap_or_default());
        if between == Between::Nothing {
            // Without them the client's own limit still holds.
            let guard = if counting == Counting::MariaDb { &GUARD_MARIADB } else { &GUARD_MYSQL };
            let _ = session.rows(guard, "limits of the observing session").await;
            let _ = session.rows(&READ_ONLY, "limits of the observing session").await;
        }
        let (settings, missing) = match session.rows(&SETTINGS, "global variables").await {
            Ok(rows) => facts::settings(&rows),
            Err(gap) => (Vec::new(), vec![gap]),
        };
        gaps.extend(missing);
        let rights = Rights::read(&mut session, &settings).await;
        Self { session, between, counting, rights, version, settings, gaps }
    }

    /// The one of two statements that this server understands.
    pub(super) fn by_server(&self, mariadb: &'static Statement, mysql: &'static Statement) -> &'static Statement {
        match self.counting {
            Counting::MariaDb => mariadb,
            Counting::MySql => mysql,
        }
    }

    /// Room for sessions, of which `connected` are open.
    pub(super) async fn limits(&mut self, connected: u64) -> Result<SessionLimits, Gap> {
        let row = self.session.row(&LIMITS, "connection limits").await?;
        least_room(&row, connected)
    }

    /// Settings and plugins, with what was missing when the session began.
    pub(super) async fn facts(&mut self) -> (Vec<Fact>, Vec<Gap>) {
        let (mut found, mut gaps) = (self.settings.clone(), self.gaps.clone());
        match self.session.rows(&PLUGINS, "information_schema.plugins").await {
            Ok(rows) => found.extend(facts::plugins(&rows)),
            Err(gap) => gaps.push(gap),
        }
        (found, gaps)
    }

    /// What answered.
    pub(super) async fn what_answered(&mut self) -> WhatAnswered {
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
