//! Tokens: what a server's answer is made of.

mod buffer;
mod decode;
mod reader;
mod values;
pub mod write;

pub use buffer::Rows;
pub use reader::TokenReader;

use super::types::Value;

/// Numbers of the tokens (MS-TDS, section 2.2.7).
pub(super) mod id {
    pub(in crate::protocol) const OFFSET: u8 = 0x78;
    pub(in crate::protocol) const RETURN_STATUS: u8 = 0x79;
    pub(in crate::protocol) const COL_METADATA: u8 = 0x81;
    pub(in crate::protocol) const TAB_NAME: u8 = 0xa4;
    pub(in crate::protocol) const COL_INFO: u8 = 0xa5;
    pub(in crate::protocol) const ORDER: u8 = 0xa9;
    pub(in crate::protocol) const ERROR: u8 = 0xaa;
    pub(in crate::protocol) const INFO: u8 = 0xab;
    pub(in crate::protocol) const RETURN_VALUE: u8 = 0xac;
    pub(in crate::protocol) const LOGIN_ACK: u8 = 0xad;
    pub(in crate::protocol) const FEATURE_EXT_ACK: u8 = 0xae;
    pub(in crate::protocol) const ROW: u8 = 0xd1;
    pub(in crate::protocol) const NBC_ROW: u8 = 0xd2;
    pub(in crate::protocol) const ENV_CHANGE: u8 = 0xe3;
    pub(in crate::protocol) const SESSION_STATE: u8 = 0xe4;
    pub(in crate::protocol) const SSPI: u8 = 0xed;
    pub(in crate::protocol) const FED_AUTH_INFO: u8 = 0xee;
    pub(in crate::protocol) const DONE: u8 = 0xfd;
    pub(in crate::protocol) const DONE_PROC: u8 = 0xfe;
    pub(in crate::protocol) const DONE_IN_PROC: u8 = 0xff;
}

/// A token, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A setting of the session has changed.
    EnvChange(EnvChange),
    /// A message for a person.
    Info(ServerMessage),
    /// An error.
    Error(ServerMessage),
    /// The login is accepted.
    LoginAck(LoginAck),
    /// A statement, procedure or batch has ended.
    Done(Done),
    /// The columns of the rows that follow ([`TokenReader::columns`]).
    Columns,
    /// A row; without values when rows are skipped.
    Row(Vec<Value>),
    /// What a procedure returned.
    ReturnStatus(i32),
    /// An output parameter; [`Value::Null`] when rows are skipped.
    ReturnValue {
        /// The parameter's name.
        name: String,
        /// Its value.
        value: Value,
    },
    /// Features that the server has accepted: number and data.
    FeatureExtAck(Vec<(u8, Vec<u8>)>),
    /// Windows authentication goes on: not spoken here.
    Sspi,
    /// The server wants an access token fetched from there: not spoken here.
    FedAuthInfo,
    /// Another token of no importance here: its number.
    Other(u8),
}

/// A setting that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvChange {
    /// The database.
    Database {
        /// From now on.
        new: String,
        /// Before.
        old: String,
    },
    /// The language.
    Language {
        /// From now on.
        new: String,
        /// Before.
        old: String,
    },
    /// The packet size.
    PacketSize {
        /// From now on.
        new: usize,
        /// Before.
        old: usize,
    },
    /// The collation.
    Collation([u8; 5]),
    /// A transaction has begun.
    BeginTransaction(u64),
    /// A transaction was committed.
    CommitTransaction(u64),
    /// A transaction was rolled back.
    RollbackTransaction(u64),
    /// The failover partner.
    MirrorPartner(String),
    /// The session was reset.
    ResetDone,
    /// Log in over there instead.
    Routing {
        /// Host (or `host\instance`).
        server: String,
        /// TCP port.
        port: u16,
    },
    /// Another setting: its number.
    Other(u8),
}

/// An error, or a message for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerMessage {
    /// Number, as in `sys.messages`.
    pub number: i32,
    /// State: tells places that raise the same error apart.
    pub state: u8,
    /// Severity: 0 to 10 information, 11 to 19 errors, from 20 the session ends.
    pub severity: u8,
    /// The text.
    pub message: String,
    /// The server's name.
    pub server: String,
    /// The procedure's name.
    pub procedure: String,
    /// Line of the batch or procedure.
    pub line: u32,
}

/// The login is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginAck {
    /// 1 = Transact-SQL.
    pub interface: u8,
    /// Version of the protocol.
    pub tds_version: u32,
    /// `Microsoft SQL Server`.
    pub program: String,
    /// Major, minor, build (high, low) of the server.
    pub version: [u8; 4],
}

/// Which token ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoneKind {
    /// A statement or a batch.
    Statement,
    /// A procedure.
    Procedure,
    /// A statement within a procedure.
    InProcedure,
}

/// A statement, procedure or batch has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// What has ended.
    pub kind: DoneKind,
    /// Bits of [`done`].
    pub status: u16,
    /// Kind of the statement (0xc1 = SELECT).
    pub command: u16,
    /// Rows, if [`done::COUNT`] is set.
    pub rows: u64,
}

/// Bits of [`Done::status`].
pub mod done {
    /// The last one.
    pub const FINAL: u16 = 0x0000;
    /// More follows.
    pub const MORE: u16 = 0x0001;
    /// There was an error.
    pub const ERROR: u16 = 0x0002;
    /// A transaction is open.
    pub const IN_TRANSACTION: u16 = 0x0004;
    /// The number of rows holds.
    pub const COUNT: u16 = 0x0010;
    /// Answers an attention.
    pub const ATTENTION: u16 = 0x0020;
    /// A severe error: what was sent is to be thrown away.
    pub const SERVER_ERROR: u16 = 0x0100;
}

impl Done {
    /// Whether the answer ends here.
    pub fn is_last(&self) -> bool {
        self.status & done::MORE == 0
    }
}
