//! Who logs in and out, and what kind of client does so: statistics of a group's series, and the rules over them.
//!
//! [`judge`] is the one entrance: series in, groups with their statistics and verdicts out. Newcomers would judge a
//! whole server at once; a mixture of clients looks like none of them, so an instance whose applications are known is
//! judged by them.

mod declared;
mod judge;
mod judging;
mod over_servers;
pub mod predict;
mod rules;
mod series;
mod statistics;

pub use declared::{DeclaredPool, DeclaredPoolError};
pub use judge::{judge, judge_alone, judge_together, verdict_in};
pub use judging::{Judging, LoginCost, SinceStart};
pub use series::{Bin, GroupSeries, Life};
pub use statistics::statistics;

/// The codes of what can be found, in the order in which the rules are listed.
pub const CODES: [&str; 12] = [
    "no-pooling",
    "short-scripts",
    "pool-below-min",
    "idle-timeout-churn",
    "lifetime-wave",
    "pool-min-too-big",
    "pool-max-too-small",
    "session-leak",
    "failed-login-storm",
    "restart-or-failover",
    "pool-per-user",
    "slow-logins",
];
