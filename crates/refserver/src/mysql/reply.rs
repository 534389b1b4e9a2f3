//! What a client is answered with: OK, errors, and rows.

use std::borrow::Cow;

use super::capabilities::Capabilities;
use super::packet::{Writer, put_bytes, put_integer};
use super::value::{Type, Value};

/// State of a session, told with each answer.
pub(crate) mod status {
    /// A transaction is open.
    pub(crate) const IN_TRANSACTION: u16 = 1;
    /// Statements are committed one by one.
    pub(crate) const AUTOCOMMIT: u16 = 2;
    /// Another result follows.
    pub(crate) const MORE_RESULTS: u16 = 8;
}

/// utf8mb4, and no character set at all.
const UTF8MB4: u16 = 45;
const BINARY: u16 = 63;

/// An error; of a statement, the session goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlError {
    pub(crate) code: u16,
    pub(crate) state: &'static str,
    pub(crate) message: String,
}

impl SqlError {
    pub(crate) fn new(code: u16, state: &'static str, message: impl Into<String>) -> Self {
        Self { code, state, message: message.into() }
    }

    /// The statement is none of the few this server can answer.
    pub(crate) fn unknown() -> Self {
        let message = "the reference server does not know this statement: it answers select 1, select @@version, show \
                       variables, set, begin, commit and the like, and is not a database";
        Self::new(1235, "42000", message)
    }

    /// The text is no SQL.
    pub(crate) fn syntax(what: &str) -> Self {
        Self::new(1064, "42000", format!("You have an error in your SQL syntax: {what}"))
    }

    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        writer.packet(|out| {
            out.push(0xff);
            out.extend_from_slice(&self.code.to_le_bytes());
            out.push(b'#');
            out.extend_from_slice(self.state.as_bytes());
            out.extend_from_slice(self.message.as_bytes());
        });
    }

    /// As it is told before the client has said what it understands: without the state.
    pub(crate) fn write_before_login(&self, writer: &mut Writer<'_>) {
        writer.packet(|out| {
            out.push(0xff);
            out.extend_from_slice(&self.code.to_le_bytes());
            out.extend_from_slice(self.message.as_bytes());
        });
    }
}

/// A column: name and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Type,
}

impl Column {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, kind: Type) -> Self {
        Self { name: name.into(), kind }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        let (charset, length) = match self.kind {
            Type::Text => (UTF8MB4, 4 * 1024u32),
            Type::Time => (BINARY, 19),
            Type::Double => (BINARY, 22),
            Type::Int => (BINARY, 20),
            Type::Null => (BINARY, 0),
        };
        writer.packet(|out| {
            put_bytes(out, b"def");
            // Schema, table, and the table's own name: no result comes from a table.
            out.extend_from_slice(&[0, 0, 0]);
            put_bytes(out, self.name.as_bytes());
            put_bytes(out, b"");
            out.push(12);
            out.extend_from_slice(&charset.to_le_bytes());
            out.extend_from_slice(&length.to_le_bytes());
            out.push(self.kind.number());
            let (flags, decimals) = if self.kind == Type::Double { (0u16, 31) } else { (0, 0) };
            out.extend_from_slice(&flags.to_le_bytes());
            out.extend_from_slice(&[decimals, 0, 0]);
        });
    }
}

/// What a statement returned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// Done.
    Done,
    /// Rows.
    Rows { columns: Vec<Column>, rows: Vec<Vec<Value>> },
}

/// How rows travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Answer to a query.
    Text,
    /// Answer to the execution of a prepared statement.
    Binary,
}

impl Reply {
    pub(crate) fn write(&self, writer: &mut Writer<'_>, format: Format, client: Capabilities, status: u16) {
        let Self::Rows { columns, rows } = self else { return ok(writer, status) };
        writer.packet(|out| put_integer(out, columns.len() as u64));
        describe(writer, columns, client, status);
        for row in rows {
            writer.packet(|out| match format {
                Format::Text => row.iter().for_each(|value| value.put_text(out)),
                Format::Binary => put_binary_row(out, columns, row),
            });
        }
        end_of_rows(writer, client, status);
    }
}

/// The descriptions of columns, and their end for clients that want one.
pub(crate) fn describe(writer: &mut Writer<'_>, columns: &[Column], client: Capabilities, status: u16) {
    for column in columns {
        column.write(writer);
    }
    if !client.has(Capabilities::DEPRECATE_EOF) {
        eof(writer, status);
    }
}

fn put_binary_row(out: &mut Vec<u8>, columns: &[Column], row: &[Value]) {
    out.push(0);
    let bits = out.len();
    // The first two bits are reserved.
    out.resize(bits + (row.len() + 2).div_ceil(8), 0);
    for (n, (value, column)) in row.iter().zip(columns).enumerate() {
        if *value == Value::Null {
            out[bits + (n + 2) / 8] |= 1 << ((n + 2) % 8);
        }
        value.put_binary(out, column.kind);
    }
}

/// "OK", nothing changed.
pub(crate) fn ok(writer: &mut Writer<'_>, status: u16) {
    writer.packet(|out| put_ok(out, 0x00, status));
}

fn put_ok(out: &mut Vec<u8>, first: u8, status: u16) {
    // Rows affected, last id; then warnings.
    out.extend_from_slice(&[first, 0, 0]);
    out.extend_from_slice(&status.to_le_bytes());
    out.extend_from_slice(&[0, 0]);
}

/// The old mark of an end.
pub(crate) fn eof(writer: &mut Writer<'_>, status: u16) {
    writer.packet(|out| {
        out.extend_from_slice(&[0xfe, 0, 0]);
        out.extend_from_slice(&status.to_le_bytes());
    });
}

fn end_of_rows(writer: &mut Writer<'_>, client: Capabilities, status: u16) {
    if client.has(Capabilities::DEPRECATE_EOF) {
        writer.packet(|out| put_ok(out, 0xfe, status));
    } else {
        eof(writer, status);
    }
}
