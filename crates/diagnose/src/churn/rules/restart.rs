//! A restart of clients or a failover: most sessions replaced at once, and then no more. No fault.

use super::{Answer, Case, Proof, enough};

/// Share of the sessions that is replaced.
const SHARE: f64 = 0.5;

/// Share of new processes that makes a rolling deployment of several such events.
const DEPLOYED: f64 = 0.5;

/// Times that all sessions were replaced in the window, for each event, up to which events explain the logins.
const TIMES: f64 = 1.6;

/// Swing of the sessions that a deployment leaves, which replaces a part at a time. Workers that come and go swing more.
const SWING: f64 = 0.3;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let event = f.replaced_at_once? >= SHARE && enough::full_window(case);
    let times = f.logins / f.mean_sessions.filter(|open| *open > 0.0)?;
    let deployed = f.new_processes.is_some_and(|share| share >= DEPLOYED) && f.amplitude? <= SWING;
    let swings = f.amplitude? > SWING && case.is_working() == Some(true);
    let explained = times <= TIMES * f.replacements as f64;
    let answer = Answer::Found("restart-or-failover", Proof::when(f.new_processes.is_some()));
    (event && explained && !swings && (f.replacements == 1 || deployed)).then_some(answer)
}
