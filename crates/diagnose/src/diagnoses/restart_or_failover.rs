//! `restart-or-failover`: most sessions replaced at once, and then no more.
//!
//! No fault: what it shows is the ramp, which is what users wait for after the next one.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "restart-or-failover";

/// Share of new client processes that makes it a restart of clients.
const NEW: f64 = 0.5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("restart_or_failover.md"),
    page_es: include_str!("restart_or_failover.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    let restarted = f.new_processes.filter(|share| *share >= NEW);
    let draft = at.found(CODE, if restarted.is_some() { "restart" } else { "failover" }, Severity::Info);
    draft
        .share("replaced", f.replaced_at_once.map(|share| share.min(1.0)))
        .count("times", f.replacements)
        .us("ramp_us", at.real_us(f.ramp_s))
        .see(at.see("statistics/replaced_at_once", f.replaced_at_once.map(Param::Ratio)))
        .see(at.see("statistics/replacements", Some(Param::Count(f.replacements))))
        .see(at.see_s("ramp_s", f.ramp_s))
        .see(at.see("statistics/new_processes", f.new_processes.map(Param::Share)))
}
