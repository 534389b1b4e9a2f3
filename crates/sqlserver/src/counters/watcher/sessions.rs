//! The open sessions from reading to reading.

use std::collections::HashMap;

use peaje_engine::{Apart, SessionRow, SessionState};

use super::super::row::Row;
use super::totals::Clock;

/// What peaje names its own sessions; other names of theirs have a tag behind it.
const PEAJE: &str = "peaje";

/// Beginnings of program names that belong to the server itself, in lower case.
const AGENTS: &[(&str, Apart)] = &[
    ("sqlagent", Apart::ServerAgent),
    ("sqlserverceip", Apart::ServerAgent),
    ("databasemail", Apart::ServerAgent),
    ("sql server data collector", Apart::ServerAgent),
    ("sql server performance investigator", Apart::ServerAgent),
    // Azure's own.
    ("tdservice", Apart::ServerAgent),
    ("metricsdownloader", Apart::ServerAgent),
    ("backupservice", Apart::ServerAgent),
    ("dmvcollector", Apart::ServerAgent),
    ("repl-", Apart::Replication),
    ("replication ", Apart::Replication),
    ("microsoft sql server replication", Apart::Replication),
    ("sql server replication", Apart::Replication),
    ("sql server log shipping", Apart::Replication),
    ("sqllogship", Apart::Replication),
];

/// Sessions of the last reading: the time of each connection as it was first computed. Local times change with the
/// season, and a session is not another one for that.
#[derive(Debug, Default)]
pub(super) struct Roster {
    opened_us: HashMap<(u64, i64), i64>,
}

impl Roster {
    /// The sessions of a reading. Rows without a number or a time of connection are left out: they have just ended.
    pub(super) fn take(&mut self, rows: &[Row], clock: &Clock) -> Vec<SessionRow> {
        let mut before = std::mem::take(&mut self.opened_us);
        let mut sessions = Vec::with_capacity(rows.len());
        for row in rows {
            let Some((id, connected_ms)) = row.count("session_id").zip(row.number("connected_ms")) else { continue };
            let key = (id, connected_ms);
            let opened_us = before.remove(&key).unwrap_or_else(|| clock.utc_us(connected_ms));
            self.opened_us.insert(key, opened_us);
            sessions.push(session(row, id, opened_us, clock));
        }
        sessions
    }
}

fn session(row: &Row, id: u64, opened_us: i64, clock: &Clock) -> SessionRow {
    let text = |column: &str| row.text(column).unwrap_or_default().trim_end().to_owned();
    let application = text("program_name");
    // 1900-01-01 stands for "never".
    let time = |column: &str| row.number(column).filter(|ms| *ms > 0).map(|ms| clock.utc_us(ms));
    let started_us = time("request_started_ms");
    let state = state(&text("status"), row.number("open_transaction_count"));
    let since_us = match state {
        SessionState::Active => started_us,
        SessionState::Idle | SessionState::IdleInTransaction => time("request_ended_ms"),
    };
    SessionRow {
        id,
        opened_us,
        user: text("login_name"),
        host: Some(text("host_name")).filter(|name| !name.is_empty()).unwrap_or_else(|| text("client_net_address")),
        database: text("database_name"),
        process: row.count("host_process_id").filter(|pid| *pid > 0),
        state,
        since_us: Some(since_us.unwrap_or(opened_us).max(opened_us)),
        used: row.number("request_started_ms").map(|_| started_us.is_some()),
        encrypted: row.text("encrypt_option").map(|word| word.trim_end().eq_ignore_ascii_case("true")),
        authentication: row.text("auth_scheme").map(|scheme| scheme.trim_end().to_owned()),
        apart: apart(&application),
        application,
    }
}

/// A `dormant` session has been given back to a pool and waits; everything that is not asleep works.
fn state(status: &str, open_transactions: Option<i64>) -> SessionState {
    match status.to_ascii_lowercase().as_str() {
        "sleeping" | "dormant" if open_transactions.is_some_and(|n| n > 0) => SessionState::IdleInTransaction,
        "sleeping" | "dormant" => SessionState::Idle,
        _ => SessionState::Active,
    }
}

