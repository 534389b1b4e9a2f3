//! A connection's bytes: socket, optional TLS, buffers; round trips and the CPU of cryptography are counted here.
//!
//! A newcomer would use an async TLS stream. peaje drives TLS itself, because only then can the CPU spent in the
//! cryptography be told from the time spent waiting, and because the last flight of a handshake can travel in the same
//! packet as the first message of the protocol.

mod idle;

use std::io::{self, Read, Write};

use rustls::ClientConnection;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::{TcpStream, UnixStream};

use peaje_model::{Phase, TlsScope};

use crate::{ClientTls, Envelope, Failure, Opened, ThreadCpu, TlsFacts, Trace};

const FIRST_READ: usize = 4096;
/// The record that TLS 1.3 clients send for the sake of middleboxes (RFC 8446, appendix D.4).
const CHANGE_CIPHER_SPEC: [u8; 6] = [0x14, 0x03, 0x03, 0x00, 0x01, 0x01];

/// A connected socket.
#[derive(Debug)]
pub enum Socket {
    /// TCP.
    Tcp(TcpStream),
    /// Unix domain socket.
    Unix(UnixStream),
}

impl Socket {
    async fn read_buf(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.read_buf(buffer).await,
            Socket::Unix(s) => s.read_buf(buffer).await,
        }
    }

    /// Gives the last bytes of a connection to the system, which sends them together with the close. Returns how many
    /// it has taken.
    fn hold_until_close(&self, bytes: &[u8]) -> usize {
        let Socket::Tcp(stream) = self else { return 0 };
        let send = || rustix::net::send(stream, bytes, rustix::net::SendFlags::MORE).map_err(io::Error::from);
        // Whatever is wrong shows again when the rest is sent.
        stream.try_io(Interest::WRITABLE, send).unwrap_or(0)
    }

    async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Socket::Tcp(s) => s.write_all(bytes).await,
            Socket::Unix(s) => s.write_all(bytes).await,
        }
    }

    /// Closes this side; the other may still send.
    async fn shut_down(&mut self) -> io::Result<()> {
        match self {
            Socket::Tcp(s) => s.shutdown().await,
            Socket::Unix(s) => s.shutdown().await,
        }
    }
}

/// A connection: what was received and not yet consumed, what is queued and not yet sent.
pub struct Wire {
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
    /// Plain bytes received; those before `read_from` are consumed.
    received: Vec<u8>,
    read_from: usize,
    /// Plain bytes queued (without TLS), or TLS records to send.
    queued: Vec<u8>,
    /// Encrypted bytes received, with TLS only.
    records: Vec<u8>,
    /// How the handshake's records travel; `None` = bare.
    envelope: Option<&'static dyn Envelope>,
    /// Bytes received in which there are envelopes.
    sealed: Vec<u8>,
    /// Something was sent since the last wait: the next wait is a round trip.
    sent: bool,
}

/// Without the bytes: passwords are among them.
impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire")
            .field("socket", &self.socket)
            .field("encrypted", &self.tls.is_some())
            .finish_non_exhaustive()
    }
}

impl Wire {
    /// Wraps a connected socket.
    pub fn new(socket: Socket) -> Self {
        Self {
            socket,
            tls: None,
            received: Vec::with_capacity(FIRST_READ),
            read_from: 0,
            queued: Vec::with_capacity(256),
            records: Vec::new(),
            envelope: None,
            sealed: Vec::new(),
            sent: false,
        }
    }

    /// The socket itself.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Whether what is sent and received now is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Certificate chain of the server, leaf first; empty without TLS.
    pub fn peer_certificate(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.peer_certificates()?.first().map(AsRef::as_ref)
    }

    /// Bytes received and not yet consumed.
    pub fn buffered(&self) -> &[u8] {
        &self.received[self.read_from..]
    }

    /// Marks the first `n` buffered bytes as consumed.
    pub fn consume(&mut self, n: usize) {
        self.read_from = (self.read_from + n).min(self.received.len());
        if self.read_from == self.received.len() {
            self.received.clear();
            self.read_from = 0;
        }
    }

