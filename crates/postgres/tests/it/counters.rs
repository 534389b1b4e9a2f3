//! The observer against a real server: its figures have to agree with what psql did, to the login.
//!
//! PostgreSQL 15 and 18 have to be installed, and psql (package `postgresql-client`); without one of them tests fail
//! and say so.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::common::{Postgres, leave, on_each_version, run, stay};
use peaje_engine::{Covers, Observer, SessionCounters, program_name};
use peaje_model::{Fact, FactValue, OutcomeKind, Secret, Segment};
use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::counters::{ObserverOptions, PgObserver, STATEMENTS, grants, log_plan, quote_literal};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};

const PATIENCE: Duration = Duration::from_secs(30);

fn start(pg: &Postgres, settings: &[(&str, &str)]) -> ThrowawayCluster {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = ThrowawayOptions { max_connections: 40, settings, ..Default::default() };
    pg.start(&options)
}

fn options(ssl_mode: SslMode, name: &str) -> ObserverOptions {
    ObserverOptions { ssl_mode, application_name: name.to_owned(), endpoint: None, skip: Vec::new() }
}

async fn observe(server: &ThrowawayCluster, auth: ThrowawayAuth, mode: SslMode, name: &str) -> PgObserver {
    PgObserver::connect(&server.config(auth, mode), &options(mode, name)).await.expect("the observer logs in")
}

