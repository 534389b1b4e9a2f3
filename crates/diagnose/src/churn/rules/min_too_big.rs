//! A minimum that nobody needs: many sessions, hardly one at work, the same number in each process.

use super::{Answer, Case, Proof};

/// Peak of the sessions at work over the open ones. Up to 10 % is common among pools that nobody would call wrong.
pub(crate) const HARDLY_USED: f64 = 0.02;

/// Sessions from which it matters.
const FEWEST: f64 = 50.0;

/// Share of the processes with the same number that makes it a setting.
const SAME: f64 = 0.8;

/// Share of sessions that never ran a statement.
const NEVER_USED: f64 = 0.3;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let idle = case.seldom_replaced()
        && case.is_constant()
        && f.peak_use? <= HARDLY_USED
        && f.mean_sessions? >= FEWEST
        && f.usual_sessions_share.is_none_or(|share| share >= SAME);
    let never_used = f.never_used.is_some_and(|share| share >= NEVER_USED);
    let several = f.usual_sessions_per_process.is_some_and(|usual| usual >= 2);
    idle.then_some(Answer::Found("pool-min-too-big", Proof::when(never_used || several)))
}
