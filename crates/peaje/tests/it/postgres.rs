//! `peaje login` on real PostgreSQL servers, each in a throwaway folder: numbers that agree, failures with their names.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{Done, Postgres, login, on_each_version, read_run, series, signal, wait_for};
use peaje_model::{Ended, Mode, OutcomeKind, Phase, Run, TlsMode, Verdict};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{CertificateState, ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};

/// The first login's outcome of a run that could not begin.
fn first_outcome(run: &Run) -> OutcomeKind {
    run.login.as_ref().expect("a login run").first_login.as_ref().expect("tried").outcome
}

fn url(server: &ThrowawayCluster, auth: ThrowawayAuth, ssl_mode: SslMode) -> String {
    server.connection_string(auth, ssl_mode).expose().to_owned()
}

fn the_first_experiment_and_the_servers_own_count(pg: &Postgres) {
    let args = ["postgres:", "--concurrency", "10", "--iterations", "12", "--mode", "unpooled,pooled,persistent"];
    let (done, run) = pg.login(&[&args[..], &["--tls", "off,full"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(run.what_answered.as_ref().and_then(|w| w.version.as_deref()).is_some_and(|v| v.starts_with(pg.major)));
    let series = series(&run);
    assert_eq!(series.len(), 6);
    for s in series {
        assert_eq!(s.counts.completed, 120, "{}", s.label);
        assert!(s.peak_per_s.value.is_some() && s.service_us.mean.is_some(), "{}", s.label);
        let server = s.server.as_ref().expect("a local server has an account");
        assert_eq!(server.logins, Some(s.logins), "{}: the server counts as peaje does", s.label);
        let encrypted = if s.tls == TlsMode::Full { server.sampled_sessions } else { 0 };
        assert_eq!(server.sampled_encrypted, encrypted, "{}", s.label);
        // 120 logins take many steps of the process clock, 120 queries do not.
        assert!(s.mode != Mode::Unpooled || server.cpu_us_per_login.is_some(), "{}: the server is local", s.label);
        match s.mode {
            Mode::Unpooled => assert_eq!(s.logins, 120),
            // Two slices, each with a pool of ten at most, or ten workers with a session each.
            Mode::Pooled => assert!(s.logins <= 20, "{}", s.logins),
            Mode::Persistent => assert_eq!(s.logins, 20),
        }
    }
    assert!(series.iter().any(|s| s.server.as_ref().is_some_and(|a| a.sampled_sessions > 0)));
    let tls = &series[1];
    assert_eq!(tls.tls_seen[0].server_key.as_deref(), Some("RSA-2048"));
    assert_eq!(tls.auth_seen[0].method, "scram-sha-256-plus");
    assert_eq!(series[0].auth_seen[0].method, "scram-sha-256");
    let agree = run.findings.iter().find(|f| f.code == "counts-disagree").expect("looked at");
    assert_eq!(agree.verdict, Verdict::Healthy);
}

fn a_serial_client_pays_the_whole_login_each_time(pg: &Postgres) {
    let args = ["postgres:", "--concurrency", "1", "--iterations", "30", "--mode", "unpooled", "--tls", "off,full"];
    let (done, run) = pg.login(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let series = series(&run);
    for s in series {
        let busy = s.service_us.mean.expect("measured") * s.counts.completed as f64 / 1e6;
        assert!(busy > 0.8 * s.elapsed_s, "{}: one after the other, {busy} of {} s", s.label, s.elapsed_s);
    }
    let serial = run.findings.iter().find(|f| f.code == "serial-client").expect("looked at");
    assert_eq!(serial.verdict, Verdict::Found, "{serial:?}");
}

fn every_way_to_authenticate(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let table = [
        (ThrowawayAuth::Trust, "trust"),
        (ThrowawayAuth::Password, "password"),
        (ThrowawayAuth::Md5, "md5"),
        (ThrowawayAuth::Scram, "scram-sha-256"),
    ];
    for (auth, method) in table {
        let (done, run) = pg.login(&[&url(&server, auth, SslMode::Disable), "--logins", "3"]);
        assert_eq!(done.code, Some(0), "{method}: {}", done.stderr);
        let s = &series(&run)[0];
        assert_eq!(s.auth_seen[0].method, method);
        assert_eq!(s.server.as_ref().and_then(|a| a.logins), Some(3), "{method}: {:?}", run.gaps);
    }
    for mode in [SslMode::Allow, SslMode::Prefer, SslMode::Require, SslMode::VerifyCa, SslMode::VerifyFull] {
        let (done, run) = pg.login(&[&url(&server, ThrowawayAuth::Scram, mode), "--logins", "2"]);
        assert_eq!(done.code, Some(0), "{}: {}", mode.name(), done.stderr);
        let encrypted = !series(&run)[0].tls_seen.is_empty();
        assert_eq!(encrypted, mode != SslMode::Allow, "{}", mode.name());
    }
    let socket = server.socket_string(ThrowawayAuth::Scram).expose().to_owned();
    let (done, run) = pg.login(&[&socket, "--logins", "2"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].rtt_us, None, "a socket has no distance");
}

fn a_wrong_password_costs_one_failed_login_whatever_the_load(pg: &Postgres) {
    let settings = vec![("log_connections".to_owned(), "on".to_owned())];
    let server = pg.cluster(&ThrowawayOptions { settings, ..ThrowawayOptions::default() });
    let right = server.password().expose().to_owned();
    let bad = url(&server, ThrowawayAuth::Scram, SslMode::Prefer).replace(&right, "wrong-horse");
    for (already, mode) in ["unpooled", "pooled", "persistent"].into_iter().enumerate() {
        let (done, run) = pg.login(&[
            &bad,
            "--mode",
            mode,
            "--concurrency",
            "50",
            "--iterations",
            "100",
            "--yes",
            "--tls",
            "off,full",
        ]);
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains("28P01"), "{}", done.stderr);
        assert!(!done.stderr.contains("wrong-horse") && !done.stdout.contains("wrong-horse"));
        assert_eq!(first_outcome(&run), OutcomeKind::Rejected);
        let log = std::fs::read_to_string(server.folder().join("log")).expect("the server writes a log");
        assert_eq!(log.matches("FATAL:  password authentication failed").count(), already + 1, "{mode}: {log}");
    }
}

fn logins_that_fail_are_named(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let good = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    let table = [
        (good.replace("dbname=peaje", "dbname=nowhere"), OutcomeKind::Rejected, "3D000"),
        (good.replace("user=peaje_trust", "user=nobody_here"), OutcomeKind::Rejected, "28"),
        (
            good.replace(&format!("port={}", server.port()), &format!("port={}", crate::common::closed_port())),
            OutcomeKind::Refused,
            "ECONNREFUSED",
        ),
        (good.replace("'127.0.0.1'", "no-such-host.invalid"), OutcomeKind::NotResolved, "no-such-host.invalid"),
    ];
    for (bad, kind, words) in table {
        let (done, run) = pg.login(&[&bad]);
        assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
        assert_eq!(first_outcome(&run), kind, "{}", done.stderr);
        assert!(done.stderr.contains(words) && done.stderr.contains("next:"), "{words}: {}", done.stderr);
        assert!(matches!(run.ended, Ended::Stopped { .. }));
    }
    let (done, _) = pg.login(&[&good, "--query", "select 1/0"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("22012") && done.stderr.contains("its query failed"), "{}", done.stderr);
}

fn tls_that_is_not_offered_or_not_right_is_an_error_and_never_a_fallback(pg: &Postgres) {
    let plain = pg.cluster(&ThrowawayOptions {
        settings: vec![("ssl".to_owned(), "off".to_owned())],
        ..ThrowawayOptions::default()
    });
    let (done, run) = pg.login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Require)]);
    assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsNotOffered), "{}", done.stderr);
    let (done, run) = pg.login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Prefer), "--tls", "full"]);
    assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsNotOffered), "{}", done.stderr);
    let (done, run) = pg.login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Prefer)]);
    assert_eq!(done.code, Some(0), "prefer means: without, if it must be: {}", done.stderr);
    assert!(series(&run)[0].tls_seen.is_empty());
    drop(plain);

    for (certificate, code) in
        [(CertificateState::Expired, "certificate-expired"), (CertificateState::OtherHost, "certificate-wrong-host")]
    {
        let server = pg.cluster(&ThrowawayOptions { certificate, ..ThrowawayOptions::default() });
        let (done, run) = pg.login(&[&url(&server, ThrowawayAuth::Trust, SslMode::VerifyFull)]);
        assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsFailed), "{}", done.stderr);
        assert!(done.stderr.contains(code), "{}", done.stderr);
        let (done, _) = pg.login(&[
            &url(&server, ThrowawayAuth::Trust, SslMode::Require).replace("sslrootcert=", "fallback_application_name="),
            "--logins",
            "2",
        ]);
        assert_eq!(done.code, Some(0), "require does not look at the certificate: {}", done.stderr);
    }
}

