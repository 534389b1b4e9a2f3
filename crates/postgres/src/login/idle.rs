//! What the server says to a session that is held and not used: mostly nothing, or why it ends the session.

use std::task::{Context, Poll};

use peaje_engine::{Failure, Wire};

use super::failures;
use crate::protocol::MAX_MESSAGE;
use crate::protocol::backend::{self, BackendMessage};

/// Waits for the end of an idle session.
pub(super) fn poll_ended(wire: &mut Wire, context: &mut Context<'_>) -> Poll<Failure> {
    wire.poll_ended(context, heard, || failures::closed(None))
}

/// Takes the messages that have come whole. An error in answer to nothing is always the session's last word.
fn heard(wire: &mut Wire) -> Option<Failure> {
    loop {
        match backend::peek(wire.buffered()) {
            Ok(Some((_, length))) if length > MAX_MESSAGE => {
                return Some(failures::not_postgres("a message of impossible length", None));
            }
            Ok(Some((_, length))) if wire.buffered().len() >= length => {}
            Ok(_) => return None,
            Err(error) => return Some(failures::protocol(&error, None)),
        }
        let length = match backend::decode_backend(wire.buffered()) {
            Ok(Some((BackendMessage::Error(error), _))) => return Some(failures::rejected(&error, None, None)),
            // Notices, notifications, settings that were changed from outside.
            Ok(Some((_, length))) => length,
            Ok(None) => return None,
            Err(error) => return Some(failures::protocol(&error, None)),
        };
        wire.consume(length);
    }
}