async fn when_own_sessions_are(observer: &mut PgObserver, wanted: u64) -> SessionCounters {
    let started = Instant::now();
    loop {
        let counters = observer.counters().await.expect("the counters can be read");
        if counters.own_sessions == wanted {
            return counters;
        }
        assert!(started.elapsed() < PATIENCE, "{counters:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn value<'a>(facts: &'a [Fact], name: &str) -> Option<&'a FactValue> {
    facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

async fn the_servers_counter_agrees_to_the_login(pg: &Postgres) {
    let server = start(pg, &[]);
    let name = program_name(Some("CHG0012345"));
    for (auth, mode) in [(ThrowawayAuth::Admin, SslMode::Disable), (ThrowawayAuth::Scram, SslMode::VerifyFull)] {
        let mut observer = observe(&server, auth, mode, &name).await;
        let before = when_own_sessions_are(&mut observer, 0).await;
        let connection = server.connection_string(ThrowawayAuth::Scram, mode);
        for _ in 0..12 {
            run(&connection, &name, "select 1").expect("psql logs in");
        }
        // Neither a wrong password nor another database counts as a login here.
        let wrong = Secret::new(connection.expose().replace("password='", "password='x"));
        run(&wrong, &name, "select 1").expect_err("a wrong password");
        let elsewhere = Secret::new(connection.expose().replace("dbname=peaje", "dbname=postgres"));
        run(&elsewhere, &name, "select 1").expect("psql logs in");
        let after = when_own_sessions_are(&mut observer, 0).await;
        let logins = after.logins_total.expect("counted since 14") - before.logins_total.expect("counted since 14");
        assert_eq!(logins, 12, "{auth:?} {mode:?}");
        assert_eq!(after.origin, before.origin);
        assert!(after.origin.is_some());
        observer.close().await;
    }
}

async fn sessions_at_once_are_counted_too_and_a_reset_is_another_origin(pg: &Postgres) {
    let server = start(pg, &[]);
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disable, "peaje").await;
    let before = when_own_sessions_are(&mut observer, 0).await;
    let trust = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let open: Vec<Child> = (0..10).map(|_| stay(&trust, "peaje")).collect();
    when_own_sessions_are(&mut observer, 10).await;
    for mut session in open {
        drop(session.stdin.take());
        session.wait().expect("psql ends");
    }
    let after = when_own_sessions_are(&mut observer, 0).await;
    assert_eq!(after.logins_total.zip(before.logins_total).map(|(a, b)| a - b), Some(10));

    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    run(&admin, "psql", "select pg_stat_reset()").expect("the superuser may");
    assert_ne!(observer.counters().await.expect("readable").origin, before.origin);
}

async fn the_server_sees_which_sessions_are_encrypted(pg: &Postgres) {
    let server = start(pg, &[]);
    let name = "peaje it's \\ 'odd'";
    let mut observer = observe(&server, ThrowawayAuth::Trust, SslMode::Require, name).await;
    let session = |mode, name: &str| stay(&server.connection_string(ThrowawayAuth::Trust, mode), name);
    let mut open =
        vec![session(SslMode::Require, name), session(SslMode::Require, name), session(SslMode::Disable, name)];
    // Another program's sessions, and names that only begin alike, are not ours.
    open.push(session(SslMode::Require, "peaje"));
    open.push(session(SslMode::Require, "psql"));
    when_own_sessions_are(&mut observer, 3).await;
    let sample = observer.sample().await.expect("readable");
    assert_eq!((sample.sessions, sample.encrypted), (3, 2));
    for session in &mut open {
        drop(session.stdin.take());
        session.wait().expect("psql ends");
    }
}

async fn the_least_limit_holds(pg: &Postgres) {
    let server = start(pg, &[]);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let mut observer = observe(&server, ThrowawayAuth::Scram, SslMode::Disable, "peaje").await;
    let whole = observer.limits().await.expect("readable");
    assert_eq!((whole.limit, whole.reserved), (40, 3));
    assert!(whole.in_use >= 1);
    run(&admin, "psql", "alter database peaje connection limit 20").expect("altered");
    assert_eq!(observer.limits().await.expect("readable").limit, 20);
    run(&admin, "psql", "alter role peaje_scram connection limit 12").expect("altered");
    let role = observer.limits().await.expect("readable");
    assert_eq!((role.limit, role.in_use, role.reserved), (12, 1, 0));
    assert_eq!(role.allowed(), 1);
}

async fn the_grants_are_enough_and_without_them_the_gaps_name_the_privilege(pg: &Postgres) {
    let server = start(pg, &[("session_preload_libraries", "auto_explain"), ("log_disconnections", "on")]);
    let mut poor = observe(&server, ThrowawayAuth::Scram, SslMode::Disable, "peaje").await;
    let (facts, gaps) = poor.facts().await;
    let missing: Vec<&str> = gaps.iter().map(|gap| gap.what.as_str()).collect();
    assert_eq!(missing, ["session_preload_libraries", "shared_preload_libraries", "data_directory"]);
    assert!(gaps.iter().all(|g| g.next_step.as_deref() == Some("grant pg_read_all_settings to \"peaje_scram\"")));
    assert_eq!(log_plan(&facts).unknown, ["session_preload_libraries"]);

    let role = "pe\"a' je";
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    run(&admin, "psql", &grants(role, server.database())).expect("the script runs");
    let password = format!("alter role \"pe\"\"a' je\" password {}", quote_literal(server.password().expose()));
    // Only the peaje_* roles may log in to the throwaway server.
    run(&admin, "psql", &format!("{password}; alter role \"pe\"\"a' je\" rename to peaje_granted")).expect("altered");
    let hba = server.folder().join("data/pg_hba.conf");
    let lines = std::fs::read_to_string(&hba).expect("readable") + "host all peaje_granted 127.0.0.0/8 scram-sha-256\n";
    std::fs::write(&hba, lines).expect("writable");
    run(&admin, "psql", "select pg_reload_conf()").expect("reloaded");
    let granted = server.connection_string(ThrowawayAuth::Scram, SslMode::Disable);
    let granted = granted.expose().replace("peaje_scram", "peaje_granted");
    let config = Config::parse(&granted, &BareSurroundings).expect("well formed");

    let mut observer = log_in_soon(&config).await;
    let (facts, gaps) = observer.facts().await;
    assert_eq!(gaps, []);
    assert_eq!(value(&facts, "max_connections"), Some(&FactValue::Number(40.0)));
    assert_eq!(value(&facts, "standby"), Some(&FactValue::Bool(false)));
    assert!(matches!(value(&facts, "server_version_num"), Some(FactValue::Number(n)) if *n >= 140_000.0));
    let folder = server.folder().join("data").display().to_string();
    assert_eq!(value(&facts, "data_directory"), Some(&FactValue::Text(folder)));
    let plan = log_plan(&facts);
    assert_eq!(plan.loaded_libraries, ["auto_explain"]);
    assert_eq!(plan.lines, ["disconnection"]);
    assert!(plan.unknown.is_empty());
    observer.counters().await.expect("readable");
    observer.limits().await.expect("readable");
    observer.sample().await.expect("readable");
}

/// A reload takes a moment to arrive.
async fn log_in_soon(config: &Config) -> PgObserver {
    let started = Instant::now();
    loop {
        match PgObserver::connect(config, &options(SslMode::Disable, "peaje")).await {
            Ok(observer) => return observer,
            Err(failure) => assert!(started.elapsed() < PATIENCE, "{failure}"),
        }
    }
}

async fn what_answers_is_named_with_what_stands_between(pg: &Postgres) {
    let server = start(pg, &[]);
    let mut direct = observe(&server, ThrowawayAuth::Trust, SslMode::Disable, "peaje").await;
    let seen = direct.what_answered().await.expect("it answers");
    assert_eq!(seen.product, "PostgreSQL");
    assert!(seen.version.as_deref().is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit())), "{seen:?}");
    assert_eq!((seen.segment, seen.reference_server), (Segment::Server, false));

    let proxy = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = proxy.local_addr().expect("bound").port();
    let behind = server.port();
    tokio::spawn(async move {
        let (mut client, _) = proxy.accept().await.expect("the observer comes");
        let mut backend = tokio::net::TcpStream::connect(("127.0.0.1", behind)).await.expect("the server runs");
        let _ = tokio::io::copy_bidirectional(&mut client, &mut backend).await;
    });
    let through = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let through = through.expose().replace(&format!("port={behind}"), &format!("port={port}"));
    let config = Config::parse(&through, &BareSurroundings).expect("well formed");
    let mut proxied =
        PgObserver::connect(&config, &options(SslMode::Disable, "peaje")).await.expect("the observer logs in");
    let seen = proxied.what_answered().await.expect("it answers");
    assert_eq!(seen.segment, Segment::SomethingBetween);
}

