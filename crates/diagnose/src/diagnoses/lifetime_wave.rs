//! `lifetime-wave`: sessions that were opened together reach their maximum lifetime together.
//!
//! On average their turnover is healthy; it is the moment that hurts.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "lifetime-wave";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("lifetime_wave.md"),
    page_es: include_str!("lifetime_wave.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .us("every_us", at.real_us(f.spike_gap_s))
        .count("waves", f.spikes)
        .count("at_once", f.most_logouts.round() as u64)
        .see(at.see("statistics/spikes", Some(Param::Count(f.spikes))))
        .see(at.see_s("spike_gap_s", f.spike_gap_s))
        .see(at.see("statistics/spike_gap_cv", f.spike_gap_cv.map(Param::Ratio)))
        .see(at.see("statistics/most_logouts", Some(Param::Ratio(f.most_logouts))))
}
