//! Memory of sessions, as the kernel accounts for it.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use crate::common::{raw, raw_login, wait_for};
use crate::in_models::apart;
use peaje_refserver::{Model, RefServer, ServerOptions};

const MIB: u64 = 1 << 20;
const SESSIONS: u64 = 12;

/// PSS of a server: pages that several of its processes share are counted once.
fn pss(server: &RefServer) -> u64 {
    let of = |process: u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("Pss:")).unwrap_or("0 0");
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    };
    server.processes().into_iter().map(of).sum()
}

/// PSS before, with `SESSIONS` sessions, and after they have left.
fn measure(model: Model, session_memory: u64, shared_memory: u64) -> [u64; 3] {
    let server = apart(model, &ServerOptions { session_memory, shared_memory, ..ServerOptions::default() });
    // The first session brings what all others need too.
    let mut first = raw(&server);
    raw_login(&mut first, &[("user", "ana")]);
    let before = pss(&server);
    let mut held: Vec<_> = std::iter::repeat_with(|| raw(&server)).take(SESSIONS as usize).collect();
    for stream in &mut held {
        raw_login(stream, &[("user", "ana")]);
    }
    let during = pss(&server);
    drop(held);
    wait_for(&server, |c| c.sessions_now == 1);
    let start = Instant::now();
    let mut after = pss(&server);
    // A session has left before its process or thread has ended.
    while after > before + MIB && start.elapsed() < Duration::from_secs(10) {
        after = pss(&server);
    }
    [before, during, after]
}

#[test]
fn a_session_has_the_memory_it_is_given_while_it_is_there() {
    for model in [Model::Thread, Model::Process, Model::Event] {
        let [bare_before, bare_during, _] = measure(model, 0, 0);
        let [before, during, after] = measure(model, 4 * MIB, 0);
        let bare = (bare_during.saturating_sub(bare_before)) / SESSIONS;
        let each = (during - before) / SESSIONS;
        assert!((each - bare).abs_diff(4 * MIB) < 4 * MIB / 10, "{model:?}: {bare} and {each} bytes a session");
        assert!(bare < MIB, "{model:?}: {bare} bytes for a session that is given nothing");
        assert!(after < before + MIB, "{model:?}: {before}, then {after} bytes");
    }
}

#[test]
fn shared_memory_is_there_once() {
    let [without, ..] = measure(Model::Process, 0, 0);
    let [with, during, _] = measure(Model::Process, 0, 64 * MIB);
    assert!((with - without).abs_diff(64 * MIB) < 64 * MIB / 10, "{without}, then {with} bytes");
    assert!(during < with + SESSIONS * MIB, "{with}, then {during} bytes");
}