fn apart(application: &str) -> Option<Apart> {
    let name = application.to_ascii_lowercase();
    if name == PEAJE || name.strip_prefix(PEAJE).is_some_and(|rest| rest.starts_with(' ')) {
        return Some(Apart::Peaje);
    }
    AGENTS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, apart)| *apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock { now_us: 1_800_000_000_000_000, ahead_us: 7_200_000_000 };

    fn row(changes: &[(&'static str, &'static str)]) -> Row {
        let mut all = vec![
            ("session_id", "57"),
            ("login_name", "shop"),
            ("program_name", "orders"),
            ("host_name", "WEB1"),
            ("host_process_id", "4711"),
            ("client_net_address", "10.0.0.7"),
            ("database_name", "sales"),
            ("status", "sleeping"),
            ("open_transaction_count", "0"),
            ("encrypt_option", "TRUE"),
            ("auth_scheme", "NTLM"),
            ("connected_ms", "1800007100000"),
            ("request_started_ms", "1800007150000"),
            ("request_ended_ms", "1800007160000"),
        ];
        all.retain(|(name, _)| changes.iter().all(|(other, _)| name != other));
        all.extend(changes);
        Row::of(&all)
    }

    fn one(changes: &[(&'static str, &'static str)]) -> SessionRow {
        Roster::default().take(&[row(changes)], &CLOCK).remove(0)
    }

    #[test]
    fn a_session_in_utc() {
        assert_eq!(
            one(&[]),
            SessionRow {
                id: 57,
                opened_us: 1_799_999_900_000_000,
                user: "shop".to_owned(),
                application: "orders".to_owned(),
                host: "WEB1".to_owned(),
                database: "sales".to_owned(),
                process: Some(4711),
                state: SessionState::Idle,
                since_us: Some(1_799_999_960_000_000),
                used: Some(true),
                encrypted: Some(true),
                authentication: Some("NTLM".to_owned()),
                apart: None,
            }
        );
    }

    #[test]
    fn states_and_never_used_sessions() {
        for (status, transactions, expected) in [
            ("sleeping", "0", SessionState::Idle),
            ("Sleeping", "1", SessionState::IdleInTransaction),
            ("dormant", "0", SessionState::Idle),
            ("running", "1", SessionState::Active),
            ("preconnect", "0", SessionState::Active),
        ] {
            assert_eq!(
                one(&[("status", status), ("open_transaction_count", transactions)]).state,
                expected,
                "{status}"
            );
        }
        let running = one(&[("status", "running")]);
        assert_eq!(running.since_us, Some(1_799_999_950_000_000));
        let never = one(&[("request_started_ms", "-2208988800000"), ("request_ended_ms", "-2208988800000")]);
        assert_eq!((never.used, never.since_us), (Some(false), Some(never.opened_us)));
    }

    #[test]
    fn who_is_no_client() {
        for (program, expected) in [
            ("SQLAgent - TSQL JobStep (Job 0x0A : Step 1)", Some(Apart::ServerAgent)),
            ("SQLServerCEIP", Some(Apart::ServerAgent)),
            ("Repl-LogReader-0-sales-12", Some(Apart::Replication)),
            ("Peaje CHG1", Some(Apart::Peaje)),
            ("peaje", Some(Apart::Peaje)),
            ("peajes of Madrid", None),
            (".Net SqlClient Data Provider", None),
            ("", None),
        ] {
            assert_eq!(one(&[("program_name", program)]).apart, expected, "{program}");
        }
    }

    #[test]
    fn a_session_keeps_its_time_when_the_clock_changes_with_the_season() {
        let mut roster = Roster::default();
        let summer = roster.take(&[row(&[])], &CLOCK);
        let winter = roster.take(&[row(&[])], &Clock { ahead_us: 3_600_000_000, ..CLOCK });
        assert_eq!(winter[0].opened_us, summer[0].opened_us);
        assert!(roster.take(&[row(&[("connected_ms", "")])], &CLOCK).is_empty(), "it has just ended");
        let other = roster.take(&[row(&[("connected_ms", "1800007300000"), ("host_name", "")])], &CLOCK);
        assert_eq!((other[0].opened_us, other[0].host.as_str()), (1_800_000_100_000_000, "10.0.0.7"));
    }
}
