//! `idle-sessions-cost`: what the sessions cost that others hold on this server and have never used.
//!
//! It speaks of a sessions run whose observer could see other sessions, and never of the reference server, which has none.
//! A newcomer would think of idle sessions as free: each takes what this run has measured.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::facts;
use crate::targets;
use crate::view::ratio;

const CODE: &str = "idle-sessions-cost";

/// Sessions from which it is worth a word, and from which it is serious.
const LEAST: u64 = 10;
const MANY: u64 = 100;

/// Share of the memory.
const SHARE: f64 = 0.05;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("idle_sessions_cost.md"),
    page_es: include_str!("idle_sessions_cost.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let targets = targets::all(run);
    let reference = run.what_answered.as_ref().is_some_and(|what| what.reference_server);
    let Some(target) = targets.first().filter(|_| !reference) else { return Vec::new() };
    let seen = facts::find(run, "never_used_sessions").and_then(|fact| Some((fact, fact.number()?)));
    let Some((fact, unused)) = seen else { return Draft::cannot_say(CODE, "unseen").alone() };
    let Some((each, account)) = target.whole() else { return Draft::cannot_say(CODE, "not-read").alone() };
    let idle = target.result.idle_and_worked.idle.or(each.value).unwrap_or_default();
    let (number, all) = (unused as u64, idle * unused);
    let share = target.memory().and_then(|(memory, _)| ratio(all, memory));
    let much = share.is_some_and(|share| share >= SHARE);
    let found = match number {
        n if n >= MANY || (n >= LEAST && much) => Some(Severity::Warning),
        n if n >= LEAST => Some(Severity::Info),
        _ => None,
    };
    let sessions = facts::find(run, "other_sessions").and_then(facts::FactAt::number);
    Draft::judged(CODE, "unused", found)
        .count("unused", number)
        .count("sessions", sessions.map(|sessions| sessions as u64))
        .bytes("bytes", idle)
        .bytes("all_bytes", all)
        .share("share", share.filter(|share| *share <= 1.0))
        .see([fact.saw()])
        .see(target.saw_bytes(account, each))
        .alone()
}
