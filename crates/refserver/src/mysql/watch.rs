//! What peaje's watching session asks, answered from what this server counts and who is logged in.
//!
//! A newcomer would leave out the logins that are not decided yet. The real servers list them as sessions of nobody,
//! and count them among the connections.

use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use peaje_mysql::counters::{self, Statement, quote_account};

use crate::seats::{Card, Doing, unix_us};

use super::Shared;
use super::accounts::{Accounts, Logins, address, host};
use super::reply::Column;
use super::statistics::Asker;
use super::status::{self, Counting, unix_seconds};
use super::value::{Type, Value};

/// Questions answered here.
pub(super) const QUESTIONS: &[Statement] = &[
    counters::RIGHTS,
    counters::OWN_GRANTS,
    counters::WATCH_COUNTERS_MARIADB,
    counters::WATCH_COUNTERS_MYSQL,
    counters::WATCH_PROCESSLIST_MARIADB,
    counters::WATCH_PROCESSLIST,
    counters::WATCH_THREADS,
    counters::WATCH_CONNECTION_TYPES,
    counters::WATCH_ATTRIBUTES,
    counters::WATCH_TRANSACTIONS,
    counters::WATCH_FAILURES_MARIADB,
    counters::WATCH_FAILURES_MYSQL,
    counters::WATCH_USER_STATISTICS,
    counters::WATCH_ACCOUNTS,
];

/// Columns of the counters behind the clock: names and the status variables that they show.
const MYSQL: &[(&str, &str)] = &[
    ("uptime_s", "Uptime"),
    ("since_flush_s", "Uptime_since_flush_status"),
    ("connections", "Connections"),
    ("aborted", "Aborted_connects"),
    ("refused", "Connection_errors_max_connections"),
    ("abandoned", "Aborted_clients"),
    ("tls", "Ssl_accepts"),
    ("questions", "Questions"),
    ("connected", "Threads_connected"),
    ("running", "Threads_running"),
    ("peak", "Max_used_connections"),
];
const MARIADB: &[(&str, &str)] = &[
    ("uptime_s", "Uptime"),
    ("since_flush_s", "Uptime_since_flush_status"),
    ("connections", "Connections"),
    ("events", "Executed_events"),
    ("aborted", "Aborted_connects"),
    ("unspoken", "Aborted_connects_preauth"),
    ("denied", "Access_denied_errors"),
    ("refused", "Connection_errors_max_connections"),
    ("abandoned", "Aborted_clients"),
    ("tls", "Ssl_accepts"),
    ("questions", "Questions"),
    ("connected", "Threads_connected"),
    ("running", "Threads_running"),
    ("peak", "Max_used_connections"),
];

