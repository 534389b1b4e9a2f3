//! How the time of a login grows with the sessions that are open.

use peaje_model::{LoginGrowth, SessionStep, SessionsResult};
use peaje_stats::PowerLaw;

use super::account::interval;

/// Points that a power needs.
const LEAST: usize = 3;

/// The power law of the steps' median logins against the sessions in the middle of each step; those beyond a knee are
/// another matter, and left out when enough remain.
pub(super) fn login_growth(result: &SessionsResult) -> Option<LoginGrowth> {
    let before = std::iter::once(&result.baseline).chain(&result.steps);
    let all: Vec<(f64, f64)> = before.zip(&result.steps).filter_map(|(before, step)| point(before, step)).collect();
    let knee = result.knee.map_or(f64::INFINITY, |knee| knee.sessions);
    let straight: Vec<(f64, f64)> = all.iter().copied().filter(|(sessions, _)| *sessions <= knee).collect();
    let points = if straight.len() >= LEAST { straight } else { all };
    if points.len() < LEAST {
        return None;
    }
    let law = PowerLaw::fit(&points)?;
    let at = |point: Option<&(f64, f64)>| point.map(|(sessions, _)| law.at(*sessions));
    Some(LoginGrowth { exponent: interval(law.exponent()), first_us: at(points.first())?, last_us: at(points.last())? })
}

fn point(before: &SessionStep, step: &SessionStep) -> Option<(f64, f64)> {
    let middle = f64::midpoint(before.sessions as f64, step.sessions as f64);
    let login = step.login_us.p50.or(step.login_us.mean)?;
    (step.opened > 0 && middle > 0.0 && login > 0.0).then_some((middle, login))
}
