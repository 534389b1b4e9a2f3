//! Why a CSV file cannot be replayed: always with the line, and what should stand there.

use crate::row::Counter;

/// Text of a field that is quoted in an error.
const QUOTED: usize = 40;

/// Why a CSV file cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// It is no text.
    #[error("the file is no UTF-8 text; export it as UTF-8")]
    NotText,
    /// There is no header.
    #[error("the file is empty; its first line names the columns: t_s and any of {columns}", columns = columns())]
    Empty,
    /// Nothing says when.
    #[error("line 1 names no column t_s (seconds); its columns are: {found}")]
    NoTime {
        /// The columns.
        found: String,
    },
    /// Nothing says what.
    #[error("line 1 names no figure; beside t_s there must be any of {columns}", columns = columns())]
    NoFigure,
    /// A column stands there twice.
    #[error("line 1 names the column {column} twice")]
    Twice {
        /// Its name.
        column: String,
    },
    /// A line has more or fewer fields than the header.
    #[error("line {line} has {found} fields, and the header {expected}")]
    Fields {
        /// Its number.
        line: u64,
        /// Its fields.
        found: u64,
        /// The header's.
        expected: u64,
    },
    /// A field is no number.
    #[error("line {line}, column {column}: `{text}` is no {what}")]
    NoNumber {
        /// The line's number.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
        /// What is expected.
        what: &'static str,
    },
    /// Time does not go on.
    #[error("line {line}: t_s is not after the line before{of}; sort the file by time")]
    Backwards {
        /// The line's number.
        line: u64,
        /// Of which group.
        of: String,
    },
    /// Fewer than two lines.
    #[error("the file has {lines} line of figures; a difference needs two")]
    TooShort {
        /// How many there are.
        lines: usize,
    },
    /// A quote or something else is wrong.
    #[error("line {line}: {what}")]
    Broken {
        /// The line's number.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

impl CsvError {
    /// With the number of the line in place of where it begins.
    pub(super) fn numbered(mut self, text: &str) -> Self {
        if let Self::Fields { line, .. } | Self::NoNumber { line, .. } | Self::Backwards { line, .. } = &mut self {
            let start = usize::try_from(*line).unwrap_or_default().min(text.len());
            // Empty lines before it were skipped.
            let blank = text.bytes().skip(start).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            *line = text.bytes().take(start + blank).filter(|byte| *byte == b'\n').count() as u64 + 1;
        }
        self
    }
}

fn columns() -> String {
    let counters = Counter::ALL.map(Counter::column).join(", ");
    format!("sessions, active, waiting, {counters}")
}

/// A field as an error quotes it.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(QUOTED).collect();
    if text.chars().count() > QUOTED {
        short.push('…');
    }
    short
}

/// What the reader of fields could not read.
pub(super) fn broken(error: &csv::Error) -> CsvError {
    let line = error.position().map_or(0, csv::Position::line);
    CsvError::Broken { line, what: error.to_string() }
}
