//! `pool-below-min`: a pool that closes idle sessions under its own minimum and opens them again at once.
//!
//! The number of sessions is constant, so nobody who looks at it sees anything.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "pool-below-min";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pool_below_min.md"),
    page_es: include_str!("pool_below_min.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .us("closed_after_us", at.real_us(f.life_p50_s))
        .see(at.see("statistics/refill", f.refill.map(Param::Ratio)))
        .see(at.see("statistics/amplitude", f.amplitude.map(Param::Share)))
        .see(at.see_s("life_p50_s", f.life_p50_s))
}
