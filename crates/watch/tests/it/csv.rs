//! CSV files as people have them.
#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::fmt::Write;
use std::time::Duration;

use peaje_model::{GroupKind, Verdict};
use peaje_watch::{Analysis, CsvError, replay_csv, result, series};
use proptest::prelude::*;

const WINDOW: Duration = Duration::from_secs(3600);

fn read(text: &str) -> Result<peaje_watch::Record, CsvError> {
    replay_csv("file", text.as_bytes(), WINDOW)
}

fn message(text: &str) -> String {
    read(text).map(|_| ()).unwrap_err().to_string()
}

/// An hour in steps of 10 s at 2 logins a second and 20 sessions.
fn hour(header: &str, line: impl Fn(u64) -> String) -> String {
    (0..=360).fold(format!("{header}\n"), |mut text, step| {
        let _ = writeln!(text, "{}", line(step));
        text
    })
}

#[test]
fn a_bare_series_gives_the_figures_it_allows() {
    let text = hour("t_s,logins_total,sessions", |step| format!("{},{},20", step * 10, step * 20));
    let result = result(&read(&text).unwrap(), &Analysis::default());
    let instance = &result.groups[0];
    assert_eq!(
        (instance.kind, instance.name.as_str(), instance.server.as_str()),
        (GroupKind::Instance, "file", "file")
    );
    let figures = &instance.statistics;
    assert_eq!((figures.logins, figures.logouts), (7200.0, 7200.0));
    assert_eq!((instance.logins_per_s, figures.mean_sessions), (Some(2.0), Some(20.0)));
    assert!((figures.mean_life_s.unwrap() - 10.0).abs() < 0.1, "{:?}", figures.mean_life_s);
    assert!(result.gaps.is_empty() && result.coverage.is_none());
}

#[test]
fn the_same_file_in_other_clothes_is_the_same() {
    let plain = hour("t_s,logins_total,sessions", |step| format!("{}.5,{},20", step * 10, step * 20));
    let dressed = hour("\u{feff}Sessions ; T_S;note;LOGINS_TOTAL", |step| {
        format!("20;{},5;\"a \"\"b\"\"; c\";{},0\r", step * 10, step * 20)
    });
    let tabs = hour("t_s\tlogins_total\tsessions", |step| format!("{}.5\t{}\t20\r", step * 10, step * 20));
    let json = |text: &str| serde_json::to_string(&result(&read(text).unwrap(), &Analysis::default())).unwrap();
    assert_eq!(json(&dressed), json(&plain));
    assert_eq!(json(&tabs), json(&plain));
    assert_eq!(json(&(plain.clone() + "\n\n  \n")), json(&plain));
}

#[test]
fn a_fall_is_a_reset_and_a_hole_is_a_gap() {
    let text = hour("t_s,logins_total,sessions", |step| {
        let logins = if step < 200 { 1_000_000 + step * 20 } else { (step - 200) * 20 };
        let moment = if step < 300 { step * 10 } else { step * 10 + 600 };
        format!("{moment},{logins},20")
    });
    let record = read(&text).unwrap();
    let said = result(&record, &Analysis::default());
    let reasons: Vec<&str> = said.gaps.iter().map(|gap| gap.reason.as_str()).collect();
    assert_eq!(reasons, ["counters-reset", "not-sampled"]);
    assert_eq!(said.groups[0].statistics.resets, 1);
    let all = series(&record, &Analysis::default());
    assert!(all[0].bins.iter().all(|bin| (bin.logins - 20.0).abs() < 1e-6), "no false rate");
    assert_eq!(all[0].bins.len(), 360 - 61 - 1);
}

#[test]
fn applications_are_groups_of_their_own() {
    let text = hour("t_s,app,logins_total,sessions,active", |step| {
        let (moment, logins) = (step * 10, step * 20);
        format!("{moment},,{logins},30,1\n{moment},batch,{},10,\n{moment},web,{},20,3", step * 5, step * 15)
    });
    let said = result(&read(&text).unwrap(), &Analysis::default());
    let mut groups: Vec<_> =
        said.groups.iter().map(|group| (group.kind, group.name.as_str(), group.logins_per_s)).collect();
    groups.sort_by_key(|group| group.1);
    assert_eq!(
        groups,
        [
            (GroupKind::Application, "batch", Some(0.5)),
            (GroupKind::Instance, "file", Some(2.0)),
            (GroupKind::Application, "web", Some(1.5)),
        ]
    );
}

