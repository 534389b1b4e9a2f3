//! The sessions that are open now.

use peaje_engine::{Apart, Failure, SessionRow, SessionState, Snapshot};
use peaje_model::Gap;

use crate::counters::failure::{Refusal, grant};
use crate::counters::session::Session;
use crate::counters::table::{Column, Line, Table};
use crate::counters::{WATCH_SESSION_COUNT, WATCH_SESSIONS};

/// Roles of the agents that managed services run beside a database.
const SERVICE_ROLES: [&str; 4] = ["rdsadmin", "azuresu", "cloudsqladmin", "alloydbadmin"];

/// Open sessions, as far as they can be seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OpenSessions {
    /// Sessions of clients. Where some are hidden, server processes that cannot be told from them are among them.
    pub(super) open: Option<u64>,
    /// At work now.
    pub(super) active: Option<u64>,
    /// All of them, one by one.
    pub(super) rows: Option<Vec<SessionRow>>,
    /// Whether `open` counts clients only, so that logouts can be derived from it.
    pub(super) exact: bool,
    pub(super) gaps: Vec<Gap>,
}

pub(super) async fn read(session: &Session, snapshot: Snapshot) -> Result<OpenSessions, Failure> {
    let statement = match snapshot {
        Snapshot::Sessions => WATCH_SESSIONS,
        Snapshot::CountersOnly => WATCH_SESSION_COUNT,
    };
    match session.ask(&statement, "open sessions").await {
        Ok(table) if snapshot == Snapshot::Sessions => Ok(of_rows(&table, &session.role)),
        Ok(table) => Ok(of_counts(&table, &session.role)),
        Err(Refusal::Refused(gap)) => Ok(OpenSessions { gaps: vec![gap], ..OpenSessions::default() }),
        Err(Refusal::Lost(failure)) => Err(failure),
    }
}

struct Columns {
    pid: Column,
    opened_us: Column,
    user: Column,
    application: Column,
    host: Column,
    database: Column,
    state: Column,
    since_us: Column,
    used: Column,
    kind: Column,
    ssl: Column,
}

impl Columns {
    fn of(table: &Table) -> Self {
        let find = |name| table.column(&[name]);
        Self {
            pid: find("pid"),
            opened_us: find("opened_us"),
            user: find("usename"),
            application: find("application_name"),
            host: find("host"),
            database: find("datname"),
            state: find("state"),
            since_us: find("since_us"),
            used: find("used"),
            kind: find("backend_type"),
            ssl: find("ssl"),
        }
    }

    /// A session whose details may be seen.
    fn row(&self, line: Line<'_>) -> Option<SessionRow> {
        let text = |column| line.text(column).unwrap_or_default().to_owned();
        let kind = line.text(self.kind)?;
        let mut row = SessionRow {
            id: line.number(self.pid)?,
            opened_us: line.number(self.opened_us)?,
            user: text(self.user),
            application: text(self.application),
            host: text(self.host),
            database: text(self.database),
            // The server does not know which process of its host a client is.
            process: None,
            state: state(line.text(self.state).unwrap_or_default()),
            since_us: line.number(self.since_us),
            used: line.truth(self.used),
            encrypted: line.truth(self.ssl),
            authentication: None,
            apart: None,
        };
        row.apart = apart(kind, &row);
        Some(row)
    }
}

/// Words of `pg_stat_activity.state`.
fn state(word: &str) -> SessionState {
    match word {
        "active" | "fastpath function call" => SessionState::Active,
        "idle in transaction" | "idle in transaction (aborted)" => SessionState::IdleInTransaction,
        _ => SessionState::Idle,
    }
}

fn apart(kind: &str, row: &SessionRow) -> Option<Apart> {
    if kind == "walsender" {
        return Some(Apart::Replication);
    }
    if row.application == "peaje" || row.application.starts_with("peaje ") {
        return Some(Apart::Peaje);
    }
    SERVICE_ROLES.contains(&row.user.as_str()).then_some(Apart::ServerAgent)
}

fn of_rows(table: &Table, role: &str) -> OpenSessions {
    let columns = Columns::of(table);
    let (mut rows, mut hidden, mut untold) = (Vec::new(), 0, 0);
    for line in table.lines() {
        match columns.row(line) {
            Some(row) => rows.push(row),
            None => hidden += 1,
        }
        untold += u64::from(line.text(columns.state) == Some("disabled"));
    }
    let clients = rows.iter().filter(|row| row.apart != Some(Apart::Replication));
    let active = clients.clone().filter(|row| row.state == SessionState::Active).count() as u64;
    let mut found = with_gaps(clients.count() as u64, active, untold, hidden, role);
    found.rows = (hidden == 0).then_some(rows);
    found
}

fn of_counts(table: &Table, role: &str) -> OpenSessions {
    let columns = ["sessions", "active", "untold", "hidden"].map(|name| table.column(&[name]));
    let counts = table.lines().next().map(|line| columns.map(|column| line.number(column)));
    match counts {
        Some([Some(sessions), Some(active), Some(untold), Some(hidden)]) => {
            with_gaps(sessions, active, untold, hidden, role)
        }
        _ => OpenSessions::default(),
    }
}

fn with_gaps(seen: u64, active: u64, untold: u64, hidden: u64, role: &str) -> OpenSessions {
    let mut gaps = Vec::new();
    if hidden > 0 {
        gaps.push(Gap {
            what: "sessions of other roles".to_owned(),
            // No number: a gap that changes with each reading would be written down with each.
            why: "their details are hidden from this role".to_owned(),
            next_step: Some(grant("pg_read_all_stats", role)),
        });
    }
    if untold > 0 {
        gaps.push(Gap {
            what: "sessions at work".to_owned(),
            why: "some do not tell what they do (track_activities is off)".to_owned(),
            next_step: Some("set track_activities = on".to_owned()),
        });
    }
    OpenSessions {
        open: Some(seen + hidden),
        active: (hidden == 0 && untold == 0).then_some(active),
        rows: None,
        exact: hidden == 0,
        gaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states() {
        for (word, expected) in [
            ("active", SessionState::Active),
            ("fastpath function call", SessionState::Active),
            ("idle", SessionState::Idle),
            ("idle in transaction", SessionState::IdleInTransaction),
            ("idle in transaction (aborted)", SessionState::IdleInTransaction),
            ("disabled", SessionState::Idle),
        ] {
            assert_eq!(state(word), expected, "{word}");
        }
    }

    #[test]
    fn who_is_no_client() {
        let row = |user: &str, application: &str| SessionRow {
            id: 1,
            opened_us: 0,
            user: user.to_owned(),
            application: application.to_owned(),
            host: String::new(),
            database: String::new(),
            process: None,
            state: SessionState::Idle,
            since_us: None,
            used: None,
            encrypted: None,
            authentication: None,
            apart: None,
        };
        for (kind, user, application, expected) in [
            ("client backend", "ana", "peajero", None),
            ("client backend", "ana", "peaje", Some(Apart::Peaje)),
            ("client backend", "ana", "peaje CHG1", Some(Apart::Peaje)),
            ("client backend", "rdsadmin", "", Some(Apart::ServerAgent)),
            ("walsender", "ana", "peaje", Some(Apart::Replication)),
        ] {
            assert_eq!(apart(kind, &row(user, application)), expected, "{kind} {user} {application}");
        }
    }
}
