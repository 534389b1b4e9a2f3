//! Ladders on servers of peaje's own: steps, several targets, plans, refusals.

use super::{held, nothing_is_left, result, sessions, sessions_by};
use crate::common::{Background, Serve, closed_port, cluster, peaje, run};
use peaje_model::{Architecture, Ended, MemorySource, TargetKind, WallKind};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};

const QUICK: [&str; 2] = ["--settle", "50ms"];

#[test]
fn without_a_target_two_architectures_stand_side_by_side() {
    let (done, run) = sessions(&["--steps", "10,20,30,40", "--settle", "100ms"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.starts_with("reference server: these numbers describe this machine"), "{}", done.stderr);
    assert_eq!(run.target.kind, TargetKind::Embedded);
    let threads = result(&run);
    let [processes] = &threads.beside[..] else { panic!("two targets: {:?}", threads.beside) };
    assert_eq!((threads.label.as_str(), processes.label.as_str()), ("serve:thread", "serve:process"));
    for (of, architecture, per_session) in
        [(threads, Architecture::Thread, 700_f64 * 1024.0), (processes, Architecture::Process, 1.8 * 1024.0 * 1024.0)]
    {
        assert_eq!(held(of), [10, 20, 30, 40]);
        assert_eq!((of.architecture, of.memory_source), (Some(architecture), MemorySource::Processes));
        assert!(of.started_by_peaje && of.same_host);
        let pss = of.bytes_per_session.pss.and_then(|pss| pss.value).expect("a line");
        // Pages that are given back between two steps take a few per cent off.
        assert!((0.9 * per_session..1.3 * per_session).contains(&pss), "{}: {pss}", of.label);
        let probe = of.steps[0].probe.as_ref().expect("each step is tried out");
        assert!(probe.login_us.mean.is_some() && probe.query_us.mean.is_some(), "{probe:?}");
        assert_eq!(of.steps.iter().map(|step| (step.opened, step.failed, step.dropped)).max(), Some((10, 0, 0)));
        assert!(of.steps.iter().all(|step| step.server_sessions == Some(step.sessions)), "{:?}", of.label);
        nothing_is_left(of);
    }
    let grown = |of: &peaje_model::SessionsResult| {
        let last = of.steps.last().expect("there");
        (last.processes.expect("read") - of.baseline.processes.expect("read"), last.threads.expect("read"))
    };
    assert_eq!(grown(threads).0, 0);
    assert!(grown(threads).1 >= 40);
    assert_eq!(grown(processes).0, 40);
    // A row as each step ends, the table's head before them.
    let rows = done.stdout.lines().filter(|line| line.split_whitespace().next() == Some("40")).count();
    assert!(rows >= 2, "{}", done.stdout);
}

#[test]
fn active_sessions_and_churn_are_measured_beside_idle_ones() {
    let args = ["serve:event", "--steps", "20,40", "--active", "10%", "--churn", "50", "-c", "4"];
    let (done, run) = sessions(&[&args[..], &QUICK].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for step in &result(&run).steps {
        let probe = step.probe.as_ref().expect("tried out");
        assert!(probe.query_beside_active_us.is_some_and(|beside| beside.mean.is_some()), "{probe:?}");
        assert!(probe.active_per_s.is_some_and(|rate| rate > 10.0), "{probe:?}");
        let churn = step.churn.as_ref().expect("asked for");
        assert!((20.0..60.0).contains(&churn.per_s), "{churn:?}");
        assert!(churn.context_switches_per_login.is_some_and(|switches| switches > 0.0), "{churn:?}");
    }
    nothing_is_left(result(&run));
}

#[test]
fn a_full_server_is_a_wall_with_the_engines_own_error() {
    let args = ["serve:event", "--protocol", "sqlserver", "--max-sessions", "60", "--steps", "20,40,100"];
    let (done, run) = sessions(&[&args[..], &QUICK].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    // The observer has one of them.
    assert_eq!(held(result(&run)), [20, 40, 59]);
    assert_eq!(result(&run).stopped_by.as_deref(), Some("server-full"));
    assert!(done.stderr.contains("17809"), "{}", done.stderr);
    let wall = result(&run).first_wall.expect("the limit was read");
    assert_eq!((wall.kind, wall.sessions), (WallKind::ServerLimit, 59));
    nothing_is_left(result(&run));
}

/// A process may open 300 files, and not one more: sessions are spread over processes of peaje's own.
#[test]
fn more_sessions_than_one_process_may_open_files() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 300 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_peaje")]);
    let server = Serve::start(&["--max-sessions", "900"]);
    let (done, run) = sessions_by(command, &[&[&server.url, "--yes", "--steps", "100,200,400"][..], &QUICK].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(held(result(&run)), [100, 200, 400]);
    nothing_is_left(result(&run));
}

#[test]
fn a_dry_run_opens_nothing_and_prints_plan_and_walls() {
    let server = Serve::start(&["--max-sessions", "90"]);
    let done = run(&["sessions", &server.url, "--dry-run", "--steps", "10,20"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for part in [
        "steps: 10, 20 open sessions, opened one after the other",
        "20 logins in about",
        "guards:",
        "wall: 89 sessions",
    ] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let without_password = done.stdout.contains("***") || !done.stdout.contains("secret");
    assert!(without_password, "{}", done.stdout);
}

#[test]
fn what_is_refused() {
    for (args, words) in [
        (&["serve:fibre"][..], "no embedded server of that model"),
        (&["postgres:", "serve:thread", "--server-pid", "1"], "several targets were named"),
        (&["postgres:", "--session-memory", "1MiB"], "only for `serve:MODEL`"),
        (&["serve:thread", "--cgroup", "/tmp"], "is no control group"),
        (&["serve:thread", "--json", "/missing/run.json"], "cannot write"),
        (&["serve:thread", "--access-token-file", "x"], "--access-token-file is only for"),
    ] {
        let done = run(&[&["sessions"], args].concat());
        assert_eq!(done.code, Some(2), "{args:?}: {done:?}");
        assert!(done.stderr.contains(words), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn a_server_that_is_not_there_is_told_and_the_others_are_measured() {
    let gone = format!("postgresql://u@127.0.0.1:{}/x", closed_port());
    let (done, run) = sessions(&[&[&gone, "serve:thread", "--steps", "5,10,15"][..], &QUICK].concat());
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("refused"), "{}", done.stderr);
    assert!(matches!(run.ended, Ended::Stopped { .. }), "{:?}", run.ended);
    let [threads] = &result(&run).beside[..] else { panic!("{:?}", run.sessions) };
    assert_eq!(held(threads), [5, 10, 15]);
}

#[test]
fn every_view_is_written_and_redacted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("plain").to_owned();
    let (csv, html, json) = (at("steps.csv"), at("page.html"), at("run.json"));
    let places = ["--csv", &csv, "--html", &html, "--json", &json];
    let done = run(&[&["sessions", "serve:event", "--steps", "5,10,15", "--redact"][..], &places, &QUICK].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rows = std::fs::read_to_string(&csv).expect("written");
    assert_eq!(rows.lines().count(), 4, "a head and three steps: {rows}");
    assert!(std::fs::read_to_string(&html).expect("written").contains("<svg"), "plots");
    let done = run(&["report", &json]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    // The page of a full disk is an error that names the file.
    let full = run(&[&["sessions", "serve:event", "--steps", "5", "--json", "/dev/full"][..], &QUICK].concat());
    assert_eq!(full.code, Some(2), "{full:?}");
    assert!(full.stderr.contains("/dev/full"), "{}", full.stderr);
}

#[test]
fn the_document_on_standard_output_is_alone_there() {
    let mut command = peaje();
    let args = ["sessions", "serve:event", "--steps", "5,10", "--json", "-", "--settle", "50ms"];
    let output = command.args(args).output().expect("the command runs");
    let run: peaje_model::Run = serde_json::from_slice(&output.stdout).expect("nothing but the document");
    assert_eq!(held(result(&run)), [5, 10]);
}

#[test]
fn another_peaje_on_the_servers_machine_tells_its_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = folder.path().join("samples.jsonl");
    let server = Serve::start(&["--max-sessions", "500", "--model", "process", "--session-memory", "2MiB"]);
    let mut observer = peaje();
    let port = server.address().port().to_string();
    observer.args(["sessions", "--observe", "--interval", "50ms", "--server-port", &port]);
    observer.stdout(std::fs::File::create(&lines).expect("writable")).stderr(std::process::Stdio::null());
    let observer = Background::of(observer.spawn().expect("the command starts"));
    let by = ["--observed-by", lines.to_str().expect("plain")];
    let (done, run) =
        sessions(&[&[&server.url, "--yes", "--steps", "10,20,30"][..], &by, &["--settle", "300ms"]].concat());
    observer.signal(rustix::process::Signal::INT);
    assert_eq!(observer.end().code, Some(0), "it ends without complaint");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let told = result(&run);
    assert_eq!((told.memory_source, held(told)), (MemorySource::Observer, vec![10, 20, 30]));
    let pss = |step: &peaje_model::SessionStep| step.pss_bytes.expect("told") as f64;
    let grown = pss(&told.steps[2]) - pss(&told.steps[0]);
    assert!((1.0..1.5).contains(&(grown / (20.0 * 2_097_152.0))), "{grown}");
}

#[test]
fn a_socket_is_a_target_as_any_other() {
    let server = cluster(&ThrowawayOptions { max_connections: 200, ..ThrowawayOptions::default() });
    let text = server.socket_string(ThrowawayAuth::Trust);
    let (done, run) = sessions(&[&[text.expose(), "--yes", "--steps", "10,20,30"][..], &QUICK].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let over_socket = result(&run);
    assert_eq!((over_socket.memory_source, held(over_socket)), (MemorySource::Processes, vec![10, 20, 30]));
    assert!(over_socket.walls.iter().all(|wall| wall.kind != WallKind::Ports), "a socket takes no port");
    nothing_is_left(over_socket);
}

/// Over worker processes too, which get the password from peaje.
#[test]
fn passwords_appear_nowhere() {
    let server = cluster(&ThrowawayOptions { max_connections: 200, ..ThrowawayOptions::default() });
    let right = server.password().expose().to_owned();
    let wrong = "wrong-horse-battery";
    let folder = tempfile::tempdir().expect("a folder");
    for (password, files, code) in [(right.as_str(), "unlimited", 0), (&right, "280", 0), (wrong, "unlimited", 2)] {
        let url = format!("postgresql://peaje_scram:{password}@127.0.0.1:{}/peaje", server.port());
        let limit = if files == "unlimited" { String::new() } else { format!("ulimit -n {files} && ") };
        let places = ["json", "csv", "html"].map(|name| folder.path().join(name));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("{limit} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_peaje")]);
        command.args(["sessions", &url, "serve:event", "--yes", "--steps", "10,20,40", "--settle", "50ms"]);
        for (option, place) in ["--json", "--csv", "--html"].iter().zip(&places) {
            command.arg(option).arg(place);
        }
        let done: crate::common::Done = command.output().expect("the command runs").into();
        assert_eq!(done.code, Some(code), "{}", done.stderr);
        let written = places.iter().map(|place| std::fs::read_to_string(place).expect("written"));
        let all: String = written.chain([done.stdout, done.stderr]).collect();
        assert!(!all.contains(&right) && !all.contains(wrong), "{files} files, exit {code}");
    }
}
