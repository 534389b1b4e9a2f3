//! The login and the text protocol of MySQL and MariaDB: bytes in, bytes out, no I/O; both sides.
//!
//! Source: "MySQL Client/Server Protocol" of the MySQL source documentation, and MariaDB's "Connection" pages. A
//! newcomer would think that an error has one form: one that comes in the place of the greeting has no SQLSTATE in
//! most versions, because nothing has been negotiated yet.

pub mod answer;
pub mod capability;
pub mod dialog;
pub mod greeting;
pub mod old_password;
pub mod packet;
pub mod plugin;
mod read;
pub mod reply;
pub mod request;
pub mod result;
pub mod rsa;
pub mod scramble;
mod write;

#[cfg(test)]
pub(crate) mod tests;

pub use write::put_lenenc;

/// Longest packet that is accepted before the session begins, bytes: real ones have a few hundred.
pub const MAX_HANDSHAKE: usize = 64 * 1024;
/// Longest OK, error or end-of-rows packet that is accepted in the answer to a query, bytes.
pub const MAX_CONTROL: usize = 1024 * 1024;
/// A packet of this length is continued by the next one.
pub const CONTINUED: usize = 0xFF_FF_FF;
/// Length of the challenge of all plugins but ed25519.
pub const NONCE: usize = 20;
/// `utf8mb4_general_ci`: every server since 5.5 knows it.
pub const UTF8MB4: u8 = 45;

/// Commands of the session.
pub mod command {
    /// Goodbye.
    pub const QUIT: u8 = 0x01;
    /// Change the database.
    pub const INIT_DB: u8 = 0x02;
    /// A statement in text.
    pub const QUERY: u8 = 0x03;
    /// Is the server there?
    pub const PING: u8 = 0x0E;
    /// Log in again in the same connection.
    pub const CHANGE_USER: u8 = 0x11;
    /// Prepare a statement.
    pub const STMT_PREPARE: u8 = 0x16;
    /// Run a prepared statement.
    pub const STMT_EXECUTE: u8 = 0x17;
    /// Forget a prepared statement.
    pub const STMT_CLOSE: u8 = 0x19;
    /// Forget everything of the session, without a login.
    pub const RESET_CONNECTION: u8 = 0x1F;
}

/// Bits of the status that comes with OK and end-of-rows.
pub mod status {
    /// Autocommit is on.
    pub const AUTOCOMMIT: u16 = 0x0002;
    /// Another result follows.
    pub const MORE_RESULTS: u16 = 0x0008;
}

/// Why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A field ends after the packet.
    #[error("the packet ends within {0}")]
    Short(&'static str),
    /// A packet longer than anything that may stand here.
    #[error("a packet of {length} bytes, where {limit} is the most")]
    TooLong {
        /// What its header says.
        length: usize,
        /// The most.
        limit: usize,
    },
    /// Packets are numbered; this one has another number.
    #[error("packet number {got} in the place of {expected}")]
    OutOfOrder {
        /// Its number.
        got: u8,
        /// The number it should have.
        expected: u8,
    },
    /// A protocol version that is not 10.
    #[error("protocol version {0} in the greeting")]
    Version(u8),
    /// Something that cannot stand here.
    #[error("unexpected {0}")]
    Unexpected(&'static str),
}
