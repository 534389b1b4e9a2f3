//! Sample runs for the tests: made up, but every figure agrees with the others.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "each test file uses its own part of the samples, and reads golden files"
)]

use std::collections::BTreeMap;

use peaje_model::{
    AddressProbe, Arrival, AuthSeen, Bound, BoundReason, BoundReasonCode, BoundVerdict, CloseMode, Counts, Dialling,
    Ended, Environment, Evidence, Experiment, Fact, FactValue, Finding, FirstLogin, Gap, Interval, LatencySummary,
    LoginResult, LoginSettings, Mode, NetworkCounters, OutcomeCount, OutcomeKind, Param, Peak, Phase, PhaseSummary,
    PoolSettings, PoolSummary, ResolveMode, Run, SCHEMA, ScramCache, Segment, Series, SeriesSettings, ServerAccount,
    Settings, Severity, Target, TargetKind, Timeline, TlsLibrary, TlsMode, TlsScope, TlsSeen, Verdict, WarmUp,
    WhatAnswered,
};
use peaje_report::{Language, Styling, TextOptions, text};
use peaje_stats::Distribution;

/// A run against somebody's PostgreSQL: unpooled and pooled, TLS off and full, closed loop.
pub fn sample() -> Run {
    let series = vec![
        unpooled(TlsMode::Off, &OFF, 12.4),
        unpooled(TlsMode::Full, &FULL, 17.6),
        pooled(TlsMode::Off, 52.0),
        pooled(TlsMode::Full, 55.0),
    ];
    run(TargetKind::User, series)
}

/// The same, stopped by hand: some operations in flight, some failed.
pub fn interrupted() -> Run {
    let mut run = sample();
    run.ended = Ended::Interrupted;
    let series = &mut run.login.as_mut().unwrap().series;
    series.truncate(1);
    let first = &mut series[0];
    first.counts = Counts { scheduled: 5_000, completed: 3_200, failed: 12, skipped: 1_738, in_flight: 50 };
    first.outcomes = vec![
        outcome(OutcomeKind::Ok, None, 3_200, None),
        outcome(OutcomeKind::ServerFull, Some("53300"), 11, Some("sorry, too many clients already")),
        outcome(OutcomeKind::Reset, None, 1, None),
        outcome(OutcomeKind::Aborted, None, 50, None),
    ];
    run.findings.clear();
    run
}

/// The reference server gave nothing: every figure is null.
pub fn empty() -> Run {
    let mut run = run(TargetKind::Embedded, vec![unpooled(TlsMode::Off, &OFF, 12.4)]);
    run.ended = Ended::Stopped { rule: "rejected".into(), message: "password authentication failed for user".into() };
    run.findings = vec![finding("tls-multiplies-login", Verdict::CannotSay, "not-measured", [])];
    run.facts.clear();
    let login = run.login.as_mut().unwrap();
    login.rtt_us = None;
    login.first_login = Some(FirstLogin {
        outcome: OutcomeKind::Rejected,
        total_us: 4_200.0,
        phases_us: BTreeMap::new(),
        round_trips: 2,
        tls: None,
        certificate_ends_s: None,
        auth: None,
    });
    let s = &mut login.series[0];
    s.counts = Counts::default();
    s.logins = 0;
    s.elapsed_s = 0.0;
    s.throughput_per_s = Interval::default();
    s.peak_per_s.value = None;
    s.latency_us = LatencySummary::default();
    s.service_us = LatencySummary::default();
    s.lag_us = LatencySummary::default();
    s.query_us = LatencySummary::default();
    s.phases_us = Phase::ALL.into_iter().map(|phase| (phase, PhaseSummary::default())).collect();
    s.rtt_us = None;
    s.client_cpu_us_per_login = None;
    s.client_crypto_us_per_login = None;
    s.bound = Bound { verdict: BoundVerdict::Undecided, reasons: vec![reason(BoundReasonCode::TooShort, 0.0, 1.0)] };
    s.server = None;
    s.outcomes.clear();
    s.tls_seen.clear();
    s.auth_seen.clear();
    s.timeline = Timeline { tick_s: 0.1, ..Timeline::default() };
    s.histograms.clear();
    run
}