async fn over_the_socket_nothing_is_encrypted_and_everything_can_be_read(pg: &Postgres) {
    let server = start(pg, &[]);
    let config =
        Config::parse(server.socket_string(ThrowawayAuth::Admin).expose(), &BareSurroundings).expect("well formed");
    let mut observer =
        PgObserver::connect(&config, &options(SslMode::Require, "peaje")).await.expect("the observer logs in");
    assert_eq!(observer.counters().await.expect("readable").own_sessions, 0);
    assert_eq!(observer.what_answered().await.expect("it answers").segment, Segment::Unknown);
}

async fn the_observer_leaves_politely(pg: &Postgres) {
    let server = start(pg, &[]);
    let observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disable, "peaje").await;
    observer.close().await;
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let sql = "select sessions_abandoned from pg_stat_database where datname = current_database()";
    assert_eq!(run(&admin, "psql", sql).expect("readable"), "0");
}

async fn a_login_that_fails_says_how(pg: &Postgres) {
    let server = start(pg, &[]);
    let config = |from: &str, to: &str| {
        let text = server.connection_string(ThrowawayAuth::Scram, SslMode::Disable).expose().replace(from, to);
        Config::parse(&text, &BareSurroundings).expect("well formed")
    };
    for (config, kind, code) in [
        (config("password='", "password='x"), OutcomeKind::Rejected, Some("28P01")),
        (config("dbname=peaje", "dbname=nowhere"), OutcomeKind::Rejected, Some("3D000")),
        (config(&format!("port={}", server.port()), "port=1"), OutcomeKind::Refused, Some("ECONNREFUSED")),
        (config("password=", "passfile="), OutcomeKind::Rejected, None),
    ] {
        let failure = PgObserver::connect(&config, &options(SslMode::Disable, "peaje")).await.expect_err("it fails");
        assert_eq!((failure.kind, failure.code.as_deref()), (kind, code), "{failure}");
        assert!(!format!("{failure:?}").contains(server.password().expose()));
    }
    let other = SslMode::VerifyFull;
    let mut strict = server.config(ThrowawayAuth::Scram, other);
    strict.ssl_root_cert = None;
    let failure = PgObserver::connect(&strict, &options(other, "peaje")).await.expect_err("there is no root");
    assert_eq!(failure.kind, OutcomeKind::TlsFailed);
}

async fn a_session_tells_its_own_memory_and_says_that_it_is_its_own(pg: &Postgres) {
    let server = start(pg, &[]);
    let connection = server.connection_string(ThrowawayAuth::Scram, SslMode::Disable);
    let others: Vec<Child> = (0..3).map(|_| stay(&connection, "other")).collect();
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disable, "peaje").await;
    let started = Instant::now();
    let told = loop {
        let told = observer.session_memory().await.expect("an administrator may see it");
        if told.open == 4 {
            break told;
        }
        assert!(started.elapsed() < PATIENCE, "{told:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!((told.covers, told.sessions), (Covers::ThisSession, 1));
    // Another new session of the same role, asked in other words.
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let sql = "select sum(used_bytes + free_bytes) from pg_backend_memory_contexts";
    let independent: u64 = run(&admin, "psql", sql).expect("readable").parse().expect("a number");
    // The observer has asked more than that, and its caches hold what it asked for.
    assert!(told.bytes > independent / 2 && told.bytes < independent * 5, "{} and {independent}", told.bytes);
    assert!(told.gaps.iter().any(|gap| gap.next_step.as_deref().is_some_and(|step| step.contains("--observe"))));
    observer.close().await;
    let mut plain = observe(&server, ThrowawayAuth::Scram, SslMode::Disable, "peaje").await;
    let gap = plain.session_memory().await.expect_err("a plain role may not");
    assert!(gap.why.contains("42501") && gap.next_step.is_some(), "{gap:?}");
    plain.close().await;
    others.into_iter().for_each(leave);
}

fn every_statement_runs_as_it_is_shown(pg: &Postgres) {
    let server = start(pg, &[]);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let version: u32 = run(&admin, "psql", "show server_version_num").expect("readable").parse().expect("a number");
    for statement in STATEMENTS.iter().filter(|s| s.since_version > 0 && s.since_version <= version) {
        let shown = format!("\\set application_name peaje\n{};\n", statement.sql.trim_end());
        run(&admin, "psql", &shown).unwrap_or_else(|error| panic!("{}: {error}", statement.name));
    }
}

on_each_version! {
    every_statement_runs_as_it_is_shown; async the_servers_counter_agrees_to_the_login, sessions_at_once_are_counted_too_and_a_reset_is_another_origin, the_server_sees_which_sessions_are_encrypted, the_least_limit_holds, the_grants_are_enough_and_without_them_the_gaps_name_the_privilege, what_answers_is_named_with_what_stands_between, a_session_tells_its_own_memory_and_says_that_it_is_its_own, over_the_socket_nothing_is_encrypted_and_everything_can_be_read, the_observer_leaves_politely, a_login_that_fails_says_how
}
