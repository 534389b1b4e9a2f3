//! What is worth keeping of a PgBouncer beside its counters: settings, and its sessions with the servers.

use peaje_model::{Fact, FactValue, Gap};

use super::clients::CONSOLE;
use super::times::{ConsoleClock, Shown};
use crate::counters::failure::Refusal;
use crate::counters::session::Session;
use crate::counters::table::{Line, Table};
use crate::counters::{CONSOLE_CONFIG, CONSOLE_DATABASES, CONSOLE_POOLS, CONSOLE_SERVERS, Statement};

/// Settings that decide who waits and how often a server is logged in to.
const SETTINGS: [&str; 19] = [
    "auth_type",
    "client_idle_timeout",
    "client_login_timeout",
    "client_tls_sslmode",
    "default_pool_size",
    "listen_backlog",
    "max_client_conn",
    "max_db_connections",
    "max_user_connections",
    "min_pool_size",
    "pool_mode",
    "query_wait_timeout",
    "reserve_pool_size",
    "reserve_pool_timeout",
    "server_connect_timeout",
    "server_idle_timeout",
    "server_lifetime",
    "server_login_retry",
    "server_tls_sslmode",
];

/// Databases whose pool sizes are kept; a machine of a thousand tenants would fill the run file.
const MOST_DATABASES: usize = 50;

/// Server sessions by state.
const SERVER_STATES: [&str; 7] =
    ["sv_active", "sv_idle", "sv_used", "sv_tested", "sv_login", "sv_active_cancel", "sv_being_canceled"];

pub(super) async fn read(session: &Session, clock: &ConsoleClock, now_us: i64) -> (Vec<Fact>, Vec<Gap>) {
    let (mut facts, mut gaps) = (Vec::new(), Vec::new());
    let mut add = |answer: Result<Table, Gap>, of: &dyn Fn(&Table) -> Vec<Fact>| match answer {
        Ok(table) => facts.extend(of(&table)),
        Err(gap) => gaps.push(gap),
    };
    add(ask(session, &CONSOLE_CONFIG, "PgBouncer's settings").await, &settings);
    add(ask(session, &CONSOLE_DATABASES, "PgBouncer's databases").await, &databases);
    add(ask(session, &CONSOLE_POOLS, "PgBouncer's pools").await, &pools);
    add(ask(session, &CONSOLE_SERVERS, "PgBouncer's server sessions").await, &|table| servers(table, clock, now_us));
    (facts, gaps)
}

/// A lost session is a gap here: the next reading notices it too.
pub(super) async fn ask(session: &Session, statement: &Statement, what: &str) -> Result<Table, Gap> {
    session.ask(statement, what).await.map_err(|refusal| match refusal {
        Refusal::Refused(gap) => gap,
        Refusal::Lost(failure) => Gap { what: what.to_owned(), why: failure.words(), next_step: failure.hint },
    })
}

fn fact(name: impl Into<String>, value: FactValue, unit: Option<&str>, source: &Statement) -> Fact {
    Fact { name: name.into(), value, unit: unit.map(str::to_owned), source: source.text(""), at: None }
}

fn count(name: impl Into<String>, n: u64, unit: Option<&str>, source: &Statement) -> Fact {
    fact(name, FactValue::Number(n as f64), unit, source)
}

/// A setting by its name, as text.
pub(super) fn setting<'a>(config: &'a Table, name: &str) -> Option<&'a str> {
    let [key, value] = ["key", "value"].map(|name| config.column(&[name]));
    config.lines().find(|line| line.text(key) == Some(name)).and_then(|line| line.text(value))
}

fn settings(config: &Table) -> Vec<Fact> {
    let typed = |text: &str| text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Number);
    let unit = |name: &str| {
        let seconds = name.ends_with("_timeout") || name == "server_lifetime" || name == "server_login_retry";
        seconds.then_some("s")
    };
    SETTINGS
        .iter()
        .filter_map(|name| Some(fact(*name, typed(setting(config, name)?), unit(name), &CONSOLE_CONFIG)))
        .collect()
}

fn databases(table: &Table) -> Vec<Fact> {
    let columns = ["name", "pool_size"].map(|name| table.column(&[name]));
    let of = |line: Line<'_>| {
        let name = line.text(columns[0]).filter(|name| *name != CONSOLE)?;
        Some(count(format!("pool_size of {name}"), line.number(columns[1])?, None, &CONSOLE_DATABASES))
    };
    table.lines().filter_map(of).take(MOST_DATABASES).collect()
}

fn pools(table: &Table) -> Vec<Fact> {
    let sum = |name: &str| pool_sum(table, name).unwrap_or(0);
    let wait_s = longest_wait_us(table) as f64 / 1e6;
    let servers = SERVER_STATES.iter().map(|state| sum(state)).sum();
    vec![
        count("server_sessions", servers, None, &CONSOLE_POOLS),
        count("server_sessions_lent", sum("sv_active"), None, &CONSOLE_POOLS),
        count("server_sessions_logging_in", sum("sv_login"), None, &CONSOLE_POOLS),
        count("clients_waiting", sum("cl_waiting"), None, &CONSOLE_POOLS),
        fact("longest_wait", FactValue::Number(wait_s), Some("s"), &CONSOLE_POOLS),
    ]
}

/// A column of the pools, added up without the console's own pool.
pub(super) fn pool_sum(table: &Table, column: &str) -> Option<u64> {
    let columns = ["database", column].map(|name| table.column(&[name]));
    columns[1].exists().then(|| {
        let clients = table.lines().filter(|line| line.text(columns[0]) != Some(CONSOLE));
        clients.filter_map(|line| line.number::<u64>(columns[1])).sum()
    })
}

/// How long the client has waited that waits longest.
fn longest_wait_us(table: &Table) -> u64 {
    let columns = ["maxwait", "maxwait_us"].map(|name| table.column(&[name]));
    let wait = |line: Line<'_>| {
        let [seconds, rest] = columns.map(|column| line.number::<u64>(column).unwrap_or(0));
        seconds * 1_000_000 + rest
    };
    table.lines().map(wait).max().unwrap_or(0)
}

fn servers(table: &Table, clock: &ConsoleClock, now_us: i64) -> Vec<Fact> {
    let columns = ["connect_time", "tls"].map(|name| table.column(&[name]));
    let opened = |line: Line<'_>| Shown::parse(line.text(columns[0])?).map(|shown| clock.absolute(shown));
    let mut ages: Vec<i64> = table.lines().filter_map(opened).map(|opened| (now_us - opened).max(0)).collect();
    ages.sort_unstable();
    let mut facts = Vec::new();
    let mut age = |name: &str, age: Option<&i64>| {
        facts.extend(age.map(|us| fact(name, FactValue::Number((us / 1_000_000) as f64), Some("s"), &CONSOLE_SERVERS)));
    };
    age("server_session_age_median", ages.get(ages.len() / 2));
    age("server_session_age_highest", ages.last());
    if columns[1].exists() {
        let encrypted = table.lines().filter(|line| line.text(columns[1]).is_some_and(|tls| !tls.is_empty()));
        facts.push(count("server_sessions_encrypted", encrypted.count() as u64, None, &CONSOLE_SERVERS));
    }
    facts
}
