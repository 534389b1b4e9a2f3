//! `pool-min-too-big`: many sessions that hardly anybody uses, the same number in every process.
//!
//! An idle session is cheap until they are many: memory, and the limit at the next deployment.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "pool-min-too-big";

/// Share of the limit from which a deployment gets tight.
const TIGHT: f64 = 0.6;

/// Share from which the next deployment may fail.
const SERIOUS: f64 = 0.8;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pool_min_too_big.md"),
    page_es: include_str!("pool_min_too_big.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |f| f.peak_use.is_some(), found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.found(CODE, "group", severity(at))
        .share("peak_use", f.peak_use.map(|used| used.min(1.0)))
        .count("each", f.usual_sessions_per_process)
        .count("processes", f.processes)
        .share("never_used", f.never_used)
        .share("of_limit", at.share_of_limit())
        .count("limit", at.group.limit)
        .see(at.see("statistics/peak_use", f.peak_use.map(Param::Ratio)))
        .see(at.see("statistics/never_used", f.never_used.map(Param::Share)))
        .see(at.see("limit", at.group.limit.map(Param::Count)))
}

/// By the room that is left below the limit: a deployment that starts new processes before it stops the old ones needs
/// it.
fn severity(at: &Watched<'_>) -> Severity {
    match at.share_of_limit() {
        Some(share) if share >= SERIOUS => Severity::Critical,
        Some(share) if share < TIGHT => Severity::Info,
        _ => Severity::Warning,
    }
}
