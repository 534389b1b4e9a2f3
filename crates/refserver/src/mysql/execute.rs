//! What a statement does to its session, and what it answers.

use std::time::{Duration, SystemTime};

use crate::seats::Card;

use super::accounts::{address, host};
use super::login::thread_id;
use super::reply::{Column, Reply, SqlError, status};
use super::session::Session;
use super::sql::{
    Assignment, Context, Expression, Filter, NameOrValue, Scope, Shown, Statement, Table, Target, Transaction,
};
use super::statistics::{self, Asker};
use super::status::{Counting, unix_seconds};
use super::value::{Type, Value};
use super::{VERSION, status as server_status, watch};

/// A client that asks to wait waits no longer than this.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

impl Session<'_> {
    /// Columns of a statement's result as far as they are known before it runs; none = no result.
    pub(super) fn columns(&mut self, statement: &Statement) -> Vec<Column> {
        match statement {
            Statement::Select(items) => {
                let scope = SelectScope { session: self, values: &[] };
                items.iter().map(|item| Column::new(item.name.clone(), item.value.kind(&scope))).collect()
            }
            Statement::FromTable { columns, .. } => {
                columns.iter().map(|column| Column::new(column.name.clone(), Type::Text)).collect()
            }
            Statement::Statistics(question, _) => statistics::columns(question),
            Statement::Show(shown) => shown_columns(shown),
            _ => Vec::new(),
        }
    }

    /// Runs a statement with the values bound to it.
    pub(super) fn execute(&mut self, statement: &Statement, values: &[Value]) -> Result<Reply, SqlError> {
        match statement {
            Statement::Empty => return Err(SqlError::new(1065, "42000", "Query was empty")),
            Statement::Select(items) => {
                let mut scope = SelectScope { session: self, values };
                let row: Result<Vec<Value>, SqlError> = items.iter().map(|i| i.value.evaluate(&mut scope)).collect();
                let row = row?;
                let kind = |value: &Value, expression: &Expression| match value {
                    Value::Null => expression.kind(&scope),
                    value => value.kind(),
                };
                let columns = items.iter().zip(&row).map(|(i, v)| Column::new(i.name.clone(), kind(v, &i.value)));
                return Ok(Reply::Rows { columns: columns.collect(), rows: vec![row] });
            }
            Statement::FromTable { columns, table, filter } => {
                let row = |(name, value): (&str, Value)| {
                    let of = |source| match source {
                        NameOrValue::Name => Value::text(name),
                        NameOrValue::Value => value.show().map_or(Value::Null, Value::text),
                    };
                    columns.iter().map(|column| of(column.source)).collect()
                };
                let rows = self.table(*table, filter).into_iter().map(row).collect();
                return Ok(Reply::Rows { columns: self.columns(statement), rows });
            }
            Statement::Statistics(question, name) => {
                let name = match name {
                    Some(name) => name.clone(),
                    None => self.variables.user("program_name").show().unwrap_or_default().into_owned(),
                };
                let (program, card) = (self.client.program.as_str(), &self.entered.listed.card());
                let asker = Asker { program, card, encrypted: self.encryption.is_some() };
                return Ok(statistics::answer(question, &name, asker, self.shared));
            }
            Statement::Show(shown) => {
                let rows = self.show(shown);
                return Ok(Reply::Rows { columns: shown_columns(shown), rows });
            }
            Statement::Set(assignments) => assignments.iter().try_for_each(|a| self.assign(a, values))?,
            Statement::Use(name) => self.use_database(name)?,
            Statement::Transaction(what) => self.transaction(*what),
            Statement::Do(expressions) => {
                let mut scope = SelectScope { session: self, values };
                expressions.iter().try_for_each(|e| e.evaluate(&mut scope).map(drop))?;
            }
            Statement::FlushStatus => self.shared.protocol.status.flush(self.shared),
            Statement::FlushPrivileges => self.shared.protocol.account.empty_cache(),
            Statement::Nothing => {}
        }
        Ok(Reply::Done)
    }

    /// The rows of a table of names and values that are wanted.
    fn table(&self, table: Table, filter: &Filter) -> Vec<(&'static str, Value)> {
        let mut rows = match table {
            Table::Variables(scope) => self.variables.all(scope, self.shared),
            Table::Status(scope) => {
                let encryption = self.encryption.as_ref().filter(|_| scope == Scope::Session);
                server_status::all(self.shared, encryption, unix_seconds(SystemTime::now()), Counting::MySql)
            }
        };
        rows.retain(|(name, _)| filter.wants(name));
        rows
    }

    fn show(&self, shown: &Shown) -> Vec<Vec<Value>> {
        match shown {
            Shown::Table(table, filter) => {
                let row = |(name, value): (&str, Value)| {
                    vec![Value::text(name), value.show().map_or(Value::Null, Value::text)]
                };
                self.table(*table, filter).into_iter().map(row).collect()
            }
            Shown::Processlist => self.processlist(),
            Shown::Databases if self.client.database.is_empty() => vec![vec![Value::text("information_schema")]],
            Shown::Databases => {
                vec![vec![Value::text("information_schema")], vec![Value::text(&self.client.database)]]
            }
            Shown::Tables | Shown::Warnings => Vec::new(),
        }
    }

    fn processlist(&self) -> Vec<Vec<Value>> {
        let row = |card: Card| {
            let itself = card.number == self.client.number;
            let (seconds, command, host) = (watch::in_state_ms(&card) / 1000, watch::command(&card), host(&card.who));
            let database = Some(card.who.database).filter(|name| !name.is_empty());
            let or_null = |text: Option<&str>| text.map_or(Value::Null, Value::text);
            vec![
                Value::count(card.number),
                Value::Text(card.who.user),
                Value::Text(host),
                database.map_or(Value::Null, Value::Text),
                Value::text(command),
                Value::count(seconds),
                Value::text(if itself { "starting" } else { "" }),
                or_null(itself.then_some("show processlist")),
            ]
        };
        self.shared.seats.all().into_iter().map(row).collect()
    }

    fn assign(&mut self, assignment: &Assignment, values: &[Value]) -> Result<(), SqlError> {
        let value = match &assignment.value {
            None => None,
            Some(expression) => Some(expression.evaluate(&mut SelectScope { session: self, values })?),
        };
        match &assignment.target {
            Target::User(name) => self.variables.set_user(name, value.unwrap_or(Value::Null)),
            Target::System(Scope::Global, _) => {
                let message = "Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN \
                               privilege(s) for this operation";
                Err(SqlError::new(1227, "42000", message))
            }
            Target::System(Scope::Session, name) => {
                self.variables.set(name, value)?;
                if self.variables.autocommit() {
                    self.status |= status::AUTOCOMMIT;
                } else {
                    self.status &= !status::AUTOCOMMIT;
                }
                Ok(())
            }
        }
    }

    fn transaction(&mut self, what: Transaction) {
        match what {
            Transaction::Begin => self.status |= status::IN_TRANSACTION,
            Transaction::End => self.status &= !status::IN_TRANSACTION,
            Transaction::Inside => {}
        }
    }
}

