//! What the client sends.
//!
//! The first packet has no type byte: it is told from the others by its place, and what it wants by a number where the
//! version would stand. Hence two decoders, [`decode_startup`] until a start-up message came and [`decode_frontend`]
//! from then on.

mod decode;
mod encode;

pub use decode::{decode_frontend, decode_sasl_initial, decode_startup};
pub use encode::{
    bind, cancel_request, close, describe, execute, flush, gss_encryption_request, parse, password, query,
    sasl_initial_response, sasl_response, ssl_request, startup, startup_version, sync, terminate,
};

/// Number that asks for TLS in place of a version.
pub const SSL_REQUEST: u32 = 80_877_103;
/// Number that asks for GSSAPI encryption.
pub const GSS_ENCRYPTION_REQUEST: u32 = 80_877_104;
/// Number that cancels another session's query.
pub const CANCEL_REQUEST: u32 = 80_877_102;

/// A packet before the login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartupRequest {
    /// Use TLS? Answered by one byte, `S` or `N`.
    Ssl,
    /// Use GSSAPI encryption? Answered by one byte, `G` or `N`.
    GssEncryption,
    /// Cancel the query of another session; no answer, the connection is closed.
    Cancel {
        /// Process of that session.
        process_id: i32,
        /// Its key: 4 bytes in protocol 3.0, up to 256 from 3.2 on.
        secret_key: Vec<u8>,
    },
    /// Log in.
    Startup {
        /// Protocol, major number: 3.
        major: u16,
        /// Protocol, minor number.
        minor: u16,
        /// `user`, `database`, `application_name`, … in the order sent.
        parameters: Vec<(String, String)>,
    },
}

/// What `Describe` and `Close` speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Described {
    /// A prepared statement.
    Statement,
    /// A portal.
    Portal,
}

impl Described {
    /// Its letter in the protocol.
    pub const fn letter(self) -> u8 {
        match self {
            Described::Statement => b'S',
            Described::Portal => b'P',
        }
    }
}

/// A message after the start-up packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontendMessage<'a> {
    /// Simple query.
    Query(&'a str),
    /// Tag `p`: password (with its zero byte), first SASL answer, or a later one. Which one it is depends on what the
    /// server asked for; see [`decode_sasl_initial`].
    Password(&'a [u8]),
    /// Goodbye.
    Terminate,
    /// Prepare a statement.
    Parse {
        /// Name; empty = the unnamed one.
        statement: &'a str,
        /// SQL.
        query: &'a str,
        /// Types the client fixes, as object identifiers; 0 = left open.
        parameter_types: Vec<u32>,
    },
    /// Bind a prepared statement to values.
    Bind {
        /// Name of the portal.
        portal: &'a str,
        /// Name of the statement.
        statement: &'a str,
        /// Formats of the parameters (0 text, 1 binary): none, one for all, or one each.
        parameter_formats: Vec<i16>,
        /// The values; `None` = null.
        parameters: Vec<Option<&'a [u8]>>,
        /// Formats wanted for the result's columns.
        result_formats: Vec<i16>,
    },
    /// Describe a statement or a portal.
    Describe {
        /// Which of them.
        what: Described,
        /// Its name.
        name: &'a str,
    },
    /// Run a portal.
    Execute {
        /// Its name.
        portal: &'a str,
        /// Rows at most; 0 = all.
        max_rows: i32,
    },
    /// Forget a statement or a portal.
    Close {
        /// Which of them.
        what: Described,
        /// Its name.
        name: &'a str,
    },
    /// Send what is there.
    Flush,
    /// End of an extended query.
    Sync,
    /// Anything else, by its type.
    Other(u8),
}
