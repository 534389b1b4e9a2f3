//! One server's part of the record.

use std::collections::{BTreeMap, HashMap, VecDeque};

use peaje_engine::{ServerIdentity, WatchCounters};
use peaje_model::{Gap, GroupKind};

use crate::differ::{Before, Resume};
use crate::record::failures::Failures;
use crate::row::{Birth, Counter, Cut, Interval, Origin, Picture, Row, ServerNote, State, What};

/// A figure that is not known, where 32 bits are kept.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// What remains of an interval row. Tens of thousands are kept, so it is small.
#[derive(Debug, Clone)]
pub(crate) struct Figures {
    /// Start and end on the record's clock.
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(crate) cut: Option<Cut>,
    /// Whether the sessions were listed.
    pub(crate) seen: bool,
    pub(crate) changes: [u32; Counter::COUNT],
    pub(crate) sessions: u32,
    pub(crate) active: u32,
    pub(crate) waiting: u32,
    /// Sessions at work by origin, packed.
    pub(crate) busy: Box<[u8]>,
}

impl Figures {
    pub(crate) fn change(&self, counter: Counter) -> Option<f64> {
        known(self.changes[counter as usize])
    }
}

pub(crate) fn known(figure: u32) -> Option<f64> {
    (figure != UNKNOWN).then(|| f64::from(figure))
}

/// A session that ended within the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lived {
    pub(crate) opened_us: i64,
    pub(crate) closed_us: i64,
    /// Distance of the readings around its end.
    pub(crate) within_us: u32,
    /// How long it had been idle, milliseconds.
    pub(crate) idle_ms: u32,
    pub(crate) origin: u32,
    pub(crate) process: Option<u64>,
    pub(crate) used: Option<bool>,
    pub(crate) found: bool,
    /// Seen at one reading only.
    pub(crate) once: bool,
}

/// A session that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) id: u64,
    /// Login on the server's clock.
    pub(crate) server_opened_us: i64,
    /// Login on the record's clock.
    pub(crate) opened_us: i64,
    /// The first reading that saw it.
    pub(crate) first_seen_us: i64,
    pub(crate) origin: u32,
    pub(crate) process: Option<u64>,
    pub(crate) found: bool,
    /// As of the last picture.
    pub(crate) state: State,
}

/// A stretch without a privilege.
#[derive(Debug, Clone)]
pub(crate) struct Unprivileged {
    pub(crate) from_us: i64,
    pub(crate) until_us: Option<i64>,
    pub(crate) gap: Gap,
}

/// One server's part of the record.
#[derive(Debug, Clone)]
pub(crate) struct ServerRecord {
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) kind: GroupKind,
    pub(crate) note: ServerNote,
    pub(crate) rows: VecDeque<Figures>,
    pub(crate) ended: VecDeque<Lived>,
    pub(crate) open: BTreeMap<u64, Open>,
    pub(crate) origins: HashMap<u32, Origin>,
    pub(crate) next_origin: u32,
    pub(crate) next_serial: u64,
    pub(crate) identity: Option<ServerIdentity>,
    pub(crate) totals: WatchCounters,
    /// The server's clock at the last reading.
    pub(crate) server_us: i64,
    /// The record's clock minus the server's.
    pub(crate) anchor_us: Option<i64>,
    /// The last reading on the record's clock.
    pub(crate) to_us: Option<i64>,
    /// The last reading as the watch's clock had it.
    pub(crate) read_at_us: i64,
    /// The last row.
    pub(crate) at_us: Option<i64>,
    /// Why it cannot be read now.
    pub(crate) missed: Option<String>,
    pub(crate) unprivileged: VecDeque<Unprivileged>,
    pub(crate) failures: Failures,
    /// From when on all sessions that ended are kept.
    pub(crate) lives_since_us: i64,
}

