//! Packets over a connection: waiting until one is complete, and passing over those of any length.

use peaje_engine::{Failure, Trace, Wire};

use super::failures;
use crate::protocol::packet::{self, HEADER, Header};
use crate::protocol::{DecodeError, reply};

/// Waits until a whole packet of at most `limit` bytes is buffered. What is queued leaves first.
pub(super) async fn await_packet(
    wire: &mut Wire,
    expected: u8,
    limit: usize,
    trace: &mut Trace,
) -> Result<Header, Failure> {
    let header = loop {
        match packet::header(wire.buffered()) {
            Some(header) => break header,
            None => more(wire, trace).await?,
        }
    };
    // The limit is held against the header: a server must not make us buffer without end.
    if header.length > limit {
        return Err(failures::protocol(&DecodeError::TooLong { length: header.length, limit }, trace.current()));
    }
    while wire.buffered().len() < HEADER + header.length {
        more(wire, trace).await?;
    }
    let first = payload(wire, header).first().copied();
    in_order(header, first, expected).map_err(|e| failures::protocol(&e, trace.current()))?;
    Ok(header)
}

/// Waits for the header and the first byte behind it, if there is one.
pub(super) async fn await_header(
    wire: &mut Wire,
    expected: u8,
    trace: &mut Trace,
) -> Result<(Header, Option<u8>), Failure> {
    loop {
        if let Some(header) = packet::header(wire.buffered()) {
            let first = wire.buffered().get(HEADER).copied();
            if first.is_some() || header.length == 0 {
                in_order(header, first, expected).map_err(|e| failures::protocol(&e, trace.current()))?;
                return Ok((header, first));
            }
        }
        more(wire, trace).await?;
    }
}

/// A server that gives up a session says so in an error whose number belongs to no exchange.
fn in_order(header: Header, first: Option<u8>, expected: u8) -> Result<(), DecodeError> {
    if header.sequence == expected || first == Some(reply::ERROR) {
        return Ok(());
    }
    Err(DecodeError::OutOfOrder { got: header.sequence, expected })
}

/// The payload of the packet that [`await_packet`] has waited for.
pub(super) fn payload(wire: &Wire, header: Header) -> &[u8] {
    wire.buffered().get(HEADER..HEADER + header.length).unwrap_or_default()
}

/// Drops that packet.
pub(super) fn consume(wire: &mut Wire, header: Header) {
    wire.consume(HEADER + header.length);
}

/// Waits for more bytes; the server's end is a failure.
pub(super) async fn more(wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
    match wire.fill(trace).await {
        Ok(0) => Err(failures::closed(trace.current())),
        Ok(_) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Drops a packet of which perhaps only the beginning has arrived. Nothing is kept, however long it is.
pub(super) async fn skip(wire: &mut Wire, header: Header, trace: &mut Trace) -> Result<(), Failure> {
    let mut left = HEADER + header.length;
    loop {
        let here = left.min(wire.buffered().len());
        wire.consume(here);
        left -= here;
        if left == 0 {
            return Ok(());
        }
        more(wire, trace).await?;
    }
}
