//! `room-for-sessions`: how close the open sessions, and the most that ever were open, are to the limit.
//!
//! It speaks of a check only. A newcomer would look at the server's limit alone: a limit of the database or the account may
//! be nearer, and then that is the one given.

use peaje_model::{CheckResult, Finding, Run, SessionRoom, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::view::ratio;

const CODE: &str = "room-for-sessions";

/// Shares of the sessions for everybody.
const CRITICAL: f64 = 0.95;
const WARNING: f64 = 0.80;

/// Fewer free sessions than this are no room, whatever the share.
const LEAST_FREE: u64 = 3;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("room_for_sessions.md"),
    page_es: include_str!("room_for_sessions.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let Some(room) = &check.room else { return Draft::cannot_say(CODE, "unreadable").alone() };
    judged(check, room).alone()
}

fn judged(check: &CheckResult, room: &SessionRoom) -> Draft {
    let usable = room.limit.saturating_sub(room.reserved);
    let share = ratio(room.in_use as f64, usable as f64).unwrap_or(1.0).min(1.0);
    let peak = check.peak_sessions;
    let peak_share = peak.and_then(|peak| ratio(peak as f64, usable as f64));
    let refused = check.since_start.and_then(|view| view.counters.failed_limit).filter(|n| *n > 0);
    let now = match share {
        _ if room.free() < LEAST_FREE => Some(Severity::Critical),
        share if share >= CRITICAL => Some(Severity::Critical),
        share if share >= WARNING => Some(Severity::Warning),
        _ => None,
    };
    let reached = peak_share.is_some_and(|share| share >= CRITICAL) || refused.is_some();
    let draft = match (now, reached) {
        (Some(severity), _) => Draft::found(CODE, "now", severity),
        (None, true) => Draft::found(CODE, "was-reached", Severity::Warning),
        (None, false) => Draft::healthy(CODE, "room"),
    };
    draft
        .count("limit", room.limit)
        .count("in_use", room.in_use)
        .count("reserved", room.reserved)
        .count("free", room.free())
        .share("share", share)
        .count("peak", peak)
        .count("refused", refused)
        .see(saw_count("/check/room/limit", room.limit))
        .see(saw_count("/check/room/in_use", room.in_use))
        .see(saw_count("/check/peak_sessions", peak))
        .see(saw_count("/check/since_start/counters/failed_limit", refused))
}
