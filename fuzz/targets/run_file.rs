//! Run files, which may come from anybody: read, diagnosed, redacted, and rendered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_model::{Run, redact};
use peaje_report::Language;

fuzz_target!(|bytes: &[u8]| {
    let Ok(run) = serde_json::from_slice::<Run>(bytes) else { return };
    let written = serde_json::to_vec(&run).expect("a run that was read can be written");
    let again: Run = serde_json::from_slice(&written).expect("and read again");
    assert_eq!(again, run, "written and read differ");
    let _ = peaje_diagnose::diagnose(&run);
    let mut shown = run;
    redact(&mut shown);
    let _ = peaje_report::html(&shown, Language::Spanish);
});
