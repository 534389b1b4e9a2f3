//! No pooling: sessions of seconds all the time.

use super::{Answer, Case, Proof, SHORT_LIFE_S, enough};

/// Requests per login up to which a login hardly pays.
const FEW_REQUESTS: f64 = 10.0;

/// Correlation of logins with requests that makes them the same thing.
const FOLLOWS: f64 = 0.7;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let short = case.life_at_most_s().is_some_and(|life_s| life_s <= SHORT_LIFE_S);
    if !enough::logins(case) || !short {
        return None;
    }
    let same_process = f.processes_logging_in_again.is_some_and(|again| again > 0);
    let few_requests = f.requests_per_login.is_some_and(|requests| requests <= FEW_REQUESTS);
    let follows = f.logins_follow_requests.is_some_and(|correlation| correlation >= FOLLOWS);
    Some(Answer::Found("no-pooling", Proof::when(same_process || (few_requests && follows))))
}
