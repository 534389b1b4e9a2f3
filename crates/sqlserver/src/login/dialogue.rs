//! Packets and tokens over a connection.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::OutcomeKind;

use super::failures;
use crate::protocol::packet::{self, HEADER, Header, PacketKind};
use crate::protocol::token::{Rows, Token, TokenReader};
use crate::protocol::types::Column;

/// Waits until a whole packet is buffered. A packet is 64 KiB at most, so no other limit is needed.
pub(super) async fn await_packet(wire: &mut Wire, trace: &mut Trace) -> Result<Header, Failure> {
    loop {
        match packet::peek(wire.buffered()).map_err(|e| failures::protocol(&e, trace.current()))? {
            Some(header) if wire.buffered().len() >= header.length => return Ok(header),
            _ => more(wire, trace).await?,
        }
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

/// One answer of the server, token by token.
pub(super) struct Answer {
    reader: TokenReader,
    ended: bool,
    /// The server's session number, from the packets' headers.
    pub(super) spid: u16,
}

impl Answer {
    pub(super) fn new(rows: Rows) -> Self {
        Self { reader: TokenReader::new(rows), ended: false, spid: 0 }
    }

    /// The columns of the rows that are being read.
    pub(super) fn columns(&self) -> &[Column] {
        self.reader.columns()
    }

    /// The next token; `None` = the answer has ended. What is queued leaves first.
    pub(super) async fn next(&mut self, wire: &mut Wire, trace: &mut Trace) -> Result<Option<Token>, Failure> {
        loop {
            if let Some(token) = self.reader.next_token().map_err(|e| failures::protocol(&e, trace.current()))? {
                return Ok(Some(token));
            }
            if self.ended && self.reader.is_between_tokens() {
                return Ok(None);
            }
            if self.ended {
                return Err(failures::not_sql_server("an answer that ends within a token", trace.current()));
            }
            self.packet(wire, trace).await?;
        }
    }

    async fn packet(&mut self, wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
        let header = await_packet(wire, trace).await?;
        match header.kind {
            PacketKind::Response => {
                self.spid = header.spid;
                self.ended = header.last;
                self.reader.push(&wire.buffered()[HEADER..header.length]);
            }
            // Tickets that a server sends behind the handshake, when TLS has been left already.
            PacketKind::Prelogin => {}
            _ => return Err(failures::not_sql_server("a packet that servers do not send", trace.current())),
        }
        wire.consume(header.length);
        Ok(())
    }
}

/// A whole message of the server that is not made of tokens.
pub(super) async fn whole_message(wire: &mut Wire, limit: usize, trace: &mut Trace) -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    loop {
        let header = await_packet(wire, trace).await?;
        if header.kind != PacketKind::Response {
            return Err(failures::not_sql_server("a packet that servers do not send", trace.current()));
        }
        payload.extend_from_slice(&wire.buffered()[HEADER..header.length]);
        wire.consume(header.length);
        if payload.len() > limit {
            let failure = Failure::new(OutcomeKind::Protocol, "an answer to PRELOGIN of impossible length");
            return Err(failure.phase(trace.current()));
        }
        if header.last {
            return Ok(payload);
        }
    }
}
