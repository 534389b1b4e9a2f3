//! Sessions that nobody gives back, or that are left without a goodbye.

use super::{Answer, Case, Proof, SHORT_LIFE_S, enough};

/// Growth of the sessions, relative per hour.
const GROWTH_PER_H: f64 = 0.05;

/// Swing that a growth must have left over the window.
const SWING: f64 = 0.2;

/// Logouts over logins up to which sessions stay away.
const STAY: f64 = 0.8;

/// Sessions that must have stayed: the swing of two or three is none.
const FEWEST: f64 = 10.0;

/// Share of the kept sessions, or of the oldest quarter, that has long been idle: a leak keeps what nobody uses, growth
/// keeps what is used.
const FORGOTTEN: f64 = 0.5;

/// Share of the ends without a goodbye.
pub(crate) const ABANDONED: f64 = 0.2;

/// Logouts that such a share needs.
const LOGOUTS: f64 = 20.0;

/// Idle time before the end from which the server, not the client, noticed it, seconds.
const NOTICED_LATE_S: f64 = 200.0;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    grows(case).or_else(|| abandoned(case))
}

fn grows(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let enough = enough::logins(case)
        && enough::ask(case).is_none()
        && enough::full_window(case)
        && f.logins - f.logouts >= FEWEST;
    (enough && may_leak(case)?).then_some(Answer::Found("session-leak", Proof::when(f.kept_idle.is_some())))
}

/// Whether sessions grow and are not known to be used, however few logins there were.
pub(super) fn may_leak(case: &Case<'_>) -> Option<bool> {
    let f = case.figures;
    let grows = f.growth_per_h? >= GROWTH_PER_H
        && f.least_growth_per_h? >= 0.0
        && f.amplitude? >= SWING
        && f.logouts <= STAY * f.logins;
    Some(grows && f.kept_idle.is_none_or(|share| share >= FORGOTTEN))
}

/// Sessions that ended because the server noticed at last that nobody was there. A client that never says goodbye is no
/// such thing: its sessions end at once, after a short life.
fn abandoned(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let left = f.abandoned? >= ABANDONED && f.logouts >= LOGOUTS && f.resets == 0;
    let long = case.life_at_most_s().is_some_and(|life_s| life_s > SHORT_LIFE_S);
    let late = f.idle_at_logout_p50_s.is_some_and(|idle_s| idle_s >= NOTICED_LATE_S);
    let forgotten = f.oldest_idle.is_some_and(|share| share >= FORGOTTEN);
    (left && long && (late || forgotten)).then_some(Answer::Found("session-leak", Proof::when(late)))
}