fn shown_columns(shown: &Shown) -> Vec<Column> {
    let columns: &[(&'static str, Type)] = match shown {
        Shown::Table(..) => &[("Variable_name", Type::Text), ("Value", Type::Text)],
        Shown::Processlist => &[
            ("Id", Type::Int),
            ("User", Type::Text),
            ("Host", Type::Text),
            ("db", Type::Text),
            ("Command", Type::Text),
            ("Time", Type::Int),
            ("State", Type::Text),
            ("Info", Type::Text),
        ],
        Shown::Databases => &[("Database", Type::Text)],
        Shown::Tables => &[("Tables", Type::Text)],
        Shown::Warnings => &[("Level", Type::Text), ("Code", Type::Int), ("Message", Type::Text)],
    };
    columns.iter().map(|(name, kind)| Column::new(*name, *kind)).collect()
}

/// What the items of a select list are computed in.
struct SelectScope<'s, 'a> {
    session: &'s mut Session<'a>,
    values: &'s [Value],
}

impl Context for SelectScope<'_, '_> {
    fn parameter(&self, n: usize) -> Option<&Value> {
        self.values.get(n)
    }

    fn variable(&self, scope: Scope, name: &str) -> Result<Value, SqlError> {
        self.session.variables.get(scope, name, self.session.shared)
    }

    fn variable_kind(&self, name: &str) -> Type {
        super::variables::Variables::kind(name)
    }

    fn user_variable(&self, name: &str) -> Value {
        self.session.variables.user(name)
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn database(&self) -> &str {
        &self.session.client.database
    }

    fn user(&self) -> String {
        let who = self.session.entered.listed.card().who;
        format!("{}@{}", who.user, address(&who))
    }

    fn connection_id(&self) -> i64 {
        thread_id(self.session.client.number).into()
    }

    fn sleep(&mut self, seconds: f64) {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.session.pause = (self.session.pause + time.min(LONGEST_SLEEP)).min(LONGEST_SLEEP);
    }
}
