//! Many sessions replaced at once: a restart of clients, or a failover.

use std::collections::BTreeSet;

use peaje_model::GroupStatistics;

use crate::churn::{Bin, GroupSeries};

/// Within this time the sessions go.
const GO_S: f64 = 120.0;

/// Within this time they come back.
const COME_BACK_S: f64 = 600.0;

/// Share of the sessions that makes it an event.
const SHARE: f64 = 0.5;

/// Sessions below which nothing can be replaced at once.
const FEWEST: f64 = 4.0;

/// Share of the former sessions at which the ramp is over.
const BACK: f64 = 0.9;

/// One event.
struct Event {
    start: usize,
    before: f64,
    share: f64,
}

pub(super) fn add(series: &GroupSeries, figures: &mut GroupStatistics) {
    let events = events(series);
    figures.replacements = events.len() as u64;
    let Some(largest) = events.iter().max_by(|a, b| a.share.total_cmp(&b.share)) else { return };
    figures.replaced_at_once = Some(largest.share);
    figures.ramp_s = ramp(series, largest);
    figures.new_processes = new_processes(series, series.bins[largest.start].at_s);
}

/// Events that do not overlap. What is gone and back by the usual flow does not count: a client that logs in for every
/// query replaces all its sessions every moment.
fn events(series: &GroupSeries) -> Vec<Event> {
    let bins = &series.bins;
    let (go, back) = ((GO_S / series.bin_s).ceil() as usize, (COME_BACK_S / series.bin_s).ceil() as usize);
    let logouts: f64 = bins.iter().map(|bin| bin.logouts).sum();
    let usual = usual_logouts(bins) * go as f64;
    let (mut found, mut start) = (Vec::new(), 1);
    while start < bins.len() && logouts > 0.0 {
        let before = bins[start - 1].sessions.unwrap_or(0.0);
        let gone = window(bins, start, go, |bin| bin.logouts) - usual;
        let come = window(bins, start, back, |bin| bin.logins);
        let share = if before >= FEWEST { (gone.min(come) / before).min(1.0) } else { 0.0 };
        // An event begins where sessions begin to go, not up to two minutes before.
        if share >= SHARE && bins[start].logouts > usual / go as f64 {
            found.push(Event { start, before, share });
            start += back;
        } else {
            start += 1;
        }
    }
    found
}

/// The median of logouts in a bin: what goes when nothing happens.
fn usual_logouts(bins: &[Bin]) -> f64 {
    peaje_stats::median(bins.iter().map(|bin| bin.logouts)).unwrap_or(0.0)
}

fn window(bins: &[Bin], start: usize, length: usize, of: impl Fn(&Bin) -> f64) -> f64 {
    bins.iter().skip(start).take(length).map(of).sum()
}

/// Time until 90 % of the sessions were back; `None` when they were not by the end.
fn ramp(series: &GroupSeries, event: &Event) -> Option<f64> {
    let enough = |bin: &&Bin| bin.sessions.is_some_and(|open| open >= BACK * event.before);
    let lost = |bin: &Bin| bin.sessions.is_none_or(|open| open >= BACK * event.before);
    let mut after = series.bins[event.start..].iter().skip_while(|bin| lost(bin)).skip_while(|bin| !enough(bin));
    let back = after.next()?;
    Some((back.at_s + series.bin_s - series.bins[event.start].at_s).max(series.bin_s))
}

/// Share of the processes that logged in within ten minutes from `at_s` and had not been seen before.
fn new_processes(series: &GroupSeries, at_s: f64) -> Option<f64> {
    let of = |range: std::ops::Range<f64>| -> BTreeSet<u64> {
        let within = series.lives.iter().filter(|life| range.contains(&life.opened_s));
        within.filter_map(|life| life.process).collect()
    };
    let (before, after) = (of(f64::NEG_INFINITY..at_s), of(at_s..at_s + COME_BACK_S));
    let new = after.difference(&before).count();
    (!after.is_empty()).then(|| new as f64 / after.len() as f64)
}
