//! `certificate-expires`: days until the server's certificate ends; on that day every client that checks it stops.
//!
//! It speaks of a check only. A newcomer would trust that this login worked: most connection strings do not check the
//! certificate, and those that do fail all at once.

use peaje_model::{Evidence, Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_text};

const CODE: &str = "certificate-expires";

/// Days left.
const CRITICAL_DAYS: f64 = 7.0;
const WARNING_DAYS: f64 = 30.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("certificate_expires.md"),
    page_es: include_str!("certificate_expires.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let Some(certificate) = &check.certificate else { return Draft::cannot_say(CODE, "no-tls").alone() };
    let left = certificate.days_left;
    let draft = match left {
        left if left < 0.0 => Draft::found(CODE, "ended", Severity::Critical),
        left if left < CRITICAL_DAYS => Draft::found(CODE, "soon", Severity::Critical),
        left if left < WARNING_DAYS => Draft::found(CODE, "soon", Severity::Warning),
        _ => Draft::healthy(CODE, "valid"),
    };
    let day = certificate.ends.split('T').next().unwrap_or_default();
    let path = "/check/certificate/days_left".to_owned();
    draft
        .text("day", day)
        .count("days", left.abs().floor() as u64)
        .see(saw_text("/check/certificate/ends", certificate.ends.as_str()))
        .see([Evidence { path, value: Param::Ratio(left) }])
        .alone()
}
