//! Remote procedure calls: how drivers prepare, execute, and forget.

use peaje_sqlserver::protocol::DecodeError;
use peaje_sqlserver::protocol::packet::Reset;
use peaje_sqlserver::protocol::request::{Parameter, Procedure, RpcRequest, decode_rpc};
use peaje_sqlserver::protocol::token::write;
use peaje_sqlserver::protocol::types::{TypeInfo, Value};

use super::evaluate::Variable;
use super::message::SqlError;
use super::reply::{self, Reply};
use super::session::Session;
use super::sql::{Statement, declarations, parse};

/// Prepared statements of one session at most.
const MOST_KEPT: usize = 10_000;

/// A prepared statement.
#[derive(Debug)]
pub(super) struct Kept {
    sql: String,
    /// Its parameters' names and types.
    declared: Vec<(String, TypeInfo)>,
}

/// What a call has returned beside its rows.
struct Outcome {
    replies: Vec<Reply>,
    error: Option<SqlError>,
    handle: Option<i64>,
}

impl From<SqlError> for Outcome {
    fn from(error: SqlError) -> Self {
        Self { replies: Vec::new(), error: Some(error), handle: None }
    }
}

impl Session<'_> {
    /// Answers the calls of a message. An error that it returns ends the session.
    pub(super) fn calls(&mut self, payload: &[u8], tokens: &mut Vec<u8>) -> Option<SqlError> {
        let calls = match decode_rpc(payload) {
            Ok(calls) => calls,
            // Another type, a table for one, is no reason to end the session.
            Err(DecodeError::UnknownType(_)) => {
                reply::batch(tokens, &[], Some(&SqlError::unknown_type()), self.transaction.state());
                return None;
            }
            Err(error) => return Some(SqlError::broken(&error.to_string())),
        };
        for (n, call) in calls.iter().enumerate() {
            let outcome = self.call(call, tokens).unwrap_or_else(Outcome::from);
            let error = outcome.error.as_ref();
            if let Some(error) = error.filter(|error| error.is_fatal()) {
                return Some(error.clone());
            }
            reply::procedure_body(tokens, &outcome.replies, error, self.transaction.state());
            if let Some(handle) = outcome.handle {
                // Under the name that the client gave it.
                let name = call.parameters.first().map_or("", |p| p.name.as_str());
                write::return_value(tokens, 0, name, &TypeInfo::int(), &Value::Int(handle));
            }
            reply::procedure_end(tokens, n + 1 < calls.len(), error.is_some(), self.transaction.state());
        }
        None
    }

    fn call(&mut self, call: &RpcRequest, tokens: &mut Vec<u8>) -> Result<Outcome, SqlError> {
        let parameters = &call.parameters;
        match &call.procedure {
            Procedure::ExecuteSql => {
                let sql = text(parameters.first())?;
                let declared = declared(parameters.get(1))?;
                let variables = bind(&declared, parameters.get(2..).unwrap_or_default());
                Ok(self.outcome(&sql, &variables, None))
            }
            Procedure::Prepare => {
                let (declared, sql) = (declared(parameters.get(1))?, text(parameters.get(2))?);
                let unbound: Vec<Variable> =
                    declared.iter().map(|(name, ty)| (name.clone(), *ty, Value::Null)).collect();
                let described = self.described(&sql, &unbound)?;
                let handle = self.keep(sql, declared)?;
                Ok(Outcome { replies: described, error: None, handle: Some(handle) })
            }
            Procedure::PrepExec => {
                let (declared, sql) = (declared(parameters.get(1))?, text(parameters.get(2))?);
                let variables = bind(&declared, parameters.get(3..).unwrap_or_default());
                let handle = self.keep(sql.clone(), declared)?;
                Ok(self.outcome(&sql, &variables, Some(handle)))
            }
            Procedure::Execute => {
                let handle = number(parameters.first())?;
                let kept = self.kept.get(&handle).ok_or_else(|| SqlError::no_handle(handle))?;
                let variables = bind(&kept.declared, parameters.get(1..).unwrap_or_default());
                let sql = kept.sql.clone();
                Ok(self.outcome(&sql, &variables, None))
            }
            Procedure::Unprepare => {
                let handle = number(parameters.first())?;
                self.kept.remove(&handle).ok_or_else(|| SqlError::no_handle(handle))?;
                Ok(Outcome { replies: Vec::new(), error: None, handle: None })
            }
            Procedure::Name(name) if name.eq_ignore_ascii_case("sp_reset_connection") => {
                self.reset(Reset::Session, tokens);
                Ok(Outcome { replies: Vec::new(), error: None, handle: None })
            }
            Procedure::Name(name) => Err(SqlError::no_procedure(name)),
            _ => Err(SqlError::unknown()),
        }
    }

    fn outcome(&mut self, sql: &str, variables: &[Variable], handle: Option<i64>) -> Outcome {
        let (replies, error) = self.run_text(sql, variables);
        Outcome { replies, error, handle }
    }

    /// The columns that a statement would return. It is not run, so only a single select describes any.
    fn described(&self, sql: &str, variables: &[Variable]) -> Result<Vec<Reply>, SqlError> {
        let statements = parse(sql).ok_or_else(SqlError::unknown)?;
        let [Statement::Select(items)] = &statements[..] else { return Ok(Vec::new()) };
        match self.select(items, variables)? {
            Reply::Rows { columns, .. } => Ok(vec![Reply::Columns(columns)]),
            _ => Ok(Vec::new()),
        }
    }

    fn keep(&mut self, sql: String, declared: Vec<(String, TypeInfo)>) -> Result<i64, SqlError> {
        if self.kept.len() >= MOST_KEPT {
            return Err(SqlError::new(701, 17, 1, "There is insufficient memory for more prepared statements."));
        }
        self.last_handle += 1;
        self.kept.insert(self.last_handle, Kept { sql, declared });
        Ok(self.last_handle)
    }
}

fn text(parameter: Option<&Parameter>) -> Result<String, SqlError> {
    let value = parameter.and_then(|p| p.value.as_str());
    value
        .map(str::to_owned)
        .ok_or_else(|| SqlError::new(214, 16, 2, "Procedure expects a statement of type ntext/nchar/nvarchar."))
}

fn number(parameter: Option<&Parameter>) -> Result<i64, SqlError> {
    let value = parameter.and_then(|p| p.value.as_i64());
    value.ok_or_else(|| SqlError::new(214, 16, 2, "Procedure expects a handle of type int."))
}

/// No text, or a null one, declares nothing.
fn declared(parameter: Option<&Parameter>) -> Result<Vec<(String, TypeInfo)>, SqlError> {
    match parameter.map(|p| &p.value) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value) => value.as_str().and_then(declarations).ok_or_else(SqlError::unknown_type),
    }
}

/// Values go to the names they carry, or to the names declared, in their order.
fn bind(declared: &[(String, TypeInfo)], values: &[Parameter]) -> Vec<Variable> {
    let name = |n: usize, p: &Parameter| match declared.get(n) {
        _ if !p.name.is_empty() => p.name.clone(),
        Some((name, _)) => name.clone(),
        None => String::new(),
    };
    values.iter().enumerate().map(|(n, p)| (name(n, p), p.ty, p.value.clone())).collect()
}
