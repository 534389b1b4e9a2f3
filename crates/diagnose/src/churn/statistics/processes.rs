//! Client processes: how many sessions each holds, whether it logs in again and again, how many pools it has.

use std::collections::BTreeMap;

use peaje_model::GroupStatistics;
use peaje_stats::median;

use crate::churn::{GroupSeries, Life};

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let mut by_process: BTreeMap<u64, Vec<&Life>> = BTreeMap::new();
    for life in &series.lives {
        if let Some(process) = life.process {
            by_process.entry(process).or_default().push(life);
        }
    }
    if by_process.is_empty() {
        return;
    }
    figures.processes = Some(by_process.len() as u64);
    figures.processes_logging_in_again = Some(by_process.values().filter(|lives| again(lives)).count() as u64);
    add_usual(&by_process, figures);
    add_pools(&by_process, figures);
}

/// Whether a session began after another one of the same process had ended.
fn again(lives: &[&Life]) -> bool {
    let first_end = lives.iter().filter_map(|life| life.closed_s).reduce(f64::min);
    first_end.is_some_and(|end| lives.iter().any(|life| life.opened_s >= end))
}

fn open<'a>(lives: &'a [&Life]) -> impl Iterator<Item = &'a Life> {
    lives.iter().copied().filter(|life| life.closed_s.is_none())
}

/// The number of open sessions that most processes hold; the larger of two equally frequent ones.
fn add_usual(by_process: &BTreeMap<u64, Vec<&Life>>, figures: &mut GroupStatistics) {
    let held = by_process.values().map(|lives| open(lives).count() as u64).filter(|n| *n > 0);
    let mut holders: BTreeMap<u64, u64> = BTreeMap::new();
    for n in held {
        *holders.entry(n).or_default() += 1;
    }
    let all: u64 = holders.values().sum();
    let usual = holders.iter().max_by_key(|(n, holders)| (**holders, **n));
    figures.usual_sessions_per_process = usual.map(|(n, _)| *n);
    figures.usual_sessions_share = usual.map(|(_, holders)| *holders as f64 / all as f64);
}

/// Pools of the process that has most of them, and how many sessions the middle one holds.
fn add_pools(by_process: &BTreeMap<u64, Vec<&Life>>, figures: &mut GroupStatistics) {
    let pools = by_process.values().map(|lives| {
        let mut sessions: BTreeMap<u64, f64> = BTreeMap::new();
        for life in open(lives) {
            *sessions.entry(life.pool).or_default() += 1.0;
        }
        sessions
    });
    let busiest = pools.max_by_key(BTreeMap::len).filter(|pools| !pools.is_empty());
    figures.pools_per_process = busiest.as_ref().map(|pools| pools.len() as u64);
    figures.sessions_per_pool = busiest.and_then(|pools| median(pools.into_values()));
}
