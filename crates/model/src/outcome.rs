//! How one attempt ended. A failed login is data, not an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::LatencySummary;

/// How one attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// It worked.
    Ok,
    /// The host answered that nothing listens there, or the server that it takes no connections right now.
    Refused,
    /// No route, or the network says that the host cannot be reached.
    Unreachable,
    /// Nothing came back within the login timeout.
    TimedOut,
    /// The name has no address, or the resolver did not answer.
    NotResolved,
    /// The server answered with an error (its code beside it): wrong password, unknown database, …
    Rejected,
    /// The server has no session left (PostgreSQL `53300`).
    ServerFull,
    /// The connection was closed or reset by the other side.
    Reset,
    /// TLS was requested and the server does not offer it.
    TlsNotOffered,
    /// The TLS handshake failed: certificate expired, wrong host, unknown issuer, no common version, …
    TlsFailed,
    /// An authentication method that peaje does not speak, or does not allow here.
    Unsupported,
    /// The other side does not speak the expected protocol.
    Protocol,
    /// This machine had no local port, file descriptor or memory left: the generator's own failure.
    Generator,
    /// Aborted by peaje when the run was stopped.
    Aborted,
}

impl OutcomeKind {
    /// Every kind.
    pub const ALL: [OutcomeKind; 14] = [
        OutcomeKind::Ok,
        OutcomeKind::Refused,
        OutcomeKind::Unreachable,
        OutcomeKind::TimedOut,
        OutcomeKind::NotResolved,
        OutcomeKind::Rejected,
        OutcomeKind::ServerFull,
        OutcomeKind::Reset,
        OutcomeKind::TlsNotOffered,
        OutcomeKind::TlsFailed,
        OutcomeKind::Unsupported,
        OutcomeKind::Protocol,
        OutcomeKind::Generator,
        OutcomeKind::Aborted,
    ];

    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            OutcomeKind::Ok => "ok",
            OutcomeKind::Refused => "refused",
            OutcomeKind::Unreachable => "unreachable",
            OutcomeKind::TimedOut => "timed-out",
            OutcomeKind::NotResolved => "not-resolved",
            OutcomeKind::Rejected => "rejected",
            OutcomeKind::ServerFull => "server-full",
            OutcomeKind::Reset => "reset",
            OutcomeKind::TlsNotOffered => "tls-not-offered",
            OutcomeKind::TlsFailed => "tls-failed",
            OutcomeKind::Unsupported => "unsupported",
            OutcomeKind::Protocol => "protocol",
            OutcomeKind::Generator => "generator",
            OutcomeKind::Aborted => "aborted",
        }
    }
}

/// Attempts that ended alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeCount {
    /// How they ended.
    pub kind: OutcomeKind,
    /// The engine's own code (SQLSTATE, error number) or the operating system's, when there is one.
    pub code: Option<String>,
    /// How many operations.
    pub count: u64,
    /// The first message seen, without secrets.
    pub message: Option<String>,
    /// Time from the start of the attempt to its end, microseconds.
    pub latency_us: LatencySummary,
}