fn a_load_on_somebody_elses_server_needs_consent_and_room(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions { max_connections: 30, ..ThrowawayOptions::default() });
    let target = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    let done: Done = pg
        .peaje()
        .args(["login", &target, "--concurrency", "6", "--iterations", "10"])
        .output()
        .expect("the command runs")
        .into();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--yes") && done.stderr.contains("about 60 logins"), "{}", done.stderr);
    assert!(!done.stderr.contains(server.password().expose()));
    let (done, run) = pg.login(&[&target, "--concurrency", "6", "--iterations", "10", "--yes"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].counts.completed, 60);
    // 30 connections, 3 reserved, one for the observer: never more than half of what is free.
    let (done, run) = pg.login(&[&target, "--concurrency", "20", "--iterations", "10", "--yes"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "free-sessions"), "{:?}", run.ended);
    assert_eq!(series(&run)[0].counts.scheduled, 0);
    // Without the observer nobody knows how many are free: four are enough.
    let blind = |more: &[&str]| {
        let args = [&["login", target.as_str(), "--no-observer", "--logins", "20", "--yes"][..], more].concat();
        Done::from(pg.peaje().args(args).output().expect("the command runs"))
    };
    for more in [&["--concurrency", "5"][..], &["--mode", "pooled", "--pool-min", "5"]] {
        let done = blind(more);
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        assert!(done.stderr.contains("cannot be read") && done.stderr.contains("next:"), "{}", done.stderr);
    }
    assert_eq!(blind(&["--concurrency", "4"]).code, Some(0));
}

