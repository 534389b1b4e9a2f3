//! `sessions-dropped`: held sessions that the server ended, and what it said.
//!
//! It speaks of a sessions run only. A newcomer would look for a crash: an idle timeout does the same, politely.

use peaje_model::{DroppedSessions, Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::targets::{self, TargetAt};
use crate::view::ratio;

const CODE: &str = "sessions-dropped";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("sessions_dropped.md"),
    page_es: include_str!("sessions_dropped.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    targets::all(run).iter().map(|target| target.name(of(target)).finish()).collect()
}

fn of(target: &TargetAt<'_>) -> Draft {
    let held = target.held();
    if held == 0 {
        return Draft::cannot_say(CODE, "not-held");
    }
    let all = &target.result.dropped;
    let dropped: u64 = all.iter().map(|one| one.count).sum();
    let Some((place, main)) = most(all).filter(|_| dropped > 0) else {
        return Draft::healthy(CODE, "none").count("held", held).see(target.saw_held());
    };
    Draft::found(CODE, "dropped", Severity::Warning)
        .count("dropped", dropped)
        .count("held", held)
        .share("share", ratio(dropped as f64, held as f64))
        .text("reason", main.reason.clone())
        .maybe("message", main.message.clone().map(peaje_model::Param::Text))
        .see(saw_count(target.path(&format!("dropped/{place}/count")), main.count))
}

/// The reason with the most sessions, and its place.
fn most(all: &[DroppedSessions]) -> Option<(usize, &DroppedSessions)> {
    all.iter().enumerate().max_by_key(|(_, one)| one.count)
}
