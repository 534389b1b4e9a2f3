//! What limited the rate, and how much of a login is distance.
//!
//! Series that say the same but for the numbers share one line. The figures of distance come from the same function as
//! those of its finding, so that a page cannot hold two of them.

use peaje_diagnose::{local_shortage, login_distance};
use peaje_model::{Arrival, BoundReason, BoundReasonCode, BoundVerdict, Mode, Run, Series};

use super::series;
use crate::{
    catalogue::Catalogue,
    units::{ABSENT, Units},
    words,
};

/// Part of a login below which distance is not worth a line.
const NOTABLE_SHARE: f64 = 0.1;

/// One sentence for all series with the same verdict and signs: server-bound, generator-bound or undecided, and why.
pub(super) fn bound(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut groups: Vec<Vec<&Series>> = Vec::new();
    for one in series(run) {
        match groups.iter_mut().find(|group| says_the_same(group[0], one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.iter().map(|group| one_bound(cat, run, group)).collect()
}

fn says_the_same(a: &Series, b: &Series) -> bool {
    let codes = |s: &Series| s.bound.reasons.iter().map(|reason| reason.code).collect::<Vec<_>>();
    let workers = |s: &Series| s.settings.concurrency;
    id(a) == id(b) && codes(a) == codes(b) && local_shortage(a) == local_shortage(b) && workers(a) == workers(b)
}

fn id(series: &Series) -> &'static str {
    let unsaturated = series.bound.reasons.iter().any(|reason| reason.code == BoundReasonCode::Waiting);
    let is_closed_loop = series.settings.arrival == Arrival::Closed;
    match (series.bound.verdict, series.mode) {
        (BoundVerdict::Server, _) => "bound-server",
        // Without a schedule, what each worker waits for is its own operation.
        (BoundVerdict::Undecided, _) if unsaturated && is_closed_loop => "bound-latency",
        (BoundVerdict::Undecided, _) if unsaturated => "bound-schedule",
        (BoundVerdict::Undecided, _) => "bound-undecided",
        (BoundVerdict::Generator, Mode::Unpooled) => "bound-generator-logins",
        (BoundVerdict::Generator, Mode::Pooled | Mode::Persistent) => "bound-generator-operations",
    }
}

fn one_bound(cat: &Catalogue, run: &Run, group: &[&Series]) -> String {
    let label = if group.len() > 1 && group.len() == series(run).len() {
        cat.word("all-series")
    } else {
        group.iter().map(|s| words::series(cat, s)).collect::<Vec<_>>().join("; ")
    };
    let rate = range(cat, group, |s| s.throughput_per_s.value, Units::figure);
    if id(group[0]) == "bound-schedule" {
        let offered = range(cat, group, |s| s.settings.arrival.rate_per_s(), Units::figure);
        let lag = range(cat, group, |s| s.lag_us.p99, Units::time);
        let args = [("label", label.into()), ("rate", rate.into()), ("offered", offered.into()), ("lag", lag.into())];
        return cat.say("bound-schedule", &args);
    }
    if id(group[0]) == "bound-latency" {
        let took = range(cat, group, |s| s.service_us.mean, Units::time);
        let workers = group[0].settings.concurrency;
        let args = [("label", label.into()), ("rate", rate.into()), ("took", took.into()), ("workers", workers.into())];
        return cat.say("bound-latency", &args);
    }
    let reasons: Vec<String> = (0..group[0].bound.reasons.len()).map(|i| reason(cat, group, i)).collect();
    let reasons = match reasons.as_slice() {
        [] => String::new(),
        some => cat.say("bound-reasons", &[("list", some.join("; ").into())]),
    };
    cat.say(id(group[0]), &[("label", label.into()), ("rate", rate.into()), ("reasons", reasons.into())])
}

/// The sign at a place of the list, over all series of the group.
fn reason(cat: &Catalogue, group: &[&Series], i: usize) -> String {
    let code = group[0].bound.reasons[i].code;
    let show: fn(Units, f64) -> String = match code {
        BoundReasonCode::Lag => Units::time,
        BoundReasonCode::NoLocalPort | BoundReasonCode::ListenOverflows | BoundReasonCode::ServerGone => {
            |units, n| units.fixed(n, 0)
        }
        _ => Units::share,
    };
    let over = |pick: fn(&BoundReason) -> f64| range(cat, group, |s| s.bound.reasons.get(i).map(pick), show);
    let args = [("value", over(|reason| reason.value).into()), ("limit", over(|reason| reason.limit).into())];
    let name = match code {
        BoundReasonCode::NoLocalPort => local_shortage(group[0]).name(),
        code => words::reason_name(code),
    };
    cat.say(&format!("reason-{name}"), &args)
}

/// A figure of several series: `71 %`, or `65 %–71 %` when they differ as far as it is shown.
fn range(
    cat: &Catalogue,
    group: &[&Series],
    figure: impl Fn(&Series) -> Option<f64>,
    show: impl Fn(Units, f64) -> String,
) -> String {
    let mut values: Vec<f64> = group.iter().filter_map(|s| figure(s)).collect();
    values.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (values.first(), values.last()) else { return ABSENT.to_owned() };
    let (low, high) = (show(cat.units, *low), show(cat.units, *high));
    if low == high { low } else { format!("{low}–{high}") }
}

/// "Of 210 ms, 170 ms is distance", for each series that logs in, when it is worth a line.
pub(super) fn distance(cat: &Catalogue, run: &Run) -> Vec<String> {
    series(run).iter().filter_map(|s| one_distance(cat, run, s)).collect()
}

fn one_distance(cat: &Catalogue, run: &Run, series: &Series) -> Option<String> {
    let distance = login_distance(run, series).filter(|distance| distance.share >= NOTABLE_SHARE)?;
    let near_us = distance.near_total_us.filter(|_| series.mode == Mode::Unpooled)?;
    let args = [
        ("label", words::series(cat, series).into()),
        ("total", cat.units.time(distance.total_us).into()),
        ("distance", cat.units.time(distance.us).into()),
        ("trips", cat.units.ratio(distance.round_trips).into()),
        ("rtt", cat.units.time(distance.rtt_us).into()),
        ("near", cat.units.time(near_us).into()),
    ];
    Some(cat.say("distance", &args))
}