fn a_run_stops_when_sessions_of_others_begin_to_fail(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let admin = url(&server, ThrowawayAuth::Admin, SslMode::Disable);
    let psql = |sql: &str| {
        let mut command = std::process::Command::new("psql");
        command.args([admin.as_str(), "-Atc", sql]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("Debian package postgresql-client")
    };
    let target = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let mut command = pg.peaje();
    command.args(["login", &target, "--concurrency", "2", "--duration", "30s", "--yes", "--json"]).arg(&file);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    // The run has begun once its first look at the others is over; then eight of them are ended by force.
    std::thread::sleep(Duration::from_secs(2));
    let mut others: Vec<_> = (0..8).map(|_| psql("select pg_sleep(20)")).collect();
    std::thread::sleep(Duration::from_secs(1));
    let ended =
        psql("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(20)'").wait();
    assert!(ended.is_ok_and(|status| status.success()));
    let done: Done = child.wait_with_output().expect("it ends").into();
    for other in &mut others {
        other.wait().expect("psql ends");
    }
    let run = read_run(&file).expect("a run is written");
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "other-clients"), "{:?}", run.ended);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(series(&run)[0].elapsed_s < 10.0, "soon after: {} s", series(&run)[0].elapsed_s);
}

fn a_server_of_ones_own_may_be_filled(pg: &Postgres) {
    let args = ["postgres:", "--max-sessions", "12", "--concurrency", "40", "--iterations", "10", "--auth", "trust"];
    let (done, run) = pg.login(&[&args[..], &["--mode", "unpooled", "--tls", "off"]].concat());
    assert_eq!(done.code, Some(0), "a full server of one's own is a measurement: {}", done.stderr);
    let s = &series(&run)[0];
    let full = s.outcomes.iter().find(|o| o.kind == OutcomeKind::ServerFull).expect("twelve places for forty");
    assert_eq!(full.code.as_deref(), Some("53300"));
    assert_eq!(s.counts.completed + s.counts.failed, 400, "{}", done.stderr);
    let finding = run.findings.iter().find(|f| f.code == "server-full").expect("looked at");
    assert_eq!(finding.verdict, Verdict::Found);
}

