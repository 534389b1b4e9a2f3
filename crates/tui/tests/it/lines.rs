//! The plain lines, compared exactly with the files under `golden/`.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-tui --test it lines`, then read the difference.

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_diagnose::Language;
use peaje_tui::{Glyphs, Look, Plain, ServerStatus, View};

fn check(name: &str, said: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(&path, said).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert!(said == wanted, "{name} differs; said:\n{said}\nwanted:\n{wanted}");
    assert!(!said.contains('⟨') && !said.contains("NaN"), "{name}: {said}");
}

/// A session from its first reading to a verdict, a gap, and back.
fn story() -> Vec<View> {
    let mut lost = crate::common::one();
    lost.at = "2026-11-30T10:41:27Z".into();
    (lost.servers[0].status, lost.servers[0].readings) = (ServerStatus::Gap, 3);
    lost.gaps.push(crate::common::gap(crate::common::DB, "10:41:20", None, "connection refused"));
    let mut back = crate::common::one();
    back.at = "2026-11-30T10:41:37Z".into();
    back.servers[0].readings = 4;
    back.gaps.push(crate::common::gap(crate::common::DB, "10:41:20", Some("10:41:31"), "connection refused"));
    let mut early = View { at: "2026-11-30T10:40:57Z".into(), ..crate::common::early() };
    early.servers[0].readings = 1;
    vec![View { at: "2026-11-30T10:40:47Z".into(), ..crate::common::silent() }, early, crate::common::one(), lost, back]
}

fn said(look: Look) -> String {
    let mut plain = Plain::new(look);
    story().iter().flat_map(|view| plain.lines(view)).map(|line| line + "\n").collect()
}

#[test]
fn a_story_in_both_languages() {
    check("lines.en.txt", &said(Look::default()));
    check("lines.es.txt", &said(Look { language: Language::Spanish, ..Look::default() }));
}

#[test]
fn many_servers_take_a_line_each() {
    let mut plain = Plain::new(Look::default());
    let lines = plain.lines(&crate::common::fleet());
    check("lines.fleet.en.txt", &(lines.join("\n") + "\n"));
}

#[test]
fn what_was_said_is_not_said_again() {
    let mut plain = Plain::new(Look::default());
    let first = plain.lines(&crate::common::one());
    assert!(first.len() > 5, "{first:?}");
    assert_eq!(plain.lines(&crate::common::one()), [""; 0], "no new reading, no line");
    let mut next = crate::common::one();
    next.servers[0].readings += 1;
    let again = plain.lines(&next);
    assert_eq!(again.len(), 1, "one line for the interval: {again:?}");
}

/// Fifty servers have fifty readings in one interval, and each reading makes a view.
#[test]
fn a_server_has_a_line_only_with_its_own_reading() {
    let mut plain = Plain::new(Look::default());
    plain.lines(&crate::common::fleet());
    let mut next = crate::common::fleet();
    next.servers[4].readings += 1;
    let told = plain.lines(&next);
    assert!(matches!(told.as_slice(), [line] if line.contains("db05.example.com")), "{told:?}");
}

#[test]
fn the_time_of_a_verdict_is_told_again_only_when_it_moves_by_much() {
    let mut plain = Plain::new(Look::default());
    let mut told = Vec::new();
    for minute in [42, 43, 44, 49, 50] {
        let verdict_at = Some(format!("2026-11-30T10:{minute}:30Z"));
        told.extend(plain.lines(&View { verdict_at, ..crate::common::early() }));
    }
    let verdicts: Vec<&str> = told.iter().filter_map(|line| line.split_once("verdict at ")).map(|(_, at)| at).collect();
    assert_eq!(verdicts, ["10:42", "10:49"]);
}

#[test]
fn a_verdict_that_changes_is_told_both_times() {
    let mut plain = Plain::new(Look::default());
    plain.lines(&crate::common::one());
    let mut healthy = crate::common::one();
    healthy.groups[1].group = crate::common::group(
        crate::common::DB,
        "cron-report @ 10.0.0.7",
        peaje_model::GroupKind::Application,
        0.1,
        4.0,
    );
    let told = plain.lines(&healthy);
    assert!(told.iter().any(|line| line.contains("cron-report @ 10.0.0.7: steady")), "{told:?}");
    let told = plain.lines(&crate::common::one());
    assert!(told.iter().any(|line| line.contains("cron-report @ 10.0.0.7: does not pool (confirmed)")), "{told:?}");
}

#[test]
fn ascii_and_hostile_names() {
    let mut view = crate::common::one();
    view.groups[1].group.name = "\u{1b}[2J日\nx".into();
    let mut plain = Plain::new(Look { glyphs: Glyphs::Ascii, language: Language::Spanish, ..Look::default() });
    for line in plain.lines(&view) {
        assert!(line.chars().all(|c| c.is_ascii() && !c.is_control()), "{line:?}");
    }
}
