//! The series of applications and of their processes, from the sessions that were seen.

use std::collections::{BTreeMap, HashMap};

use peaje_diagnose::churn::{Bin, GroupSeries, Life};
use peaje_model::GroupKind;

use crate::codec::unpack_busy;
use crate::record::{Figures, ServerRecord};
use crate::row::{Counter, Cut};
use crate::series::BIN_S;
use crate::series::coverage::Coverage;
use crate::series::frame::Frame;
use crate::series::instance::pool_of;

/// Most applications with a series of their own; the rest is one group.
const MOST_APPLICATIONS: usize = 100;
/// Most processes with a series of their own, over all applications of a server …
const MOST_PROCESSES: usize = 20;
/// … and the fewest logins that make one worth it.
const LEAST_LOGINS: usize = 20;
/// The name of the rest.
pub(crate) const OTHER: &str = "other";

/// The sessions of a group, while they are collected.
#[derive(Debug, Default)]
struct Gathered {
    lives: Vec<Moments>,
    series: Vec<Life>,
    origins: Vec<u32>,
    logins: usize,
}

/// What the bins need of a session.
#[derive(Debug, Clone, Copy)]
struct Moments {
    opened_us: i64,
    closed_us: Option<i64>,
    login: bool,
}

/// The applications, then the busiest processes.
pub(crate) fn groups(server: &ServerRecord, frame: &Frame, coverage: &Coverage) -> Vec<GroupSeries> {
    if !frame.rows(server).any(|row| row.seen) {
        return Vec::new();
    }
    let names = names(server);
    let (mut applications, processes) = gather(server, frame, &names);
    fold(&mut applications);
    let readings = Readings::of(server, frame);
    let counted: f64 = readings.logins.iter().sum();
    let resets = frame.rows(server).filter(|row| row.cut.is_some_and(Cut::is_reset)).count() as u64;
    let make = |name: String, kind: GroupKind, gathered: Gathered| {
        let share = unseen_share(&gathered, coverage, kind);
        let bins = bins(frame, &readings, &gathered, kind, share);
        let seen = gathered.logins as f64;
        let unseen = counted * share;
        GroupSeries {
            server: server.label.clone(),
            name,
            kind,
            bin_s: BIN_S,
            bins,
            lives: gathered.series,
            coverage: coverage.share.map(|_| if seen + unseen > 0.0 { seen / (seen + unseen) } else { 1.0 }),
            resets,
            limit: server.note.limit,
        }
    };
    let mut all: Vec<GroupSeries> =
        applications.into_iter().map(|(name, gathered)| make(name, GroupKind::Application, gathered)).collect();
    all.extend(busiest(processes).into_iter().map(|(name, gathered)| make(name, GroupKind::Process, gathered)));
    all
}

/// The instance as the sum of what was seen of it.
pub(crate) fn bins_of_all(server: &ServerRecord, frame: &Frame) -> Vec<Bin> {
    let names = names(server);
    let (applications, _) = gather(server, frame, &names);
    let mut all = Gathered::default();
    for (_, gathered) in applications {
        all.lives.extend(gathered.lives);
        all.origins.extend(gathered.origins);
    }
    bins(frame, &Readings::of(server, frame), &all, GroupKind::Instance, 0.0)
}

/// Whether all that happened in a row is known: before a time, sessions that ended may have been given up.
fn usable(server: &ServerRecord, row: &Figures) -> bool {
    row.cut.is_none() && row.seen && row.to_us > row.from_us && row.from_us >= server.lives_since_us
}

/// The group's name of each origin of clients.
fn names(server: &ServerRecord) -> HashMap<u32, String> {
    let clients = server.origins.iter().filter(|(_, origin)| origin.apart.is_none());
    clients.map(|(id, origin)| (*id, origin.name())).collect()
}

type ByName = BTreeMap<String, Gathered>;

fn gather(server: &ServerRecord, frame: &Frame, names: &HashMap<u32, String>) -> (ByName, ByName) {
    let mut applications = ByName::new();
    let mut processes: BTreeMap<(&str, u64), Gathered> = BTreeMap::new();
    let anchor_us = server.anchor_us.unwrap_or_default();
    let ended = server.ended.iter().filter(|life| life.closed_us > frame.start_us).map(|life| {
        let moments = Moments { opened_us: life.opened_us, closed_us: Some(life.closed_us), login: !life.found };
        (life.origin, life.process, moments, frame.life(life, life.process, pool_of(server, life.origin)))
    });
    let open = server.open.values().map(|open| {
        let moments = Moments { opened_us: open.opened_us, closed_us: None, login: !open.found };
        let pool = pool_of(server, open.origin);
        (open.origin, open.process, moments, frame.open(open.opened_us, (open.state, anchor_us), open.process, pool))
    });
    for (origin, process, moments, life) in ended.chain(open) {
        let Some(name) = names.get(&origin) else { continue };
        if !applications.contains_key(name) {
            applications.insert(name.clone(), Gathered::default());
        }
        if let Some(group) = applications.get_mut(name) {
            group.add(origin, moments, life.clone(), frame);
        }
        if let Some(process) = process {
            processes.entry((name, process)).or_default().add(origin, moments, life, frame);
        }
    }
    let named = |((name, process), gathered): ((&str, u64), Gathered)| (format!("{name} # {process}"), gathered);
    (applications, processes.into_iter().map(named).collect())
}

