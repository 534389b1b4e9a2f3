//! The values of a row, or the one of an output parameter, followed as their bytes arrive.

use super::Token;
use super::buffer::{Budget, Buffer};
use super::reader::never_complete;
use crate::protocol::DecodeError;
use crate::protocol::types::{Column, Head, Place, TypeInfo, Value, value_head, value_of};

/// Values that are being read.
#[derive(Debug)]
pub(super) struct Values {
    /// Name and type of an output parameter; `None` = a row.
    parameter: Option<(String, TypeInfo)>,
    next: usize,
    nulls: Vec<u8>,
    done: Vec<Value>,
    /// The value that is being read.
    open: Option<Open>,
}

/// A value whose end has not come.
#[derive(Debug)]
struct Open {
    chunks: bool,
    /// Bytes missing, of the value or of its chunk.
    left: u64,
    kept: Vec<u8>,
}

/// How far a step has come.
pub(super) enum Progress {
    /// There is more to be done with what is here.
    Again,
    /// More bytes are needed.
    More,
    /// All values are read.
    Complete,
}

impl Values {
    /// The values of a row; `nulls` = a bit for each column that has none.
    pub(super) fn of_row(nulls: Vec<u8>) -> Self {
        Self { parameter: None, next: 0, nulls, done: Vec::new(), open: None }
    }

    /// The value of an output parameter.
    pub(super) fn of_parameter(parameter: (String, TypeInfo)) -> Self {
        Self { parameter: Some(parameter), next: 0, nulls: Vec::new(), done: Vec::new(), open: None }
    }

    /// The token, once all values are read.
    pub(super) fn into_token(self) -> Token {
        match self.parameter {
            None => Token::Row(self.done),
            Some((name, _)) => Token::ReturnValue { name, value: self.done.into_iter().next().unwrap_or(Value::Null) },
        }
    }

    /// Goes on with the value that is open, or begins the next one.
    pub(super) fn step(
        &mut self,
        buffer: &mut Buffer,
        columns: &[Column],
        budget: &mut Budget,
    ) -> Result<Progress, DecodeError> {
        let ty = match &self.parameter {
            Some((_, ty)) if self.next == 0 => *ty,
            Some(_) => return Ok(Progress::Complete),
            None => match columns.get(self.next) {
                Some(column) => column.ty,
                None => return Ok(Progress::Complete),
            },
        };
        match self.open.take() {
            None => self.begin(&ty, buffer, budget),
            Some(open) => self.follow(&ty, open, buffer, budget),
        }
    }

    fn begin(&mut self, ty: &TypeInfo, buffer: &mut Buffer, budget: &mut Budget) -> Result<Progress, DecodeError> {
        let is_null = self.nulls.get(self.next / 8).is_some_and(|b| b & (1 << (self.next % 8)) != 0);
        let place = if self.parameter.is_some() { Place::Parameter } else { Place::Column };
        let head = if is_null { Head::Null } else { buffer.read(|body| value_head(ty, place, body))? };
        match head {
            Head::Null => self.end(Value::Null, budget)?,
            Head::Bytes(left) => self.open = Some(Open { chunks: false, left, kept: Vec::new() }),
            Head::Chunks => self.open = Some(Open { chunks: true, left: 0, kept: Vec::new() }),
        }
        Ok(Progress::Again)
    }

    /// Follows a value to its end, as far as its bytes are there.
    fn follow(
        &mut self,
        ty: &TypeInfo,
        mut open: Open,
        buffer: &mut Buffer,
        budget: &mut Budget,
    ) -> Result<Progress, DecodeError> {
        let taken = buffer.take(open.left);
        open.left -= taken.len() as u64;
        if budget.keeps() {
            budget.spend(taken.len())?;
            open.kept.extend_from_slice(taken);
        }
        if open.left > 0 {
            self.open = Some(open);
            return Ok(Progress::More);
        }
        let next_chunk = if open.chunks { buffer.read(|body| body.u32("a chunk's length")) } else { Ok(0) };
        match next_chunk {
            Ok(0) => {
                let value =
                    if budget.keeps() { value_of(ty, &open.kept).map_err(never_complete)? } else { Value::Null };
                self.end(value, budget)?;
                Ok(Progress::Again)
            }
            Ok(length) => {
                open.left = length.into();
                self.open = Some(open);
                Ok(Progress::Again)
            }
            Err(_) => {
                self.open = Some(open);
                Ok(Progress::More)
            }
        }
    }

    fn end(&mut self, value: Value, budget: &mut Budget) -> Result<(), DecodeError> {
        self.next += 1;
        if budget.keeps() {
            // Nulls take no bytes on the wire and some in memory.
            budget.spend(size_of::<Value>())?;
            self.done.push(value);
        }
        Ok(())
    }
}
