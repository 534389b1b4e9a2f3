//! A pool at its maximum: every session is at work and none is idle, so clients wait for one.

use super::{Answer, Case, Proof};

/// Median of the sessions at work over the median of the open ones.
pub(crate) const ALL_AT_WORK: f64 = 0.85;

/// Share of the time at the maximum.
const AT_MAXIMUM: f64 = 0.5;

/// Sessions below which a pool has no maximum to speak of.
const FEWEST: f64 = 2.0;

/// Idle time of the idle ones up to which they are idle between two requests only, seconds.
const NO_REST_S: f64 = 0.1;

/// Clients waiting, on average, that are a queue.
const QUEUE: f64 = 0.5;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let full = case.seldom_replaced()
        && case.is_constant()
        && f.median_use? >= ALL_AT_WORK
        && f.at_maximum? >= AT_MAXIMUM
        && f.mean_sessions? >= FEWEST;
    let declared_max = case.declared(|pool| Some(f64::from(pool.max?)));
    let reached = f.usual_sessions_per_process.zip(declared_max).is_some_and(|(usual, max)| usual as f64 >= max);
    let no_rest = f.idle_now_p50_s.is_some_and(|idle_s| idle_s <= NO_REST_S);
    let queue = f.mean_waiting.is_some_and(|waiting| waiting >= QUEUE);
    full.then_some(Answer::Found("pool-max-too-small", Proof::when(reached || no_rest || queue)))
}
