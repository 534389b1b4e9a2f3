//! Clients of PgBouncer, one by one.

use std::collections::{HashMap, HashSet};

use peaje_engine::{Apart, SessionRow, SessionState};

use super::times::{ConsoleClock, Shown};
use crate::counters::table::{Column, Line, Table};

/// The database that is the console itself: who is there is no client of a server.
pub(super) const CONSOLE: &str = "pgbouncer";

/// How a pool lends its server sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lending {
    /// To a client until it leaves: whether it is at work, the console does not say.
    ForASession,
    /// For a transaction or a statement: who has one is at work.
    WhileAtWork,
}

/// Pools by database and user.
pub(super) type Pools = HashMap<(String, String), Lending>;

pub(super) fn pools(table: &Table) -> Pools {
    let [database, user, mode] = ["database", "user", "pool_mode"].map(|name| table.column(&[name]));
    let text = |line: Line<'_>, column| line.text(column).unwrap_or_default().to_owned();
    let lending = |line: Line<'_>| match line.text(mode) {
        Some("transaction" | "statement") => Lending::WhileAtWork,
        _ => Lending::ForASession,
    };
    table.lines().map(|line| ((text(line, database), text(line, user)), lending(line))).collect()
}

/// Clients that are logged in.
#[derive(Debug, Default)]
pub(super) struct Clients {
    pub(super) rows: Vec<SessionRow>,
    /// How many of them are at work; not known where sessions are lent as a whole.
    pub(super) active: Option<u64>,
}

struct Columns {
    database: Column,
    user: Column,
    state: Column,
    address: Column,
    port: Column,
    connected: Column,
    requested: Column,
    pointer: Column,
    number: Column,
    link: Column,
    process: Column,
    tls: Column,
    application: Column,
}

impl Columns {
    fn of(table: &Table) -> Self {
        let find = |name| table.column(&[name]);
        Self {
            database: find("database"),
            user: find("user"),
            state: find("state"),
            address: find("addr"),
            port: find("port"),
            connected: find("connect_time"),
            requested: find("request_time"),
            pointer: find("ptr"),
            number: find("id"),
            link: find("link"),
            process: find("remote_pid"),
            tls: find("tls"),
            application: find("application_name"),
        }
    }

    /// Its own number; else its place in memory and its port, which nobody else has at the same time.
    fn id(&self, line: Line<'_>) -> Option<u64> {
        if let Some(number) = line.number(self.number) {
            return Some(number);
        }
        let pointer = u64::from_str_radix(line.text(self.pointer)?.trim_start_matches("0x"), 16).ok()?;
        let port: u64 = line.number(self.port).unwrap_or(0);
        // Addresses have 47 bits and are multiples of 8: this is below 2^62.
        Some((pointer >> 3 & ((1 << 45) - 1)) | (port & 0xffff) << 45)
    }
}

/// When the request was made that this answers.
pub(super) fn own_request(table: &Table) -> Option<Shown<'_>> {
    let columns = Columns::of(table);
    let console = table.lines().filter(|line| line.text(columns.database) == Some(CONSOLE));
    console.filter_map(|line| Shown::parse(line.text(columns.requested)?)).max()
}

pub(super) fn clients(table: &Table, pools: &Pools, clock: &ConsoleClock) -> Clients {
    let columns = Columns::of(table);
    let (mut rows, mut active) = (Vec::new(), Some(0));
    for line in table.lines() {
        let word = line.text(columns.state).unwrap_or_default();
        if line.text(columns.database) == Some(CONSOLE) || word.contains("cancel") || word == "login" {
            continue;
        }
        let Some(mut row) = row(&columns, line, clock) else { continue };
        let linked = line.text(columns.link).is_some_and(|link| !link.is_empty());
        let lending = pools.get(&(row.database.clone(), row.user.clone())).copied();
        let at_work = match lending.unwrap_or(Lending::ForASession) {
            // Its request is held up.
            _ if word == "waiting" => Some(true),
            _ if !linked => Some(false),
            Lending::WhileAtWork => Some(true),
            Lending::ForASession => None,
        };
        row.state = if at_work == Some(true) { SessionState::Active } else { SessionState::Idle };
        active = active.zip(at_work).map(|(sum, at_work)| sum + u64::from(at_work));
        rows.push(row);
    }
    Clients { rows, active }
}

fn row(columns: &Columns, line: Line<'_>, clock: &ConsoleClock) -> Option<SessionRow> {
    let text = |column| line.text(column).unwrap_or_default();
    let time = |column| Shown::parse(line.text(column)?).map(|shown| clock.absolute(shown));
    let application = text(columns.application);
    Some(SessionRow {
        id: columns.id(line)?,
        opened_us: time(columns.connected)?,
        user: text(columns.user).to_owned(),
        application: application.to_owned(),
        host: Some(text(columns.address)).filter(|address| *address != "unix").unwrap_or_default().to_owned(),
        database: text(columns.database).to_owned(),
        // Known of clients on the same machine, over the socket.
        process: line.number(columns.process).filter(|pid| *pid > 0),
        state: SessionState::Idle,
        since_us: time(columns.requested),
        used: None,
        encrypted: columns.tls.exists().then(|| !text(columns.tls).is_empty()),
        authentication: None,
        apart: (application == "peaje" || application.starts_with("peaje ")).then_some(Apart::Peaje),
    })
}

/// Clients that were ever seen, for versions that do not count logins.
#[derive(Debug, Default)]
pub(super) struct Births {
    open: HashSet<(u64, i64)>,
    total: u64,
}

impl Births {
    /// Takes who is there now; gives how many were ever seen.
    pub(super) fn take(&mut self, rows: &[SessionRow]) -> u64 {
        let now: HashSet<_> = rows.iter().map(|row| (row.id, row.opened_us)).collect();
        self.total += now.difference(&self.open).count() as u64;
        self.open = now;
        self.total
    }
}
