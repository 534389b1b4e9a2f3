//! The answer to a query in the text protocol, followed packet by packet without keeping its rows.
//!
//! A newcomer would look at the first byte of each packet. A row of 16 MiB or more goes on in the next packet, whose
//! first byte is data and may look like an error.

use super::read::Reader;
use super::reply::{Done, ERROR, ServerError};
use super::{CONTINUED, DecodeError, capability, status};

pub(super) const END: u8 = 0xFE;
const LOCAL_FILE: u8 = 0xFB;
/// An end-of-file packet is shorter than this; a row that begins with the same byte is longer.
const LONGEST_EOF: usize = 8;
/// Far more than a server has.
const MOST_COLUMNS: u64 = 65_535;

/// What to do with a packet, decided on its length and first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Its content says nothing: pass over it, then call [`Answer::skipped`].
    Skip,
    /// Read it whole, then call [`Answer::packet`].
    Read,
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What begins a result, or stands between columns and rows.
    Frame,
    /// Descriptions of columns.
    Columns,
    /// Rows.
    Rows,
    /// The rest of a packet of full length.
    Continued,
}

/// What a packet meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// More follows.
    More,
    /// The answer has ended.
    Ended,
    /// It has ended with an error.
    Failed(ServerError<'a>),
    /// The server asks for a file of the client, which was never offered.
    WantsFile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The first packet of a result.
    First,
    /// Descriptions of columns, so many to come.
    Columns(u64),
    /// The end of the descriptions (without `DEPRECATE_EOF`).
    ColumnsEnd,
    Rows,
}

/// Where in the answer we are.
#[derive(Debug)]
pub struct Answer {
    stage: Stage,
    deprecate_eof: bool,
    /// The packet before was of full length: this one continues it.
    continued: bool,
    rows: u64,
}

impl Answer {
    /// An answer in a session with these capabilities.
    pub fn new(capabilities: u32) -> Self {
        let deprecate_eof = capabilities & capability::DEPRECATE_EOF != 0;
        Self { stage: Stage::First, deprecate_eof, continued: false, rows: 0 }
    }

    /// Rows passed so far, of all results.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What the next packet belongs to.
    pub fn part(&self) -> Part {
        match self.stage {
            _ if self.continued => Part::Continued,
            Stage::First | Stage::ColumnsEnd => Part::Frame,
            Stage::Columns(_) => Part::Columns,
            Stage::Rows => Part::Rows,
        }
    }

    /// What to do with the packet whose header and first byte have arrived; `first` is `None` for an empty one.
    pub fn next(&self, length: usize, first: Option<u8>) -> Next {
        if self.continued {
            return Next::Skip;
        }
        match (self.stage, first) {
            (_, Some(ERROR)) | (Stage::First | Stage::ColumnsEnd, _) => Next::Read,
            (Stage::Rows, Some(END)) if self.ends_rows(length) => Next::Read,
            _ => Next::Skip,
        }
    }

    fn ends_rows(&self, length: usize) -> bool {
        if self.deprecate_eof { length < CONTINUED } else { length <= LONGEST_EOF }
    }

    /// A packet of this length was passed over.
    pub fn skipped(&mut self, length: usize) -> Result<(), DecodeError> {
        let goes_on = std::mem::replace(&mut self.continued, length == CONTINUED);
        if goes_on {
            return Ok(());
        }
        match self.stage {
            Stage::Columns(left) if left > 1 => self.stage = Stage::Columns(left - 1),
            Stage::Columns(_) => self.stage = if self.deprecate_eof { Stage::Rows } else { Stage::ColumnsEnd },
            Stage::Rows => self.rows += 1,
            Stage::First | Stage::ColumnsEnd => return Err(DecodeError::Unexpected("packet in an answer")),
        }
        Ok(())
    }

    /// A packet that was read whole.
    pub fn packet<'a>(&mut self, payload: &'a [u8]) -> Result<Step<'a>, DecodeError> {
        if payload.first() == Some(&ERROR) {
            return ServerError::decode(payload).map(Step::Failed);
        }
        match self.stage {
            Stage::First => self.first(payload),
            Stage::ColumnsEnd if payload.first() == Some(&END) => {
                self.stage = Stage::Rows;
                Ok(Step::More)
            }
            Stage::Rows => self.end_of_rows(payload),
            Stage::ColumnsEnd | Stage::Columns(_) => Err(DecodeError::Unexpected("packet after the columns")),
        }
    }

    fn first<'a>(&mut self, payload: &'a [u8]) -> Result<Step<'a>, DecodeError> {
        match payload.first() {
            Some(0) => Ok(self.result_ended(Done::decode(payload)?.status)),
            Some(&LOCAL_FILE) => Ok(Step::WantsFile),
            _ => match Reader(payload).lenenc("the number of columns")? {
                columns @ 1..=MOST_COLUMNS => {
                    self.stage = Stage::Columns(columns);
                    Ok(Step::More)
                }
                _ => Err(DecodeError::Unexpected("number of columns")),
            },
        }
    }

    fn end_of_rows<'a>(&mut self, payload: &'a [u8]) -> Result<Step<'a>, DecodeError> {
        let status = if self.deprecate_eof {
            Done::decode(payload)?.status
        } else {
            let mut rest = Reader(payload);
            rest.u8("the end of the rows")?;
            rest.u16("the warnings")?;
            rest.u16("the status")?
        };
        Ok(self.result_ended(status))
    }

    fn result_ended<'a>(&mut self, flags: u16) -> Step<'a> {
        self.stage = Stage::First;
        if flags & status::MORE_RESULTS == 0 { Step::Ended } else { Step::More }
    }
}
