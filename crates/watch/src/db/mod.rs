//! Recordings: the record on disk, and back.

mod error;
mod file;
mod keep;
mod recorder;
mod replay;
mod retention;

pub use error::RecordError;
pub use keep::Retention;
pub use recorder::{Recorder, RecordingPlan};
pub use replay::{read_rows, replay_db};
