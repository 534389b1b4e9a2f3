//! `peaje login` and `peaje serve` end to end on the reference server: no database is needed.

use std::time::Duration;

use crate::common::{Serve, login, peaje, run, series, signal};
use peaje_model::{BoundVerdict, Ended, Mode, OutcomeKind, Phase, TargetKind, TlsMode, Verdict};

#[test]
fn without_a_target_the_story_in_small() {
    let started = std::time::Instant::now();
    let (done, run) = login(&[]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    assert!(done.stdout.contains("these numbers describe this machine, not your database"), "{}", done.stdout);
    assert_eq!(run.target.kind, TargetKind::Embedded);
    assert!(run.what_answered.as_ref().is_some_and(|w| w.reference_server), "{:?}", run.what_answered);
    let series = series(&run);
    let order: Vec<_> = series.iter().map(|s| (s.mode, s.tls)).collect();
    assert_eq!(
        order,
        [
            (Mode::Unpooled, TlsMode::Off),
            (Mode::Unpooled, TlsMode::Full),
            (Mode::Pooled, TlsMode::Off),
            (Mode::Pooled, TlsMode::Full)
        ]
    );
    for s in series {
        let server = s.server.as_ref().expect("the reference server keeps an account");
        assert_eq!(server.logins, Some(s.logins), "{}", s.label);
        assert!(server.sampled_sessions > 0, "{}", s.label);
        let encrypted = if s.tls == TlsMode::Full { server.sampled_sessions } else { 0 };
        assert_eq!(server.sampled_encrypted, encrypted, "{}", s.label);
        assert_eq!(s.counts.failed + s.counts.skipped + s.counts.in_flight, 0, "{:?}", s.counts);
        assert!(s.peak_per_s.value.is_some() && s.latency_us.p99.is_some());
    }
    assert_eq!(series[0].logins, series[0].counts.completed);
    assert!(series[2].logins <= 100, "two pools of fifty at most: {}", series[2].logins);
    assert!(series[1].phases_us.contains_key(&Phase::Tls) && !series[0].phases_us.contains_key(&Phase::Tls));
    let disagree = run.findings.iter().find(|f| f.code == "counts-disagree").expect("looked at");
    assert_eq!(disagree.verdict, Verdict::Healthy);
}

#[test]
fn fifty_in_flight_are_not_slowed_down_to_one_at_a_time() {
    let args = ["--auth-delay", "100ms", "--mode", "unpooled", "--tls", "off", "--duration", "3s", "--warm-up", "0"];
    let (done, run) = login(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rate = series(&run)[0].throughput_per_s.value.expect("measured");
    assert!((400.0..=510.0).contains(&rate), "{rate}/s");
}

#[test]
fn an_open_loop_at_half_the_capacity_is_on_time_and_at_twice_it_is_not() {
    // Four in flight, 20 ms each: a capacity of just under 200/s.
    let at = |rate| {
        let args = ["--auth-delay", "20ms", "--mode", "unpooled", "--tls", "off", "--concurrency", "4", "--rate", rate];
        let (done, run) = login(&[&args[..], &["--duration", "4s", "--warm-up", "0"]].concat());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        (done, run)
    };
    let (_, half) = at("90");
    let half = &series(&half)[0];
    assert!(half.lag_us.p50.expect("measured") < 5_000.0, "{:?}", half.lag_us);
    // Whoever is still waiting when the time is over counts as skipped: never more than a burst.
    assert!(half.counts.skipped <= 8, "{:?}", half.counts);
    let (done, twice) = at("400");
    let late = twice.findings.iter().find(|f| f.code == "late-starts").expect("looked at");
    assert_eq!(late.verdict, Verdict::Found);
    let twice = &series(&twice)[0];
    assert!(twice.latency_us.p99.expect("measured") > 1_000_000.0, "{:?}", twice.latency_us);
    assert!(twice.service_us.p99.expect("measured") < 500_000.0, "{:?}", twice.service_us);
    assert!(twice.counts.skipped > 0, "{:?}", twice.counts);
    assert!(done.stdout.contains("late-starts"), "{}", done.stdout);
}

#[test]
fn resumption_that_happens_is_counted() {
    let (_, run) = login(&["--mode", "unpooled", "--tls", "full,resumed", "--logins", "400", "--concurrency", "50"]);
    let series = series(&run);
    assert!(series[0].tls_seen.iter().all(|t| !t.resumed));
    let resumed: u64 = series[1].tls_seen.iter().filter(|t| t.resumed).map(|t| t.count).sum();
    assert!(resumed >= 300, "{:?}", series[1].tls_seen);
}

#[test]
fn scram_is_named_with_its_iterations_and_cached_when_asked() {
    let args = ["--auth", "scram", "--mode", "unpooled", "--tls", "off,full", "--logins", "50", "--scram-cache", "on"];
    let (done, run) = login(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let series = series(&run);
    assert_eq!(series[0].auth_seen[0].method, "scram-sha-256");
    assert_eq!(series[0].auth_seen[0].iterations, Some(4096));
    assert!(series[0].auth_seen.iter().any(|a| a.cached));
    assert_eq!(series[1].auth_seen[0].method, "scram-sha-256-plus");
}

#[test]
fn an_interruption_prints_what_was_measured_and_leaves_with_130() {
    for (mode, delay) in [("unpooled", "--auth-delay"), ("pooled", "--query-delay"), ("persistent", "--query-delay")] {
        interrupted(mode, delay);
    }
}

fn interrupted(mode: &str, delay: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let child = peaje()
        .args(["login", "--mode", mode, "--tls", "off", "--duration", "60s", delay, "50ms", "--json"])
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command runs");
    // Past the warm-up, which settles within 2.5 s at most.
    std::thread::sleep(Duration::from_secs(4));
    signal(&child, rustix::process::Signal::INT);
    let done: crate::common::Done = child.wait_with_output().expect("it ends").into();
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    let run = crate::common::read_run(&path).expect("the run is written");
    assert_eq!(run.ended, Ended::Interrupted);
    let s = &series(&run)[0];
    assert!(s.counts.completed > 0 && s.counts.in_flight > 0, "{mode}: {:?}", s.counts);
    assert!(done.stdout.contains(mode), "what was measured is printed: {}", done.stdout);
}

#[test]
fn a_full_server_and_dropped_connections_are_outcomes() {
    let (done, run) = login(&["--mode", "unpooled", "--tls", "off", "--logins", "200", "--refuse-every", "10"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let s = &series(&run)[0];
    let full = s.outcomes.iter().find(|o| o.kind == OutcomeKind::ServerFull).expect("counted");
    assert_eq!(full.code.as_deref(), Some("53300"));
    assert_eq!(full.count + s.counts.completed, 200);
    assert!(full.latency_us.mean.is_some());

    let args =
        ["--mode", "unpooled", "--tls", "off", "--logins", "100", "--drop-after", "authenticate", "--drop-every", "5"];
    let (_, run) = login(&args);
    let s = &series(&run)[0];
    assert!(s.outcomes.iter().any(|o| o.kind == OutcomeKind::Reset && o.count > 0), "{:?}", s.outcomes);
}

#[test]
fn a_connection_that_is_reset_is_counted_as_reset() {
    for tls in ["off", "full"] {
        let (done, run) = login(&["--mode", "unpooled", "--tls", tls, "--logins", "200", "--reset-every", "10"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let s = &series(&run)[0];
        let reset = s.outcomes.iter().find(|o| o.kind == OutcomeKind::Reset).expect("counted");
        assert_eq!(reset.code.as_deref(), Some("ECONNRESET"));
        assert!((19..=21).contains(&reset.count), "{:?}", s.outcomes);
        assert_eq!(reset.count + s.counts.completed, 200, "{tls}");
    }
}

#[test]
fn persistent_sessions_log_in_once_for_each_worker() {
    let args = ["--mode", "persistent", "--tls", "off", "--concurrency", "8", "--iterations", "50"];
    let (_, run) = login(&args);
    let s = &series(&run)[0];
    assert_eq!((s.counts.completed, s.logins), (400, 8));
    assert_eq!(s.server.as_ref().and_then(|s| s.logins), Some(8));
}

#[test]
fn a_served_reference_server_is_recognised_and_measured_by_url() {
    let serve = Serve::start(&["--max-sessions", "200"]);
    let (done, run) = login(&[&serve.url]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(run.target.kind, TargetKind::User);
    assert!(run.what_answered.as_ref().is_some_and(|w| w.reference_server), "{:?}", run.what_answered);
    let s = &series(&run)[0];
    assert_eq!((s.counts.completed, s.logins), (20, 20));
    assert_eq!(s.latency_us.p99, None, "20 logins have no p99");
    assert_ne!(s.bound.verdict, BoundVerdict::Generator);
}

#[test]
fn a_served_password_lets_in_and_a_wrong_one_does_not() {
    let mut command = peaje();
    command.env("PEAJE_SERVE_PASSWORD", "right-horse");
    let serve = Serve::start(&["--password", "right-horse"]);
    let good = serve.url.replace("peaje@", "peaje:right-horse@");
    let (done, _) = login(&[&good]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let bad = serve.url.replace("peaje@", "peaje:wrong-horse@");
    let (done, run) = login(&[&bad]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("28P01"), "{}", done.stderr);
    assert_eq!(run.login.expect("a login run").first_login.expect("tried").outcome, OutcomeKind::Rejected);
}

#[test]
fn every_view_of_a_saved_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let args = ["login", "--mode", "unpooled", "--tls", "off,full", "--logins", "100", "--json", &path("run.json")];
    assert_eq!(run(&args).code, Some(0));
    let done = run(&["report", &path("run.json"), "--html", &path("run.html"), "--csv", &path("run.csv")]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let html = std::fs::read_to_string(path("run.html")).expect("a page");
    let without_namespaces = html.replace("http://www.w3.org/", "");
    for fetched in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!without_namespaces.contains(fetched), "the page is self-contained: {fetched}");
    }
    assert!(html.contains("<svg"));
    let csv = std::fs::read_to_string(path("run.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let spanish = run(&["report", &path("run.json"), "--lang", "es"]);
    assert!(spanish.stdout.contains("servidor"), "{}", spanish.stdout);
    let again = run(&["report", &path("run.json"), "--diagnose", "--json", "-"]);
    let again: peaje_model::Run = serde_json::from_str(&again.stdout).expect("JSON on stdout");
    let first = crate::common::read_run(folder.path().join("run.json").as_path()).expect("the run");
    assert_eq!(again, first, "a saved run gives the same findings again");
}

#[test]
fn a_limit_on_severity_is_an_exit_code() {
    let args = ["--mode", "unpooled", "--tls", "off,full", "--logins", "300", "--fail-on", "info"];
    let (done, run) = login(&args);
    let found = run.findings.iter().any(|f| f.verdict == Verdict::Found);
    assert_eq!(done.code, Some(i32::from(found)), "{:?}", run.findings);
}
