//! The server's own account: what answered, its settings, its room, its login counter, and its view of our sessions.
//!
//! It is read through a driver on one persistent session that does nothing else. A newcomer would set its timeouts by
//! `SET` at once: behind a pooler the setting would stay on a server session that somebody else gets next.

mod check;
mod connect;
mod console;
mod facts;
mod failure;
mod identify;
mod log_plan;
mod memory;
mod observer;
#[cfg(test)]
mod scripted;
mod session;
mod statements;
mod table;
mod watcher;

pub use connect::{OBSERVER_NAME, ObserverOptions};
pub use log_plan::{LogPlan, log_plan};
pub use observer::PgObserver;
pub use peaje_engine::gap_of;
pub use statements::*;
pub use watcher::open_watcher;
