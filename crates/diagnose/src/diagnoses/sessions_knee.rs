//! `sessions-knee`: from how many sessions on another one takes longer than it did, and what was seen to change there.
//!
//! It speaks of a sessions run only. A newcomer would call the last, slowest step a knee: noise has one too. The test is
//! in `peaje-stats`.

use peaje_model::{Finding, KneeCause, Param, Run, SessionStep, Severity};
use peaje_stats::MIN_STEPS;

use crate::Diagnosis;
use crate::draft::{Draft, saw};
use crate::targets::{self, TargetAt};
use crate::view::US_PER_S;

const CODE: &str = "sessions-knee";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("sessions_knee.md"),
    page_es: include_str!("sessions_knee.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    targets::all(run).iter().map(|target| target.name(of(target)).finish()).collect()
}

fn of(target: &TargetAt<'_>) -> Draft {
    let steps: Vec<&SessionStep> = target.result.steps.iter().filter(|step| step.opened > 0).collect();
    let Some(knee) = target.result.knee else {
        if steps.len() < MIN_STEPS {
            return Draft::cannot_say(CODE, "too-few-steps")
                .count("steps", steps.len() as u64)
                .count("needed", MIN_STEPS as u64);
        }
        let (seconds, opened) = steps.iter().fold((0.0, 0), |sum, step| (sum.0 + step.seconds, sum.1 + step.opened));
        return Draft::healthy(CODE, "straight")
            .count("sessions", target.held())
            .us("each_us", seconds / opened.max(1) as f64 * US_PER_S)
            .see(target.saw_held());
    };
    let (variant, severity) = match knee.cause {
        KneeCause::Memory => ("memory", Severity::Critical),
        KneeCause::CgroupMemory => ("cgroup-memory", Severity::Critical),
        KneeCause::Scheduler => ("scheduler", Severity::Warning),
        KneeCause::Unknown => ("unknown", Severity::Info),
    };
    // What was known half-way, when there was time to stop.
    let early = steps.iter().rfind(|step| (step.sessions as f64) <= 0.75 * knee.sessions && step.fit.is_some());
    Draft::found(CODE, variant, severity)
        .count("sessions", knee.sessions as u64)
        .count("low", knee.low as u64)
        .count("high", knee.high.ceil() as u64)
        .us("before_us", knee.before_s * US_PER_S)
        .us("after_us", knee.after_s * US_PER_S)
        .ratio("ratio", knee.after_s / knee.before_s)
        .count("predicted", early.and_then(|step| step.fit).map(|fit| fit.sessions as u64))
        .count("predicted_at", early.map(|step| step.sessions))
        .see(saw(target.path("knee/sessions"), Some(Param::Ratio(knee.sessions))))
}
