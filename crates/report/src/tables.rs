//! The tables of every report: rates and percentiles, the two clocks, and both sides' account of the logins.
//!
//! Operations and logins are separate columns: with a pool an operation is not a login.

use peaje_model::{Mode, Peak, Run, Series, ServerAccount};

use crate::{
    catalogue::Catalogue,
    sections::{offered_per_s, series},
    units::{ABSENT, Units},
    words,
};

/// Rows under a header; the first column is text, the others are figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// Titles of the columns.
    pub(crate) header: Vec<String>,
    /// Cells, one row for each series.
    pub(crate) rows: Vec<Vec<String>>,
}

/// A column: the id of its title, and its cell.
type Column<'a> = (&'static str, Box<dyn Fn(&Series) -> String + 'a>);

/// Rates and latency percentiles. In an open loop the percentile from the start stands beside the corrected one.
pub(crate) fn rates(cat: &Catalogue, run: &Run) -> Table {
    let units = cat.units;
    let figure = move |value| units.or_absent(value, Units::figure);
    let time = move |value| units.or_absent(value, Units::time);
    let mut columns: Vec<Column<'_>> = vec![
        ("col-series", Box::new(|s| words::series(cat, s))),
        ("col-logins-per-s", Box::new(move |s| figure(logins_per_s(s)))),
        ("col-operations-per-s", Box::new(move |s| figure(s.throughput_per_s.value))),
        ("col-peak-per-s", Box::new(move |s| peak(units, s))),
        ("col-p50", Box::new(move |s| time(s.latency_us.p50))),
        ("col-p99", Box::new(move |s| time(s.latency_us.p99))),
    ];
    if offered_per_s(run).is_some() {
        columns.push(("col-p99-service", Box::new(move |s| time(s.service_us.p99))));
    }
    if series(run).iter().any(|s| s.counts.failed > 0) {
        columns.push(("col-failed", Box::new(move |s| units.count(s.counts.failed))));
    }
    table(cat, run, &columns)
}

/// Elapsed time of the series and mean time of one operation, side by side.
pub(crate) fn clocks(cat: &Catalogue, run: &Run) -> Table {
    let units = cat.units;
    let time = move |value| units.or_absent(value, Units::time);
    let mut columns: Vec<Column<'_>> = vec![
        ("col-series", Box::new(|s| words::series(cat, s))),
        ("col-operations", Box::new(move |s| units.count(s.counts.completed))),
        ("col-logins", Box::new(move |s| units.count(s.logins))),
        ("col-elapsed", Box::new(move |s| units.elapsed(s.elapsed_s))),
        ("col-mean", Box::new(move |s| time(s.latency_us.mean))),
        ("col-query", Box::new(move |s| time(s.query_us.mean))),
    ];
    if offered_per_s(run).is_some() {
        columns.push(("col-lag", Box::new(move |s| time(s.lag_us.p99))));
    }
    if series(run).iter().any(|s| s.throughput_per_s.low.is_some()) {
        columns.push(("col-interval", Box::new(move |s| interval(units, s))));
    }
    table(cat, run, &columns)
}

fn table(cat: &Catalogue, run: &Run, columns: &[Column<'_>]) -> Table {
    Table {
        header: columns.iter().map(|(id, _)| cat.word(id)).collect(),
        rows: series(run).iter().map(|s| columns.iter().map(|(_, cell)| cell(s)).collect()).collect(),
    }
}

/// What the server counted beside what peaje did, and the CPU of both; `None` when only our own count is known. Columns
/// that no series fills are left out.
pub(crate) fn account(cat: &Catalogue, run: &Run) -> Option<Table> {
    let units = cat.units;
    let time = move |value| units.or_absent(value, Units::time);
    let count = move |value: Option<u64>| value.map_or_else(|| ABSENT.to_owned(), |n| units.count(n));
    let columns: Vec<Column<'_>> = vec![
        ("col-series", Box::new(|s| words::series(cat, s))),
        ("col-server-logins", Box::new(move |s| count(s.server.as_ref().and_then(|a| a.logins)))),
        ("col-own-logins", Box::new(move |s| count(Some(s.logins)))),
        ("col-encrypted", Box::new(move |s| encrypted(cat, s.server.as_ref()))),
        ("col-server-cpu", Box::new(move |s| time(s.server.as_ref().and_then(|a| a.cpu_us_per_operation)))),
        ("col-client-cpu", Box::new(move |s| time(client_cpu_us(s)))),
        ("col-crypto", Box::new(move |s| time(client_cpu_us(s).and(s.client_crypto_us_per_login)))),
    ];
    let known = |(_, cell): &Column<'_>| series(run).iter().any(|s| cell(s) != ABSENT);
    let columns: Vec<Column<'_>> = columns.into_iter().filter(known).collect();
    // The series and our own count are always known.
    (columns.len() > 2).then(|| table(cat, run, &columns))
}

/// Of the sampled sessions, how many were encrypted: `400 of 400`.
fn encrypted(cat: &Catalogue, account: Option<&ServerAccount>) -> String {
    account.filter(|a| a.sampled_sessions > 0).map_or_else(
        || ABSENT.to_owned(),
        |a| cat.say("n-of-m", &[("n", a.sampled_encrypted.into()), ("m", a.sampled_sessions.into())]),
    )
}

/// Client CPU per login where operations are logins; elsewhere it holds queries without number.
pub(crate) fn client_cpu_us(series: &Series) -> Option<f64> {
    series.client_cpu_us_per_login.filter(|_| series.mode == Mode::Unpooled)
}

/// The best window; its width stands with it unless it is a second: peaks of other windows do not compare.
pub(crate) fn peak(units: Units, series: &Series) -> String {
    let Peak { value, window_s } = series.peak_per_s;
    // A run file of an older peaje may hold one below the mean, which the whole series reached.
    match value.filter(|value| *value >= series.throughput_per_s.value.unwrap_or(0.0)) {
        None => ABSENT.to_owned(),
        Some(value) if (window_s - 1.0).abs() < 1e-9 => units.figure(value),
        Some(value) => format!("{} ({} s)", units.figure(value), units.figure_tick(window_s)),
    }
}

/// The 95 % interval of the throughput: `398–408`.
pub(crate) fn interval(units: Units, series: &Series) -> String {
    match (series.throughput_per_s.low, series.throughput_per_s.high) {
        (Some(low), Some(high)) => format!("{}–{}", units.figure(low), units.figure(high)),
        _ => ABSENT.to_owned(),
    }
}

/// Real logins per second of the measurement; `None` when nothing was measured, and where connections are kept: a pool
/// logs in while it fills, and that divided by the whole time is the rate of nothing.
pub(crate) fn logins_per_s(series: &Series) -> Option<f64> {
    (series.elapsed_s > 0.0 && series.mode == Mode::Unpooled).then(|| series.logins as f64 / series.elapsed_s)
}