    /// Queues bytes; they leave with the next [`Wire::flush`] or [`Wire::fill`].
    pub fn queue(&mut self, bytes: &[u8], trace: &mut Trace) {
        match &mut self.tls {
            None => self.queued.extend_from_slice(bytes),
            Some(tls) => {
                let before = ThreadCpu::now();
                tls.writer().write_all(bytes).expect("rustls buffers without limit");
                drain_tls(tls, &mut self.queued);
                trace.add_crypto(ThreadCpu::now().since(before));
            }
        }
    }

    /// Sends what is queued.
    pub async fn flush(&mut self) -> io::Result<()> {
        if !self.queued.is_empty() {
            self.socket.write_all(&self.queued).await?;
            self.queued.clear();
            self.sent = true;
        }
        Ok(())
    }

    /// Sends what is queued, then waits for more bytes. Returns how many plain bytes came; 0 = the server has closed.
    /// The wait counts as one round trip of the open phase if anything was sent since the last one.
    pub async fn fill(&mut self, trace: &mut Trace) -> Result<usize, Failure> {
        self.flush().await.map_err(|e| Failure::from_io(&e, trace.current()))?;
        if self.read_from > 0 {
            self.received.drain(..self.read_from);
            self.read_from = 0;
        }
        if std::mem::take(&mut self.sent) {
            trace.count_round_trip();
        }
        if self.tls.is_none() {
            self.received.reserve(FIRST_READ / 4);
            return self.socket.read_buf(&mut self.received).await.map_err(|e| Failure::from_io(&e, trace.current()));
        }
        self.fill_encrypted(trace).await
    }

    async fn fill_encrypted(&mut self, trace: &mut Trace) -> Result<usize, Failure> {
        loop {
            // One read may have brought more records than were asked for, or only a ticket.
            let got = self.read_records(trace).await?;
            let plain = self.decrypt(trace)?;
            self.flush().await.map_err(|e| Failure::from_io(&e, trace.current()))?;
            if plain > 0 || got == 0 {
                return Ok(plain);
            }
        }
    }

    async fn read_records(&mut self, trace: &Trace) -> Result<usize, Failure> {
        let into = if self.envelope.is_some() { &mut self.sealed } else { &mut self.records };
        into.reserve(FIRST_READ);
        let got = self.socket.read_buf(into).await.map_err(|e| Failure::from_io(&e, trace.current()))?;
        self.open_envelopes(trace)?;
        Ok(got)
    }

    /// Moves what has arrived in envelopes to the records.
    fn open_envelopes(&mut self, trace: &Trace) -> Result<(), Failure> {
        let Some(envelope) = self.envelope else { return Ok(()) };
        let mut rest = self.sealed.as_slice();
        while !rest.is_empty() {
            match envelope.open(rest) {
                Ok(Opened::More) => break,
                Ok(Opened::Envelope { records, length }) => {
                    self.records.extend_from_slice(records);
                    rest = &rest[length..];
                }
                // From here on records are bare.
                Ok(Opened::Bare) => {
                    self.records.extend_from_slice(rest);
                    self.sealed = Vec::new();
                    self.envelope = None;
                    return Ok(());
                }
                Err(words) => {
                    return Err(Failure::new(peaje_model::OutcomeKind::Protocol, words).phase(trace.current()));
                }
            }
        }
        let opened = self.sealed.len() - rest.len();
        self.sealed.drain(..opened);
        Ok(())
    }

    /// Puts the records that are queued into envelopes, if they travel in such.
    fn seal(&mut self) {
        if let Some(envelope) = self.envelope
            && !self.queued.is_empty()
        {
            let records = std::mem::take(&mut self.queued);
            envelope.wrap(&records, &mut self.queued);
        }
    }

