//! Resets, restarts, and other servers: what may not be compared.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use peaje_engine::{Snapshot, Watcher};
use peaje_model::{OutcomeKind, Secret};
use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::counters::open_watcher;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster};

use super::support::{PATIENCE, named, options, read, since, start, until_open, watch_as_admin};
use crate::common::{Postgres, leave, on_each_version, owner, run, stay};

async fn a_reset_of_one_database_is_another_origin(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let client = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    run(&client, "script", "select 1").expect("psql logs in");
    let stays = stay(&client, "pool");
    let before = until_open(&mut watcher, 1).await;
    run(&Secret::new(admin.expose().replace("dbname=peaje", "dbname=postgres")), "psql", "select pg_stat_reset()")
        .expect("the superuser may");
    let elsewhere = until_open(&mut watcher, 1).await;
    run(&admin, "psql", "select pg_stat_reset()").expect("the superuser may");
    let here = until_open(&mut watcher, 1).await;
    let origins = [&before, &elsewhere, &here].map(|reading| reading.identity.origin.clone());
    assert!(origins[0] != origins[1] && origins[1] != origins[2], "{origins:?}");
    assert_eq!((&here.identity.name, here.identity.started_us), (&before.identity.name, before.identity.started_us));
    // Whoever was logged in before the reset can leave without a negative number.
    leave(stays);
    let after = until_open(&mut watcher, 0).await;
    assert_eq!(since(&here, &after), (0, 1, 0));
    // Another session that watches finds the same origin.
    let found = read(&mut watch_as_admin(&server).await).await;
    assert_eq!(found.identity, after.identity);
}

async fn a_dropped_database_takes_nothing_with_it(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    let start = until_open(&mut watcher, 0).await;
    run(&admin, "psql", "create database short_lived").expect("created");
    let short_lived = Secret::new(admin.expose().replace("dbname=peaje", "dbname=short_lived"));
    for _ in 0..7 {
        run(&short_lived, "script", "select 1").expect("psql logs in");
    }
    let used = until_open(&mut watcher, 0).await;
    assert_eq!(since(&start, &used), (8, 8, 0));
    run(&admin, "psql", "drop database short_lived").expect("dropped");
    assert_eq!(since(&used, &until_open(&mut watcher, 0).await), (1, 1, 0));
}

async fn a_lost_session_is_a_failure_and_a_restart_is_told_apart(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    let before = read(&mut watcher).await;
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'peaje watch'";
    run(&admin, "psql", kill).expect("the superuser may");
    let failure = watcher.read().await.expect_err("the session is over");
    assert_eq!(failure.kind, OutcomeKind::Reset, "{failure:?}");
    let mut watcher = watch_as_admin(&server).await;
    assert_eq!(read(&mut watcher).await.identity, before.identity);

    // A crash: the server goes on, with all counters cleared.
    let victim = stay(&admin, "victim");
    let pid = named(&until_open(&mut watcher, 1).await, "victim").id;
    signal(pid, rustix::process::Signal::KILL);
    let started = Instant::now();
    while watcher.read().await.is_ok() {
        assert!(started.elapsed() < PATIENCE, "the server ends all sessions");
    }
    leave(victim);
    let crashed = read(&mut log_in_soon(&server).await).await;
    assert_eq!(crashed.identity.name, before.identity.name);
    assert_eq!(crashed.identity.started_us, before.identity.started_us);
    assert_ne!(crashed.identity.origin, before.identity.origin);

    // A restart: counters are kept, and the server says when it started.
    signal(u64::from(server.postmaster_pid()), rustix::process::Signal::INT);
    let mut again = serve_again(&server);
    let restarted = read(&mut log_in_soon(&server).await).await;
    assert_eq!(restarted.identity.name, before.identity.name);
    assert!(restarted.identity.started_us > before.identity.started_us);
    signal(u64::from(again.id()), rustix::process::Signal::INT);
    again.wait().expect("it ends");
}

async fn log_in_soon(server: &ThrowawayCluster) -> Box<dyn Watcher> {
    log_in_soon_at(&server.config(ThrowawayAuth::Admin, SslMode::Disable)).await
}

async fn log_in_soon_at(config: &Config) -> Box<dyn Watcher> {
    let started = Instant::now();
    loop {
        match open_watcher(config, &options(Snapshot::Sessions)).await {
            Ok(watcher) => return watcher,
            Err(failure) => assert!(started.elapsed() < PATIENCE, "{failure}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn signal(pid: u64, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a process")).expect("not 0");
    rustix::process::kill_process(pid, signal).expect("it runs");
}

/// The same data and port, once the server that had them is gone.
fn serve_again(server: &ThrowawayCluster) -> Child {
    until_stopped(server);
    serve(server, "data", server.port())
}

fn until_stopped(server: &ThrowawayCluster) {
    let lock = server.folder().join("data/postmaster.pid");
    let started = Instant::now();
    while lock.exists() {
        assert!(started.elapsed() < PATIENCE, "it does not stop");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn serve(server: &ThrowawayCluster, data: &str, port: u16) -> Child {
    let mut command = Command::new(server.bindir().join("postgres"));
    command.arg("-D").arg(server.folder().join(data)).args(["-p", &port.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if rustix::process::geteuid().is_root() {
        let (uid, gid) = owner(server.folder());
        command.uid(uid).gid(gid);
    }
    command.spawn().expect("it started before")
}

async fn another_server_has_another_name(pg: &Postgres) {
    let (a, b) = (start(pg), start(pg));
    let (mut a, mut b) = (watch_as_admin(&a).await, watch_as_admin(&b).await);
    assert_ne!(read(&mut a).await.identity.name, read(&mut b).await.identity.name);
}

async fn a_hot_standby_is_watched_as_well_and_is_another_server(pg: &Postgres) {
    let server = start(pg);
    let primary = read(&mut watch_as_admin(&server).await).await;
    signal(u64::from(server.postmaster_pid()), rustix::process::Signal::INT);
    until_stopped(&server);
    let (data, copy) = (server.folder().join("data"), server.folder().join("standby"));
    let copied = Command::new("cp").arg("-a").arg(&data).arg(&copy).status().expect("cp is installed");
    assert!(copied.success());
    std::fs::write(copy.join("standby.signal"), "").expect("writable");
    let port = crate::common::free_port();
    let mut standby = serve(&server, "standby", port);
    let url = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let url = Secret::new(url.expose().replace(&format!("port={}", server.port()), &format!("port={port}")));
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let admin = admin.expose().replace(&format!("port={}", server.port()), &format!("port={port}"));
    let mut watcher = log_in_soon_at(&Config::parse(&admin, &BareSurroundings).expect("well formed")).await;
    let before = until_open(&mut watcher, 0).await;
    assert_ne!(before.identity.name, primary.identity.name);
    for _ in 0..4 {
        run(&url, "script", "select pg_is_in_recovery()").expect("a hot standby lets readers in");
    }
    let after = until_open(&mut watcher, 0).await;
    assert_eq!(since(&before, &after), (4, 4, 0));
    assert!(after.gaps.iter().all(|gap| gap.what == "failed logins"), "{:?}", after.gaps);
    signal(u64::from(standby.id()), rustix::process::Signal::INT);
    standby.wait().expect("it ends");
}

on_each_version! {
    ; async a_reset_of_one_database_is_another_origin, a_dropped_database_takes_nothing_with_it, a_lost_session_is_a_failure_and_a_restart_is_told_apart, another_server_has_another_name, a_hot_standby_is_watched_as_well_and_is_another_server
}
