//! How a row enters the record.
//!
//! The record's clock is the watch's, but distances on it are the server's: it is tied to the server's clock once and
//! again only after a cut, or when the two drifted a second apart. Round trips of different length then do not shake it.

use crate::codec::pack_busy;
use crate::record::server::{Figures, Lived, Open, ServerRecord, UNKNOWN, Unprivileged};
use crate::row::{Birth, Counter, Cut, Death, Interval, Picture, Row, What};

/// The two clocks may drift apart by this much before they are tied together again.
const DRIFT_US: i64 = 1_000_000;

impl ServerRecord {
    /// Adds a row.
    pub(crate) fn push(&mut self, row: &Row) {
        let at_us = self.at_us.map_or(row.at_us, |last| last.max(row.at_us));
        self.at_us = Some(at_us);
        match &row.what {
            What::Server(note) => self.note = (**note).clone(),
            What::Missed(missed) => self.missed = Some(missed.message.clone()),
            What::Interval(interval) => self.interval(at_us, interval),
        }
    }

    fn interval(&mut self, at_us: i64, row: &Interval) {
        self.missed = None;
        // A recording that lost rows goes on with a whole picture; what lies between was not sampled.
        let from_us = self.to_us;
        let cut = match (row.cut, from_us) {
            (Some(Cut::First), Some(_)) => Some(Cut::NotSampled),
            (None, None) => Some(Cut::First),
            (cut, _) => cut,
        };
        let to_us = self.tie(at_us, row, cut);
        let from_us = from_us.unwrap_or(to_us);
        self.read_at_us = at_us;
        self.server_us = row.server_us;
        self.origins.extend(row.origins.iter().cloned());
        self.next_origin = row.origins.iter().map(|(id, _)| id.saturating_add(1)).fold(self.next_origin, u32::max);
        self.sessions(from_us, to_us, row);
        self.counters(to_us, row, cut);
        self.privileges(to_us, row);
        let narrow = |figure: Option<u64>| figure.map_or(UNKNOWN, |figure| u32::try_from(figure).unwrap_or(UNKNOWN));
        self.rows.push_back(Figures {
            from_us,
            to_us,
            cut,
            seen: row.seen,
            changes: Counter::ALL.map(|counter| if cut.is_some() { UNKNOWN } else { narrow(row.changes.get(counter)) }),
            sessions: narrow(row.sessions),
            active: narrow(row.active),
            waiting: narrow(row.waiting),
            busy: pack_busy(&row.busy),
        });
        self.to_us = Some(to_us);
    }

    /// The moment of a reading on the record's clock.
    fn tie(&mut self, at_us: i64, row: &Interval, cut: Option<Cut>) -> i64 {
        let offset_us = at_us - row.server_us;
        let anchor_us = match self.anchor_us {
            Some(anchor) if cut.is_none() && (anchor - offset_us).abs() <= DRIFT_US => anchor,
            _ => offset_us,
        };
        let to_us = row.server_us + anchor_us;
        // Never backwards, whatever the clocks did.
        let to_us = self.to_us.map_or(to_us, |last| to_us.max(last + 1));
        self.anchor_us = Some(anchor_us);
        to_us
    }

    fn sessions(&mut self, last_us: i64, to_us: i64, row: &Interval) {
        // Whoever is gone was last seen when sessions could last be listed.
        let seen_us = || self.rows.iter().rev().find(|last| last.seen).map(|last| last.to_us);
        let from_us = if row.seen { seen_us().unwrap_or(last_us) } else { last_us };
        for death in &row.deaths {
            self.death(from_us, to_us, death);
        }
        // Not in the list before, so younger than that: some servers tell the login to the second only.
        let listed_before = row.cut.is_none() && self.rows.back().is_some_and(|last| last.seen);
        for birth in &row.births {
            let earliest_us = if listed_before && !birth.found { from_us } else { i64::MIN };
            self.birth(earliest_us, to_us, birth);
        }
        match &row.picture {
            None => {}
            Some(Picture::States(states)) => {
                self.open.values_mut().zip(states).for_each(|(open, state)| open.state = *state);
            }
            Some(Picture::Whole(whole)) => {
                let listed: std::collections::HashSet<u64> = whole.iter().map(|(birth, _)| birth.serial).collect();
                // Only after rows were lost is there anything to mend.
                let gone: Vec<u64> = self.open.keys().copied().filter(|serial| !listed.contains(serial)).collect();
                for serial in gone {
                    self.death(from_us, to_us, &Death { serial, idle_since_us: None, used: None });
                }
                for (birth, state) in whole {
                    if !self.open.contains_key(&birth.serial) {
                        self.birth(i64::MIN, to_us, birth);
                    }
                    if let Some(open) = self.open.get_mut(&birth.serial) {
                        open.state = *state;
                    }
                }
            }
        }
    }

    fn birth(&mut self, earliest_us: i64, to_us: i64, birth: &Birth) {
        let Birth { serial, id, opened_us, origin, process, found } = *birth;
        let open = Open {
            id,
            server_opened_us: opened_us,
            // Two clock reads of the server a moment apart must not put a login behind the reading that saw it.
            opened_us: (opened_us + self.anchor_us.unwrap_or_default()).max(earliest_us).min(to_us),
            first_seen_us: to_us,
            origin,
            process,
            found,
            state: crate::row::State::default(),
        };
        self.open.insert(serial, open);
        self.next_serial = self.next_serial.max(serial.saturating_add(1));
    }

    fn death(&mut self, from_us: i64, to_us: i64, death: &Death) {
        let Some(open) = self.open.remove(&death.serial) else { return };
        let within_us = to_us - from_us;
        let closed_us = (from_us + within_us / 2).max(open.opened_us);
        let idle_since_us = death.idle_since_us.map(|since| since + self.anchor_us.unwrap_or_default());
        let idle_ms = idle_since_us.map(|since| ((closed_us - since).max(0) / 1000).min(i64::from(UNKNOWN - 1)) as u32);
        self.ended.push_back(Lived {
            opened_us: open.opened_us,
            closed_us,
            within_us: u32::try_from(within_us).unwrap_or(u32::MAX),
            idle_ms: idle_ms.unwrap_or(UNKNOWN),
            origin: open.origin,
            process: open.process,
            used: death.used,
            found: open.found,
            once: open.first_seen_us == from_us,
        });
    }

    fn counters(&mut self, to_us: i64, row: &Interval, cut: Option<Cut>) {
        if let Some(identity) = &row.identity {
            self.identity = Some(identity.clone());
        }
        if let Some(totals) = row.totals {
            self.totals = totals;
        } else {
            for counter in Counter::ALL {
                let place = counter.place(&mut self.totals);
                *place = place.zip(row.changes.get(counter)).map(|(was, change)| was.saturating_add(change));
            }
            (self.totals.sessions, self.totals.active, self.totals.waiting) = (row.sessions, row.active, row.waiting);
        }
        if let (None, Some(failed)) = (cut, row.changes.get(Counter::Failed)) {
            self.failures.add(to_us, failed, row.length_us);
        }
    }

    fn privileges(&mut self, to_us: i64, row: &Interval) {
        let Some(missing) = &row.missing else { return };
        for gap in self.unprivileged.iter_mut().filter(|gap| gap.until_us.is_none()) {
            if !missing.contains(&gap.gap) {
                gap.until_us = Some(to_us);
            }
        }
        for gap in missing {
            if !self.unprivileged.iter().any(|known| known.until_us.is_none() && known.gap == *gap) {
                self.unprivileged.push_back(Unprivileged { from_us: to_us, until_us: None, gap: gap.clone() });
            }
        }
    }
}
