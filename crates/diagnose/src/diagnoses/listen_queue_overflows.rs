//! `listen-queue-overflows`: the kernel of the server's host dropped connections because a listen queue was full.
//!
//! The counter belongs to the host (its network namespace), not to the database, so it is read only when the server is
//! on this host, and another listener there may be the one that overflowed.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::series::At;
use crate::view::{all, labels};

const CODE: &str = "listen-queue-overflows";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("listen_queue_overflows.md"),
    page_es: include_str!("listen_queue_overflows.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let series = all(run);
    if series.is_empty() {
        return Draft::not_measured(CODE).alone();
    }
    if !run.target.local {
        return Draft::cannot_say(CODE, "not-local").alone();
    }
    let known: Vec<At<'_>> = series.into_iter().filter(|at| at.network.listen_overflows.is_some()).collect();
    let overflowed: Vec<At<'_>> = known.iter().copied().filter(|at| overflows(*at) > 0).collect();
    match (known.is_empty(), overflowed.is_empty()) {
        (true, _) => Draft::cannot_say(CODE, "unreadable").alone(),
        (false, true) => {
            let logins: u64 = known.iter().map(|at| at.logins).sum();
            let seen = known.iter().flat_map(|at| [saw_overflows(*at), at.saw_logins()]).flatten();
            Draft::healthy(CODE, "none").count("logins", logins).see(seen).alone()
        }
        (false, false) => found(&overflowed).alone(),
    }
}

fn overflows(at: At<'_>) -> u64 {
    at.network.listen_overflows.unwrap_or(0)
}

fn found(series: &[At<'_>]) -> Draft {
    let drops: Option<u64> = series.iter().map(|at| at.network.listen_drops).sum();
    Draft::found(CODE, "overflows", Severity::Warning)
        .text("series", labels(series))
        .count("overflows", series.iter().map(|at| overflows(*at)).sum::<u64>())
        .count("drops", drops)
        .count("logins", series.iter().map(|at| at.logins).sum::<u64>())
        .count("concurrency", series.iter().map(|at| u64::from(at.settings.concurrency)).max())
        .see(series.iter().flat_map(|at| [saw_overflows(*at), saw_drops(*at), at.saw_logins()]).flatten())
}

fn saw_overflows(at: At<'_>) -> Option<peaje_model::Evidence> {
    saw_count(at.path("network/listen_overflows"), at.network.listen_overflows)
}

fn saw_drops(at: At<'_>) -> Option<peaje_model::Evidence> {
    saw_count(at.path("network/listen_drops"), at.network.listen_drops)
}