/// An open loop at twice the capacity of a throwaway server, far away by the looks of its round trips.
pub fn open_loop() -> Run {
    let mut series = unpooled(TlsMode::Off, &OFF, 10.0);
    let arrival = Arrival::Poisson { rate_per_s: 800.0 };
    series.settings.arrival = arrival;
    series.settings.duration_s = Some(10.0);
    series.settings.iterations = None;
    series.counts = Counts { scheduled: 8_000, completed: 4_030, failed: 0, skipped: 3_970, in_flight: 0 };
    series.logins = 4_030;
    series.throughput_per_s = Interval { value: Some(403.0), low: Some(398.0), high: Some(408.0) };
    series.latency_us = latency(4_200_000.0);
    series.lag_us = latency(4_080_000.0);
    series.histograms.insert("latency".into(), histogram(4_200_000.0, 4_030));
    series.bound.verdict = BoundVerdict::Generator;
    series.bound.reasons =
        vec![reason(BoundReasonCode::Lag, 4_080_000.0, 10_000.0), reason(BoundReasonCode::ClientCpu, 0.97, 0.9)];
    let mut run = run(TargetKind::Throwaway, vec![series]);
    let Settings::Login(settings) = &mut run.settings else { unreachable!("a run of logins") };
    settings.arrival = arrival;
    settings.iterations = None;
    settings.duration_s = Some(10.0);
    settings.modes = vec![Mode::Unpooled];
    settings.tls = vec![TlsMode::Off];
    settings.tls_overrides_url = false;
    run.findings = vec![finding(
        "late-starts",
        Verdict::Found,
        "overload",
        [
            ("series", Param::Text("unpooled, TLS off".into())),
            ("lag_p99_us", Param::Us(8_000_000.0)),
            ("offered_per_s", Param::PerS(800.0)),
            ("throughput_per_s", Param::PerS(403.0)),
            ("throughput_share", Param::Share(0.504)),
            ("latency_p99_us", Param::Us(8_200_000.0)),
            ("service_p99_us", Param::Us(248_000.0)),
            ("skipped", Param::Count(3_970)),
            ("rate_bound", Param::Text("lower-bound".into())),
        ],
    )];
    run
}

type Means = [(Phase, f64, f64)];

/// Mean of each phase in microseconds, and its round trips.
const OFF: [(Phase, f64, f64); 5] = [
    (Phase::Connect, 1_300.0, 1.0),
    (Phase::Authenticate, 108_000.0, 3.0),
    (Phase::Session, 1_000.0, 0.0),
    (Phase::FirstQuery, 2_100.0, 1.0),
    (Phase::Close, 10_600.0, 1.0),
];

const FULL: [(Phase, f64, f64); 7] = [
    (Phase::Connect, 1_400.0, 1.0),
    (Phase::Negotiate, 16_000.0, 1.0),
    (Phase::Tls, 52_000.0, 1.0),
    (Phase::Authenticate, 96_000.0, 3.0),
    (Phase::Session, 1_000.0, 0.0),
    (Phase::FirstQuery, 2_200.0, 1.0),
    (Phase::Close, 6_400.0, 1.0),
];

fn unpooled(tls: TlsMode, means: &Means, elapsed_s: f64) -> Series {
    let total: f64 = means.iter().map(|(_, mean, _)| mean).sum();
    let phase = |(phase, mean, trips): &(Phase, f64, f64)| {
        let (p50, p99) = (Some(mean * 0.9), Some(mean * 2.0));
        (*phase, PhaseSummary { mean: Some(*mean), p50, p99, share: Some(mean / total), round_trips: Some(*trips) })
    };
    let encrypted = if tls == TlsMode::Off { 0 } else { 400 };
    Series {
        phases_us: means.iter().map(phase).collect(),
        tls_seen: if tls == TlsMode::Off { Vec::new() } else { vec![tls_seen(5_000)] },
        server: Some(ServerAccount {
            logins: Some(5_000),
            sampled_sessions: 400,
            sampled_encrypted: encrypted,
            cpu_us_per_login: Some(if tls == TlsMode::Off { 3_470.0 } else { 5_600.0 }),
            cpu_us_per_operation: Some(if tls == TlsMode::Off { 3_470.0 } else { 5_600.0 }),
            cpu_percent: Some(140.0),
            source: "pg_stat_database.sessions, pg_stat_ssl, /proc".into(),
        }),
        ..series(Mode::Unpooled, tls, 5_000, 5_000, elapsed_s, total)
    }
}

