//! What a login costs and what would make it cheaper: TLS, the RSA key, pooling, SCRAM, the serial client.

use peaje_model::{Arrival, BoundVerdict, Mode, Param, Phase, TlsMode};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{Made, nothing, pooled, run, series, unpooled};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [tls(), rsa(), pooling(), scram(), serial()].into_iter().flatten().collect()
}

/// 50 workers, 140 ms for each operation.
fn story_off() -> Made {
    unpooled(TlsMode::Off).rate(357.0, 350.0, 364.0).elapsed(14.0).server_cpu(4000.0, 4000.0).phases(&[
        (Phase::Connect, 20_000.0, 1.0),
        (Phase::Authenticate, 60_000.0, 1.0),
        (Phase::Session, 40_000.0, 0.0),
        (Phase::FirstQuery, 10_000.0, 1.0),
        (Phase::Close, 10_000.0, 1.0),
    ])
}

/// The same over TLS: 210 ms, of which 60 ms are the handshake.
fn story_tls() -> Made {
    unpooled(TlsMode::Full).rate(238.0, 230.0, 246.0).elapsed(21.0).server_cpu(6000.0, 6000.0).phases(&[
        (Phase::Connect, 20_000.0, 1.0),
        (Phase::Negotiate, 10_000.0, 1.0),
        (Phase::Tls, 60_000.0, 1.0),
        (Phase::Authenticate, 60_000.0, 1.0),
        (Phase::Session, 40_000.0, 0.0),
        (Phase::FirstQuery, 10_000.0, 1.0),
        (Phase::Close, 10_000.0, 1.0),
    ])
}

/// Twenty logins over TLS, one after the other, 10 ms each; `tls_us` of it is the handshake.
fn small_tls(tls_us: f64) -> Made {
    unpooled(TlsMode::AsUrl).logins(20).serial().tls(Some("RSA-2048"), false, 20).phases(&[
        (Phase::Connect, 1000.0, 1.0),
        (Phase::Negotiate, 500.0, 1.0),
        (Phase::Tls, tls_us, 2.0),
        (Phase::Authenticate, 8000.0 - tls_us, 2.0),
        (Phase::Close, 500.0, 1.0),
    ])
}

fn timed(mode: Mode, tls: TlsMode, us: f64) -> Made {
    series(mode, tls).service(us)
}

