//! What peaje's watching session asks, answered from what this server counts and who is logged in. Its clock is in UTC.

use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use peaje_sqlserver::protocol::types::{Column, TypeInfo, Value};

use crate::seats::{Card, Doing, unix_us};
use crate::server::Shared;

use super::reply::Reply;
use super::session::{Session, spid};
use super::views::{Cell, big, int, one_row, started, text};
use super::{Prepared, SERVER_NAME};

/// What the real server shows as the time of a request that never was: 1900-01-01, milliseconds since 1970.
const NEVER_MS: i64 = -2_208_988_800_000;

/// The server's name and clock.
pub(super) fn clock() -> Reply {
    one_row(vec![text("server_name", Some(SERVER_NAME)), number("now_ms", unix_us(SystemTime::now()) / 1000)])
}

/// Logouts are read first, so that there are never more of them than logins.
pub(super) fn counters(shared: &Shared<Prepared>) -> Reply {
    let logouts = shared.protocol.logouts.load(Relaxed);
    let logins = shared.counters.logins.load(Relaxed);
    let now = SystemTime::now();
    let up = now.duration_since(shared.started).unwrap_or_default();
    one_row(vec![
        text("server_name", Some(SERVER_NAME)),
        started(shared),
        big("up_ms", up.as_millis() as u64),
        number("now_ms", unix_us(now) / 1000),
        int("offset_minutes", 0),
        big("logins_total", logins),
        big("logouts_total", logouts),
        big("resets_total", shared.protocol.resets.load(Relaxed)),
        big("user_connections", logins.saturating_sub(logouts)),
        big("batches_total", shared.protocol.batches.load(Relaxed)),
    ])
}

/// The sessions, but for the one that asks.
pub(super) fn sessions(session: &Session<'_>) -> Reply {
    let others = session.shared.seats.others(session.identity.number);
    let (short, name) = (TypeInfo::small_int(), TypeInfo::nvarchar(128));
    let columns = [
        ("session_id", short),
        ("login_name", name),
        ("program_name", name),
        ("host_name", name),
        ("host_process_id", TypeInfo::int()),
        ("client_net_address", name),
        ("database_name", name),
        ("status", name),
        ("open_transaction_count", TypeInfo::int()),
        ("encrypt_option", name),
        ("auth_scheme", name),
        ("connected_ms", TypeInfo::big_int()),
        ("request_started_ms", TypeInfo::big_int()),
        ("request_ended_ms", TypeInfo::big_int()),
    ];
    let columns = columns.into_iter().map(|(name, ty)| Column::new(name, ty)).collect();
    Reply::Rows { columns, rows: others.iter().map(row).collect() }
}

fn row(card: &Card) -> Vec<Value> {
    let who = &card.who;
    let text = |text: &str| Value::Text(text.to_owned());
    let or_null = |name: &str| if name.is_empty() { Value::Null } else { text(name) };
    let (started_ms, ended_ms) = match card.last_request_us {
        None => (NEVER_MS, NEVER_MS),
        Some((started_us, 0)) => (started_us / 1000, NEVER_MS),
        Some((started_us, ended_us)) => (started_us / 1000, ended_us / 1000),
    };
    vec![
        Value::Int(spid(card.number).cast_signed().into()),
        text(&who.user),
        or_null(&who.program),
        or_null(&who.host),
        // The view has a signed number.
        who.process.map_or(Value::Null, |process| Value::Int((process as u32).cast_signed().into())),
        who.client.map_or(Value::Null, |client| Value::Text(client.ip().to_string())),
        text(&who.database),
        text(if card.doing == Doing::Active { "running" } else { "sleeping" }),
        Value::Int(card.transactions.into()),
        text(if who.encrypted { "TRUE" } else { "FALSE" }),
        text("SQL"),
        Value::Int(card.opened_us / 1000),
        Value::Int(started_ms),
        Value::Int(ended_ms),
    ]
}

fn number(name: &'static str, n: i64) -> Cell {
    (name, TypeInfo::big_int(), Value::Int(n))
}
