//! Experiments: schedules, workers, recorders, stop rules. Generic over the engine; knows no protocol.
//!
//! A newcomer would share one set of histograms between all workers. Here each worker thread owns a recorder without
//! locks, and recorders are merged when a slice ends.

mod account;
mod bound;
mod context;
mod kept;
mod login;
mod operation;
mod others;
mod pacer;
mod pooled;
mod queue;
mod recorder;
mod schedule;
pub mod sessions;
mod slice;
mod stop;
mod summary;
mod ticks;
mod worker;

pub use bound::{Signs, judge};
pub use context::{Context, Event, Guards, ServerCpu};
pub use login::{Experiment, Measured, SeriesPlan, first_login, run};
pub use others::{Others, Ours};
pub use recorder::Recorder;
pub use schedule::Schedule;
pub use stop::{Stop, StopRule};
