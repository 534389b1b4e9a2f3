//! What this account may read, asked before it is read.
//!
//! A newcomer would try and see. MariaDB counts each statement it denies in `Access_denied_errors`, where the failed
//! logins are counted too: trying would look like somebody guessing a password.

use peaje_model::{Fact, Gap};

use super::session::{Row, Session, text};
use super::{OWN_GRANTS, RIGHTS, facts, quote_account};

/// A view of the performance schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Program names and client processes.
    Attributes,
    /// Sessions, and whether they are encrypted.
    Threads,
    /// Logins of each account.
    Accounts,
    /// Hosts whose connections went wrong.
    HostCache,
    /// What the server has allocated.
    Memory,
}

impl View {
    /// Its table.
    pub(super) fn table(self) -> &'static str {
        match self {
            View::Attributes => "session_connect_attrs",
            View::Threads => "threads",
            View::Accounts => "accounts",
            View::HostCache => "host_cache",
            View::Memory => "memory_summary_global_by_event_name",
        }
    }

    /// Its name with its schema.
    pub(super) fn name(self) -> String {
        format!("performance_schema.{}", self.table())
    }
}

/// What this account may read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rights {
    /// Tables of the performance schema; `None` = it could not be asked.
    views: Option<Vec<String>>,
    /// Whether the performance schema is on; `None` = it is not known.
    schema_on: Option<bool>,
    user: String,
}

impl Rights {
    /// Asks for them. `settings` are the global variables.
    pub(super) async fn read(session: &mut Session, settings: &[Fact]) -> Self {
        let rows = session.rows(&RIGHTS, "rights").await.ok();
        let schema_on = facts::is_on(settings, "performance_schema");
        Self { views: rows.map(|rows| readable(&rows)), schema_on, user: session.user.clone() }
    }

    /// Whether the performance schema is on; a server that does not say is tried.
    pub(super) fn schema_is_on(&self) -> bool {
        self.schema_on != Some(false)
    }

    /// `Err` with what is missing. Where rights could not be asked, the view is tried.
    pub(super) fn need(&self, view: View) -> Result<(), Gap> {
        if !self.schema_is_on() {
            return Err(Gap {
                what: view.name(),
                why: "performance_schema is off".to_owned(),
                next_step: Some("start the server with performance_schema=ON".to_owned()),
            });
        }
        match &self.views {
            Some(views) if !views.iter().any(|table| table == view.table()) => Err(Gap {
                what: view.name(),
                why: format!("this account has no right to read it: it lacks SELECT on {}", view.name()),
                next_step: Some(format!("grant select on {} to {}", view.name(), quote_account(&self.user))),
            }),
            _ => Ok(()),
        }
    }
}

/// Tables on which the account, its roles or everybody has SELECT.
fn readable(rows: &[Row]) -> Vec<String> {
    let may = |row: &&Row| {
        let rights = text(row, "rights").unwrap_or_default().to_ascii_lowercase();
        rights.split(',').any(|right| right.trim() == "select")
    };
    rows.iter().filter(may).filter_map(|row| text(row, "view_name").map(str::to_ascii_lowercase)).collect()
}

/// Whether the account has the right PROCESS, without which it sees only its own sessions.
pub(super) async fn has_process(session: &mut Session) -> bool {
    let rows = session.rows(&OWN_GRANTS, "the account's own rights").await.unwrap_or_default();
    rows.iter().flat_map(Row::values).flatten().any(|grant| gives_process(grant))
}

/// What is missing without PROCESS.
pub(super) fn no_process(what: &str, user: &str) -> Gap {
    Gap {
        what: what.to_owned(),
        why: "this account sees only its own sessions: it lacks PROCESS".to_owned(),
        next_step: Some(format!("grant process on *.* to {}", quote_account(user))),
    }
}

/// Whether a line of `show grants` gives PROCESS. Names are quoted there, so that a right cannot be taken for a name.
fn gives_process(grant: &str) -> bool {
    let grant = grant.to_ascii_uppercase();
    let Some((rights, _)) = grant.strip_prefix("GRANT ").and_then(|rest| rest.split_once(" ON *.* TO ")) else {
        return false;
    };
    rights.split(',').any(|right| matches!(right.trim(), "PROCESS" | "ALL PRIVILEGES" | "ALL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_is_found_among_rights_and_nowhere_else() {
        for (grant, expected) in [
            ("GRANT PROCESS ON *.* TO `u`@`%`", true),
            ("GRANT SELECT, PROCESS, RELOAD ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*B6'", true),
            ("GRANT ALL PRIVILEGES ON *.* TO 'u'@'%' WITH GRANT OPTION", true),
            ("GRANT PROCESS ON *.* TO PUBLIC", true),
            ("GRANT USAGE ON *.* TO `u`@`%`", false),
            ("GRANT ALL PRIVILEGES ON `shop`.* TO `u`@`%`", false),
            ("GRANT `PROCESS` TO `u`@`%`", false),
            ("GRANT SELECT ON `x ON *.* TO `.`process` TO `u`@`%`", false),
            ("SET DEFAULT ROLE `process` FOR `u`@`%`", false),
        ] {
            assert_eq!(gives_process(grant), expected, "{grant}");
        }
    }

    #[test]
    fn a_view_is_read_only_with_select() {
        let row = |view: &str, rights: &str| -> Row {
            [("view_name", view), ("rights", rights)].map(|(k, v)| (k.to_owned(), Some(v.to_owned()))).into()
        };
        let views = readable(&[row("THREADS", "select,insert"), row("accounts", "insert")]);
        let rights = Rights { views: Some(views), schema_on: Some(true), user: "ann@10.%".to_owned() };
        assert_eq!(rights.need(View::Threads), Ok(()));
        let gap = rights.need(View::Attributes).expect_err("there is no row of it");
        let grant = "grant select on performance_schema.session_connect_attrs to `ann`@`10.%`";
        assert_eq!(gap.next_step.as_deref(), Some(grant));
        assert!(rights.need(View::Accounts).is_err());
        let off = Rights { schema_on: Some(false), ..rights.clone() };
        assert!(off.need(View::Threads).expect_err("it is off").why.contains("is off"));
        assert_eq!(Rights { views: None, ..rights }.need(View::Accounts), Ok(()), "unknown rights are tried");
    }
}
