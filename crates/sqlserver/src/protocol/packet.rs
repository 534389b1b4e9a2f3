//! Packets: eight bytes of header, then a piece of a message.

use super::DecodeError;

/// Length of the header.
pub const HEADER: usize = 8;
/// Packet size before another one is agreed on.
pub const DEFAULT_PACKET_SIZE: usize = 4096;
/// Smallest packet size a server accepts.
pub const MIN_PACKET_SIZE: usize = 512;
/// Largest packet size.
pub const MAX_PACKET_SIZE: usize = 32_767;

const END_OF_MESSAGE: u8 = 0x01;
const IGNORE: u8 = 0x02;
const RESET_CONNECTION: u8 = 0x08;
const RESET_KEEPING_TRANSACTION: u8 = 0x10;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PacketKind {
    /// SQL text.
    Batch = 0x01,
    /// Remote procedure call.
    Rpc = 0x03,
    /// Everything a server sends.
    Response = 0x04,
    /// Cancel what is running.
    Attention = 0x06,
    /// Bulk load.
    Bulk = 0x07,
    /// Access token, when the server asked for it after LOGIN7.
    FedAuthToken = 0x08,
    /// Transaction manager request.
    TransactionManager = 0x0e,
    /// Login.
    Login7 = 0x10,
    /// Windows authentication.
    Sspi = 0x11,
    /// PRELOGIN, and the records of a TLS handshake.
    Prelogin = 0x12,
}

impl PacketKind {
    /// From its byte.
    pub fn from_byte(byte: u8) -> Option<Self> {
        use PacketKind as K;
        [
            K::Batch,
            K::Rpc,
            K::Response,
            K::Attention,
            K::Bulk,
            K::FedAuthToken,
            K::TransactionManager,
            K::Login7,
            K::Sspi,
            K::Prelogin,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
    }
}

/// What a client's pool wants done with the session before the request runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Reset {
    /// Nothing.
    #[default]
    No,
    /// `sp_reset_connection`, by the header's bit: the request comes from the next user of a pooled session.
    Session,
    /// The same, but an open transaction stays open.
    KeepTransaction,
}

/// A packet's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the message is.
    pub kind: PacketKind,
    /// Whether the message ends with this packet.
    pub last: bool,
    /// Whether the message is to be ignored (its sender changed its mind).
    pub ignore: bool,
    /// Whether the session is to be reset.
    pub reset: Reset,
    /// Length of the packet, header included: 8 to 65,535.
    pub length: usize,
    /// The server's session number.
    pub spid: u16,
}

/// Reads the header of the first packet; `None` = more bytes are needed. The packet itself need not be there yet.
pub fn peek(bytes: &[u8]) -> Result<Option<Header>, DecodeError> {
    let Some(&kind) = bytes.first() else { return Ok(None) };
    // The very first byte tells a stranger: no need to wait for seven more.
    let kind = PacketKind::from_byte(kind).ok_or(DecodeError::UnknownPacket(kind))?;
    let Some(&[_, status, a, b, c, d, _, _]) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
    let length = u16::from_be_bytes([a, b]);
    if usize::from(length) < HEADER {
        return Err(DecodeError::PacketLength(length));
    }
    let reset = match status {
        s if s & RESET_CONNECTION != 0 => Reset::Session,
        s if s & RESET_KEEPING_TRANSACTION != 0 => Reset::KeepTransaction,
        _ => Reset::No,
    };
    Ok(Some(Header {
        kind,
        last: status & END_OF_MESSAGE != 0,
        ignore: status & IGNORE != 0,
        reset,
        length: usize::from(length),
        spid: u16::from_be_bytes([c, d]),
    }))
}

/// How messages are cut into packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    kind: PacketKind,
    packet_size: usize,
    spid: u16,
    reset: Reset,
}

impl Framing {
    /// Packets of the default size.
    pub fn new(kind: PacketKind) -> Self {
        Self { kind, packet_size: DEFAULT_PACKET_SIZE, spid: 0, reset: Reset::No }
    }

    /// With this packet size, header included; held within what the protocol allows.
    pub fn packet_size(mut self, size: usize) -> Self {
        self.packet_size = size.clamp(MIN_PACKET_SIZE, MAX_PACKET_SIZE);
        self
    }

    /// With the server's session number.
    pub fn spid(mut self, spid: u16) -> Self {
        self.spid = spid;
        self
    }

    /// With a reset before the request.
    pub fn reset(mut self, reset: Reset) -> Self {
        self.reset = reset;
        self
    }

    /// Appends a whole message. An empty one is one empty packet.
    pub fn write(&self, out: &mut Vec<u8>, payload: &[u8]) {
        let room = self.packet_size - HEADER;
        let pieces = payload.len().div_ceil(room).max(1);
        out.reserve(payload.len() + pieces * HEADER);
        for index in 0..pieces {
            let piece = &payload[index * room..payload.len().min((index + 1) * room)];
            self.header(out, piece.len(), index, index + 1 == pieces);
            out.extend_from_slice(piece);
        }
    }

    fn header(&self, out: &mut Vec<u8>, payload: usize, index: usize, last: bool) {
        let reset = match self.reset {
            Reset::Session if index == 0 => RESET_CONNECTION,
            Reset::KeepTransaction if index == 0 => RESET_KEEPING_TRANSACTION,
            _ => 0,
        };
        let status = reset | if last { END_OF_MESSAGE } else { 0 };
        out.extend_from_slice(&[self.kind as u8, status]);
        out.extend_from_slice(&((payload + HEADER) as u16).to_be_bytes());
        out.extend_from_slice(&self.spid.to_be_bytes());
        // Packets are counted from 1, modulo 256; the window is always 0.
        out.extend_from_slice(&[(index + 1) as u8, 0]);
    }
}

/// A whole message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub kind: PacketKind,
    /// Whether the session is to be reset first.
    pub reset: Reset,
    /// Whether its sender wants it ignored.
    pub ignore: bool,
    /// Its bytes, without headers.
    pub payload: Vec<u8>,
}

/// Puts messages together from packets. Memory stays below the limit, which is checked on each header.
#[derive(Debug)]
pub struct Assembler {
    limit: usize,
    message: Option<Message>,
}

impl Assembler {
    /// For messages of at most this many bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, message: None }
    }

    /// Takes whole packets from the front of what has arrived, up to the end of the message. Returns how many bytes
    /// were taken (drop them), and the message once it is complete.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(usize, Option<Message>), DecodeError> {
        let mut taken = 0;
        while let Some(header) = peek(&bytes[taken..])? {
            let payload_length = header.length - HEADER;
            let held = self.message.as_ref().map_or(0, |m| m.payload.len());
            if held + payload_length > self.limit {
                return Err(DecodeError::TooLong { what: "a message", limit: self.limit });
            }
            let Some(packet) = bytes[taken..].get(HEADER..header.length) else { break };
            self.add(&header, packet)?;
            taken += header.length;
            if header.last {
                return Ok((taken, self.message.take()));
            }
        }
        Ok((taken, None))
    }

    fn add(&mut self, header: &Header, packet: &[u8]) -> Result<(), DecodeError> {
        let message = self.message.get_or_insert_with(|| Message {
            kind: header.kind,
            reset: header.reset,
            ignore: false,
            payload: Vec::new(),
        });
        if message.kind != header.kind {
            return Err(DecodeError::MixedMessage { expected: message.kind as u8, got: header.kind as u8 });
        }
        message.ignore |= header.ignore;
        message.payload.extend_from_slice(packet);
        Ok(())
    }
}