fn pooled(tls: TlsMode, mean: f64) -> Series {
    let tenth = |part: f64| latency(mean * part);
    Series {
        pool_us: Some(PoolSummary { wait: tenth(0.1), query: tenth(0.85), give_back: tenth(0.05) }),
        server: Some(ServerAccount {
            logins: Some(50),
            sampled_sessions: 100,
            sampled_encrypted: if tls == TlsMode::Off { 0 } else { 100 },
            cpu_us_per_login: None,
            cpu_us_per_operation: Some(if tls == TlsMode::Off { 50.0 } else { 55.0 }),
            cpu_percent: Some(60.0),
            source: "pg_stat_database.sessions, pg_stat_ssl, /proc".into(),
        }),
        bound: Bound { verdict: BoundVerdict::Generator, reasons: vec![reason(BoundReasonCode::ClientCpu, 0.97, 0.9)] },
        tls_seen: if tls == TlsMode::Off { Vec::new() } else { vec![tls_seen(50)] },
        ..series(Mode::Pooled, tls, 5_000, 50, 0.42, mean)
    }
}

fn series(mode: Mode, tls: TlsMode, operations: u64, logins: u64, elapsed_s: f64, mean_us: f64) -> Series {
    let rate = operations as f64 / elapsed_s;
    Series {
        label: format!("{}, TLS {}", mode.name(), tls.name()),
        mode,
        tls,
        settings: series_settings(mode),
        counts: Counts { scheduled: operations, completed: operations, ..Counts::default() },
        logins,
        redirected: 0,
        elapsed_s,
        throughput_per_s: Interval { value: Some(rate), low: Some(rate * 0.98), high: Some(rate * 1.02) },
        peak_per_s: Peak { value: Some(rate * 1.12), window_s: if elapsed_s < 2.0 { 0.1 } else { 1.0 } },
        latency_us: latency(mean_us),
        service_us: latency(mean_us),
        lag_us: latency(12.0),
        query_us: latency(if mode == Mode::Unpooled { 2_100.0 } else { mean_us * 0.85 }),
        phases_us: BTreeMap::new(),
        pool_us: None,
        rtt_us: Some(620.0),
        client_cpu_us_per_login: (mode == Mode::Unpooled).then_some(210.0),
        client_crypto_us_per_login: (tls != TlsMode::Off && mode == Mode::Unpooled).then_some(150.0),
        bound: Bound {
            verdict: BoundVerdict::Server,
            reasons: vec![
                reason(BoundReasonCode::ServerShareOfMachine, 0.71, 0.6),
                reason(BoundReasonCode::ClientCpu, 0.09, 0.9),
            ],
        },
        server: None,
        outcomes: vec![outcome(OutcomeKind::Ok, None, operations, None)],
        tls_seen: Vec::new(),
        auth_seen: vec![AuthSeen {
            method: "scram-sha-256".into(),
            iterations: Some(4_096),
            cached: false,
            count: logins,
        }],
        timeline: timeline(operations, elapsed_s),
        network: NetworkCounters { listen_overflows: Some(0), retransmits: Some(3), ..NetworkCounters::default() },
        histograms: BTreeMap::from([
            ("latency".to_owned(), histogram(mean_us, operations)),
            ("service".to_owned(), histogram(mean_us, operations)),
        ]),
    }
}

fn tls_seen(count: u64) -> TlsSeen {
    TlsSeen {
        version: "TLSv1.3".into(),
        cipher: "TLS_AES_256_GCM_SHA384".into(),
        key_exchange: Some("X25519".into()),
        server_key: Some("RSA-2048".into()),
        resumed: false,
        scope: TlsScope::Session,
        count,
    }
}

