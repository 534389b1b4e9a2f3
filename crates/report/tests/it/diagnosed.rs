//! What the diagnoses really say about the sample runs has its words in both languages, and says the same as the
//! sections beside it.

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_diagnose::diagnose;
use peaje_model::{Arrival, Bound, BoundReason, BoundReasonCode, BoundVerdict, Finding, Mode, Param, Run, Verdict};
use peaje_report::{Language, TextOptions, catalogue_has, finding_sentence, html, text};

fn variant(finding: &Finding) -> &str {
    match &finding.params["variant"] {
        Param::Text(variant) => variant,
        other => panic!("{}: variant is {other:?}", finding.code),
    }
}

#[test]
fn findings_of_real_diagnoses_are_said_in_full() {
    let mut said_so_far = 0;
    use crate::common::{empty, interrupted, open_loop, sample};
    for made in [sample, interrupted, empty, open_loop] {
        for finding in diagnose(&made()) {
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

fn diagnosed(mut run: Run) -> Run {
    run.findings = diagnose(&run);
    run
}

fn finding<'r>(run: &'r Run, code: &str) -> &'r Finding {
    run.findings.iter().find(|finding| finding.code == code).unwrap()
}

/// The text on one line, so that a sentence is found wherever it was broken.
fn unwrapped(run: &Run) -> String {
    text(run, &TextOptions::default()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn distance_has_one_figure_in_finding_and_section() {
    let mut run = crate::common::sample();
    let login = run.login.as_mut().unwrap();
    login.rtt_us = Some(15_000.0);
    login.series[0].rtt_us = Some(19_000.0);
    let run = diagnosed(run);
    // 6 round trips of 15 ms in 123 ms; from 0.5 ms away 123 - 90 + 3
    let figures = ["90.0 ms", "6 round trips × 15.0 ms", "from a host 0.5 ms away expect about 36.0 ms"];
    let section = "unpooled, TLS off: of 123 ms, 90.0 ms is distance: 6 round trips × 15.0 ms; from a host 0.5 ms away \
                   expect about 36.0 ms.";
    let said = unwrapped(&run);
    assert!(said.contains(section), "{said}");
    let off = Run {
        login: run.login.clone().map(|mut login| {
            login.series.truncate(1);
            login
        }),
        ..run
    };
    let off = diagnosed(off);
    let sentence = finding_sentence(finding(&off, "distance-dominates"), Language::English).sentence;
    for figure in figures {
        assert!(sentence.to_lowercase().contains(&figure.to_lowercase()), "{figure}: {sentence}");
    }
    assert!(!said.contains("19.0 ms"), "{said}");
}

#[test]
fn cores_have_one_figure_in_finding_text_and_page() {
    // the query takes 3 of the 3.47 ms: 403.2 x 0.47 ms = 0.19 cores log people in, not 1.4
    let mut run = crate::common::sample();
    run.login.as_mut().unwrap().series[2].server.as_mut().unwrap().cpu_us_per_operation = Some(3_000.0);
    let run = diagnosed(run);
    let said = unwrapped(&run);
    assert!(said.contains("unpooled, TLS off: 0.2 of 2 cores of this machine go into logins."), "{said}");
    assert!(!said.contains("1.4 of 2"), "{said}");
    let pays = finding(&run, "pooling-pays");
    let full = Param::Text("unpooled, TLS full".into());
    assert_eq!(pays.params["series_unpooled"], full, "the finding speaks of the series over TLS");
    // (5,600 - 55) us x 284.1 a second
    let sentence = finding_sentence(pays, Language::English).sentence;
    assert!(sentence.contains("1.6 of 2 cores go into logins."), "{sentence}");
    assert!(said.contains("unpooled, TLS full: 1.6 of 2 cores of this machine go into logins"), "{said}");
    let page = html(&run, Language::English);
    assert!(
        page.contains("0.2 of 2 cores of this machine do nothing but log people in. 1,000 logins cost 470"),
        "page"
    );
}

#[test]
fn without_a_kept_connection_no_core_is_said_to_log_people_in() {
    let mut run = crate::common::sample();
    run.login.as_mut().unwrap().series.retain(|s| s.mode == Mode::Unpooled);
    let run = diagnosed(run);
    for said in [unwrapped(&run), html(&run, Language::English)] {
        assert!(said.contains("1.4 of 2 cores serve operations that each log in."), "{said}");
        assert!(!said.contains("nothing but log people in") && !said.contains("go into logins"), "{said}");
    }
}

#[test]
fn an_open_loop_that_kept_its_schedule_blames_nobody() {
    let mut run = crate::common::open_loop();
    let series = &mut run.login.as_mut().unwrap().series[0];
    series.settings.arrival = Arrival::Poisson { rate_per_s: 405.0 };
    series.lag_us = crate::common::latency(100.0);
    let reason = |code, value, limit| BoundReason { code, value, limit };
    let reasons = vec![reason(BoundReasonCode::Waiting, 403.0, 405.0), reason(BoundReasonCode::Lag, 202.0, 0.0)];
    series.bound = Bound { verdict: BoundVerdict::Undecided, reasons };
    let run = diagnosed(run);
    let said = unwrapped(&run);
    let wanted = "unpooled, TLS off: the schedule was the limit, not the server: 403 of 405 operations/s offered were \
                  done (p99 202 µs late).";
    assert!(said.contains(wanted) && !said.contains("limit 0"), "{said}");
    let bound = finding(&run, "generator-bound");
    assert_eq!(bound.verdict, Verdict::Healthy);
    let sentence = finding_sentence(bound, Language::English).sentence;
    assert!(sentence.starts_with("The schedule was the limit in “unpooled, TLS off”, not the server"), "{sentence}");
}

#[test]
fn a_closed_loop_has_no_schedule_to_blame() {
    for (workers, wanted) in [
        (1, "unpooled, TLS off: one client's own latency was the limit, not the server: 403 operations/s"),
        (2, "unpooled, TLS off: nothing was saturated: 2 clients waited for their own operations"),
    ] {
        let mut run = crate::common::sample();
        run.login.as_mut().unwrap().series.truncate(1);
        let series = &mut run.login.as_mut().unwrap().series[0];
        series.settings.concurrency = workers;
        let reasons = vec![BoundReason { code: BoundReasonCode::Waiting, value: 900.0, limit: 0.0 }];
        series.bound = Bound { verdict: BoundVerdict::Undecided, reasons };
        let run = diagnosed(run);
        let said = unwrapped(&run);
        assert!(said.contains(wanted) && !said.contains("schedule was"), "{said}");
        let sentence = finding_sentence(finding(&run, "generator-bound"), Language::English).sentence;
        assert_eq!(sentence, "Nothing was saturated: each worker waited for the server.");
    }
}

#[test]
fn the_note_on_authentication_is_for_real_postgresql_alone() {
    let note = "PostgreSQL answers in one piece";
    assert!(unwrapped(&crate::common::sample()).contains(note));
    let mut reference = crate::common::sample();
    reference.target.kind = peaje_model::TargetKind::Embedded;
    assert!(!unwrapped(&reference).contains(note));
    let mut other = crate::common::sample();
    other.target.engine = "mysql".into();
    assert!(!unwrapped(&other).contains(note));
}

#[test]
fn series_that_differ_in_numbers_share_a_line_with_the_range() {
    let mut run = crate::common::sample();
    run.login.as_mut().unwrap().series[1].bound.reasons[0].value = 0.65;
    let said = unwrapped(&run);
    assert!(
        said.contains("unpooled, TLS off; unpooled, TLS full: server-bound (the server used 65 %–71 % of all"),
        "{said}"
    );
}
