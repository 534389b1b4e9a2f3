//! One connection's bytes: socket, optional TLS, what came and what is to go.
//!
//! A newcomer would use an async TLS stream. Here the last flight of a handshake (TLS 1.3's tickets) waits for the first
//! answer and leaves in the same packet, a login costs as few system calls as it can, and who only waits has no buffers.

mod carried;
mod stream;

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::{HandshakeKind, ServerConfig, ServerConnection};

use crate::seats::Seat;

pub(crate) use carried::Carrier;
pub(crate) use stream::{Stream, at_most, pause, run_alone};

const RECORD_BYTES: usize = 4096;

/// Bytes received; those before `from` are consumed.
#[derive(Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    from: usize,
}

impl Input {
    /// What is not yet consumed.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.from..]
    }

    /// Marks the first `n` bytes of the rest as consumed.
    pub(crate) fn consume(&mut self, n: usize) {
        self.from = (self.from + n).min(self.bytes.len());
        if self.from == self.bytes.len() {
            self.bytes.clear();
            self.from = 0;
        }
    }

    /// Gives the memory back, if it holds nothing.
    fn rest_empty(&mut self) {
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }

    fn make_room(&mut self, n: usize) {
        if self.from > 0 {
            self.bytes.drain(..self.from);
            self.from = 0;
        }
        self.bytes.reserve(n);
    }
}

/// A client's connection. Protocol code reads `input` and appends to `output`; nothing leaves before a flush.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    client: SocketAddr,
    seat: Seat,
    tls: Option<Box<Tls>>,
    pub(crate) input: Input,
    pub(crate) output: Vec<u8>,
}

#[derive(Debug)]
struct Tls {
    session: ServerConnection,
    /// Encrypted bytes received.
    records: Vec<u8>,
    /// Encrypted bytes to send.
    sealed: Vec<u8>,
    /// `sealed` holds nothing that the client waits for: it may leave with the next answer.
    may_wait: bool,
    /// The client has said goodbye inside TLS.
    closed: bool,
}

/// Why a handshake did not succeed.
#[derive(Debug)]
pub(crate) enum HandshakeEnd {
    /// The client has left.
    Left,
    /// The two sides do not agree; the client has been told.
    Failed,
}

impl Connection {
    pub(crate) fn new(stream: Stream, client: SocketAddr, seat: Seat) -> Self {
        let input = Input { bytes: Vec::new(), from: 0 };
        Self { stream, client, seat, tls: None, input, output: Vec::new() }
    }

    /// Position of its seat.
    pub(crate) fn seat(&self) -> usize {
        self.seat.at()
    }

    /// The process that serves it alone, or 0.
    pub(crate) fn process(&self) -> u32 {
        self.seat.process()
    }

    /// From now on its client may take its time.
    pub(crate) fn login_is_over(&mut self) -> io::Result<()> {
        self.stream.end_deadline()
    }

    /// Waits for at most so long until the client has sent something; `None` where waiting is the event loop's.
    pub(crate) fn waits_for_input(&self, longest: Duration) -> Option<io::Result<bool>> {
        let has = !self.input.rest().is_empty();
        self.stream.waits_for_input(if has { Duration::ZERO } else { longest }).map(|came| Ok(has || came?))
    }

