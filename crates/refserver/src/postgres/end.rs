//! How a connection ends.

use std::io;

use peaje_postgres::protocol::{DecodeError, backend};

use crate::connection::Connection;

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client has left.
    Left,
    /// It only wanted to cancel a query.
    Cancel,
    /// The server ends it; the reason is in the output.
    Told,
    /// The server ends it without a word.
    Silent,
    /// The server ends it by TCP reset.
    Reset,
}

impl End {
    /// A fatal error, told to the client.
    pub(crate) fn fatal(connection: &mut Connection, code: &str, message: &str) -> Self {
        backend::error(&mut connection.output, "FATAL", code, message, None);
        End::Told
    }

    /// Bytes that are no message of the protocol.
    pub(crate) fn broken(connection: &mut Connection, error: DecodeError) -> Self {
        Self::fatal(connection, "08P01", &error.to_string())
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Records that do not decrypt.
            io::ErrorKind::Other => End::Silent,
            _ => End::Left,
        }
    }
}
