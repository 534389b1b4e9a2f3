//! `no-pooling`: clients that log in for each piece of work.
//!
//! The trap is the rate: two logins a second are all that a script host does and nothing to a farm of pools. How long a
//! session lives tells them apart.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "no-pooling";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("no_pooling.md"),
    page_es: include_str!("no_pooling.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .ratio("requests_per_login", f.requests_per_login)
        .see(at.see("statistics/requests_per_login", f.requests_per_login.map(Param::Ratio)))
        .see(at.see("statistics/bins_without_login", Some(Param::Share(f.bins_without_login))))
}
