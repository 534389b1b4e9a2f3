//! PgBouncer's console: what its clients do, where the server behind sees only the pooler's own sessions.
//!
//! It speaks simple queries only, and each version has other columns. A newcomer would take its totals for counters:
//! they fall when a pool is freed. The clients' logins are counted only by the newest versions; of the others only
//! those are known whose client was there at a reading.

mod clients;
mod figures;
#[cfg(test)]
mod tests;
mod times;

use peaje_engine::{Failure, ServerIdentity, SessionLimits, Snapshot, WatchCounters, WatchReading, Watcher, Watching};
use peaje_model::{Fact, Gap, WhatAnswered};

use self::clients::{Births, CONSOLE, Clients};
use self::times::{ConsoleClock, now_us};
use super::failure::Refusal;
use super::session::Session;
use super::table::Table;
use super::watcher::balance::Balance;
use super::watcher::sums::{Counts, OnFall, Sums};
use super::{CONSOLE_CLIENTS, CONSOLE_CONFIG, CONSOLE_LISTS, CONSOLE_POOLS, CONSOLE_TOTALS, Statement};

/// Watches a PgBouncer.
pub(super) struct ConsoleWatcher {
    session: Session,
    answered: WhatAnswered,
    snapshot: Snapshot,
    identity: Option<ServerIdentity>,
    clock: ConsoleClock,
    /// Transactions and logins.
    sums: Sums<String, 2>,
    balance: Balance,
    births: Births,
}

/// What a version without a counter of logins leaves unknown.
fn unseen() -> Gap {
    Gap {
        what: "logins of clients that leave between two readings".to_owned(),
        why: "this PgBouncer does not count logins; clients are counted when a reading sees them".to_owned(),
        next_step: Some("shorten the interval, or count the `login attempt` lines of its log".to_owned()),
    }
}

impl ConsoleWatcher {
    pub(super) fn new(session: Session, answered: WhatAnswered, snapshot: Snapshot) -> Self {
        Self {
            session,
            answered,
            snapshot,
            identity: None,
            clock: ConsoleClock::default(),
            sums: Sums::new(OnFall::CountFromZero),
            balance: Balance::default(),
            births: Births::default(),
        }
    }

    async fn ask(&self, statement: &Statement, what: &str) -> Result<Table, Failure> {
        self.session.ask(statement, what).await.map_err(Refusal::fatal)
    }

    async fn take(&mut self) -> Result<WatchReading, Failure> {
        // The counters come before the list, as everywhere.
        let totals = self.ask(&CONSOLE_TOTALS, "PgBouncer's totals").await?;
        let pools = self.ask(&CONSOLE_POOLS, "PgBouncer's pools").await?;
        let counted = totals.column(&LOGIN_COUNTS).exists();
        self.sums.take(by_database(&totals));
        let [requests, logins] = self.sums.totals();
        let mut counters = WatchCounters {
            requests_total: Some(requests),
            waiting: figures::pool_sum(&pools, "cl_waiting"),
            ..WatchCounters::default()
        };
        let mut gaps = Vec::new();
        let (now, clients) = self.clients(&pools).await?;
        counters.sessions = Some(clients.rows.len() as u64);
        counters.active = clients.active;
        if clients.active.is_none() {
            gaps.push(Gap {
                what: "clients at work".to_owned(),
                why: "a pool lends its sessions as a whole (pool_mode = session)".to_owned(),
                next_step: Some("watch the server behind it".to_owned()),
            });
        }
        let open = clients.rows.len() as u64;
        let (logins, logouts) = if counted {
            self.balance.take(logins, open)
        } else {
            gaps.push(unseen());
            let seen = self.births.take(&clients.rows);
            (seen, seen.saturating_sub(open))
        };
        counters.logins_total = Some(logins);
        counters.logouts_total = Some(logouts);
        let identity = self.identify(now).await?;
        let sessions = (self.snapshot == Snapshot::Sessions).then_some(clients.rows);
        Ok(WatchReading { identity, server_clock_us: now, counters, sessions, gaps })
    }

    /// The console's clock, and who is there.
    async fn clients(&mut self, pools: &Table) -> Result<(i64, Clients), Failure> {
        let sent = now_us();
        let table = self.ask(&CONSOLE_CLIENTS, "PgBouncer's clients").await?;
        let now = self.clock.learn(clients::own_request(&table), sent, now_us());
        Ok((now, clients::clients(&table, &clients::pools(pools), &self.clock)))
    }

    /// A PgBouncer has no name of its own and does not tell when it was started, and its figures begin with this
    /// session: another session is another origin.
    async fn identify(&mut self, now: i64) -> Result<ServerIdentity, Failure> {
        if let Some(known) = &self.identity {
            return Ok(known.clone());
        }
        let config = self.ask(&CONSOLE_CONFIG, "PgBouncer's settings").await?;
        let setting = |name| figures::setting(&config, name).unwrap_or_default();
        let name =
            format!("PgBouncer at {}:{} ({})", setting("listen_addr"), setting("listen_port"), setting("conffile"));
        let identity = ServerIdentity { name, started_us: None, origin: format!("watched since {now}") };
        Ok(self.identity.insert(identity).clone())
    }

    async fn room(&self) -> Result<SessionLimits, Gap> {
        let config = figures::ask(&self.session, &CONSOLE_CONFIG, "limit of clients").await?;
        let lists = figures::ask(&self.session, &CONSOLE_LISTS, "limit of clients").await?;
        let limit = figures::setting(&config, "max_client_conn").and_then(|value| value.parse().ok());
        let [list, items] = ["list", "items"].map(|name| lists.column(&[name]));
        let count = |name: &str| {
            lists.lines().find(|line| line.text(list) == Some(name)).and_then(|line| line.number::<u64>(items))
        };
        let in_use = count("used_clients").map(|used| used + count("login_clients").unwrap_or(0));
        match (limit, in_use) {
            (Some(limit), Some(in_use)) => Ok(SessionLimits { limit, in_use, reserved: 0 }),
            _ => Err(Gap {
                what: "limit of clients".to_owned(),
                why: "PgBouncer's answer does not hold it".to_owned(),
                next_step: None,
            }),
        }
    }
}

/// Names of the counter of logins, of versions that have it.
const LOGIN_COUNTS: [&str; 2] = ["client_login_count", "total_client_login_count"];

fn by_database(totals: &Table) -> Vec<Counts<String, 2>> {
    let columns = [
        totals.column(&["database"]),
        totals.column(&["xact_count", "total_xact_count"]),
        totals.column(&LOGIN_COUNTS),
    ];
    let of_clients = totals.lines().filter(|line| line.text(columns[0]) != Some(CONSOLE));
    of_clients
        .map(|line| Counts {
            key: line.text(columns[0]).unwrap_or_default().to_owned(),
            reset: 0,
            values: [columns[1], columns[2]].map(|column| line.number(column).unwrap_or(0)),
        })
        .collect()
}

impl Watcher for ConsoleWatcher {
    fn what_answered(&mut self) -> Watching<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async { Ok(self.answered.clone()) })
    }

    fn limits(&mut self) -> Watching<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.room())
    }

    fn facts(&mut self) -> Watching<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async {
            let now = self.clock.learn(None, now_us(), now_us());
            figures::read(&self.session, &self.clock, now).await
        })
    }

    fn read(&mut self) -> Watching<'_, Result<WatchReading, Failure>> {
        Box::pin(self.take())
    }

    fn close(self: Box<Self>) -> Watching<'static, ()> {
        Box::pin(self.session.close())
    }
}
