//! Last words to a client.

use peaje_postgres::protocol::{DecodeError, backend};

use crate::connection::Connection;
use crate::end::End;

/// A fatal error, told to the client.
pub(crate) fn fatal(connection: &mut Connection, code: &str, message: &str) -> End {
    backend::error(&mut connection.output, "FATAL", code, message, None);
    End::Told
}

/// Bytes that are no message of the protocol.
pub(crate) fn broken(connection: &mut Connection, error: DecodeError) -> End {
    fatal(connection, "08P01", &error.to_string())
}
