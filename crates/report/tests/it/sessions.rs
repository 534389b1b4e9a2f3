//! A run of held sessions in words: the story's two servers side by side, one of them alone, and a ladder that never began.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-report --test it sessions`, then read the difference.

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_diagnose::held::analyse;
use peaje_model::{
    Architecture, CgroupMemory, CloseMode, Closing, DroppedSessions, Experiment, Hold, HostMemory, LatencySummary,
    LimitRead, MemorySample, MemorySource, ProcessMemory, Run, SessionStep, SessionsResult, SessionsSettings, Settings,
    StepChurn, StepProbe, TargetKind, WallKind,
};
use peaje_report::{Language, StepTable, csv, html};

use crate::common::{golden, latency};

const MIB: f64 = 1024.0 * 1024.0;

fn settings(warm: Option<&str>) -> SessionsSettings {
    SessionsSettings {
        steps: (1..=8).map(|i| i * 50).collect(),
        concurrency: 1,
        settle_s: 1.0,
        active: 0.0,
        query: "select 1".to_owned(),
        warm_query: warm.map(str::to_owned),
        churn_per_s: None,
        hold: Hold::No,
        close: CloseMode::Polite,
        memory_floor: 0.0,
        swap_guard: false,
        reserve: 0.05,
        login_timeout_s: 15.0,
        source_addresses: 1,
    }
}

/// `fixed` and `each` in MiB: a server in a control group of 768 MiB.
fn look(fixed: f64, each: f64, sessions: f64) -> MemorySample {
    let bytes = |mib: f64| Some((mib * MIB) as u64);
    let need = fixed + 1.06 * each * sessions;
    let swapped = (need - 768.0).max(0.0);
    MemorySample {
        clock_us: (sessions * 10_000.0) as i64,
        server: Some(ProcessMemory {
            processes: if each > 1.0 { 1 + sessions as u64 } else { 1 },
            threads: 1 + sessions as u64,
            pss: bytes(fixed + each * sessions - swapped),
            swap: bytes(swapped),
            ..ProcessMemory::default()
        }),
        host: HostMemory {
            total: bytes(24_105.0),
            available: bytes(23_000.0 - need + swapped - 0.03 * sessions),
            page_tables: bytes(10.0 + 0.04 * each * sessions),
            kernel_stacks: bytes(5.0 + 0.016 * sessions),
            swap_used: bytes(swapped),
            ..HostMemory::default()
        },
        cgroup: Some(CgroupMemory {
            path: "/peaje-test".to_owned(),
            version: 2,
            limit: bytes(768.0),
            usage: bytes(need - swapped),
            reclaimable: Some(0),
            swap: bytes(swapped),
            ..CgroupMemory::default()
        }),
    }
}

fn target(label: &str, fixed: f64, each: f64, us: [f64; 8]) -> SessionsResult {
    let step = |(i, us): (usize, f64)| {
        let sessions = 50 * (i as u64 + 1);
        let memory = look(fixed, each, sessions as f64);
        SessionStep {
            sessions,
            wanted: sessions,
            opened: 50,
            seconds: 50.0 * us / 1e6,
            login_us: LatencySummary { p99: Some(us * 1.4), ..latency(us * 0.98) },
            pss_bytes: memory.server.unwrap().pss,
            memory_available_bytes: memory.host.available,
            processes: memory.server.map(|server| server.processes),
            threads: memory.server.map(|server| server.threads),
            client: Some(ProcessMemory {
                pss: Some((20.0 * MIB) as u64 + 8_000 * sessions),
                ..ProcessMemory::default()
            }),
            memory: Some(memory),
            ..SessionStep::default()
        }
    };
    let memory = look(fixed, each, 0.0);
    SessionsResult {
        label: label.to_owned(),
        architecture: Some(if each > 1.0 { Architecture::Process } else { Architecture::Thread }),
        memory_source: MemorySource::Processes,
        started_by_peaje: true,
        same_host: true,
        baseline: SessionStep {
            pss_bytes: memory.server.unwrap().pss,
            memory_available_bytes: memory.host.available,
            client: Some(ProcessMemory { pss: Some((20.0 * MIB) as u64), ..ProcessMemory::default() }),
            memory: Some(memory),
            ..SessionStep::default()
        },
        steps: us.into_iter().enumerate().map(step).collect(),
        limits: vec![LimitRead {
            kind: WallKind::ServerLimit,
            name: "max_sessions".to_owned(),
            limit: 1_000,
            taken: 0,
            per_session: 1.0,
        }],
        closing: Some(Closing {
            sessions: 400,
            seconds: 0.31,
            pss_returned_bytes: Some((500.0 * MIB) as i64),
            own_left: Some(0),
            ..Closing::default()
        }),
        ..SessionsResult::default()
    }
}

fn process() -> SessionsResult {
    let us = [1_510.0, 1_490.0, 1_520.0, 1_500.0, 1_480.0, 1_930.0, 4_120.0, 5_520.0];
    target("serve:process", 204.0, 1.8, us)
}

fn thread() -> SessionsResult {
    target("serve:thread", 203.0, 0.7, [2_010.0, 1_980.0, 2_030.0, 2_000.0, 1_990.0, 2_020.0, 2_000.0, 2_040.0])
}

