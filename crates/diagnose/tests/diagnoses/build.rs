//! Runs for the tests: one base run, and small functions that alter it. Every number that a test expects is computed by
//! hand from the numbers given here.

use std::collections::BTreeMap;

use peaje_model::{
    AddressProbe, Arrival, AuthSeen, Bound, BoundReason, BoundReasonCode, BoundVerdict, CloseMode, Counts, Dialling,
    Ended, Environment, Experiment, Fact, FactValue, FirstLogin, Interval, LatencySummary, LoginResult, LoginSettings,
    Mode, NetworkCounters, OutcomeCount, OutcomeKind, Peak, Phase, PhaseSummary, PoolSettings, PoolSummary,
    ResolveMode, Run, SCHEMA, ScramCache, Segment, Series, SeriesSettings, ServerAccount, Settings, Target, TargetKind,
    Timeline, TlsLibrary, TlsMode, TlsScope, TlsSeen, WarmUp, WhatAnswered,
};
use peaje_stats::Distribution;

/// A run of `peaje login` against PostgreSQL on this 2-core host, with these series.
pub(crate) fn run(series: impl IntoIterator<Item = Made>) -> Run {
    Run {
        schema: SCHEMA.to_owned(),
        experiment: Experiment::Login,
        target: target(),
        what_answered: Some(answered("PostgreSQL")),
        environment: environment(),
        started_at: "2026-03-01T10:00:00Z".to_owned(),
        finished_at: "2026-03-01T10:01:00Z".to_owned(),
        ended: Ended::Completed,
        settings: Settings::Login(settings()),
        facts: Vec::new(),
        gaps: Vec::new(),
        findings: Vec::new(),
        watch: None,
        check: None,
        sessions: None,
        login: Some(LoginResult {
            first_login: None,
            rtt_us: Some(50.0),
            series: series.into_iter().map(|made| made.0).collect(),
        }),
    }
}

/// A run that ended before anything was measured.
pub(crate) fn nothing() -> Run {
    Run { login: None, ..run([]) }
}

/// Alters a run.
pub(crate) fn with(mut run: Run, alter: impl FnOnce(&mut Run)) -> Run {
    alter(&mut run);
    run
}

/// Alters the results of a run.
pub(crate) fn with_login(run: Run, alter: impl FnOnce(&mut LoginResult)) -> Run {
    with(run, |run| alter(run.login.as_mut().expect("the run has results")))
}

pub(crate) fn answered(product: &str) -> WhatAnswered {
    WhatAnswered {
        product: product.to_owned(),
        version: Some("15.14".to_owned()),
        banner: None,
        reference_server: false,
        segment: Segment::Server,
        pooler: None,
    }
}

fn target() -> Target {
    Target {
        engine: "postgres".to_owned(),
        kind: TargetKind::User,
        url: "postgresql://app@127.0.0.1:5432/shop".to_owned(),
        hosts: vec!["127.0.0.1".to_owned()],
        port: Some(5432),
        database: Some("shop".to_owned()),
        user: Some("app".to_owned()),
        tls_setting: None,
        local: true,
        dialling: Dialling::InTurn,
        addresses: vec![probe("127.0.0.1:5432", OutcomeKind::Ok, 60.0)],
        resolve_us: None,
        login_timeout_s: 15.0,
    }
}

/// What dialling an address gave.
pub(crate) fn probe(address: &str, outcome: OutcomeKind, took_us: f64) -> AddressProbe {
    AddressProbe { host: "db.example".to_owned(), address: address.to_owned(), outcome, took_us }
}

/// A fact that holds a number.
pub(crate) fn fact(name: &str, value: f64) -> Fact {
    fact_of(name, FactValue::Number(value))
}

/// A fact that holds a word.
pub(crate) fn word(name: &str, value: &str) -> Fact {
    fact_of(name, FactValue::Text(value.to_owned()))
}

/// A fact that is on or off.
pub(crate) fn switch(name: &str, on: bool) -> Fact {
    fact_of(name, FactValue::Bool(on))
}

fn fact_of(name: &str, value: FactValue) -> Fact {
    Fact { name: name.to_owned(), value, unit: None, source: "pg_settings".to_owned(), at: None }
}

/// The same run on another engine, reached at an address that is not loopback.
pub(crate) fn on(engine: &str, run: Run) -> Run {
    with(run, |run| {
        engine.clone_into(&mut run.target.engine);
        run.target.hosts = vec!["db.example".to_owned()];
        run.target.addresses = vec![probe("10.0.0.1:1000", OutcomeKind::Ok, 60.0)];
        run.target.local = false;
    })
}

