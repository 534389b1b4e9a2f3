//! The table of all numbers: a row for each figure, a column for each series. Rows without any figure are left out.

use peaje_model::{LatencySummary, NetworkCounters, Phase, Run, Series};

use super::{
    grid,
    markup::{Html, all, nothing, simple},
};
use crate::{
    catalogue::Catalogue,
    sections::{clock_notes, nothing_completed, series},
    tables::{self, logins_per_s},
    units::{ABSENT, Units},
    words,
};

/// The two clocks, then everything.
pub(super) fn table(cat: &Catalogue, run: &Run) -> Html {
    if nothing_completed(run) || run.sessions.is_some() {
        return nothing();
    }
    let clocks = tables::clocks(cat, run);
    let notes = clock_notes(cat, run).into_iter().map(|note| simple("p", &note));
    let mut header = vec![cat.word("num-figure")];
    header.extend(series(run).iter().map(|s| words::series(cat, s)));
    let everything = grid("", &header, &rows(cat, run).0);
    let head = [simple("h3", &cat.word("head-clocks")), grid("", &clocks.header, &clocks.rows)];
    all(head.into_iter().chain(notes).chain([everything]))
}

/// Rows under construction.
struct Rows<'a>(Vec<Vec<String>>, &'a [Series], Units);

impl Rows<'_> {
    fn add(&mut self, name: String, show: fn(Units, f64) -> String, figure: impl Fn(&Series) -> Option<f64>) {
        self.words(name, |units, s| units.or_absent(figure(s), show));
    }

    fn words(&mut self, name: String, cell: impl Fn(Units, &Series) -> String) {
        let cells: Vec<String> = self.1.iter().map(|s| cell(self.2, s)).collect();
        if cells.iter().any(|cell| cell != ABSENT) {
            self.0.push(std::iter::once(name).chain(cells).collect());
        }
    }

    fn count(&mut self, name: String, figure: impl Fn(&Series) -> Option<u64>) {
        self.add(name, |units, n| units.fixed(n, 0), |s| figure(s).map(|n| n as f64));
    }
}

fn rows<'a>(cat: &Catalogue, run: &'a Run) -> Rows<'a> {
    let mut rows = Rows(Vec::new(), series(run), cat.units);
    counts(cat, &mut rows);
    rates(cat, &mut rows);
    latencies(cat, &mut rows);
    phases(cat, &mut rows);
    costs(cat, &mut rows);
    network(cat, &mut rows);
    rows
}

fn counts(cat: &Catalogue, rows: &mut Rows<'_>) {
    rows.count(cat.word("num-scheduled"), |s| Some(s.counts.scheduled));
    rows.count(cat.word("num-completed"), |s| Some(s.counts.completed));
    rows.count(cat.word("num-failed"), |s| Some(s.counts.failed));
    rows.count(cat.word("num-skipped"), |s| Some(s.counts.skipped));
    rows.count(cat.word("num-in-flight"), |s| Some(s.counts.in_flight));
    rows.count(cat.word("num-logins"), |s| Some(s.logins));
    rows.add(cat.word("num-elapsed"), Units::elapsed, |s| Some(s.elapsed_s));
}

fn rates(cat: &Catalogue, rows: &mut Rows<'_>) {
    rows.add(cat.word("num-logins-per-s"), Units::figure, logins_per_s);
    rows.add(cat.word("num-throughput"), Units::figure, |s| s.throughput_per_s.value);
    rows.words(cat.word("num-throughput-interval"), tables::interval);
    rows.words(cat.word("num-peak"), tables::peak);
}

type Pick = fn(&Series) -> &LatencySummary;
type Figure = fn(&LatencySummary) -> Option<f64>;
type Counter = fn(&NetworkCounters) -> Option<u64>;

fn latencies(cat: &Catalogue, rows: &mut Rows<'_>) {
    let kinds: [(&str, Pick); 4] = [
        ("num-latency", |s| &s.latency_us),
        ("num-service", |s| &s.service_us),
        ("num-lag", |s| &s.lag_us),
        ("num-query", |s| &s.query_us),
    ];
    for (id, pick) in kinds {
        let figures: [(String, Figure); 6] = [
            (cat.word("fig-mean"), |l| l.mean),
            ("p50".to_owned(), |l| l.p50),
            ("p90".to_owned(), |l| l.p90),
            ("p99".to_owned(), |l| l.p99),
            ("p99.9".to_owned(), |l| l.p999),
            (cat.word("fig-max"), |l| l.max),
        ];
        for (name, figure) in figures {
            rows.add(cat.say(id, &[("figure", name.into())]), Units::time, |s| figure(pick(s)));
        }
    }
}

fn phases(cat: &Catalogue, rows: &mut Rows<'_>) {
    for phase in Phase::ALL {
        let of = |s: &Series| s.phases_us.get(&phase).copied().unwrap_or_default();
        let name = |id: &str| cat.say(id, &[("phase", words::phase(cat, phase).into())]);
        rows.add(name("num-phase"), Units::time, |s| of(s).mean);
        rows.add(name("num-phase-share"), Units::share, |s| of(s).share);
        rows.add(name("num-phase-trips"), Units::ratio, |s| of(s).round_trips);
    }
    let part = |id: &str| cat.say("num-pool", &[("part", cat.word(id).into())]);
    rows.add(part("part-wait"), Units::time, |s| s.pool_us?.wait.mean);
    rows.add(part("part-query"), Units::time, |s| s.pool_us?.query.mean);
    rows.add(part("part-give-back"), Units::time, |s| s.pool_us?.give_back.mean);
}

fn costs(cat: &Catalogue, rows: &mut Rows<'_>) {
    rows.add(cat.word("num-rtt"), Units::time, |s| s.rtt_us);
    rows.add(cat.word("num-client-cpu"), Units::time, |s| s.client_cpu_us_per_login);
    rows.add(cat.word("num-client-crypto"), Units::time, |s| s.client_crypto_us_per_login);
    rows.count(cat.word("num-server-logins"), |s| s.server.as_ref()?.logins);
    rows.add(cat.word("num-server-cpu-login"), Units::time, |s| s.server.as_ref()?.cpu_us_per_login);
    rows.add(cat.word("num-server-cpu-operation"), Units::time, |s| s.server.as_ref()?.cpu_us_per_operation);
    rows.add(cat.word("num-server-percent"), Units::percent, |s| s.server.as_ref()?.cpu_percent);
}

fn network(cat: &Catalogue, rows: &mut Rows<'_>) {
    let counters: [(&str, Counter); 3] = [
        ("num-listen-overflows", |n| n.listen_overflows),
        ("num-retransmits", |n| n.retransmits),
        ("num-time-wait", |n| n.time_wait),
    ];
    for (id, figure) in counters {
        rows.count(cat.word(id), |s| figure(&s.network));
    }
}
