//! `peaje sessions` end to end: each file is a subject. What measures the memory of the whole machine runs alone
//! (`.config/nextest.toml`), because memory that another test takes would be seen as that of sessions.

mod ends;
mod engines;
mod ladder;
mod machine;
mod story;

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use peaje_model::{Run, SessionStep, SessionsResult};

use crate::common::{Done, peaje, read_run};

/// Without a test runner that gives them the machine for themselves, they take turns.
fn alone() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::new(());
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `peaje sessions` and reads the run file it wrote, whatever the exit code.
fn sessions(args: &[&str]) -> (Done, Run) {
    sessions_by(peaje(), args)
}

fn sessions_by(mut command: Command, args: &[&str]) -> (Done, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let done: Done =
        command.arg("sessions").args(args).arg("--json").arg(&path).output().expect("the command runs").into();
    let run = read_run(&path).unwrap_or_else(|| panic!("no run file was written: {done:#?}"));
    (done, run)
}

/// The result of the first target.
fn result(run: &Run) -> &SessionsResult {
    run.sessions.as_ref().expect("a run of sessions")
}

/// Sessions held at each step.
fn held(result: &SessionsResult) -> Vec<u64> {
    result.steps.iter().map(|step| step.sessions).collect()
}

/// Every session was closed, and the server counts as many as before.
fn nothing_is_left(result: &SessionsResult) {
    let closing = result.closing.as_ref().expect("it came down");
    assert_eq!(closing.own_left, Some(0), "{closing:?}");
    assert!(closing.server_sessions.is_some(), "{closing:?}");
    assert_eq!(closing.server_sessions, result.baseline.server_sessions, "the server's own count, before and after");
}

/// Seconds that each session of a step took.
fn each(step: &SessionStep) -> f64 {
    step.seconds / step.opened as f64
}
