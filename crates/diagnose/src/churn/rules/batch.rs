//! Batch workers: they log in, work until the end, and log out. No pool, and nothing wrong.

use peaje_model::Pattern;

use super::{Answer, Case, WORKING, enough};

/// Times an hour from which there is a turnover to explain.
const TURNOVER_PER_H: f64 = 2.0;

/// Swing that workers which come and go leave; where sessions are constant and busy, a pool is full.
const COME_AND_GO: f64 = 0.3;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let turnover = case.often_replaced()
        || (f.replaced_per_h.is_some_and(|per_h| per_h >= TURNOVER_PER_H)
            && f.amplitude.is_some_and(|swing| swing >= COME_AND_GO));
    let works = f.mean_use? >= WORKING;
    (enough::logins(case) && turnover && works).then_some(Answer::Explained(Pattern::BatchWorkers))
}
