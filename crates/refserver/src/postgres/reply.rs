//! What a statement is answered with.

use std::borrow::Cow;

use peaje_postgres::protocol::backend::{self, Column};

use super::value::{Format, Type, Value};

/// An error of one statement; the session goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlError {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

impl SqlError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// The statement is none of the few this server can answer.
    pub(crate) fn unknown() -> Self {
        Self {
            code: "0A000",
            message: "the reference server does not know this statement".to_owned(),
            hint: Some(
                "It answers select 1, select version(), show, set, begin, commit and the like: it is peaje's reference \
                 server, not a database.",
            ),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        backend::error(out, "ERROR", self.code, &self.message, self.hint);
    }
}

/// A column: name and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Type,
}

impl Field {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, kind: Type) -> Self {
        Self { name: name.into(), kind }
    }
}

/// What a statement returned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The statement was empty.
    Empty,
    /// Done, with its command tag.
    Done(&'static str),
    /// Rows, and the command's word for them (`SELECT` is followed by their number, `SHOW` is not).
    Rows { tag: &'static str, fields: Vec<Field>, rows: Vec<Vec<Value>> },
}

impl Reply {
    /// Writes the rows, if any, and the end of the statement.
    pub(crate) fn write(&self, out: &mut Vec<u8>, formats: &[i16]) -> Result<(), SqlError> {
        self.write_some(out, formats, 0, usize::MAX).map(drop)
    }

    /// Writes at most `limit` rows after the first `sent`, and the end of the statement when they were the last.
    /// Returns how many rows have been sent by now.
    pub(crate) fn write_some(
        &self,
        out: &mut Vec<u8>,
        formats: &[i16],
        sent: usize,
        limit: usize,
    ) -> Result<usize, SqlError> {
        match self {
            Reply::Empty => backend::empty_query(out),
            Reply::Done(tag) => backend::command_complete(out, tag),
            Reply::Rows { tag, fields, rows } => {
                let end = rows.len().min(sent.saturating_add(limit));
                for row in rows.get(sent..end).unwrap_or_default() {
                    write_row(out, fields, row, formats)?;
                }
                match *tag {
                    _ if end < rows.len() => backend::portal_suspended(out),
                    "SELECT" => backend::command_complete(out, &format!("SELECT {}", end - sent.min(end))),
                    tag => backend::command_complete(out, tag),
                }
                return Ok(end);
            }
        }
        Ok(0)
    }
}

fn write_row(out: &mut Vec<u8>, fields: &[Field], row: &[Value], formats: &[i16]) -> Result<(), SqlError> {
    let mut encoded = Vec::with_capacity(row.len());
    for (n, (field, value)) in fields.iter().zip(row).enumerate() {
        encoded.push(value.encode(field.kind, Format::choose(formats, n)?)?);
    }
    let values: Vec<Option<&[u8]>> = encoded.iter().map(Option::as_deref).collect();
    backend::data_row(out, &values);
    Ok(())
}

/// Writes the description of a result; no fields = no result.
pub(crate) fn describe(out: &mut Vec<u8>, fields: &[Field], formats: &[i16]) -> Result<(), SqlError> {
    if fields.is_empty() {
        backend::no_data(out);
        return Ok(());
    }
    let mut columns = Vec::with_capacity(fields.len());
    for (n, field) in fields.iter().enumerate() {
        columns.push(Column {
            name: Cow::Borrowed(&*field.name),
            type_oid: field.kind.0,
            type_size: field.kind.size(),
            format: Format::choose(formats, n)?.code(),
        });
    }
    backend::row_description(out, &columns);
    Ok(())
}
