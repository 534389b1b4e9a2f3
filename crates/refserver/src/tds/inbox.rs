//! Messages of a client, put together from its packets.

use peaje_sqlserver::protocol::MAX_MESSAGE;
use peaje_sqlserver::protocol::packet::{Assembler, Framing, Message, PacketKind};

use crate::connection::{Carrier, Connection};
use crate::end::End;

/// Longest message before the login has succeeded: an access token is the longest part of it.
const LONGEST_LOGIN: usize = 128 * 1024;
/// Longest flight of a handshake.
const LONGEST_FLIGHT: usize = 64 * 1024;

/// Messages that come in.
#[derive(Debug)]
pub(super) struct Inbox {
    assembler: Assembler,
}

impl Inbox {
    /// Of a client that has not logged in.
    pub(super) fn of_stranger() -> Self {
        Self { assembler: Assembler::new(LONGEST_LOGIN) }
    }

    /// Of a client that has.
    pub(super) fn of_session() -> Self {
        Self { assembler: Assembler::new(MAX_MESSAGE) }
    }

    /// The next message. Sends the output before it waits. May be dropped while it waits: nothing is lost.
    pub(super) async fn next(&mut self, connection: &mut Connection) -> Result<Message, End> {
        loop {
            // Whoever sends anything else does not speak the protocol, and would not understand the answer.
            let (taken, message) = self.assembler.take(connection.input.rest()).map_err(|_| End::Silent)?;
            connection.input.consume(taken);
            if let Some(message) = message {
                return Ok(message);
            }
            if connection.fill().await? == 0 {
                return Err(End::Left);
            }
        }
    }
}

/// Carries the handshake's records in PRELOGIN messages.
#[derive(Debug)]
pub(super) struct InPrelogin {
    assembler: Assembler,
}

impl InPrelogin {
    pub(super) fn new() -> Self {
        Self { assembler: Assembler::new(LONGEST_FLIGHT) }
    }
}

impl Carrier for InPrelogin {
    fn unpack(&mut self, received: &[u8], records: &mut Vec<u8>) -> Option<usize> {
        // One message only: behind the last one, bare records may follow.
        let (taken, message) = self.assembler.take(received).ok()?;
        match message {
            Some(message) if message.kind == PacketKind::Prelogin => records.extend_from_slice(&message.payload),
            Some(_) => return None,
            None => {}
        }
        Some(taken)
    }

    fn pack(&self, records: &[u8], out: &mut Vec<u8>) {
        Framing::new(PacketKind::Prelogin).write(out, records);
    }
}
