//! An answer of many rows, read in place: no copy of a value, no map for each row.
//!
//! Columns are found by name once per answer. A newcomer would use their positions: PgBouncer's console adds columns
//! in the middle from version to version.

use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow};

/// Rows of an answer.
#[derive(Debug)]
pub(super) struct Table {
    messages: Vec<SimpleQueryMessage>,
}

/// Where a column is; nowhere, when this version does not have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column(Option<usize>);

/// One row.
#[derive(Clone, Copy)]
pub(super) struct Line<'a>(&'a SimpleQueryRow);

impl Table {
    pub(super) fn new(messages: Vec<SimpleQueryMessage>) -> Self {
        Self { messages }
    }

    /// The first of these names that the answer has.
    pub(super) fn column(&self, names: &[&str]) -> Column {
        let columns = self.messages.iter().find_map(|message| match message {
            SimpleQueryMessage::RowDescription(columns) => Some(columns),
            _ => None,
        });
        let at = |name: &&str| columns?.iter().position(|column| column.name() == *name);
        Column(names.iter().find_map(at))
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(Line(row)),
            _ => None,
        })
    }
}

impl Column {
    /// Whether the answer has it.
    pub(super) fn exists(self) -> bool {
        self.0.is_some()
    }
}

impl<'a> Line<'a> {
    /// The value; `None` = null, or no such column.
    pub(super) fn text(self, column: Column) -> Option<&'a str> {
        self.0.get(column.0?)
    }

    /// The value as a whole number.
    pub(super) fn number<N: std::str::FromStr>(self, column: Column) -> Option<N> {
        self.text(column)?.parse().ok()
    }

    /// The value as a truth value.
    pub(super) fn truth(self, column: Column) -> Option<bool> {
        self.text(column).map(|value| value == "t")
    }
}
