//! Answers to peaje's own questions, from what this server really counts.
//!
//! The questions are those that a SQL Server is asked (`sql/` of the crate `peaje-sqlserver`), recognised by their exact
//! text; the answers have the same columns. A newcomer would answer with constants: peaje reconciles its own counts with
//! these.

use std::sync::atomic::Ordering::Relaxed;

use peaje_sqlserver::protocol::types::{Column, TypeInfo, Value};

use crate::ServerState;
use crate::server::Shared;

use super::evaluate::{EDITION, moment};
use super::message::SqlError;
use super::reply::Reply;
use super::session::Session;
use super::{PRODUCT_VERSION, Prepared, SERVER_NAME, banner, watch};

/// A column with its value in the only row.
pub(super) type Cell = (&'static str, TypeInfo, Value);

/// Questions to views that say no without a right; others leave out what may not be seen.
const NEEDS_SERVER_STATE: [&str; 9] = [
    "peer",
    "machine",
    "counters",
    "sample",
    "session_memory",
    "login_events",
    "azure_limits",
    "watch_counters",
    "watch_sessions",
];

/// Answers a question about the sessions with this program name.
pub(super) fn answer(question: &str, name: &str, session: &Session<'_>) -> Result<Reply, SqlError> {
    let shared = session.shared;
    let hidden = shared.options.sql_server.server_state == ServerState::Hidden;
    if hidden && NEEDS_SERVER_STATE.contains(&question) {
        return Err(SqlError::not_allowed());
    }
    Ok(match question {
        "guard" => Reply::Nothing,
        "server" => one_row(server(session)),
        "version" => one_row(vec![text("version", Some(&banner()))]),
        "rights" => one_row(rights(shared.options.sql_server.server_state)),
        "peer" => one_row(peer(session)),
        "machine" => one_row(vec![
            started(shared),
            int("cpu_count", std::thread::available_parallelism().map_or(1, usize::from) as u64),
            int("max_workers_count", 512),
        ]),
        "settings" => settings(shared),
        "limits" | "azure_limits" => one_row(vec![
            int("max_connections", shared.session_limit),
            big("in_use", shared.counters.sessions.load(Relaxed)),
        ]),
        "counters" => one_row(counters(name, session)),
        "sample" => {
            let (sessions, encrypted) = sessions(name, session);
            one_row(vec![big("sessions", sessions), big("encrypted", encrypted)])
        }
        "session_memory" => {
            let sessions = shared.counters.sessions.load(Relaxed);
            let pages = sessions * shared.options.session_memory / 8192;
            one_row(vec![
                big("sessions", sessions),
                big("session_pages", pages),
                big("connections_kb", 0),
                big("packets_kb", 0),
            ])
        }
        "watch_clock" => watch::clock(),
        "watch_counters" => watch::counters(shared),
        "watch_sessions" => watch::sessions(session),
        "listener" => nothing(&["dns_name", "ip_address", "port"]),
        "logon_triggers" => nothing(&["name"]),
        "login_audits" => nothing(&["name", "audit_action_name", "on_failure_desc"]),
        "login_events" => nothing(&["name", "event_name"]),
        "classifier" => one_row(vec![
            ("is_enabled", TypeInfo::bit(), Value::Bit(false)),
            int("classifier_function_id", 0),
            text("name", None),
        ]),
        "login_audit_level" => registry("AuditLevel", 0),
        "forced_encryption" => registry("ForceEncryption", shared.options.sql_server.force_encryption.into()),
        _ => return Err(SqlError::unknown()),
    })
}

pub(super) fn one_row(cells: Vec<Cell>) -> Reply {
    let columns = cells.iter().map(|(name, ty, _)| Column::new(*name, *ty)).collect();
    Reply::Rows { columns, rows: vec![cells.into_iter().map(|(.., value)| value).collect()] }
}

fn nothing(columns: &[&str]) -> Reply {
    let columns = columns.iter().map(|name| Column::new(*name, TypeInfo::nvarchar(128))).collect();
    Reply::Rows { columns, rows: Vec::new() }
}

fn registry(name: &str, value: u64) -> Reply {
    one_row(vec![text("Value", Some(name)), int("Data", value)])
}

pub(super) fn text(name: &'static str, value: Option<&str>) -> Cell {
    (name, TypeInfo::nvarchar(512), value.map_or(Value::Null, |v| Value::Text(v.to_owned())))
}

pub(super) fn int(name: &'static str, n: u64) -> Cell {
    (name, TypeInfo::int(), Value::Int(i64::try_from(n).unwrap_or(i64::MAX).min(i32::MAX.into())))
}

pub(super) fn big(name: &'static str, n: u64) -> Cell {
    (name, TypeInfo::big_int(), Value::Int(i64::try_from(n).unwrap_or(i64::MAX)))
}

fn null_int(name: &'static str) -> Cell {
    (name, TypeInfo::int(), Value::Null)
}

pub(super) fn started(shared: &Shared<Prepared>) -> Cell {
    ("started_at", TypeInfo::datetime(), moment(shared.started))
}

fn server(session: &Session<'_>) -> Vec<Cell> {
    vec![
        text("version", Some(&banner())),
        text("product_version", Some(PRODUCT_VERSION)),
        text("product_level", Some("RTM")),
        text("product_update_level", None),
        text("edition", Some(EDITION)),
        int("engine_edition", 3),
        int("hadr_enabled", 0),
        int("clustered", 0),
        int("integrated_security_only", 0),
        text("server_name", Some(SERVER_NAME)),
        null_int("rdsadmin"),
        text("database_name", Some(&session.database)),
        text("updateability", Some("READ_WRITE")),
        // There is no hash: passwords are compared as they come.
        null_int("password_hash_algorithm"),
        text("client_net_address", Some(&session.client.ip().to_string())),
        text("local_net_address", Some(&session.shared.options.listen.ip().to_string())),
        text("net_transport", Some("TCP")),
        text("auth_scheme", Some("SQL")),
    ]
}

fn rights(state: ServerState) -> Vec<Cell> {
    let has = u64::from(state == ServerState::Visible);
    [
        "view_server_state",
        "view_server_performance_state",
        "view_server_security_state",
        "view_any_definition",
        "view_any_security_definition",
        "view_database_state",
    ]
    .into_iter()
    .map(|name| int(name, has))
    .collect()
}

fn peer(session: &Session<'_>) -> Vec<Cell> {
    vec![
        text("client_net_address", Some(&session.client.ip().to_string())),
        int("client_tcp_port", session.client.port().into()),
        text("local_net_address", Some(&session.shared.options.listen.ip().to_string())),
        int("local_tcp_port", session.shared.port.into()),
        text("encrypt_option", Some(if session.encrypted { "TRUE" } else { "FALSE" })),
        int("net_packet_size", session.identity.packet_size as u64),
    ]
}

fn settings(shared: &Shared<Prepared>) -> Reply {
    let sessions = shared.options.max_sessions.map_or(0, u64::from);
    let all = [
        ("user connections", sessions),
        ("network packet size (B)", 4096),
        ("remote admin connections", 0),
        ("max worker threads", 0),
        ("contained database authentication", 0),
        ("common criteria compliance enabled", 0),
        ("c2 audit mode", 0),
        ("lightweight pooling", 0),
        ("user options", 0),
    ];
    let columns = vec![Column::new("name", TypeInfo::nvarchar(35)), Column::new("value_in_use", TypeInfo::big_int())];
    let row = |(name, value): (&str, u64)| vec![Value::Text(name.to_owned()), Value::Int(value as i64)];
    Reply::Rows { columns, rows: all.into_iter().map(row).collect() }
}

/// Logouts are read first, so that there are never more of them than logins.
fn counters(name: &str, session: &Session<'_>) -> Vec<Cell> {
    let shared = session.shared;
    let logouts = shared.protocol.logouts.load(Relaxed);
    let logins = shared.counters.logins.load(Relaxed);
    vec![
        started(shared),
        big("own_sessions", sessions(name, session).0),
        big("logins_total", logins),
        big("logouts_total", logouts),
        big("resets_total", shared.protocol.resets.load(Relaxed)),
        big("user_connections", logins.saturating_sub(logouts)),
    ]
}

/// Sessions with this name, and how many of them are encrypted. The session that asks does not count itself.
fn sessions(name: &str, session: &Session<'_>) -> (u64, u64) {
    let sample = session.shared.seats.under(name);
    let itself = u64::from(session.identity.program == name);
    let itself_encrypted = itself * u64::from(session.encrypted);
    (sample.sessions.saturating_sub(itself), sample.encrypted.saturating_sub(itself_encrypted))
}
