//! What the diagnoses really say about the sample runs has its words in both languages.

mod common;

use peaje_diagnose::diagnose;
use peaje_model::{Finding, Param};
use peaje_report::{Language, catalogue_has, finding_sentence};

fn variant(finding: &Finding) -> &str {
    match &finding.params["variant"] {
        Param::Text(variant) => variant,
        other => panic!("{}: variant is {other:?}", finding.code),
    }
}

#[test]
fn findings_of_real_diagnoses_are_said_in_full() {
    let mut said_so_far = 0;
    for run in [common::sample(), common::interrupted(), common::empty(), common::open_loop()] {
        for finding in diagnose(&run) {
            for language in [Language::English, Language::Spanish] {
                let name = format!("{} {:?} {}", finding.code, finding.verdict, variant(&finding));
                assert!(catalogue_has(language, &finding.code, finding.verdict, variant(&finding)), "{name}");
                let said = finding_sentence(&finding, language);
                assert!(!said.sentence.starts_with(finding.code.as_str()), "{name}: a parameter is missing");
                said_so_far += 1;
            }
        }
    }
    assert!(said_so_far > 60, "the samples are diagnosed: {said_so_far}");
}
