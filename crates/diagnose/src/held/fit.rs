//! How many sessions fit in memory: where the line of what is taken reaches what may be taken.
//!
//! With swap nothing is refused when memory is full, it gets slow: the knee comes where usage meets the limit, so that is
//! what is predicted.

use peaje_model::{Fit, SessionsResult, SessionsSettings, WallKind};
use peaje_stats::Line;

use super::points;

/// The memory walls as known after the first `steps` steps, with their kinds.
pub(super) fn fits(result: &SessionsResult, settings: &SessionsSettings, steps: usize) -> Vec<(WallKind, Fit)> {
    let share = 1.0 - settings.reserve.clamp(0.0, 1.0);
    let host = points::host_total(result).and_then(|total| {
        let line = points::line(result, steps, &|step| points::host_without_client(result, step))?;
        reaches(&line, total * share)
    });
    let group = points::cgroup_limit(result).and_then(|limit| {
        let line = points::line(result, steps, &|step| points::cgroup(result, step))?;
        reaches(&line, limit * share)
    });
    let host = host.map(|fit| (WallKind::Memory, fit));
    host.into_iter().chain(group.map(|fit| (WallKind::CgroupMemory, fit))).collect()
}

/// The nearest of them.
pub(super) fn fit(result: &SessionsResult, settings: &SessionsSettings, steps: usize) -> Option<Fit> {
    let fits = fits(result, settings, steps).into_iter().map(|(_, fit)| fit);
    fits.reduce(|least, one| if one.sessions < least.sessions { one } else { least })
}

/// `None` when memory does not clearly grow: then nothing is predicted.
fn reaches(line: &Line, bytes: f64) -> Option<Fit> {
    if line.slope().low.is_none_or(|low| low <= 0.0) {
        return None;
    }
    let there = line.reaches(bytes)?;
    let (low, high) = (there.low?, there.high?);
    Some(Fit { sessions: there.value.max(0.0), low: low.max(0.0), high: high.max(0.0) })
}
