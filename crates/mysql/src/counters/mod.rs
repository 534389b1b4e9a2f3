//! The server's own account: what answered, its settings, its room, its login counter, and its view of our sessions.
//!
//! It is read on one persistent session that does nothing else. A newcomer would read `Connections` as the number of
//! logins: it counts failed attempts and bare probes too, and the counters it has to be corrected with are cleared by
//! `FLUSH STATUS` while it is not.

mod arithmetic;
mod connect;
mod facts;
mod failure;
mod identify;
mod log_plan;
mod memory;
mod observer;
mod opened;
mod quote;
mod rights;
mod session;
mod statements;
mod watcher;
mod whose;

pub use connect::{OBSERVER_NAME, ObserverOptions};
pub use log_plan::log_plan;
pub use observer::MysqlObserver;
pub use peaje_engine::gap_of;
pub use quote::{quote_account, quote_identifier, quote_literal};
pub use statements::*;
pub use watcher::open_watcher;
