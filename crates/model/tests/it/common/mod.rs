//! A run in which every field is filled, with names that are easy to search for.

use std::collections::BTreeMap;
use std::time::Duration;

use peaje_model::*;
use peaje_stats::{Distribution, rate_interval};

/// The run.
pub(crate) fn sample_run() -> Run {
    Run {
        schema: SCHEMA.to_owned(),
        experiment: Experiment::Login,
        target: target(),
        what_answered: Some(WhatAnswered {
            product: "PostgreSQL".to_owned(),
            version: Some("15.4".to_owned()),
            banner: Some("PostgreSQL 15.4 (Debian 15.4-1.pgdg120+1) on x86_64-pc-linux-gnu, 64-bit".to_owned()),
            reference_server: false,
            segment: Segment::Pooler,
            pooler: Some("Pgpool-II 4.5.0".to_owned()),
        }),
        environment: environment(),
        started_at: "2026-01-02T03:04:05Z".to_owned(),
        finished_at: "2026-01-02T03:04:45Z".to_owned(),
        ended: Ended::Stopped {
            rule: "rejected".to_owned(),
            message: "password authentication failed for user \"acme_app\" at orders-db7 (10.20.30.40:5432)".to_owned(),
        },
        settings: Settings::Login(settings()),
        facts: facts(),
        gaps: vec![Gap {
            what: "CPU of the server at orders-db7.prod.corp.example".to_owned(),
            why: "permission denied for database \"ledger\": cannot read /srv/acme/pg 15/postmaster.pid, /proc/77/stat"
                .to_owned(),
            next_step: Some("grant pg_monitor to acme_app".to_owned()),
        }],
        findings: vec![finding()],
        watch: None,
        check: Some(check()),
        sessions: None,
        login: Some(LoginResult {
            first_login: Some(first_login()),
            rtt_us: Some(510.5),
            series: vec![series("unpooled, TLS off", Mode::Unpooled), series("pooled, TLS off", Mode::Pooled)],
        }),
    }
}

/// What a check saw of an application and its host.
fn check() -> CheckResult {
    let group = |application: &str, host: &str| ApplicationSessions {
        application: application.to_owned(),
        host: host.to_owned(),
        users: vec!["acme_app".to_owned()],
        sessions: 4,
        active: 1,
        idle_in_transaction: 0,
        longest_in_transaction_s: None,
        never_used: Some(1),
        encrypted: Some(2),
        oldest_s: 90.5,
        youngest_s: 1.5,
    };
    CheckResult {
        sessions: Some(8),
        room: Some(SessionRoom { limit: 100, in_use: 8, reserved: 3 }),
        applications: Some(vec![
            group("Acme-Billing", "app-host-3.prod.corp.example"),
            group("acme_app", "10.20.30.41"),
        ]),
        ..CheckResult::default()
    }
}

fn target() -> Target {
    let probe = |host: &str, address: &str, outcome| AddressProbe {
        host: host.to_owned(),
        address: address.to_owned(),
        outcome,
        took_us: 480.25,
    };
    Target {
        engine: "postgres".to_owned(),
        kind: TargetKind::User,
        url: "postgresql://acme_app@orders-db7.prod.corp.example:5432,[2001:db8::40]:5433,%2Frun%2Facme/ledger?\
              sslmode=verify-full&sslrootcert=/home/mgarcia/acme%20root.pem&target_session_attrs=any"
            .to_owned(),
        hosts: ["orders-db7.prod.corp.example", "2001:db8::40", "/run/acme", "localhost"].map(str::to_owned).to_vec(),
        port: Some(5432),
        database: Some("ledger".to_owned()),
        user: Some("acme_app".to_owned()),
        tls_setting: Some("verify-full".to_owned()),
        local: false,
        dialling: Dialling::InTurn,
        addresses: vec![
            probe("orders-db7.prod.corp.example", "10.20.30.40:5432", OutcomeKind::Ok),
            probe("orders-db7.prod.corp.example", "10.20.30.41:5432", OutcomeKind::TimedOut),
            probe("2001:db8::40", "[2001:db8::40]:5433", OutcomeKind::Refused),
            probe("/run/acme", "/run/acme/.s.PGSQL.5432", OutcomeKind::Ok),
            probe("localhost", "127.0.0.1:5432", OutcomeKind::Ok),
        ],
        resolve_us: Some(1200.0),
        login_timeout_s: 15.0,
    }
}

