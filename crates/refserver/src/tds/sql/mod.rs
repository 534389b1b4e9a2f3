//! The few statements that this server understands: what drivers send at the start, transactions, and selects without
//! a table.

mod cursor;
mod expression;
mod lex;
mod parse;

#[cfg(test)]
mod tests;

use std::time::Duration;

use peaje_sqlserver::counters::Statement as Question;
use peaje_sqlserver::protocol::types::TypeInfo;

pub(super) use parse::{declarations, parse};

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// A select without a table: one row.
    Select(Vec<Item>),
    /// A question of peaje's observer, with the program name in it.
    Question(&'static Question, String),
    /// `set`, and whatever else is taken without a word.
    Nothing,
    /// `use`.
    Use(String),
    /// Of transactions.
    Transaction(Transaction),
    /// `if @@trancount > 0`, and a statement.
    IfInTransaction(Box<Statement>),
    /// `waitfor delay`.
    Wait(Duration),
}

/// A statement of transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transaction {
    Begin,
    Commit,
    Rollback,
    Save,
}

/// An item of a select.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// Its column's name.
    pub(super) name: String,
    /// Its value.
    pub(super) value: Expression,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Null,
    Int(i64),
    Text(String),
    /// `@name`.
    Variable(String),
    /// `@@name`, or a function, in lower case, with its arguments.
    Function(String, Vec<Expression>),
    /// `cast` and `convert`.
    Cast(Box<Expression>, TypeInfo),
}
