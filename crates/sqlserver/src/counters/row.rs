//! A row of an answer, by column name, its values as text.

use std::collections::HashMap;

/// A row: values by column name, `None` = null.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row(HashMap<String, Option<String>>);

impl Row {
    /// A row of these columns.
    pub(super) fn new(columns: impl Iterator<Item = (String, Option<String>)>) -> Self {
        Self(columns.collect())
    }

    /// A value as text; `None` = null, or no such column.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column)?.as_deref()
    }

    /// A value that must be a number.
    pub(super) fn number(&self, column: &str) -> Option<i64> {
        self.text(column)?.parse().ok()
    }

    /// A count.
    pub(super) fn count(&self, column: &str) -> Option<u64> {
        self.text(column)?.parse().ok()
    }

    #[cfg(test)]
    pub(super) fn of(pairs: &[(&str, &str)]) -> Self {
        Self::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))))
    }
}
