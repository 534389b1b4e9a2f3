//! `process-or-thread`: a server with a process for each session beside one with a thread for each, in numbers.
//!
//! It speaks of a sessions run with both kinds only. A newcomer would take the thread server for SQL Server too, whose
//! idle sessions own no thread.

use peaje_model::{Architecture, Finding, Run, SessionStep, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::targets::{self, TargetAt};
use crate::view::US_PER_S;

const CODE: &str = "process-or-thread";

/// Memory of a session of one, in those of the other, from which they differ.
const DIFFERENT: f64 = 1.5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("process_or_thread.md"),
    page_es: include_str!("process_or_thread.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let targets = targets::all(run);
    let of = |architecture| targets.iter().find(|target| target.is(architecture));
    match (of(Architecture::Process), of(Architecture::Thread)) {
        (Some(process), Some(thread)) => compared(process, thread).alone(),
        _ => Vec::new(),
    }
}

fn compared(process: &TargetAt<'_>, thread: &TargetAt<'_>) -> Draft {
    let bytes = |target: &TargetAt<'_>| target.own().and_then(|(bytes, _)| bytes.value).filter(|bytes| *bytes > 0.0);
    let (Some(of_process), Some(of_thread)) = (bytes(process), bytes(thread)) else {
        return Draft::cannot_say(CODE, "not-read");
    };
    let ratio = of_process / of_thread;
    let fixed = |target: &TargetAt<'_>| target.result.fixed_bytes.and_then(|fixed| fixed.value);
    let knee = |target: &TargetAt<'_>| target.result.knee.map(|knee| knee.sessions as u64);
    let (sessions, process_us, thread_us) = opening(process, thread);
    let saw = [process, thread].map(|target| target.own().and_then(|(own, account)| target.saw_bytes(account, own)));
    Draft::judged(CODE, "compared", (ratio >= DIFFERENT).then_some(Severity::Info))
        .text("process", process.result.label.clone())
        .text("thread", thread.result.label.clone())
        .bytes("process_bytes", of_process)
        .bytes("thread_bytes", of_thread)
        .ratio("ratio", ratio)
        .bytes("process_fixed", fixed(process))
        .bytes("thread_fixed", fixed(thread))
        .count("sessions", sessions)
        .us("process_us", process_us)
        .us("thread_us", thread_us)
        .count("process_knee", knee(process))
        .count("thread_knee", knee(thread))
        .see(saw.into_iter().flatten())
}

/// The most sessions that both held, and the time that each took to open them.
fn opening(process: &TargetAt<'_>, thread: &TargetAt<'_>) -> (Option<u64>, Option<f64>, Option<f64>) {
    let steps = |target: &TargetAt<'_>| target.result.steps.clone();
    let holds = |steps: &[SessionStep], n: u64| steps.iter().any(|step| step.sessions == n);
    let both = steps(process).iter().map(|step| step.sessions).filter(|n| holds(&steps(thread), *n)).max();
    let time = |steps: &[SessionStep], n: u64| {
        steps.iter().filter(|step| step.sessions <= n).map(|step| step.seconds).sum::<f64>() * US_PER_S
    };
    (both, both.map(|n| time(&steps(process), n)), both.map(|n| time(&steps(thread), n)))
}
