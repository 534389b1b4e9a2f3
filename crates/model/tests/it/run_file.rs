//! The run file: what its schema accepts and refuses, and that nothing is lost on the way to JSON and back.

use crate::common::sample_run;
use peaje_model::{Counts, LatencySummary, Run, json_schema};
use peaje_stats::Distribution;
use serde_json::{Value, json};

/// Errors the schema finds in a run.
fn errors(run: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&json_schema()).expect("the generated schema is a schema");
    validator.iter_errors(run).map(|error| error.to_string()).collect()
}

#[test]
fn the_schema_accepts_a_full_run() {
    let run = serde_json::to_value(sample_run()).unwrap();
    assert_eq!(errors(&run), Vec::<String>::new());
}

#[test]
fn the_schema_accepts_a_run_that_measured_nothing() {
    let mut run = sample_run();
    (run.login, run.what_answered) = (None, None);
    run.findings.clear();
    let json = serde_json::to_value(run).unwrap();
    assert!(json.get("login").is_none());
    assert_eq!(errors(&json), Vec::<String>::new());
}

#[test]
fn the_schema_refuses_wrong_values() {
    let table = [
        ("/experiment", json!("logon")),
        ("/ended/how", json!("crashed")),
        ("/target/kind", json!("production")),
        ("/target/port", json!(70_000)),
        ("/target/addresses/0/outcome", json!("fine")),
        ("/login/series/0/mode", json!("Unpooled")),
        ("/login/series/0/counts/failed", json!(-1)),
        ("/login/series/0/elapsed_s", json!("1 s")),
        ("/findings/0/severity", json!("fatal")),
        ("/findings/0/params/lost/kind", json!("seconds")),
        ("/settings/login/arrival/loop", json!("half-open")),
    ];
    for (pointer, wrong) in table {
        let mut run = serde_json::to_value(sample_run()).unwrap();
        *run.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is not in the sample")) = wrong;
        assert!(!errors(&run).is_empty(), "the schema accepts a wrong {pointer}");
        assert!(serde_json::from_value::<Run>(run).is_err(), "serde accepts a wrong {pointer}");
    }
}

#[test]
fn a_run_survives_json() {
    let run = sample_run();
    let text = serde_json::to_string_pretty(&run).unwrap();
    assert!(text.starts_with("{\n  \"schema\": \"peaje.run/1\""), "the schema's name comes first");
    assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run);
}

#[test]
fn times_are_microseconds_and_thin_percentiles_are_null() {
    let mut times = Distribution::new();
    (1..=99).for_each(|ns| times.record_ns(ns * 1000));
    let summary = serde_json::to_value(LatencySummary::from(&times)).unwrap();
    assert_eq!(summary["mean"], json!(50.0));
    assert_eq!(summary["max"], json!(99.0));
    assert_eq!(summary["p99"], Value::Null, "99 samples are too few for the 99th percentile");
    let p90 = summary["p90"].as_f64().unwrap();
    assert!((90.0..90.1).contains(&p90), "{p90}");
}

#[test]
fn counts_balance_only_when_every_operation_has_a_fate() {
    let good = Counts { scheduled: 10, completed: 4, failed: 3, skipped: 2, in_flight: 1 };
    assert!(good.balance());
    assert!(Counts::default().balance());
    let wrong: [fn(&mut Counts); 5] =
        [|c| c.scheduled += 1, |c| c.completed += 1, |c| c.failed += 1, |c| c.skipped += 1, |c| c.in_flight += 1];
    for (i, change) in wrong.iter().enumerate() {
        let mut counts = good;
        change(&mut counts);
        assert!(!counts.balance(), "change {i}");
    }
}
