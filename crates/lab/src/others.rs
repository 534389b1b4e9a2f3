//! Other clients of a server that peaje did not start: a run ends before it takes their room, or when they begin to fail.
//!
//! A newcomer would compare with zero. On most servers some sessions fail all the time; what counts is that more of
//! them do than before.

use std::time::{Duration, Instant};

use peaje_engine::{Observer, SessionLimits, Troubles};
use peaje_model::Gap;

use crate::account::{in_time, note};
use crate::stop::StopRule;

/// Time between two looks at the other clients while a slice runs.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Readings in a row that may fail: with a second between them, longer than a server needs to count as gone.
const UNREAD_LIMIT: u32 = 4;
/// Fewer failures than this are never held against the run.
const LEAST_EXCESS: f64 = 3.0;
/// Standard deviations of the usual number of failures that chance is allowed.
const SIGMAS: f64 = 3.0;

/// What is known of the other clients, from before the load on.
#[derive(Debug, Default)]
pub struct Others {
    before: Option<Troubles>,
    /// Operations of ours that failed in slices that have ended.
    failed: u64,
    limits_were_read: bool,
    /// Readings of the limits that failed since the last one that did not.
    unread: u32,
    last_look: Option<Instant>,
}

/// Our own part, which is nobody's harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ours {
    /// Sessions the series that runs, or comes next, may hold.
    pub sessions: u64,
    /// Operations of ours that have failed in the slice that runs.
    pub failed: u64,
    /// Of them, open already, and so among those in use.
    pub open: u64,
}

impl Others {
    /// Reads what is usual, before the load.
    pub async fn meet(&mut self, observer: &mut dyn Observer, gaps: &mut Vec<Gap>) {
        match in_time(observer.troubles()).await {
            Some(Ok(troubles)) => self.before = Some(troubles),
            Some(Err(gap)) => note(gaps, gap),
            // A session that does not answer shows at the edge of the slice.
            None => {}
        }
    }

    /// A slice has ended, with so many failures of ours.
    pub(crate) fn slice_ended(&mut self, failed: u64) {
        self.failed += failed;
    }

    /// Whether it is time for another look while a slice runs.
    pub fn is_due(&self) -> bool {
        self.last_look.is_none_or(|last| last.elapsed() >= LOOK_EVERY)
    }

    /// The observing session was given up: nobody looks any more.
    pub fn lose_sight(&self) -> Result<(), StopRule> {
        if self.limits_were_read { Err(blind("the observing session stopped answering")) } else { Ok(()) }
    }

