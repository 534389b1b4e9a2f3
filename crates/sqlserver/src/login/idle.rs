//! What the server says to a session that is held and not used: nothing, or why it ends the session.

use std::task::{Context, Poll};

use peaje_engine::{Failure, Wire};

use super::failures;
use crate::protocol::packet::{self, HEADER, PacketKind};
use crate::protocol::token::{Rows, Token, TokenReader};

/// Waits for the end of an idle session.
pub(super) fn poll_ended(wire: &mut Wire, context: &mut Context<'_>) -> Poll<Failure> {
    wire.poll_ended(context, heard, || failures::closed(None))
}

/// Takes the packets that have come whole. An error in answer to nothing is always the session's last word.
fn heard(wire: &mut Wire) -> Option<Failure> {
    loop {
        let header = match packet::peek(wire.buffered()) {
            Ok(Some(header)) if wire.buffered().len() >= header.length => header,
            Ok(_) => return None,
            Err(error) => return Some(failures::protocol(&error, None)),
        };
        if header.kind == PacketKind::Response {
            let mut reader = TokenReader::new(Rows::Skip);
            reader.push(&wire.buffered()[HEADER..header.length]);
            loop {
                match reader.next_token() {
                    Ok(Some(Token::Error(message))) => return Some(failures::of_query(&message, None)),
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) => return Some(failures::protocol(&error, None)),
                }
            }
        }
        wire.consume(header.length);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use peaje_engine::Socket;
    use peaje_model::OutcomeKind;
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    use super::*;
    use crate::protocol::packet::Framing;
    use crate::protocol::token::{ServerMessage, write};

    fn said(number: i32, severity: u8, write: fn(&mut Vec<u8>, &ServerMessage)) -> Vec<u8> {
        let message = ServerMessage { number, severity, message: "words".to_owned(), ..ServerMessage::default() };
        let (mut payload, mut packet) = (Vec::new(), Vec::new());
        write(&mut payload, &message);
        Framing::new(PacketKind::Response).write(&mut packet, &payload);
        packet
    }

    #[tokio::test]
    async fn words_without_an_end_are_taken_in_and_the_last_word_is_the_reason() {
        let (ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        theirs.write_all(&said(5701, 0, write::info)).await.expect("room");
        let last = said(596, 21, write::error);
        theirs.write_all(&last[..5]).await.expect("room");
        tokio::task::yield_now().await;
        let pending = poll_fn(|context| std::task::Poll::Ready(poll_ended(&mut wire, context).is_pending())).await;
        assert!(pending, "half a message is no reason");
        theirs.write_all(&last[5..]).await.expect("room");
        let failure = poll_fn(|context| poll_ended(&mut wire, context)).await;
        assert_eq!((failure.code.as_deref(), failure.kind), (Some("596"), OutcomeKind::Reset));
    }

    #[tokio::test]
    async fn silence_and_nonsense() {
        let (ours, theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        drop(theirs);
        let failure = poll_fn(|context| poll_ended(&mut wire, context)).await;
        assert_eq!((failure.code, failure.kind), (None, OutcomeKind::Reset));
        let (ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        theirs.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("room");
        assert_eq!(poll_fn(|context| poll_ended(&mut wire, context)).await.kind, OutcomeKind::Protocol);
    }
}