fn environment() -> Environment {
    Environment {
        peaje_version: "0.1.0".to_owned(),
        kernel: "Linux 6.1.0 x86_64".to_owned(),
        cpu: Some("Some CPU @ 2.00GHz".to_owned()),
        cores: 2,
        tls_library: TlsLibrary { name: "rustls with aws-lc-rs".to_owned(), version: "0.23.1".to_owned() },
        hostname: Some("dba-laptop.office.corp.example".to_owned()),
        command_line: [
            "/home/mgarcia/bin/peaje",
            "login",
            "postgresql://acme_app@orders-db7.prod.corp.example/ledger",
            "host=orders-db8 user=acme_app dbname=ledger",
            "--tag",
            "CHG0012345",
            "--json=acme-run.json",
            "--csv",
            "C:\\Acme\\runs\\one.csv",
        ]
        .map(str::to_owned)
        .to_vec(),
        clock_resolution_ns: Some(1.0),
        clock_cost_ns: Some(25.5),
    }
}

fn pool() -> PoolSettings {
    PoolSettings { min: 0, max: 50, idle_timeout_s: Some(60.0), lifetime_s: None }
}

fn settings() -> LoginSettings {
    LoginSettings {
        modes: vec![Mode::Unpooled, Mode::Pooled],
        tls: vec![TlsMode::Off],
        tls_overrides_url: true,
        arrival: Arrival::Burst { rate_per_s: 100.0, size: 10 },
        concurrency: 50,
        iterations: Some(100),
        operations: None,
        duration_s: None,
        warm_up: WarmUp::Stationary { limit_s: 10.0 },
        slices: 4,
        threads: 2,
        source_addresses: 1,
        query: "select 1".to_owned(),
        close: CloseMode::Polite,
        scram_cache: ScramCache::Off,
        resolve: ResolveMode::Each,
        pool: pool(),
        login_timeout_s: 15.0,
        tag: Some("CHG0012345".to_owned()),
        seed: 42,
        expect_rejects: false,
    }
}

fn facts() -> Vec<Fact> {
    let fact = |name: &str, value, unit: Option<&str>| Fact {
        name: name.to_owned(),
        value,
        unit: unit.map(str::to_owned),
        source: "pg_settings".to_owned(),
        at: Some("2026-01-02T03:04:06Z".to_owned()),
    };
    let text = |value: &str| FactValue::Text(value.to_owned());
    vec![
        fact("max_connections", FactValue::Number(100.0), Some("sessions")),
        fact("ssl", FactValue::Bool(true), None),
        fact("data_directory", text("/srv/acme/pg15"), None),
        fact("listen_addresses", text("10.20.30.40, 127.0.0.1"), None),
        fact("application_name", text("peaje CHG0012345"), None),
        fact("certificate names", text("\"orders-db7.prod.corp.example\" or \"standby.prod.corp.example\""), None),
    ]
}

fn finding() -> Finding {
    let text = |value: &str| Param::Text(value.to_owned());
    let params = [
        ("variant", text("two-addresses")),
        ("host", text("orders-db7.prod.corp.example")),
        ("address", text("10.20.30.41:5432")),
        ("series", text("unpooled, TLS off")),
        ("lost", Param::Us(15_000_000.0)),
        ("share", Param::Share(0.5)),
        ("count", Param::Count(2)),
    ];
    Finding {
        code: "dead-address".to_owned(),
        verdict: Verdict::Found,
        severity: Severity::Warning,
        params: params.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        evidence: vec![Evidence { path: "/target/addresses/1/address".to_owned(), value: text("10.20.30.41:5432") }],
    }
}

fn tls_seen() -> TlsSeen {
    TlsSeen {
        version: "TLSv1.3".to_owned(),
        cipher: "TLS13_AES_256_GCM_SHA384".to_owned(),
        key_exchange: Some("X25519".to_owned()),
        server_key: Some("RSA-2048".to_owned()),
        resumed: false,
        scope: TlsScope::Session,
        count: 1,
    }
}

