//! Extended queries: prepare, bind, describe, execute.
//!
//! A newcomer would answer each message on its own. After an error everything is skipped until the client's `Sync`,
//! or answers and questions no longer fit together.

use std::collections::HashMap;
use std::sync::Arc;

use peaje_postgres::protocol::backend::{self, TransactionStatus};
use peaje_postgres::protocol::frontend::{Described, FrontendMessage};

use super::reply::{Field, Reply, SqlError, describe};
use super::session::{Next, Session};
use super::sql::{Statement, parse_one};
use super::value::{Format, Type, Value};

/// Prepared statements and portals of one session at most.
const MOST_KEPT: usize = 1000;

/// A prepared statement.
#[derive(Debug, Clone)]
pub(crate) struct PreparedStatement {
    statement: Arc<Statement>,
    types: Vec<Type>,
}

/// A statement with its values.
#[derive(Debug)]
pub(crate) struct Portal {
    statement: Arc<Statement>,
    values: Vec<(Type, Value)>,
    formats: Vec<i16>,
    /// The result, once it has been run, and how many of its rows were sent.
    result: Option<(Reply, usize)>,
}

impl Session<'_> {
    pub(super) fn extended(&mut self, message: FrontendMessage<'_>, out: &mut Vec<u8>) -> Next {
        match message {
            FrontendMessage::Sync => {
                self.skipping = false;
                if self.status == TransactionStatus::Idle {
                    self.portals.clear();
                }
                self.ready(out);
                return Next::Answered;
            }
            FrontendMessage::Flush => return Next::Flush,
            _ if self.skipping => return Next::Go,
            _ => {}
        }
        if let Err(error) = self.step(message, out) {
            self.fail(&error, out);
            self.skipping = true;
        }
        Next::Go
    }

    fn step(&mut self, message: FrontendMessage<'_>, out: &mut Vec<u8>) -> Result<(), SqlError> {
        match message {
            FrontendMessage::Parse { statement, query, parameter_types } => {
                let prepared = prepare(query, &parameter_types)?;
                keep(&mut self.statements, statement, prepared, "42P05")?;
                backend::parse_complete(out);
            }
            FrontendMessage::Bind { portal, statement, parameter_formats, parameters, result_formats } => {
                let prepared = found(self.statements.get(statement), "26000", "prepared statement", statement)?;
                let bound = bind(prepared, &parameter_formats, &parameters, result_formats)?;
                keep(&mut self.portals, portal, bound, "42P03")?;
                backend::bind_complete(out);
            }
            FrontendMessage::Describe { what: Described::Statement, name } => {
                let prepared = found(self.statements.get(name), "26000", "prepared statement", name)?;
                let types: Vec<u32> = prepared.types.iter().map(|t| t.0).collect();
                backend::parameter_description(out, &types);
                describe(out, &self.fields(&prepared.statement, &prepared.types), &[])?;
            }
            FrontendMessage::Describe { what: Described::Portal, name } => {
                let portal = found(self.portals.get(name), "34000", "portal", name)?;
                describe(out, &self.portal_fields(portal), &portal.formats)?;
            }
            FrontendMessage::Execute { portal, max_rows } => {
                self.pause += self.shared.options.delays.query;
                self.execute_portal(portal, max_rows, out)?;
            }
            FrontendMessage::Close { what, name } => {
                match what {
                    Described::Statement => drop(self.statements.remove(name)),
                    Described::Portal => drop(self.portals.remove(name)),
                }
                backend::close_complete(out);
            }
            _ => return Err(SqlError::unknown()),
        }
        Ok(())
    }

    fn portal_fields(&self, portal: &Portal) -> Vec<Field> {
        let types: Vec<Type> = portal.values.iter().map(|(kind, _)| *kind).collect();
        self.fields(&portal.statement, &types)
    }

    fn execute_portal(&mut self, name: &str, max_rows: i32, out: &mut Vec<u8>) -> Result<(), SqlError> {
        // Taken out while it runs: the statement may change the session, portals included.
        let entry = self.portals.remove_entry(name);
        let (own_name, mut portal) = found(entry, "34000", "portal", name)?;
        let (reply, sent) = match portal.result.take() {
            Some(result) => result,
            None => (self.execute(&portal.statement, &portal.values)?, 0),
        };
        let limit = usize::try_from(max_rows).ok().filter(|n| *n > 0).unwrap_or(usize::MAX);
        let sent = reply.write_some(out, &portal.formats, sent, limit)?;
        portal.result = Some((reply, sent));
        self.portals.insert(own_name, portal);
        Ok(())
    }
}

fn prepare(query: &str, given: &[u32]) -> Result<PreparedStatement, SqlError> {
    let statement = parse_one(query)?;
    let mut types: Vec<Type> = given.iter().map(|oid| Type(*oid)).collect();
    if let Statement::Select(items) = &statement {
        for item in items {
            item.value.infer(Type::TEXT, &mut types);
        }
    }
    for kind in types.iter_mut().filter(|kind| matches!(**kind, Type(0) | Type::UNKNOWN)) {
        *kind = Type::TEXT;
    }
    Ok(PreparedStatement { statement: Arc::new(statement), types })
}

fn bind(
    prepared: &PreparedStatement,
    parameter_formats: &[i16],
    parameters: &[Option<&[u8]>],
    formats: Vec<i16>,
) -> Result<Portal, SqlError> {
    let (given, wanted) = (parameters.len(), prepared.types.len());
    if given != wanted {
        let message = format!("bind message supplies {given} parameters, but the statement requires {wanted}");
        return Err(SqlError::new("08P01", message));
    }
    let mut values = Vec::with_capacity(given);
    for (n, (bytes, kind)) in parameters.iter().zip(&prepared.types).enumerate() {
        let format = Format::choose(parameter_formats, n)?;
        let value = bytes.map_or(Ok(Value::Null), |bytes| Value::decode(*kind, format, bytes))?;
        values.push((*kind, value));
    }
    Ok(Portal { statement: prepared.statement.clone(), values, formats, result: None })
}

/// Keeps a statement or portal. The unnamed one is replaced, another must not exist yet.
fn keep<T>(map: &mut HashMap<String, T>, name: &str, item: T, exists: &'static str) -> Result<(), SqlError> {
    if !name.is_empty() && map.contains_key(name) {
        return Err(SqlError::new(exists, format!("\"{name}\" already exists")));
    }
    if map.len() >= MOST_KEPT {
        return Err(SqlError::new("54000", "the reference server keeps 1000 statements and portals of a session"));
    }
    map.insert(name.to_owned(), item);
    Ok(())
}

fn found<T>(item: Option<T>, code: &'static str, kind: &str, name: &str) -> Result<T, SqlError> {
    item.ok_or_else(|| SqlError::new(code, format!("{kind} \"{name}\" does not exist")))
}
