//! Answers to what `peaje watch` asks: cumulative counters and the sessions that are open.
//!
//! They keep PostgreSQL's order: a session is in the list before it is counted, and is counted before it leaves it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use crate::seats::{Card, Doing, unix_us};

use super::Shared;
use super::session::process_id;
use super::statistics::{Asker, count, text};
use super::value::{Type, Value};

/// Columns of the answer.
pub(super) fn columns(question: &str) -> &'static [(&'static str, Type)] {
    match question {
        "watch_settle" => &[("pg_stat_force_next_flush", Type::VOID)],
        "watch_identity" => &[("system_identifier", Type::INT8)],
        "watch_address" => &[("address", Type::TEXT), ("port", Type::TEXT), ("cluster", Type::TEXT)],
        "watch_sessions" => &[
            ("pid", Type::INT4),
            ("opened_us", Type::INT8),
            ("usename", Type::NAME),
            ("application_name", Type::TEXT),
            ("host", Type::TEXT),
            ("datname", Type::NAME),
            ("state", Type::TEXT),
            ("since_us", Type::INT8),
            ("used", Type::BOOL),
            ("backend_type", Type::TEXT),
            ("ssl", Type::BOOL),
        ],
        "watch_session_count" => {
            &[("sessions", Type::INT8), ("active", Type::INT8), ("untold", Type::INT8), ("hidden", Type::INT8)]
        }
        _ => &[
            ("clock_us", Type::INT8),
            ("started_us", Type::INT8),
            ("cleared_us", Type::INT8),
            ("databases", Type::TEXT),
        ],
    }
}

/// The answer itself.
pub(super) fn rows(question: &str, asker: Asker<'_>, shared: &Shared) -> Vec<Vec<Value>> {
    let others = || shared.seats.others(asker.identity.number);
    match question {
        "watch_settle" => vec![vec![text("")]],
        // A server that forgets everything when it stops is another one when it starts.
        "watch_identity" => vec![vec![Value::Int(unix_us(shared.started))]],
        "watch_address" => {
            let address = shared.options.listen.ip().to_string();
            vec![vec![Value::Text(address), Value::Text(shared.port.to_string()), text("")]]
        }
        "watch_sessions" => others().iter().map(session).collect(),
        "watch_session_count" => {
            let others = others();
            let active = others.iter().filter(|entry| entry.doing == Doing::Active).count();
            vec![vec![count(others.len() as u64), count(active as u64), Value::Int(0), Value::Int(0)]]
        }
        "watch_requests" => vec![counters(&format!("1:0:{}", transactions(shared)), shared)],
        _ => {
            let logins = shared.counters.logins.load(Relaxed);
            let ends = shared.counters.sessions_ended.load(Relaxed) + shared.protocol.abandoned.load(Relaxed);
            vec![counters(&format!("1:0:{}:{logins}:{ends}", transactions(shared)), shared)]
        }
    }
}

fn transactions(shared: &Shared) -> u64 {
    shared.protocol.transactions.load(Relaxed)
}

fn counters(databases: &str, shared: &Shared) -> Vec<Value> {
    let started = unix_us(shared.started);
    vec![Value::Int(unix_us(SystemTime::now())), Value::Int(started), Value::Int(started), text(databases)]
}

fn session(card: &Card) -> Vec<Value> {
    let who = &card.who;
    let state = match card.doing {
        Doing::Idle => "idle",
        Doing::Active => "active",
        Doing::InTransaction => "idle in transaction",
        Doing::InFailedTransaction => "idle in transaction (aborted)",
    };
    vec![
        Value::Int(process_id(card.number, card.process).into()),
        Value::Int(card.opened_us),
        text(&who.user),
        text(&who.program),
        who.client.map_or(Value::Null, |client| Value::Text(client.ip().to_string())),
        text(&who.database),
        text(state),
        Value::Int(card.since_us),
        Value::Bool(card.requests > 0),
        text("client backend"),
        Value::Bool(who.encrypted),
    ]
}