fn tls() -> Vec<Case> {
    const CODE: &str = "tls-multiplies-login";
    let serial = |tls: TlsMode, us: f64, n: u64| timed(Mode::Unpooled, tls, us).logins(n).serial();
    vec![
        case(
            CODE,
            Warning,
            "pair",
            run([
                story_off(),
                story_tls(),
                pooled(TlsMode::Off).service(1000.0),
                pooled(TlsMode::Full).service(1010.0),
            ]),
        )
        .ratio("ratio", 1.5)
        .us("off_us", 140_000.0)
        .us("tls_us", 210_000.0)
        .us("extra_us", 70_000.0)
        .ratio("throughput_ratio", 1.5)
        .ratio("cpu_ratio", 1.5)
        .text("cpu_change", "changed")
        .share("tls_share", 60.0 / 210.0)
        .ratio("pooled_ratio", 1.01)
        .text("pooled_change", "unchanged")
        .count("logins", 5000)
        .text("rate_bound", "measured"),
        // each pool took 50 logins to fill, and the one over TLS shows it
        case(
            CODE,
            Warning,
            "pair",
            run([
                story_off(),
                story_tls(),
                pooled(TlsMode::Off).service(1000.0).wait(400.0),
                pooled(TlsMode::Full).service(1600.0).wait(1000.0).edit(|s| s.logins = 48),
            ]),
        )
        .ratio("pooled_ratio", 1.6)
        .count("pool_logins", 48),
        case(CODE, Warning, "pair", run([story_off(), story_tls().bound(BoundVerdict::Generator, &[])]))
            .text("rate_bound", "lower-bound"),
        case(CODE, Critical, "pair", run([serial(TlsMode::Off, 3000.0, 100), serial(TlsMode::Full, 13_500.0, 100)]))
            .ratio("ratio", 4.5),
        // with more in flight than cores on the machine that both share, most of that is waiting for a core
        case(
            CODE,
            Warning,
            "pair",
            run([timed(Mode::Unpooled, TlsMode::Off, 3000.0), timed(Mode::Unpooled, TlsMode::Full, 13_500.0)]),
        )
        .ratio("ratio", 4.5),
        // fewer than a hundred logins are worth a note, whatever the ratio
        case(CODE, Info, "pair", run([serial(TlsMode::Off, 3000.0, 99), serial(TlsMode::Full, 13_500.0, 99)]))
            .ratio("ratio", 4.5),
        case(
            CODE,
            Info,
            "pair",
            run([
                serial(TlsMode::Off, 1000.0, 20).rate(990.0, 500.0, 1500.0),
                serial(TlsMode::Full, 1600.0, 20).rate(620.0, 400.0, 840.0),
            ]),
        )
        .ratio("ratio", 1.6),
        // the rates' intervals touch, those of the mean times do not, even twice as wide
        case(
            CODE,
            Info,
            "pair",
            run([
                serial(TlsMode::Off, 1000.0, 400).rate(990.0, 500.0, 1500.0).times(900, 1100),
                serial(TlsMode::Full, 1300.0, 400).rate(760.0, 600.0, 900.0).times(1200, 1400),
            ]),
        )
        .ratio("ratio", 1.3),
        // twice as wide, these touch as well: 1000 +- 2 x 98 and 1300 +- 2 x 98 us
        case(
            CODE,
            CannotSay,
            "within-noise",
            run([
                serial(TlsMode::Off, 1000.0, 400).rate(990.0, 500.0, 1500.0).times(1, 1999),
                serial(TlsMode::Full, 1300.0, 400).rate(760.0, 600.0, 900.0).times(301, 2299),
            ]),
        )
        .ratio("ratio", 1.3),
        // six logins suffice for a factor of four, not for a factor of two
        case(CODE, Info, "pair", run([serial(TlsMode::Off, 1000.0, 6), serial(TlsMode::Full, 4000.0, 6)]))
            .ratio("ratio", 4.0),
        case(
            CODE,
            CannotSay,
            "too-few-logins",
            run([serial(TlsMode::Off, 1000.0, 6), serial(TlsMode::Full, 2000.0, 6)]),
        )
        .count("logins", 6)
        .count("needed", 20),
        case(CODE, Healthy, "pair", run([story_off(), unpooled(TlsMode::Full).service(147_000.0)]))
            .ratio("ratio", 1.05),
        // a factor that costs 150 us
        case(CODE, Healthy, "pair", run([serial(TlsMode::Off, 100.0, 20), serial(TlsMode::Full, 250.0, 20)]))
            .us("extra_us", 150.0),
        case(CODE, CannotSay, "within-noise", run([story_off().rate(357.0, 240.0, 470.0), story_tls()]))
            .ratio("ratio", 1.5),
        case(
            CODE,
            CannotSay,
            "within-noise",
            run([serial(TlsMode::Off, 1000.0, 20), serial(TlsMode::Full, 1400.0, 20)]),
        )
        .ratio("ratio", 1.4),
        // in an open loop the rates are what was offered: the means decide, and no rate is printed
        case(CODE, Warning, "pair", run([open(story_off()), open(story_tls())])).ratio("ratio", 1.5),
        case(
            CODE,
            Healthy,
            "pooled-only",
            run([pooled(TlsMode::Off).service(1000.0), pooled(TlsMode::Full).service(1010.0)]),
        )
        .ratio("ratio", 1.01),
        case(
            CODE,
            Warning,
            "pooled-only",
            run([pooled(TlsMode::Off).service(1000.0).wait(600.0), pooled(TlsMode::Full).service(1600.0)]),
        )
        .ratio("ratio", 1.6)
        .count("pool_logins", 50),
        case(CODE, Info, "share", run([small_tls(2500.0)]))
            // the handshake and one round trip of 50 us
            .share("tls_share", 0.255)
            .us("tls_us", 2550.0)
            .us("login_us", 10_000.0),
        case(CODE, Healthy, "share", run([small_tls(500.0)])).share("tls_share", 0.055),
        case(CODE, CannotSay, "not-measured", run([story_off()])),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

fn open(made: Made) -> Made {
    made.rate(100.0, 98.0, 102.0).edit(|s| s.settings.arrival = Arrival::Poisson { rate_per_s: 100.0 })
}

fn rsa() -> Vec<Case> {
    const CODE: &str = "rsa-key-dominates";
    let full = |key: &str, cpu: f64| {
        unpooled(TlsMode::Full).elapsed(25.0).tls(Some(key), false, 5000).server_cpu(cpu, cpu).service(100_000.0)
    };
    let off = || unpooled(TlsMode::Off).server_cpu(3000.0, 3000.0).service(90_000.0);
    vec![
        // 5,000 logins in 25 s = 200 a second; 970 us each
        case(CODE, Info, "cpu-difference", run([off(), full("RSA-2048", 5000.0)]))
            .us("saving_us", 970.0)
            .share("saving_share", 0.194)
            .us("model_us", 1000.0)
            .us("cap_us", 2000.0)
            .us("base_us", 5000.0)
            .count("bits", 2048)
            .param("saving_cores", Param::Cores(0.194)),
        // the model says 7,970 us, but TLS cost 2,000 us in all
        case(CODE, Warning, "cpu-difference", run([off(), full("RSA-4096", 5000.0)]))
            .us("model_us", 8000.0)
            .us("saving_us", 2000.0)
            .share("saving_share", 0.4),
        case(CODE, Healthy, "rsa-small", run([off(), full("RSA-2048", 3100.0)])).us("saving_us", 100.0),
        // noise made TLS look cheaper than none: nothing to save
        case(CODE, Healthy, "rsa-small", run([off(), full("RSA-2048", 2900.0)])).us("saving_us", 0.0),
        case(CODE, Healthy, "rsa-small", run([small_tls(2500.0)])).us("saving_us", 970.0).share("saving_share", 0.097),
        case(
            CODE,
            Info,
            "tls-phase",
            run([small_tls(2500.0).edit(|s| s.tls_seen[0].server_key = Some("RSA-3072".to_owned()))]),
        )
        .us("model_us", 3375.0)
        .us("saving_us", 2400.0)
        .share("saving_share", 0.24)
        .us("cap_us", 2400.0)
        .text("key", "RSA-3072"),
        case(CODE, Healthy, "ecdsa", run([full("ECDSA P-256", 5000.0)])).text("key", "ECDSA P-256"),
        case(CODE, Healthy, "resumed", run([unpooled(TlsMode::Resumed).tls(Some("RSA-2048"), true, 5000)])),
        case(CODE, CannotSay, "no-tls", run([off()])),
        case(CODE, CannotSay, "key-unknown", run([unpooled(TlsMode::Full).tls(None, false, 5000)])),
        case(CODE, CannotSay, "too-few-logins", run([small_tls(2500.0).logins(9)])).count("logins", 9),
    ]
}

fn pooling() -> Vec<Case> {
    const CODE: &str = "pooling-pays";
    let kept = || pooled(TlsMode::Off).service(2000.0).query(150.0).rate(25_000.0, 24_000.0, 26_000.0);
    let plain = |us: f64| unpooled(TlsMode::Off).service(us);
    vec![
        // L = 4000 - 200, Q = 200: 3800 / (0.05 * 200); 357 logins a second of 3,800 us
        case(CODE, Warning, "cpu", run([story_off(), kept().server_cpu(9000.0, 200.0)]))
            .ratio("ratio", 70.0)
            .us("overhead_us", 3800.0)
            .us("query_us", 200.0)
            .count("break_even_queries", 380)
            .param("cpu_s_per_1000", Param::CpuS(3.8))
            .param("login_cores", Param::Cores(1.3566))
            .count("cores", 2)
            .us("wall_saved_us", 138_000.0)
            .count("pooled_logins", 50),
        case(CODE, Warning, "wall", run([plain(10_000.0), pooled(TlsMode::Off).service(1000.0).query(900.0)]))
            .us("overhead_us", 9000.0)
            .us("query_us", 900.0)
            .count("break_even_queries", 200),
        case(CODE, Info, "wall", run([plain(2000.0), pooled(TlsMode::Off).service(1000.0)])).us("overhead_us", 1000.0),
        case(CODE, Healthy, "wall", run([plain(1200.0), pooled(TlsMode::Off).service(1000.0).query(1000.0)]))
            .ratio("ratio", 1.2)
            .count("break_even_queries", 4),
        // the pool's own CPU is unknown: a worker's kept session tells what the query costs
        case(
            CODE,
            Warning,
            "cpu",
            run([story_off(), kept(), series(Mode::Persistent, TlsMode::Off).server_cpu(9000.0, 1500.0)]),
        )
        .us("overhead_us", 2500.0)
        .us("query_us", 1500.0)
        .param("login_cores", Param::Cores(0.8925)),
        // half of a pooled operation is its wait: not yet the filling of the pool
        case(CODE, Warning, "wall", run([story_off(), kept().wait(1000.0)])).absent("pool_logins"),
        case(CODE, Warning, "wall", run([story_off(), kept().wait(1001.0)])).count("pool_logins", 50),
        case(CODE, CannotSay, "no-pooled", run([story_off()])),
        case(CODE, CannotSay, "no-unpooled", run([pooled(TlsMode::Off)])),
        // both are there, and TLS makes them different things
        case(CODE, CannotSay, "not-measured", run([story_off(), pooled(TlsMode::Full)])),
        case(
            CODE,
            CannotSay,
            "too-few-operations",
            run([plain(2000.0).logins(6), pooled(TlsMode::Off).service(1000.0)]),
        )
        .count("operations", 6),
        case(
            CODE,
            CannotSay,
            "within-noise",
            run([plain(1600.0).rate(350.0, 340.0, 360.0), kept().service(1000.0).rate(400.0, 355.0, 445.0)]),
        )
        .ratio("ratio", 1.6),
        case(CODE, CannotSay, "pool-did-not-reuse", run([story_off(), kept().edit(|s| s.logins = 4000)]))
            .count("pooled_logins", 4000),
    ]
}

/// 3 ms for each login, 1.5 ms of it key derivation.
fn scram_login(tls: TlsMode) -> Made {
    unpooled(tls).logins(20).serial().client_cpu(1700.0, 1500.0).auth("scram-sha-256", Some(4096), false, 20).phases(&[
        (Phase::Connect, 100.0, 1.0),
        (Phase::Authenticate, 2000.0, 3.0),
        (Phase::Session, 500.0, 0.0),
        (Phase::FirstQuery, 200.0, 1.0),
        (Phase::Close, 200.0, 1.0),
    ])
}

fn scram() -> Vec<Case> {
    const CODE: &str = "scram-derivation-dominates";
    let many = |made: Made| made.logins(5000).edit(|s| s.settings.concurrency = 50);
    let slow = |made: Made| many(made).service(100_000.0).phases(&[(Phase::Authenticate, 100_000.0, 3.0)]);
    let over_tls = || scram_login(TlsMode::Full).tls(Some("RSA-2048"), false, 20);
    vec![
        case(CODE, Warning, "wall", run([scram_login(TlsMode::Off)]))
            .share("share", 0.5)
            .us("crypto_us", 1500.0)
            .us("login_us", 3000.0)
            .count("iterations", 4096)
            .per_s("ceiling_per_s", 1e6 / 1500.0),
        // the series without TLS is the one that tells
        case(CODE, Warning, "wall", run([scram_login(TlsMode::Off), over_tls()])).text("series", "unpooled, TLS off"),
        case(CODE, Warning, "client-cpu", run([slow(scram_login(TlsMode::Off)).bound(BoundVerdict::Generator, &[])]))
            .share("share", 0.015)
            .share("client_cpu_share", 1500.0 / 1700.0),
        case(CODE, Healthy, "small", run([slow(scram_login(TlsMode::Off))])).share("share", 0.015),
        case(CODE, Healthy, "small-with-tls", run([slow(over_tls())])).share("share", 0.015),
        case(
            CODE,
            Healthy,
            "not-scram",
            run([unpooled(TlsMode::Off).auth("trust", None, false, 20).phases(&[(Phase::Connect, 100.0, 1.0)])]),
        )
        .text("method", "trust"),
        case(CODE, Healthy, "cached", run([scram_login(TlsMode::Off).edit(|s| s.auth_seen[0].cached = true)])),
        case(CODE, CannotSay, "mixed-with-tls", run([over_tls()])).share("share", 0.5),
        case(
            CODE,
            CannotSay,
            "cpu-unknown",
            run([scram_login(TlsMode::Off).edit(|s| s.client_crypto_us_per_login = None)]),
        ),
        case(CODE, CannotSay, "auth-unknown", run([scram_login(TlsMode::Off).edit(|s| s.auth_seen.clear())])),
        case(CODE, CannotSay, "too-few-logins", run([scram_login(TlsMode::Off).logins(4)])),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

fn serial() -> Vec<Case> {
    const CODE: &str = "serial-client";
    let login = |tls: TlsMode, authenticate: f64| {
        unpooled(tls).logins(1000).serial().phases(&[
            (Phase::Connect, 500.0, 1.0),
            (Phase::Authenticate, authenticate, 1.0),
            (Phase::FirstQuery, 1000.0, 1.0),
            (Phase::Close, 500.0, 1.0),
        ])
    };
    vec![
        // 10 ms for each operation, 1 ms of it the query
        case(CODE, Info, "single", run([login(TlsMode::Off, 8000.0).elapsed(10.0)]))
            .us("operation_us", 10_000.0)
            .us("login_us", 9000.0)
            .share("login_share", 0.9)
            .us("elapsed_us", 10e6)
            .per_s("rate_per_s", 100.0)
            .absent("workers")
            .absent("workers_per_s"),
        // ten clients: ten times the rate, but no more than two cores can do at 4 ms each
        case(CODE, Info, "single", run([login(TlsMode::Off, 8000.0).server_cpu(1000.0, 1000.0)]))
            .count("workers", 10)
            .per_s("workers_per_s", 1000.0),
        case(CODE, Info, "single", run([login(TlsMode::Off, 8000.0).server_cpu(4000.0, 4000.0)]))
            .per_s("workers_per_s", 500.0),
        // the serial job of the first story: 10 s become 30 s
        case(CODE, Warning, "tls-pair", run([login(TlsMode::Off, 8000.0), login(TlsMode::Full, 28_000.0)]))
            .ratio("ratio", 3.0)
            .us("job_us", 10e6)
            .us("job_tls_us", 30e6)
            .us("operation_us", 30_000.0)
            .us("off_us", 10_000.0),
        case(CODE, Info, "tls-pair", run([login(TlsMode::Off, 8000.0), login(TlsMode::Full, 13_000.0)]))
            .ratio("ratio", 1.5),
        case(CODE, Healthy, "small-share", run([with_query(login(TlsMode::Off, 1000.0), 8000.0)]))
            .share("login_share", 0.2),
        case(CODE, Healthy, "concurrent", run([story_off()])).count("concurrency", 50),
        case(CODE, CannotSay, "too-few-logins", run([login(TlsMode::Off, 8000.0).logins(4)])).count("logins", 4),
        case(CODE, CannotSay, "not-measured", run([unpooled(TlsMode::Off).serial()])),
    ]
}

/// The same login around a query of this length.
fn with_query(made: Made, query_us: f64) -> Made {
    let total = query_us + 2000.0;
    made.service(total).edit(|s| s.phases_us.entry(Phase::FirstQuery).or_default().mean = Some(query_us))
}
