//! What the server sends.
//!
//! Texts for people are decoded leniently: before `client_encoding` holds, a server writes them in whatever encoding
//! the database has, and a login must not fail because an error message is in Latin-1.

mod decode;
mod encode;

use std::borrow::Cow;

pub use decode::{decode_backend, decode_columns, decode_row, peek};
pub use encode::{
    authentication_cleartext, authentication_md5, authentication_ok, authentication_sasl, authentication_sasl_continue,
    authentication_sasl_final, authentication_unsupported, backend_key_data, bind_complete, close_complete,
    command_complete, data_row, empty_query, error, negotiate_protocol_version, no_data, notice, parameter_description,
    parameter_status, parse_complete, portal_suspended, ready_for_query, row_description,
};

/// What the server wants for the authentication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthRequest<'a> {
    /// Nothing more: the credentials are accepted.
    Ok,
    /// Kerberos V5 (removed from PostgreSQL long ago).
    KerberosV5,
    /// The password in clear.
    CleartextPassword,
    /// An MD5 answer to this salt.
    Md5Password {
        /// The salt.
        salt: [u8; 4],
    },
    /// GSSAPI.
    Gss,
    /// More GSSAPI or SSPI data.
    GssContinue(&'a [u8]),
    /// SSPI.
    Sspi,
    /// One of these SASL mechanisms.
    Sasl {
        /// Names, in the server's order.
        mechanisms: Vec<&'a str>,
    },
    /// SASL challenge.
    SaslContinue(&'a [u8]),
    /// SASL outcome.
    SaslFinal(&'a [u8]),
    /// Another number.
    Unknown(i32),
}

/// Whether a transaction is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStatus {
    /// None.
    Idle,
    /// One is open.
    InTransaction,
    /// One is open and has failed.
    Failed,
}

impl TransactionStatus {
    /// Its letter in the protocol.
    pub const fn letter(self) -> u8 {
        match self {
            TransactionStatus::Idle => b'I',
            TransactionStatus::InTransaction => b'T',
            TransactionStatus::Failed => b'E',
        }
    }
}

/// An error or a notice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerError {
    /// `FATAL`, `ERROR`, `WARNING`, …; the untranslated form where the server gives it (version 9.6 and later).
    pub severity: String,
    /// SQLSTATE.
    pub code: String,
    /// What happened, in the server's language.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What the server advises.
    pub hint: Option<String>,
}

/// One column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<'a> {
    /// Name.
    pub name: Cow<'a, str>,
    /// Type, as object identifier (25 = text, 23 = int4).
    pub type_oid: u32,
    /// Size of the type, bytes; negative = variable.
    pub type_size: i16,
    /// 0 = text, 1 = binary.
    pub format: i16,
}

/// A message of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackendMessage<'a> {
    /// A step of the authentication.
    Authentication(AuthRequest<'a>),
    /// A setting the client is told of.
    ParameterStatus {
        /// Name.
        name: Cow<'a, str>,
        /// Value.
        value: Cow<'a, str>,
    },
    /// How to cancel a query of this session.
    BackendKeyData {
        /// Process.
        process_id: i32,
        /// Key.
        secret_key: &'a [u8],
    },
    /// The server waits for a query.
    ReadyForQuery(TransactionStatus),
    /// An error.
    Error(ServerError),
    /// A notice.
    Notice(ServerError),
    /// Columns that follow; see [`decode_columns`].
    RowDescription(&'a [u8]),
    /// A row; see [`decode_row`].
    DataRow(&'a [u8]),
    /// A statement has ended (`SELECT 1`).
    CommandComplete(Cow<'a, str>),
    /// The query was empty.
    EmptyQuery,
    /// The server knows only an older minor version, or not all options.
    NegotiateProtocolVersion {
        /// Newest minor version it knows.
        minor: i32,
        /// Options it does not know.
        unknown_options: Vec<Cow<'a, str>>,
    },
    /// Statement prepared.
    ParseComplete,
    /// Values bound.
    BindComplete,
    /// Statement or portal forgotten.
    CloseComplete,
    /// No rows will come.
    NoData,
    /// The row limit of `Execute` was reached.
    PortalSuspended,
    /// Types of the parameters.
    ParameterDescription(&'a [u8]),
    /// The server waits for COPY data.
    CopyIn,
    /// COPY data follows.
    CopyOut,
    /// COPY in both directions (replication).
    CopyBoth,
    /// A notification.
    Notification,
    /// Anything else, by its type.
    Other(u8),
}
