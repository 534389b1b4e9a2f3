//! Errors and notices, with the numbers and words that drivers and people know from SQL Server.

use peaje_sqlserver::protocol::packet::{Framing, PacketKind};
use peaje_sqlserver::protocol::token::{Done, DoneKind, ServerMessage, done, write};

use crate::connection::Connection;
use crate::end::End;

use super::SERVER_NAME;

/// From this severity on the session ends.
const FATAL: u8 = 20;
/// Number for errors that SQL Server does not have.
const OWN_NUMBER: i32 = 50_000;

/// An error of a statement or a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SqlError(pub(super) ServerMessage);

impl SqlError {
    pub(super) fn new(number: i32, severity: u8, state: u8, message: impl Into<String>) -> Self {
        Self(ServerMessage {
            number,
            state,
            severity,
            message: message.into(),
            server: SERVER_NAME.to_owned(),
            procedure: String::new(),
            line: 1,
        })
    }

    /// The password is wrong, or there is no such login. The true reason is state 1 for everybody, as on the real server.
    pub(super) fn login_failed(user: &str) -> Self {
        Self::new(18456, 14, 1, format!("Login failed for user '{user}'."))
    }

    pub(super) fn no_integrated_security() -> Self {
        let message = "Login failed. The login is from an untrusted domain and cannot be used with Integrated \
                       authentication.";
        Self::new(18452, 14, 1, message)
    }

    pub(super) fn no_database_at_login(database: &str) -> Self {
        let message = format!("Cannot open database \"{database}\" requested by the login. The login failed.");
        Self::new(4060, 11, 1, message)
    }

    pub(super) fn no_database(database: &str) -> Self {
        let message = format!("Database '{database}' does not exist. Make sure that the name is entered correctly.");
        Self::new(911, 16, 1, message)
    }

    pub(super) fn full(limit: u64) -> Self {
        let message = format!(
            "Could not connect because the maximum number of '{limit}' user connections has already been reached. The \
             system administrator can use sp_configure to increase the maximum value. The connection has been closed."
        );
        Self::new(17809, FATAL, 3, message)
    }

    pub(super) fn old_protocol() -> Self {
        Self::new(OWN_NUMBER, FATAL, 1, "The reference server speaks TDS 7.2 and later.")
    }

    /// Bytes that are no request.
    pub(super) fn broken(what: &str) -> Self {
        let message = format!("The incoming tabular data stream (TDS) protocol stream is incorrect: {what}.");
        Self::new(4002, FATAL, 1, message)
    }

    /// The statement is none of the few this server can answer.
    pub(super) fn unknown() -> Self {
        let message = "The reference server does not know this statement. It answers select 1, select @@version, set, \
                       begin, commit and the like: it is peaje's reference server, not a database.";
        Self::new(OWN_NUMBER, 16, 1, message)
    }

    /// A value of a type that this server can take but not give back.
    pub(super) fn unknown_type() -> Self {
        Self::new(OWN_NUMBER, 16, 2, "The reference server cannot give back a value of this type.")
    }

    pub(super) fn undeclared(variable: &str) -> Self {
        Self::new(137, 15, 2, format!("Must declare the scalar variable \"{variable}\"."))
    }

    pub(super) fn no_procedure(name: &str) -> Self {
        Self::new(2812, 16, 62, format!("Could not find stored procedure '{name}'."))
    }

    pub(super) fn no_handle(handle: i64) -> Self {
        Self::new(8179, 16, 2, format!("Could not find prepared statement with handle {handle}."))
    }

    pub(super) fn no_transaction(verb: &str) -> Self {
        let number = if verb == "COMMIT" { 3902 } else { 3903 };
        let message = format!("The {verb} TRANSACTION request has no corresponding BEGIN TRANSACTION.");
        Self::new(number, 16, 1, message)
    }

    pub(super) fn not_allowed() -> Self {
        Self::new(297, 16, 1, "The user does not have permission to perform this action.")
    }

    /// Whether the session cannot go on.
    pub(super) fn is_fatal(&self) -> bool {
        self.0.severity >= FATAL
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        write::error(out, &self.0);
    }

    /// Ends a connection with these errors, told to the client.
    pub(super) fn end(errors: &[Self], connection: &mut Connection) -> End {
        let mut tokens = Vec::new();
        for error in errors {
            error.write(&mut tokens);
        }
        write::done(&mut tokens, &Done { kind: DoneKind::Statement, status: done::ERROR, command: 0, rows: 0 });
        Framing::new(PacketKind::Response).write(&mut connection.output, &tokens);
        End::Told
    }
}

/// A notice.
pub(super) fn notice(out: &mut Vec<u8>, number: i32, state: u8, message: String) {
    let SqlError(message) = SqlError::new(number, 10, state, message);
    write::info(out, &message);
}