    /// Feeds the received records to TLS; queues what TLS wants to send. Returns the plain bytes gained.
    fn decrypt(&mut self, trace: &mut Trace) -> Result<usize, Failure> {
        let Some(tls) = &mut self.tls else { return Ok(0) };
        let before = ThreadCpu::now();
        let result = feed_tls(tls, &mut self.records, &mut self.received);
        drain_tls(tls, &mut self.queued);
        trace.add_crypto(ThreadCpu::now().since(before));
        result.map_err(|e| Failure::from_tls(&e).phase(trace.current()))
    }

    /// TLS handshake in the open phase. Afterwards everything is encrypted.
    ///
    /// The client's last flight may still be queued: it leaves with the first message.
    pub async fn handshake(&mut self, tls: &ClientTls, host: &str, trace: &mut Trace) -> Result<TlsFacts, Failure> {
        self.handshake_as(tls, host, None, trace).await
    }

    /// The same, with the handshake's records in a protocol's envelopes. Afterwards records are bare.
    pub async fn handshake_within(
        &mut self,
        envelope: &'static dyn Envelope,
        tls: &ClientTls,
        host: &str,
        trace: &mut Trace,
    ) -> Result<TlsFacts, Failure> {
        self.handshake_as(tls, host, Some(envelope), trace).await
    }

    async fn handshake_as(
        &mut self,
        tls: &ClientTls,
        host: &str,
        envelope: Option<&'static dyn Envelope>,
        trace: &mut Trace,
    ) -> Result<TlsFacts, Failure> {
        if !self.buffered().is_empty() {
            // Bytes in clear before the handshake would be taken for encrypted ones: somebody may have put them there.
            return Err(Failure::new(
                peaje_model::OutcomeKind::Protocol,
                "unencrypted bytes after the answer to the TLS request",
            )
            .phase(Some(Phase::Tls)));
        }
        let before = ThreadCpu::now();
        let connection = tls.connection(host);
        trace.add_crypto(ThreadCpu::now().since(before));
        let connection = connection
            .map_err(|e| Failure::new(peaje_model::OutcomeKind::TlsFailed, e.to_string()).phase(Some(Phase::Tls)))?;
        self.tls = Some(Box::new(connection));
        self.envelope = envelope;
        self.decrypt(trace)?;
        while self.tls.as_ref().is_some_and(|t| t.is_handshaking()) {
            // That record is for middleboxes and gets no answer: sent alone, the next wait would look like a round trip.
            if self.queued != CHANGE_CIPHER_SPEC {
                self.seal();
                self.flush().await.map_err(|e| Failure::from_io(&e, trace.current()))?;
            }
            if std::mem::take(&mut self.sent) {
                trace.count_round_trip();
            }
            let got = self.read_records(trace).await?;
            let alert = self.decrypt(trace);
            if alert.is_err() {
                // The server should learn why: TLS has queued an alert for it.
                self.seal();
                let _ = self.flush().await;
                alert?;
            }
            if got == 0 {
                return Err(closed_during_handshake().phase(trace.current()));
            }
        }
        // The last flight belongs to the handshake; the messages that follow it in the queue do not.
        self.seal();
        let facts = self.tls_facts(tls).ok_or_else(|| closed_during_handshake().phase(trace.current()))?;
        trace.certificate_ends_s = self.peer_certificate().and_then(|der| tls.certificate_ends_s(der));
        trace.tls = Some(facts);
        Ok(facts)
    }

    fn tls_facts(&self, tls: &ClientTls) -> Option<TlsFacts> {
        let connection = self.tls.as_ref()?;
        Some(TlsFacts {
            version: connection.protocol_version()?,
            cipher: connection.negotiated_cipher_suite()?.suite(),
            key_exchange: connection.negotiated_key_exchange_group().map(rustls::crypto::SupportedKxGroup::name),
            server_key: self.peer_certificate().and_then(|der| tls.server_key(der)),
            resumed: connection.handshake_kind() == Some(rustls::HandshakeKind::Resumed),
            scope: TlsScope::Session,
        })
    }

