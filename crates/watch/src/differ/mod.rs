//! From readings to rows: differences, births and deaths of sessions, and cuts where there is no difference.
//!
//! The counters of a server that was started anew also stand somewhere; the difference to the old ones is no rate. What
//! a newcomer would get wrong is to mend a fall: a value below the one before starts a new origin, it is never added to.

mod sessions;

use std::collections::{BTreeMap, HashMap};

use peaje_engine::{Failure, ServerIdentity, WatchCounters, WatchReading};
use peaje_model::Gap;

use crate::row::{Birth, Changes, Counter, Cut, Interval, Missed, Origin, Picture, Row, State, What};
use sessions::key;

/// Two start times this close are the same start: some servers only tell their uptime in whole seconds.
const SAME_START_US: i64 = 3_000_000;
/// Lengths may differ by this share of the interval before a clock is said to have stepped.
const CLOCK_TOLERANCE: f64 = 0.2;
/// … and by this much in any case: that is a slow round trip, no step.
const ROUND_TRIP_US: f64 = 250_000.0;
/// An interval longer than this many nominal ones was not watched.
const LONGEST_INTERVALS: i64 = 3;
/// … nor one that is longer than this as well: a busy machine is late by less.
const LATE_US: i64 = 1_000_000;
/// A counter that is derived from others, read a moment apart, may fall back by this much …
const WOBBLE: u64 = 64;
/// … and at most by this part of its value.
const WOBBLE_PART: u64 = 10;

/// How often what is written, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cadence {
    /// Nominal time between two readings.
    pub(crate) interval: i64,
    /// Time between two pictures of the states.
    pub(crate) states: i64,
    /// Time between two whole pictures.
    pub(crate) whole: i64,
}

impl Cadence {
    /// For a window: states thirty times in it, the whole once.
    pub(crate) fn of(interval_us: i64, window_us: i64) -> Self {
        Self { interval: interval_us, states: window_us / 30, whole: window_us }
    }
}

/// When a reading was taken, on the watch's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) at_us: i64,
    /// It may have been so much earlier or later: half of the round trip.
    pub(crate) unsure_us: i64,
}

impl Moment {
    /// That is known exactly.
    pub(crate) fn exact(at_us: i64) -> Self {
        Self { at_us, unsure_us: 0 }
    }
}

/// The reading before.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) at_us: i64,
    pub(crate) unsure_us: i64,
    pub(crate) server_us: i64,
    pub(crate) identity: ServerIdentity,
    /// Counters as far as they are accounted for.
    pub(crate) totals: WatchCounters,
}

/// An open session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) serial: u64,
    pub(crate) origin: u32,
    pub(crate) process: Option<u64>,
    pub(crate) found: bool,
    pub(crate) state: State,
}

/// The server's number and the time of login, milliseconds: what names a session.
type Key = (u64, i64);

/// Turns the readings of one server into rows.
#[derive(Debug)]
pub(crate) struct Differ {
    cadence: Cadence,
    before: Option<Before>,
    /// What lies between the reading before and the next one, when that is known already.
    between: Option<Cut>,
    open: BTreeMap<Key, Known>,
    /// Whether sessions were ever listed.
    looked: bool,
    origins: HashMap<Origin, u32>,
    next_origin: u32,
    next_serial: u64,
    missing: Vec<Gap>,
    states_at_us: i64,
    whole_at_us: i64,
}

/// What a record knows of a server, to go on from.
#[derive(Debug, Default)]
pub(crate) struct Resume {
    pub(crate) before: Option<Before>,
    pub(crate) open: Vec<(Birth, State)>,
    pub(crate) origins: Vec<(u32, Origin)>,
    pub(crate) next_origin: u32,
    pub(crate) next_serial: u64,
}

impl Differ {
    /// Goes on from what a record knows; from nothing by default.
    pub(crate) fn new(cadence: Cadence, resume: Resume) -> Self {
        let open = resume.open.into_iter().map(|(birth, state)| {
            let Birth { serial, origin, process, found, .. } = birth;
            (key(birth.id, birth.opened_us), Known { serial, origin, process, found, state })
        });
        Self {
            cadence,
            between: resume.before.as_ref().map(|_| Cut::NotSampled),
            looked: resume.before.is_some(),
            before: resume.before,
            open: open.collect(),
            origins: resume.origins.into_iter().map(|(id, origin)| (origin, id)).collect(),
            next_origin: resume.next_origin,
            next_serial: resume.next_serial,
            missing: Vec::new(),
            states_at_us: i64::MIN,
            whole_at_us: i64::MIN,
        }
    }

    /// When a reading was taken. It lies somewhere between question and answer; how far the server's clock went since the
    /// reading before tells where, so that a server that stood still for some seconds is not told as one whose clock was
    /// set. Where the server's clock leads out of the round trip, the middle has to do.
    pub(crate) fn moment(&self, asked_us: i64, answered_us: i64, server_us: i64) -> Moment {
        let half_us = (answered_us - asked_us) / 2;
        let before = self.before.as_ref().filter(|_| self.between.is_none());
        let told = before.and_then(|before| {
            let at_us = before.at_us.saturating_add(server_us.saturating_sub(before.server_us));
            (asked_us..=answered_us)
                .contains(&at_us)
                .then_some(Moment { at_us, unsure_us: before.unsure_us.min(half_us) })
        });
        told.unwrap_or(Moment { at_us: asked_us + half_us, unsure_us: half_us })
    }

