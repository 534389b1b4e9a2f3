//! `late-starts`: in an open loop, operations started later than they were due, so the time from the start flatters.
//!
//! Which latency to believe: the corrected one, from the scheduled instant. A closed loop has no schedule to be late
//! for; without an open-loop series nothing is said.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_count, saw_us};
use crate::series::At;
use crate::view::{all, rate_bound};

const CODE: &str = "late-starts";

/// Samples behind a 99th percentile.
const NEEDED_FOR_P99: u64 = 100;

/// Late starts that count: this share of the mean service time …
const SHARE: f64 = 0.5;

/// … and at least this, microseconds.
const LATE_US: f64 = 1000.0;

/// Share of the offered rate below which the load was not kept up with.
const KEPT_UP: f64 = 0.95;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("late_starts.md"),
    page_es: include_str!("late_starts.es.md"),
    examine,
};

/// An open-loop series with what is needed to judge it.
#[derive(Clone, Copy)]
struct Figures<'r> {
    at: At<'r>,
    offered_per_s: f64,
    throughput_per_s: f64,
    lag_p99_us: f64,
    service_us: f64,
}

fn examine(run: &Run) -> Vec<Finding> {
    let open: Vec<At<'_>> = all(run).into_iter().filter(|at| !at.is_closed_loop()).collect();
    let Some(largest) = open.iter().copied().max_by_key(|at| at.counts.completed) else { return Vec::new() };
    let worst = open.iter().filter_map(|at| figures(*at)).max_by(|a, b| a.lag_p99_us.total_cmp(&b.lag_p99_us));
    match worst {
        Some(figures) => judge(&figures).alone(),
        None => Draft::too_few_logins(CODE, largest.counts.completed, NEEDED_FOR_P99)
            .text("series", largest.label.as_str())
            .see(largest.saw_completed())
            .alone(),
    }
}

fn figures(at: At<'_>) -> Option<Figures<'_>> {
    Some(Figures {
        at,
        offered_per_s: at.settings.arrival.rate_per_s().filter(|rate| *rate > 0.0)?,
        throughput_per_s: at.throughput_per_s.value?,
        lag_p99_us: at.lag_us.p99?,
        service_us: at.service_us.mean?,
    })
}

fn judge(f: &Figures<'_>) -> Draft {
    let at = f.at;
    let share = f.throughput_per_s / f.offered_per_s;
    let late = f.lag_p99_us >= LATE_US && f.lag_p99_us >= SHARE * f.service_us;
    let draft = match (late, share < KEPT_UP) {
        (false, _) => Draft::healthy(CODE, "on-time"),
        (true, true) => Draft::found(CODE, "overload", Severity::Warning),
        (true, false) => Draft::found(CODE, "bursts", Severity::Info),
    };
    draft
        .text("series", at.label.as_str())
        .us("lag_p99_us", f.lag_p99_us)
        .per_s("offered_per_s", f.offered_per_s)
        .per_s("throughput_per_s", f.throughput_per_s)
        .share("throughput_share", share)
        .us("latency_p99_us", at.latency_us.p99)
        .us("service_p99_us", at.service_us.p99)
        .us("latency_mean_us", at.latency_us.mean)
        .us("service_mean_us", f.service_us)
        .count("skipped", at.counts.skipped)
        .text("rate_bound", rate_bound(&[at]))
        .see(saw_us(at.path("lag_us/p99"), f.lag_p99_us))
        .see(saw(at.path("settings/arrival/rate_per_s"), Some(Param::PerS(f.offered_per_s))))
        .see(at.saw_rate())
        .see(saw_us(at.path("latency_us/p99"), at.latency_us.p99))
        .see(saw_us(at.path("service_us/p99"), at.service_us.p99))
        .see(saw_us(at.path("latency_us/mean"), at.latency_us.mean))
        .see(at.saw_service())
        .see(saw_count(at.path("counts/skipped"), at.counts.skipped))
}
