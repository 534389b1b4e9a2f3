//! The answer to a statement, kept: for the few rows that counters and settings need.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::OutcomeKind;

use super::dialogue::{await_header, await_packet, consume, payload, skip};
use super::{failures, query};
use crate::protocol::answer::{Answer, Next, Part, Step};
use crate::protocol::{DecodeError, MAX_CONTROL, result};

/// Bytes kept of one answer at most: a server must not fill our memory.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The first result of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Values in text; `None` = NULL. Bytes that are not UTF-8 are replaced.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Rows {
    fn add(&mut self, part: Part, payload: &[u8]) -> Result<(), DecodeError> {
        match part {
            Part::Columns => self.columns.push(text(result::column_name(payload)?)),
            Part::Rows => {
                let row = result::text_row(payload, self.columns.len())?;
                self.rows.push(row.into_iter().map(|value| value.map(text)).collect());
            }
            Part::Frame | Part::Continued => {}
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads the whole answer and keeps its first result. An error of the statement is a failure.
pub(super) async fn read_rows(wire: &mut Wire, capabilities: u32, trace: &mut Trace) -> Result<Rows, Failure> {
    let mut answer = Answer::new(capabilities);
    let mut rows = Rows::default();
    let (mut expected, mut kept, mut results) = (1u8, 0usize, 0u32);
    loop {
        let (header, first) = await_header(wire, expected, trace).await?;
        expected = expected.wrapping_add(1);
        let part = answer.part();
        if answer.next(header.length, first) == Next::Skip {
            if results > 0 || part == Part::Continued {
                skip(wire, header, trace).await?;
            } else {
                kept += header.length;
                if kept > MOST_BYTES || header.length > MAX_CONTROL {
                    return Err(too_much(trace));
                }
                await_packet(wire, header.sequence, MAX_CONTROL, trace).await?;
                let added = rows.add(part, payload(wire, header));
                added.map_err(|e| failures::protocol(&e, trace.current()))?;
                consume(wire, header);
            }
            answer.skipped(header.length).map_err(|e| failures::protocol(&e, trace.current()))?;
            continue;
        }
        match query::control(wire, header, &mut answer, trace).await? {
            Step::Ended => return Ok(rows),
            _ if part != Part::Frame => results += 1,
            _ => {}
        }
    }
}

fn too_much(trace: &Trace) -> Failure {
    Failure::new(OutcomeKind::Protocol, "the answer is longer than anything that was asked for").phase(trace.current())
}