    /// A reading failed.
    pub(crate) fn missed(&mut self, at_us: i64, failure: &Failure) -> Row {
        self.between.get_or_insert(Cut::Unreachable);
        Row { at_us, what: What::Missed(Missed { message: failure.words(), hint: failure.hint.clone() }) }
    }

    /// A reading succeeded.
    pub(crate) fn reading(&mut self, moment: Moment, reading: &WatchReading) -> Row {
        let Moment { at_us, unsure_us } = moment;
        let mut counters = reading.counters;
        let cut = self.cut(moment, reading);
        let (cut, changes) = match cut {
            Some(cut) => (Some(cut), Changes::default()),
            None => match self.changes(&mut counters) {
                Some(changes) => (None, changes),
                None => (Some(Cut::CountersReset), Changes::default()),
            },
        };
        let length = self.before.as_ref().map_or(0, |before| reading.server_clock_us - before.server_us);
        let mut row = Interval {
            server_us: reading.server_clock_us,
            length_us: if cut.is_some() { 0 } else { length.max(0).unsigned_abs() },
            cut,
            changes,
            sessions: counters.sessions,
            active: counters.active,
            waiting: counters.waiting,
            seen: reading.sessions.is_some(),
            ..Interval::default()
        };
        if let Some(sessions) = &reading.sessions {
            self.sessions(at_us, cut, reading.server_clock_us, sessions, &mut row);
        }
        self.extras(at_us, reading, &counters, &mut row);
        self.between = None;
        let (server_us, identity) = (reading.server_clock_us, reading.identity.clone());
        self.before = Some(Before { at_us, unsure_us, server_us, identity, totals: counters });
        Row { at_us, what: What::Interval(Box::new(row)) }
    }

    /// Why there is no difference to the reading before, as far as the counters need not be looked at.
    fn cut(&self, Moment { at_us, unsure_us }: Moment, reading: &WatchReading) -> Option<Cut> {
        let Some(before) = &self.before else { return Some(Cut::First) };
        if before.identity.name != reading.identity.name {
            return Some(Cut::AnotherServer);
        }
        let moved = |was: i64, is: i64| (was - is).abs() > SAME_START_US;
        match (before.identity.started_us, reading.identity.started_us) {
            (Some(was), Some(is)) if moved(was, is) && !self.clock_stepped_by(at_us, reading, is - was) => {
                return Some(Cut::Restarted);
            }
            _ => {}
        }
        if before.identity.origin != reading.identity.origin {
            return Some(Cut::CountersReset);
        }
        if self.between.is_some() {
            return self.between;
        }
        let ours = at_us - before.at_us;
        let theirs = reading.server_clock_us - before.server_us;
        let tolerated = (CLOCK_TOLERANCE * ours.max(self.cadence.interval) as f64).max(ROUND_TRIP_US)
            + (unsure_us + before.unsure_us) as f64;
        if theirs <= 0 || (theirs - ours).abs() as f64 > tolerated {
            return Some(Cut::ClockStep);
        }
        let longest = self.cadence.interval.saturating_mul(LONGEST_INTERVALS).max(LATE_US);
        (ours > longest).then_some(Cut::NotSampled)
    }

    /// A server that reckons its start from its uptime moves it with its clock: no restart.
    fn clock_stepped_by(&self, at_us: i64, reading: &WatchReading, moved_us: i64) -> bool {
        let Some(before) = &self.before else { return false };
        let step = (reading.server_clock_us - before.server_us) - (at_us - before.at_us);
        let fell = |counter: Counter| counter.of(&reading.counters) < counter.of(&before.totals);
        (step - moved_us).abs() <= SAME_START_US && !Counter::ALL.into_iter().any(fell)
    }

    /// Differences to the reading before; `None` when a counter fell. One that wobbles is held where it was, in the
    /// reading too, so that the sum over several intervals stays right.
    fn changes(&self, counters: &mut WatchCounters) -> Option<Changes> {
        let mut changes = Changes::default();
        let before = &self.before.as_ref()?.totals;
        for counter in Counter::ALL {
            let (Some(was), Some(is)) = (counter.of(before), counter.of(counters)) else { continue };
            let fall = was.saturating_sub(is);
            if fall > WOBBLE || fall * WOBBLE_PART > was {
                return None;
            }
            changes.set(counter, Some(is.saturating_sub(was)));
            *counter.place(counters) = Some(was.max(is));
        }
        Some(changes)
    }

    fn extras(&mut self, at_us: i64, reading: &WatchReading, counters: &WatchCounters, row: &mut Interval) {
        let due = |last: i64, every: i64| at_us.saturating_sub(last) >= every;
        let whole = due(self.whole_at_us, self.cadence.whole);
        let changed = self
            .before
            .as_ref()
            .is_none_or(|before| before.identity != reading.identity || shape(&before.totals) != shape(counters));
        if whole || changed || row.cut.is_some() {
            row.identity = Some(reading.identity.clone());
            row.totals = Some(*counters);
        }
        if whole || self.missing != reading.gaps {
            row.missing = Some(reading.gaps.clone());
            self.missing.clone_from(&reading.gaps);
        }
        if whole {
            self.whole_at_us = at_us;
            self.states_at_us = at_us;
            row.picture = Some(Picture::Whole(self.whole()));
            self.forget_origins(row);
        } else if row.seen && due(self.states_at_us, self.cadence.states) {
            self.states_at_us = at_us;
            row.picture = Some(Picture::States(self.states()));
        }
    }
}

/// Which counters are known.
fn shape(counters: &WatchCounters) -> (Option<i64>, [bool; Counter::COUNT]) {
    (counters.since_us, Counter::ALL.map(|counter| counter.of(counters).is_some()))
}