/// Runs a load until the server ends; the run must end by itself, with what was measured.
fn measured_until(end: impl FnOnce(ThrowawayCluster) -> Option<ThrowawayCluster>, pg: &Postgres, mode: &str) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let child = pg
        .peaje()
        .args(["login", &url(&server, ThrowawayAuth::Trust, SslMode::Disable), "--concurrency", "8", "--mode", mode])
        .args(["--duration", "60s", "--warm-up", "0", "--login-timeout", "4s", "--yes", "--json"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_secs(2));
    let rest = end(server);
    let done: Done = child.wait_with_output().expect("it ends by itself").into();
    assert_eq!(done.code, Some(2), "{mode}: {}", done.stderr);
    let run = crate::common::read_run(&path).expect("the run is written");
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "server-gone"), "{mode}: {:?}", run.ended);
    let s = &series(&run)[0];
    assert!(s.counts.completed > 0 && s.counts.failed > 0, "{mode}: {:?}", s.counts);
    assert!(!s.outcomes.iter().any(|o| o.kind == OutcomeKind::Rejected), "{mode}: {:?}", s.outcomes);
    // Its folder must not go before the last session of a server without a postmaster has noticed.
    drop(rest);
}

fn a_server_that_stops_in_mid_run_ends_it_with_what_was_measured(pg: &Postgres) {
    let stop = |server: ThrowawayCluster| {
        server.stop().expect("the server stops");
        None
    };
    measured_until(stop, pg, "unpooled");
}

fn a_server_that_is_killed_in_mid_run_ends_it_with_what_was_measured(pg: &Postgres) {
    for mode in ["unpooled", "pooled"] {
        let kill = |server: ThrowawayCluster| {
            let pid = i32::try_from(server.postmaster_pid()).expect("a process id");
            let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it lives");
            Some(server)
        };
        measured_until(kill, pg, mode);
    }
}

