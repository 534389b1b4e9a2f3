//! A pool that closes idle sessions under its own minimum and opens them again at once: a constant number of sessions,
//! each of which lives for the idle timeout.

use super::{Answer, Case, Proof, REPLACED, enough, idle_timeout};

/// Longest mean life that an idle timeout explains, seconds.
const LONGEST_S: f64 = 1200.0;

/// Times the turnover that a declared maximum lifetime explains.
const TIMES_BASELINE: f64 = 3.0;

/// How much lives may differ when all of them end by the same timeout.
const ALIKE: f64 = 0.25;

/// How near the rate of logins must be to what the declared settings predict.
const PREDICTED: f64 = 0.25;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let baseline_per_h = case.declared(|pool| pool.lifetime_s).map_or(0.0, |lifetime_s| 3600.0 / lifetime_s);
    // Sessions in use come on top of the minimum: where each one goes after one idle time, such a swing is no other cause.
    let nearly = f.amplitude? < idle_timeout::SWINGS && idle_timeout::timeout_acts(case) == Some(true);
    let refills = case.often_replaced()
        && f.replaced_per_h? >= TIMES_BASELINE * baseline_per_h
        && f.mean_life_s? <= LONGEST_S
        && f.refill? >= REPLACED
        && (case.is_constant() || nearly);
    if !refills || !enough::logins(case) || case.is_working() == Some(true) {
        return None;
    }
    let alike = f.life_cv.is_some_and(|cv| cv <= ALIKE);
    Some(Answer::Found("pool-below-min", Proof::when(alike || as_predicted(case))))
}

/// Whether the mean life is what the declared idle timeout and sweep give: the timeout and half a sweep.
fn as_predicted(case: &Case<'_>) -> bool {
    let sweep_s = case.declared(|pool| pool.sweep_s).unwrap_or(0.0);
    let expected = case.idle_timeout_s().map(|idle_s| idle_s + sweep_s / 2.0);
    expected
        .zip(case.figures.mean_life_s)
        .is_some_and(|(expected, life_s)| (life_s - expected).abs() <= PREDICTED * expected)
}
