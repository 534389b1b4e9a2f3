//! `many-failed-logins`: the share of logins that failed since the server began to count, by class where it tells.
//!
//! It speaks of a check only. A newcomer would read it as an attack, or as today's: it is a sum over the whole time, and
//! the usual cause is one forgotten client with an old password.

use peaje_model::{Finding, LongView, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::view::ratio;

const CODE: &str = "many-failed-logins";

/// Failed logins from which the share is worth a word, and the shares.
const LEAST: u64 = 20;
const SHARE: f64 = 0.01;
const WARNING: f64 = 0.1;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("many_failed_logins.md"),
    page_es: include_str!("many_failed_logins.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    // What happened since an earlier visit says more than a sum since the start.
    let interval = check.since.as_ref().and_then(|since| since.interval.as_ref());
    let interval = interval.map(|view| ("since-visit", "/check/since/interval", view));
    let start = check.since_start.as_ref().map(|view| ("since-start", "/check/since_start", view));
    let of = |known: Option<(&'static str, &'static str, &LongView)>| {
        known.and_then(|(variant, path, view)| judged(variant, path, view))
    };
    of(interval).or_else(|| of(start)).unwrap_or_else(|| Draft::cannot_say(CODE, "not-counted")).alone()
}

fn judged(variant: &str, path: &str, view: &LongView) -> Option<Draft> {
    let (failed, logins) = (view.counters.failed?, view.counters.logins?);
    let share = ratio(failed as f64, (failed + logins) as f64).unwrap_or(0.0);
    let found = match share {
        share if failed >= LEAST && share >= WARNING => Some(Severity::Warning),
        share if failed >= LEAST && share >= SHARE => Some(Severity::Info),
        _ => None,
    };
    let credentials = view.counters.failed_credentials.filter(|n| *n > 0);
    let limit = view.counters.failed_limit.filter(|n| *n > 0);
    let draft = Draft::judged(CODE, variant, found)
        .count("failed", failed)
        .count("logins", logins)
        .share("share", share)
        .count("credentials", credentials)
        .count("at_limit", limit)
        .see(saw_count(format!("{path}/counters/failed"), failed))
        .see(saw_count(format!("{path}/counters/logins"), logins));
    Some(draft.see(saw_count(format!("{path}/counters/failed_credentials"), credentials)))
}
