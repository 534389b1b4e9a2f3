//! `pooling-pays`: what a pool saves for each operation, and how many queries a connection must serve before a login of
//! its own stops mattering.
//!
//! The login's overhead is a difference between two series (unpooled minus pooled), so whatever both pay (the query, the
//! client's own work for it) cancels out. It is server CPU when that is known, else wall time, and the variant says which.

use peaje_model::{Finding, Mode, Run, Severity, TlsMode};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_us};
use crate::login_cores::{LoginCores, cpu_s_per_1000_logins, login_cores, login_cpu};
use crate::series::At;
use crate::view::{NEEDED, all, at_most_info, enough, find, outside_noise, rate_bound, ratio, saw_intervals};

const CODE: &str = "pooling-pays";

/// Ratio of the mean operations from which a pool is said to pay.
const RATIO: f64 = 1.5;

/// A connection has served enough queries when its login adds this share to their cost.
const TARGET_SHARE: f64 = 0.05;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("pooling_pays.md"),
    page_es: include_str!("pooling_pays.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let pair = |tls| Some((find(run, Mode::Unpooled, tls)?, find(run, Mode::Pooled, tls)?));
    let order = [TlsMode::AsUrl, TlsMode::Full, TlsMode::Off, TlsMode::Resumed];
    match order.into_iter().find_map(pair) {
        Some((unpooled, pooled)) => compare(run, unpooled, pooled).alone(),
        None => Draft::cannot_say(CODE, missing(run)).alone(),
    }
}

/// Which of the two series is not there; both can be there and differ in TLS.
fn missing(run: &Run) -> &'static str {
    let has = |mode| all(run).iter().any(|at| at.mode == mode);
    match (has(Mode::Unpooled), has(Mode::Pooled)) {
        (true, false) => "no-pooled",
        (false, true) => "no-unpooled",
        _ => "not-measured",
    }
}

fn compare(run: &Run, unpooled: At<'_>, pooled: At<'_>) -> Draft {
    let operations = unpooled.counts.completed.min(pooled.counts.completed);
    let completed = [unpooled.saw_completed(), pooled.saw_completed()].into_iter().flatten();
    let means = unpooled.service_us.mean.zip(pooled.service_us.mean);
    let known = means.and_then(|(unpooled, pooled)| Some((unpooled, pooled, ratio(unpooled, pooled)?)));
    let Some((unpooled_us, pooled_us, ratio)) = known.filter(|(_, _, ratio)| enough(operations, *ratio)) else {
        let draft = Draft::cannot_say(CODE, "too-few-operations");
        return draft.count("operations", operations).count("needed", NEEDED).see(completed);
    };
    if pooled.logins * 2 > pooled.counts.completed {
        return did_not_reuse(pooled);
    }
    let saw_means = [unpooled.saw_service(), pooled.saw_service()].into_iter().flatten();
    if ratio >= RATIO && !outside_noise(pooled, unpooled, ratio) {
        return Draft::cannot_say(CODE, "within-noise")
            .ratio("ratio", ratio)
            .text("series_unpooled", unpooled.label.as_str())
            .text("series_pooled", pooled.label.as_str())
            .see(saw_means)
            .see(saw_intervals(pooled, unpooled));
    }
    let severity = if ratio >= 3.0 { Severity::Warning } else { Severity::Info };
    let found = (ratio >= RATIO).then(|| at_most_info(pooled, unpooled, severity));
    overhead(run, unpooled, pooled, found)
        .text("series_unpooled", unpooled.label.as_str())
        .text("series_pooled", pooled.label.as_str())
        .count("operations", operations)
        .ratio("ratio", ratio)
        .us("unpooled_us", unpooled_us)
        .us("pooled_us", pooled_us)
        .us("wall_saved_us", unpooled_us - pooled_us)
        .per_s("unpooled_per_s", unpooled.reached_per_s())
        .per_s("pooled_per_s", pooled.reached_per_s())
        .count("pooled_logins", pooled.logins)
        .count("pool_logins", pooled.filling_logins())
        .text("rate_bound", rate_bound(&[unpooled, pooled]))
        .see(completed)
        .see(pooled.saw_filling())
        .see(saw_means)
        .see([unpooled.saw_rate(), pooled.saw_rate(), pooled.saw_logins()].into_iter().flatten())
}

/// A pool that logged in for at least every other operation was no pool: nothing can be learnt from the comparison.
fn did_not_reuse(pooled: At<'_>) -> Draft {
    Draft::cannot_say(CODE, "pool-did-not-reuse")
        .text("series_pooled", pooled.label.as_str())
        .count("pooled_logins", pooled.logins)
        .count("operations", pooled.counts.completed)
        .see([pooled.saw_logins(), pooled.saw_completed()].into_iter().flatten())
}

/// The login's overhead for each operation and the break-even, in server CPU when it is known, else in wall time.
fn overhead(run: &Run, unpooled: At<'_>, pooled: At<'_>, found: Option<Severity>) -> Draft {
    let Some(cpu) = login_cpu(run, &unpooled) else {
        let overhead_us = unpooled.service_us.mean.unwrap_or(0.0) - pooled.service_us.mean.unwrap_or(0.0);
        let query = pooled.query_us.mean;
        let draft = break_even(Draft::judged(CODE, "wall", found), overhead_us.max(0.0), query);
        return draft.see(saw_us(pooled.path("query_us/mean"), query));
    };
    let cores = match login_cores(run, &unpooled) {
        Some(LoginCores::LoginsAlone(cores)) => Some(cores),
        _ => None,
    };
    let of_cores = run.target.local.then_some(u64::from(run.environment.cores));
    break_even(Draft::judged(CODE, "cpu", found), cpu.login_us(), Some(cpu.kept_us))
        .cpu_s("cpu_s_per_1000", cpu_s_per_1000_logins(run, &unpooled))
        .cores("login_cores", cores)
        .count("cores", of_cores)
        .see(saw_us(unpooled.path("server/cpu_us_per_operation"), cpu.unpooled_us))
        .see(saw_us(cpu.kept.path("server/cpu_us_per_operation"), cpu.kept_us))
        .see(of_cores.and_then(|cores| saw_count("/environment/cores", cores)))
}

/// Queries per connection at which the login adds [`TARGET_SHARE`] to their cost: `L / (share * Q)`, rounded up.
fn break_even(draft: Draft, overhead_us: f64, query_us: Option<f64>) -> Draft {
    let queries = query_us.and_then(|query| ratio(overhead_us, TARGET_SHARE * query)).map(whole_queries);
    draft
        .us("overhead_us", overhead_us)
        .us("query_us", query_us)
        .count("break_even_queries", queries)
        .share("target_share", TARGET_SHARE)
}

/// Rounded up, but not by the rounding error of a division.
fn whole_queries(n: f64) -> u64 {
    (n - 1e-6).ceil().max(1.0) as u64
}
