//! What a collector sees of a simulated server: counters and open sessions, at a random moment of each interval.

use std::collections::BTreeMap;

use peaje_diagnose::churn::{Bin, GroupSeries, Life};
use peaje_model::{FailedLogins, GroupKind};
use rand::Rng;
use rand::rngs::StdRng;

use super::{Session, World};

/// What the server tells about its sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// The process of each client, and whether a session was ever used.
    Processes,
    /// Neither.
    Anonymous,
    /// Nothing at all: counters only.
    CountersOnly,
}

/// How it is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct View {
    /// Nominal time between two readings, and length of a bin.
    pub(crate) interval_s: f64,
    /// What the server tells.
    pub(crate) bearer: Bearer,
}

/// A session as the readings met it: numbers of the first and the last reading.
struct Met<'a> {
    session: &'a Session,
    first: usize,
    last: usize,
}

/// The instance's series, then one for each application.
pub(crate) fn observe(world: &World, view: View, rng: &mut StdRng) -> Vec<GroupSeries> {
    let count = (world.watched_s / view.interval_s) as usize;
    let readings: Vec<f64> = (0..count).map(|i| (i as f64 + rng.random_range(0.0..1.0)) * view.interval_s).collect();
    let met: Vec<Met<'_>> = world.sessions.iter().filter_map(|session| meet(session, &readings, view)).collect();
    let whole = instance(world, &readings, &met, view);
    if view.bearer == Bearer::CountersOnly {
        return vec![whole];
    }
    let apps = (0..world.apps.len()).map(|app| application(world, app, &readings, &met, view));
    let apps: Vec<GroupSeries> = apps.collect();
    std::iter::once(whole).chain(apps).collect()
}

fn meet<'a>(session: &'a Session, readings: &[f64], view: View) -> Option<Met<'a>> {
    let first = first_at_or_after(session.opened, readings, view);
    let end = first_at_or_after(session.closed, readings, view);
    (first < end).then(|| Met { session, first, last: end - 1 })
}

/// Number of the first reading at or after a moment.
fn first_at_or_after(at: f64, readings: &[f64], view: View) -> usize {
    if at.is_infinite() {
        return readings.len();
    }
    let near = ((at / view.interval_s).floor().max(0.0) as usize).min(readings.len());
    if near < readings.len() && readings[near] < at { near + 1 } else { near }
}

/// Counts at each reading, from a list of ranges of readings.
fn counts(ranges: impl Iterator<Item = (usize, usize)>, readings: usize) -> Vec<f64> {
    let mut steps = vec![0.0; readings + 1];
    for (from, to) in ranges {
        steps[from] += 1.0;
        steps[to] -= 1.0;
    }
    let sums = steps.iter().scan(0.0, |sum, step| {
        *sum += step;
        Some(*sum)
    });
    sums.take(readings).collect()
}