fn series_settings(mode: Mode) -> SeriesSettings {
    SeriesSettings {
        arrival: Arrival::Closed,
        concurrency: 50,
        iterations: Some(100),
        operations: None,
        duration_s: None,
        warm_up: WarmUp::None,
        slices: 4,
        threads: 2,
        query: "select 1".into(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: (mode == Mode::Pooled).then_some(POOL),
        login_timeout_s: 15.0,
    }
}

const POOL: PoolSettings = PoolSettings { min: 0, max: 50, idle_timeout_s: Some(60.0), lifetime_s: None };

/// A latency summary with a tail, all from one mean.
pub fn latency(mean: f64) -> LatencySummary {
    LatencySummary {
        mean: Some(mean),
        p50: Some(mean * 0.95),
        p90: Some(mean * 1.4),
        p99: Some(mean * 2.02),
        p999: Some(mean * 2.6),
        max: Some(mean * 3.1),
    }
}

/// A skewed histogram: many near the mean, a tail to three times it.
pub fn histogram(mean_us: f64, n: u64) -> String {
    let mut values = Distribution::new();
    for i in 0..n {
        let along = i as f64 / n as f64;
        let factor = 0.55 + 0.7 * along + 0.25 * -(1.0 - along).ln().max(-9.0);
        values.record_ns((mean_us * factor * 1_000.0) as u64);
    }
    values.to_base64()
}

fn timeline(operations: u64, elapsed_s: f64) -> Timeline {
    let ticks = ((elapsed_s / 0.1).round() as u64).max(2);
    let wave = |i: u64| 1.0 + 0.1 * ((i as f64) * 0.7).sin();
    Timeline {
        tick_s: elapsed_s / ticks as f64,
        completed: (0..ticks).map(|i| (operations as f64 / ticks as f64 * wave(i)) as u64).collect(),
        failed: vec![0; ticks as usize],
        in_flight: (0..ticks).map(|i| 50 - i % 3).collect(),
    }
}

pub fn outcome(kind: OutcomeKind, code: Option<&str>, count: u64, message: Option<&str>) -> OutcomeCount {
    let latency_us = LatencySummary::default();
    OutcomeCount { kind, code: code.map(str::to_owned), count, message: message.map(str::to_owned), latency_us }
}

fn reason(code: BoundReasonCode, value: f64, limit: f64) -> BoundReason {
    BoundReason { code, value, limit }
}

pub fn finding<const N: usize>(code: &str, verdict: Verdict, variant: &str, params: [(&str, Param); N]) -> Finding {
    let mut params: BTreeMap<String, Param> = params.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
    params.insert("variant".into(), Param::Text(variant.into()));
    let severity = if verdict == Verdict::Found { Severity::Warning } else { Severity::Info };
    let evidence = vec![Evidence { path: "/login/series/1/latency_us/mean".into(), value: Param::Us(175_000.0) }];
    Finding { code: code.into(), verdict, severity, params, evidence }
}

fn findings() -> Vec<Finding> {
    let text = |t: &str| Param::Text(t.into());
    vec![
        finding(
            "tls-multiplies-login",
            Verdict::Found,
            "pair",
            [
                ("series_off", text("unpooled, TLS off")),
                ("series_tls", text("unpooled, TLS full")),
                ("logins", Param::Count(5_000)),
                ("ratio", Param::Ratio(1.42)),
                ("off_us", Param::Us(123_000.0)),
                ("tls_us", Param::Us(175_000.0)),
                ("extra_us", Param::Us(52_000.0)),
                ("off_per_s", Param::PerS(403.2)),
                ("tls_per_s", Param::PerS(284.1)),
                ("rate_bound", text("measured")),
                ("off_cpu_us", Param::Us(3_470.0)),
                ("tls_cpu_us", Param::Us(5_600.0)),
                ("cpu_ratio", Param::Ratio(1.61)),
                ("pooled_ratio", Param::Ratio(1.06)),
                ("pooled_off_us", Param::Us(52.0)),
                ("pooled_tls_us", Param::Us(55.0)),
            ],
        ),
        finding(
            "pooling-pays",
            Verdict::Found,
            "cpu",
            [
                ("series_unpooled", text("unpooled, TLS off")),
                ("series_pooled", text("pooled, TLS off")),
                ("operations", Param::Count(5_000)),
                ("ratio", Param::Ratio(2_365.0)),
                ("unpooled_us", Param::Us(123_000.0)),
                ("pooled_us", Param::Us(52.0)),
                ("wall_saved_us", Param::Us(122_948.0)),
                ("overhead_us", Param::Us(3_420.0)),
                ("query_us", Param::Us(50.0)),
                ("break_even_queries", Param::Count(1_368)),
                ("target_share", Param::Share(0.05)),
                ("cpu_s_per_1000", Param::CpuS(3.42)),
                ("login_cores", Param::Cores(1.4)),
                ("cores", Param::Count(2)),
                ("rate_bound", text("lower-bound")),
            ],
        ),
        finding("dead-address", Verdict::Healthy, "all-answered", [("addresses", Param::Count(1))]),
        finding("server-full", Verdict::Healthy, "room", [("attempts", Param::Count(10_050))]),
        finding("serial-client", Verdict::CannotSay, "not-measured", []),
    ]
}

fn run(kind: TargetKind, series: Vec<Series>) -> Run {
    let reference = kind == TargetKind::Embedded;
    Run {
        schema: SCHEMA.into(),
        experiment: Experiment::Login,
        target: target(kind),
        what_answered: Some(WhatAnswered {
            product: if reference { "peaje reference server" } else { "PostgreSQL" }.into(),
            version: Some(if reference { "0.1.0" } else { "15.14" }.into()),
            banner: None,
            reference_server: reference,
            segment: Segment::Server,
            pooler: None,
        }),
        environment: environment(),
        started_at: "2026-11-30T14:00:00Z".into(),
        finished_at: "2026-11-30T14:00:31Z".into(),
        ended: Ended::Completed,
        settings: Settings::Login(settings()),
        facts: vec![
            fact("max_connections", FactValue::Number(100.0), None),
            fact("ssl", FactValue::Bool(true), None),
            fact("password_encryption", FactValue::Text("scram-sha-256".into()), None),
            fact("authentication_timeout", FactValue::Number(60.0), Some("s")),
        ],
        gaps: vec![Gap {
            what: "pg_stat_activity of other roles".into(),
            why: "permission denied.".into(),
            next_step: Some("grant pg_read_all_stats to bench".into()),
        }],
        findings: findings(),
        watch: None,
        check: None,
        sessions: None,
        login: Some(LoginResult { first_login: Some(first_login()), rtt_us: Some(620.0), series }),
    }
}

fn fact(name: &str, value: FactValue, unit: Option<&str>) -> Fact {
    Fact { name: name.into(), value, unit: unit.map(str::to_owned), source: "pg_settings".into(), at: None }
}

fn first_login() -> FirstLogin {
    FirstLogin {
        outcome: OutcomeKind::Ok,
        total_us: 12_300.0,
        phases_us: BTreeMap::from([
            (Phase::Connect, 700.0),
            (Phase::Authenticate, 10_400.0),
            (Phase::Session, 100.0),
            (Phase::FirstQuery, 900.0),
            (Phase::Close, 200.0),
        ]),
        round_trips: 6,
        tls: None,
        certificate_ends_s: None,
        auth: None,
    }
}

fn target(kind: TargetKind) -> Target {
    Target {
        engine: "postgres".into(),
        kind,
        url: "postgresql://bench@db.example.com:5432/app".into(),
        hosts: vec!["db.example.com".into()],
        port: Some(5432),
        database: Some("app".into()),
        user: Some("bench".into()),
        tls_setting: Some("prefer".into()),
        local: true,
        dialling: Dialling::InTurn,
        addresses: vec![AddressProbe {
            host: "db.example.com".into(),
            address: "192.0.2.7:5432".into(),
            outcome: OutcomeKind::Ok,
            took_us: 640.0,
        }],
        resolve_us: Some(410.0),
        login_timeout_s: 15.0,
    }
}

fn environment() -> Environment {
    Environment {
        peaje_version: "0.1.0".into(),
        kernel: "Linux 6.1.0".into(),
        cpu: Some("Example CPU @ 2.5 GHz".into()),
        cores: 2,
        tls_library: TlsLibrary { name: "rustls (aws-lc-rs)".into(), version: "0.23".into() },
        hostname: Some("load1".into()),
        command_line: vec!["peaje".into(), "login".into(), "postgresql://bench@db.example.com/app".into()],
        clock_resolution_ns: Some(31.0),
        clock_cost_ns: Some(27.5),
    }
}

fn settings() -> LoginSettings {
    LoginSettings {
        modes: vec![Mode::Unpooled, Mode::Pooled],
        tls: vec![TlsMode::Off, TlsMode::Full],
        tls_overrides_url: true,
        arrival: Arrival::Closed,
        concurrency: 50,
        iterations: Some(100),
        operations: None,
        duration_s: None,
        warm_up: WarmUp::None,
        slices: 4,
        threads: 2,
        source_addresses: 1,
        query: "select 1".into(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: POOL,
        login_timeout_s: 15.0,
        tag: Some("CHG0012345".into()),
        seed: 1,
        expect_rejects: false,
    }
}

/// The text of a run, held against a golden file; with `PEAJE_BLESS=1` it becomes the golden file.
pub fn golden(name: &str, run: &Run, language: Language, width: usize) -> String {
    let said = text(run, &TextOptions { language, styling: Styling::Plain, width });
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(&path, &said).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert!(said == wanted, "{name} differs; said:\n{said}\nwanted:\n{wanted}");
    assert!(!said.contains('⟨') && !said.contains("NaN"), "{name}: {said}");
    assert!(said.lines().all(|line| line == line.trim_end()), "{name}: trailing spaces");
    said
}
