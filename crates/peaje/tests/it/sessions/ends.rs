//! How a ladder ends before its last step, and that nothing stays open: signals, servers that go, guards, other people's
//! servers.

use std::time::Duration;

use super::machine::{are_gone, tree};
use super::{held, nothing_is_left, result, sessions};
use crate::common::{Background, Serve, cluster, peaje, read_run, run, wait_for};
use peaje_model::Ended;
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};
use rustix::process::{Pid, Signal, kill_process};

/// The command, once all its sessions are held.
fn holding(args: &[&str], sessions: u64, file: &std::path::Path) -> (Background, u32) {
    let said = file.with_extension("said");
    let mut command = peaje();
    command.arg("sessions").args(args).args(["--hold", "100s", "--settle", "50ms", "--json"]).arg(file);
    command.stdout(std::process::Stdio::null()).stderr(std::fs::File::create(&said).expect("writable"));
    let child = command.spawn().expect("the command starts");
    let pid = child.id();
    let running = Background::of(child);
    let words = || std::fs::read_to_string(&said).unwrap_or_default();
    let wanted = format!("{sessions} sessions are held");
    wait_for("all sessions are held", Duration::from_secs(30), || words().contains(&wanted));
    (running, pid)
}

fn send(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid");
    kill_process(pid, signal).expect("it lives");
}

#[test]
fn an_interruption_says_goodbye_and_reports_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let server = Serve::start(&["--max-sessions", "500"]);
    let (running, pid) = holding(&[&server.url, "--yes", "--steps", "20,40,60"], 60, &file);
    send(pid, Signal::INT);
    let done = running.end();
    assert_eq!(done.code, Some(130), "{done:?}");
    let run = read_run(&file).expect("what was measured is kept");
    assert_eq!(run.ended, Ended::Interrupted);
    assert_eq!(held(result(&run)), [20, 40, 60]);
    nothing_is_left(result(&run));
    assert_eq!(result(&run).closing.as_ref().map(|closing| closing.sessions), Some(60), "each with a goodbye");
}

#[test]
fn an_interruption_within_a_step_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let mut command = peaje();
    // Fifty milliseconds each: the second step takes a minute.
    let server = Serve::start(&["--max-sessions", "3000", "--auth-delay", "50ms"]);
    command.args(["sessions", &server.url, "--yes", "--steps", "10,1200", "--settle", "50ms", "--json"]).arg(&file);
    let running = Background::start(&mut command);
    std::thread::sleep(Duration::from_secs(3));
    running.signal(Signal::TERM);
    let done = running.end();
    assert_eq!(done.code, Some(130), "{done:?}");
    let run = read_run(&file).expect("what was measured is kept");
    let steps = &result(&run).steps;
    assert!(
        steps[0].sessions == 10 && steps.last().is_some_and(|last| last.sessions < 1200),
        "{:?}",
        held(result(&run))
    );
    nothing_is_left(result(&run));
}

#[test]
fn killed_by_force_it_leaves_no_server_and_no_session_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let (running, pid) = holding(&["serve:process", "--session-memory", "64KiB", "--steps", "10,20"], 20, &file);
    let family: Vec<u32> = tree(pid);
    assert!(family.len() > 20, "{family:?}");
    send(pid, Signal::KILL);
    running.end();
    are_gone(&family);
}

#[test]
fn killing_the_server_ends_the_ladder_with_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let server = cluster(&ThrowawayOptions { max_connections: 400, ..ThrowawayOptions::default() });
    let url = server.config(ThrowawayAuth::Trust, SslMode::Disable).display_url();
    let (running, _) = holding(&[&url, "--yes", "--steps", "20,40,60"], 60, &file);
    for pid in tree(server.postmaster_pid()).into_iter().rev() {
        let pid = Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid");
        let _ = kill_process(pid, Signal::KILL);
    }
    let done = running.end();
    assert_eq!(done.code, Some(2), "{done:?}");
    let run = read_run(&file).expect("what was measured is kept");
    assert_eq!(held(result(&run)), [20, 40, 60]);
    assert_eq!(result(&run).stopped_by.as_deref(), Some("server-gone"));
    let dropped: u64 = result(&run).dropped.iter().map(|dropped| dropped.count).sum();
    assert_eq!(dropped, 60, "{:?}", result(&run).dropped);
}

#[test]
fn a_floor_that_cannot_be_kept_lets_no_session_be_opened() {
    let (done, run) = sessions(&["serve:event", "--steps", "10,20", "--memory-floor", "99.9%"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert_eq!(held(result(&run)), [0; 0]);
    assert!(matches!(&run.ended, Ended::Stopped { rule, .. } if rule == "memory-floor"), "{:?}", run.ended);
    assert!(done.stderr.contains("of --memory-floor"), "{}", done.stderr);
    nothing_is_left(result(&run));
}

/// It says that it is one: enough not to ask, and not enough to leave its machine without guards.
#[test]
fn a_reference_server_of_somebody_keeps_its_guards() {
    let serve = Serve::start(&[]);
    for guard in [["--memory-floor", "0"], ["--swap-guard", "off"]] {
        let done = run(&[&["sessions", &serve.url, "--steps", "5"][..], &guard].concat());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.stderr.contains("only for servers that peaje started"), "{}", done.stderr);
    }
}

#[test]
fn somebody_elses_server_needs_consent_room_and_its_guards() {
    let options = ThrowawayOptions { max_connections: 60, ..ThrowawayOptions::default() };
    let server = cluster(&options);
    let url = server.config(ThrowawayAuth::Trust, SslMode::Disable).display_url();
    let ask = |args: &[&str]| run(&[&["sessions", &url][..], args].concat());
    let done = ask(&[]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("nobody can be asked here") && done.stderr.contains("log: "), "{}", done.stderr);
    for guard in [["--memory-floor", "0"], ["--swap-guard", "off"]] {
        let done = ask(&[&guard[..], &["--yes"]].concat());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.stderr.contains("only for servers that peaje started"), "{}", done.stderr);
    }
    let done = ask(&["--steps", "10,40"]);
    assert!(done.stderr.contains("that peaje takes here: half of the free ones"), "{}", done.stderr);
    let done = ask(&["--steps", "10", "--yes", "--no-observer"]);
    assert!(done.stderr.contains("free sessions cannot be read"), "{}", done.stderr);
    // Agreed beforehand, it goes as far as half of the free sessions.
    let (done, run) = sessions(&[&url, "--yes", "--steps", "10,20,40", "--settle", "50ms"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert_eq!(held(result(&run)), [10, 20]);
    assert_eq!(result(&run).stopped_by.as_deref(), Some("free-sessions"));
    nothing_is_left(result(&run));
}
