//! Short-lived scripts: sessions of seconds, now and then, by the clock.

use super::{Answer, Case, Proof, SHORT_LIFE_S, enough};

/// Share of the bins without a login from which logins come now and then.
const PAUSES: f64 = 0.5;

/// How strictly logins keep to a place of the minute, or of five, that is a schedule.
const SCHEDULED: f64 = 0.6;

/// Dispersion of logins below which they tick like a clock, though no bin be without one (a check every few seconds).
const TICKING: f64 = 0.3;

/// At most so often: many clients in a closed loop log in as evenly.
const TICKING_PER_S: f64 = 0.25;

/// Share of the processes seen with one session only that makes each session a process of its own.
const ONE_EACH: f64 = 0.9;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let short = case.life_at_most_s().is_some_and(|life_s| life_s <= SHORT_LIFE_S);
    let scheduled = f.clock_concentration.is_some_and(|strength| strength >= SCHEDULED);
    let rare = f.logins <= TICKING_PER_S * f.window_s;
    let ticking = rare && f.login_dispersion.is_some_and(|dispersion| dispersion <= TICKING);
    if !enough::logins(case) || !short || !(f.bins_without_login >= PAUSES || scheduled || ticking) {
        return None;
    }
    let new_processes = f.processes.zip(f.processes_logging_in_again).is_some_and(|(all, again)| {
        all as f64 >= ONE_EACH * f.lives as f64 && again as f64 <= (1.0 - ONE_EACH) * all as f64
    });
    Some(Answer::Found("short-scripts", Proof::when(new_processes)))
}
