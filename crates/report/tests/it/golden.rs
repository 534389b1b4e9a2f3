//! The whole text of sample runs, compared exactly with the files under `golden/`.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-report --test it golden`, then read the difference.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its golden files; the crate itself stays pure"
)]

use peaje_model::Run;
use peaje_report::{Language, Styling, TextOptions, text};

fn check(name: &str, run: &Run, language: Language, width: usize) {
    let said = text(run, &TextOptions { language, styling: Styling::Plain, width });
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(&path, &said).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert!(said == wanted, "{name} differs; said:\n{said}\nwanted:\n{wanted}");
    // Golden files are blessed by machine; these laws hold whatever they say.
    assert!(said.lines().all(|line| line.chars().count() <= width.max(60)), "{name}: a line is wider than {width}");
    assert!(!said.contains('⟨') && !said.contains('\u{2068}') && !said.contains("NaN"), "{name}: {said}");
    assert!(said.lines().all(|line| line == line.trim_end()), "{name}: trailing spaces");
}

#[test]
fn a_sample_run_in_both_languages_at_several_widths() {
    check("sample.en.100.txt", &crate::common::sample(), Language::English, 100);
    check("sample.en.80.txt", &crate::common::sample(), Language::English, 80);
    check("sample.es.100.txt", &crate::common::sample(), Language::Spanish, 100);
    check("sample.es.80.txt", &crate::common::sample(), Language::Spanish, 80);
}

#[test]
fn the_default_series_fit_on_two_screens() {
    for language in [Language::English, Language::Spanish] {
        let said = text(&crate::common::sample(), &TextOptions { language, styling: Styling::Plain, width: 100 });
        assert!(said.lines().count() <= 76, "{} lines:\n{said}", said.lines().count());
    }
}

#[test]
fn an_interrupted_run() {
    check("interrupted.en.txt", &crate::common::interrupted(), Language::English, 100);
    check("interrupted.es.txt", &crate::common::interrupted(), Language::Spanish, 100);
}

#[test]
fn a_run_without_any_figure() {
    check("empty.en.txt", &crate::common::empty(), Language::English, 100);
    check("empty.es.txt", &crate::common::empty(), Language::Spanish, 100);
}

#[test]
fn an_open_loop() {
    check("open.en.txt", &crate::common::open_loop(), Language::English, 100);
    check("open.en.80.txt", &crate::common::open_loop(), Language::English, 80);
    check("open.es.80.txt", &crate::common::open_loop(), Language::Spanish, 80);
    check("open.es.txt", &crate::common::open_loop(), Language::Spanish, 120);
}

#[test]
fn colour_changes_nothing_but_escape_sequences() {
    let plain = TextOptions { width: 100, ..TextOptions::default() };
    let coloured = TextOptions { styling: Styling::Colour, ..plain };
    let run = crate::common::sample();
    let said = text(&run, &coloured);
    assert!(said.contains("\u{1b}["));
    assert_eq!(without_escapes(&said), text(&run, &plain));
}

fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    out + rest
}
