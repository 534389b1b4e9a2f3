//! The few statements this server knows: from text to what is meant. No I/O.

mod cursor;
mod expression;
mod filter;
mod lex;
mod own;
mod set;
mod statement;
mod table;

pub(crate) use expression::{Context, Expression, Scope};
pub(crate) use filter::Filter;
pub(crate) use set::{Assignment, Target};
pub(crate) use statement::{Shown, Statement, Transaction, parse, parse_one};
pub(crate) use table::{NameOrValue, Table};
