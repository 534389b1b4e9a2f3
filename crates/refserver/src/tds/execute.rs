//! What statements do to their session, and what they answer.

use std::sync::atomic::Ordering::Relaxed;

use peaje_sqlserver::protocol::types::{Column, Value};

use super::evaluate::{Context, Variable, evaluate};
use super::login::has_database;
use super::message::SqlError;
use super::reply::Reply;
use super::session::Session;
use super::sql::{Item, Statement, parse};
use super::views;

impl Session<'_> {
    /// Runs the statements of a text, up to the first that fails.
    pub(super) fn run_text(&mut self, sql: &str, variables: &[Variable]) -> (Vec<Reply>, Option<SqlError>) {
        let Some(statements) = parse(sql) else { return (Vec::new(), Some(SqlError::unknown())) };
        let mut replies = Vec::with_capacity(statements.len());
        for statement in &statements {
            match self.execute(statement, variables) {
                Ok(reply) => replies.push(reply),
                Err(error) => return (replies, Some(error)),
            }
        }
        (replies, None)
    }

    fn execute(&mut self, statement: &Statement, variables: &[Variable]) -> Result<Reply, SqlError> {
        match statement {
            Statement::Nothing => Ok(Reply::Nothing),
            Statement::Select(items) => self.select(items, variables),
            Statement::Question(question, name) => views::answer(question.name, name, self),
            Statement::Use(name) if !has_database(name) || name.is_empty() => Err(SqlError::no_database(name)),
            Statement::Use(name) => {
                self.listed.set_database(name);
                let old = std::mem::replace(&mut self.database, name.clone());
                Ok(Reply::Database { new: name.clone(), old })
            }
            Statement::Wait(time) => {
                self.pause += *time;
                Ok(Reply::Nothing)
            }
            Statement::IfInTransaction(_) if !self.transaction.is_open() => Ok(Reply::Nothing),
            Statement::IfInTransaction(inner) => self.execute(inner, variables),
            Statement::Transaction(what) => self.transact(*what),
        }
    }

    pub(super) fn select(&self, items: &[Item], variables: &[Variable]) -> Result<Reply, SqlError> {
        let context = self.context(variables);
        let (mut columns, mut row) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
        for item in items {
            let (ty, value): (_, Value) = evaluate(&item.value, context)?;
            columns.push(Column::new(item.name.clone(), ty));
            row.push(value);
        }
        Ok(Reply::Rows { columns, rows: vec![row] })
    }

    fn context<'c>(&'c self, variables: &'c [Variable]) -> Context<'c> {
        Context {
            identity: &self.identity,
            database: &self.database,
            client: self.client,
            transactions: self.transaction.depth(),
            session_limit: self.shared.session_limit,
            connections: self.shared.counters.accepted.load(Relaxed),
            variables,
        }
    }
}
