//! Collects, records and replays who logs in and out of a server.
//!
//! Live figures, a replayed recording and a CSV file go the same way (rows, a record, series, a result), so that they
//! give the same verdicts. A newcomer would compute a rate when reading; rates are computed last, from differences that
//! know whether they may be.

mod codec;
mod collector;
mod counter;
mod csv;
mod db;
mod differ;
mod export;
pub mod listen;
mod live;
pub mod metrics;
mod moment;
pub mod prometheus_rules;
mod record;
mod result;
mod row;
mod series;
mod snapshot;

pub use codec::{Damaged, decode, encode};
pub use collector::{Collector, CollectorPlan, Handle, Reconnect, ServerPlan};
pub use counter::{Changes, Counter};
pub use csv::{CsvError, replay_csv};
pub use db::{RecordError, Recorder, RecordingPlan, Retention, read_rows, replay_db};
pub use export::Exporter;
pub use record::Record;
pub use result::result;
pub use row::{Birth, Cut, Death, Interval, Missed, Origin, Picture, Row, ServerNote, State, What};
pub use series::{Analysis, series};
pub use snapshot::{
    Ages, GroupSnapshot, HISTORY, Point, Rates, RecordingState, ServerSnapshot, ServerState, SessionStates, Snapshot,
};