impl ServerRecord {
    pub(crate) fn new(label: &str, name: &str, kind: GroupKind) -> Self {
        Self {
            label: label.to_owned(),
            name: name.to_owned(),
            kind,
            note: ServerNote::default(),
            rows: VecDeque::new(),
            ended: VecDeque::new(),
            open: BTreeMap::new(),
            origins: HashMap::new(),
            next_origin: 0,
            next_serial: 0,
            identity: None,
            totals: WatchCounters::default(),
            server_us: 0,
            anchor_us: None,
            to_us: None,
            read_at_us: 0,
            at_us: None,
            missed: None,
            unprivileged: VecDeque::new(),
            failures: Failures::default(),
            lives_since_us: i64::MIN,
        }
    }

    /// Its last moment.
    pub(crate) fn last_us(&self) -> Option<i64> {
        self.at_us.max(self.to_us)
    }

    /// What the next reading is compared with.
    pub(crate) fn resume(&self) -> Resume {
        let before = self.identity.clone().map(|identity| Before {
            at_us: self.read_at_us,
            unsure_us: 0,
            server_us: self.server_us,
            identity,
            totals: self.totals,
        });
        let used: std::collections::HashSet<u32> = self.open.values().map(|open| open.origin).collect();
        let mut origins: Vec<(u32, Origin)> =
            self.origins.iter().filter(|(id, _)| used.contains(id)).map(|(id, o)| (*id, o.clone())).collect();
        origins.sort_by_key(|(id, _)| *id);
        let born = |(serial, open): (&u64, &Open)| {
            let Open { id, server_opened_us: opened_us, origin, process, found, state, .. } = *open;
            (Birth { serial: *serial, id, opened_us, origin, process, found }, state)
        };
        Resume {
            before,
            open: self.open.iter().map(born).collect(),
            origins,
            next_origin: self.next_origin,
            next_serial: self.next_serial,
        }
    }

    /// Forgets what lies before the window.
    pub(crate) fn trim(&mut self, window_us: i64, most_lives: usize) {
        let Some(end_us) = self.last_us() else { return };
        let start_us = end_us.saturating_sub(window_us);
        let mut forgot = false;
        while self.rows.front().is_some_and(|row| row.to_us < start_us) {
            self.rows.pop_front();
            forgot = true;
        }
        while self.ended.front().is_some_and(|life| life.closed_us < start_us) {
            self.ended.pop_front();
        }
        while self.ended.len() > most_lives {
            if let Some(life) = self.ended.pop_front() {
                self.lives_since_us = self.lives_since_us.max(life.closed_us);
            }
        }
        while self.unprivileged.front().is_some_and(|gap| gap.until_us.is_some_and(|until| until < start_us)) {
            self.unprivileged.pop_front();
        }
        if forgot && self.origins.len() > 2 * self.kept_origins_hint() {
            self.forget_origins();
        }
    }

    fn kept_origins_hint(&self) -> usize {
        self.open.len().max(512)
    }

    fn forget_origins(&mut self) {
        let mut used: std::collections::HashSet<u32> = self.open.values().map(|open| open.origin).collect();
        used.extend(self.ended.iter().map(|life| life.origin));
        self.origins.retain(|id, _| used.contains(id));
    }
}

impl ServerRecord {
    /// A row that a recording can go on with after rows were lost: everything that is known now. `None` before the
    /// first reading.
    pub(crate) fn whole_row(&self) -> Option<Row> {
        let Resume { before, open, origins, .. } = self.resume();
        let before = before?;
        let missing = self.unprivileged.iter().filter(|gap| gap.until_us.is_none()).map(|gap| gap.gap.clone());
        let interval = Interval {
            server_us: before.server_us,
            cut: Some(Cut::NotSampled),
            sessions: before.totals.sessions,
            active: before.totals.active,
            waiting: before.totals.waiting,
            seen: self.rows.back().is_some_and(|row| row.seen),
            identity: Some(before.identity),
            totals: Some(before.totals),
            missing: Some(missing.collect()),
            origins,
            picture: Some(Picture::Whole(open)),
            ..Interval::default()
        };
        Some(Row { at_us: before.at_us, what: What::Interval(Box::new(interval)) })
    }
}
