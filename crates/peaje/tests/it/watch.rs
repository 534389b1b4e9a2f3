//! `peaje watch` as a whole: servers watched and replayed, series read, and everything that can go wrong on the way.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::common::{Background, Done, Serve, closed_port, cluster, peaje, read_run, run, wait_for};
use peaje_model::{Ended, GroupKind, Run, Settings, Verdict, WatchGroup, WatchResult};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};
use rustix::process::Signal;

/// Half an hour of counters, a line every 10 s; `of` gives logins and logouts so far, and the open sessions.
fn series(seconds: u32, of: impl Fn(u32) -> (u64, u64, u64)) -> String {
    let mut csv = String::from("t_s,logins_total,logouts_total,sessions\n");
    for t in (0..=seconds).step_by(10) {
        let (logins, logouts, sessions) = of(t);
        writeln!(csv, "{t},{logins},{logouts},{sessions}").expect("a string");
    }
    csv
}

/// Twenty logins a second, each gone at once.
fn unpooled() -> String {
    series(3_600, |t| (u64::from(t) * 20, u64::from(t) * 20, 1 + u64::from(t / 10 % 3)))
}

/// Fifty sessions that stay.
fn steady() -> String {
    series(3_600, |_| (50, 0, 50))
}

fn file(folder: &Path, name: &str, contents: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a file");
    path
}

/// Runs `peaje watch` and reads the run file it wrote.
fn watch(args: &[&str]) -> (Done, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let done: Done =
        peaje().arg("watch").args(args).arg("--json").arg(&path).output().expect("the command runs").into();
    let run = read_run(&path).unwrap_or_else(|| panic!("no run file was written: {done:#?}"));
    (done, run)
}

fn result(run: &Run) -> &WatchResult {
    run.watch.as_ref().expect("a run of a watch")
}

fn instance(run: &Run) -> &WatchGroup {
    result(run).groups.iter().find(|group| group.kind == GroupKind::Instance).expect("the instance is a group")
}

