//! TDS, the wire protocol of SQL Server, versions 7.4 and 8.0: bytes in, bytes out, for both sides. No socket, no clock,
//! no randomness.
//!
//! A newcomer would expect a message to be a packet. A message is cut into packets of a size that is agreed on at login
//! (4,096 bytes until then), and what a server sends is a stream of *tokens* that runs on over packet boundaries.
//!
//! # How to use it
//!
//! - Both sides: cut and write packets, put messages together ([`packet::Framing::write`], [`packet::peek`],
//!   [`packet::Assembler`]); PRELOGIN, its answer and what follows from both ([`prelogin::Prelogin`],
//!   [`prelogin::agreed`], [`prelogin::answer`]); LOGIN7 with its password and features ([`login7::Login7::encode`],
//!   [`login7::Login7::decode`]); types and values ([`types::TypeInfo`], [`types::Value`], [`types::Column`]); the SQL
//!   Browser ([`browser`]).
//! - A client: batches ([`request::batch`]), and the tokens of an answer, one after the other, rows kept or passed over
//!   ([`token::TokenReader`]).
//! - A server: the tokens of an answer (functions of [`token::write`]), and what a client asks for, from the payload of
//!   a whole message ([`request::decode_batch`], [`request::decode_rpc`], [`request::decode_transaction`]).
//!
//! A server feeds received bytes to an [`packet::Assembler`] until it gives a [`packet::Message`], and matches its
//! [`packet::PacketKind`]; `Message::reset` is the pool's "reset this session" bit. It collects the tokens of an answer
//! in a `Vec<u8>` and gives them to [`packet::Framing::write`] with [`packet::PacketKind::Response`]. TLS within TDS:
//! handshake records travel in packets of kind [`packet::PacketKind::Prelogin`], afterwards TLS is bare on the socket.

pub mod browser;
pub mod login7;
pub mod packet;
pub mod prelogin;
pub mod request;
pub mod token;
pub mod types;

mod read;
mod write;

/// Longest message that is put together (an [`packet::Assembler`] may be given less). Answers are not put together.
pub const MAX_MESSAGE: usize = 4 << 20;

/// Version of the protocol in LOGIN7 and LOGINACK: SQL Server 2012 to today.
pub const TDS_7_4: u32 = 0x7400_0004;

/// Version of the protocol in LOGIN7 and LOGINACK with strict encryption.
pub const TDS_8_0: u32 = 0x0800_0000;

/// The name that strict encryption agrees on by ALPN.
pub const ALPN: &[u8] = b"tds/8.0";

/// Why bytes are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A packet's header is not one: most likely the other side speaks another protocol.
    #[error("a packet of the unknown type {0:#04x}")]
    UnknownPacket(u8),
    /// A packet shorter than its header, or longer than any packet may be.
    #[error("a packet with the impossible length {0}")]
    PacketLength(u16),
    /// Packets of different types within one message.
    #[error("a packet of type {got:#04x} within a message of type {expected:#04x}")]
    MixedMessage {
        /// Type of the message.
        expected: u8,
        /// Type of the packet.
        got: u8,
    },
    /// The message or token is over the limit.
    #[error("{what} of more than the {limit} bytes allowed")]
    TooLong {
        /// What is too long.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The bytes end before this field does.
    #[error("the bytes end before {0}")]
    Short(&'static str),
    /// A field does not hold what it should.
    #[error("impossible: {0}")]
    Malformed(&'static str),
    /// A token of an answer that is not known: its length is not known either.
    #[error("an unknown token {0:#04x}")]
    UnknownToken(u8),
    /// A type of column or parameter that is not known.
    #[error("a value of the unknown type {0:#04x}")]
    UnknownType(u8),
}

#[cfg(test)]
pub(crate) mod tests;
