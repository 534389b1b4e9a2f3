//! How a protocol carries the records of a TLS handshake within messages of its own.
//!
//! A newcomer would expect it to carry everything that way. Only the handshake travels in envelopes; afterwards the
//! records are bare on the socket.

use std::fmt::Debug;

/// Puts handshake records into a protocol's messages and takes them out again.
pub trait Envelope: Debug + Send + Sync {
    /// Appends these records in as many envelopes as it takes.
    fn wrap(&self, records: &[u8], out: &mut Vec<u8>);

    /// Looks at the front of what has arrived. An error is a sentence for a person.
    fn open<'a>(&self, bytes: &'a [u8]) -> Result<Opened<'a>, String>;
}

/// What stands at the front of the bytes that have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened<'a> {
    /// An envelope.
    Envelope {
        /// The records, or a part of them.
        records: &'a [u8],
        /// Length of the whole envelope.
        length: usize,
    },
    /// The beginning of an envelope: more bytes are needed.
    More,
    /// A bare record.
    Bare,
}
