//! Numbers only: distributions of times, rates with their intervals, and the question whether a rate has settled.
//!
//! A figure with too few samples behind it is `None`, never a guess: callers print "not enough samples", not zero.
//! Times are nanoseconds in integers, rates are events per second.

mod distribution;
mod rate;
mod stationary;
mod student;

pub use distribution::{DecodeError, Distribution};
pub use rate::{RateInterval, peak_rate, rate_interval};
pub use stationary::{MIN_WINDOWS, stationary};
pub use student::t_quantile_975;