/// Columns of the answer to a question.
pub(super) fn columns(question: &Statement) -> Vec<Column> {
    let of = |columns: &[(&'static str, Type)]| columns.iter().map(|(name, ty)| Column::new(*name, *ty)).collect();
    let (int, text) = (Type::Int, Type::Text);
    match question.name {
        "rights" => of(&[("view_name", text), ("rights", text)]),
        "own_grants" => of(&[("Grants", text)]),
        "watch_failures_mysql" | "watch_failures_mariadb" => of(&[("aborted", text), ("refused", text)]),
        "watch_counters_mysql" => counters_columns(MYSQL),
        "watch_counters_mariadb" => counters_columns(MARIADB),
        "watch_processlist_mariadb" => of(&[
            ("id", int),
            ("user", text),
            ("host", text),
            ("db", text),
            ("command", text),
            ("time_ms", text),
            ("query_id", int),
        ]),
        "watch_processlist" => {
            of(&[("id", int), ("user", text), ("host", text), ("db", text), ("command", text), ("time_s", int)])
        }
        "watch_threads" => of(&[
            ("id", int),
            ("user", text),
            ("host", text),
            ("db", text),
            ("command", text),
            ("time_s", int),
            ("connection_type", text),
        ]),
        "watch_connection_types" => of(&[("id", int), ("connection_type", text)]),
        "watch_attributes" => of(&[("id", int), ("program", text), ("process", text)]),
        "watch_transactions" => of(&[("id", int)]),
        "watch_user_statistics" => of(&[("user", text), ("logins", int), ("connected_s", int)]),
        _ => of(&[("user", text), ("host", text), ("logins", int)]),
    }
}

fn counters_columns(figures: &[(&'static str, &str)]) -> Vec<Column> {
    let clock = [("now_us", Type::Int), ("now_s", Type::Int), ("server", Type::Text)];
    // Values of status tables are text, and so is the greatest of them.
    let figures = figures.iter().map(|(name, _)| (*name, Type::Text));
    clock.into_iter().chain(figures).map(|(name, ty)| Column::new(name, ty)).collect()
}

/// Rows of the answer to a question.
pub(super) fn rows(question: &Statement, asker: Asker<'_>, shared: &Shared) -> Vec<Vec<Value>> {
    let own = &shared.protocol.accounts;
    let of_others = |row: &dyn Fn(&Card) -> Vec<Value>| -> Vec<Vec<Value>> {
        shared.seats.others(asker.card.number).iter().map(row).collect()
    };
    let of_all =
        |row: &dyn Fn(&Card) -> Vec<Value>| -> Vec<Vec<Value>> { shared.seats.all().iter().map(row).collect() };
    match question.name {
        "rights" => ["accounts", "host_cache", "session_connect_attrs", "threads"]
            .map(|view| vec![Value::text(view), Value::text("select")])
            .to_vec(),
        "own_grants" => {
            let account = quote_account(&format!("{}@%", asker.card.who.user));
            vec![vec![Value::text(format!("GRANT SELECT, PROCESS ON *.* TO {account}"))]]
        }
        "watch_failures_mysql" => vec![failures(Counting::MySql, shared)],
        "watch_failures_mariadb" => vec![failures(Counting::MariaDb, shared)],
        "watch_counters_mysql" => vec![figures(MYSQL, Counting::MySql, shared)],
        "watch_counters_mariadb" => vec![figures(MARIADB, Counting::MariaDb, shared)],
        "watch_processlist_mariadb" => {
            let row = |card: &Card| {
                let milliseconds = Value::text(format!("{}.000", in_state_ms(card)));
                listed(card, host(&card.who), [milliseconds, Value::count(card.requests)])
            };
            with_undecided(of_others(&row), 7, shared)
        }
        "watch_processlist" => {
            let row = |card: &Card| listed(card, host(&card.who), [seconds(card)]);
            with_undecided(of_others(&row), 6, shared)
        }
        "watch_threads" => {
            let row =
                |card: &Card| listed(card, address(&card.who), [seconds(card), Value::text(connection_type(card))]);
            with_undecided(of_others(&row), 7, shared)
        }
        "watch_connection_types" => of_all(&|card| vec![Value::count(card.number), Value::text(connection_type(card))]),
        "watch_attributes" => {
            of_all(&attributes).into_iter().filter(|row| row[1..] != [Value::Null, Value::Null]).collect()
        }
        "watch_transactions" => {
            let all = shared.seats.all();
            all.iter().filter(|card| card.transactions > 0).map(|card| vec![Value::count(card.number)]).collect()
        }
        "watch_user_statistics" => user_statistics(own, &asker.card.who.user),
        _ => accounts(own, asker.card),
    }
}

fn figures(figures: &[(&str, &str)], counting: Counting, shared: &Shared) -> Vec<Value> {
    let now = SystemTime::now();
    let now_us = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    let server = format!("{}:{}", super::HOST_NAME, shared.port);
    let mut row = vec![Value::count(now_us), Value::count(unix_seconds(now)), Value::Text(server)];
    row.extend(variables(figures.iter().map(|(_, variable)| *variable), now, counting, shared));
    row
}

fn failures(counting: Counting, shared: &Shared) -> Vec<Value> {
    let names = ["Aborted_connects", "Connection_errors_max_connections"];
    variables(names.into_iter(), SystemTime::now(), counting, shared)
}

/// Values of status variables, as text.
fn variables<'a>(
    names: impl Iterator<Item = &'a str>,
    now: SystemTime,
    counting: Counting,
    shared: &Shared,
) -> Vec<Value> {
    let all = status::all(shared, None, unix_seconds(now), counting);
    let find = |name: &str| {
        let found = all.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.show());
        found.map_or(Value::Null, Value::text)
    };
    names.map(find).collect()
}

fn listed<const N: usize>(card: &Card, host: String, more: [Value; N]) -> Vec<Value> {
    let database = Some(&card.who.database).filter(|name| !name.is_empty());
    let mut row = vec![
        Value::count(card.number),
        Value::text(&card.who.user),
        Value::Text(host),
        database.map_or(Value::Null, Value::text),
        Value::text(command(card)),
    ];
    row.extend(more);
    row
}

/// What the real server shows as the command of a session.
pub(super) fn command(card: &Card) -> &'static str {
    if card.doing == Doing::Active { "Query" } else { "Sleep" }
}

/// For how long a session has been working or waiting, milliseconds.
pub(super) fn in_state_ms(card: &Card) -> u64 {
    (unix_us(SystemTime::now()) - card.since_us).max(0).cast_unsigned() / 1000
}

/// Adds the logins that are not decided yet. Which connection is whose is not known before: they have no number.
fn with_undecided(mut rows: Vec<Vec<Value>>, width: usize, shared: &Shared) -> Vec<Vec<Value>> {
    let mut undecided = vec![Value::Null; width];
    (undecided[0], undecided[1], undecided[4]) =
        (Value::Int(0), Value::text("unauthenticated user"), Value::text("Connect"));
    let how_many = usize::try_from(shared.counters.logging_in.load(Relaxed)).unwrap_or(0);
    rows.extend(std::iter::repeat_n(undecided, how_many));
    rows
}

fn seconds(card: &Card) -> Value {
    Value::count(in_state_ms(card) / 1000)
}

fn connection_type(card: &Card) -> &'static str {
    if card.who.encrypted { "SSL/TLS" } else { "TCP/IP" }
}

fn attributes(card: &Card) -> Vec<Value> {
    let program = Some(&card.who.program).filter(|program| !program.is_empty());
    let process = card.who.process.map(|process| process.to_string());
    vec![Value::count(card.number), program.map_or(Value::Null, Value::text), process.map_or(Value::Null, Value::Text)]
}

/// The session that asks is not among them.
fn accounts(all: &Accounts, asker: &Card) -> Vec<Vec<Value>> {
    let row = |((user, host), logins): ((String, String), Logins)| {
        let own = u64::from(user == asker.who.user && host == address(&asker.who));
        vec![Value::Text(user), Value::Text(host), Value::count(logins.total.saturating_sub(own))]
    };
    all.all().into_iter().map(row).collect()
}

fn user_statistics(all: &Accounts, asker: &str) -> Vec<Vec<Value>> {
    let mut users: std::collections::BTreeMap<String, (u64, u64)> = std::collections::BTreeMap::new();
    for ((user, _), logins) in all.all() {
        let sum = users.entry(user).or_default();
        *sum = (sum.0 + logins.total, sum.1 + logins.connected_ms);
    }
    let row = |(user, (logins, connected_ms)): (String, (u64, u64))| {
        let own = u64::from(user == asker);
        vec![Value::Text(user), Value::count(logins.saturating_sub(own)), Value::count(connected_ms / 1000)]
    };
    users.into_iter().map(row).collect()
}