fn the_servers_cpu_is_read_only_from_the_server_itself(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let direct = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    for target in [&direct, &server.socket_string(ThrowawayAuth::Trust).expose().to_owned()] {
        let (done, run) = pg.login(&[target, "--logins", "200", "--concurrency", "4", "--yes"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(run.target.local);
        let used = series(&run)[0].server.as_ref().and_then(|s| s.cpu_us_per_login).expect("the server is local");
        assert!((100.0..1e6).contains(&used), "{used} µs of CPU for each login");
    }
    // What listens here is this test: the server may be anywhere.
    let proxy = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = proxy.local_addr().expect("bound").port();
    let behind = server.port();
    std::thread::spawn(move || {
        for client in proxy.incoming().map_while(Result::ok) {
            let server = std::net::TcpStream::connect(("127.0.0.1", behind)).expect("the server runs");
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (mut from, mut to) = (from.try_clone().expect("a handle"), to.try_clone().expect("a handle"));
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Write);
                });
            }
        }
    });
    let through = direct.replace(&format!("port={behind}"), &format!("port={port}"));
    let (done, run) = pg.login(&[&through, "--logins", "200", "--concurrency", "4", "--yes"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(!run.target.local, "an address of this machine is not yet a server here");
    assert!(series(&run)[0].server.as_ref().is_some_and(|s| s.cpu_us_per_login.is_none() && s.logins == Some(200)));
}

/// Everything that a run leaves in its temporary folder.
fn left_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn throwaway_run_ended_by(pg: &Postgres, how: rustix::process::Signal) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    // The server's own account must be able to enter it.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("ours");
    let child = pg
        .peaje()
        .env("TMPDIR", folder.path())
        .args(["login", "postgres:", "--duration", "60s", "--mode", "unpooled", "--tls", "off", "--concurrency", "4"])
        .args(["--warm-up", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    wait_for("the throwaway server's folder", Duration::from_secs(30), || left_in(folder.path()) > 0);
    std::thread::sleep(Duration::from_secs(6));
    signal(&child, how);
    let done = child.wait_with_output().expect("it ends").into();
    wait_for("the folder is removed", Duration::from_secs(15), || left_in(folder.path()) == 0);
    done
}

fn ctrl_c_stops_and_removes_the_throwaway_server(pg: &Postgres) {
    let done = throwaway_run_ended_by(pg, rustix::process::Signal::INT);
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert!(done.stdout.contains("unpooled"), "what was measured is printed: {}", done.stdout);
}

fn kill_9_leaves_no_throwaway_server_behind(pg: &Postgres) {
    let done = throwaway_run_ended_by(pg, rustix::process::Signal::KILL);
    assert_eq!(done.code, None);
}

on_each_version! {
    the_first_experiment_and_the_servers_own_count,
    a_serial_client_pays_the_whole_login_each_time,
    every_way_to_authenticate,
    a_wrong_password_costs_one_failed_login_whatever_the_load,
    logins_that_fail_are_named,
    tls_that_is_not_offered_or_not_right_is_an_error_and_never_a_fallback,
    a_load_on_somebody_elses_server_needs_consent_and_room,
    a_run_stops_when_sessions_of_others_begin_to_fail,
    a_server_of_ones_own_may_be_filled,
    a_server_that_stops_in_mid_run_ends_it_with_what_was_measured,
    a_server_that_is_killed_in_mid_run_ends_it_with_what_was_measured,
    the_servers_cpu_is_read_only_from_the_server_itself,
    ctrl_c_stops_and_removes_the_throwaway_server,
    kill_9_leaves_no_throwaway_server_behind,
}

#[test]
fn direct_tls_negotiation_saves_a_round_trip_on_18_and_is_refused_by_15() {
    let new = Postgres::v18().cluster(&ThrowawayOptions::default());
    let asked = url(&new, ThrowawayAuth::Trust, SslMode::Require);
    let (done, run) = login(&[&asked, "--logins", "5"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].phases_us[&Phase::Negotiate].round_trips, Some(1.0));
    let (done, run) = login(&[&format!("{asked} sslnegotiation=direct"), "--logins", "5"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let s = &series(&run)[0];
    assert!(!s.phases_us.contains_key(&Phase::Negotiate), "{:?}", s.phases_us.keys());
    assert_eq!(s.tls_seen.iter().map(|t| t.count).sum::<u64>(), 5);

    let old = Postgres::v15().cluster(&ThrowawayOptions::default());
    let target = url(&old, ThrowawayAuth::Trust, SslMode::Require) + " sslnegotiation=direct";
    let (done, run) = login(&[&target]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(matches!(first_outcome(&run), OutcomeKind::TlsFailed | OutcomeKind::Reset), "{}", done.stderr);
}
