//! Runs that are not as usual: stopped, unidentified, kept sessions, hostile strings, thousands of series, tiny figures.

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_diagnose::diagnose;
use peaje_model::{Ended, Mode, OutcomeKind, Run};
use peaje_report::{Language, TextOptions, csv, html, text};

fn said(run: &Run) -> String {
    text(run, &TextOptions::default()).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stopped(mut run: Run, rule: &str) -> Run {
    run.ended = Ended::Stopped { rule: rule.to_owned(), message: "the words of the stop".to_owned() };
    run.findings = diagnose(&run);
    run
}

#[test]
fn a_stopped_run_praises_nothing_and_says_what_to_do() {
    for rule in ["rejected", "server-full", "server-gone", "generator", "free-sessions", "other-clients"] {
        let run = stopped(crate::common::interrupted(), rule);
        let text = said(&run);
        assert!(text.contains(&format!("STOPPED ({rule}): the words of the stop. Next: ")), "{text}");
        assert!(!text.contains("Nothing stands out") && !text.contains("Healthy:"), "{text}");
        let page = html(&run, Language::English);
        assert!(!page.contains("Nothing stands out") && !page.contains(">healthy<"), "{rule}");
    }
}

#[test]
fn a_run_without_a_completed_operation_has_a_short_report() {
    let run = stopped(crate::common::empty(), "rejected");
    let text = said(&run);
    for absent in ["logins/s", "p50", "Both clocks", "Cannot say", "What limited"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    assert!(text.contains("may lock the account") && text.contains("The very first login failed"), "{text}");
}

#[test]
fn a_server_that_let_us_in_is_not_nothing() {
    let mut run = crate::common::sample();
    run.what_answered = None;
    let wanted = "PostgreSQL at db.example.com:5432 (not identified: nothing was read from the server), database app";
    assert!(said(&run).starts_with(wanted), "{}", said(&run));
    let mut run = crate::common::empty();
    run.what_answered = None;
    assert!(said(&run).starts_with("Something answered at db.example.com:5432, and was not"), "{}", said(&run));
    run.login.as_mut().unwrap().first_login.as_mut().unwrap().outcome = OutcomeKind::TimedOut;
    assert!(said(&run).starts_with("Nothing answered at db.example.com:5432"), "{}", said(&run));
}

#[test]
fn what_fails_for_the_same_reason_is_said_once() {
    let mut run = crate::common::sample();
    let first = run.gaps[0].clone();
    run.gaps =
        vec![first.clone(), peaje_model::Gap { what: "another thing".to_owned(), ..first.clone() }, first.clone()];
    let said = said(&run);
    assert_eq!(said.matches(first.why.trim_end_matches('.')).count(), 1, "{said}");
    assert!(said.contains(&format!("{}; another thing: ", first.what)), "{said}");
}

#[test]
fn the_legend_knows_the_letters_of_the_first_login() {
    let mut run = crate::common::sample();
    let first = run.login.as_mut().unwrap().first_login.as_mut().unwrap();
    first.phases_us.extend([(peaje_model::Phase::Resolve, 900.0), (peaje_model::Phase::Session, 40.0)]);
    let said = said(&run);
    assert!(said.contains("R 900 µs") && said.contains("R resolve the name"), "{said}");
    assert!(said.contains("S session start"), "{said}");
}

#[test]
fn a_peak_below_the_mean_and_the_logins_of_a_pool_per_second_are_no_figures() {
    let mut run = crate::common::sample();
    let series = &mut run.login.as_mut().unwrap().series;
    series[0].peak_per_s.value = Some(1.0);
    let row = |start: &str| {
        let text = text(&run, &TextOptions { width: 120, ..TextOptions::default() });
        let line = text.lines().find(|line| line.starts_with(start)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("unpooled, TLS off")[3..6], ["403", "403", "–"]);
    assert_eq!(row("pooled, TLS off")[3..5], ["–", "11,905"]);
}

#[test]
fn sessions_not_known_to_be_encrypted_are_explained() {
    let mut run = crate::common::sample();
    assert!(!said(&run).contains("found in samples"), "{}", said(&run));
    let account = run.login.as_mut().unwrap().series[1].server.as_mut().unwrap();
    (account.sampled_sessions, account.sampled_encrypted) = (245, 243);
    let said = said(&run);
    assert!(said.contains("243 of 245") && said.contains("encrypted: of the sessions found in samples"), "{said}");
}

#[test]
fn the_parts_of_a_kept_session_add_up_to_its_mean() {
    let mut run = crate::common::sample();
    let series = &mut run.login.as_mut().unwrap().series[0];
    series.mode = Mode::Persistent;
    series.service_us.mean = Some(2_500.0);
    series.query_us.mean = Some(2_000.0);
    let text = said(&run);
    assert!(text.contains("2.5 ms = O 500 µs + Q 2.0 ms"), "{text}");
    assert!(html(&run, Language::English).contains("opening the session"));
}

#[test]
fn what_a_run_file_holds_cannot_drive_a_terminal() {
    let hostile = "x\u{1b}[2J\u{202e}\u{2066}\u{200f}\u{9b}y";
    let mut run = crate::common::sample();
    run.target.database = Some(hostile.to_owned());
    run.started_at = hostile.to_owned();
    let series = &mut run.login.as_mut().unwrap().series[0];
    series.label = hostile.to_owned();
    series.server.as_mut().unwrap().source = hostile.to_owned();
    for finding in &mut run.findings {
        finding.code = hostile.to_owned();
    }
    run.gaps[0].why = hostile.to_owned();
    for output in [text(&run, &TextOptions::default()), csv(&run), html(&run, Language::English)] {
        let unsafe_char = output.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(unsafe_char, None);
    }
}

#[test]
fn tiny_figures_and_thousands_of_series_are_drawn_in_bounded_work() {
    let mut run = crate::common::sample();
    let series = run.login.as_ref().unwrap().series[0].clone();
    run.login.as_mut().unwrap().series = std::iter::repeat_n(series, 2_000).collect();
    let page = html(&run, Language::English);
    assert!(page.contains("The plots show the first 24 of 2,000 series."), "said on the page");
    for tiny in [5e-324, f64::MIN_POSITIVE, f64::MAX] {
        let mut run = crate::common::sample();
        for series in &mut run.login.as_mut().unwrap().series {
            for phase in series.phases_us.values_mut() {
                phase.mean = Some(tiny);
            }
            series.timeline.tick_s = tiny;
            series.service_us.mean = Some(tiny);
        }
        assert!(html(&run, Language::Spanish).len() < 1_000_000, "{tiny}");
    }
}
