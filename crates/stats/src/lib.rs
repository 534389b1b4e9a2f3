//! Numbers only: distributions of times, rates with their intervals, the question whether a rate has settled, lines and
//! their knees.
//!
//! A figure with too few samples behind it is `None`, never a guess: callers print "not enough samples", not zero.
//! Times are nanoseconds in integers, rates are events per second.

mod comb;
mod distribution;
mod knee;
mod line;
mod poisson;
mod random;
mod rate;
mod sample;
mod slope;
mod stationary;
mod student;

pub use comb::{best_comb, comb_strength};
pub use distribution::{DecodeError, Distribution};
pub use knee::{ChangePoint, LadderStep, MIN_STEPS, Support, change_point};
pub use line::{Estimate, Line, PowerLaw};
pub use poisson::poisson_tail;
pub use rate::{RateInterval, peak_rate, rate_interval};
pub use sample::{
    Sorted, coefficient_of_variation, correlation, dispersion, lagged_correlation, mean, median, variance,
};
pub use slope::theil_sen;
pub use stationary::{MIN_WINDOWS, stationary};
pub use student::t_quantile_975;
