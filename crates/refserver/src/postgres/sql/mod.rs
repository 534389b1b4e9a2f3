//! The few statements this server can answer. Everything else is an error that says so.

mod cursor;
mod expression;
mod function;
mod lex;
mod own;
mod statement;

pub(crate) use function::{Context, no_setting};
pub(crate) use statement::{Scope, Statement, Transaction, parse, parse_one};
