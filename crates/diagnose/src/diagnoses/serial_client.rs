//! `serial-client`: a client that does one thing after the other pays the whole latency of each login, however idle the
//! server is.
//!
//! It is said only of series that peaje measured that way (closed loop, one worker, unpooled); without an unpooled
//! closed-loop series there is nothing to say. That other clients are serial is not known.

use peaje_model::{Finding, Mode, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_us};
use crate::series::At;
use crate::view::{NEEDED, US_PER_S, candidates, enough, ratio, tls_pair};

const CODE: &str = "serial-client";

/// Share of the login from which a serial client is said to pay for logins.
const SHARE: f64 = 0.5;

/// Clients side by side that the prediction is made for.
const WORKERS: u32 = 10;

/// The serial job that a ratio is applied to, microseconds.
const JOB_US: f64 = 10e6;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("serial_client.md"),
    page_es: include_str!("serial_client.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let is_unpooled = |at: &At<'_>| at.mode == Mode::Unpooled && at.is_closed_loop();
    let unpooled: Vec<At<'_>> = candidates(run).into_iter().filter(is_unpooled).collect();
    match (unpooled.iter().find(|at| is_serial(**at)), unpooled.first()) {
        (Some(at), _) => serial(run, *at).alone(),
        (None, Some(at)) => Draft::healthy(CODE, "concurrent")
            .text("series", at.label.as_str())
            .count("concurrency", u64::from(at.settings.concurrency))
            .see(saw_concurrency(*at))
            .alone(),
        (None, None) => Vec::new(),
    }
}

fn is_serial(at: At<'_>) -> bool {
    at.is_closed_loop() && at.settings.concurrency == 1
}

fn saw_concurrency(at: At<'_>) -> Option<peaje_model::Evidence> {
    saw_count(at.path("settings/concurrency"), u64::from(at.settings.concurrency))
}

fn serial(run: &Run, at: At<'_>) -> Draft {
    let means = (at.service_us.mean.filter(|us| *us > 0.0), at.login_without_query());
    let (Some(operation_us), Some(login_us)) = means else { return Draft::not_measured(CODE) };
    let share = (login_us / operation_us).min(1.0);
    if !enough(at.logins, 1.0 / (1.0 - share.min(0.99))) {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    }
    let pair = pair(run);
    let large = share >= SHARE;
    let draft = match pair {
        _ if !large => Draft::healthy(CODE, "small-share"),
        Some((.., ratio)) if ratio >= 2.0 => Draft::found(CODE, "tls-pair", Severity::Warning),
        Some(_) => Draft::found(CODE, "tls-pair", Severity::Info),
        None => Draft::found(CODE, "single", Severity::Info),
    };
    let rate_per_s = US_PER_S / operation_us;
    let draft = draft
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("operation_us", operation_us)
        .us("login_us", login_us)
        .share("login_share", share)
        .us("elapsed_us", at.elapsed_s * US_PER_S)
        .count("operations", at.counts.completed)
        .per_s("rate_per_s", rate_per_s)
        .see(saw_concurrency(at))
        .see(at.saw_logins())
        .see(at.saw_completed())
        .see(saw_us(at.path("elapsed_s"), at.elapsed_s * US_PER_S))
        .see(at.saw_service())
        .see(at.saw_phases());
    let draft = with_workers(run, at, rate_per_s, draft);
    if large { with_pair(draft, pair) } else { draft }
}

/// What several clients reach at most: no more than the server's cores can serve. Without the server's CPU nothing is
/// promised.
fn with_workers(run: &Run, at: At<'_>, rate_per_s: f64, draft: Draft) -> Draft {
    let cores = f64::from(run.environment.cores);
    let known = at.server_cpu_us().filter(|us| *us > 0.0 && run.target.local);
    let Some(cap_per_s) = known.and_then(|cpu_us| ratio(cores * US_PER_S, cpu_us)) else { return draft };
    draft
        .count("workers", u64::from(WORKERS))
        .per_s("workers_per_s", (rate_per_s * f64::from(WORKERS)).min(cap_per_s))
        .us("cpu_us", known)
        .count("cores", u64::from(run.environment.cores))
        .see(at.saw_server_cpu())
        .see(saw_count("/environment/cores", u64::from(run.environment.cores)))
}

/// The serial series without and with TLS, their mean operations, and the ratio.
fn pair(run: &Run) -> Option<(At<'_>, At<'_>, f64)> {
    let (off, tls) = tls_pair(run, Mode::Unpooled).filter(|(off, tls)| is_serial(*off) && is_serial(*tls))?;
    let ratio = ratio(tls.service_us.mean?, off.service_us.mean?)?;
    enough(off.logins.min(tls.logins), ratio).then_some((off, tls, ratio))
}

fn with_pair(draft: Draft, pair: Option<(At<'_>, At<'_>, f64)>) -> Draft {
    let Some((off, tls, ratio)) = pair else { return draft };
    draft
        .text("series_off", off.label.as_str())
        .us("off_us", off.service_us.mean)
        .us("tls_us", tls.service_us.mean)
        .ratio("ratio", ratio)
        .us("job_us", JOB_US)
        .us("job_tls_us", JOB_US * ratio)
        .see([off.saw_service(), off.saw_logins()].into_iter().flatten())
}
