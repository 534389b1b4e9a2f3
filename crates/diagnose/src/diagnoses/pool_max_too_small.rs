//! `pool-max-too-small`: every session of a pool is at work all the time, so clients wait for one.
//!
//! The server may be idle meanwhile: it sees no queue, the clients do.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "pool-max-too-small";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pool_max_too_small.md"),
    page_es: include_str!("pool_max_too_small.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |f| f.median_use.is_some(), found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.found(CODE, "group", Severity::Warning)
        .share("at_work", f.median_use.map(|used| used.min(1.0)))
        .share("at_maximum", f.at_maximum)
        .count("each", f.usual_sessions_per_process)
        .ratio("waiting", f.mean_waiting)
        .see(at.see("statistics/median_use", f.median_use.map(Param::Ratio)))
        .see(at.see("statistics/at_maximum", f.at_maximum.map(Param::Share)))
        .see(at.see("statistics/mean_waiting", f.mean_waiting.map(Param::Ratio)))
}
