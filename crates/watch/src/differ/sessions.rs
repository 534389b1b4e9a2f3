//! Which sessions came and which went between two readings.
//!
//! A session is the server's number for it together with the time of its login: numbers are used again.

use std::collections::{BTreeMap, HashSet};

use peaje_engine::{SessionRow, SessionState};

use crate::differ::{Differ, Key, Known};
use crate::row::{Birth, Cut, Death, Interval, Origin, State};

/// Most origins that are told apart between two whole pictures.
const MOST_ORIGINS: usize = 4096;

impl Differ {
    pub(super) fn sessions(
        &mut self,
        at_us: i64,
        cut: Option<Cut>,
        clock_us: i64,
        sessions: &[SessionRow],
        row: &mut Interval,
    ) {
        let others = cut == Some(Cut::AnotherServer);
        let mut gone = std::mem::take(&mut self.open);
        if others {
            row.deaths.extend(gone.values().map(death));
            gone.clear();
        }
        // Sessions that are listed for the first time logged in before anybody looked.
        let found_before_us = match (cut, &self.before) {
            _ if !self.looked => i64::MAX,
            (Some(Cut::AnotherServer), Some(before)) => clock_us - (at_us - before.at_us),
            _ => i64::MIN,
        };
        let mut busy: BTreeMap<u32, u32> = BTreeMap::new();
        for session in sessions {
            let key = key(session.id, session.opened_us);
            let state = state(session, clock_us);
            let known = match gone.remove(&key) {
                Some(known) => Known { state, ..known },
                None if self.open.contains_key(&key) => continue,
                None => self.birth(session, state, found_before_us, row),
            };
            if session.state == SessionState::Active {
                *busy.entry(known.origin).or_default() += 1;
            }
            self.open.insert(key, known);
        }
        self.looked = true;
        row.deaths.extend(gone.values().map(death));
        row.deaths.sort_by_key(|death| death.serial);
        row.busy = busy.into_iter().collect();
    }

    fn birth(&mut self, session: &SessionRow, state: State, found_before_us: i64, row: &mut Interval) -> Known {
        let origin = self.origin(session, row);
        let birth = Birth {
            serial: self.next_serial,
            id: session.id,
            opened_us: to_ms(session.opened_us) * 1000,
            origin,
            process: session.process,
            found: session.opened_us <= found_before_us,
        };
        self.next_serial += 1;
        row.births.push(birth);
        Known { serial: birth.serial, origin, process: birth.process, found: birth.found, state }
    }

    fn origin(&mut self, session: &SessionRow, row: &mut Interval) -> u32 {
        let mut origin = Origin::of(session);
        if self.origins.len() >= MOST_ORIGINS && !self.origins.contains_key(&origin) {
            origin = Origin { application: "other".to_owned(), apart: origin.apart, ..Origin::default() };
        }
        if let Some(id) = self.origins.get(&origin) {
            return *id;
        }
        let id = self.next_origin;
        self.next_origin += 1;
        row.origins.push((id, origin.clone()));
        self.origins.insert(origin, id);
        id
    }

    pub(super) fn states(&self) -> Vec<State> {
        let mut states: Vec<(u64, State)> = self.open.values().map(|known| (known.serial, known.state)).collect();
        states.sort_by_key(|(serial, _)| *serial);
        states.into_iter().map(|(_, state)| state).collect()
    }

    pub(super) fn whole(&self) -> Vec<(Birth, State)> {
        let born = |(&(id, opened_ms), known): (&Key, &Known)| {
            let Known { serial, origin, process, found, state } = *known;
            (Birth { serial, id, opened_us: opened_ms * 1000, origin, process, found }, state)
        };
        let mut whole: Vec<_> = self.open.iter().map(born).collect();
        whole.sort_by_key(|(birth, _)| birth.serial);
        whole
    }

    /// Origins without an open session are forgotten, so that names that never come again do not add up; the others
    /// are written again, so that a record can begin here.
    pub(super) fn forget_origins(&mut self, row: &mut Interval) {
        let used: HashSet<u32> = self.open.values().map(|known| known.origin).collect();
        self.origins.retain(|_, id| used.contains(id));
        let mut all: BTreeMap<u32, Origin> = row.origins.drain(..).collect();
        all.extend(self.origins.iter().map(|(origin, id)| (*id, origin.clone())));
        row.origins = all.into_iter().collect();
    }
}

/// What names a session.
pub(super) fn key(id: u64, opened_us: i64) -> Key {
    (id, to_ms(opened_us))
}

fn to_ms(us: i64) -> i64 {
    us.div_euclid(1000)
}

fn state(session: &SessionRow, clock_us: i64) -> State {
    let idle = session.state == SessionState::Idle;
    // Nobody has been idle since a moment to come, whatever two clock reads a moment apart say.
    let idle_since_us = if idle { session.since_us.map(|us| to_ms(us.min(clock_us)) * 1000) } else { None };
    State { idle_since_us, used: session.used }
}

fn death(known: &Known) -> Death {
    Death { serial: known.serial, idle_since_us: known.state.idle_since_us, used: known.state.used }
}
