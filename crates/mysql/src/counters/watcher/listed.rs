//! A row of a list of sessions: `information_schema.processlist` or `performance_schema.threads`.

use peaje_engine::Apart;

use super::super::session::{Row, text, unsigned};

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) id: u64,
    pub(super) user: String,
    /// Host or address; empty over a local socket.
    pub(super) host: String,
    pub(super) database: String,
    /// Whether somebody connected for it: a thread of the server's own is listed, too, and is no connection.
    pub(super) is_connection: bool,
    /// Whether it waits for a statement.
    pub(super) sleeps: bool,
    /// For how long it has been in its state, microseconds.
    pub(super) for_us: i64,
    /// Number of its last statement, on MariaDB.
    pub(super) statement: Option<u64>,
    /// Whether it is encrypted, where the list tells it.
    pub(super) encrypted: Option<bool>,
    pub(super) apart: Option<Apart>,
}

/// What the server calls whoever has not logged in yet.
const NOBODY: &str = "unauthenticated user";
/// What it calls its own threads of replication.
const ITSELF: &str = "system user";

impl Listed {
    /// Reads a row. `None` = it is no session: an attempt to log in, a login that is not quite over, or a thread of the
    /// server that comes and goes.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let id = unsigned(row, "id")?;
        let user = text(row, "user").unwrap_or_default();
        let command = text(row, "command").unwrap_or_default();
        let apart = apart(user, command);
        if apart.is_none() && (user.is_empty() || user == NOBODY || command == "Connect") {
            return None;
        }
        let connection = text(row, "connection_type");
        Some(Self {
            id,
            user: user.to_owned(),
            host: host(text(row, "host").unwrap_or_default(), connection).to_owned(),
            database: text(row, "db").unwrap_or_default().to_owned(),
            is_connection: apart.is_none() || command.starts_with("Binlog Dump"),
            sleeps: command == "Sleep",
            for_us: for_us(row),
            statement: unsigned(row, "query_id"),
            encrypted: connection.and_then(is_encrypted),
            apart,
        })
    }
}

/// Whether a kind of connection is an encrypted one; `None` = it says nothing yet.
pub(super) fn is_encrypted(connection_type: &str) -> Option<bool> {
    (!connection_type.is_empty()).then_some(connection_type == "SSL/TLS")
}

fn apart(user: &str, command: &str) -> Option<Apart> {
    match (user, command) {
        ("event_scheduler" | "mysql.session" | "mariadb.sys", _) | (_, "Daemon") => Some(Apart::ServerAgent),
        (ITSELF, _) => Some(Apart::Replication),
        (_, command) if command.starts_with("Binlog Dump") || command.starts_with("Slave") => Some(Apart::Replication),
        (_, "Register Slave" | "Group Replication" | "Clone") => Some(Apart::Replication),
        _ => None,
    }
}

/// The list of processes has `host:port`, and the bare `localhost` for a socket; that of threads has the host alone.
fn host<'a>(shown: &'a str, connection: Option<&str>) -> &'a str {
    match connection {
        Some("Socket") => "",
        Some(_) => shown,
        None => shown.rsplit_once(':').map_or(if shown == "localhost" { "" } else { shown }, |(host, _)| host),
    }
}

/// MariaDB tells milliseconds with three more digits behind the point, others whole seconds.
fn for_us(row: &Row) -> i64 {
    let milliseconds = text(row, "time_ms").and_then(|t| t.parse::<f64>().ok()).map(|ms| ms * 1e3);
    let seconds = || text(row, "time_s").and_then(|t| t.parse::<f64>().ok()).map(|s| s * 1e6);
    // The server's clock may have been set back: then the time is negative.
    milliseconds.or_else(seconds).unwrap_or(0.0).max(0.0) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    fn listed(pairs: &[(&str, &str)]) -> Listed {
        Listed::of(&row(pairs)).expect("it is a session")
    }

    #[test]
    fn a_session_of_either_list() {
        let process = listed(&[
            ("id", "7"),
            ("user", "shop"),
            ("host", "10.0.0.7:50123"),
            ("db", "orders"),
            ("command", "Sleep"),
            ("time_ms", "1002.272"),
            ("query_id", "88"),
        ]);
        assert_eq!((process.host.as_str(), process.for_us, process.sleeps), ("10.0.0.7", 1_002_272, true));
        assert_eq!((process.statement, process.encrypted, process.apart), (Some(88), None, None));
        let thread = [
            ("id", "7"),
            ("user", "shop"),
            ("host", "db.example"),
            ("command", "Query"),
            ("time_s", "3"),
            ("connection_type", "SSL/TLS"),
        ];
        let thread = listed(&thread);
        assert_eq!((thread.host.as_str(), thread.for_us, thread.encrypted), ("db.example", 3_000_000, Some(true)));
        assert!(!thread.sleeps && thread.database.is_empty());
    }

    #[test]
    fn hosts() {
        for (shown, connection, expected) in [
            ("localhost", None, ""),
            ("localhost:4711", None, "localhost"),
            ("::1:4711", None, "::1"),
            ("localhost", Some("Socket"), ""),
            ("localhost", Some("TCP/IP"), "localhost"),
            ("fe80::7", Some("SSL/TLS"), "fe80::7"),
        ] {
            assert_eq!(host(shown, connection), expected, "{shown} {connection:?}");
        }
    }

    #[test]
    fn who_is_no_client() {
        let entry = |user: &str, command: &str| Listed::of(&row(&[("id", "7"), ("user", user), ("command", command)]));
        for (user, command, expected, is_connection) in [
            ("system user", "Slave_SQL", Some(Apart::Replication), false),
            ("system user", "Connect", Some(Apart::Replication), false),
            ("repl", "Binlog Dump", Some(Apart::Replication), true),
            ("repl", "Binlog Dump GTID", Some(Apart::Replication), true),
            ("event_scheduler", "Daemon", Some(Apart::ServerAgent), false),
            ("", "Daemon", Some(Apart::ServerAgent), false),
            ("shop", "Query", None, true),
        ] {
            let listed = entry(user, command).expect("it is listed");
            assert_eq!((listed.apart, listed.is_connection), (expected, is_connection), "{user} {command}");
        }
        for (user, command) in [
            ("unauthenticated user", "Connect"),
            ("", "Connect"),
            ("unauthenticated user", "Killed"),
            // An event, or a login that is not quite over.
            ("shop", "Connect"),
        ] {
            assert_eq!(entry(user, command), None, "{user} {command}");
        }
        assert_eq!(Listed::of(&row(&[("user", "shop")])), None);
    }
}