impl Gathered {
    fn add(&mut self, origin: u32, moments: Moments, life: Life, frame: &Frame) {
        self.logins += usize::from(moments.login && moments.opened_us > frame.start_us);
        self.lives.push(moments);
        self.series.push(life);
        if !self.origins.contains(&origin) {
            self.origins.push(origin);
        }
    }
}

/// Beyond the largest applications, all are one.
fn fold(applications: &mut ByName) {
    if applications.len() <= MOST_APPLICATIONS {
        return;
    }
    let mut order: Vec<(usize, usize, String)> =
        applications.iter().map(|(name, group)| (group.logins, group.lives.len(), name.clone())).collect();
    order.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.cmp(&b.2)));
    let mut other = Gathered::default();
    for (_, _, name) in order.split_off(MOST_APPLICATIONS) {
        if let Some(group) = applications.remove(&name) {
            other.lives.extend(group.lives);
            other.series.extend(group.series);
            other.origins.extend(group.origins);
            other.logins += group.logins;
        }
    }
    applications.insert(OTHER.to_owned(), other);
}

fn busiest(processes: ByName) -> Vec<(String, Gathered)> {
    let mut order: Vec<(String, Gathered)> =
        processes.into_iter().filter(|(_, group)| group.logins >= LEAST_LOGINS).collect();
    order.sort_by(|a, b| b.1.logins.cmp(&a.1.logins).then_with(|| a.0.cmp(&b.0)));
    order.truncate(MOST_PROCESSES);
    order
}

/// Which part of the instance's counted logins were this group's and not seen.
fn unseen_share(gathered: &Gathered, coverage: &Coverage, kind: GroupKind) -> f64 {
    if kind == GroupKind::Process {
        return 0.0;
    }
    let whose: f64 = gathered.origins.iter().filter_map(|origin| coverage.whose.get(origin)).sum();
    whose * coverage.unseen
}

/// What the readings say of each bin, whatever the group.
struct Readings {
    known: Vec<bool>,
    /// Logins that the server counted.
    logins: Vec<f64>,
    /// Sessions at work by origin, at the last reading.
    busy: Vec<Option<Vec<(u32, u32)>>>,
}

impl Readings {
    fn of(server: &ServerRecord, frame: &Frame) -> Self {
        let mut logins = vec![0.0; frame.bins];
        let mut last: Vec<Option<&Figures>> = vec![None; frame.bins];
        for row in frame.rows(server).filter(|row| usable(server, row)) {
            let counted = row.change(Counter::Logins).unwrap_or_default();
            for (bin, part) in frame.parts(row.from_us, row.to_us) {
                logins[bin] += counted * part;
                last[bin] = Some(row);
            }
        }
        let busy = last.into_iter().map(|row| row.map(|row| unpack_busy(&row.busy))).collect();
        Self { known: frame.known(server, |row| usable(server, row)), logins, busy }
    }
}

fn bins(frame: &Frame, readings: &Readings, gathered: &Gathered, kind: GroupKind, share: f64) -> Vec<Bin> {
    let mut bins = vec![Bin::default(); frame.bins];
    let mut steps = vec![0_i64; frame.bins + 1];
    for life in &gathered.lives {
        if let (true, Some(bin)) = (life.login, frame.bin(life.opened_us)) {
            bins[bin].logins += 1.0;
        }
        if let Some(bin) = life.closed_us.and_then(|closed_us| frame.bin(closed_us)) {
            bins[bin].logouts += 1.0;
        }
        // Open at the end of the bins from that of its login to the one before that of its logout.
        let first = if life.opened_us <= frame.start_us { Some(0) } else { frame.bin(life.opened_us) };
        let last = life.closed_us.map_or(Some(frame.bins), |closed_us| frame.bin(closed_us));
        if let (Some(first), Some(last)) = (first, last.or(Some(frame.bins))) {
            steps[first] += 1;
            steps[last] -= 1;
        }
    }
    let mut open = 0;
    for (bin, step) in bins.iter_mut().zip(&steps) {
        open += step;
        bin.sessions = Some(open.max(0) as f64);
    }
    for (number, bin) in bins.iter_mut().enumerate() {
        // They came and went between two readings.
        bin.logins += readings.logins[number] * share;
        bin.logouts += readings.logins[number] * share;
        // Readings count those at work by origin, which many processes share.
        if let (true, Some(busy)) = (kind != GroupKind::Process, &readings.busy[number]) {
            let mine = busy.iter().filter(|(origin, _)| gathered.origins.contains(origin));
            bin.active = Some(mine.map(|(_, count)| f64::from(*count)).sum());
        }
    }
    let numbered = bins.into_iter().enumerate().zip(&readings.known).filter(|(_, known)| **known);
    numbered.map(|((bin, figures), _)| Bin { at_s: bin as f64 * BIN_S, ..figures }).collect()
}
