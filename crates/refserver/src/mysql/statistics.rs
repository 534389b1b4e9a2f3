//! peaje's own questions to the server's counters, answered from what this server really counts.
//!
//! The questions are those that a MySQL is asked (`sql/` of the crate `peaje-mysql`), recognised by their exact text;
//! the answers have the same columns. A newcomer would answer with constants: peaje reconciles its own counts with
//! these.

use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use peaje_mysql::counters::{self, Statement};

use crate::seats::Card;

use super::Shared;
use super::accounts::host;
use super::reply::{Column, Reply};
use super::status::{self, Counting, unix_seconds};
use super::value::{Type, Value};
use super::watch;

/// All of peaje's own questions that are known by their text. The others are statements like those of other clients.
pub(crate) fn questions() -> impl Iterator<Item = &'static Statement> {
    QUESTIONS.iter().chain(watch::QUESTIONS)
}

const QUESTIONS: &[Statement] = &[
    counters::COUNTERS_MARIADB,
    counters::COUNTERS_MYSQL,
    counters::HOST_CACHE,
    counters::LIMITS,
    counters::OWN_SESSIONS,
    counters::OWN_SESSIONS_BY_USER,
    counters::PEER,
    counters::PLUGINS,
    counters::SAMPLE,
    counters::SESSION_MEMORY_MARIADB,
    counters::SESSION_MEMORY_MYSQL,
];

/// The session that asks: it does not count itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) program: &'a str,
    pub(crate) card: &'a Card,
    pub(crate) encrypted: bool,
}

/// Columns of the answer to a question.
pub(crate) fn columns(question: &Statement) -> Vec<Column> {
    if watch::QUESTIONS.contains(question) {
        return watch::columns(question);
    }
    let int = |name: &'static str| Column::new(name, Type::Int);
    let text = |name: &'static str| Column::new(name, Type::Text);
    match question.name {
        "counters_mysql" | "counters_mariadb" => {
            let mut columns = vec![int("now_s"), text("host"), int("port")];
            // Values of status tables are text, and so is the greatest of them.
            columns.extend(["uptime_s", "since_flush_s", "connections", "aborted", "refused", "connected"].map(text));
            columns
        }
        "host_cache" => ["hosts", "blocked", "worst_errors", "name_errors"].map(int).to_vec(),
        "limits" => ["server_limit", "account_limit", "account_in_use"].map(int).to_vec(),
        "peer" => vec![int("session_id"), text("client")],
        "plugins" => ["name", "type"].map(text).to_vec(),
        "sample" => ["sessions", "encrypted"].map(int).to_vec(),
        "session_memory_mariadb" => ["bytes", "sessions", "connected"].map(int).to_vec(),
        "session_memory_mysql" => ["bytes", "counted", "connected"].map(int).to_vec(),
        _ => vec![int("own_sessions")],
    }
}

/// Answers a question about the sessions with this program name.
pub(crate) fn answer(question: &Statement, name: &str, asker: Asker<'_>, shared: &Shared) -> Reply {
    let rows = match question.name {
        _ if watch::QUESTIONS.contains(question) => watch::rows(question, asker, shared),
        "counters_mysql" => vec![read_counters(shared, Counting::MySql)],
        "counters_mariadb" => vec![read_counters(shared, Counting::MariaDb)],
        // Addresses are not looked up, and none is blocked.
        "host_cache" => vec![vec![Value::Int(0); 4]],
        "limits" => {
            let in_use = of_user(asker, shared, |_| true);
            vec![vec![Value::count(shared.session_limit), Value::Int(0), Value::count(in_use)]]
        }
        "peer" => vec![vec![Value::count(asker.card.number), Value::Text(host(&asker.card.who))]],
        "plugins" => {
            let plugin = shared.protocol.account.greeting_plugin().name();
            vec![vec![Value::text(plugin), Value::text("AUTHENTICATION")]]
        }
        "own_sessions_by_user" => {
            vec![vec![Value::count(of_user(asker, shared, |card| card.number > asker.card.number))]]
        }
        "session_memory_mariadb" | "session_memory_mysql" => {
            let sessions = shared.counters.sessions.load(Relaxed);
            let bytes = sessions * shared.options.session_memory;
            let second = if question.name.ends_with("_mysql") { bytes } else { sessions };
            vec![[bytes, second, sessions].map(Value::count).to_vec()]
        }
        "own_sessions" => vec![vec![sessions(name, asker, shared).0]],
        _ => {
            let (sessions, encrypted) = sessions(name, asker, shared);
            vec![vec![sessions, encrypted]]
        }
    };
    Reply::Rows { columns: columns(question), rows }
}

/// Sessions of the user who asks.
fn of_user(asker: Asker<'_>, shared: &Shared, which: impl Fn(&Card) -> bool) -> u64 {
    let all = shared.seats.all();
    all.iter().filter(|card| card.who.user == asker.card.who.user && which(card)).count() as u64
}

/// Sessions with this name, and how many of them are encrypted.
fn sessions(name: &str, asker: Asker<'_>, shared: &Shared) -> (Value, Value) {
    let sample = shared.seats.under(name);
    let itself = u64::from(asker.program == name);
    let itself_encrypted = itself * u64::from(asker.encrypted);
    let count = |all: u64, own: u64| Value::count(all.saturating_sub(own));
    (count(sample.sessions, itself), count(sample.encrypted, itself_encrypted))
}

fn read_counters(shared: &Shared, counting: Counting) -> Vec<Value> {
    let now = unix_seconds(SystemTime::now());
    let all = status::all(shared, None, now, counting);
    let find = |name: &str| {
        let found = all.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.show());
        found.map_or(Value::Null, Value::text)
    };
    let mut row = vec![Value::count(now), Value::text(super::HOST_NAME), Value::Int(shared.port.into())];
    row.extend(
        [
            "Uptime",
            "Uptime_since_flush_status",
            "Connections",
            "Aborted_connects",
            "Connection_errors_max_connections",
            "Threads_connected",
        ]
        .map(find),
    );
    row
}
