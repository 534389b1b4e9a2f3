//! The server's own account: what answered, its settings, its room, its login counters, and its view of our sessions.
//!
//! It is read on one persistent session that does nothing else, over peaje's own login. A newcomer would look at
//! `Logins/sec` for a rate: it is a total, and what it counts is disputed (see `calibrate`).

mod calibrate;
mod connect;
mod facts;
mod identify;
mod log_plan;
mod login_timers;
mod memory;
mod observer;
mod opened;
mod rights;
mod row;
mod session;
mod statements;
mod watcher;

pub use connect::{OBSERVER_NAME, ObserverOptions};
pub use log_plan::{LogPlan, log_plan};
pub use observer::SqlServerObserver;
pub use session::gap_of;
pub use statements::*;
pub use watcher::{open_watcher, open_watcher_with};