fn run(mut result: SessionsResult, settings: &SessionsSettings) -> Run {
    analyse(&mut result, settings);
    result.beside.iter_mut().for_each(|one| analyse(one, settings));
    let mut run = Run {
        experiment: Experiment::Sessions,
        settings: Settings::Sessions(settings.clone()),
        login: None,
        facts: Vec::new(),
        gaps: Vec::new(),
        sessions: Some(result),
        ..crate::common::sample()
    };
    run.findings = peaje_diagnose::diagnose(&run);
    run
}

fn story() -> Run {
    let mut run = run(SessionsResult { beside: vec![thread()], ..process() }, &settings(None));
    run.target.kind = TargetKind::Embedded;
    run
}

/// A server of somebody's, in which everything happened that can.
fn full() -> Run {
    let mut result = SessionsResult {
        label: "postgresql://app@db.example.com/shop".to_owned(),
        answered: Some("PostgreSQL 15.18".to_owned()),
        ..thread()
    };
    result.started_by_peaje = false;
    result.stopped_by = Some("free-sessions".to_owned());
    result.dropped = vec![
        DroppedSessions { reason: "57P05".to_owned(), message: Some("idle".to_owned()), count: 3 },
        DroppedSessions { reason: "closed".to_owned(), message: None, count: 1 },
    ];
    for i in 0..8 {
        let before = if i == 0 { result.baseline.pss_bytes } else { result.steps[i - 1].pss_bytes };
        result.steps[i].idle_bytes = before.map(|bytes| bytes + 50 * 300_000);
    }
    let last = result.steps.last_mut().unwrap();
    last.probe = Some(StepProbe {
        login_us: latency(2_100.0),
        query_us: latency(110.0),
        query_beside_active_us: Some(latency(160.0)),
        active_per_s: Some(900.0),
    });
    last.churn = Some(StepChurn { per_s: 19.8, login_us: latency(2_300.0), context_switches_per_login: Some(31.0) });
    run(result, &settings(Some("select * from orders limit 10")))
}

#[test]
fn two_servers_side_by_side_in_both_languages_and_widths() {
    let run = story();
    let said = golden("sessions.en.100.txt", &run, Language::English, 100);
    golden("sessions.en.80.txt", &run, Language::English, 80);
    golden("sessions.es.100.txt", &run, Language::Spanish, 100);
    assert!(said.contains("upper bound") && said.contains("serve:thread") && said.contains("control group"), "{said}");
}

#[test]
fn one_server_after_its_query() {
    let run = full();
    let said = golden("sessions-one.en.100.txt", &run, Language::English, 100);
    golden("sessions-one.es.80.txt", &run, Language::Spanish, 80);
    assert!(said.contains("idle 293 KiB; after your query 717 KiB."), "{said}");
    assert!(!said.contains("upper bound"), "the sessions worked: {said}");
}

#[test]
fn nothing_opened_is_said_and_breaks_nothing() {
    for language in [Language::English, Language::Spanish] {
        let run = run(SessionsResult::default(), &settings(None));
        let said = peaje_report::text(&run, &peaje_report::TextOptions { language, ..Default::default() });
        assert!(!said.contains('⟨') && !said.contains("NaN"), "{said}");
        let page = html(&run, language);
        assert!(!page.contains('⟨') && !page.contains("<svg"), "no plot of nothing");
        assert_eq!(csv(&run), "");
    }
}

#[test]
fn a_row_of_the_live_table_is_a_row_of_the_report() {
    let run = story();
    let result = run.sessions.as_ref().unwrap();
    for width in [60, 80, 100, 200] {
        let table = StepTable::new(Language::English, width);
        let rows: Vec<String> = result.steps.iter().map(|step| table.row(step)).collect();
        assert!(rows.iter().all(|row| row.chars().count() == table.header().chars().count()), "{rows:#?}");
        assert!(table.header().chars().count() <= width, "{}", table.header());
    }
    let wide = StepTable::new(Language::English, 200);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let text = peaje_report::text(&run, &peaje_report::TextOptions { width: 120, ..Default::default() });
    for step in &result.steps {
        let row = words(&wide.row(step));
        assert!(text.lines().any(|line| words(line) == row), "{row:?} in\n{text}");
    }
}

#[test]
fn the_table_for_programs_has_a_row_for_each_step_of_each_target() {
    let csv = csv(&story());
    assert_eq!(csv.lines().count(), 1 + 16, "{csv}");
    let header = csv.lines().next().unwrap();
    for column in ["target", "sessions", "seconds", "pss_bytes", "memory_available_bytes", "processes", "fit_low"] {
        assert!(header.split(',').any(|name| name == column), "{column}: {header}");
    }
}

#[test]
fn the_page_plots_time_and_memory_and_lets_no_markup_in() {
    let page = html(&story(), Language::English);
    assert_eq!(page.matches("<svg").count(), 2, "time and memory");
    assert!(
        page.contains("knee 250") && page.contains("limit 768") && page.contains("first wall 275"),
        "knee and wall are drawn"
    );
    assert!(!page.contains('⟨'));
    let mut hostile = story();
    hostile.sessions.as_mut().unwrap().label = "<script>alert(1)</script>".to_owned();
    assert!(!html(&hostile, Language::Spanish).contains("<script"), "escaped");
}

#[test]
fn odd_figures_break_no_plot() {
    for odd in [0.0, -1.0, f64::MAX, f64::MIN_POSITIVE] {
        let mut run = story();
        for step in &mut run.sessions.as_mut().unwrap().steps {
            step.seconds = odd;
            step.fit = step.fit.map(|fit| peaje_model::Fit { sessions: odd, ..fit });
        }
        assert!(!html(&run, Language::English).contains('⟨'), "{odd}");
    }
}
