//! What only some engines have: MySQL's greeting and its two paths of authentication, SQL Server's routing, its
//! listeners, and its encryption of the login alone.

use peaje_model::{
    BoundVerdict, Dialling, Fact, FirstLogin, Mode, OutcomeKind, Phase, Run, Segment, TlsMode, WhatAnswered,
};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{
    Made, answered, fact, first_login, nothing, on, probe, run, series, switch, unpooled, with, with_login,
};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [
        greeting(),
        authentication(),
        redirected(),
        listener(),
        without_scram(),
        login_only(),
        full(),
        waits_before_the_password(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Logins one after the other to MySQL on another host, whose greeting takes this long after a round trip of 50 us.
fn greets(late_us: f64) -> Made {
    unpooled(TlsMode::Off).logins(20).serial().phases(&[
        (Phase::Connect, 50.0, 1.0),
        (Phase::Negotiate, 50.0 + late_us, 1.0),
        (Phase::Authenticate, 900.0, 1.0),
        (Phase::FirstQuery, 100.0, 1.0),
    ])
}

fn first_greeting(us: f64) -> FirstLogin {
    let mut first = first_login(OutcomeKind::Ok, us + 1000.0);
    first.phases_us.insert(Phase::Negotiate, 50.0 + us);
    first
}

fn mysql(made: Made, first_us: Option<f64>, facts: Vec<Fact>) -> Run {
    let run = with(run([made]), |run| run.facts = facts);
    on("mysql", with_login(run, |login| login.first_login = first_us.map(first_greeting)))
}

fn resolves() -> Vec<Fact> {
    vec![fact("max_connections", 151.0), switch("skip_name_resolve", false)]
}

fn at_50(made: Made) -> Made {
    made.logins(5000).edit(|s| s.settings.concurrency = 50)
}

fn greeting() -> Vec<Case> {
    const CODE: &str = "late-greeting";
    let loopback =
        |run: Run| with(run, |run| run.target.addresses = vec![probe("127.0.0.1:3306", OutcomeKind::Ok, 60.0)]);
    let socket = |run: Run| {
        with(run, |run| {
            run.target.hosts = vec!["/run/mysqld/mysqld.sock".to_owned()];
            run.target.addresses = vec![probe("/run/mysqld/mysqld.sock", OutcomeKind::Ok, 60.0)];
        })
    };
    let proxied = |run: Run| {
        let what = WhatAnswered { segment: Segment::SomethingBetween, ..answered("MySQL") };
        with(run, |run| run.what_answered = Some(what))
    };
    let uncached = || {
        let mut facts = resolves();
        facts.push(fact("host_cache_size", 0.0));
        facts
    };
    vec![
        // the first from this host waited for the resolver, the others found its answer
        case(CODE, Warning, "first-lookup", mysql(greets(50.0), Some(5e6), resolves()))
            .us("first_us", 5e6)
            .us("later_us", 50.0)
            .us("rtt_us", 50.0)
            .share("timeout_share", 1.0 / 3.0)
            .absent("host_cache_size"),
        case(CODE, Info, "first-lookup", mysql(at_50(greets(50.0)), Some(30_000.0), resolves()))
            .count("concurrency", 50),
        case(CODE, Info, "first-unknown", mysql(greets(50.0), Some(30_000.0), vec![])),
        case(CODE, Info, "first-other", mysql(greets(50.0), Some(30_000.0), vec![switch("skip_name_resolve", true)]))
            .text("why", "setting"),
        // nothing is kept: each login waits
        case(CODE, Warning, "every-lookup", mysql(greets(20_000.0), Some(21_000.0), uncached()))
            .us("later_us", 20_000.0)
            .count("host_cache_size", 0),
        case(CODE, Critical, "every-lookup", mysql(greets(7.5e6), None, resolves())).share("timeout_share", 0.5),
        // 50 at a time, but the one alone waited as long
        case(CODE, Warning, "every-lookup", mysql(at_50(greets(40_000.0)), Some(20_000.0), resolves())),
        case(CODE, Warning, "every-unknown", mysql(greets(20_000.0), None, vec![])),
        case(CODE, Warning, "every-other", loopback(mysql(greets(20_000.0), None, resolves()))).text("why", "loopback"),
        case(CODE, Warning, "every-other", socket(mysql(greets(20_000.0), None, resolves()))).text("why", "socket"),
        case(CODE, Warning, "every-other", proxied(mysql(greets(20_000.0), None, resolves()))).text("why", "between"),
        case(CODE, Healthy, "prompt", mysql(greets(50.0), Some(70.0), resolves())).us("later_us", 50.0),
        // far away, and prompt: the round trip is not the server's
        case(
            CODE,
            Healthy,
            "prompt",
            with_login(mysql(greets(39_950.0), Some(39_950.0), resolves()), |login| login.rtt_us = Some(39_000.0)),
        )
        .us("later_us", 1000.0),
        // slower than the others, but 9 ms
        case(CODE, Healthy, "prompt", mysql(greets(50.0), Some(9000.0), resolves())),
        case(CODE, Healthy, "queueing", mysql(at_50(greets(40_000.0)), Some(60.0), resolves())).us("first_us", 60.0),
        case(CODE, CannotSay, "queueing-possible", mysql(at_50(greets(40_000.0)), None, resolves()))
            .count("concurrency", 50),
        case(
            CODE,
            CannotSay,
            "generator-bound",
            mysql(at_50(greets(40_000.0)).bound(BoundVerdict::Generator, &[]), Some(60.0), resolves()),
        ),
        case(CODE, CannotSay, "too-few-logins", mysql(greets(20_000.0).logins(4), None, resolves())).count("needed", 5),
        case(CODE, CannotSay, "not-measured", on("mysql", nothing())),
    ]
}

fn authentication() -> Vec<Case> {
    const CODE: &str = "full-authentication-each-time";
    const FAST: &str = "caching-sha2-password-fast";
    const FULL: &str = "caching-sha2-password-full";
    let login = || {
        unpooled(TlsMode::Off).phases(&[
            (Phase::Connect, 100.0, 1.0),
            (Phase::Negotiate, 100.0, 1.0),
            (Phase::Authenticate, 2800.0, 3.0),
            (Phase::FirstQuery, 100.0, 1.0),
        ])
    };
    let paths = |fast: u64, full: u64| {
        let logins = fast + full;
        let made = login().logins(logins).edit(|s| s.settings.concurrency = 4);
        if fast > 0 {
            made.auth(FAST, None, false, fast).auth(FULL, None, false, full)
        } else {
            made.auth(FULL, None, false, full)
        }
    };
    let mysql = |made: Made| on("mysql", run([made]));
    vec![
        case(CODE, Warning, "never-fast", mysql(paths(0, 400)))
            .count("logins", 400)
            .count("full", 400)
            .share("full_share", 1.0)
            .text("channel", "rsa")
            .us("authenticate_us", 2800.0)
            .us("login_us", 3000.0)
            .share("authenticate_share", 2800.0 / 3000.0),
        case(CODE, Warning, "never-fast", mysql(paths(0, 400).tls(None, false, 400))).text("channel", "tls"),
        case(
            CODE,
            Warning,
            "never-fast",
            with(mysql(paths(0, 400)), |run| run.target.hosts = vec!["/run/mysqld/mysqld.sock".to_owned()]),
        )
        .text("channel", "socket"),
        case(CODE, Warning, "rarely-fast", mysql(paths(100, 300))).share("full_share", 0.75),
        case(
            CODE,
            Warning,
            "sha256-password",
            mysql(login().logins(400).edit(|s| s.settings.concurrency = 4).auth("sha256-password", None, false, 400)),
        )
        .count("full", 400),
        case(CODE, Healthy, "fast", mysql(paths(396, 4))).count("fast", 396).share("full_share", 0.01),
        case(CODE, Healthy, "other-method", mysql(login().auth("mysql-native-password", None, false, 5000)))
            .text("method", "mysql-native-password"),
        // what the first of 50 at once find says nothing
        case(CODE, CannotSay, "too-few-logins", mysql(login().logins(60).auth(FULL, None, false, 60)))
            .count("logins", 60)
            .count("needed", 100),
        case(CODE, CannotSay, "auth-unknown", mysql(login())),
        case(CODE, CannotSay, "not-measured", on("mysql", nothing())),
    ]
}

/// Logins to SQL Server that each take 200 ms: 96 ms of it to connect, to agree and to authenticate, on both servers.
fn routed(redirected: u64) -> Made {
    unpooled(TlsMode::Full)
        .logins(100)
        .phases(&[
            (Phase::Connect, 16_000.0, 2.0),
            (Phase::Negotiate, 16_000.0, 2.0),
            (Phase::Tls, 32_000.0, 4.0),
            (Phase::Authenticate, 32_000.0, 2.0),
            (Phase::Session, 104_000.0, 0.0),
        ])
        .edit(|s| s.redirected = redirected)
}

fn redirected() -> Vec<Case> {
    const CODE: &str = "redirected-login";
    let sqlserver = |made: Made| on("sqlserver", run([made]));
    let azure = |run: Run| with(run, |run| run.facts = vec![fact("engine_edition", 5.0)]);
    let express = |run: Run| with(run, |run| run.facts = vec![fact("engine_edition", 4.0)]);
    let far = |made: Made| made.edit(|s| s.phases_us.get_mut(&Phase::Tls).expect("timed").mean = Some(64_000.0));
    vec![
        case(CODE, Info, "routed", sqlserver(routed(100)))
            .count("redirected", 100)
            .share("share", 1.0)
            .us("extra_us", 48_000.0)
            .ratio("extra_round_trips", 5.0)
            .us("login_us", 200_000.0),
        case(CODE, Warning, "routed", sqlserver(far(routed(100)))).us("extra_us", 64_000.0),
        // a quarter of the logins: 96 ms = 1.25 times the half
        case(CODE, Warning, "routed", express(sqlserver(routed(25)))).us("extra_us", 76_800.0).share("share", 0.25),
        case(CODE, Info, "gateway", azure(sqlserver(routed(100)))).us("extra_us", 48_000.0),
        case(CODE, Info, "routed", sqlserver(routed(3).logins(3))).absent("extra_us").absent("login_us"),
        case(
            CODE,
            Info,
            "routed",
            on("sqlserver", run([series(Mode::Pooled, TlsMode::Full).edit(|s| s.redirected = 50)])),
        )
        .absent("extra_us")
        .absent("extra_round_trips"),
        case(CODE, Healthy, "direct", sqlserver(routed(0))).count("logins", 100),
        case(CODE, CannotSay, "not-measured", on("sqlserver", nothing())),
    ]
}

/// The addresses of an availability group's listener: one in each subnet, of which one is online.
fn listener() -> Vec<Case> {
    const CODE: &str = "dead-address";
    const ONE: &str = "10.0.0.1:1433";
    const TWO: &str = "10.1.0.1:1433";
    let probed = |dialling: Dialling, first: OutcomeKind, second: OutcomeKind| {
        with(on("sqlserver", run([])), |run| {
            run.target.dialling = dialling;
            run.target.addresses = vec![probe(ONE, first, 3e6), probe(TWO, second, 300.0)];
        })
    };
    let patient = |run: Run| with(run, |run| run.target.login_timeout_s = 30.0);
    let silent = |dialling| probed(dialling, OutcomeKind::TimedOut, OutcomeKind::Ok);
    vec![
        // Windows would give up after 21 s; the login timeout of 15 s is over before
        case(CODE, Critical, "first-timed-out", silent(Dialling::InTurn)).us("lost_us", 15e6).text("windows", "later"),
        case(CODE, Critical, "first-timed-out", patient(silent(Dialling::InTurn)))
            .us("lost_us", 30e6)
            .text("windows", "sooner"),
        case(CODE, Info, "at-once-timed-out", silent(Dialling::AtOnce))
            .us("lost_us", 15e6)
            .text("address", ONE)
            .text("answered", TWO),
        case(CODE, Info, "at-once-timed-out", probed(Dialling::AtOnce, OutcomeKind::Ok, OutcomeKind::TimedOut))
            .text("address", TWO)
            .count("position", 2),
        case(CODE, Info, "at-once-unreachable", probed(Dialling::AtOnce, OutcomeKind::Unreachable, OutcomeKind::Ok))
            .us("lost_us", 3e6)
            .absent("windows"),
        case(CODE, Info, "at-once-refused", probed(Dialling::AtOnce, OutcomeKind::Refused, OutcomeKind::Ok)),
        case(CODE, Info, "at-once-not-resolved", probed(Dialling::AtOnce, OutcomeKind::NotResolved, OutcomeKind::Ok)),
        case(CODE, Healthy, "all-answered", probed(Dialling::AtOnce, OutcomeKind::Ok, OutcomeKind::Ok)),
    ]
}

/// Where a method that is no SCRAM was used, SCRAM is not spoken of; see the test below.
fn without_scram() -> Vec<Case> {
    const CODE: &str = "scram-derivation-dominates";
    let derived = || {
        let made = unpooled(TlsMode::Off).phases(&[(Phase::Authenticate, 3000.0, 3.0)]).client_cpu(2000.0, 1500.0);
        made.auth("scram-sha-256", Some(4096), false, 5000)
    };
    // no engine here asks for it but PostgreSQL; who is asked all the same is told
    vec![case(CODE, Warning, "wall", on("mysql", run([derived()]))).us("crypto_us", 1500.0)]
}

/// The greeting of MySQL and the PRELOGIN of SQL Server: nothing that knows a password can be at work there.
fn waits_before_the_password() -> Vec<Case> {
    let slow = |engine: &str| on(engine, run([greets(1_900_000.0).query(100.0)]));
    ["postgres", "mysql", "sqlserver"]
        .into_iter()
        .map(|engine| case("slow-logins", Warning, "cpu-unknown", slow(engine)).text("stage", "negotiate"))
        .collect()
}

#[test]
fn nobody_is_told_of_what_the_engine_does_not_have() {
    let codes = |engine: &str| -> Vec<String> {
        let made = unpooled(TlsMode::Off).phases(&[(Phase::Authenticate, 900.0, 1.0)]);
        let run = on(engine, run([made.auth("sql-login", None, false, 5000)]));
        peaje_diagnose::diagnose(&run).into_iter().map(|finding| finding.code).collect()
    };
    let mut only = [
        ("scram-derivation-dominates", "postgres"),
        ("late-greeting", "mysql"),
        ("full-authentication-each-time", "mysql"),
        ("redirected-login", "sqlserver"),
    ];
    only.sort_unstable();
    for engine in ["postgres", "mysql", "sqlserver"] {
        let said = codes(engine);
        for (code, owner) in only {
            assert_eq!(said.iter().any(|c| c == code), owner == engine, "{code} on {engine}");
        }
    }
}

#[test]
fn every_finding_names_the_engine() {
    for case in crate::cases() {
        for finding in peaje_diagnose::diagnose(&case.run) {
            let engine = peaje_model::Param::Text(case.run.target.engine.clone());
            assert_eq!(finding.params["engine"], engine, "{}", finding.code);
        }
    }
}

/// SQL Server encrypts the login even when the session goes in clear: that series is no measure of a login without TLS.
fn login_only() -> Vec<Case> {
    const CODE: &str = "tls-multiplies-login";
    let made = |tls: TlsMode| {
        unpooled(tls).logins(100).tls(Some("RSA-2048"), false, 100).phases(&[
            (Phase::Connect, 50.0, 1.0),
            (Phase::Negotiate, 400.0, 1.0),
            (Phase::Tls, 1000.0, 2.0),
            (Phase::Authenticate, 2550.0, 1.0),
        ])
    };
    let both = || on("sqlserver", run([made(TlsMode::Off), made(TlsMode::Full)]));
    vec![
        // a quarter of the login; the question before it is asked without TLS too
        case(CODE, Info, "share", both()).us("tls_us", 1000.0).us("login_us", 4000.0).share("tls_share", 0.25),
        case("rsa-key-dominates", Info, "tls-phase", both()).us("cap_us", 900.0).absent("saving_cores"),
    ]
}

fn full() -> Vec<Case> {
    const CODE: &str = "server-full";
    let full = |engine: &str, setting: Fact, code: &str| {
        let made = unpooled(TlsMode::Off).logins(900).failed(OutcomeKind::ServerFull, Some(code), 100);
        on(engine, with(run([made]), |run| run.facts = vec![setting]))
    };
    vec![
        case(CODE, Warning, "during-load", full("mysql", fact("max_connections", 151.0), "1040")).count("limit", 151),
        case(CODE, Warning, "during-load", full("sqlserver", fact("user_connections", 0.0), "17809"))
            .count("limit", 32_767),
        case(CODE, Warning, "during-load", full("sqlserver", fact("user_connections", 500.0), "17809"))
            .count("limit", 500),
        case(CODE, Warning, "account-limit", capped("mysql", "1226", HOURLY))
            .text("resource", "max_connections_per_hour")
            .text("owner", "account")
            .count("refused", 100)
            .count("attempts", 1000)
            .share("share", 0.1)
            .absent("limit"),
        case(CODE, Warning, "account-limit", capped("mysql", "1203", "")).text("resource", "max_user_connections"),
        case(CODE, Warning, "account-limit", capped("mysql", "1226", "")).text("resource", "error 1226"),
        case(CODE, Warning, "account-limit", capped("postgres", "53300", "too many connections for role \"app\""))
            .text("resource", "rolconnlimit")
            .text("owner", "role"),
        case(CODE, Warning, "account-limit", capped("postgres", "53300", "too many connections for database \"shop\""))
            .text("resource", "datconnlimit")
            .text("owner", "database"),
        case(CODE, Warning, "during-load", capped("postgres", "53300", "sorry, too many clients already")),
        // one at a time: it is not peaje that fills the server
        case(CODE, Warning, "during-load", with_login(full("mysql", fact("max_connections", 151.0), "1040"), alone))
            .text("alone", "yes"),
        case(CODE, Critical, "account-limit-first", turned_away("mysql", HOURLY))
            .text("resource", "max_connections_per_hour"),
        case(CODE, Critical, "first-login", turned_away("mysql", "Too many connections")).absent("resource"),
        case(CODE, Critical, "account-limit-first", turned_away("postgres", "too many connections for role \"app\""))
            .text("owner", "role"),
    ]
}

const HOURLY: &str = "User 'app' has exceeded the 'max_connections_per_hour' resource (current value: 900)";

/// A run whose refusals carry the server's words.
fn capped(engine: &str, code: &str, message: &str) -> Run {
    let made = unpooled(TlsMode::Off).logins(900).failed(OutcomeKind::ServerFull, Some(code), 100);
    let made = made.edit(|s| s.outcomes.iter_mut().for_each(|outcome| outcome.message = Some(message.to_owned())));
    on(engine, run([made]))
}

fn alone(login: &mut peaje_model::LoginResult) {
    login.series[0].settings.concurrency = 1;
}

/// A run that ended with its first login.
fn turned_away(engine: &str, message: &str) -> Run {
    let rule = "server-full".to_owned();
    let ended = peaje_model::Ended::Stopped { rule, message: format!("the first login failed: {message}") };
    let login = |login: &mut peaje_model::LoginResult| {
        login.first_login = Some(first_login(OutcomeKind::ServerFull, 900.0));
    };
    with(with_login(on(engine, run([])), login), |run| run.ended = ended)
}

#[test]
fn a_full_server_and_a_full_account_are_told_apart_in_one_run() {
    let made = unpooled(TlsMode::Off).logins(900).failed(OutcomeKind::ServerFull, Some("1040"), 70);
    let run = on("mysql", run([made.failed(OutcomeKind::ServerFull, Some("1203"), 30)]));
    let found: Vec<_> = peaje_diagnose::diagnose(&run).into_iter().filter(|f| f.code == "server-full").collect();
    let counts: Vec<_> = found.iter().map(|f| (f.params["variant"].clone(), f.params["refused"].clone())).collect();
    let text = |text: &str| peaje_model::Param::Text(text.to_owned());
    let count = peaje_model::Param::Count;
    assert_eq!(counts, [(text("during-load"), count(70)), (text("account-limit"), count(30))]);
}
