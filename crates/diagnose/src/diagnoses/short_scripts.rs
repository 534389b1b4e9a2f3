//! `short-scripts`: sessions of seconds, now and then: scripts, checks, agents.
//!
//! A pool inside a script that ends cannot help: advice for an application without a pool would mislead.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "short-scripts";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("short_scripts.md"),
    page_es: include_str!("short_scripts.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .share("pauses", f.bins_without_login)
        .see(at.see("statistics/bins_without_login", Some(Param::Share(f.bins_without_login))))
        .see(at.see("statistics/clock_concentration", f.clock_concentration.map(Param::Ratio)))
}
