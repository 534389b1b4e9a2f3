//! From the record to the series that verdicts start from: the instance, its applications, their busiest processes.
//!
//! The instance comes from the server's counters, the rest from the sessions that were seen. What is seen at readings
//! misses short sessions: how much it misses is the coverage, and the logins that were missed are apportioned to the
//! groups whose sessions are short. Times are scaled here, and nowhere else.

mod coverage;
pub(crate) mod frame;
pub(crate) mod groups;
mod instance;

use std::time::Duration;

use peaje_diagnose::churn::{GroupSeries, Judging};

use crate::record::{Record, ServerRecord};
use frame::Frame;

/// Length of a bin, seconds of analysis.
pub(crate) const BIN_S: f64 = 10.0;

/// What is analysed, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Length of the window before the record's end, of the clock on the wall. Not longer than what the record keeps.
    pub window: Duration,
    /// Declared pools, cost of a login, scale of time.
    pub judging: Judging,
}

impl Default for Analysis {
    /// The last hour.
    fn default() -> Self {
        Self { window: Duration::from_secs(3600), judging: Judging::default() }
    }
}

/// The series of all groups of all servers: of each server the instance, then its applications, then their processes.
pub fn series(record: &Record, analysis: &Analysis) -> Vec<GroupSeries> {
    let Some(frame) = Frame::of(record, analysis) else { return Vec::new() };
    record.servers.iter().flat_map(|server| of_server(server, &frame)).collect()
}

pub(crate) fn of_server(server: &ServerRecord, frame: &Frame) -> Vec<GroupSeries> {
    if server.rows.is_empty() {
        return Vec::new();
    }
    let coverage = coverage::coverage(server, frame);
    let mut all = vec![instance::instance(server, frame, &coverage)];
    all.extend(groups::groups(server, frame, &coverage));
    all
}
