//! Lifetime wave: sessions that were opened together reach their maximum lifetime together.

use super::{Answer, Case, Proof, enough};

/// Variance over mean of logouts, as a share of the sessions: a wave spread over k bins gives 1/k, and readings at random
/// moments spread one over two or three.
const LUMPED: f64 = 0.2;

/// Share of the sessions that the largest bin of logouts holds.
const AT_ONCE: f64 = 0.2;

/// Correlation of logouts with the logins that follow.
const REPLACED: f64 = 0.5;

/// Swing of the sessions that the wave leaves.
const CONSTANT: f64 = 0.15;

/// Waves that make a period.
const WAVES: u64 = 3;

/// How much their distances may differ.
const EQUAL: f64 = 0.1;

/// How near to the declared lifetime the distance must be.
const AGREES: f64 = 0.1;

/// Lifetimes that are defaults or usual settings, seconds.
const USUAL_LIFETIMES_S: [f64; 6] = [600.0, 900.0, 1200.0, 1800.0, 3600.0, 7200.0];

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let open = f.mean_sessions?;
    let waves = f.logout_dispersion? >= LUMPED * open
        && f.most_logouts >= AT_ONCE * open
        && f.refill? >= REPLACED
        && f.amplitude? <= CONSTANT
        && f.spikes >= WAVES
        && f.spike_gap_cv? <= EQUAL;
    if !waves || !enough::logins(case) {
        return None;
    }
    let gap_s = f.spike_gap_s?;
    let near = |lifetime_s: f64| (gap_s - lifetime_s).abs() <= AGREES * lifetime_s;
    let agreed = match case.declared(|pool| pool.lifetime_s) {
        Some(lifetime_s) => near(lifetime_s),
        None => USUAL_LIFETIMES_S.into_iter().any(near) && f.life_p10_s.is_some_and(near),
    };
    Some(Answer::Found("lifetime-wave", Proof::when(agreed)))
}
