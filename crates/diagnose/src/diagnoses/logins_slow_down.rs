//! `logins-slow-down`: whether a login takes longer the more sessions are open.
//!
//! It speaks of a sessions run only. A newcomer would compare the first login with the last: one figure each, where a
//! power over all steps has an interval.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_us};
use crate::targets::{self, TargetAt};

const CODE: &str = "logins-slow-down";

/// Steps that a power needs.
const NEEDED: u64 = 3;

/// How many times longer the last login takes than the first.
const NOTE: f64 = 1.5;
const WARNING: f64 = 3.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("logins_slow_down.md"),
    page_es: include_str!("logins_slow_down.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    targets::all(run).iter().map(|target| target.name(of(target)).finish()).collect()
}

fn of(target: &TargetAt<'_>) -> Draft {
    let Some(growth) = target.result.login_growth else {
        let steps = target.result.steps.iter().filter(|step| step.opened > 0).count();
        return Draft::cannot_say(CODE, "too-few-steps").count("steps", steps as u64).count("needed", NEEDED);
    };
    let ratio = growth.last_us / growth.first_us;
    let real = growth.exponent.low.is_some_and(|low| low > 0.0);
    let found = match ratio {
        ratio if real && ratio >= WARNING => Some(Severity::Warning),
        ratio if real && ratio >= NOTE => Some(Severity::Info),
        _ => None,
    };
    Draft::judged(CODE, "power", found)
        .ratio("exponent", growth.exponent.value)
        .ratio("low", growth.exponent.low)
        .ratio("high", growth.exponent.high)
        .us("first_us", growth.first_us)
        .us("last_us", growth.last_us)
        .ratio("ratio", ratio)
        .count("sessions", target.held())
        .see(saw(target.path("login_growth/exponent/value"), growth.exponent.value.map(Param::Ratio)))
        .see(saw_us(target.path("login_growth/first_us"), growth.first_us))
        .see(saw_us(target.path("login_growth/last_us"), growth.last_us))
}
