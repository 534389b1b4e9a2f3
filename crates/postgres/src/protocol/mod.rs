//! PostgreSQL's wire protocol, version 3.0: bytes in, bytes out, for both sides. No socket, no clock, no randomness.
//!
//! A newcomer would expect a decoder to wait for a whole message. It never waits: it is given what has arrived and
//! answers `Ok(None)` when more is needed, so that any kind of I/O can drive it. Lengths come from the other side and
//! are believed only within bounds.

pub mod backend;
pub mod frontend;
pub mod md5;
pub mod scram;

mod read;
mod write;

/// Longest message accepted, length word included. PostgreSQL's own login messages stay below 30 kB; rows of a result
/// may be longer and are skipped with [`backend::peek`] instead of being decoded.
pub const MAX_MESSAGE: usize = 1 << 20;

/// Longest start-up packet, as in PostgreSQL (`MAX_STARTUP_PACKET_LENGTH`).
pub const MAX_STARTUP: usize = 10_000;

/// Why bytes are not a message of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The length word is smaller than the smallest message of that kind.
    #[error("message `{}` with the impossible length {length}", tag.escape_ascii())]
    TooShort {
        /// Type of the message; 0 for a start-up packet, which has none.
        tag: u8,
        /// Length word.
        length: u32,
    },
    /// The length word is over the limit: most likely the other side speaks another protocol.
    #[error("message `{}` of {length} bytes: more than the {limit} allowed here", tag.escape_ascii())]
    TooLong {
        /// Type of the message; 0 for a start-up packet.
        tag: u8,
        /// Length word.
        length: u32,
        /// The limit.
        limit: usize,
    },
    /// The message ends before its last field, or goes on after it.
    #[error("message `{}` does not hold what it should: {what}", tag.escape_ascii())]
    Malformed {
        /// Type of the message; 0 for a start-up packet.
        tag: u8,
        /// The field.
        what: &'static str,
    },
}

#[cfg(test)]
pub(crate) mod tests;
