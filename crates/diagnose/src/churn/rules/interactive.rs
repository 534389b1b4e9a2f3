//! Interactive users: people who come and go on their own, each with a session.

use peaje_model::Pattern;

use super::{Answer, Case, IN_BURSTS, enough};

/// Times an hour from which there is a turnover to explain.
const TURNOVER_PER_H: f64 = 2.0;

/// How much the lives of people's sessions differ, at least: independent ends give 1, a timeout near 0.
const DIFFER: f64 = 0.5;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let often = if f.life_cv.is_some() { TURNOVER_PER_H } else { super::OFTEN_PER_H };
    let independent = f.login_dispersion? < IN_BURSTS && f.refill.is_none_or(|refill| refill < super::REPLACED);
    let differ = f.life_cv.is_none_or(|cv| cv >= DIFFER);
    let turnover = f.replaced_per_h? >= often;
    let answer = Answer::Explained(Pattern::InteractiveUsers);
    (enough::logins(case) && turnover && independent && differ).then_some(answer)
}
