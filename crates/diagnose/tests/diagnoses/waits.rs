//! Where a login waits: somebody slow behind the server, distance, the name service.

use peaje_model::{BoundVerdict, Mode, OutcomeKind, Phase, ResolveMode, Run, Segment, TlsMode, WhatAnswered};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{Made, answered, first_login, nothing, run, unpooled, with, with_login};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [slow(), distance(), resolution()].into_iter().flatten().collect()
}

/// Twenty logins, one after the other, that take this long to authenticate and 6 ms for all the rest.
fn login(authenticate_us: f64) -> Made {
    unpooled(TlsMode::AsUrl).logins(20).serial().elapsed(40.0).query(500.0).phases(&[
        (Phase::Connect, 100.0, 1.0),
        (Phase::Authenticate, authenticate_us, 1.0),
        (Phase::Session, 5000.0, 0.0),
        (Phase::FirstQuery, 500.0, 1.0),
        (Phase::Close, 400.0, 1.0),
    ])
}

fn at_50(made: Made) -> Made {
    made.logins(5000).elapsed(14.0).edit(|s| s.settings.concurrency = 50)
}

fn remote(run: Run) -> Run {
    with(run, |run| run.target.local = false)
}

fn reference(run: Run) -> Run {
    with(run, |run| run.what_answered = Some(WhatAnswered { reference_server: true, ..answered("reference") }))
}

