//! The findings that `peaje-report` tests its sentences with are the ones that these cases give: one for each code,
//! verdict, variant and set of parameters.

use std::collections::BTreeSet;

use peaje_diagnose::diagnose;
use peaje_model::{Finding, Param};

use crate::cases;

/// Where the samples lie, from this crate's folder.
const SAMPLES: &str = "../report/tests/findings.jsonl";

/// One line for each: evidence left out.
fn samples() -> String {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut lines = Vec::new();
    for case in cases() {
        let findings = diagnose(&case.run);
        for finding in findings.into_iter().filter(|finding| finding.code == case.code) {
            let Param::Text(variant) = &finding.params["variant"] else { panic!("{finding:?}") };
            let keys: Vec<&String> = finding.params.keys().collect();
            let engine = &finding.params["engine"];
            if seen.insert(format!("{} {:?} {variant} {keys:?} {engine:?}", finding.code, finding.verdict)) {
                let finding = Finding { evidence: Vec::new(), ..finding };
                lines.push(serde_json::to_string(&finding).expect("a finding is JSON"));
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test compares with a file, and renews it when it is told to")]
fn the_samples_of_the_report_are_what_the_diagnoses_say() {
    let samples = samples();
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(SAMPLES, &samples).expect("the report's tests have a folder");
    }
    let kept = std::fs::read_to_string(SAMPLES).expect("the report's tests hold samples");
    assert!(kept == samples, "renew them: PEAJE_BLESS=1 cargo test -p peaje-diagnose");
}
