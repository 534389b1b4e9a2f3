//! Messages over a connection: waiting until one is complete, and skipping those of any length.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::OutcomeKind;

use super::failures;
use crate::protocol::backend::{self, BackendMessage};
use crate::protocol::{DecodeError, MAX_MESSAGE};

/// Waits until a whole message is buffered. What is queued leaves first.
pub(super) async fn await_message(wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
    loop {
        // The limit is checked on the header: a server must not make us buffer without end.
        match backend::peek(wire.buffered()).map_err(|e| failures::protocol(&e, trace.current()))? {
            Some((_, length)) if wire.buffered().len() >= length => return Ok(()),
            Some((tag, length)) if length > MAX_MESSAGE => {
                let error = DecodeError::TooLong { tag, length: length as u32, limit: MAX_MESSAGE };
                return Err(failures::protocol(&error, trace.current()));
            }
            _ => more(wire, trace).await?,
        }
    }
}

/// The first buffered message, after [`await_message`].
pub(super) fn first_message<'a>(wire: &'a Wire, trace: &Trace) -> Result<(BackendMessage<'a>, usize), Failure> {
    match backend::decode_backend(wire.buffered()) {
        Ok(Some(decoded)) => Ok(decoded),
        Ok(None) => Err(Failure::new(OutcomeKind::Protocol, "incomplete message").phase(trace.current())),
        Err(error) => Err(failures::protocol(&error, trace.current())),
    }
}

/// Waits for more bytes; the server's end is a failure.
pub(super) async fn more(wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
    match wire.fill(trace).await {
        Ok(0) => Err(failures::closed(trace.current())),
        Ok(_) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Drops a message of this whole length, of which perhaps only the beginning has arrived. Nothing is kept, however
/// long it is.
pub(super) async fn skip(wire: &mut Wire, length: usize, trace: &mut Trace) -> Result<(), Failure> {
    let mut left = length;
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