fn slow() -> Vec<Case> {
    const CODE: &str = "slow-logins";
    let directory = || login(1_900_000.0);
    vec![
        case(CODE, Warning, "waiting", run([directory().server_cpu(4000.0, 4000.0)]))
            .us("login_us", 1_905_100.0)
            .us("query_us", 500.0)
            .ratio("ratio", 3810.2)
            .us("cpu_us", 4000.0)
            .share("cpu_share", 4000.0 / 1_906_000.0)
            .text("phase", "authenticate")
            .text("undivided", "authenticate")
            .us("phase_us", 1_900_000.0)
            .us("worst_us", 5_718_000.0)
            .us("timeout_us", 15e6)
            .share("worst_share", 0.3812),
        // the reference server answers step by step: its phases are what they are called
        case(CODE, Warning, "waiting", reference(run([directory().server_cpu(4000.0, 4000.0)]))).absent("undivided"),
        // the slowest took 8.7 s of the 15 s that are allowed
        case(CODE, Critical, "waiting", run([login(2_894_000.0).server_cpu(4000.0, 4000.0)]))
            .us("worst_us", 8_700_000.0),
        case(
            CODE,
            Critical,
            "waiting",
            run([directory().server_cpu(4000.0, 4000.0).failed(OutcomeKind::TimedOut, None, 1)]),
        )
        .count("timed_out", 1),
        case(CODE, Warning, "cpu-unknown", remote(run([directory()]))).us("login_us", 1_905_100.0),
        case(
            CODE,
            Warning,
            "cpu-unknown",
            with_login(remote(run([at_50(directory())])), |login| {
                login.first_login = Some(first_login(OutcomeKind::Ok, 2_000_000.0));
            }),
        ),
        case(CODE, Critical, "timed-out", run([directory().logins(3).failed(OutcomeKind::TimedOut, None, 47)]))
            .count("timed_out", 47)
            .count("logins", 3),
        case(CODE, Healthy, "fast", run([login(9000.0).server_cpu(4000.0, 4000.0)])).us("login_us", 14_100.0),
        // slow, but so is the query
        case(CODE, Healthy, "fast", run([directory().query(400_000.0)])).ratio("ratio", 1_905_100.0 / 400_000.0),
        // a proxy far away explains the wait as well as a server far away does
        case(
            CODE,
            Healthy,
            "distance",
            with(far(run([login(194_000.0)]), 40_000.0), |run| {
                run.what_answered.as_mut().expect("something answered").segment = Segment::SomethingBetween;
            }),
        ),
        case(CODE, Healthy, "distance", far(run([login(194_000.0)]), 40_000.0))
            .us("distance_us", 160_000.0)
            .share("distance_share", 0.8),
        // 357 logins a second of 4.5 ms on 2 cores
        case(
            CODE,
            Healthy,
            "queueing",
            run([at_50(login(134_000.0)).server_cpu(4000.0, 4000.0).client_cpu(500.0, 0.0)]),
        )
        .share("busy_share", 4500.0 * (5000.0 / 14.0) / 2e6),
        case(CODE, Healthy, "computing", run([login(194_000.0).server_cpu(100_000.0, 100_000.0)]))
            .share("cpu_share", 0.5),
        case(CODE, CannotSay, "queueing-possible", remote(run([at_50(login(134_000.0))]))).count("concurrency", 50),
        // the first login alone took less than half of these 139 ms: the others may have queued
        case(
            CODE,
            CannotSay,
            "queueing-possible",
            with_login(remote(run([at_50(login(134_000.0))])), |login| {
                login.first_login = Some(first_login(OutcomeKind::Ok, 60_000.0));
            }),
        ),
        case(
            CODE,
            CannotSay,
            "no-query",
            run([directory().edit(|s| s.query_us = peaje_model::LatencySummary::default())]),
        ),
        case(CODE, CannotSay, "generator-bound", run([directory().bound(BoundVerdict::Generator, &[])])),
        case(CODE, CannotSay, "too-few-logins", run([directory().logins(4)])).count("logins", 4),
        // operations of a pool are not logins
        case(CODE, CannotSay, "not-measured", run([directory().edit(|s| s.mode = Mode::Pooled)])),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

fn far(run: Run, rtt_us: f64) -> Run {
    with_login(run, |login| login.rtt_us = Some(rtt_us))
}

/// 210 ms with five round trips, and one to the name server that is no distance to the database.
fn far_login() -> Made {
    unpooled(TlsMode::AsUrl).logins(20).serial().phases(&[
        (Phase::Resolve, 1000.0, 1.0),
        (Phase::Connect, 34_000.0, 1.0),
        (Phase::Authenticate, 97_000.0, 2.0),
        (Phase::Session, 5000.0, 0.0),
        (Phase::FirstQuery, 36_000.0, 1.0),
        (Phase::Close, 37_000.0, 1.0),
    ])
}

fn distance() -> Vec<Case> {
    const CODE: &str = "distance-dominates";
    let unknown = |run: Run| {
        with_login(run, |login| {
            login.rtt_us = None;
            login.series[0].rtt_us = None;
        })
    };
    vec![
        case(CODE, Warning, "distance", far(run([far_login()]), 34_000.0))
            .us("total_us", 210_000.0)
            .us("distance_us", 170_000.0)
            .ratio("round_trips", 5.0)
            .us("rtt_us", 34_000.0)
            .share("distance_share", 170.0 / 210.0)
            .us("near_rtt_us", 500.0)
            .us("near_total_us", 42_500.0),
        case(CODE, Info, "distance", far(run([login(1000.0)]), 1200.0))
            .us("total_us", 7000.0)
            .us("distance_us", 4800.0),
        case(CODE, Healthy, "distance", far(run([far_login()]), 55.0)).us("distance_us", 275.0),
        case(CODE, Healthy, "distance", far(run([far_login()]), 600.0)).us("near_total_us", 209_500.0),
        // a series' own round trip serves only when the run has none: 5 x 40 ms of 210
        case(
            CODE,
            Warning,
            "distance",
            with_login(run([far_login().edit(|s| s.rtt_us = Some(40_000.0))]), |login| login.rtt_us = None),
        )
        .us("distance_us", 200_000.0)
        .us("near_total_us", 12_500.0),
        // more travel than time: it is capped, and so is what a nearer host would give
        case(CODE, Warning, "distance", far(run([far_login()]), 50_000.0))
            .us("distance_us", 210_000.0)
            .us("near_total_us", 2500.0),
        case(CODE, CannotSay, "no-rtt", unknown(run([far_login()]))),
        // the round trip ends at the proxy
        case(
            CODE,
            CannotSay,
            "something-between",
            with(run([far_login()]), |run| {
                let between = |what: WhatAnswered| WhatAnswered { segment: Segment::SomethingBetween, ..what };
                run.what_answered = run.what_answered.take().map(between);
            }),
        ),
        case(CODE, CannotSay, "too-few-logins", far(run([login(1000.0).logins(9)]), 1200.0)).count("logins", 9),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

/// Logins that spend this long on the name and 40 ms on the rest, of a target with a name.
fn named(resolve_us: f64, logins: u64, before_us: f64) -> Run {
    let made = unpooled(TlsMode::AsUrl).logins(logins).serial().phases(&[
        (Phase::Resolve, resolve_us, 1.0),
        (Phase::Connect, 10_000.0, 1.0),
        (Phase::Authenticate, 30_000.0, 1.0),
    ]);
    named_run(made, before_us)
}

fn named_run(made: Made, before_us: f64) -> Run {
    with(run([made]), |run| {
        run.target.hosts = vec!["10.0.0.1".to_owned(), "db.example".to_owned()];
        run.target.resolve_us = Some(before_us);
    })
}

fn resolution() -> Vec<Case> {
    const CODE: &str = "name-resolution-dominates";
    let once = |before_us: f64| {
        let made = unpooled(TlsMode::AsUrl).logins(20).serial().phases(&[(Phase::Authenticate, 40_000.0, 1.0)]);
        named_run(made.edit(|s| s.settings.resolve = ResolveMode::Once), before_us)
    };
    let one_in_a_hundred = |mut run: Run| {
        let login = run.login.as_mut().expect("results");
        login.series[0].phases_us.entry(Phase::Resolve).or_default().p99 = Some(5_010_000.0);
        run
    };
    vec![
        case(CODE, Warning, "slow", named(30_000.0, 20, 30_000.0))
            .us("resolve_us", 30_000.0)
            .us("login_us", 70_000.0)
            .share("share", 3.0 / 7.0)
            .text("host", "db.example"),
        case(CODE, Critical, "resolver-timeout", named(5_003_000.0, 20, 5_004_000.0))
            .us("resolve_us", 5_003_000.0)
            .us("timeout_us", 5e6)
            .count("observations", 20),
        case(CODE, Warning, "resolver-timeout", one_in_a_hundred(named(300.0, 200, 300.0)))
            .us("resolve_us", 5_010_000.0),
        case(CODE, Warning, "resolver-timeout", named(300.0, 20, 10_150_000.0))
            .us("timeout_us", 10e6)
            .count("observations", 1),
        case(CODE, Info, "once", once(60_000.0)).share("share", 0.6).us("login_us", 40_000.0),
        case(CODE, Healthy, "once", once(1000.0)),
        case(CODE, Healthy, "fast", named(300.0, 20, 300.0)).us("resolve_us", 300.0),
        // 40 % of the login, but 4 ms: nobody notices
        case(CODE, Healthy, "fast", named(4000.0, 20, 4000.0)),
        case(
            CODE,
            Healthy,
            "fast",
            named(5_300_000.0, 20, 300.0).tap(|run| {
                let login = run.login.as_mut().expect("results");
                login.series[0].phases_us.entry(Phase::Resolve).or_default().mean = Some(300.0);
            }),
        ),
        case(CODE, CannotSay, "too-few-logins", named(30_000.0, 9, 30_000.0)),
        case(CODE, CannotSay, "not-measured", with(nothing(), |run| run.target.resolve_us = Some(400.0))),
    ]
}

trait Tap {
    fn tap(self, alter: impl FnOnce(&mut Run)) -> Self;
}

impl Tap for Run {
    fn tap(mut self, alter: impl FnOnce(&mut Run)) -> Self {
        alter(&mut self);
        self
    }
}