    /// The client has this long to take what is still to be sent, where that is not the event loop's to see to.
    pub(crate) fn has_time_to_send(&self, longest: Duration) {
        self.stream.has_time_to_send(longest);
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// The protocol name that both sides agreed on during the handshake.
    pub(crate) fn alpn(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.session.alpn_protocol()
    }

    /// Version and cipher suite of TLS as OpenSSL names them, and whether the session was resumed; `None` = no TLS.
    pub(crate) fn tls_names(&self) -> Option<(String, String, bool)> {
        let session = &self.tls.as_ref()?.session;
        let version = match session.protocol_version()? {
            rustls::ProtocolVersion::TLSv1_3 => "TLSv1.3",
            _ => "TLSv1.2",
        };
        let suite = format!("{:?}", session.negotiated_cipher_suite()?.suite());
        let resumed = session.handshake_kind() == Some(HandshakeKind::Resumed);
        Some((version.to_owned(), openssl_name(&suite), resumed))
    }

    /// The client's address.
    pub(crate) fn client(&self) -> SocketAddr {
        self.client
    }

    /// Sends the output.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match &mut self.tls {
            None if self.output.is_empty() => return Ok(()),
            None => self.stream.write_all(&self.output).await?,
            Some(tls) => {
                tls.seal(&self.output);
                self.stream.write_all(&tls.sealed).await?;
                tls.sealed.clear();
                tls.may_wait = false;
            }
        }
        self.output.clear();
        Ok(())
    }

    /// Sends the output, then waits for more input. Returns how much came; 0 = the client has closed its side.
    pub(crate) async fn fill(&mut self) -> io::Result<usize> {
        match &self.tls {
            Some(tls) if tls.may_wait && self.output.is_empty() => {}
            _ => self.flush().await?,
        }
        if self.output.is_empty() {
            self.output = Vec::new();
        }
        self.input.rest_empty();
        let Some(tls) = &mut self.tls else {
            self.input.make_room(0);
            return self.stream.read(&mut self.input.bytes).await;
        };
        loop {
            tls.rest_empty();
            let got = self.stream.read(&mut tls.records).await?;
            let opened = tls.open(&mut self.input);
            if opened.is_err() {
                self.stream.write_all(&tls.sealed).await?;
            }
            match opened.map_err(io::Error::other)? {
                // The client's goodbye inside TLS is a goodbye.
                0 if got == 0 || tls.closed => return Ok(0),
                0 => {}
                plain => return Ok(plain),
            }
        }
    }

    /// TLS handshake; the client's first bytes may be in `input` already. Afterwards everything is encrypted.
    pub(crate) async fn handshake(&mut self, config: Arc<ServerConfig>) -> Result<HandshakeKind, HandshakeEnd> {
        self.flush().await.map_err(|_| HandshakeEnd::Left)?;
        let session = ServerConnection::new(config).map_err(|_| HandshakeEnd::Failed)?;
        let mut tls = Box::new(Tls::new(session, self.input.rest()));
        self.input.consume(self.input.rest().len());
        let mut opened = tls.open(&mut self.input);
        while opened.is_ok() && tls.session.is_handshaking() {
            self.stream.write_all(&tls.sealed).await.map_err(|_| HandshakeEnd::Left)?;
            tls.sealed.clear();
            if self.stream.read(&mut tls.records).await.unwrap_or(0) == 0 {
                return Err(HandshakeEnd::Left);
            }
            opened = tls.open(&mut self.input);
        }
        if opened.is_err() {
            // An alert for the client is queued: it should learn why.
            let _ = self.stream.write_all(&tls.sealed).await;
            return Err(HandshakeEnd::Failed);
        }
        // In TLS 1.2 the client waits for this flight; in 1.3 it holds tickets, which can wait for the first answer.
        tls.may_wait = tls.session.protocol_version() == Some(rustls::ProtocolVersion::TLSv1_3);
        let kind = tls.session.handshake_kind().unwrap_or(HandshakeKind::Full);
        self.tls = Some(tls);
        Ok(kind)
    }

    /// Sends the output and says goodbye inside TLS: the last thing a server that ends a session does.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            tls.seal(&self.output);
            self.output.clear();
            tls.session.send_close_notify();
        }
        self.flush().await?;
        // Closing with unread input would reset the connection, and the client might lose the last message.
        self.stream.shutdown().await?;
        self.stream.discard();
        Ok(())
    }

    /// Makes the close a TCP reset.
    pub(crate) fn reset(self) {
        // Without it the close is a polite one: nothing worse.
        self.stream.reset_on_close();
    }
}

/// `TLS13_AES_256_GCM_SHA384` is `TLS_AES_256_GCM_SHA384` there, and
/// `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256`.
fn openssl_name(suite: &str) -> String {
    match suite.strip_prefix("TLS13_") {
        Some(rest) => format!("TLS_{rest}"),
        None => suite
            .trim_start_matches("TLS_")
            .replace("WITH_", "")
            .replace("AES_", "AES")
            .replace("POLY1305_SHA256", "POLY1305")
            .replace('_', "-"),
    }
}

impl Tls {
    fn new(mut session: ServerConnection, received: &[u8]) -> Self {
        // Output is bounded by the protocol code above.
        session.set_buffer_limit(None);
        let records = received.to_vec();
        Self { session, records, sealed: Vec::with_capacity(RECORD_BYTES), may_wait: false, closed: false }
    }

    fn seal(&mut self, plain: &[u8]) {
        if !plain.is_empty() {
            self.session.writer().write_all(plain).expect("rustls buffers without limit");
        }
        self.drain();
    }

    /// Gives the memory of empty buffers back.
    fn rest_empty(&mut self) {
        for buffer in [&mut self.records, &mut self.sealed] {
            if buffer.is_empty() {
                *buffer = Vec::new();
            }
        }
    }

    fn drain(&mut self) {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.sealed).expect("writing to memory does not fail");
        }
    }

    /// Decrypts what came and queues what TLS itself has to say. Returns the plain bytes gained.
    fn open(&mut self, input: &mut Input) -> Result<usize, rustls::Error> {
        let mut rest = self.records.as_slice();
        let mut gained = 0;
        let mut outcome = Ok(());
        while !rest.is_empty() && outcome.is_ok() {
            if self.session.read_tls(&mut rest).is_err() {
                break;
            }
            outcome = self.session.process_new_packets().map(|state| {
                let available = state.plaintext_bytes_to_read();
                input.make_room(available);
                let start = input.bytes.len();
                input.bytes.resize(start + available, 0);
                let read = self.session.reader().read(&mut input.bytes[start..]).unwrap_or(0);
                input.bytes.truncate(start + read);
                gained += read;
                self.closed |= state.peer_has_closed();
            });
        }
        let consumed = self.records.len() - rest.len();
        self.records.drain(..consumed);
        self.drain();
        outcome.map(|()| gained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cipher_suites_as_openssl_names_them() {
        for (suite, name) in [
            ("TLS13_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
            ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"),
            ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
        ] {
            assert_eq!(openssl_name(suite), name);
        }
    }
}
