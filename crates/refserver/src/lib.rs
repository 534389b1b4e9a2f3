//! The embedded reference server: logins and trivial queries of database protocols, without a database.
//!
//! It exists so that a machine, a network and a client can be measured with a server whose own cost is small and known.
//! A newcomer would take its figures for those of a database: they are the floor, and every answer says so.

mod auth;
mod certificate;
mod connection;
mod counters;
mod cpu;
mod end;
mod error;
mod mysql;
mod names;
mod options;
mod postgres;
mod protocol;
mod server;
mod socket;
mod steps;
mod tds;

pub use auth::{Auth, AuthCache};
pub use counters::RefCounters;
pub use error::RefServerError;
pub use options::{
    Delays, DropAfter, Faults, KeyKind, MISSING_DATABASE, Refusal, RefuseHow, Resumption, ServerOptions, Step,
    TlsSetting,
};
pub use protocol::Protocol;
pub use server::RefServer;
pub use tds::{ServerState, SqlServerOptions};
