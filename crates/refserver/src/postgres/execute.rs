//! What a statement does to its session, and what it answers.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use peaje_postgres::protocol::backend::TransactionStatus;

use super::reply::{Field, Reply, SqlError};
use super::session::Session;
use super::settings::Own;
use super::sql::{Context, Scope, Statement, Transaction};
use super::statistics::{self, Asker};
use super::value::{Type, Value};

impl Session<'_> {
    pub(super) fn own(&self) -> Own<'_> {
        let (shared, user) = (self.shared, self.identity.user.as_str());
        Own { user, session_limit: shared.session_limit, port: shared.port, tls: shared.tls.is_some() }
    }

    /// Columns of a statement's result; none = no result.
    pub(super) fn fields(&self, statement: &Statement, types: &[Type]) -> Vec<Field> {
        match statement {
            Statement::Select(items) => {
                items.iter().map(|item| Field::new(item.name.clone(), item.value.kind(types))).collect()
            }
            Statement::Statistics(question, _) => statistics::fields(question),
            Statement::Show(name) => {
                let shown = self.settings.show(name, self.own());
                vec![Field::new(shown.map_or_else(|_| name.clone(), |(name, _)| name), Type::TEXT)]
            }
            Statement::ShowAll => ["name", "setting", "description"].map(|n| Field::new(n, Type::TEXT)).to_vec(),
            _ => Vec::new(),
        }
    }

    /// Runs a statement with the values bound to it.
    pub(super) fn execute(&mut self, statement: &Statement, values: &[(Type, Value)]) -> Result<Reply, SqlError> {
        let harmless = matches!(
            statement,
            Statement::Empty
                | Statement::Transaction(Transaction::Commit | Transaction::Rollback | Transaction::RollbackTo)
        );
        if self.status == TransactionStatus::Failed && !harmless {
            let message = "current transaction is aborted, commands ignored until end of transaction block";
            return Err(SqlError::new("25P02", message));
        }
        let types: Vec<Type> = values.iter().map(|(kind, _)| *kind).collect();
        match statement {
            Statement::Empty => Ok(Reply::Empty),
            Statement::Select(items) => {
                let fields = self.fields(statement, &types);
                let mut scope = SelectScope { session: self, values };
                let row: Result<Vec<Value>, SqlError> = items.iter().map(|i| i.value.evaluate(&mut scope)).collect();
                Ok(Reply::Rows { tag: "SELECT", fields, rows: vec![row?] })
            }
            Statement::Statistics(question, name) => {
                let application_name = self.settings.changed("application_name").unwrap_or_default();
                let asker = Asker { application_name, identity: &self.identity, encrypted: self.encrypted };
                Ok(statistics::answer(question, name, asker, self.shared))
            }
            Statement::Show(name) => {
                let (_, value) = self.settings.show(name, self.own())?;
                Ok(self.shown(statement, vec![vec![Value::Text(value)]]))
            }
            Statement::ShowAll => {
                let row = |(name, value)| vec![Value::Text(name), Value::Text(value), Value::Text(String::new())];
                let rows = self.settings.show_all(self.own()).into_iter().map(row).collect();
                Ok(self.shown(statement, rows))
            }
            Statement::Set { scope: Scope::Transaction, .. } => Ok(Reply::Done("SET")),
            Statement::Set { name, value, scope: Scope::Session } => {
                self.change(name, value.as_deref())?;
                Ok(Reply::Done(if value.is_some() { "SET" } else { "RESET" }))
            }
            Statement::ResetAll => {
                self.settings.reset_all("application_name");
                Ok(Reply::Done("RESET"))
            }
            Statement::Transaction(what) => self.transaction(*what),
            Statement::DiscardAll => {
                self.statements.clear();
                self.portals.clear();
                self.settings.reset_all("application_name");
                Ok(Reply::Done("DISCARD ALL"))
            }
            Statement::Deallocate(None) => {
                self.statements.clear();
                Ok(Reply::Done("DEALLOCATE ALL"))
            }
            Statement::Deallocate(Some(name)) => match self.statements.remove(name) {
                Some(_) => Ok(Reply::Done("DEALLOCATE")),
                None => Err(SqlError::new("26000", format!("prepared statement \"{name}\" does not exist"))),
            },
            Statement::Nothing(tag) => Ok(Reply::Done(tag)),
        }
    }

    fn shown(&self, statement: &Statement, rows: Vec<Vec<Value>>) -> Reply {
        Reply::Rows { tag: "SHOW", fields: self.fields(statement, &[]), rows }
    }

    fn change(&mut self, name: &str, value: Option<&str>) -> Result<(), SqlError> {
        self.settings.set(name, value)?;
        if name.eq_ignore_ascii_case("application_name") {
            self.call_itself(value.unwrap_or_default());
        }
        Ok(())
    }

    fn transaction(&mut self, what: Transaction) -> Result<Reply, SqlError> {
        let open = self.status != TransactionStatus::Idle;
        Ok(Reply::Done(match what {
            Transaction::Begin(tag) => {
                if !open {
                    self.status = TransactionStatus::InTransaction;
                    self.settings_before = Some(self.settings.clone());
                }
                tag
            }
            Transaction::Commit if self.status != TransactionStatus::Failed => {
                self.end_transaction();
                "COMMIT"
            }
            Transaction::Commit | Transaction::Rollback => {
                self.undo_settings();
                self.end_transaction();
                "ROLLBACK"
            }
            Transaction::Savepoint | Transaction::Release | Transaction::RollbackTo if !open => {
                return Err(SqlError::new("25P01", "savepoints can only be used in transaction blocks"));
            }
            Transaction::Savepoint => "SAVEPOINT",
            Transaction::Release => "RELEASE",
            Transaction::RollbackTo => {
                self.status = TransactionStatus::InTransaction;
                "ROLLBACK"
            }
        }))
    }

    fn end_transaction(&mut self) {
        self.status = TransactionStatus::Idle;
        self.settings_before = None;
        self.portals.clear();
    }

    /// What was set in a transaction that is rolled back was never set.
    fn undo_settings(&mut self) {
        let Some(before) = self.settings_before.take() else { return };
        self.settings.become_like(before);
        let name = self.settings.changed("application_name").unwrap_or_default().to_owned();
        self.call_itself(&name);
    }

    fn call_itself(&mut self, name: &str) {
        self.listed.call_itself(name);
    }
}

/// What the items of a select list are computed in.
struct SelectScope<'s, 'a> {
    session: &'s mut Session<'a>,
    values: &'s [(Type, Value)],
}

impl Context for SelectScope<'_, '_> {
    fn parameter(&self, n: u16) -> Option<&Value> {
        self.values.get(usize::from(n) - 1).map(|(_, value)| value)
    }

    fn version(&self) -> String {
        format!("peaje reference server {} (PostgreSQL protocol): not a database", env!("CARGO_PKG_VERSION"))
    }

    fn database(&self) -> &str {
        &self.session.identity.database
    }

    fn user(&self) -> &str {
        &self.session.identity.user
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.session.settings.show(name, self.session.own()).ok().map(|(_, value)| value)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<String, SqlError> {
        self.session.change(name, Some(value)).map(|()| value.to_owned())
    }

    fn process_id(&self) -> i32 {
        self.session.identity.process_id
    }

    fn client(&self) -> SocketAddr {
        self.session.client
    }

    fn server_started(&self) -> SystemTime {
        self.session.shared.started
    }

    fn pause(&mut self, time: Duration) {
        self.session.pause += time;
    }
}
