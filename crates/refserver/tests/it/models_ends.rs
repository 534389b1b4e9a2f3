//! Ends of a server apart: of a session's process, of the server, of its starter. Nothing is left, and counts stay right.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{assert_identity, raw, raw_login, until_closed, wait_for};
use crate::in_models::{MANY, apart, launch};
use crate::{mysql_support, tds_common};
use peaje_refserver::{Home, Model, RefServer, RefServerError, ServerOptions};
use rustix::process::{Pid, Signal, kill_process};

fn kill(process: u32) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

/// Whether a process is there and no zombie.
fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
}

fn assert_gone(processes: &[u32]) {
    let start = Instant::now();
    while processes.iter().any(|process| lives(*process)) {
        assert!(start.elapsed() < Duration::from_secs(10), "{processes:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn log_in(server: &RefServer, sessions: usize) -> Vec<std::net::TcpStream> {
    let one = || {
        let mut stream = raw(server);
        raw_login(&mut stream, &[("user", "ana"), ("application_name", "held")]);
        stream
    };
    std::iter::repeat_with(one).take(sessions).collect()
}

#[test]
fn a_killed_session_frees_its_place() {
    let server = apart(Model::Process, &ServerOptions { max_sessions: Some(3), ..ServerOptions::default() });
    let mut held = log_in(&server, 3);
    let before = server.processes();
    kill(before[1]);
    let counters = wait_for(&server, |c| c.sessions_now == 2);
    assert_eq!((counters.logins, counters.sessions_ended, counters.failed), (3, 1, 0));
    assert_eq!(server.processes().len(), 3);
    held.extend(log_in(&server, 1));
    assert_eq!(server.counters().sessions_now, 3);
    drop(held);
    let counters = wait_for(&server, |c| c.sessions_now == 0);
    assert_eq!((counters.logins, counters.sessions_ended), (4, 1));
    assert_identity(&counters);
    // The top process has taken note of every end: no zombies.
    let children = || {
        let top = server.top_process();
        std::fs::read_to_string(format!("/proc/{top}/task/{top}/children")).unwrap()
    };
    let start = Instant::now();
    while !children().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(10), "{}", children());
    }
}

#[test]
fn a_killed_login_is_a_failed_one() {
    let server = apart(Model::Process, &ServerOptions::default());
    let mut stranger = raw(&server);
    wait_for(&server, |c| c.logging_in == 1);
    let processes = server.processes();
    kill(*processes.last().unwrap());
    until_closed(&mut stranger);
    let counters = wait_for(&server, |c| c.logging_in == 0);
    assert_eq!((counters.failed, counters.abandoned, counters.sessions_now), (1, 0, 0));
    assert_identity(&counters);
}

#[test]
fn a_killed_session_is_counted_as_its_engine_counts_it() {
    let server = apart(Model::Process, &mysql_support::options());
    mysql_support::block_on(async {
        let mut asks = mysql_support::connect(mysql_support::config(&server)).await.unwrap();
        let dies = mysql_support::connect(mysql_support::config(&server)).await.unwrap();
        kill(*server.processes().last().unwrap());
        wait_for(&server, |c| c.sessions_now == 1);
        assert_eq!(mysql_support::counted(&mut asks, "Aborted_clients").await, 1);
        assert_eq!(mysql_support::counted(&mut asks, "Threads_connected").await, 1);
        drop(dies);
    });
    use crate::tds_common::raw::{login, session};
    let server = apart(Model::Process, &tds_common::checking());
    let mut asks = session(&server, &login());
    let _dies = session(&server, &login());
    kill(*server.processes().last().unwrap());
    let counters = wait_for(&server, |c| c.sessions_now == 1);
    assert_eq!((counters.logins, counters.sessions_ended), (2, 1));
    asks.row("select 1");
}

#[test]
fn a_killed_process_of_event_loops_takes_its_sessions_only() {
    let server = apart(Model::Event, &ServerOptions { max_sessions: Some(MANY), ..ServerOptions::default() });
    let _held = log_in(&server, 40);
    let before = server.processes();
    kill(before[1]);
    let counters = wait_for(&server, |c| c.sessions_now < 40);
    assert_eq!(counters.sessions_now + counters.sessions_ended, 40);
    assert!(counters.sessions_now > 0 && !server.processes().contains(&before[1]), "{counters:?}");
    let more = log_in(&server, 20);
    assert_eq!(server.counters().sessions_now, counters.sessions_now + 20);
    drop(more);
    assert_identity(&wait_for(&server, |c| c.sessions_now == counters.sessions_now));
}

#[test]
fn a_server_that_is_dropped_is_gone_with_all_its_processes() {
    for (model, max_sessions) in [(Model::Process, None), (Model::Thread, None), (Model::Event, Some(MANY))] {
        let server = apart(model, &ServerOptions { max_sessions, ..ServerOptions::default() });
        let address = server.address();
        let mut held = log_in(&server, 3);
        let processes = server.processes();
        drop(server);
        assert!(processes.iter().all(|process| !std::path::Path::new(&format!("/proc/{process}")).exists()));
        for stream in &mut held {
            assert!(until_closed(stream).is_empty());
        }
        // Its port is free at once.
        drop(RefServer::start(ServerOptions { listen: address, ..ServerOptions::default() }).unwrap());
    }
}

#[test]
fn the_top_process_takes_the_others_with_it() {
    for (model, max_sessions) in [(Model::Process, None), (Model::Event, Some(MANY))] {
        let server = apart(model, &ServerOptions { max_sessions, ..ServerOptions::default() });
        let mut held = log_in(&server, 3);
        let processes = server.processes();
        kill(server.top_process());
        assert_gone(&processes);
        for stream in &mut held {
            assert!(until_closed(stream).is_empty());
        }
        drop(server);
    }
}

#[test]
fn a_server_is_put_into_its_place_before_it_has_anything() {
    let seen: Arc<Mutex<Vec<(u32, u64)>>> = Arc::default();
    let note = seen.clone();
    let launch = launch().spawned(move |process| {
        let statm = std::fs::read_to_string(format!("/proc/{process}/statm"))?;
        let shared = statm.split(' ').nth(2).and_then(|pages| pages.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        note.lock().unwrap().push((process, shared));
        Ok(())
    });
    let home = Home::Apart(launch.clone());
    let options = ServerOptions { model: Model::Process, shared_memory: 64 << 20, ..ServerOptions::default() };
    let server = RefServer::start(ServerOptions { home, ..options.clone() }).unwrap();
    let seen = seen.lock().unwrap().clone();
    assert!(matches!(seen[..], [(process, pages)] if process == server.top_process() && pages < 8192), "{seen:?}");

    let refused = Arc::new(Mutex::new(0));
    let note = refused.clone();
    let launch = launch.spawned(move |process| {
        *note.lock().unwrap() = process;
        Err(io::ErrorKind::PermissionDenied.into())
    });
    let error = RefServer::start(ServerOptions { home: Home::Apart(launch), ..options }).map(drop).unwrap_err();
    assert!(matches!(error, RefServerError::Place { .. }), "{error:?}");
    assert!(!lives(*refused.lock().unwrap()));
}
