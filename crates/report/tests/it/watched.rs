//! A run of a watch in words: the groups with their verdicts, what qualifies them, what the declared pools predict.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-report --test it watched`, then read the difference.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::golden;
use peaje_model::{
    ExcludedSessions, Experiment, FailedLogins, Grade, GroupCost, GroupKind, GroupStatistics, Pattern, Run, Settings,
    Verdict, WatchGap, WatchGroup, WatchResult, WatchSettings,
};
use peaje_report::{Language, csv, html};

const SERVER: &str = "db1.corp.example:5432";

/// A group in which nothing stands out.
fn group(kind: GroupKind, name: &str, sessions: f64, per_s: f64) -> WatchGroup {
    WatchGroup {
        server: SERVER.to_owned(),
        name: name.to_owned(),
        kind,
        verdict: Verdict::Healthy,
        verdict_codes: Vec::new(),
        pattern: Some(Pattern::Steady),
        grade: None,
        mean_session_life_s: (per_s > 0.0).then(|| sessions / per_s),
        life_since_start: false,
        logins_per_s: Some(per_s),
        logouts_per_s: Some(per_s),
        sessions: Some(sessions),
        limit: Some(500),
        encrypted: Some(1.0),
        cost: None,
        statistics: GroupStatistics {
            window_s: 3_600.0,
            bin_s: 10.0,
            bins: 360,
            logins: per_s * 3_600.0,
            logouts: per_s * 3_600.0,
            mean_sessions: Some(sessions),
            failed: Some(FailedLogins { total: 12.0, credentials: Some(12.0), limit: None, probe: None }),
            ..GroupStatistics::default()
        },
    }
}

/// Three clients that do not pool among forty that do, and what else there may be.
fn result() -> WatchResult {
    let accused = WatchGroup {
        verdict: Verdict::Found,
        verdict_codes: vec!["no-pooling".to_owned()],
        pattern: None,
        grade: Some(Grade::Likely),
        cost: Some(GroupCost { logins_in_progress: Some(0.48), server_cores: Some(0.09), cpu_share: Some(0.011) }),
        ..group(GroupKind::Application, "reports @ app7.corp.example", 0.6, 12.0)
    };
    let unknown = WatchGroup {
        verdict: Verdict::CannotSay,
        pattern: None,
        life_since_start: true,
        ..group(GroupKind::Application, "cron @ 10.0.0.9", 1.0, 0.002)
    };
    WatchResult {
        interval_s: 10.02,
        time_scale: 1.0,
        readings: 360,
        coverage: Some(0.93),
        verdict_at: Some("2026-03-01T10:42:00Z".to_owned()),
        groups: vec![
            WatchGroup { pattern: None, ..accused.clone() }.named(GroupKind::Instance, SERVER),
            accused,
            group(GroupKind::Application, "shop @ app1.corp.example", 120.0, 0.03),
            unknown,
            group(GroupKind::Process, "shop @ app1.corp.example # 4711", 10.0, 0.0),
        ],
        gaps: vec![
            WatchGap {
                server: SERVER.to_owned(),
                from: "2026-03-01T10:10:00Z".to_owned(),
                until: Some("2026-03-01T10:10:31Z".to_owned()),
                reason: "restarted".to_owned(),
                message: "the server was restarted".to_owned(),
            },
            WatchGap {
                server: SERVER.to_owned(),
                from: "2026-03-01T10:30:00Z".to_owned(),
                until: None,
                reason: "unreachable".to_owned(),
                message: "Connection refused".to_owned(),
            },
        ],
        excluded: vec![ExcludedSessions {
            server: SERVER.to_owned(),
            name: "walreceiver".to_owned(),
            reason: "replication".to_owned(),
            sessions: 1,
        }],
    }
}

trait Named {
    fn named(self, kind: GroupKind, name: &str) -> Self;
}

impl Named for WatchGroup {
    fn named(self, kind: GroupKind, name: &str) -> Self {
        Self { kind, name: name.to_owned(), ..self }
    }
}

fn run(result: WatchResult) -> Run {
    let mut run = Run {
        experiment: Experiment::Watch,
        settings: Settings::Watch(WatchSettings {
            interval_s: 10.0,
            window_s: 3_600.0,
            time_scale: 1.0,
            replayed: None,
            declared_pools: vec!["shop=min:100,max:120,idle:60s,lifetime:30m,clients:4".to_owned()],
        }),
        login: None,
        facts: Vec::new(),
        gaps: Vec::new(),
        watch: Some(result),
        ..crate::common::sample()
    };
    run.findings = peaje_diagnose::diagnose(&run);
    run
}

#[test]
fn a_watched_server_in_both_languages_and_widths() {
    let run = run(result());
    let said = golden("watch.en.100.txt", &run, Language::English, 100);
    golden("watch.en.80.txt", &run, Language::English, 80);
    golden("watch.es.100.txt", &run, Language::Spanish, 100);
    assert!(!said.contains("# 4711"), "single processes are evidence, not lines: {said}");
    assert!(said.contains("4 clients × minimum 100 = 400 sessions, 80 % of the limit of 500"), "{said}");
}

#[test]
fn nothing_read_is_said_and_breaks_nothing() {
    for language in [Language::English, Language::Spanish] {
        let run = run(WatchResult { time_scale: 1.0, ..WatchResult::default() });
        let said = peaje_report::text(&run, &peaje_report::TextOptions { language, ..Default::default() });
        assert!(!said.contains('⟨') && !said.contains("NaN"), "{said}");
    }
}

#[test]
fn the_table_for_programs_has_a_row_for_each_group() {
    let run = run(result());
    let csv = csv(&run);
    assert_eq!(csv.lines().count(), 1 + 5, "{csv}");
    assert!(csv.contains("no-pooling") && csv.lines().next().unwrap().contains("mean_session_life_s"), "{csv}");
}

#[test]
fn the_page_holds_the_groups_and_lets_no_markup_in() {
    let mut hostile = result();
    hostile.groups[1].name = "<script>alert(1)</script>".to_owned();
    let page = html(&run(hostile), Language::English);
    assert!(page.contains("shop @ app1.corp.example") && !page.contains("<script"), "escaped");
    assert!(!page.contains('⟨'));
}
