//! The embedded reference server: logins and trivial queries of database protocols, without a database.
//!
//! It exists so that a machine, a network and a client can be measured with a server whose own cost is small and known.
//! A newcomer would take its figures for those of a database: they are the floor, and every answer says so.
//!
//! What serves a session is a choice ([`Model`]): a task in an event loop, a thread, or a forked process. A session can have
//! private memory ([`ServerOptions::session_memory`]), really touched when it is let in and again at each request, as a
//! session that works would; the memory that all share is touched once, when the server starts, and sessions do not read it,
//! so that it has no page tables in each process, which a real server's shared buffers have. A session that is given nothing
//! has about 4 KiB as a task, 50 KiB as a thread, and 95 KiB as a process. The thread model stands for MySQL, MariaDB and
//! Oracle on Windows, the process model for PostgreSQL; SQL Server, whose idle sessions own no thread, is like neither.

mod apart;
mod area;
mod auth;
mod certificate;
mod connection;
mod counters;
mod end;
mod error;
mod event;
mod mysql;
mod options;
mod place;
mod postgres;
mod protocol;
mod seats;
mod server;
mod socket;
mod steps;
mod system;
mod tds;

pub use apart::{ApartError, run_apart};
pub use auth::{Auth, AuthCache};
pub use counters::RefCounters;
pub use error::RefServerError;
pub use options::{
    Delays, DropAfter, Faults, Home, KeyKind, Launch, MISSING_DATABASE, Model, Refusal, RefuseHow, Resumption,
    ServerOptions, Spawned, Step, TlsSetting,
};
pub use protocol::Protocol;
pub use server::RefServer;
pub use tds::{ServerState, SqlServerOptions};
