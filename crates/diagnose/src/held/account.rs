//! Bytes per session in each account, and the host's loss split by account.

use peaje_model::{
    BytesPerSession, HostAccount, HostMemory, IdleAndWorked, Interval, SessionStep, SessionsResult, SessionsSettings,
};
use peaje_stats::Estimate;

use super::points::{self, Reading};

pub(super) fn interval(estimate: Estimate) -> Interval {
    Interval { value: Some(estimate.value), low: estimate.low, high: estimate.high }
}

fn slope(result: &SessionsResult, reading: &Reading<'_>) -> Option<Interval> {
    points::line(result, usize::MAX, reading).map(|line| interval(line.slope()))
}

pub(super) fn bytes_per_session(result: &SessionsResult) -> BytesPerSession {
    BytesPerSession {
        pss: slope(result, &points::pss),
        private: slope(result, &points::private),
        host: slope(result, &|step| points::host_without_client(result, step)),
        cgroup: slope(result, &|step| points::cgroup(result, step)),
        views: slope(result, &points::views),
        client: slope(result, &points::client),
    }
}

/// Where the line of the server's own memory begins.
pub(super) fn fixed_bytes(result: &SessionsResult) -> Option<Interval> {
    points::line(result, usize::MAX, &|step| points::own(result, step)).map(|line| interval(line.intercept()))
}

/// `None` unless both the host's loss and the server's memory have a slope.
pub(super) fn host_account(result: &SessionsResult) -> Option<HostAccount> {
    let of = |reading: &Reading<'_>| points::line(result, usize::MAX, reading).map(|line| line.slope().value);
    let kernel = |part: fn(&HostMemory) -> Option<u64>| {
        of(&|step| part(&step.memory.as_ref()?.host).map(|bytes| bytes as f64)).unwrap_or(0.0)
    };
    let mut account = HostAccount {
        host: of(&|step| points::host(result, step))?,
        pss: of(&points::pss)?,
        page_tables: kernel(|host| host.page_tables),
        kernel_stacks: kernel(|host| host.kernel_stacks),
        slab: kernel(|host| host.slab_unreclaimable),
        per_cpu: kernel(|host| host.per_cpu),
        sockets: kernel(|host| host.sockets),
        client: if result.same_host { of(&points::client).unwrap_or(0.0) } else { 0.0 },
        unexplained: 0.0,
    };
    let parts = [
        account.pss,
        account.page_tables,
        account.kernel_stacks,
        account.slab,
        account.per_cpu,
        account.sockets,
        account.client,
    ];
    account.unexplained = account.host - parts.iter().sum::<f64>();
    Some(account)
}

/// Without a warm query the slope is that of idle sessions; with one it is that of sessions that worked, and the idle ones
/// were weighed in between.
pub(super) fn idle_and_worked(result: &SessionsResult, settings: &SessionsSettings) -> IdleAndWorked {
    let slope = points::line(result, usize::MAX, &|step| points::own(result, step)).map(|line| line.slope().value);
    match settings.warm_query {
        None => IdleAndWorked { idle: slope, worked: None },
        Some(_) => IdleAndWorked { idle: before_warming(result), worked: slope },
    }
}

/// What the new sessions of all steps took before they worked; the first step is left out where there are others, because
/// it also pays for what is only made once.
fn before_warming(result: &SessionsResult) -> Option<f64> {
    let calm = |step: &&SessionStep| points::swapped(result, step) < points::SWAPPING;
    let steps: Vec<&SessionStep> =
        std::iter::once(&result.baseline).chain(result.steps.iter().take_while(calm)).collect();
    let spare = usize::from(steps.len() > 2);
    let grown = steps[spare..].windows(2).filter_map(|pair| {
        let before = points::own(result, pair[0])?;
        Some((pair[1].idle_bytes? as f64 - before, pair[1].opened as f64))
    });
    let (bytes, sessions) = grown.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (sessions > 0.0).then(|| bytes / sessions)
}
