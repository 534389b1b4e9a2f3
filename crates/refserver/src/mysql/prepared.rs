//! Prepared statements: prepared once, executed with values in binary.

use super::dialogue::broken;
use super::packet::{PacketError, Reader, Writer};
use super::reply::{Column, Format, SqlError, describe, ok};
use super::session::{Next, Session};
use super::sql::{Statement, parse_one};
use super::value::{Type, Value, read_bound};

/// Prepared statements of a session, and bytes of a statement's long parameters, at most.
const MOST_STATEMENTS: usize = 1000;
const MOST_LONG_BYTES: usize = 1024 * 1024;

/// A prepared statement.
#[derive(Debug)]
pub(crate) struct PreparedStatement {
    statement: Statement,
    parameters: usize,
    /// Types of the parameters as they were bound last: a client gives them only when they change.
    types: Vec<(u8, bool)>,
    /// Parameters that came in parts.
    long: Vec<Option<Vec<u8>>>,
}

impl Session<'_> {
    pub(super) fn prepare(&mut self, text: &[u8], writer: &mut Writer<'_>) {
        let prepared = parse_one(&String::from_utf8_lossy(text)).and_then(|parsed| self.keep(parsed));
        let (id, parameters, columns) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return error.write(writer),
        };
        writer.packet(|out| {
            out.push(0);
            out.extend_from_slice(&id.to_le_bytes());
            out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
            out.extend_from_slice(&(parameters as u16).to_le_bytes());
            // A filler, and no warnings.
            out.extend_from_slice(&[0, 0, 0]);
        });
        let client = self.client.capabilities;
        if parameters > 0 {
            let parameter = vec![Column::new("?", Type::Text); parameters];
            describe(writer, &parameter, client, self.status);
        }
        if !columns.is_empty() {
            describe(writer, &columns, client, self.status);
        }
    }

    fn keep(&mut self, parsed: (Statement, usize)) -> Result<(u32, usize, Vec<Column>), SqlError> {
        let (statement, parameters) = parsed;
        if self.statements.len() >= MOST_STATEMENTS {
            let message = format!("Can't create more than {MOST_STATEMENTS} prepared statements in a session");
            return Err(SqlError::new(1461, "42000", message));
        }
        let columns = self.columns(&statement);
        let id = self.next_statement;
        self.next_statement = self.next_statement.wrapping_add(1);
        let types = Vec::new();
        self.statements.insert(id, PreparedStatement { statement, parameters, types, long: vec![None; parameters] });
        Ok((id, parameters, columns))
    }

    pub(super) fn execute_prepared(&mut self, body: &[u8], writer: &mut Writer<'_>) -> Next {
        self.pause_for_query();
        let (client, status) = (self.client.capabilities, self.status);
        match self.run_prepared(body) {
            Ok(reply) => reply.write(writer, Format::Binary, client, status),
            Err(error) => error.write(writer),
        }
        Next::Answered
    }

    fn run_prepared(&mut self, body: &[u8]) -> Result<super::reply::Reply, SqlError> {
        let mut reader = Reader::new(body);
        let id = reader.u32().map_err(broken)?;
        // Flags (no cursor is ever opened) and the number of executions, always 1.
        reader.take(1 + 4).map_err(broken)?;
        let mut prepared = self.statements.remove(&id).ok_or_else(|| no_statement("EXECUTE"))?;
        let result = prepared.bind(&mut reader).and_then(|values| self.execute(&prepared.statement, &values));
        prepared.long.fill(None);
        self.statements.insert(id, prepared);
        result
    }

    pub(super) fn keep_long_data(&mut self, body: &[u8]) {
        let mut reader = Reader::new(body);
        let (Ok(id), Ok(n)) = (reader.u32(), reader.u16()) else { return };
        let Some(prepared) = self.statements.get_mut(&id) else { return };
        let kept: usize = prepared.long.iter().flatten().map(Vec::len).sum();
        let more = reader.take_rest();
        if let Some(place) = prepared.long.get_mut(usize::from(n))
            && kept + more.len() <= MOST_LONG_BYTES
        {
            place.get_or_insert_default().extend_from_slice(more);
        }
    }

    pub(super) fn close_prepared(&mut self, body: &[u8]) {
        if let Ok(id) = Reader::new(body).u32() {
            self.statements.remove(&id);
        }
    }

    pub(super) fn reset_prepared(&mut self, body: &[u8], writer: &mut Writer<'_>) {
        match Reader::new(body).u32().ok().and_then(|id| self.statements.get_mut(&id)) {
            Some(prepared) => {
                prepared.long.fill(None);
                ok(writer, self.status);
            }
            None => no_statement("RESET").write(writer),
        }
    }
}

impl PreparedStatement {
    /// The values of an execution.
    fn bind(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Value>, SqlError> {
        self.read_values(reader).map_err(|_| SqlError::new(1210, "HY000", "Incorrect arguments to mysqld_stmt_execute"))
    }

    fn read_values(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Value>, PacketError> {
        if self.parameters == 0 {
            return Ok(Vec::new());
        }
        let nulls = reader.take(self.parameters.div_ceil(8))?;
        if reader.byte()? == 1 {
            let types: Result<Vec<_>, PacketError> =
                (0..self.parameters).map(|_| Ok((reader.byte()?, reader.byte()? & 0x80 != 0))).collect();
            self.types = types?;
        }
        if self.types.len() != self.parameters {
            return Err(PacketError::Malformed);
        }
        let values = self.types.iter().zip(&self.long).enumerate().map(|(n, ((number, unsigned), long))| match long {
            Some(bytes) => Ok(Value::text(String::from_utf8_lossy(bytes))),
            None if nulls[n / 8] & 1 << (n % 8) != 0 => Ok(Value::Null),
            None => read_bound(reader, *number, *unsigned),
        });
        values.collect()
    }
}

fn no_statement(command: &str) -> SqlError {
    SqlError::new(1243, "HY000", format!("Unknown prepared statement handler given to {command}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prepared(parameters: usize) -> PreparedStatement {
        PreparedStatement { statement: Statement::Nothing, parameters, types: Vec::new(), long: vec![None; parameters] }
    }

    #[test]
    fn types_are_kept_between_executions() {
        let mut two = prepared(2);
        let first = two.bind(&mut Reader::new(&[0b10, 1, 1, 0, 253, 0, 7])).unwrap();
        assert_eq!(first, [Value::Int(7), Value::Null]);
        let second = two.bind(&mut Reader::new(b"\0\0\x09\x02hi")).unwrap();
        assert_eq!(second, [Value::Int(9), Value::text("hi")]);
        assert_eq!(prepared(1).bind(&mut Reader::new(&[0, 0, 1])).unwrap_err().code, 1210, "types never given");
    }

    #[test]
    fn a_parameter_that_came_in_parts_is_not_in_the_execution() {
        let mut one = prepared(1);
        one.long[0] = Some(b"long".to_vec());
        assert_eq!(one.bind(&mut Reader::new(&[0, 1, 252, 0])).unwrap(), [Value::text("long")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_bound_or_refused(parameters in 0usize..20, bytes: Vec<u8>) {
            if let Ok(values) = prepared(parameters).bind(&mut Reader::new(&bytes)) {
                prop_assert_eq!(values.len(), parameters);
            }
        }
    }
}
