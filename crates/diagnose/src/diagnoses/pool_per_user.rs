//! `pool-per-user`: one process with a pool for each user, database or token.
//!
//! Each pool is small and looks healthy; their number is the matter.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "pool-per-user";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pool_per_user.md"),
    page_es: include_str!("pool_per_user.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |f| f.processes.is_some(), found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .count("pools", f.pools_per_process)
        .ratio("each", f.sessions_per_pool)
        .count("processes", f.processes)
        .see(at.see("statistics/pools_per_process", f.pools_per_process.map(Param::Count)))
        .see(at.see("statistics/sessions_per_pool", f.sessions_per_pool.map(Param::Ratio)))
}
