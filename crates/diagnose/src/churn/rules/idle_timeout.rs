//! Idle-timeout churn: pools that open sessions for a burst, let them go after the idle timeout, and open them again.
//!
//! Together, many such pools can show a constant rate and a constant number of sessions: then only the lives tell.

use super::{Answer, Case, IN_BURSTS, Proof, enough};

/// Mean life between which an idle timeout may be acting, seconds.
const LIFE_S: std::ops::RangeInclusive<f64> = 30.0..=1200.0;

/// Swing of the sessions from burst to pause.
pub(super) const SWINGS: f64 = 0.3;

/// Logins without logouts or the reverse, as a share of the logins.
const BALANCED: f64 = 0.1;

/// How strictly one process logs out on a period that is a sweep.
const SWEEPS: f64 = 0.9;

/// 90th over 10th percentile of the idle time at logout that one timeout explains: a sweep of two generations doubles it,
/// and a pool that looks at whole idle times, first in and first out, makes it three. People's are 20 and more.
const NARROW: f64 = 4.0;

/// Idle time at logout below which nobody has an idle timeout, seconds.
const SHORTEST_IDLE_S: f64 = 15.0;

/// The declared timeout is reached, but for the resolution of the readings.
const REACHES: f64 = 0.8;

/// The idle time at which sessions are closed is always the same one: a timeout acts, whatever the series looks like.
pub(super) fn ask_lives(case: &Case<'_>) -> Option<Answer> {
    let churns = candidate(case)? && case.is_working() != Some(true);
    (churns && timeout_acts(case)?).then_some(Answer::Found("idle-timeout-churn", Proof::Agreed))
}

/// Bursts of logins and a swing of sessions, by sessions that do not work.
pub(super) fn ask_series(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let swings = candidate(case)?
        && f.amplitude? >= SWINGS
        && f.login_dispersion? >= IN_BURSTS
        && case.is_working() == Some(false)
        && (f.logins - f.logouts).abs() <= BALANCED * f.logins
        && timeout_acts(case) != Some(false);
    let sweeps = f.sweep_strength.is_some_and(|strength| strength >= SWEEPS);
    let reaches = f.life_p10_s.zip(case.idle_timeout_s()).is_some_and(|(life_s, idle_s)| life_s >= REACHES * idle_s);
    swings.then_some(Answer::Found("idle-timeout-churn", Proof::when(sweeps || reaches)))
}

fn candidate(case: &Case<'_>) -> Option<bool> {
    let life_s = case.figures.mean_life_s?;
    Some(enough::logins(case) && case.often_replaced() && LIFE_S.contains(&life_s))
}

/// Whether sessions are closed after one idle time; `None` when their idle time is not known.
pub(super) fn timeout_acts(case: &Case<'_>) -> Option<bool> {
    let f = case.figures;
    let (p10, p90) = f.idle_at_logout_p10_s.zip(f.idle_at_logout_p90_s)?;
    Some(p10 >= SHORTEST_IDLE_S && p90 <= NARROW * p10)
}
