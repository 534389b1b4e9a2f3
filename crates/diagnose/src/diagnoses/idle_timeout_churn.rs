//! `idle-timeout-churn`: an idle timeout closes what the next burst opens again.
//!
//! Together, many such pools can show a constant rate: then the idle time at logout, the same in all of them, tells.

use peaje_model::{Finding, Param, Run};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "idle-timeout-churn";

/// How strictly the logouts of one process must keep to a period that is told.
const SWEEPS: f64 = 0.9;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("idle_timeout_churn.md"),
    page_es: include_str!("idle_timeout_churn.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    at.with_turnover(at.found(CODE, "group", at.severity()))
        .us("idle_us", at.real_us(f.idle_at_logout_p50_s))
        .us("sweep_us", at.real_us(f.sweep_period_s.filter(|_| f.sweep_strength.is_some_and(|r| r >= SWEEPS))))
        .share("mean_use", f.mean_use.map(|used| used.min(1.0)))
        .see(at.see("statistics/amplitude", f.amplitude.map(Param::Share)))
        .see(at.see("statistics/login_dispersion", f.login_dispersion.map(Param::Ratio)))
        .see(at.see("statistics/mean_use", f.mean_use.map(Param::Ratio)))
        .see(at.see_s("idle_at_logout_p10_s", f.idle_at_logout_p10_s))
        .see(at.see_s("idle_at_logout_p50_s", f.idle_at_logout_p50_s))
        .see(at.see_s("idle_at_logout_p90_s", f.idle_at_logout_p90_s))
        .see(at.see("statistics/sweep_strength", f.sweep_strength.map(Param::Ratio)))
}
