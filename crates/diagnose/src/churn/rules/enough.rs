//! Whether there is evidence at all.

use peaje_model::GroupKind;

use super::{Answer, Case};

/// Logins that a verdict about them needs.
pub(crate) const LOGINS_NEEDED: f64 = 60.0;

/// Window that a verdict about short sessions needs, seconds.
const SHORT_WINDOW_S: f64 = 120.0;

/// Window that every other verdict needs, seconds.
pub(crate) const FULL_WINDOW_S: f64 = 1800.0;

/// Share of it that suffices: the bins at the ends of a window are known in part only.
const NEARLY: f64 = 0.95;

/// What logins − logouts may leave of the change of sessions, as a share of the logins …
const RESIDUAL: f64 = 0.02;

/// … and in sessions: readings of counters and sessions are not of the same instant.
const RESIDUAL_SESSIONS: f64 = 3.0;

/// Share of an application's logins whose sessions must have been seen.
const COVERAGE: f64 = 0.5;

/// Lives this many times longer than a bin are not missed, whatever happened to those of others.
const LONG_LIVES: f64 = 2.0;

/// A counter that is wrong, a counter that started anew, no time yet.
pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let f = case.figures;
    let off = f.residual.unwrap_or(0.0);
    let wrong_counter = off > RESIDUAL && off * f.logins > RESIDUAL_SESSIONS;
    let empty = f.window_s < SHORT_WINDOW_S || f.resets > 0;
    (wrong_counter || empty).then_some(Answer::CannotSay)
}

/// The rules that follow look at minutes, and at sessions that must have been seen.
pub(super) fn ask_full_window(case: &Case<'_>) -> Option<Answer> {
    (!full_window(case) || mostly_unseen(case)).then_some(Answer::CannotSay)
}

/// Most of the application's logins were not seen as sessions: they are apportioned, which tells that sessions are short
/// and no more.
pub(super) fn mostly_unseen(case: &Case<'_>) -> bool {
    let f = case.figures;
    case.kind != GroupKind::Instance
        && case.coverage.is_some_and(|coverage| coverage < COVERAGE)
        && f.life_p10_s.is_none_or(|life_s| life_s < LONG_LIVES * f.bin_s)
}

/// Whether the window is long enough to look at minutes.
pub(super) fn full_window(case: &Case<'_>) -> bool {
    case.figures.window_s >= NEARLY * FULL_WINDOW_S
}

/// Whether there are logins enough to speak of them.
pub(super) fn logins(case: &Case<'_>) -> bool {
    case.figures.logins >= LOGINS_NEEDED
}
