//! The steps of one login. The order of [`Phase::ALL`] is the order in which they happen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A step of one login. Each phase ends exactly where the next begins, so the phases of a login add up to its total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Host name to addresses.
    Resolve,
    /// TCP (or Unix socket) connection.
    Connect,
    /// The protocol's question whether to use TLS (`SSLRequest` in PostgreSQL).
    Negotiate,
    /// TLS handshake.
    Tls,
    /// A Kerberos ticket from the key distribution centre. No engine fills it yet.
    Ticket,
    /// From the start-up message to the server's word that the credentials are accepted.
    Authenticate,
    /// From there until the server is ready for a query.
    Session,
    /// The first query of the session, answered completely.
    FirstQuery,
    /// From the goodbye until the connection is closed (`polite`: until the server has closed its side).
    Close,
}

impl Phase {
    /// Every phase, in the order in which they happen.
    pub const ALL: [Phase; 9] = [
        Phase::Resolve,
        Phase::Connect,
        Phase::Negotiate,
        Phase::Tls,
        Phase::Ticket,
        Phase::Authenticate,
        Phase::Session,
        Phase::FirstQuery,
        Phase::Close,
    ];

    /// Number of phases.
    pub const COUNT: usize = Self::ALL.len();

    /// Position in [`Phase::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name used in the run file, on screens and in CSV columns.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Resolve => "resolve",
            Phase::Connect => "connect",
            Phase::Negotiate => "negotiate",
            Phase::Tls => "tls",
            Phase::Ticket => "ticket",
            Phase::Authenticate => "authenticate",
            Phase::Session => "session",
            Phase::FirstQuery => "first_query",
            Phase::Close => "close",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One value for each phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerPhase<T>(pub [T; Phase::COUNT]);

impl<T> std::ops::Index<Phase> for PerPhase<T> {
    type Output = T;

    fn index(&self, phase: Phase) -> &T {
        &self.0[phase.index()]
    }
}

impl<T> std::ops::IndexMut<Phase> for PerPhase<T> {
    fn index_mut(&mut self, phase: Phase) -> &mut T {
        &mut self.0[phase.index()]
    }
}

impl<T> PerPhase<T> {
    /// Phases with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Phase, &T)> {
        Phase::ALL.into_iter().zip(self.0.iter())
    }
}
