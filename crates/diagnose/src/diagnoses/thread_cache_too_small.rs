//! `thread-cache-too-small`: MySQL and MariaDB make a thread for each session; a cache keeps some for the next login.
//!
//! It speaks of a check of these servers only. A newcomer would read the misses as logins that a pool would save: they
//! measure threads, not pooling.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw};
use crate::engine;
use crate::facts::{self, FactAt};
use crate::view::ratio;

use peaje_model::Param;

const CODE: &str = "thread-cache-too-small";

/// Threads made for each login from which the cache is too small, and threads made a second from which it matters.
const MISSES: f64 = 0.1;
const MATTERS_PER_S: f64 = 1.0;
const WARNING_PER_S: f64 = 50.0;

/// Logins below which nothing can be said.
const NEEDED: f64 = 100.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("thread_cache_too_small.md"),
    page_es: include_str!("thread_cache_too_small.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = run.check.as_ref().filter(|_| engine::is_mysql(run)) else { return Vec::new() };
    let handling = facts::find(run, "thread_handling");
    if let Some(fact) = handling.filter(|fact| fact.text().is_some_and(|how| how.contains("pool"))) {
        return Draft::healthy(CODE, "thread-pool").see([fact.saw()]).alone();
    }
    let number = |name| facts::find(run, name).and_then(|fact: FactAt<'_>| Some((fact, fact.number()?)));
    let (Some(created), Some(connections), Some(size)) =
        (number("threads_created"), number("connections_total"), number("thread_cache_size"))
    else {
        return Draft::cannot_say(CODE, "unreadable").alone();
    };
    if connections.1 < NEEDED {
        return Draft::too_few_logins(CODE, connections.1 as u64, NEEDED as u64).alone();
    }
    let misses = ratio(created.1, connections.1).unwrap_or(0.0).min(1.0);
    let time_s = check.since_start.and_then(|view| view.time_s);
    let per_s = time_s.and_then(|time_s| ratio(created.1, time_s));
    let found = match per_s {
        Some(per_s) if misses > MISSES && per_s >= WARNING_PER_S => Some(Severity::Warning),
        Some(per_s) if misses > MISSES && per_s >= MATTERS_PER_S => Some(Severity::Info),
        _ => None,
    };
    Draft::judged(CODE, "cache", found)
        .count("created", created.1 as u64)
        .count("connections", connections.1 as u64)
        .count("size", size.1 as u64)
        .share("misses", misses)
        .per_s("per_s", per_s)
        .see([created.0.saw(), connections.0.saw(), size.0.saw()])
        .see(saw("/check/since_start/time_s", time_s.map(|s| Param::Us(s * 1e6))))
        .alone()
}
