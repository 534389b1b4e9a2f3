//! Keeps a server's snapshot up to date, reading by reading.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use peaje_engine::{SessionRow, SessionState, WatchCounters, WatchReading};

use crate::record::ServerRecord;
use crate::row::{Counter, Cut, Interval, Origin};
use crate::snapshot::{Ages, GroupSnapshot, HISTORY, Point, Rates, ServerSnapshot, SessionStates};

/// Most groups in a snapshot.
const MOST_GROUPS: usize = 20;
/// Most groups that are followed; beyond that, new names are `other`.
const MOST_FOLLOWED: usize = 1000;

#[derive(Debug, Default)]
struct Followed {
    shown: GroupSnapshot,
    /// Births and deaths of this reading.
    born: u64,
    gone: u64,
    known: u64,
    encrypted: u64,
    history: VecDeque<Option<f32>>,
}

/// The snapshot of one server and what it is made from.
#[derive(Debug)]
pub(crate) struct Live {
    snapshot: ServerSnapshot,
    history: VecDeque<Point>,
    groups: BTreeMap<(String, String), Followed>,
    /// Logins and logouts seen of groups that were out of view at the time.
    others: (u64, u64),
}

impl Live {
    pub(crate) fn new(server: &str, since_us: i64) -> Self {
        let snapshot = ServerSnapshot { server: server.to_owned(), since_us, ..ServerSnapshot::default() };
        Self { snapshot, history: VecDeque::new(), groups: BTreeMap::new(), others: (0, 0) }
    }

    /// Where a caller sets what it knows.
    pub(crate) fn edit(&mut self) -> &mut ServerSnapshot {
        &mut self.snapshot
    }

    /// The snapshot as it is now.
    pub(crate) fn share(&self) -> Arc<ServerSnapshot> {
        Arc::new(self.snapshot.clone())
    }

    /// A row that was made of a reading. `record` does not hold the row yet, so that the ends of sessions can be told.
    pub(crate) fn reading(&mut self, at_us: i64, row: &Interval, reading: &WatchReading, record: &ServerRecord) {
        let snapshot = &mut self.snapshot;
        snapshot.state = crate::snapshot::ServerState::Watching;
        snapshot.at_us = at_us;
        snapshot.readings += 1;
        snapshot.counters = held(&snapshot.counters, reading.counters, row.cut);
        snapshot.missing.clone_from(&reading.gaps);
        snapshot.rates = row.cut.is_none().then(|| rates(row));
        snapshot.gaps += u64::from(row.cut.is_some_and(|cut| cut != Cut::First));
        snapshot.resets += u64::from(row.cut.is_some_and(Cut::is_reset));
        let narrow = |rate: Option<f64>| rate.map(|rate| rate as f32);
        let rates = snapshot.rates;
        push(
            &mut self.history,
            Point {
                at_us,
                logins_per_s: narrow(rates.and_then(|rates| rates.logins_per_s)),
                logouts_per_s: narrow(rates.and_then(|rates| rates.logouts_per_s)),
                failed_per_s: narrow(rates.and_then(|rates| rates.failed_per_s)),
                sessions: row.sessions.map(|sessions| sessions as f32),
            },
        );
        snapshot.history = self.history.iter().copied().collect();
        snapshot.states = states(reading);
        snapshot.ages = ages(reading);
        snapshot.authentication = authentication(reading);
        self.groups(row, reading, record);
    }

    /// A reading that failed leaves a hole in the history.
    pub(crate) fn missed(&mut self, at_us: i64) {
        self.snapshot.rates = None;
        push(&mut self.history, Point { at_us, ..Point::default() });
        self.snapshot.history = self.history.iter().copied().collect();
    }

