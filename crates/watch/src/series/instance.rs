//! The series of a whole instance, from its counters.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use peaje_diagnose::churn::{Bin, GroupSeries, Life};
use peaje_model::{FailedLogins, GroupKind};

use crate::record::{Figures, ServerRecord};
use crate::row::{Counter, Cut};
use crate::series::coverage::Coverage;
use crate::series::frame::Frame;
use crate::series::groups;

/// The instance; where its logins are not counted, it is made of the sessions that were seen.
pub(crate) fn instance(server: &ServerRecord, frame: &Frame, coverage: &Coverage) -> GroupSeries {
    let counted = frame.rows(server).any(usable);
    let bins = if counted {
        from_counters(server, frame)
    } else if server.kind == GroupKind::Instance {
        groups::bins_of_all(server, frame)
    } else {
        Vec::new()
    };
    GroupSeries {
        server: server.label.clone(),
        name: server.name.clone(),
        kind: server.kind,
        bin_s: crate::series::BIN_S,
        bins,
        lives: lives(server, frame),
        coverage: coverage.share,
        resets: frame.rows(server).filter(|row| row.cut.is_some_and(Cut::is_reset)).count() as u64,
        limit: server.note.limit,
    }
}

fn usable(row: &Figures) -> bool {
    row.cut.is_none() && row.change(Counter::Logins).is_some()
}

fn from_counters(server: &ServerRecord, frame: &Frame) -> Vec<Bin> {
    let known = frame.known(server, usable);
    let mut bins = vec![Bin::default(); frame.bins];
    let births = births(server, frame);
    let mut sessions_before: Option<f64> = None;
    for row in &server.rows {
        let gauge = crate::record::known(row.sessions);
        if row.to_us > frame.start_us && usable(row) {
            let logins = spread_logins(row, &births, frame);
            let logouts = row.change(Counter::Logouts);
            if let (Some(before), Some(after)) = (sessions_before, gauge) {
                put_sessions(&mut bins, row, frame, (before, after), &logins, logouts.unwrap_or_default());
            }
            for (bin, logins) in &logins {
                bins[*bin].logins += logins;
            }
            put_counters(&mut bins, row, frame);
        }
        sessions_before = gauge;
    }
    let numbered = bins.into_iter().enumerate().zip(known).filter(|(_, known)| *known);
    numbered.map(|((bin, figures), _)| Bin { at_s: bin as f64 * crate::series::BIN_S, ..figures }).collect()
}

/// Logins that were seen, in the order of time.
fn births(server: &ServerRecord, frame: &Frame) -> Vec<i64> {
    let client = |origin: u32| server.origins.get(&origin).is_none_or(|origin| origin.apart.is_none());
    let ended = server.ended.iter().filter(|life| !life.found && client(life.origin)).map(|life| life.opened_us);
    let open = server.open.values().filter(|open| !open.found && client(open.origin)).map(|open| open.opened_us);
    let mut births: Vec<i64> = ended.chain(open).filter(|at_us| *at_us > frame.start_us).collect();
    births.sort_unstable();
    births
}

/// The logins of a row by bin: those that were seen where they were, the others evenly.
fn spread_logins(row: &Figures, births: &[i64], frame: &Frame) -> Vec<(usize, f64)> {
    let counted = row.change(Counter::Logins).unwrap_or_default();
    let first = births.partition_point(|at_us| *at_us <= row.from_us);
    let last = births.partition_point(|at_us| *at_us <= row.to_us);
    let seen = &births[first..last.max(first)];
    let weight = if seen.is_empty() { 0.0 } else { (counted / seen.len() as f64).min(1.0) };
    let rest = (counted - seen.len() as f64).max(0.0);
    let mut logins: Vec<(usize, f64)> =
        frame.parts(row.from_us, row.to_us).map(|(bin, part)| (bin, part * rest)).collect();
    for bin in seen.iter().filter_map(|at_us| frame.bin(*at_us)) {
        if let Some(place) = logins.iter_mut().find(|(place, _)| *place == bin) {
            place.1 += weight;
        }
    }
    logins
}

/// Open sessions at the ends of the bins within a row: what they were, plus logins, minus logouts, so that the balance
/// holds in every bin; what the counters leave over is spread evenly.
fn put_sessions(
    bins: &mut [Bin],
    row: &Figures,
    frame: &Frame,
    sessions: (f64, f64),
    logins: &[(usize, f64)],
    logouts: f64,
) {
    let (before, after) = sessions;
    let counted: f64 = row.change(Counter::Logins).unwrap_or_default();
    let left_over = after - before - (counted - logouts);
    let length = (row.to_us - row.from_us) as f64;
    // Logins in bins before the window.
    let in_window: f64 = logins.iter().map(|(_, logins)| logins).sum();
    let mut so_far = if row.from_us < frame.start_us { counted - in_window } else { 0.0 };
    for (bin, logins) in logins {
        so_far += logins;
        let end_us = frame.bin_end_us(*bin);
        let part = ((end_us - row.from_us as f64) / length).min(1.0);
        // A bin that goes on into the next row gets its value there.
        bins[*bin].sessions = Some((before + so_far + part * (left_over - logouts)).max(0.0));
    }
}

fn put_counters(bins: &mut [Bin], row: &Figures, frame: &Frame) {
    let add = |place: &mut Option<f64>, counter: Counter, part: f64| {
        if let Some(change) = row.change(counter) {
            *place.get_or_insert(0.0) += change * part;
        }
    };
    for (number, part) in frame.parts(row.from_us, row.to_us) {
        let bin = &mut bins[number];
        bin.logouts += row.change(Counter::Logouts).unwrap_or_default() * part;
        add(&mut bin.requests, Counter::Requests, part);
        add(&mut bin.reuses, Counter::Resets, part);
        add(&mut bin.abandoned, Counter::Abandoned, part);
        if let Some(failed) = row.change(Counter::Failed) {
            let all = bin.failed.get_or_insert_with(FailedLogins::default);
            all.total += failed * part;
            add(&mut all.credentials, Counter::FailedCredentials, part);
            add(&mut all.limit, Counter::FailedLimit, part);
            add(&mut all.probe, Counter::Probes, part);
        }
        bin.active = crate::record::known(row.active);
        bin.waiting = crate::record::known(row.waiting);
    }
}

/// All sessions of the instance. A process is named together with its host: numbers repeat over hosts.
fn lives(server: &ServerRecord, frame: &Frame) -> Vec<Life> {
    let process = |origin: u32, process: Option<u64>| {
        let host = server.origins.get(&origin).map(|origin| origin.host.as_str());
        process.map(|process| hashed(&(host, process)))
    };
    let client = |origin: u32| server.origins.get(&origin).is_some_and(|origin| origin.apart.is_none());
    let pool = |origin: u32| pool_of(server, origin);
    let ended = server.ended.iter().filter(|life| life.closed_us > frame.start_us && client(life.origin));
    let ended = ended.map(|life| frame.life(life, process(life.origin, life.process), pool(life.origin)));
    let anchor_us = server.anchor_us.unwrap_or_default();
    let open = server.open.values().filter(|open| client(open.origin)).map(|open| {
        frame.open(open.opened_us, (open.state, anchor_us), process(open.origin, open.process), pool(open.origin))
    });
    ended.chain(open).collect()
}

/// User and database as a number.
pub(crate) fn pool_of(server: &ServerRecord, origin: u32) -> u64 {
    server.origins.get(&origin).map_or(0, |origin| hashed(&(&origin.user, &origin.database)))
}

/// Equal values have equal numbers. `DefaultHasher::new` has fixed keys, so a replay gives the same.
pub(crate) fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
