//! What statements are answered with: rows, errors, changes of the session, and the DONE tokens that close them.
//!
//! A newcomer would close each statement with a DONE. A `set` has none of its own: drivers expect a batch of them to be
//! answered by a single one.

use peaje_sqlserver::protocol::token::{Done, DoneKind, EnvChange, done, write};
use peaje_sqlserver::protocol::types::{Column, TypeInfo, Value, id};

use super::message::{SqlError, notice};

/// Number of SELECT in a DONE.
const SELECT: u16 = 0xc1;
/// Number of a procedure's end.
const PROCEDURE: u16 = 0xe0;

/// What a statement returned.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Nothing to say.
    Nothing,
    /// A setting of the session has changed.
    Change(EnvChange),
    /// The database has changed, which is said twice.
    Database { new: String, old: String },
    /// Rows.
    Rows { columns: Vec<Column>, rows: Vec<Vec<Value>> },
    /// Columns of rows that are not sent (a statement that is only prepared).
    Columns(Vec<Column>),
}

/// Whose statements are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Batch,
    Procedure,
}

impl Place {
    fn kind(self) -> DoneKind {
        match self {
            Place::Batch => DoneKind::Statement,
            Place::Procedure => DoneKind::InProcedure,
        }
    }
}

/// The column of a value that is never null.
pub(super) fn int_column(name: &str) -> Column {
    let ty = TypeInfo { id: id::INT4, size: 4, precision: 0, scale: 0, collation: [0; 5] };
    Column::new(name, ty)
}

/// The tokens of the answer to `select 1`.
pub(super) fn select_one() -> Vec<u8> {
    let reply = Reply::Rows { columns: vec![int_column("")], rows: vec![vec![Value::Int(1)]] };
    let mut out = Vec::new();
    batch(&mut out, &[reply], None, done::FINAL);
    out
}

/// Appends the answer to a batch. `state` is the bit that says whether a transaction is open.
pub(super) fn batch(out: &mut Vec<u8>, replies: &[Reply], error: Option<&SqlError>, state: u16) {
    let closed = statements(out, replies, Place::Batch, state, error.is_some());
    if let Some(error) = error {
        error.write(out);
        write::done(out, &Done { kind: DoneKind::Statement, status: done::ERROR | state, command: 0, rows: 0 });
    } else if !closed {
        write::done(out, &Done { kind: DoneKind::Statement, status: done::FINAL | state, command: 0, rows: 0 });
    }
}

/// Appends the answer to a procedure, up to its return status; what else it returns follows.
pub(super) fn procedure_body(out: &mut Vec<u8>, replies: &[Reply], error: Option<&SqlError>, state: u16) {
    statements(out, replies, Place::Procedure, state, true);
    if let Some(error) = error {
        error.write(out);
    }
    write::return_status(out, error.map_or(0, |error| error.0.number));
}

/// Appends the end of a procedure.
pub(super) fn procedure_end(out: &mut Vec<u8>, more: bool, failed: bool, state: u16) {
    let mut status = state;
    status |= if more { done::MORE } else { done::FINAL };
    status |= if failed { done::ERROR } else { 0 };
    write::done(out, &Done { kind: DoneKind::Procedure, status, command: PROCEDURE, rows: 0 });
}

/// Appends the statements' own tokens. Returns whether the last one has closed the answer.
fn statements(out: &mut Vec<u8>, replies: &[Reply], place: Place, state: u16, more_follows: bool) -> bool {
    let mut closed = false;
    for (n, reply) in replies.iter().enumerate() {
        let last = n + 1 == replies.len() && !more_follows;
        closed = last && matches!(reply, Reply::Rows { .. });
        match reply {
            Reply::Nothing => {}
            Reply::Change(change) => write::env_change(out, change),
            Reply::Database { new, old } => {
                write::env_change(out, &EnvChange::Database { new: new.clone(), old: old.clone() });
                notice(out, 5701, 1, format!("Changed database context to '{new}'."));
            }
            Reply::Columns(columns) => write::col_metadata(out, columns),
            Reply::Rows { columns, rows } => {
                write::col_metadata(out, columns);
                for row in rows {
                    write::row(out, columns, row);
                }
                let more = if last { done::FINAL } else { done::MORE };
                let status = done::COUNT | more | state;
                let rows = rows.len() as u64;
                write::done(out, &Done { kind: place.kind(), status, command: SELECT, rows });
            }
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use peaje_sqlserver::protocol::token::{Rows, Token, TokenReader};

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Token> {
        let mut reader = TokenReader::new(Rows::Keep { bytes: 1000 });
        reader.push(bytes);
        std::iter::from_fn(|| reader.next_token().unwrap()).collect()
    }

    fn ends(tokens: &[Token]) -> Vec<(DoneKind, u16)> {
        let end = |token: &Token| match token {
            Token::Done(done) => Some((done.kind, done.status)),
            _ => None,
        };
        tokens.iter().filter_map(end).collect()
    }

    #[test]
    fn settings_alone_are_answered_by_one_end() {
        let mut out = Vec::new();
        batch(&mut out, &[Reply::Nothing, Reply::Nothing], None, 0);
        assert_eq!(ends(&read(&out)), [(DoneKind::Statement, done::FINAL)]);
    }

    #[test]
    fn only_the_last_end_is_final() {
        let one = || Reply::Rows { columns: vec![int_column("")], rows: vec![vec![Value::Int(1)]] };
        let mut out = Vec::new();
        batch(&mut out, &[one(), one()], None, done::IN_TRANSACTION);
        let count = done::COUNT | done::IN_TRANSACTION;
        assert_eq!(ends(&read(&out)), [(DoneKind::Statement, count | done::MORE), (DoneKind::Statement, count)]);

        out.clear();
        batch(&mut out, &[one(), Reply::Nothing], None, 0);
        let expected = [(DoneKind::Statement, done::COUNT), (DoneKind::Statement, done::FINAL)];
        let found = ends(&read(&out));
        assert_eq!((found[0].1 & done::MORE, found[1]), (done::MORE, expected[1]));

        out.clear();
        batch(&mut out, &[one()], Some(&SqlError::unknown()), 0);
        assert_eq!(ends(&read(&out)).last(), Some(&(DoneKind::Statement, done::ERROR)));
    }

    #[test]
    fn a_procedure_ends_after_its_statements() {
        let mut out = Vec::new();
        procedure_body(&mut out, &[Reply::Rows { columns: vec![int_column("")], rows: Vec::new() }], None, 0);
        procedure_end(&mut out, false, false, 0);
        let tokens = read(&out);
        assert!(tokens.contains(&Token::ReturnStatus(0)));
        let expected = [(DoneKind::InProcedure, done::COUNT | done::MORE), (DoneKind::Procedure, done::FINAL)];
        assert_eq!(ends(&tokens), expected);
    }
}