    fn groups(&mut self, row: &Interval, reading: &WatchReading, record: &ServerRecord) {
        // Otherwise nobody knows when within a longer time sessions came and went.
        let listed_before = row.cut.is_none() && record.rows.back().is_some_and(|last| last.seen);
        for death in &row.deaths {
            let Some(open) = record.open.get(&death.serial) else { continue };
            let life_s = (row.server_us - open.server_opened_us).max(0) as f64 / 1e6;
            let Some(origin) = record.origins.get(&open.origin).filter(|origin| origin.apart.is_none()) else {
                continue;
            };
            // Another server's sessions did not end.
            if row.cut == Some(Cut::AnotherServer) {
                continue;
            }
            if listed_before {
                self.snapshot.lives.observe(life_s);
            }
            let group = self.follow(origin.group(), origin.from());
            group.shown.logouts_total += 1;
            group.gone += 1;
        }
        for birth in row.births.iter().filter(|birth| !birth.found) {
            let new = row.origins.iter().find(|(id, _)| *id == birth.origin).map(|(_, origin)| origin);
            let Some(origin) = new.or_else(|| record.origins.get(&birth.origin)) else { continue };
            if origin.apart.is_none() {
                let group = self.follow(origin.group(), origin.from());
                group.shown.logins_total += 1;
                group.born += 1;
            }
        }
        let seconds = (listed_before && row.seen && row.length_us > 0).then(|| row.length_us as f64 / 1e6);
        if let Some(sessions) = &reading.sessions {
            for group in self.groups.values_mut() {
                (group.shown.sessions, group.shown.active, group.shown.never_used) = (0, 0, None);
                group.shown.idle_in_transaction = 0;
                (group.known, group.encrypted) = (0, 0);
            }
            for session in sessions.iter().filter(|session| session.apart.is_none()) {
                let origin = Origin {
                    application: session.application.clone(),
                    host: session.host.clone(),
                    user: session.user.clone(),
                    ..Origin::default()
                };
                let group = self.follow(origin.group(), origin.from());
                group.shown.sessions += 1;
                group.shown.active += u64::from(session.state == SessionState::Active);
                group.shown.idle_in_transaction += u64::from(session.state == SessionState::IdleInTransaction);
                group.known += u64::from(session.encrypted.is_some());
                group.encrypted += u64::from(session.encrypted == Some(true));
                if let Some(used) = session.used {
                    *group.shown.never_used.get_or_insert(0) += u64::from(!used);
                }
            }
        }
        for group in self.groups.values_mut() {
            let rate = seconds.map(|seconds| group.born as f64 / seconds);
            group.shown.logins_per_s = rate;
            group.shown.encrypted = (group.known > 0).then(|| group.encrypted as f64 / group.known as f64);
            push(&mut group.history, rate.map(|rate| rate as f32));
        }
        // A group without a session and without a login in the whole history is forgotten.
        self.groups.retain(|_, group| {
            let quiet = |rate: &Option<f32>| rate.is_none_or(|rate| rate <= 0.0);
            group.shown.sessions > 0 || group.history.len() < HISTORY || !group.history.iter().all(quiet)
        });
        self.snapshot.groups = self.top();
        for group in self.groups.values_mut() {
            (group.born, group.gone) = (0, 0);
        }
    }

    fn follow(&mut self, application: &str, host: &str) -> &mut Followed {
        let key = (application.to_owned(), host.to_owned());
        let key = if self.groups.len() >= MOST_FOLLOWED && !self.groups.contains_key(&key) {
            (crate::series::groups::OTHER.to_owned(), String::new())
        } else {
            key
        };
        self.groups.entry(key).or_insert_with_key(|(application, host)| Followed {
            shown: GroupSnapshot {
                name: if host.is_empty() { application.clone() } else { format!("{application} @ {host}") },
                application: application.clone(),
                host: host.clone(),
                ..GroupSnapshot::default()
            },
            ..Followed::default()
        })
    }

    /// The groups that are shown, and the sum of the rest.
    fn top(&mut self) -> Vec<GroupSnapshot> {
        let mut order: Vec<&Followed> = self.groups.values().collect();
        order.sort_by_key(|group| std::cmp::Reverse((group.shown.logins_total, group.shown.sessions)));
        // What is a sum of several already stays in the sum.
        let (sums, mut single): (Vec<&Followed>, Vec<&Followed>) =
            order.into_iter().partition(|group| group.shown.host.is_empty());
        let rest = single.split_off(single.len().min(MOST_GROUPS));
        let shown = |group: &&Followed| GroupSnapshot {
            history: group.history.iter().copied().collect(),
            ..group.shown.clone()
        };
        let mut top: Vec<GroupSnapshot> = single.iter().map(shown).collect();
        let out_of_view = || sums.iter().chain(&rest);
        let (born, gone) = out_of_view().fold((0, 0), |all, group| (all.0 + group.born, all.1 + group.gone));
        let rest: Vec<GroupSnapshot> = out_of_view().map(shown).collect();
        self.others = (self.others.0 + born, self.others.1 + gone);
        if !rest.is_empty() || self.others != (0, 0) {
            let (logins_total, logouts_total) = self.others;
            top.push(GroupSnapshot { logins_total, logouts_total, ..sum(&rest) });
        }
        top
    }
}

