//! Bytes that have arrived and are not read yet, and how much of them may be kept.

use crate::protocol::DecodeError;
use crate::protocol::read::Body;

/// What becomes of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// They are passed over.
    Skip,
    /// They are kept, up to so many bytes in all.
    Keep {
        /// The limit.
        bytes: usize,
    },
}

/// Bytes that have arrived.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    read_from: usize,
}

impl Buffer {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.read_from);
        self.read_from = 0;
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.read_from..]
    }

    /// Reads by `read`; marks as read only when nothing was missing, so that it can be done again.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Body<'_>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let mut body = Body::new(&self.bytes[self.read_from..]);
        let value = read(&mut body)?;
        self.read_from += body.position();
        Ok(value)
    }

    /// At most so many bytes of what has arrived, marked as read.
    pub(super) fn take(&mut self, most: u64) -> &[u8] {
        let start = self.read_from;
        let here = self.bytes.len() - start;
        self.read_from += usize::try_from(most).unwrap_or(usize::MAX).min(here);
        &self.bytes[start..self.read_from]
    }
}

/// What may still be kept.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) rows: Rows,
    room: usize,
}

impl Budget {
    pub(super) fn new(rows: Rows) -> Self {
        let room = match rows {
            Rows::Skip => 0,
            Rows::Keep { bytes } => bytes,
        };
        Self { rows, room }
    }

    pub(super) fn keeps(&self) -> bool {
        self.rows != Rows::Skip
    }

    /// Keeps so many bytes more.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), DecodeError> {
        let Rows::Keep { bytes: limit } = self.rows else { return Ok(()) };
        self.room = self.room.checked_sub(bytes).ok_or(DecodeError::TooLong { what: "a result", limit })?;
        Ok(())
    }
}
