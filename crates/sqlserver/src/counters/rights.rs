//! Which rights the observing login has, and which one a statement needs.
//!
//! A newcomer would wait for the server's error. Many views answer without a word to a login that may not see them: they
//! just leave out the rows. Only the rights tell "none" from "none to be seen".

use peaje_model::Gap;

use super::identify::{AZURE_SQL_DATABASE, engine_edition, major_version};
use super::quote_identifier;
use super::row::Row;

/// SQL Server 2022, which splits the right to see states.
const SPLIT_RIGHTS: u32 = 16;

/// A right that a statement needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// Counters, sessions, processors.
    PerformanceState,
    /// Connections and their encryption.
    SecurityState,
    /// Triggers, listeners, Resource Governor.
    Definition,
    /// Audits.
    SecurityDefinition,
}

/// The rights, and how they are called on this server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rights {
    /// `None` = they could not be read: statements are tried.
    row: Option<Row>,
    azure: bool,
    split: bool,
    login: String,
}

impl Rights {
    /// From the rows of `rights.sql` and `server.sql`.
    pub(super) fn new(row: Option<Row>, server: &Row, login: &str) -> Self {
        let azure = engine_edition(server) == Some(AZURE_SQL_DATABASE);
        let split = major_version(server).is_some_and(|major| major >= SPLIT_RIGHTS);
        Self { row, azure, split, login: login.to_owned() }
    }

    /// Whether a statement that needs this right can be trusted to see everything.
    pub(super) fn has(&self, right: Right) -> bool {
        let Some(row) = &self.row else { return true };
        let one_of = |names: &[&str]| names.iter().any(|name| row.number(name) == Some(1));
        match right {
            Right::PerformanceState | Right::SecurityState if self.azure => {
                one_of(&["view_database_state", "view_server_state"])
            }
            Right::PerformanceState => one_of(&["view_server_state", "view_server_performance_state"]),
            Right::SecurityState => one_of(&["view_server_state", "view_server_security_state"]),
            Right::Definition => one_of(&["view_any_definition"]),
            Right::SecurityDefinition => one_of(&["view_any_definition", "view_any_security_definition"]),
        }
    }

    /// The right's name here.
    pub(super) fn name(&self, right: Right) -> &'static str {
        match right {
            Right::PerformanceState | Right::SecurityState if self.azure => "VIEW DATABASE STATE",
            Right::PerformanceState if self.split => "VIEW SERVER PERFORMANCE STATE",
            Right::SecurityState if self.split => "VIEW SERVER SECURITY STATE",
            Right::PerformanceState | Right::SecurityState => "VIEW SERVER STATE",
            Right::SecurityDefinition if self.split => "VIEW ANY SECURITY DEFINITION",
            Right::Definition | Right::SecurityDefinition => "VIEW ANY DEFINITION",
        }
    }

    /// The statement that gives it.
    pub(super) fn grant(&self, right: Right) -> String {
        format!("grant {} to {}", self.name(right).to_lowercase(), quote_identifier(&self.login))
    }

    /// What is missing without it.
    pub(super) fn gap(&self, what: &str, right: Right) -> Gap {
        let why = format!("this login has no right to see it: it lacks {}", self.name(right));
        Gap { what: what.to_owned(), why, next_step: Some(self.grant(right)) }
    }

    /// `Err` with the gap when the right is missing.
    pub(super) fn need(&self, what: &str, right: Right) -> Result<(), Gap> {
        if self.has(right) { Ok(()) } else { Err(self.gap(what, right)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rights(pairs: &[(&str, &str)], version: &str, edition: &str) -> Rights {
        let server = Row::of(&[("product_version", version), ("engine_edition", edition)]);
        Rights::new(Some(Row::of(pairs)), &server, "o]brien")
    }

    #[test]
    fn each_missing_right_has_its_name_on_its_version() {
        for (version, edition, right, expected) in [
            ("15.0.4", "3", Right::PerformanceState, "grant view server state to [o]]brien]"),
            ("15.0.4", "3", Right::SecurityState, "grant view server state to [o]]brien]"),
            ("16.0.1", "3", Right::PerformanceState, "grant view server performance state to [o]]brien]"),
            ("16.0.1", "3", Right::SecurityState, "grant view server security state to [o]]brien]"),
            ("16.0.1", "3", Right::SecurityDefinition, "grant view any security definition to [o]]brien]"),
            ("13.0.1", "2", Right::SecurityDefinition, "grant view any definition to [o]]brien]"),
            ("12.0.2000.8", "5", Right::SecurityState, "grant view database state to [o]]brien]"),
        ] {
            let rights = rights(&[("view_server_state", "0"), ("view_database_state", "0")], version, edition);
            let gap = rights.need("x", right).expect_err("it is missing");
            assert_eq!(gap.next_step.as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_narrow_right_is_enough_for_its_own_views() {
        let narrow = rights(&[("view_server_state", "0"), ("view_server_performance_state", "1")], "16.0.1", "3");
        assert!(narrow.has(Right::PerformanceState) && !narrow.has(Right::SecurityState));
        let wide = rights(&[("view_server_state", "1")], "16.0.1", "3");
        assert!(wide.has(Right::PerformanceState) && wide.has(Right::SecurityState) && !wide.has(Right::Definition));
        let azure = rights(&[("view_database_state", "1")], "12.0.2000.8", "5");
        assert!(azure.has(Right::SecurityState));
        assert!(Rights::new(None, &Row::default(), "ann").has(Right::Definition), "unknown rights are tried");
    }
}