fn open_at(met: &[&Met<'_>], readings: usize) -> Vec<f64> {
    counts(met.iter().map(|met| (met.first, met.last + 1)), readings)
}

fn active_at(met: &[&Met<'_>], readings: &[f64], view: View) -> Vec<f64> {
    let all = met.iter().flat_map(|met| met.session.busy.iter());
    let ranges =
        all.map(|(from, to)| (first_at_or_after(*from, readings, view), first_at_or_after(*to, readings, view)));
    counts(ranges.filter(|(from, to)| from < to), readings.len())
}

/// What a cumulative counter gained in each bin: known at the readings, and spread evenly between them.
fn per_bin(gained: &[f64], readings: &[f64], view: View) -> Vec<f64> {
    let mut bins = vec![0.0; readings.len()];
    for i in 1..readings.len() {
        let (from, to) = (readings[i - 1], readings[i]);
        let mut at = from;
        while at < to - 1e-9 {
            let bin = ((at / view.interval_s + 1e-9).floor() as usize).min(readings.len() - 1);
            let until = ((bin as f64 + 1.0) * view.interval_s).min(to);
            bins[bin] += gained[i] * (until - at) / (to - from);
            at = until;
        }
    }
    bins
}

/// How many of these moments lie between each reading and the one before.
fn gained(moments: impl Iterator<Item = f64>, readings: &[f64], view: View) -> Vec<f64> {
    let mut gained = vec![0.0; readings.len() + 1];
    for at in moments {
        gained[first_at_or_after(at, readings, view)] += 1.0;
    }
    gained.truncate(readings.len());
    gained
}

struct Columns {
    logins: Vec<f64>,
    logouts: Vec<f64>,
    open: Vec<f64>,
    active: Vec<f64>,
    requests: Option<Vec<f64>>,
    failed: Option<(Vec<f64>, Vec<f64>)>,
    abandoned: Option<Vec<f64>>,
}

/// The bins between the first and the last reading: those at the ends are known in part only.
fn bins(columns: &Columns, view: View) -> Vec<Bin> {
    let bin = |i: usize| Bin {
        at_s: i as f64 * view.interval_s,
        logins: columns.logins[i],
        logouts: columns.logouts[i],
        sessions: Some(columns.open[i]),
        active: Some(columns.active[i]),
        requests: columns.requests.as_ref().map(|requests| requests[i]),
        failed: columns.failed.as_ref().map(|(failed, probes)| FailedLogins {
            total: failed[i],
            probe: Some(probes[i]),
            ..FailedLogins::default()
        }),
        abandoned: columns.abandoned.as_ref().map(|abandoned| abandoned[i]),
        ..Bin::default()
    };
    (1..columns.open.len() - 1).map(bin).collect()
}

/// Which part of the instance's logins no reading met, and whose they are: a session that was met once, young, stands
/// for many that were not.
struct Unseen {
    coverage: Option<f64>,
    share: f64,
    of_app: Vec<f64>,
}

fn unseen(world: &World, readings: &[f64], met: &[Met<'_>], view: View) -> Unseen {
    let logins: f64 = gained(world.sessions.iter().map(|s| s.opened), readings, view)[1..].iter().sum();
    let born = met.iter().filter(|met| met.first > 0);
    let coverage = (logins > 0.0).then(|| (born.clone().count() as f64 / logins).min(1.0));
    let mut of_app = vec![0.0; world.apps.len()];
    for met in born.filter(|met| met.first == met.last) {
        let age = (readings[met.first] - met.session.opened).max(1e-6);
        of_app[met.session.app] += (view.interval_s / (2.0 * age)).clamp(1.0, 200.0) - 1.0;
    }
    let total: f64 = of_app.iter().sum();
    for part in &mut of_app {
        *part /= total.max(1e-9);
    }
    Unseen { coverage, share: coverage.filter(|share| *share < 0.9).map_or(0.0, |share| 1.0 - share), of_app }
}

fn instance(world: &World, readings: &[f64], met: &[Met<'_>], view: View) -> GroupSeries {
    let all: Vec<&Met<'_>> = met.iter().collect();
    let count = |moments: &mut dyn Iterator<Item = f64>| per_bin(&gained(moments, readings, view), readings, view);
    let mut ends = world.sessions.iter().filter(|s| s.closed.is_finite()).map(|s| s.closed);
    let mut left = world.sessions.iter().filter(|s| s.abandoned && s.closed.is_finite()).map(|s| s.closed);
    let failed = |probe: bool| world.failures.iter().filter(move |failure| failure.probe == probe).map(|f| f.at);
    let logouts = count(&mut ends);
    let mut columns = Columns {
        logins: count(&mut world.sessions.iter().map(|s| s.opened)),
        logouts,
        open: open_at(&all, readings.len()),
        active: active_at(&all, readings, view),
        requests: Some(count(&mut world.sessions.iter().flat_map(|s| s.busy.iter().map(|busy| busy.0)))),
        failed: Some((count(&mut failed(false)), count(&mut failed(true)))),
        abandoned: Some(count(&mut left)),
    };
    if view.bearer != Bearer::CountersOnly {
        place_seen(&mut columns.logins, readings, met, view);
    }
    balance(&mut columns);
    GroupSeries {
        server: "server:5432".to_owned(),
        name: "server:5432".to_owned(),
        kind: GroupKind::Instance,
        bin_s: view.interval_s,
        bins: bins(&columns, view),
        lives: if view.bearer == Bearer::CountersOnly { Vec::new() } else { lives(&all, readings, view) },
        coverage: unseen(world, readings, met, view).coverage.filter(|_| view.bearer != Bearer::CountersOnly),
        resets: 0,
        limit: Some(1000),
    }
}

/// Logins that were seen are put where they were; the server tells when each session began.
fn place_seen(logins: &mut [f64], readings: &[f64], met: &[Met<'_>], view: View) {
    let mut gained = vec![0.0; readings.len()];
    for met in met.iter().filter(|met| met.first > 0) {
        gained[met.first] += 1.0;
        logins[bin_of(met.session.opened, view)] += 1.0;
    }
    let evenly = per_bin(&gained, readings, view);
    for (logins, evenly) in logins.iter_mut().zip(&evenly) {
        *logins = (*logins - evenly).max(0.0);
    }
}

/// Open sessions at the end of each bin: what the first reading saw, and then what came and went.
fn balance(columns: &mut Columns) {
    let mut open = columns.open.first().copied().unwrap_or(0.0);
    for ((here, logins), logouts) in columns.open.iter_mut().zip(&columns.logins).zip(&columns.logouts) {
        open += logins - logouts;
        *here = open.max(0.0);
    }
}

fn bin_of(at: f64, view: View) -> usize {
    (at / view.interval_s).floor().max(0.0) as usize
}

fn application(world: &World, app: usize, readings: &[f64], met: &[Met<'_>], view: View) -> GroupSeries {
    let of_it: Vec<&Met<'_>> = met.iter().filter(|met| met.session.app == app).collect();
    let unseen = unseen(world, readings, met, view);
    let share = unseen.share * unseen.of_app[app];
    let not_met = per_bin(&gained(world.sessions.iter().map(|s| s.opened), readings, view), readings, view);
    let not_met: Vec<f64> = not_met.into_iter().map(|logins| logins * share).collect();
    let (mut logins, mut logouts) = (not_met.clone(), not_met.clone());
    let mut ranges = Vec::new();
    for met in &of_it {
        let gone = readings.get(met.last + 1).map(|missed| bin_of(f64::midpoint(readings[met.last], *missed), view));
        let gone = gone.unwrap_or(readings.len()).min(readings.len());
        let came = bin_of(met.session.opened, view).min(gone);
        if met.first > 0 {
            logins[came] += 1.0;
        }
        if gone < readings.len() {
            logouts[gone] += 1.0;
        }
        ranges.push((came, gone));
    }
    let seen = of_it.iter().filter(|met| met.first > 0).count() as f64;
    let apportioned: f64 = not_met.iter().sum();
    let columns = Columns {
        logins,
        logouts,
        open: counts(ranges.into_iter(), readings.len()),
        active: active_at(&of_it, readings, view),
        requests: None,
        failed: None,
        abandoned: None,
    };
    GroupSeries {
        server: "server:5432".to_owned(),
        name: format!("{} @ 10.0.0.9", world.apps[app]),
        kind: GroupKind::Application,
        bin_s: view.interval_s,
        bins: bins(&columns, view),
        lives: lives(&of_it, readings, view),
        coverage: unseen.coverage.map(|_| if seen > 0.0 { seen / (seen + apportioned) } else { 1.0 }),
        resets: 0,
        limit: Some(1000),
    }
}

fn lives(met: &[&Met<'_>], readings: &[f64], view: View) -> Vec<Life> {
    let mut pools: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let life = |met: &&Met<'_>| {
        let last_seen = readings[met.last];
        let missed = readings.get(met.last + 1).copied();
        let closed_s = missed.map(|missed| f64::midpoint(last_seen, missed));
        let known = pools.len() as u64;
        let pool = *pools.entry((0, met.session.pool)).or_insert(known);
        Life {
            opened_s: met.session.opened,
            closed_s,
            closed_within_s: missed.map_or(0.0, |missed| missed - last_seen),
            idle_s: idle_since(met.session, last_seen).map(|since| closed_s.unwrap_or(last_seen) - since),
            used: (view.bearer == Bearer::Processes)
                .then(|| met.session.busy.first().is_some_and(|busy| busy.0 <= last_seen)),
            process: (view.bearer == Bearer::Processes).then_some(met.session.process),
            pool,
        }
    };
    met.iter().map(life).collect()
}

/// Since when a session has been idle at this moment; `None` when it is at work.
fn idle_since(session: &Session, at: f64) -> Option<f64> {
    let begun = session.busy.partition_point(|busy| busy.0 <= at);
    match begun.checked_sub(1).map(|i| session.busy[i].1) {
        None => Some(session.opened),
        Some(end) if end <= at => Some(end),
        Some(_) => None,
    }
}
