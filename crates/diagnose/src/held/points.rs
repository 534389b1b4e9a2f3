//! Which steps a line is fitted to, and what each of them weighs in each account.

use peaje_model::{MemorySample, MemorySource, ProcessMemory, SessionStep, SessionsResult};
use peaje_stats::Line;

/// With so many steps the state before the first session is no point any more: the first sessions also pay for what is
/// only made once.
const WITHOUT_BASELINE: usize = 3;

/// Growth of swap from which memory is taken to be short, bytes.
pub(super) const SWAPPING: u64 = 4 << 20;

/// A reading of one step; `None` when it was not read.
pub(super) type Reading<'a> = dyn Fn(&SessionStep) -> Option<f64> + 'a;

/// The line of a reading against the sessions, over the first `steps` steps that did not swap; `None` below three points.
pub(super) fn line(result: &SessionsResult, steps: usize, reading: &Reading<'_>) -> Option<Line> {
    let steps = &result.steps[..steps.min(result.steps.len())];
    let calm = steps.iter().take_while(|step| swapped(result, step) < SWAPPING).count();
    // Where everything swapped, all of it is better than nothing: what was swapped out is counted in.
    let steps = if calm >= 2 { &steps[..calm] } else { steps };
    let point = |step: &SessionStep| Some((step.sessions as f64, reading(step)?));
    let mut points: Vec<(f64, f64)> = steps.iter().filter_map(point).collect();
    if points.len() < WITHOUT_BASELINE {
        points.extend(point(&result.baseline));
    }
    if points.len() < 3 { None } else { Line::fit(&points) }
}

/// What was swapped out since the beginning, of the control group where the server has one, else of the host.
pub(super) fn swapped(result: &SessionsResult, step: &SessionStep) -> u64 {
    let group = |step: &SessionStep| step.memory.as_ref()?.cgroup.as_ref()?.swap;
    let host = |step: &SessionStep| step.memory.as_ref()?.host.swap_used;
    let since =
        |of: &dyn Fn(&SessionStep) -> Option<u64>| Some(of(step)?.saturating_sub(of(&result.baseline).unwrap_or(0)));
    since(&group).unwrap_or(0).max(since(&host).unwrap_or(0))
}

fn server(step: &SessionStep) -> Option<&ProcessMemory> {
    step.memory.as_ref()?.server.as_ref()
}

/// The server's proportional set size and what of it was swapped out.
pub(super) fn pss(step: &SessionStep) -> Option<f64> {
    let swap = server(step).and_then(|server| server.swap).unwrap_or(0);
    step.pss_bytes.or_else(|| server(step)?.pss).map(|pss| (pss + swap) as f64)
}

/// The server's private memory and what of it was swapped out.
pub(super) fn private(step: &SessionStep) -> Option<f64> {
    let server = server(step)?;
    Some((server.private? + server.swap.unwrap_or(0)) as f64)
}

/// What the server's views say.
pub(super) fn views(step: &SessionStep) -> Option<f64> {
    step.views_bytes.map(|bytes| bytes as f64)
}

/// Peaje's own memory.
pub(super) fn client(step: &SessionStep) -> Option<f64> {
    step.client?.pss.map(|pss| pss as f64)
}

/// What the host has not available, and what it swapped out since the beginning.
pub(super) fn host(result: &SessionsResult, step: &SessionStep) -> Option<f64> {
    let available = step.memory_available_bytes.or_else(|| step.memory.as_ref()?.host.available)?;
    let total = host_total(result)?;
    let swapped = |step: &SessionStep| step.memory.as_ref().and_then(|memory| memory.host.swap_used).unwrap_or(0);
    let since = swapped(step).saturating_sub(swapped(&result.baseline));
    Some(total - available as f64 + since as f64)
}

/// The same without peaje's own memory, where it runs on that host.
pub(super) fn host_without_client(result: &SessionsResult, step: &SessionStep) -> Option<f64> {
    let own = if result.same_host { client(step).unwrap_or(0.0) } else { 0.0 };
    host(result, step).map(|taken| taken - own)
}

/// What the control group uses and could not give back at once, and what it swapped out since the beginning.
///
/// Usage holds what counts against the limit: anonymous and shared memory, each page once, page cache, and the kernel's
/// part (page tables, stacks, slab, sockets). Only page cache can be dropped when the limit is met.
pub(super) fn cgroup(result: &SessionsResult, step: &SessionStep) -> Option<f64> {
    let group = step.memory.as_ref()?.cgroup.as_ref()?;
    let before = result.baseline.memory.as_ref().and_then(|memory| memory.cgroup.as_ref()?.swap).unwrap_or(0);
    let since = group.swap.unwrap_or(0).saturating_sub(before);
    Some(group.held()? as f64 + since as f64)
}

/// Any look at the server's machine, the latest first.
fn looks(result: &SessionsResult) -> impl Iterator<Item = &MemorySample> {
    result.steps.iter().rev().chain([&result.baseline]).filter_map(|step| step.memory.as_ref())
}

/// Physical memory of the host, bytes.
pub(super) fn host_total(result: &SessionsResult) -> Option<f64> {
    looks(result).find_map(|look| look.host.total).map(|total| total as f64)
}

/// The limit of the control group, where it is less than the host has.
pub(super) fn cgroup_limit(result: &SessionsResult) -> Option<f64> {
    let limit = looks(result).find_map(|look| look.cgroup.as_ref()?.limit)? as f64;
    Some(limit).filter(|limit| host_total(result).is_none_or(|total| *limit < total))
}

/// The server's own memory in the account that this run reads.
pub(super) fn own(result: &SessionsResult, step: &SessionStep) -> Option<f64> {
    if result.memory_source == MemorySource::Views { views(step) } else { pss(step).or_else(|| private(step)) }
}