fn auth_seen() -> AuthSeen {
    AuthSeen { method: "scram-sha-256".to_owned(), iterations: Some(4096), cached: false, count: 1 }
}

fn first_login() -> FirstLogin {
    FirstLogin {
        outcome: OutcomeKind::Ok,
        total_us: 9000.5,
        phases_us: BTreeMap::from([(Phase::Connect, 500.5), (Phase::FirstQuery, 8500.0)]),
        round_trips: 5,
        tls: Some(tls_seen()),
        certificate_ends_s: Some(1_800_000_000),
        auth: Some(auth_seen()),
    }
}

fn distribution() -> Distribution {
    let mut distribution = Distribution::new();
    (1..=1000).for_each(|us| distribution.record(Duration::from_micros(us)));
    distribution
}

fn series(label: &str, mode: Mode) -> Series {
    let settings = settings();
    let times = distribution();
    let summary = LatencySummary::from(&times);
    let phase = phase_summary(&times, times.sum_ns() * 2, times.count());
    let ticks = [10, 12, 11, 9, 10, 11, 12, 10, 9, 11];
    Series {
        label: label.to_owned(),
        mode,
        tls: TlsMode::Off,
        settings: SeriesSettings {
            arrival: Arrival::Closed,
            concurrency: settings.concurrency,
            iterations: settings.iterations,
            operations: None,
            duration_s: None,
            warm_up: WarmUp::Fixed { duration_s: 1.0 },
            slices: settings.slices,
            threads: settings.threads,
            query: settings.query,
            close: settings.close,
            scram_cache: settings.scram_cache,
            resolve: settings.resolve,
            pool: (mode == Mode::Pooled).then(pool),
            login_timeout_s: settings.login_timeout_s,
        },
        counts: Counts { scheduled: 1010, completed: 1000, failed: 5, skipped: 3, in_flight: 2 },
        logins: 1000,
        redirected: 0,
        elapsed_s: 1.0,
        throughput_per_s: rate_interval(&ticks, 0.1).into(),
        peak_per_s: Peak { value: Some(120.0), window_s: 0.1 },
        latency_us: summary,
        service_us: summary,
        lag_us: summary,
        query_us: summary,
        phases_us: BTreeMap::from([(Phase::Connect, phase), (Phase::Close, phase)]),
        pool_us: (mode == Mode::Pooled).then_some(PoolSummary { wait: summary, query: summary, give_back: summary }),
        rtt_us: Some(510.5),
        client_cpu_us_per_login: Some(150.0),
        client_crypto_us_per_login: None,
        bound: Bound {
            verdict: BoundVerdict::Server,
            reasons: vec![BoundReason { code: BoundReasonCode::ClientCpu, value: 0.2, limit: 0.8 }],
        },
        server: Some(ServerAccount {
            logins: Some(1000),
            sampled_sessions: 12,
            sampled_encrypted: 0,
            cpu_us_per_login: None,
            cpu_us_per_operation: None,
            cpu_percent: None,
            source: "pg_stat_database.sessions, pg_stat_ssl, /proc".to_owned(),
        }),
        outcomes: vec![
            OutcomeCount {
                kind: OutcomeKind::Ok,
                code: None,
                count: 1000,
                message: None,
                latency_us: summary,
            },
            OutcomeCount {
                kind: OutcomeKind::Rejected,
                code: Some("28000".to_owned()),
                count: 5,
                message: Some(
                    "no pg_hba.conf entry for host \"192.0.2.77\", user \"acme_app\", database \"ledger\", no encryption"
                        .to_owned(),
                ),
                latency_us: summary,
            },
        ],
        tls_seen: vec![tls_seen()],
        auth_seen: vec![auth_seen()],
        timeline: Timeline {
            tick_s: 0.1,
            completed: ticks.to_vec(),
            failed: vec![0; ticks.len()],
            in_flight: vec![50; ticks.len()],
        },
        network: NetworkCounters { time_wait: Some(3), ..NetworkCounters::default() },
        histograms: BTreeMap::from([("latency".to_owned(), times.to_base64())]),
    }
}