fn push<T>(history: &mut VecDeque<T>, point: T) {
    if history.len() == HISTORY {
        history.pop_front();
    }
    history.push_back(point);
}

/// Counters that wobble between two readings are held where they were, as in the differences: a fall that is published
/// would be read as a reset.
fn held(before: &WatchCounters, mut counters: WatchCounters, cut: Option<Cut>) -> WatchCounters {
    if cut.is_none() {
        for counter in Counter::ALL {
            let was = counter.of(before);
            let place = counter.place(&mut counters);
            *place = place.map(|is| was.map_or(is, |was| was.max(is)));
        }
    }
    counters
}

fn rates(row: &Interval) -> Rates {
    let seconds = row.length_us.max(1) as f64 / 1e6;
    let rate = |counter: Counter| row.changes.get(counter).map(|change| change as f64 / seconds);
    let logins = row.changes.get(Counter::Logins).filter(|logins| *logins > 0);
    Rates {
        logins_per_s: rate(Counter::Logins),
        logouts_per_s: rate(Counter::Logouts),
        failed_per_s: rate(Counter::Failed),
        requests_per_s: rate(Counter::Requests),
        resets_per_s: rate(Counter::Resets),
        tls_share: logins.zip(row.changes.get(Counter::TlsLogins)).map(|(all, tls)| (tls as f64 / all as f64).min(1.0)),
        length_s: seconds,
    }
}

fn states(reading: &WatchReading) -> SessionStates {
    if reading.sessions.is_none() {
        return SessionStates { active: reading.counters.active, ..SessionStates::default() };
    }
    let clients = || clients(reading);
    let count = |state: SessionState| Some(clients().filter(|session| session.state == state).count() as u64);
    let told = |known: usize, count: usize| (known > 0).then_some(count as u64);
    SessionStates {
        active: count(SessionState::Active),
        idle: count(SessionState::Idle),
        idle_in_transaction: count(SessionState::IdleInTransaction),
        never_used: told(
            clients().filter(|session| session.used.is_some()).count(),
            clients().filter(|session| session.used == Some(false)).count(),
        ),
        encrypted: told(
            clients().filter(|session| session.encrypted.is_some()).count(),
            clients().filter(|session| session.encrypted == Some(true)).count(),
        ),
    }
}

fn clients(reading: &WatchReading) -> impl Iterator<Item = &SessionRow> {
    reading.sessions.iter().flatten().filter(|session| session.apart.is_none())
}

fn ages(reading: &WatchReading) -> Option<Ages> {
    let age_s = |session: &SessionRow| (reading.server_clock_us - session.opened_us).max(0) as f64 / 1e6;
    let mut ages: Vec<f64> = clients(reading).map(age_s).collect();
    ages.sort_by(f64::total_cmp);
    Some(Ages { median_s: *ages.get(ages.len() / 2)?, oldest_s: *ages.last()? })
}

fn authentication(reading: &WatchReading) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for method in clients(reading).filter_map(|session| session.authentication.as_deref()) {
        *counts.entry(method).or_default() += 1;
    }
    let mut methods: Vec<(String, u64)> = counts.into_iter().map(|(method, n)| (method.to_owned(), n)).collect();
    methods.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    methods
}

fn sum(groups: &[GroupSnapshot]) -> GroupSnapshot {
    let other = crate::series::groups::OTHER.to_owned();
    let mut all = GroupSnapshot { name: other.clone(), application: other, ..GroupSnapshot::default() };
    let mut encrypted = (0.0, 0.0);
    for group in groups {
        all.sessions += group.sessions;
        all.active += group.active;
        all.idle_in_transaction += group.idle_in_transaction;
        if let Some(never) = group.never_used {
            *all.never_used.get_or_insert(0) += never;
        }
        if let Some(rate) = group.logins_per_s {
            *all.logins_per_s.get_or_insert(0.0) += rate;
        }
        if let Some(share) = group.encrypted {
            encrypted.0 += share * group.sessions as f64;
            encrypted.1 += group.sessions as f64;
        }
        // Aligned at the newest point.
        let missing = group.history.len().saturating_sub(all.history.len());
        all.history.splice(0..0, std::iter::repeat_n(None, missing));
        for (sum, rate) in all.history.iter_mut().rev().zip(group.history.iter().rev()) {
            *sum = match (*sum, *rate) {
                (Some(sum), Some(rate)) => Some(sum + rate),
                (sum, rate) => sum.or(rate),
            };
        }
    }
    all.encrypted = (encrypted.1 > 0.0).then(|| encrypted.0 / encrypted.1);
    all
}
