//! What `peaje watch` reads, again and again: of a server, or of PgBouncer's console.
//!
//! A newcomer would read the sessions first and the counter afterwards: who logs in in between would be counted as
//! somebody who has left.

mod account;
pub(super) mod balance;
mod sessions;
pub(super) mod sums;
#[cfg(test)]
mod tests;

use std::time::Duration;

use peaje_engine::{
    Failure, Observer, ServerIdentity, SessionLimits, Snapshot, WatchCounters, WatchOptions, WatchReading, Watcher,
    Watching,
};
use peaje_model::{Fact, Gap, WhatAnswered};

use self::account::{Account, COUNTS_LOGINS};
use self::balance::Balance;
use self::sessions::OpenSessions;
use self::sums::{Continuity, OnFall, Sums};
use super::console::ConsoleWatcher;
use super::failure::Refusal;
use super::{ObserverOptions, PgObserver, WATCH_SETTLE};
use crate::config::Config;

/// Up to this version a separate process collects the counters.
const COUNTED_AT_ONCE: u32 = 150_000;
/// By then it has: more than its interval of 500 ms.
const COLLECTOR_PAUSE: Duration = Duration::from_millis(600);

/// Logs in and finds out what there is to watch: a server, or PgBouncer's console (database `pgbouncer`).
pub async fn open_watcher(config: &Config, options: &WatchOptions) -> Result<Box<dyn Watcher>, Failure> {
    let observed = ObserverOptions {
        ssl_mode: config.ssl_mode,
        application_name: options.program_name.clone(),
        endpoint: None,
        skip: Vec::new(),
    };
    let observer = PgObserver::connect_as(config, &observed, &options.program_name).await?;
    match observer.console.clone() {
        Some(console) => Ok(Box::new(ConsoleWatcher::new(observer.session, console, options.sessions))),
        None => Ok(Box::new(PgWatcher::begin(observer, options.sessions).await?)),
    }
}

/// Watches a PostgreSQL.
struct PgWatcher {
    observer: PgObserver,
    snapshot: Snapshot,
    identity: Option<ServerIdentity>,
    sums: Sums<u32, 3>,
    balance: Balance,
    /// This session's own login, where the sums contain it.
    own_logins: u64,
    /// Statements this session had sent when the counters began anew.
    sent_at_origin: u64,
    requests: u64,
}

impl PgWatcher {
    async fn begin(observer: PgObserver, snapshot: Snapshot) -> Result<Self, Failure> {
        let watcher = Self {
            observer,
            snapshot,
            identity: None,
            sums: Sums::new(OnFall::StartAnew),
            balance: Balance::default(),
            own_logins: 1,
            sent_at_origin: 0,
            requests: 0,
        };
        watcher.settle().await?;
        Ok(watcher)
    }

    /// Waits until the server has counted this session's login. Sessions of a version that counts at once may still do
    /// it up to ten seconds late, when many log in at the same time.
    async fn settle(&self) -> Result<(), Failure> {
        match self.observer.server_version_num() {
            0..COUNTS_LOGINS => {}
            COUNTS_LOGINS..COUNTED_AT_ONCE => tokio::time::sleep(COLLECTOR_PAUSE).await,
            _ => {
                let settled = self.observer.session.ask(&WATCH_SETTLE, "own login").await;
                if let Err(Refusal::Lost(failure)) = settled {
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self) -> Result<WatchReading, Failure> {
        let version = self.observer.server_version_num();
        let sent = self.observer.session.sent();
        let account = Account::read(&self.observer.session, version).await?;
        let open = sessions::read(&self.observer.session, self.snapshot).await?;
        let identity = self.identify(&account, sent).await?;
        let counters = WatchCounters { since_us: account.since_us(), ..self.count(version, sent, &open) };
        let OpenSessions { rows, mut gaps, .. } = open;
        gaps.extend(not_counted(version));
        Ok(WatchReading { identity, server_clock_us: account.clock_us, counters, sessions: rows, gaps })
    }

    /// Adds the counters up, and says which server and which origin they belong to.
    async fn identify(&mut self, account: &Account, sent: u64) -> Result<ServerIdentity, Failure> {
        // Something between may pass this session on to another server.
        let same = self.identity.take().filter(|known| known.started_us == Some(account.started_us));
        let first = !self.sums.has_begun();
        if same.is_none() {
            self.sums.forget();
        }
        let continuity = self.sums.take(account.databases.clone());
        let identity = match (same, continuity) {
            (Some(same), Continuity::Continued) => same,
            (same, _) => {
                self.begin_anew(sent, first);
                let origin = account.origin(same.as_ref().map(|known| known.origin.as_str()));
                let name = match same {
                    Some(same) => same.name,
                    None => account::name(&self.observer.session).await?,
                };
                ServerIdentity { name, started_us: Some(account.started_us), origin }
            }
        };
        Ok(self.identity.insert(identity).clone())
    }

    fn begin_anew(&mut self, sent: u64, first: bool) {
        self.balance = Balance::default();
        // After a reset it is in no counter any more.
        self.own_logins = u64::from(first);
        self.sent_at_origin = sent;
        self.requests = 0;
    }

    fn count(&mut self, version: u32, sent: u64, open: &OpenSessions) -> WatchCounters {
        let [requests, logins, ends] = self.sums.totals();
        self.requests = self.requests.max(requests.saturating_sub(sent - self.sent_at_origin));
        let mut counters = WatchCounters {
            requests_total: Some(self.requests),
            sessions: open.open,
            active: open.active,
            ..WatchCounters::default()
        };
        if version < COUNTS_LOGINS {
            return counters;
        }
        let logins = logins.saturating_sub(self.own_logins);
        counters.abandoned_total = Some(ends);
        counters.logins_total = Some(logins);
        if let Some(sessions) = open.open.filter(|_| open.exact) {
            let (logins, logouts) = self.balance.take(logins, sessions);
            counters.logins_total = Some(logins);
            counters.logouts_total = Some(logouts);
        }
        counters
    }
}

/// What this server never counts.
fn not_counted(version: u32) -> Vec<Gap> {
    let mut gaps = vec![Gap {
        what: "failed logins".to_owned(),
        why: "PostgreSQL does not count them".to_owned(),
        next_step: Some("count the FATAL lines of its log".to_owned()),
    }];
    if version < COUNTS_LOGINS {
        gaps.push(Gap {
            what: "logins".to_owned(),
            why: "this server does not count logins: PostgreSQL does since version 14".to_owned(),
            next_step: Some("count the `connection authorized` lines of the log (log_connections)".to_owned()),
        });
    }
    gaps
}

impl Watcher for PgWatcher {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        self.observer.what_answered()
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        self.observer.limits()
    }

    fn facts(&mut self) -> Watching<'_, (Vec<Fact>, Vec<Gap>)> {
        self.observer.facts()
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(self.take())
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(self.observer.close())
    }
}
