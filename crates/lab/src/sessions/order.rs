//! What a thread, or a worker process, is told to do. An order is answered by one report.

use serde::{Deserialize, Serialize};

use super::HoldNumbers;
use super::gauge::State;
use super::report::Report;
use crate::stop::StopRule;

/// One order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum Order {
    /// Open so many more.
    Open { sessions: u64, concurrency: u32 },
    /// Run the warm statements in the sessions that have not had them.
    Warm { concurrency: u32 },
    /// Log in and out so many times, one after the other.
    Logins { count: u64 },
    /// Query held sessions in turn, so many times, one after the other.
    Queries { count: u64 },
    /// Let so many sessions work until told to stop.
    Work { sessions: u64 },
    /// They stop.
    Rest,
    /// Close and open again.
    Churn { per_s: f64, seconds: f64, concurrency: u32 },
    /// Close all, in the order of their places.
    Close { concurrency: u32, limit_s: Option<f64> },
    /// Say what the server has ended.
    Look,
}

/// A line to a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker {
    /// The first.
    Begin(Beginning),
    Order(Order),
    /// Comes through while an order is carried out.
    Stop(StopRule),
}

/// A line from a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker {
    /// It takes orders from here on.
    Ready,
    /// It cannot begin.
    Refused(String),
    Report(Box<Report>),
    State(State),
    /// A stop rule of its own.
    Stopped(StopRule),
}

/// A worker's part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Beginning {
    pub(super) numbers: HoldNumbers,
    /// Number of its first thread among all.
    pub(super) first: u64,
    /// Threads of all workers.
    pub(super) threads: u64,
}
