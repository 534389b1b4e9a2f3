//! What qualifies the measurement itself: the generator, late starts, disagreeing counts, resumption that was asked for.

use peaje_model::{
    Arrival, BoundReasonCode, BoundVerdict, LatencySummary, OutcomeKind, Param, Run, Segment, TlsMode, WhatAnswered,
};

use crate::Expect::{CannotSay, Healthy, Info, Warning};
use crate::build::{Made, answered, nothing, run, unpooled, with};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [generator(), late(), counts(), resumption()].into_iter().flatten().collect()
}

fn generator() -> Vec<Case> {
    use BoundReasonCode::{
        ClientCpu, Lag, NoLocalPort, RunQueueDelay, ServerGone, ServerShareOfMachine, TooShort, Waiting,
    };
    const CODE: &str = "generator-bound";
    let bound = |verdict, reasons: &[(BoundReasonCode, f64, f64)]| unpooled(TlsMode::Off).bound(verdict, reasons);
    let limits = |reasons: &[(BoundReasonCode, f64, f64)]| bound(BoundVerdict::Generator, reasons);
    let unsaturated = || bound(BoundVerdict::Undecided, &[(Waiting, 99.0, 100.0), (Lag, 800.0, 0.0)]);
    let scheduled = || unsaturated().edit(|s| s.settings.arrival = Arrival::Poisson { rate_per_s: 100.0 });
    vec![
        // 1.9 times the limit of the run queue weighs more than 1.1 times the limit of the CPU
        case(
            CODE,
            Warning,
            "run-queue-delay",
            run([unpooled(TlsMode::Full), limits(&[(ClientCpu, 0.99, 0.9), (RunQueueDelay, 0.38, 0.2)])]),
        )
        .text("series", "unpooled, TLS off")
        .text("reasons", "client-cpu, run-queue-delay")
        .count("series_count", 1)
        .count("all_count", 2)
        .share("value", 0.38)
        .share("limit", 0.2)
        .per_s("rate_per_s", 500.0),
        case(CODE, Warning, "client-cpu", run([limits(&[(ServerShareOfMachine, 0.99, 0.1), (ClientCpu, 0.97, 0.9)])]))
            .share("value", 0.97),
        case(CODE, Warning, "lag", run([limits(&[(Lag, 9000.0, 1000.0)])])).us("value", 9000.0),
        case(CODE, Warning, "no-local-port", run([limits(&[(NoLocalPort, 12.0, 0.0)])])).count("value", 12),
        case(
            CODE,
            Warning,
            "no-file-descriptor",
            run([limits(&[(NoLocalPort, 12.0, 0.0)]).failed(OutcomeKind::Generator, Some("EMFILE"), 11).failed(
                OutcomeKind::Generator,
                Some("EADDRNOTAVAIL"),
                1,
            )]),
        )
        .text("reasons", "no-file-descriptor"),
        case(
            CODE,
            Warning,
            "no-local-port",
            run([limits(&[(NoLocalPort, 12.0, 0.0)]).failed(OutcomeKind::Generator, Some("EADDRNOTAVAIL"), 12)]),
        ),
        case(
            CODE,
            Warning,
            "no-local-memory",
            run([limits(&[(NoLocalPort, 12.0, 0.0)]).failed(OutcomeKind::Generator, Some("ENOBUFS"), 12)]),
        ),
        case(CODE, Warning, "other", run([limits(&[])])),
        case(CODE, Healthy, "server", run([unpooled(TlsMode::Off)])).count("all_count", 1),
        case(
            CODE,
            Healthy,
            "waiting",
            run([bound(BoundVerdict::Server, &[(ClientCpu, 0.2, 0.9), (Waiting, 900.0, 0.0)])]),
        ),
        // 99 of the 100 operations a second that were offered: the schedule set the rate
        case(CODE, Healthy, "schedule", run([scheduled()]))
            .text("series", "unpooled, TLS off")
            .count("series_count", 1),
        // without a schedule there was none to blame
        case(CODE, Healthy, "waiting", run([unsaturated().serial()])).absent("series"),
        case(CODE, CannotSay, "undecided", run([bound(BoundVerdict::Undecided, &[(ClientCpu, 0.8, 0.9)])]))
            .count("series_count", 1),
        case(CODE, CannotSay, "too-short", run([bound(BoundVerdict::Undecided, &[(TooShort, 0.1, 1.0)])])),
        case(
            CODE,
            CannotSay,
            "server-gone",
            run([
                bound(BoundVerdict::Undecided, &[(ServerGone, 60.0, 0.0)]),
                bound(BoundVerdict::Undecided, &[(TooShort, 0.0, 1.0)]),
            ]),
        ),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

/// An open loop at 400 a second that reached `throughput`, with mean service time 2 ms and this lag.
fn open(throughput: f64, lag_p99_us: Option<f64>) -> Made {
    unpooled(TlsMode::Off).service(2000.0).rate(throughput, throughput - 5.0, throughput + 5.0).edit(|s| {
        s.settings.arrival = Arrival::Poisson { rate_per_s: 400.0 };
        s.lag_us = LatencySummary { p99: lag_p99_us, ..LatencySummary::default() };
        s.latency_us = LatencySummary { p99: Some(904_000.0), mean: Some(450_000.0), ..LatencySummary::default() };
        s.counts.skipped = 20;
        s.counts.scheduled += 20;
    })
}

fn late() -> Vec<Case> {
    const CODE: &str = "late-starts";
    vec![
        case(CODE, Warning, "overload", run([open(200.0, Some(900_000.0))]))
            .us("lag_p99_us", 900_000.0)
            .per_s("offered_per_s", 400.0)
            .per_s("throughput_per_s", 200.0)
            .share("throughput_share", 0.5)
            .us("latency_p99_us", 904_000.0)
            .us("service_p99_us", 4000.0)
            .us("latency_mean_us", 450_000.0)
            .count("skipped", 20),
        case(CODE, Info, "bursts", run([open(399.0, Some(50_000.0)), open(200.0, None)])).us("lag_p99_us", 50_000.0),
        case(CODE, Healthy, "on-time", run([open(399.0, Some(900.0))])).us("lag_p99_us", 900.0),
        // nine tenths of the service time, but less than a millisecond
        case(CODE, Healthy, "on-time", run([open(399.0, Some(900.0)).service(1000.0)])).us("lag_p99_us", 900.0),
        case(CODE, CannotSay, "too-few-logins", run([open(399.0, None).edit(|s| s.counts.completed = 60)]))
            .count("logins", 60)
            .count("needed", 100),
    ]
}

fn counts() -> Vec<Case> {
    const CODE: &str = "counts-disagree";
    let counted = |server: u64| unpooled(TlsMode::Off).server_logins(server);
    let stopped = |server: u64| {
        counted(server).failed(OutcomeKind::TimedOut, None, 12).edit(|s| {
            s.counts.in_flight = 50;
            s.counts.scheduled += 50;
        })
    };
    let through = |segment: Segment, run: Run| {
        with(run, |run| {
            run.what_answered = Some(WhatAnswered { segment, ..answered("PostgreSQL") });
        })
    };
    vec![
        case(CODE, Info, "more", run([counted(5003), counted(5040), unpooled(TlsMode::Full)]))
            .count("server_logins", 5040)
            .count("client_logins", 5000)
            .count("difference", 40)
            .count("series_count", 2)
            .text("source", "pg_stat_database.sessions, /proc"),
        case(CODE, Warning, "fewer", run([counted(4000), counted(5040)])).count("difference", 1000),
        case(CODE, Healthy, "equal", run([counted(5000), unpooled(TlsMode::Full)]))
            .count("logins", 5000)
            .count("series_count", 1),
        // interrupted: 50 under way and 12 failed, so up to 62 more are nobody else's
        case(CODE, CannotSay, "under-way", run([counted(5000), stopped(5062)]))
            .count("server_logins", 5062)
            .count("difference", 62)
            .count("unfinished", 62)
            .count("in_flight", 50)
            .count("failed", 12),
        case(CODE, Info, "more", run([stopped(5063)])).count("difference", 63),
        case(CODE, Warning, "fewer", run([stopped(4999)])).count("difference", 1),
        // a pooler logs in on its own account: neither more nor fewer accuses anybody
        case(CODE, CannotSay, "something-between", through(Segment::SomethingBetween, run([counted(3)])))
            .count("server_logins", 3)
            .count("client_logins", 5000)
            .count("difference", 4997),
        case(CODE, CannotSay, "something-between", through(Segment::Pooler, run([counted(5003)]))),
        case(CODE, Healthy, "equal", through(Segment::SomethingBetween, run([counted(5000)]))).count("logins", 5000),
        case(CODE, Warning, "fewer", through(Segment::Unknown, run([counted(4000)]))).count("difference", 1000),
        case(CODE, CannotSay, "unknown", run([unpooled(TlsMode::Off), unpooled(TlsMode::Full).server_cpu(1.0, 1.0)])),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

fn resumption() -> Vec<Case> {
    const CODE: &str = "resumption-not-happening";
    let asked = |full: u64, resumed: u64| {
        unpooled(TlsMode::Resumed).tls(Some("RSA-2048"), false, full).tls(Some("RSA-2048"), true, resumed)
    };
    let other = |run: Run| with(run, |run| run.what_answered = Some(answered("PgBouncer")));
    vec![
        case(CODE, Info, "postgresql", run([asked(5000, 0)])).count("handshakes", 5000).count("resumed", 0),
        case(CODE, Warning, "never", other(run([asked(5000, 0)]))).text("product", "PgBouncer"),
        case(CODE, Warning, "few", run([asked(4000, 1000)])).share("resumed_share", 0.2),
        case(CODE, Healthy, "resumed", run([asked(50, 4950)])).param("resumed_share", Param::Share(0.99)),
        // fifty workers have nothing to resume at first: 60 handshakes prove nothing
        case(CODE, CannotSay, "too-few-logins", run([asked(60, 0)])).count("needed", 100),
        case(CODE, CannotSay, "not-seen", run([unpooled(TlsMode::Resumed)])),
    ]
}
