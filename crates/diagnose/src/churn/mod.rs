//! Who logs in and out, and what kind of client does so: statistics of a group's series, and the rules over them.

mod series;

pub use series::{Bin, GroupSeries, Life};
