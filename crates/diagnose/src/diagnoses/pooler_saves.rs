//! `pooler-saves`: the memory that a pooler in front would give back, from what a session takes and how many are at work.
//!
//! It speaks of a sessions run only. A newcomer would divide by the sessions: what a pool needs follows from how many work
//! at the same time.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::facts::{self, FactAt};
use crate::targets::{self, TargetAt};
use crate::view::ratio;

const CODE: &str = "pooler-saves";

/// Sessions of the pool for each that is at work, and for each core, so that a burst finds one.
const SPARE: u64 = 2;

/// Cores of a server that is elsewhere.
const USUAL_CORES: u64 = 8;

/// Share of the memory, and bytes, from which it is worth a word.
const SHARE: f64 = 0.05;
const MUCH: f64 = 1024.0 * 1024.0 * 1024.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pooler_saves.md"),
    page_es: include_str!("pooler_saves.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(settings) = targets::settings(run) else { return Vec::new() };
    let targets = targets::all(run);
    let Some(target) = targets.first() else { return Vec::new() };
    let fact = |name| facts::find(run, name).and_then(|fact: FactAt<'_>| Some((fact, fact.number()? as u64)));
    let others = fact("other_sessions").zip(fact("other_sessions_active"));
    if let Some(((sessions, open), (active, at_work))) = others.filter(|((_, open), _)| *open > 0) {
        return saved(run, target, "open-now", open, at_work).see([sessions.saw(), active.saw()]).alone();
    }
    let held = target.held();
    let at_work = (settings.active * held as f64).ceil() as u64;
    saved(run, target, "ladder", held, at_work).see(target.saw_held()).alone()
}

fn saved(run: &Run, target: &TargetAt<'_>, variant: &str, sessions: u64, at_work: u64) -> Draft {
    let Some((each, account)) = target.whole() else { return Draft::cannot_say(CODE, "not-read") };
    let cores = if target.result.same_host { u64::from(run.environment.cores) } else { USUAL_CORES };
    let pool = SPARE * at_work.max(cores);
    let bytes = each.value.unwrap_or_default();
    let saved = bytes * sessions.saturating_sub(pool) as f64;
    let share = target.memory().and_then(|(memory, _)| ratio(saved, memory));
    let found = saved >= MUCH || share.is_some_and(|share| share >= SHARE);
    target.name(
        Draft::judged(CODE, variant, found.then_some(Severity::Info))
            .count("sessions", sessions)
            .count("at_work", at_work)
            .count("pool", pool)
            .bytes("bytes", bytes)
            .bytes("saved_bytes", saved)
            .share("share", share.filter(|share| *share <= 1.0))
            .see(target.saw_bytes(account, each)),
    )
}
