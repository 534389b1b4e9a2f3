//! `peaje watch` where the world around it is hard: readers that sleep, files that may not grow, names that nobody may
//! see.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Background, Done, Serve, closed_port, cluster, peaje, read_run, run, wait_for};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};
use rustix::process::Signal;

fn lines_in(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// The reader of a pipe that is stopped (`| less`) used to stop the readings.
#[test]
fn a_reader_that_sleeps_holds_up_no_reading_and_misses_nothing() {
    let servers: Vec<Serve> =
        ["postgres", "mysql", "postgres"].iter().map(|protocol| Serve::start(&["--protocol", protocol])).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("i.csv");
    let mut command = peaje();
    command.args(["watch", &servers[0].url, &servers[1].url, &servers[2].url, "--interval", "50ms"]);
    command.args(["--intervals-jsonl", "-", "--intervals-csv"]).arg(&csv);
    let watching = Background::start(&mut command);
    // A pipe holds 64 KiB: some hundred and fifty of these lines.
    wait_for("many more lines than a pipe holds", Duration::from_secs(90), || lines_in(&csv) > 500);
    watching.signal(Signal::INT);
    let done = watching.end();
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    let taken = done.stdout.lines().count();
    assert!(done.stdout.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{}", done.stdout);
    assert_eq!(taken + 1, lines_in(&csv), "the CSV has a header, and both have every interval");
}

/// Runs the command with a limit of file sizes, KiB.
fn limited(kib: u32, args: &[&str]) -> Command {
    let mut command = Command::new("bash");
    let script = format!("ulimit -f {kib}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_peaje")]).args(args).env("HOME", "/nonexistent");
    command.stdin(Stdio::null());
    command
}

/// The signal of a file that may not grow (SIGXFSZ) used to end the process.
#[test]
fn a_recording_that_may_not_grow_waits_and_the_watch_goes_on() {
    let server = Serve::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let args = ["watch", &server.url, "--interval", "50ms", "--for", "12s", "--record", &path("r.db")];
    let done: Done =
        limited(100, &[&args[..], &["--json", &path("run.json")]].concat()).output().expect("it runs").into();
    assert_eq!(done.code, Some(2), "{done:#?}");
    assert!(done.stdout.contains("recording waits: there is no room for more"), "{}", done.stdout);
    assert!(done.stderr.contains("the last") && done.stderr.contains("could not be written"), "{}", done.stderr);
    assert!(done.stdout.contains("Who logs in and out"), "{}", done.stdout);
    let whole = read_run(Path::new(&path("run.json"))).expect("a run file").watch.expect("a watch").readings;
    let again = run(&["watch", "--replay", &path("r.db"), "--json", &path("again.json")]);
    assert_eq!(again.code, Some(0), "{again:#?}");
    let kept = read_run(Path::new(&path("again.json"))).expect("a run file").watch.expect("a watch").readings;
    assert!(kept > 5 && kept < whole, "{kept} of {whole}");
}

#[test]
fn a_recording_that_cannot_begin_says_so_and_leaves_nothing() {
    let server = Serve::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("r.db");
    let args = ["watch", &server.url, "--for", "2s", "--record", db.to_str().expect("UTF-8")];
    let done: Done = limited(8, &args).output().expect("it runs").into();
    assert_eq!(done.code, Some(2), "{done:#?}");
    assert!(done.stderr.contains("no room") && done.stderr.contains("start again"), "{}", done.stderr);
    assert!(!db.exists(), "half a file would be called damaged");
    let done = run(&args);
    assert_eq!(done.code, Some(0), "with room it begins: {done:#?}");
}

fn without(all: &str, names: &[&str]) {
    for name in names {
        assert!(!all.contains(name), "`{name}` stands in an output:\n{all}");
    }
}

/// Lines, interval files, talk, errors and the run file: none may tell whose site this is.
#[test]
fn redaction_covers_every_stream() {
    let server = cluster(&ThrowawayOptions::default());
    let url = server.connection_string(ThrowawayAuth::Scram, SslMode::Prefer).expose().to_owned();
    let mut client = Command::new("psql")
        .args(["-X", "-d", &url])
        .env("PGAPPNAME", "zebra-billing")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("psql is installed (Debian package postgresql-client)");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let port = closed_port();
    let mut command = peaje();
    command.args(["watch", &url, "postgresql://bob@db7.acme.invalid/zebrashop", "--redact", "--interval", "100ms"]);
    command.args(["--listen", &format!("127.0.0.1:{port}"), "--json"]).arg(path("run.json"));
    command.arg("--intervals-csv").arg(path("i.csv")).arg("--intervals-jsonl").arg(path("i.jsonl"));
    let watching = Background::start(command.arg("--record").arg(path("acme.db")));
    wait_for("lines", Duration::from_secs(60), || lines_in(&path("i.csv")) > 30);
    let page = super::watch::get(port).expect("figures");
    watching.signal(Signal::INT);
    let done = watching.end();
    client.kill().and_then(|()| client.wait()).expect("it ran");
    assert_eq!(done.code, Some(130), "{done:#?}");
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("it was written");
    let names = ["zebra", "acme", "bob", "peaje_scram"];
    for all in [&done.stdout, &done.stderr, &page, &read("run.json"), &read("i.csv"), &read("i.jsonl")] {
        without(all, &names);
    }
    assert!(done.stdout.contains("host-1") && read("i.csv").contains("127.0.0.1:"), "{}", done.stdout);
    assert!(page.contains("peaje_application_name=\"application-"), "{page}");
    let replayed = run(&["watch", "--replay", path("acme.db").to_str().expect("UTF-8")]);
    assert!(replayed.stdout.contains("zebra-billing"), "the recording keeps them: {}", replayed.stdout);

    let wrong = url.replace(server.password().expose(), "wrong-horse");
    for command in [&["watch", "--for", "1s"][..], &["check"], &["login", "--logins", "1"]] {
        let done: Done = peaje().args(command).args([&wrong, "--redact"]).output().expect("it runs").into();
        assert_eq!(done.code, Some(2), "{done:#?}");
        assert!(done.stderr.contains("password") && done.stderr.contains("login-"), "{}", done.stderr);
        without(&format!("{}{}", done.stdout, done.stderr), &names);
    }
}
