//! Slow logins, where a run of `peaje login` against the same server measured them.

use peaje_model::GroupKind;

use super::{Answer, Case, Proof};

/// Times the round trips of a login.
const TIMES_ROUND_TRIPS: f64 = 5.0;

/// Median below which nobody calls a login slow, seconds.
const SLOW_S: f64 = 0.05;

/// 99th percentile from which the slowest are slow in any case, seconds.
const SLOWEST_S: f64 = 1.0;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let cost = case.login_cost.filter(|_| case.kind == GroupKind::Instance)?;
    let far = |p50_s: f64| cost.round_trips_s.is_some_and(|floor_s| p50_s > TIMES_ROUND_TRIPS * floor_s);
    let usually = cost.p50_s.is_some_and(|p50_s| p50_s >= SLOW_S && far(p50_s));
    let at_worst = cost.p99_s.is_some_and(|p99_s| p99_s > SLOWEST_S);
    (usually || at_worst).then_some(Answer::Found("slow-logins", Proof::Agreed))
}
