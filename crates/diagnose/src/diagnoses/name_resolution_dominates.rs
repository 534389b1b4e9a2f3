//! `name-resolution-dominates`: turning the host name into an address takes a large part of the login, or a resolver's
//! constant timeout shows in it.
//!
//! A target given by address or socket has no name: nothing is said. When names were resolved once before the run, the
//! logins did not pay; what a driver that resolves each time would pay is said apart.

use std::net::IpAddr;

use peaje_model::{Finding, Phase, ResolveMode, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_us};
use crate::series::At;
use crate::view::{NEEDED, enough, principal};

const CODE: &str = "name-resolution-dominates";

/// Share of the mean login from which resolution dominates.
const SHARE: f64 = 0.3;

/// Resolution below which nobody notices, microseconds.
const SLOW_US: f64 = 5_000.0;

/// Times after which a resolver gives up on a name server and asks the next, or the same again (`timeout` of
/// resolv.conf(5), 5 s unless set, once, twice and three times), microseconds.
const RESOLVER_TIMEOUTS_US: [f64; 3] = [5e6, 10e6, 15e6];

/// How near to such a constant a time must be, microseconds.
const TOLERANCE_US: f64 = 200_000.0;

/// Logins behind a median.
const NEEDED_FOR_MEDIAN: u64 = 5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("name_resolution_dominates.md"),
    page_es: include_str!("name_resolution_dominates.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(before_us) = run.target.resolve_us else { return Vec::new() };
    let host = name(run);
    let at = principal(run);
    if let Some(draft) = resolver_timeout(at, before_us) {
        return draft.text("host", host).alone();
    }
    let Some(at) = at else { return Draft::not_measured(CODE).alone() };
    let draft = match at.settings.resolve {
        ResolveMode::Each => each(at),
        ResolveMode::Once => once(at, before_us),
    };
    match draft {
        Ok(draft) => draft.text("host", host).alone(),
        Err(draft) => draft.alone(),
    }
}

/// The first host that is a name and not an address or a socket.
fn name(run: &Run) -> String {
    let is_name = |host: &&String| !host.starts_with(['/', '@']) && host.parse::<IpAddr>().is_err();
    run.target.hosts.iter().find(is_name).cloned().unwrap_or_default()
}

/// The constant that a time matches, if any.
fn timeout_constant(us: f64) -> Option<f64> {
    RESOLVER_TIMEOUTS_US.into_iter().find(|constant| (us - constant).abs() <= TOLERANCE_US)
}

/// A resolver's timeout in the median, in the slowest hundredth, or in the one resolution before the load.
fn resolver_timeout(at: Option<At<'_>>, before_us: f64) -> Option<Draft> {
    if let Some(at) = at
        && let Some(resolve) = at.phases_us.get(&Phase::Resolve)
    {
        let median = resolve.p50.filter(|_| at.logins >= NEEDED_FOR_MEDIAN);
        let seen = [(Severity::Critical, "p50", median), (Severity::Warning, "p99", resolve.p99)];
        for (severity, which, us) in seen {
            if let Some((us, constant)) = us.and_then(|us| Some((us, timeout_constant(us)?))) {
                let draft = timed_out(severity, us, constant).text("series", at.label.as_str());
                let draft = draft.count("observations", at.logins).us("login_us", at.mean_login());
                let path = at.path(&format!("phases_us/resolve/{which}"));
                return Some(draft.see(saw_us(path, us)).see(at.saw_logins()));
            }
        }
    }
    let constant = timeout_constant(before_us)?;
    let draft = timed_out(Severity::Warning, before_us, constant).count("observations", 1);
    Some(draft.see(saw_us("/target/resolve_us", before_us)))
}

fn timed_out(severity: Severity, us: f64, constant: f64) -> Draft {
    Draft::found(CODE, "resolver-timeout", severity).us("resolve_us", us).us("timeout_us", constant)
}

/// Each login resolved the name.
fn each(at: At<'_>) -> Result<Draft, Draft> {
    let too_few = || Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    let resolve = at.phases_us.get(&Phase::Resolve).copied().unwrap_or_default();
    let resolve_us = resolve.mean.ok_or_else(too_few)?;
    let login_us = at.mean_login().ok_or_else(too_few)?;
    let share = resolve_us / login_us;
    if !enough(at.logins, 1.0 / (1.0 - share.min(0.99))) {
        return Err(too_few());
    }
    let slow = share >= SHARE && resolve_us >= SLOW_US;
    let draft = if slow { Draft::found(CODE, "slow", Severity::Warning) } else { Draft::healthy(CODE, "fast") };
    Ok(draft
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("resolve_us", resolve_us)
        .us("p99_us", resolve.p99)
        .us("login_us", login_us)
        .share("share", share)
        .see(at.saw_logins())
        .see(at.saw_phases())
        .see(saw_us(at.path("phases_us/resolve/p99"), resolve.p99)))
}

/// The name was resolved once, before the run: what a client that resolves at each login would pay.
fn once(at: At<'_>, before_us: f64) -> Result<Draft, Draft> {
    let too_few = || Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    let login_us = at.mean_login().filter(|_| at.logins >= NEEDED).ok_or_else(too_few)?;
    let share = before_us / (before_us + login_us);
    let slow = share >= SHARE && before_us >= SLOW_US;
    Ok(Draft::judged(CODE, "once", slow.then_some(Severity::Info))
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("resolve_us", before_us)
        .us("login_us", login_us)
        .share("share", share)
        .see(at.saw_logins())
        .see(saw_us("/target/resolve_us", before_us))
        .see(at.saw_phases()))
}
