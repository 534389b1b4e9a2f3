//! `memory-per-session`: what an open session takes of the server's memory, and what all that it allows would take.
//!
//! It speaks of a sessions run only. A newcomer would multiply what `top` shows for one process; that counts shared memory
//! once for each.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::targets::{self, TargetAt};

const CODE: &str = "memory-per-session";

/// Points of a line: the state before the first session, and two steps.
const NEEDED: u64 = 2;

/// Share of the memory that all allowed sessions may take before it is worth a word, and before it is dangerous.
const NOTE: f64 = 0.5;
const TOO_MUCH: f64 = 1.0;

/// Bytes that are much where nobody limits the sessions.
const MUCH: f64 = 1024.0 * 1024.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("memory_per_session.md"),
    page_es: include_str!("memory_per_session.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    targets::all(run).iter().map(|target| target.name(of(target)).finish()).collect()
}

fn of(target: &TargetAt<'_>) -> Draft {
    let result = target.result;
    let (Some((own, account)), Some((whole, whole_account))) = (target.own(), target.whole()) else {
        let steps = result.steps.len() as u64;
        let short = steps < NEEDED && result.memory_source != peaje_model::MemorySource::None;
        return if short {
            Draft::cannot_say(CODE, "too-few-steps").count("steps", steps).count("needed", NEEDED)
        } else {
            Draft::cannot_say(CODE, "not-read")
        };
    };
    let each = whole.value.unwrap_or_default();
    let (memory, allowed) = (target.memory().map(|(bytes, _)| bytes), target.allowed());
    let all = allowed.map(|allowed| allowed as f64 * each);
    let share = all.zip(memory).map(|(all, memory)| all / memory);
    let found = match share {
        Some(share) if share >= TOO_MUCH => Some(Severity::Warning),
        Some(share) if share >= NOTE => Some(Severity::Info),
        None if each >= MUCH => Some(Severity::Info),
        _ => None,
    };
    let worked = result.idle_and_worked.worked;
    Draft::judged(CODE, if worked.is_some() { "worked" } else { "idle" }, found)
        .bytes("bytes", own.value)
        .bytes("low", own.low)
        .bytes("high", own.high)
        .bytes("whole_bytes", (whole_account != account).then_some(each))
        .bytes("idle_bytes", result.idle_and_worked.idle.filter(|_| worked.is_some()))
        .count("allowed", allowed)
        .bytes("all_bytes", all)
        .ratio("times", share)
        .bytes("memory", memory)
        .see(target.saw_bytes(account, own))
        .see(target.saw_bytes(whole_account, whole).filter(|_| whole_account != account))
        .see(saw_count(target.path("walls/0/sessions"), result.first_wall.map(|wall| wall.sessions)))
}
