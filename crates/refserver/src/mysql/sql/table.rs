//! `select` from tables of names and values: the status counters and the system variables.

use super::super::reply::SqlError;
use super::cursor::Cursor;
use super::expression::Scope;
use super::filter::Filter;
use super::statement::{Statement, alias};

/// Tables of names and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Status(Scope),
    Variables(Scope),
}

/// A column of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableColumn {
    pub(crate) source: NameOrValue,
    pub(crate) name: String,
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameOrValue {
    Name,
    Value,
}

/// `select variable_name, variable_value from performance_schema.global_status …`; `None` = another select.
pub(super) fn select(cursor: &mut Cursor<'_>) -> Result<Option<Statement>, SqlError> {
    let Some(columns) = columns(cursor) else { return Ok(None) };
    let schema = cursor.name()?;
    cursor.expect('.')?;
    let table = cursor.name()?;
    let known = |name: &str| schema.eq_ignore_ascii_case(name);
    if !known("performance_schema") && !known("information_schema") {
        return Err(SqlError::unknown());
    }
    let table = match table.to_lowercase().as_str() {
        "global_status" => Table::Status(Scope::Global),
        "session_status" => Table::Status(Scope::Session),
        "global_variables" => Table::Variables(Scope::Global),
        "session_variables" => Table::Variables(Scope::Session),
        _ => return Err(SqlError::unknown()),
    };
    let filter = Filter::parse(cursor)?;
    cursor.expect_end()?;
    Ok(Some(Statement::FromTable { columns, table, filter }))
}

/// Columns up to and including `from`.
fn columns(cursor: &mut Cursor<'_>) -> Option<Vec<TableColumn>> {
    let column = |source, name: String| TableColumn { source, name };
    let mut columns = Vec::new();
    if cursor.take('*') {
        columns.push(column(NameOrValue::Name, "VARIABLE_NAME".to_owned()));
        columns.push(column(NameOrValue::Value, "VARIABLE_VALUE".to_owned()));
        return cursor.take_word("from").then_some(columns);
    }
    loop {
        let start = cursor.place();
        let source = match cursor.name().ok()?.to_lowercase().as_str() {
            "variable_name" => NameOrValue::Name,
            "variable_value" => NameOrValue::Value,
            _ => return None,
        };
        let text = cursor.text_since(start).to_owned();
        columns.push(column(source, alias(cursor).ok()?.unwrap_or(text)));
        if cursor.take_word("from") {
            return Some(columns);
        }
        if !cursor.take(',') {
            return None;
        }
    }
}
