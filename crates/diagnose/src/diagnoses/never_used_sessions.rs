//! `never-used-sessions`: sessions that were opened, authenticated and never asked anything.
//!
//! It speaks of a check only. A newcomer would call them a reserve: each costs memory and a place under the limit, and
//! after a restart all of them log in at once.

use peaje_model::{ApplicationSessions, Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::view::ratio;

const CODE: &str = "never-used-sessions";

/// Share of the sessions, and their number, from which it is worth a word, and a warning.
const SHARE: f64 = 0.3;
const LEAST: u64 = 10;
const MANY: u64 = 100;

/// A session that has just logged in has not had the time to be used, seconds.
const YOUNG_S: f64 = 60.0;

/// Names in a sentence.
const MOST_NAMES: usize = 3;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("never_used_sessions.md"),
    page_es: include_str!("never_used_sessions.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let known = check.applications.as_ref().filter(|list| list.iter().all(|one| one.never_used.is_some()));
    let Some(list) = known else { return Draft::cannot_say(CODE, "unseen").alone() };
    let unused = |one: &ApplicationSessions| one.never_used.filter(|_| one.oldest_s >= YOUNG_S).unwrap_or(0);
    let mut with: Vec<(usize, &ApplicationSessions)> =
        list.iter().enumerate().filter(|(_, one)| unused(one) > 0).collect();
    with.sort_by_key(|(_, one)| std::cmp::Reverse(unused(one)));
    let number: u64 = with.iter().map(|(_, one)| unused(one)).sum();
    let sessions: u64 = list.iter().map(|one| one.sessions).sum();
    let share = ratio(number as f64, sessions as f64).unwrap_or(0.0);
    let found = match number {
        n if n >= MANY && share >= SHARE => Some(Severity::Warning),
        n if n >= LEAST && share >= SHARE => Some(Severity::Info),
        _ => None,
    };
    let names: Vec<String> =
        with.iter().take(MOST_NAMES).map(|(_, one)| format!("{} @ {}", one.application, one.host)).collect();
    let saw = with
        .iter()
        .take(MOST_NAMES)
        .filter_map(|(i, one)| saw_count(format!("/check/applications/{i}/never_used"), one.never_used));
    Draft::judged(CODE, "unused", found)
        .count("unused", number)
        .count("sessions", sessions)
        .share("share", share)
        .text("applications", names.join(", "))
        .see(saw)
        .see(saw_count("/check/sessions", check.sessions))
        .alone()
}