/// The very first login.
pub(crate) fn first_login(outcome: OutcomeKind, total_us: f64) -> FirstLogin {
    FirstLogin {
        outcome,
        total_us,
        phases_us: BTreeMap::new(),
        round_trips: 3,
        tls: None,
        certificate_ends_s: None,
        auth: None,
    }
}

fn environment() -> Environment {
    Environment {
        peaje_version: "0.1.0".to_owned(),
        kernel: "Linux 6.1".to_owned(),
        cpu: None,
        cores: 2,
        tls_library: TlsLibrary { name: "rustls".to_owned(), version: "0.23".to_owned() },
        hostname: None,
        command_line: vec!["peaje".to_owned(), "login".to_owned()],
        clock_resolution_ns: None,
        clock_cost_ns: None,
    }
}

const POOL: PoolSettings = PoolSettings { min: 0, max: 50, idle_timeout_s: None, lifetime_s: None };

fn settings() -> LoginSettings {
    LoginSettings {
        modes: vec![Mode::Unpooled],
        tls: vec![TlsMode::Off],
        tls_overrides_url: false,
        arrival: Arrival::Closed,
        concurrency: 50,
        iterations: Some(100),
        operations: None,
        duration_s: None,
        warm_up: WarmUp::None,
        slices: 1,
        threads: 2,
        source_addresses: 1,
        query: "select 1".to_owned(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: POOL,
        login_timeout_s: 15.0,
        tag: None,
        seed: 1,
        expect_rejects: false,
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
        slices: 1,
        threads: 2,
        query: "select 1".to_owned(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: (mode == Mode::Pooled).then_some(POOL),
        login_timeout_s: 15.0,
    }
}

/// A series under construction.
pub(crate) struct Made(pub(crate) Series);

/// A series of 50 workers and 5,000 operations with nothing known about it yet but its server-bound verdict.
pub(crate) fn series(mode: Mode, tls: TlsMode) -> Made {
    Made(Series {
        label: format!("{}, TLS {}", mode.name(), tls.name()),
        mode,
        tls,
        settings: series_settings(mode),
        counts: Counts { scheduled: 5000, completed: 5000, ..Counts::default() },
        logins: if mode == Mode::Unpooled { 5000 } else { 50 },
        redirected: 0,
        elapsed_s: 10.0,
        throughput_per_s: Interval { value: Some(500.0), low: None, high: None },
        peak_per_s: Peak::default(),
        latency_us: LatencySummary::default(),
        service_us: LatencySummary::default(),
        lag_us: LatencySummary::default(),
        query_us: LatencySummary::default(),
        phases_us: BTreeMap::new(),
        pool_us: None,
        rtt_us: Some(55.0),
        client_cpu_us_per_login: None,
        client_crypto_us_per_login: None,
        bound: Bound { verdict: BoundVerdict::Server, reasons: Vec::new() },
        server: None,
        outcomes: Vec::new(),
        tls_seen: Vec::new(),
        auth_seen: Vec::new(),
        timeline: Timeline::default(),
        network: NetworkCounters::default(),
        histograms: BTreeMap::new(),
    })
}

/// An unpooled series.
pub(crate) fn unpooled(tls: TlsMode) -> Made {
    series(Mode::Unpooled, tls)
}

/// A pooled series.
pub(crate) fn pooled(tls: TlsMode) -> Made {
    series(Mode::Pooled, tls)
}

impl Made {
    /// Any other change.
    pub(crate) fn edit(mut self, edit: impl FnOnce(&mut Series)) -> Self {
        edit(&mut self.0);
        self
    }

    /// Mean operation; median the same, 99th percentile twice, largest three times.
    pub(crate) fn service(self, us: f64) -> Self {
        self.edit(|s| s.service_us = spread(us))
    }

    /// The histogram of service times: half of the operations take one time, half the other, microseconds.
    pub(crate) fn times(self, one_us: u64, other_us: u64) -> Self {
        self.edit(|s| {
            let mut times = Distribution::new();
            for i in 0..s.counts.completed {
                times.record_ns(1000 * if i % 2 == 0 { one_us } else { other_us });
            }
            s.histograms.insert("service".to_owned(), times.to_base64());
        })
    }

    /// Mean query.
    pub(crate) fn query(self, us: f64) -> Self {
        self.edit(|s| s.query_us = spread(us))
    }

    /// Mean wait for the pool.
    pub(crate) fn wait(self, us: f64) -> Self {
        self.edit(|s| s.pool_us = Some(PoolSummary { wait: spread(us), ..PoolSummary::default() }))
    }

    /// Phases of a login with mean and round trips; their sum becomes the mean operation.
    pub(crate) fn phases(self, phases: &[(Phase, f64, f64)]) -> Self {
        let total: f64 = phases.iter().map(|(_, us, _)| us).sum();
        self.service(total).edit(|s| {
            s.phases_us.clear();
            for (phase, us, round_trips) in phases {
                let summary = PhaseSummary {
                    mean: Some(*us),
                    p50: Some(*us),
                    p99: Some(us * 2.0),
                    share: Some(us / total),
                    round_trips: Some(*round_trips),
                };
                s.phases_us.insert(*phase, summary);
            }
        })
    }

    /// This many logins, and as many operations.
    pub(crate) fn logins(self, n: u64) -> Self {
        self.edit(|s| {
            s.logins = n;
            s.counts = Counts { scheduled: n, completed: n, ..Counts::default() };
        })
    }

    /// One worker.
    pub(crate) fn serial(self) -> Self {
        self.edit(|s| s.settings.concurrency = 1)
    }

    /// Rate with its interval.
    pub(crate) fn rate(self, value: f64, low: f64, high: f64) -> Self {
        self.edit(|s| s.throughput_per_s = Interval { value: Some(value), low: Some(low), high: Some(high) })
    }

    /// Seconds measured.
    pub(crate) fn elapsed(self, elapsed_s: f64) -> Self {
        self.edit(|s| s.elapsed_s = elapsed_s)
    }

    /// Server CPU for each login and for each operation.
    pub(crate) fn server_cpu(self, per_login: f64, per_operation: f64) -> Self {
        self.server(None, Some(per_login), Some(per_operation))
    }

    /// The server's count of logins.
    pub(crate) fn server_logins(self, logins: u64) -> Self {
        self.server(Some(logins), None, None)
    }

    fn server(self, logins: Option<u64>, per_login: Option<f64>, per_operation: Option<f64>) -> Self {
        self.edit(|s| {
            s.server = Some(ServerAccount {
                logins,
                sampled_sessions: 10,
                sampled_encrypted: 0,
                cpu_us_per_login: per_login,
                cpu_us_per_operation: per_operation,
                cpu_percent: None,
                source: "pg_stat_database.sessions, /proc".to_owned(),
            });
        })
    }

    /// Client CPU and its cryptography for each login.
    pub(crate) fn client_cpu(self, all_us: f64, crypto_us: f64) -> Self {
        self.edit(|s| {
            s.client_cpu_us_per_login = Some(all_us);
            s.client_crypto_us_per_login = Some(crypto_us);
        })
    }

    /// TLS of `count` logins.
    pub(crate) fn tls(self, server_key: Option<&str>, resumed: bool, count: u64) -> Self {
        let server_key = server_key.map(str::to_owned);
        self.edit(|s| {
            s.tls_seen.push(TlsSeen {
                version: "TLSv1.3".to_owned(),
                cipher: "TLS13_AES_256_GCM_SHA384".to_owned(),
                key_exchange: Some("X25519".to_owned()),
                server_key,
                resumed,
                scope: TlsScope::Session,
                count,
            });
        })
    }

    /// Authentication of `count` logins.
    pub(crate) fn auth(self, method: &str, iterations: Option<u32>, cached: bool, count: u64) -> Self {
        let method = method.to_owned();
        self.edit(|s| s.auth_seen.push(AuthSeen { method, iterations, cached, count }))
    }

    /// What limited the rate, and the signs (code, value, limit).
    pub(crate) fn bound(self, verdict: BoundVerdict, reasons: &[(BoundReasonCode, f64, f64)]) -> Self {
        let reason = |(code, value, limit): &(BoundReasonCode, f64, f64)| BoundReason {
            code: *code,
            value: *value,
            limit: *limit,
        };
        let reasons = reasons.iter().map(reason).collect();
        self.edit(|s| s.bound = Bound { verdict, reasons })
    }

    /// Failed operations.
    pub(crate) fn failed(self, kind: OutcomeKind, code: Option<&str>, count: u64) -> Self {
        let code = code.map(str::to_owned);
        self.edit(|s| {
            s.counts.failed += count;
            s.counts.scheduled += count;
            s.outcomes.push(OutcomeCount { kind, code, count, message: None, latency_us: LatencySummary::default() });
        })
    }
}

/// A summary with this mean: median the same, 99th percentile twice, largest three times.
pub(crate) fn spread(us: f64) -> LatencySummary {
    LatencySummary {
        mean: Some(us),
        p50: Some(us),
        p90: Some(us * 1.5),
        p99: Some(us * 2.0),
        p999: None,
        max: Some(us * 3.0),
    }
}