    /// Goes on without TLS: what is queued leaves encrypted, what is queued from now on does not, and what the server
    /// sends is taken as it comes. For protocols that protect the login only.
    pub fn leave_tls(&mut self, trace: &mut Trace) {
        if self.tls.take().is_none() {
            return;
        }
        // The server knows where TLS ends: bytes that came behind its last record are plain.
        self.received.append(&mut self.records);
        self.received.append(&mut self.sealed);
        self.envelope = None;
        if let Some(facts) = &mut trace.tls {
            facts.scope = TlsScope::LoginOnly;
        }
    }

    /// The name agreed by ALPN.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.alpn_protocol()
    }

    /// Sends what is queued (with TLS's own goodbye), then waits until the server has closed its side. A reset counts
    /// as closed: the server may be gone before it reads the goodbye.
    pub async fn close_politely(mut self, trace: &mut Trace) -> Result<(), Failure> {
        self.say_tls_goodbye();
        match self.flush().await {
            Ok(()) => self.await_close(trace).await,
            Err(error) => closed_is_fine(error).map_err(|e| Failure::from_io(&e, trace.current())),
        }
    }

    /// The same for protocols without a goodbye: closes this side of the connection (with TLS's goodbye), which is what
    /// tells the server, then waits until it has closed its own.
    pub async fn close_this_side(mut self, trace: &mut Trace) -> Result<(), Failure> {
        self.say_tls_goodbye();
        let mut closed = self.flush().await;
        if closed.is_ok() {
            closed = self.socket.shut_down().await;
        }
        match closed {
            Ok(()) => self.await_close(trace).await,
            Err(error) => closed_is_fine(error).map_err(|e| Failure::from_io(&e, trace.current())),
        }
    }

    async fn await_close(&mut self, trace: &mut Trace) -> Result<(), Failure> {
        self.envelope = None;
        trace.count_round_trip();
        loop {
            self.records.clear();
            match self.read_records(trace).await {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(failure) if failure.kind == peaje_model::OutcomeKind::Reset => return Ok(()),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Sends what is queued and closes at once. The goodbye and the end of the connection travel in one packet.
    pub async fn close_quickly(mut self, trace: &mut Trace) -> Result<(), Failure> {
        self.say_tls_goodbye();
        let held = self.socket.hold_until_close(&self.queued);
        self.queued.drain(..held);
        match self.flush().await {
            Ok(()) => Ok(()),
            Err(error) => closed_is_fine(error).map_err(|e| Failure::from_io(&e, trace.current())),
        }
    }

    /// Closes by TCP reset, without a goodbye. A Unix socket is just closed.
    pub fn close_by_reset(self) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(s) => socket2::SockRef::from(s).set_linger(Some(std::time::Duration::ZERO)),
            Socket::Unix(_) => Ok(()),
        }
    }

    fn say_tls_goodbye(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            drain_tls(tls, &mut self.queued);
        }
    }
}

fn closed_during_handshake() -> Failure {
    Failure::new(peaje_model::OutcomeKind::Reset, "the server closed the connection during the TLS handshake")
        .hint("look at the server's log; direct TLS negotiation needs a server that knows it")
}

fn closed_is_fine(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::NotConnected => Ok(()),
        _ => Err(error),
    }
}

fn drain_tls(tls: &mut ClientConnection, queued: &mut Vec<u8>) {
    while tls.wants_write() {
        tls.write_tls(queued).expect("writing to memory does not fail");
    }
}

fn feed_tls(tls: &mut ClientConnection, records: &mut Vec<u8>, plain: &mut Vec<u8>) -> Result<usize, rustls::Error> {
    let mut rest = records.as_slice();
    let mut gained = 0;
    let mut outcome = Ok(());
    while !rest.is_empty() {
        if tls.read_tls(&mut rest).is_err() {
            // The plain text already decrypted has to be taken first.
            break;
        }
        match tls.process_new_packets() {
            Ok(state) => {
                let available = state.plaintext_bytes_to_read();
                let start = plain.len();
                plain.resize(start + available, 0);
                let read = tls.reader().read(&mut plain[start..]).unwrap_or(0);
                plain.truncate(start + read);
                gained += read;
            }
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    let consumed = records.len() - rest.len();
    records.drain(..consumed);
    outcome.map(|()| gained)
}
