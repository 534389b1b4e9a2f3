//! A pool per user, database or token: one process holds many pools of one or two sessions each.

use super::{Answer, Case, Proof};

/// Pools in one process.
const POOLS: u64 = 10;

/// Sessions of the middle one.
const SESSIONS: f64 = 2.0;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let fragmented = f.pools_per_process? >= POOLS && f.sessions_per_pool? <= SESSIONS;
    let max = case.declared(|pool| Some(f64::from(pool.max?)));
    let above_max = max.zip(f.usual_sessions_per_process).is_some_and(|(max, usual)| usual as f64 > max);
    fragmented.then_some(Answer::Found("pool-per-user", Proof::when(above_max)))
}