#[test]
fn two_of_logins_logouts_and_sessions_tell_the_third() {
    let with_logouts = hour("t_s,logouts_total,sessions", |step| format!("{},{},20", step * 10, step * 20));
    let said = result(&read(&with_logouts).unwrap(), &Analysis::default());
    assert_eq!(said.groups[0].logins_per_s, Some(2.0));
}

#[test]
fn what_is_missing_is_cannot_say() {
    for header in ["t_s,sessions", "t_s,requests_total", "t_s,failed_total", "t_s,active"] {
        let text = hour(header, |step| format!("{},{}", step * 10, step));
        let said = result(&read(&text).unwrap(), &Analysis::default());
        let instance = &said.groups[0];
        assert_eq!(instance.verdict, Verdict::CannotSay, "{header}");
        assert_eq!((instance.logins_per_s, instance.mean_session_life_s), (None, None), "{header}");
    }
    let logins = hour("t_s,logins_total", |step| format!("{},{}", step * 10, step * 20));
    let said = result(&read(&logins).unwrap(), &Analysis::default());
    let instance = &said.groups[0];
    assert_eq!((instance.logins_per_s, instance.logouts_per_s), (Some(2.0), None), "nobody counted logouts");
    assert_eq!((instance.mean_session_life_s, instance.sessions), (None, None));
}

#[test]
fn words_for_nothing_are_unknown() {
    let text = hour("t_s,logins_total,sessions", |step| {
        let sessions = ["", "null", "NaN", "n/a", "-", "20"][step as usize % 6];
        format!("{},{},{sessions}", step * 10, step * 20)
    });
    assert_eq!(result(&read(&text).unwrap(), &Analysis::default()).groups[0].logins_per_s, Some(2.0));
}

#[test]
fn every_mistake_names_its_line() {
    for (text, expected) in [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("time,logins_total\n1,2\n", "names no column t_s (seconds); its columns are: time, logins_total"),
        ("t_s,logins\n1,2\n", "names no figure"),
        ("t_s,sessions,SESSIONS\n1,2,3\n", "names the column sessions twice"),
        ("t_s,logins_total\n1,2\n2,x\n", "line 3, column logins_total: `x` is no count"),
        ("t_s,logins_total\n1,2\n\n2,-3\n", "line 4, column logins_total: `-3` is no count"),
        ("t_s,logins_total\n1,2\nyesterday,3\n", "line 3, column t_s: `yesterday` is no time in seconds"),
        ("t_s,logins_total\n1,2\n,3\n", "line 3, column t_s"),
        ("t_s,logins_total\n1,2\n1e300,3\n", "line 3, column t_s"),
        ("t_s,logins_total\n1,2\n1,3\n", "line 3: t_s is not after the line before"),
        ("t_s,app,logins_total\n1,a,2\n2,b,3\n0,a,4\n", "line 4: t_s is not after the line before of a;"),
        ("t_s,logins_total\n1,2\n2,3,4\n", "line 3 has 3 fields, and the header 2"),
        ("t_s,logins_total\n1,2\n", "a difference needs two"),
        ("t_s;logins_total\n1;2,5x\n", "line 2, column logins_total: `2,5x`"),
    ] {
        let said = message(text);
        assert!(said.contains(expected), "{text:?}: {said}");
    }
    assert_eq!(replay_csv("file", b"t_s,sessions\n\xff,1\n", WINDOW).map(|_| ()), Err(CsvError::NotText));
}

proptest! {
    #[test]
    fn nothing_makes_it_break_down(text in "(t_s|app|logins_total|sessions|[0-9,;.\"\n\r\t e-]|\\PC){0,200}") {
        if let Ok(record) = read(&text) {
            result(&record, &Analysis::default());
        }
    }

    #[test]
    fn any_numbers_give_a_result_without_negative_rates(
        values in proptest::collection::vec((0.0..1e6_f64, 0_u64..u64::MAX, 0_u64..100_000), 2..60)
    ) {
        let mut at_s = 0.0;
        let mut text = String::from("t_s,logins_total,sessions\n");
        for (step, logins, sessions) in values {
            at_s += step + 0.001;
            let _ = writeln!(text, "{at_s},{logins},{sessions}");
        }
        let record = read(&text).unwrap();
        for group in result(&record, &Analysis::default()).groups {
            prop_assert!(group.logins_per_s.is_none_or(|rate| rate >= 0.0 && rate.is_finite()));
            prop_assert!(group.logouts_per_s.is_none_or(|rate| rate >= 0.0 && rate.is_finite()));
        }
    }
}
