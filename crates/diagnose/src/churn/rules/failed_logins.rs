//! A storm of failed logins: for minutes, or many more than usual.

use peaje_stats::poisson_tail;

use super::{Answer, Case, Proof};

/// How long logins must fail, seconds.
const FOR_S: f64 = 120.0;

/// Share of the attempts that fail in that time.
const OF_ATTEMPTS: f64 = 0.2;

/// Chance of so many failures within five minutes, were they as frequent as usual.
const CHANCE: f64 = 1e-6;

/// Times the usual number.
const TIMES_USUAL: f64 = 5.0;

/// Failures within five minutes below which nothing is a storm, however quiet it usually is.
const FEWEST: f64 = 30.0;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let failed = f.failed?;
    let lasting = f.failing_for_s? >= FOR_S && f.failing_share.is_some_and(|share| share >= OF_ATTEMPTS);
    // The class of the failures is the server's own word for them.
    let told = failed.credentials.is_some() || failed.limit.is_some();
    (lasting || unusual(case)).then_some(Answer::Found("failed-login-storm", Proof::when(told)))
}

fn unusual(case: &Case<'_>) -> bool {
    let Some((most, usual)) = case.figures.most_failed_in_5min.zip(case.usual_failures_in_5min) else { return false };
    most >= FEWEST && most >= TIMES_USUAL * usual && poisson_tail(most.round() as u64, usual) < CHANCE
}
