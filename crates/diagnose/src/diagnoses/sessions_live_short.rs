//! `sessions-live-short`: the mean life of a session since the server began to count, with the rate of logins.
//!
//! It speaks of a check only, and suspects only: an average over weeks cannot tell an application that does not pool from
//! pools that grow and shrink. `peaje watch` can. A newcomer would hold the rate of logins against a limit; the same rate
//! is healthy for 5,000 sessions and not for five.

use peaje_model::{Finding, LongView, Param, Run, Severity};

use crate::Diagnosis;
use crate::distance::something_between;
use crate::draft::{Draft, saw};

const CODE: &str = "sessions-live-short";

/// A shorter mean life than this is worth a look, seconds.
const SHORT_S: f64 = 300.0;
/// Shorter than this with so many logins a second, it costs something.
const VERY_SHORT_S: f64 = 60.0;
const MANY_PER_S: f64 = 1.0;
/// A shorter time says nothing of a day: in it the few logins that were made are chance.
const LEAST_TIME_S: f64 = 600.0;
/// Fewer logins a second than this do not matter, however short their sessions.
const LEAST_PER_S: f64 = 0.05;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("sessions_live_short.md"),
    page_es: include_str!("sessions_live_short.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let interval = check.since.as_ref().and_then(|since| since.interval.as_ref());
    let interval = interval.map(|view| ("since-visit", "/check/since/interval", view));
    let start = check.since_start.as_ref().map(|view| ("since-start", "/check/since_start", view));
    let of = |known: Option<(&'static str, &'static str, &LongView)>| {
        known.and_then(|(variant, path, view)| judged(run, variant, path, view))
    };
    of(interval).or_else(|| of(start)).unwrap_or_else(|| Draft::cannot_say(CODE, "not-counted")).alone()
}

fn judged(run: &Run, variant: &str, path: &str, view: &LongView) -> Option<Draft> {
    let life = view.mean_life_s?;
    if view.time_s.is_some_and(|s| s < LEAST_TIME_S) {
        return Some(Draft::cannot_say(CODE, "too-short"));
    }
    let rate = view.logins_per_s;
    let matters = rate.is_none_or(|rate| rate >= LEAST_PER_S);
    let found = match life {
        life if life < VERY_SHORT_S && rate.is_some_and(|rate| rate >= MANY_PER_S) => Some(Severity::Warning),
        life if life < SHORT_S && matters => Some(Severity::Info),
        _ => None,
    };
    let between = something_between(run).then(|| Param::Text("something-between".to_owned()));
    Some(
        Draft::judged(CODE, variant, found)
            .us("life_us", life * 1e6)
            .per_s("logins_per_s", rate)
            .maybe("replaced_per_h", (life > 0.0).then(|| Param::PerS(3_600.0 / life)))
            .maybe("segment", between)
            .see(saw(format!("{path}/mean_life_s"), Some(Param::Us(life * 1e6))))
            .see(saw(format!("{path}/logins_per_s"), rate.map(Param::PerS))),
    )
}
