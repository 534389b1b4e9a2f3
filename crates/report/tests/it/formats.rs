//! CSV and JSON read back, and the ids of the catalogue against the source that uses them.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads the crate's own source; the crate stays pure"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use peaje_model::Run;
use peaje_report::{csv, json};

fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn csv_reads_back_with_every_figure() {
    let run = crate::common::sample();
    let rows = rows(&csv(&run));
    let series = &run.login.as_ref().unwrap().series;
    assert_eq!(rows.len(), series.len());
    for (row, series) in rows.iter().zip(series) {
        let number = |name: &str| row[name].parse::<f64>().ok();
        assert_eq!(row["series"], series.label);
        assert_eq!(number("throughput_per_s"), series.throughput_per_s.value);
        assert_eq!(number("latency_p50_us"), series.latency_us.p50);
        assert_eq!(number("latency_p99_us"), series.latency_us.p99);
        assert_eq!(number("service_mean_us"), series.service_us.mean);
        assert_eq!(row["logins"], series.logins.to_string());
        assert_eq!(row["operations_completed"], series.counts.completed.to_string());
        let tls = series.phases_us.get(&peaje_model::Phase::Tls).and_then(|p| p.mean);
        assert_eq!(number("phase_tls_mean_us"), tls, "{}", series.label);
        assert_eq!(number("pool_wait_mean_us"), series.pool_us.and_then(|p| p.wait.mean));
    }
}

#[test]
fn csv_columns_do_not_depend_on_the_run() {
    let header = |run: &Run| csv(run).lines().next().unwrap().to_owned();
    let first = header(&crate::common::sample());
    for run in [crate::common::interrupted(), crate::common::empty(), crate::common::open_loop()] {
        assert_eq!(header(&run), first);
    }
    let names: BTreeSet<&str> = first.split(',').collect();
    assert_eq!(names.len(), first.split(',').count(), "no name twice");
}

#[test]
fn csv_leaves_absent_figures_empty_and_cannot_run_formulas() {
    let mut run = crate::common::empty();
    run.login.as_mut().unwrap().series[0].label = "=cmd|' /C calc'!A0, \"quoted\"\nnext \u{1b}\u{202e}line".into();
    let rows = rows(&csv(&run));
    assert_eq!(rows[0]["latency_p99_us"], "");
    assert_eq!(rows[0]["throughput_per_s"], "");
    assert_eq!(rows[0]["reference_server"], "true");
    assert_eq!(rows[0]["series"], "'=cmd|' /C calc'!A0, \"quoted\" next   line");
}

#[test]
fn csv_of_a_run_without_results_is_empty() {
    let mut run = crate::common::sample();
    run.login = None;
    assert_eq!(csv(&run), "");
}

#[test]
fn json_is_the_run_itself() {
    let run = crate::common::sample();
    let text = json(&run);
    assert!(text.ends_with("}\n"));
    assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run);
}

/// Beginnings of ids that are put together from a word of the run file.
const BUILT: [&str; 14] = [
    "stopped-next-",
    "mode-",
    "tls-",
    "phase-",
    "outcome-",
    "reason-",
    "cause-",
    "verdict-",
    "severity-",
    "check-no-comparison-",
    "pattern-in-words-",
    "grade-",
    "excluded-",
    "guard-",
];

#[test]
fn the_source_and_the_catalogue_name_the_same_messages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_code = |id: &String| peaje_diagnose::DIAGNOSES.iter().any(|diagnosis| diagnosis.code == id);
    let files = ["report", "page", "watched", "check", "sessions"];
    let ids: BTreeSet<String> = files.iter().flat_map(|file| ids(root, file)).filter(|id| !is_code(id)).collect();
    let literals = literals(&root.join("src"));
    for id in ids.iter().filter(|id| !BUILT.iter().any(|start| id.starts_with(start))) {
        assert!(literals.contains(id), "{id} is in the catalogue and never used");
    }
    let starts: BTreeSet<&str> = ids.iter().filter_map(|id| id.split_once('-')).map(|(start, _)| start).collect();
    for literal in &literals {
        let looks_like_an_id = literal.split_once('-').is_some_and(|(start, _)| starts.contains(start));
        let known = ids.contains(literal) || NOT_IDS.contains(&literal.as_str());
        assert!(!looks_like_an_id || known, "{literal} is used and not in the catalogue");
    }
}

/// Words of the run file and of HTML that begin like an id.
const NOT_IDS: [&str; 8] = [
    "client-cpu",
    "client-share-of-machine",
    "no-local-port",
    "no-privilege",
    "not-measured",
    "server-gone",
    "server-share-of-machine",
    "time-times-sessions",
];

fn ids(root: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(format!("locales/en/{file}.ftl"))).unwrap();
    let messages = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    messages.map(|line| line.split(" =").next().unwrap().to_owned()).collect()
}

/// Every string literal made of letters, digits and dashes, outside of unit tests.
fn literals(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(literals(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let source = std::fs::read_to_string(&entry).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap();
            let inside = code.split('"').skip(1).step_by(2);
            let plain = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            found.extend(inside.filter(plain).map(str::to_owned));
        }
    }
    found
}
