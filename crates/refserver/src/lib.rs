//! The embedded reference server: logins and trivial queries of a database protocol, without a database.
//!
//! It exists so that a machine, a network and a client can be measured with a server whose own cost is small and known.
//! A newcomer would take its figures for those of a database: they are the floor, and every answer says so.

mod certificate;
mod connection;
mod counters;
mod cpu;
mod error;
mod names;
mod options;
pub(crate) mod postgres;
mod server;
mod socket;

pub use counters::RefCounters;
pub use error::RefServerError;
pub use options::{
    Auth, Delays, DropAfter, Faults, KeyKind, Refusal, RefuseHow, Resumption, ServerOptions, Step, TlsSetting,
};
pub use server::RefServer;
