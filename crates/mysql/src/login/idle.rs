//! What the server says to a session that is held and not used: nothing, or why it ends the session.

use std::task::{Context, Poll};

use peaje_engine::{Failure, Wire};

use super::failures;
use crate::protocol::packet::{self, HEADER};
use crate::protocol::reply::ServerError;
use crate::protocol::{DecodeError, MAX_CONTROL};

/// Waits for the end of an idle session.
pub(super) fn poll_ended(wire: &mut Wire, context: &mut Context<'_>) -> Poll<Failure> {
    wire.poll_ended(context, heard, || failures::closed(None))
}

/// Servers say nothing without being asked, except why they end a session.
fn heard(wire: &mut Wire) -> Option<Failure> {
    let header = packet::header(wire.buffered())?;
    if header.length > MAX_CONTROL {
        let error = DecodeError::TooLong { length: header.length, limit: MAX_CONTROL };
        return Some(failures::protocol(&error, None));
    }
    let payload = wire.buffered().get(HEADER..HEADER + header.length)?;
    Some(match ServerError::decode(payload) {
        Ok(error) => failures::rejected(&error, None),
        Err(error) => failures::protocol(&error, None),
    })
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use peaje_engine::Socket;
    use peaje_model::OutcomeKind;
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    use super::*;

    async fn after(bytes: &[u8]) -> Failure {
        let (ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        theirs.write_all(bytes).await.expect("room");
        drop(theirs);
        poll_fn(|context| poll_ended(&mut wire, context)).await
    }

    #[tokio::test]
    async fn the_last_word_is_the_reason() {
        let mut packet = Vec::new();
        let error =
            ServerError { code: 4031, sqlstate: Some(*b"HY000"), message: b"disconnected because of inactivity" };
        error.encode(&mut packet, 0);
        let failure = after(&packet).await;
        assert_eq!((failure.code.as_deref(), failure.kind), (Some("4031"), OutcomeKind::Reset));
        assert!(failure.message.starts_with("disconnected because"), "{failure:?}");
    }

    #[tokio::test]
    async fn silence_and_nonsense() {
        assert_eq!(after(b"").await.code, None);
        assert_eq!(after(&[9, 0, 0]).await.kind, OutcomeKind::Reset, "half a header is no word");
        assert_eq!(after(&[1, 0, 0, 0, 0]).await.kind, OutcomeKind::Protocol, "an OK to nothing");
        assert_eq!(after(&[0xff; 64]).await.kind, OutcomeKind::Protocol, "a length beyond reason");
    }
}
