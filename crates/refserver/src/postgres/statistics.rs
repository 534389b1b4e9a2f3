//! peaje's own questions to the server's statistics, answered from what this server really counts.
//!
//! The questions are those that a PostgreSQL is asked (`sql/` of the crate `peaje-postgres`), recognised by their exact
//! text; the answers have the same columns. A newcomer would answer with constants: peaje reconciles its own counts
//! with these.

use std::sync::atomic::Ordering::Relaxed;
use std::time::UNIX_EPOCH;

use super::Shared;
use super::reply::{Field, Reply};
use super::session::Identity;
use super::settings::SERVER_VERSION_NUM;
use super::value::{Type, Value, micros};
use super::watch;

/// Names of the questions answered here; those that read no table need no answer of their own.
pub(crate) const ANSWERED: [&str; 18] = [
    "server",
    "settings",
    "limits",
    "counters",
    "own_sessions",
    "sample",
    "troubles",
    "login_triggers",
    "hba_rules",
    "session_time",
    "session_memory",
    "watch_settle",
    "watch_identity",
    "watch_address",
    "watch_counters",
    "watch_requests",
    "watch_sessions",
    "watch_session_count",
];

/// Columns of the answer to a question.
pub(crate) fn fields(question: &str) -> Vec<Field> {
    let columns: &[(&'static str, Type)] = match question {
        "settings" => &[("name", Type::TEXT), ("setting", Type::TEXT), ("unit", Type::TEXT), ("vartype", Type::TEXT)],
        "limits" => &[
            ("server_limit", Type::TEXT),
            ("reserved", Type::INT4),
            ("server_in_use", Type::INT8),
            ("database_limit", Type::INT4),
            ("database_in_use", Type::INT8),
            ("role_limit", Type::INT4),
            ("role_in_use", Type::INT8),
            ("superuser", Type::BOOL),
        ],
        "server" => &[
            ("server_version_num", Type::TEXT),
            ("standby", Type::BOOL),
            ("default_read_only", Type::TEXT),
            ("started_at", Type::TIMESTAMPTZ),
            ("database", Type::NAME),
            ("role", Type::NAME),
        ],
        "counters" => &[
            ("sessions", Type::INT8),
            ("own_sessions", Type::INT8),
            ("reset_at", Type::FLOAT8),
            ("started_at", Type::FLOAT8),
        ],
        "own_sessions" => &[("own_sessions", Type::INT8)],
        "sample" => &[("sessions", Type::INT8), ("encrypted", Type::INT8)],
        "troubles" => &[("troubled", Type::INT8), ("counted_s", Type::FLOAT8)],
        "hba_rules" => &[
            ("type", Type::TEXT),
            ("database", Type::TEXT),
            ("user_name", Type::TEXT),
            ("address", Type::TEXT),
            ("auth_method", Type::TEXT),
        ],
        "session_memory" => &[("bytes", Type::INT8), ("open_sessions", Type::INT8)],
        "session_time" => &[("session_time_s", Type::FLOAT8)],
        "login_triggers" => &[("triggers", Type::INT8), ("names", Type::TEXT)],
        watched => watch::columns(watched),
    };
    columns.iter().map(|(name, kind)| Field::new(*name, *kind)).collect()
}

/// The session that asks: it does not count itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) application_name: &'a str,
    pub(crate) identity: &'a Identity,
    pub(crate) encrypted: bool,
}

/// Answers a question about the sessions with this program name.
pub(crate) fn answer(question: &'static str, name: &str, asker: Asker<'_>, shared: &Shared) -> Reply {
    let rows = match question {
        "server" => vec![vec![
            text(SERVER_VERSION_NUM),
            Value::Bool(false),
            text("off"),
            Value::Time(micros(shared.started)),
            text(&asker.identity.database),
            text(&asker.identity.user),
        ]],
        "settings" => settings(shared),
        "limits" => {
            let in_use = count(shared.counters.sessions.load(Relaxed));
            let no_limit = || Value::Int(-1);
            vec![vec![
                Value::Text(shared.session_limit.to_string()),
                Value::Int(0),
                in_use.clone(),
                no_limit(),
                in_use.clone(),
                no_limit(),
                in_use,
                Value::Bool(false),
            ]]
        }
        "counters" => {
            let started = shared.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
            let logins = count(shared.counters.logins.load(Relaxed));
            let (own, _) = sessions(name, asker, shared);
            vec![vec![logins, own, Value::Float(0.0), Value::Float(started)]]
        }
        "own_sessions" => vec![vec![sessions(name, asker, shared).0]],
        "sample" => {
            let (sessions, encrypted) = sessions(name, asker, shared);
            vec![vec![sessions, encrypted]]
        }
        "troubles" => {
            let counted = shared.started.elapsed().unwrap_or_default().as_secs_f64();
            vec![vec![count(shared.counters.failed.load(Relaxed)), Value::Float(counted)]]
        }
        // One rule: everybody, from everywhere, with or without encryption.
        "hba_rules" => vec![["host", "all", "all", "all", shared.options.auth.name()].map(text).to_vec()],
        "session_memory" => {
            vec![vec![count(shared.options.session_memory), count(shared.counters.sessions.load(Relaxed))]]
        }
        "session_time" => vec![vec![Value::Float(shared.seats.session_time_us() as f64 / 1e6)]],
        "login_triggers" => vec![vec![Value::Int(0), Value::Text(String::new())]],
        watched => watch::rows(watched, asker, shared),
    };
    Reply::Rows { tag: "SELECT", fields: fields(question), rows }
}

/// Sessions with this name, and how many of them are encrypted.
fn sessions(name: &str, asker: Asker<'_>, shared: &Shared) -> (Value, Value) {
    let sample = shared.seats.under(name);
    let itself = u64::from(asker.application_name == name);
    let itself_encrypted = itself * u64::from(asker.encrypted);
    (count(sample.sessions.saturating_sub(itself)), count(sample.encrypted.saturating_sub(itself_encrypted)))
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

pub(super) fn count(n: u64) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn settings(shared: &Shared) -> Vec<Vec<Value>> {
    let ssl = if shared.tls.is_some() { "on" } else { "off" };
    let limit = shared.session_limit.to_string();
    let all: [(&str, &str, Option<&str>, &str); 13] = [
        ("authentication_timeout", "60", Some("s"), "integer"),
        ("data_directory", "", None, "string"),
        ("local_preload_libraries", "", None, "string"),
        ("log_connections", "off", None, "bool"),
        ("log_disconnections", "off", None, "bool"),
        ("log_hostname", "off", None, "bool"),
        ("max_connections", &limit, None, "integer"),
        ("password_encryption", "scram-sha-256", None, "enum"),
        ("session_preload_libraries", "", None, "string"),
        ("shared_preload_libraries", "", None, "string"),
        ("ssl", ssl, None, "bool"),
        ("ssl_min_protocol_version", "TLSv1.2", None, "enum"),
        ("superuser_reserved_connections", "0", None, "integer"),
    ];
    all.iter()
        .map(|(name, value, unit, kind)| vec![text(name), text(value), unit.map_or(Value::Null, text), text(kind)])
        .collect()
}
