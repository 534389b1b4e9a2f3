//! Packets of a login, one after the other: each side's continue the other's numbers.

use crate::connection::Connection;
use crate::end::End;

use super::packet::{PacketError, Writer, decode};
use super::reply::SqlError;

/// Longest packet of a login.
pub(crate) const LONGEST_LOGIN: usize = 64 * 1024;

/// A connection, and the number of its next packet.
#[derive(Debug)]
pub(crate) struct Dialogue<'c> {
    pub(crate) connection: &'c mut Connection,
    pub(crate) sequence: u8,
}

impl Dialogue<'_> {
    /// Queues a packet.
    pub(crate) fn send(&mut self, body: impl FnOnce(&mut Vec<u8>)) {
        self.writer().packet(body);
        self.sequence = self.sequence.wrapping_add(1);
    }

    /// Queues an error that ends the connection.
    pub(crate) fn fatal(&mut self, error: &SqlError) -> End {
        error.write(&mut self.writer());
        End::Told
    }

    pub(crate) fn writer(&mut self) -> Writer<'_> {
        Writer { out: &mut self.connection.output, sequence: self.sequence }
    }

    /// Sends what is queued and waits for the client's next packet.
    pub(crate) async fn receive(&mut self, longest: usize) -> Result<Vec<u8>, End> {
        loop {
            match decode(self.connection.input.rest(), longest) {
                Ok(Some(packet)) if packet.sequence != self.sequence => {
                    return Err(self.fatal(&out_of_order()));
                }
                Ok(Some(packet)) => {
                    let (body, used) = (packet.body.to_vec(), packet.used);
                    self.connection.input.consume(used);
                    self.sequence = self.sequence.wrapping_add(1);
                    return Ok(body);
                }
                Ok(None) => {}
                Err(error) => return Err(self.fatal(&broken(error))),
            }
            if self.connection.fill().await? == 0 {
                return Err(End::Left);
            }
        }
    }
}

/// What is said of bytes that are no packet.
pub(crate) fn broken(error: PacketError) -> SqlError {
    match error {
        PacketError::TooLong => SqlError::new(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"),
        PacketError::Malformed => SqlError::new(1835, "HY000", "Malformed communication packet."),
    }
}

pub(crate) fn out_of_order() -> SqlError {
    SqlError::new(1156, "08S01", "Got packets out of order")
}
