//! Results as such: descriptions of columns, and rows of texts; both sides.

use super::answer::END;
use super::read::Reader;
use super::reply::Done;
use super::write::{put_lenenc, put_lenenc_bytes};
use super::{DecodeError, capability, packet};

/// The length that stands for NULL.
const NULL: u8 = 0xFB;

/// A column of a result, as a server describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column<'a> {
    /// Name.
    pub name: &'a str,
    /// Type: 8 = BIGINT, 5 = DOUBLE, 253 = VARCHAR.
    pub kind: u8,
    /// Collation: 45 = utf8mb4, 63 = binary (numbers).
    pub collation: u16,
    /// Flags: 1 = NOT NULL, 32 = UNSIGNED, 128 = BINARY.
    pub flags: u16,
}

/// The name of a column, from its description.
pub fn column_name(payload: &[u8]) -> Result<&[u8], DecodeError> {
    let mut rest = Reader(payload);
    // Catalogue, database, table, table in the database.
    for _ in 0..4 {
        rest.lenenc_bytes("a column's description")?;
    }
    rest.lenenc_bytes("a column's name")
}

/// A row of so many texts; `None` = NULL.
pub fn text_row(payload: &[u8], columns: usize) -> Result<Vec<Option<&[u8]>>, DecodeError> {
    let mut rest = Reader(payload);
    let mut row = Vec::with_capacity(columns.min(payload.len()));
    for _ in 0..columns {
        row.push(match rest.0.first() {
            Some(&NULL) => {
                rest.u8("a value")?;
                None
            }
            _ => Some(rest.lenenc_bytes("a value")?),
        });
    }
    if rest.is_empty() { Ok(row) } else { Err(DecodeError::Unexpected("bytes after a row")) }
}

impl Column<'_> {
    /// Writes the description.
    pub fn encode(&self, out: &mut Vec<u8>, sequence: u8) {
        packet::encode(out, sequence, |out| {
            for text in ["def", "", "", "", self.name, self.name] {
                put_lenenc_bytes(out, text.as_bytes());
            }
            put_lenenc(out, 12);
            out.extend_from_slice(&self.collation.to_le_bytes());
            out.extend_from_slice(&1024u32.to_le_bytes());
            out.push(self.kind);
            out.extend_from_slice(&self.flags.to_le_bytes());
            out.extend_from_slice(&[0, 0, 0]);
        });
    }
}

/// Writes an end-of-file packet (without `DEPRECATE_EOF`).
pub fn eof(out: &mut Vec<u8>, sequence: u8, flags: u16) {
    packet::encode(out, sequence, |out| {
        out.extend_from_slice(&[END, 0, 0]);
        out.extend_from_slice(&flags.to_le_bytes());
    });
}

/// Writes a whole result: columns, and rows of texts (`None` = NULL). Returns the number of the next packet.
pub fn result(
    out: &mut Vec<u8>,
    mut sequence: u8,
    capabilities: u32,
    flags: u16,
    columns: &[Column<'_>],
    rows: &[Vec<Option<Vec<u8>>>],
) -> u8 {
    let deprecate_eof = capabilities & capability::DEPRECATE_EOF != 0;
    let mut number = || {
        let now = sequence;
        sequence = sequence.wrapping_add(1);
        now
    };
    packet::encode(out, number(), |out| put_lenenc(out, columns.len() as u64));
    for column in columns {
        column.encode(out, number());
    }
    if !deprecate_eof {
        eof(out, number(), flags);
    }
    for row in rows {
        packet::encode(out, number(), |out| {
            for value in row {
                match value {
                    Some(text) => put_lenenc_bytes(out, text),
                    None => out.push(NULL),
                }
            }
        });
    }
    if deprecate_eof {
        Done { status: flags, ..Done::default() }.encode_after_rows(out, number());
    } else {
        eof(out, number(), flags);
    }
    sequence
}