    /// Looks at the room that is left, and at what has failed since the run began.
    pub async fn look(&mut self, observer: &mut dyn Observer, ours: Ours, gaps: &mut Vec<Gap>) -> Result<(), StopRule> {
        self.last_look = Some(Instant::now());
        match in_time(observer.limits()).await.unwrap_or_else(|| Err(no_answer("connection limits"))) {
            Ok(limits) => {
                self.limits_were_read = true;
                self.unread = 0;
                room(&limits, ours)?;
            }
            Err(gap) if self.limits_were_read => {
                // A server that is gone takes the observer with it: that shows in the logins, and has its own rule.
                self.unread += 1;
                if self.unread >= UNREAD_LIMIT {
                    return Err(blind(&format!("{}: {}", gap.what, gap.why)));
                }
            }
            Err(gap) => note(gaps, gap),
        }
        let Some(before) = self.before else { return Ok(()) };
        match in_time(observer.troubles()).await {
            Some(Ok(now)) => harm(before, now, self.failed + ours.failed),
            Some(Err(gap)) => {
                note(gaps, gap);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

fn no_answer(what: &str) -> Gap {
    Gap { what: what.to_owned(), why: "no answer in time".to_owned(), next_step: None }
}

fn blind(why: &str) -> StopRule {
    StopRule::FreeSessions(format!(
        "how many sessions are free can no longer be read ({why}): a load on a server that others use does not go on blindly"
    ))
}

/// Never more than half of the free sessions, and never the last ten. Sessions of ours that are open already count
/// as free ones that we hold.
fn room(limits: &SessionLimits, ours: Ours) -> Result<(), StopRule> {
    let held = ours.open.min(limits.in_use);
    let without_us = SessionLimits { in_use: limits.in_use - held, ..*limits };
    if ours.sessions <= without_us.allowed() {
        return Ok(());
    }
    Err(StopRule::FreeSessions(format!(
        "sessions wanted: {}; free: {} ({} of {} in use by others, peaje's observer among them, {} reserved); allowed: {}, \
         half of the free ones and never the last ten",
        ours.sessions,
        without_us.free(),
        without_us.in_use,
        limits.limit,
        limits.reserved,
        without_us.allowed()
    )))
}

/// More failures than before the run, ours left out, by more than chance explains.
fn harm(before: Troubles, now: Troubles, ours: u64) -> Result<(), StopRule> {
    let (Some(grown), Some(time)) =
        (now.total.checked_sub(before.total), now.counted_for.checked_sub(before.counted_for))
    else {
        // Reset, or another server: nothing to compare with.
        return Ok(());
    };
    let usual_per_s = before.total as f64 / before.counted_for.as_secs_f64().max(1.0);
    let usual = usual_per_s * time.as_secs_f64();
    let others = grown.saturating_sub(ours);
    if others as f64 <= usual + LEAST_EXCESS + SIGMAS * usual.sqrt() {
        return Ok(());
    }
    Err(StopRule::OtherClients(format!(
        "{others} sessions of other clients failed or were ended by force within {:.0} s; {usual:.1} were to be expected, as \
         before the run. Look at the server before you go on, and use a lower --concurrency or --rate",
        time.as_secs_f64()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn troubles(total: u64, seconds: u64) -> Troubles {
        Troubles { total, counted_for: Duration::from_secs(seconds) }
    }

    #[test]
    fn more_failures_than_before_stop_the_run() {
        let quiet = troubles(10, 100_000);
        for (now, ours, stops) in [
            (troubles(10, 100_010), 0, false),
            (troubles(13, 100_010), 0, false),
            (troubles(14, 100_010), 0, true),
            (troubles(14, 100_010), 4, false),
            // A reset, and an older reading of another server.
            (troubles(0, 5), 0, false),
            (troubles(90, 5), 0, false),
        ] {
            assert_eq!(harm(quiet, now, ours).is_err(), stops, "{now:?}, {ours} of ours");
        }
        // Five failures a second are usual here: 50 in ten seconds are none too many, 80 are.
        let busy = troubles(500_000, 100_000);
        assert!(harm(busy, troubles(500_060, 100_010), 0).is_ok());
        assert!(harm(busy, troubles(500_080, 100_010), 0).is_err());
    }

    #[test]
    fn sessions_that_we_hold_are_not_taken_for_others() {
        let limits = |in_use| SessionLimits { limit: 100, in_use, reserved: 3 };
        let wants = |sessions, open| Ours { sessions, failed: 0, open };
        assert!(room(&limits(1), wants(48, 0)).is_ok());
        assert!(room(&limits(1), wants(49, 0)).is_err());
        assert!(room(&limits(49), wants(48, 48)).is_ok(), "they are ours already");
        assert!(room(&limits(25), wants(48, 24)).is_ok(), "half of them are ours already");
        assert!(room(&limits(30), wants(48, 24)).is_err(), "five of theirs have come");
        // Others have come meanwhile: 20 of theirs leave 77 free, half of which is 38.
        assert!(room(&limits(68), wants(48, 48)).is_err());
        let message = room(&limits(68), wants(48, 48)).expect_err("others came").message().to_owned();
        assert!(message.contains("20 of 100 in use by others"), "{message}");
    }
}