#[test]
fn a_bare_series_of_short_sessions_is_no_pooling_and_a_steady_one_is_healthy() {
    let folder = tempfile::tempdir().expect("a folder");
    let unpooled = file(folder.path(), "unpooled.csv", unpooled().as_bytes());
    let (done, run) = watch(&["--replay", unpooled.to_str().expect("UTF-8")]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let group = instance(&run);
    assert_eq!(group.verdict_codes, ["no-pooling"], "{group:#?}");
    assert!((group.logins_per_s.expect("a rate") - 20.0).abs() < 0.5, "{group:#?}");
    assert!(done.stdout.contains("does not pool") && done.stdout.contains("no-pooling"), "{}", done.stdout);
    assert!(run.findings.iter().any(|f| f.code == "no-pooling" && f.verdict == Verdict::Found));

    let steady = file(folder.path(), "steady.csv", steady().as_bytes());
    let (done, run) = watch(&["--replay", steady.to_str().expect("UTF-8"), "--fail-on", "info"]);
    assert_eq!((done.code, instance(&run).verdict_codes.len()), (Some(0), 0), "{done:#?}");
}

#[test]
fn fail_on_makes_a_verdict_an_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let unpooled = file(folder.path(), "unpooled.csv", unpooled().as_bytes());
    let done = run(&["watch", "--replay", unpooled.to_str().expect("UTF-8"), "--fail-on", "info"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
}

#[test]
fn declared_pools_are_predicted_and_a_pasted_string_keeps_its_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let steady = file(folder.path(), "steady.csv", steady().as_bytes());
    let pasted = "Server=tcp:db1,1433;User ID=app;Password=hunter2;Min Pool Size=100;Max Pool Size=120";
    let args = ["--replay", steady.to_str().expect("UTF-8"), "--pool", pasted, "--pool", "shop=max:50,lifetime:30m"];
    let (done, run) = watch(&args);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let Settings::Watch(settings) = &run.settings else { panic!("{:?}", run.settings) };
    assert_eq!(settings.declared_pools, ["min:100,max:120", "shop=max:50,lifetime:1800s"]);
    assert!(done.stdout.contains("What the declared pools predict"), "{}", done.stdout);
    let text = serde_json::to_string(&run).expect("plain data") + &done.stdout + &done.stderr;
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn applications_of_a_series_are_told_apart() {
    let mut csv = String::from("t_s,app,logins_total,logouts_total,sessions\r\n");
    for t in (0..=3_600).step_by(10) {
        write!(csv, "{t},shop,{0},{0},2\r\n{t},billing,40,0,40\r\n", t * 5).expect("a string");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "apps.csv", format!("\u{feff}{csv}").as_bytes());
    let (done, run) = watch(&["--replay", path.to_str().expect("UTF-8")]);
    let of = |name: &str| {
        let groups = &result(&run).groups;
        groups.iter().find(|group| group.name.contains(name)).unwrap_or_else(|| panic!("{name}: {done:#?}"))
    };
    assert_eq!(of("shop").verdict_codes, ["no-pooling"]);
    assert!(of("billing").verdict_codes.is_empty());
}

#[test]
fn files_that_are_no_recording_say_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = |name: &str, contents: &[u8]| file(folder.path(), name, contents).to_str().expect("UTF-8").to_owned();
    let table = [
        (named("empty.csv", b""), "header"),
        (named("words.csv", b"t_s,logins_total\n0,1\nten,2\n"), "line 3"),
        (named("strange.csv", b"a,b\n1,2\n"), "t_s"),
        (named("cut.db", b"SQLite format 3\0cut"), "recording"),
        (folder.path().join("missing.db").to_str().expect("UTF-8").to_owned(), "missing.db"),
    ];
    for (path, words) in table {
        let done = run(&["watch", "--replay", &path]);
        assert_eq!(done.code, Some(2), "{path}: {done:#?}");
        assert!(done.stderr.contains(words) && done.stderr.contains("next:"), "{path}: {}", done.stderr);
    }
}

#[test]
fn words_that_make_no_sense_are_errors_with_a_next_step() {
    let table: [(&[&str], &str); 9] = [
        (&["watch"], "--replay"),
        (&["watch", "postgres:"], "peaje serve"),
        (&["watch", "oracle://app:hunter2@db/x"], "postgresql://"),
        (&["watch", "postgresql://db/x", "--interval", "0"], "interval"),
        (&["watch", "postgresql://db/x", "--interval", "1ms"], "at least 50ms apart"),
        (&["watch", "postgresql://db/x", "--window", "25h"], "24h at most"),
        (&["watch", "postgresql://db/x", "--window", "1m", "--interval", "2m"], "no two readings fit"),
        (&["watch", "postgresql://db/x", "--pool", "shop=min:9,max:3"], "minimum"),
        (&["watch", "postgresql://db/x", "--replay", "x.db"], "cannot be used with"),
    ];
    for (args, words) in table {
        let done = run(args);
        assert_eq!(done.code, Some(2), "{args:?}: {done:#?}");
        assert!(done.stderr.contains(words), "{args:?}: {}", done.stderr);
        assert!(!done.stderr.contains("hunter2"), "{args:?}");
    }
}

#[test]
fn an_unreachable_server_and_a_wrong_password_end_with_what_to_do() {
    let url = format!("postgresql://app:hunter2@127.0.0.1:{}/x", closed_port());
    let done = run(&["watch", &url, "--for", "5s"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    assert!(done.stderr.contains("next:") && !done.stderr.contains("hunter2"), "{}", done.stderr);

    let cluster = cluster(&ThrowawayOptions::default());
    let config = cluster.config(ThrowawayAuth::Scram, SslMode::Prefer);
    let place = config.display_url();
    let wrong = place.replacen('@', ":wrongpass@", 1);
    let done = run(&["watch", &wrong, "--for", "5s", "--interval", "200ms"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    assert!(done.stderr.contains("password") && !done.stderr.contains("wrongpass"), "{}", done.stderr);
}

#[test]
fn a_server_is_watched_recorded_and_replayed_with_the_same_verdicts() {
    let server = cluster(&ThrowawayOptions::default());
    let url = server.config(ThrowawayAuth::Trust, SslMode::Disable).display_url();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let mut load = peaje();
    load.args(["login", &url, "--rate", "30", "--duration", "12s", "--yes", "-q"]);
    let mut load = load.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the load starts");
    let scale = ["--time-scale", "60", "--window", "1m"];
    let args =
        [&url, "--for", "11s", "--interval", "200ms", "--record", &path("r.db"), "--intervals-csv", &path("i.csv")];
    let (done, live) = watch(&[&args[..], &scale[..]].concat());
    load.wait().expect("the load ends");
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(done.stdout.contains("logins") && done.stdout.contains("PostgreSQL 1"), "{}", done.stdout);
    let group = instance(&live);
    assert_eq!(group.verdict_codes, ["no-pooling"], "{group:#?}");
    let lines = std::fs::read_to_string(path("i.csv")).expect("lines were written");
    assert!(lines.lines().count() > 30, "{lines}");

    let (done, again) = watch(&[&["--replay", &path("r.db")], &scale[..]].concat());
    assert_eq!(done.code, Some(0), "{done:#?}");
    let text = |run: &Run| serde_json::to_string(run.watch.as_ref().expect("a watch")).expect("plain data");
    assert_eq!(text(&live), text(&again));
    assert_eq!(live.findings, again.findings);

    let (done, bare) = watch(&[&["--replay", &path("i.csv")], &scale[..]].concat());
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert_eq!(instance(&bare).verdict_codes, ["no-pooling"], "an exported series says the same of the instance");
}

#[test]
fn several_servers_of_all_protocols_and_one_that_is_gone() {
    let servers = ["postgres", "mysql", "sqlserver"].map(|protocol| Serve::start(&["--protocol", protocol]));
    let [pg, my, ms] = servers.each_ref().map(Serve::address);
    let urls = [
        format!("postgresql://peaje@{pg}/peaje"),
        format!("mysql://peaje@{my}"),
        format!("mssql://peaje:@{ms}/?TrustServerCertificate=true"),
        format!("postgresql://peaje@127.0.0.1:{}/peaje", closed_port()),
    ];
    let mut args: Vec<&str> = urls.iter().map(String::as_str).collect();
    args.extend(["--for", "3s", "--interval", "200ms"]);
    let (done, run) = watch(&args);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let instances = result(&run).groups.iter().filter(|group| group.kind == GroupKind::Instance).count();
    assert!(instances >= 3, "{done:#?}");
    assert!(result(&run).gaps.iter().any(|gap| gap.reason == "unreachable"), "{:#?}", result(&run).gaps);
    assert!(result(&run).readings >= 15, "{}", result(&run).readings);
}

#[test]
fn ctrl_c_prints_what_was_watched() {
    let server = Serve::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let (json, lines) = (folder.path().join("run.json"), folder.path().join("lines.jsonl"));
    let mut command = peaje();
    command.args(["watch", &format!("postgresql://peaje@{}/peaje", server.address()), "--interval", "100ms"]);
    command.arg("--json").arg(&json).arg("--intervals-jsonl").arg(&lines);
    let watching = Background::start(&mut command);
    wait_for("two lines", Duration::from_secs(20), || {
        std::fs::read_to_string(&lines).is_ok_and(|text| text.lines().count() >= 2)
    });
    watching.signal(Signal::INT);
    let done = watching.end();
    assert_eq!(done.code, Some(130), "{done:#?}");
    assert_eq!(read_run(&json).expect("a run file").ended, Ended::Interrupted);
    assert!(done.stdout.contains("Who logs in and out"), "{}", done.stdout);
}

#[test]
fn a_recording_survives_kill_9() {
    let server = Serve::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let (db, lines) = (folder.path().join("r.db"), folder.path().join("lines.jsonl"));
    let mut command = peaje();
    command.args(["watch", &format!("postgresql://peaje@{}/peaje", server.address()), "--interval", "100ms"]);
    command.arg("--record").arg(&db).arg("--intervals-jsonl").arg(&lines);
    let watching = Background::start(&mut command);
    wait_for("some lines", Duration::from_secs(20), || {
        std::fs::read_to_string(&lines).is_ok_and(|text| text.lines().count() >= 15)
    });
    watching.signal(Signal::KILL);
    watching.end();
    let (done, run) = watch(&["--replay", db.to_str().expect("UTF-8")]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(result(&run).readings >= 5, "{:#?}", result(&run).readings);
}

#[test]
fn prometheus_reads_what_is_watched() {
    let server = Serve::start(&[]);
    let port = closed_port();
    let mut command = peaje();
    command.args(["watch", &format!("postgresql://peaje@{}/peaje", server.address()), "--interval", "100ms"]);
    command.args(["--listen", &format!("127.0.0.1:{port}")]);
    let watching = Background::start(&mut command);
    let mut page = String::new();
    wait_for("figures", Duration::from_secs(20), || {
        page = get(port).unwrap_or_default();
        page.contains("peaje_session_logins_total{")
    });
    assert!(page.contains("db_system_name=\"postgresql\"") && page.contains("peaje_watch_up"), "{page}");
    watching.signal(Signal::TERM);
    let done = watching.end();
    assert_eq!(done.code, Some(130), "{done:#?}");
    let refused = run(&["watch", "postgresql://db/x", "--listen", "0.0.0.0:0"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--listen"), "{refused:#?}");
}

pub(crate) fn get(port: u16) -> std::io::Result<String> {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn rules_statements_and_grants_are_printed_and_nothing_is_sent() {
    let rules = run(&["watch", "--rules"]);
    assert!(rules.code == Some(0) && rules.stdout.contains("groups:"), "{rules:#?}");
    let sql = run(&["watch", "postgresql://nowhere.invalid/x", "mysql://nowhere.invalid", "--show-sql"]);
    assert_eq!(sql.code, Some(0), "{sql:#?}");
    assert!(
        sql.stdout.contains("pg_stat_activity") && sql.stdout.contains("information_schema.processlist"),
        "{}",
        sql.stdout
    );
    let grants = run(&["watch", "postgresql://ana@nowhere.invalid/x", "--grants", "postgres"]);
    assert!(
        grants.code == Some(0) && grants.stdout.contains("pg_read_all_stats") && grants.stdout.contains("ana"),
        "{grants:#?}"
    );
}
