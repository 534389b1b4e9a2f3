//! CSV: one row for each series, stable column names with their units, English whatever the language.
//!
//! Numbers are written as a program reads them (decimal point, no grouping, no rounding); a figure that is not there
//! is an empty cell.

use std::fmt::Display;

use peaje_model::{
    BoundVerdict, Grade, Interval, LatencySummary, Pattern, Phase, Run, Series, ServerAccount, SessionStep,
    SessionsResult, WatchGroup,
};

use crate::{
    catalogue::without_controls,
    findings::verdict_name,
    sections::series,
    sessions::{each_us, targets},
    tables::logins_per_s,
};

/// One row for each series (of a watch: for each group; of a ladder: for each step) under one header line, lines ending in `\n`.
pub fn csv(run: &Run) -> String {
    let rows: Vec<Row> = match (&run.watch, &run.sessions) {
        (Some(watch), _) => watch.groups.iter().map(|group| watched(run, group)).collect(),
        (None, Some(result)) => targets(result).flat_map(|target| held(run, target)).collect(),
        (None, None) => series(run).iter().map(|s| row(run, s)).collect(),
    };
    let header = rows.first().map_or_else(Vec::new, |row| row.0.iter().map(|(name, _)| name.clone()).collect());
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let cells = rows.iter().map(|row| row.0.iter().map(|(_, cell)| cell.clone()).collect::<Vec<String>>());
    for record in std::iter::once(header).filter(|h| !h.is_empty()).chain(cells) {
        writer.write_record(&record).expect("writing to memory cannot fail and all rows have the same columns");
    }
    let bytes = writer.into_inner().expect("flushing to memory cannot fail");
    String::from_utf8(bytes).expect("the cells are UTF-8")
}

/// Named cells in order.
struct Row(Vec<(String, String)>);

impl Row {
    /// What every row begins with.
    fn of(run: &Run) -> Self {
        let mut row = Self(Vec::new());
        row.word("started_at", &run.started_at);
        row.put("reference_server", crate::sections::is_reference(run));
        row
    }

    fn put(&mut self, name: &str, value: impl Display) {
        self.0.push((name.to_owned(), value.to_string()));
    }

    fn number(&mut self, name: impl Into<String>, value: Option<impl Display>) {
        self.0.push((name.into(), value.map(|v| v.to_string()).unwrap_or_default()));
    }

    fn word(&mut self, name: &str, text: &str) {
        self.0.push((name.to_owned(), harmless(text)));
    }

    fn latency(&mut self, name: &str, summary: &LatencySummary) {
        self.number(format!("{name}_mean_us"), summary.mean);
        self.number(format!("{name}_p50_us"), summary.p50);
        self.number(format!("{name}_p90_us"), summary.p90);
        self.number(format!("{name}_p99_us"), summary.p99);
        self.number(format!("{name}_p999_us"), summary.p999);
        self.number(format!("{name}_max_us"), summary.max);
    }

    fn interval(&mut self, name: &str, interval: &Interval) {
        self.number(name, interval.value);
        self.number(format!("{name}_low"), interval.low);
        self.number(format!("{name}_high"), interval.high);
    }
}

/// A spreadsheet runs a cell that begins like a formula; an apostrophe makes it text again. Nor must a cell be able to
/// drive the terminal it is shown on.
fn harmless(text: &str) -> String {
    let text = without_controls(text);
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

fn row(run: &Run, series: &Series) -> Row {
    let mut row = Row::of(run);
    identity(&mut row, run, series);
    counts(&mut row, series);
    row.latency("latency", &series.latency_us);
    row.latency("service", &series.service_us);
    row.latency("lag", &series.lag_us);
    row.latency("query", &series.query_us);
    phases(&mut row, series);
    costs(&mut row, series);
    server(&mut row, series.server.as_ref());
    row
}

fn watched(run: &Run, group: &WatchGroup) -> Row {
    let mut row = Row::of(run);
    let s = &group.statistics;
    row.word("server", &group.server);
    row.word("group", &group.name);
    row.put("kind", group.kind.name());
    row.put("verdict", verdict_name(group.verdict));
    row.word("verdict_codes", &group.verdict_codes.join(" "));
    row.number("pattern", group.pattern.map(Pattern::name));
    row.number("grade", group.grade.map(Grade::name));
    row.number("mean_session_life_s", group.mean_session_life_s);
    row.put("life_since_start", group.life_since_start);
    row.number("logins_per_s", group.logins_per_s);
    row.number("logouts_per_s", group.logouts_per_s);
    row.number("sessions", group.sessions);
    row.number("limit", group.limit);
    row.number("encrypted_share", group.encrypted);
    row.put("logins", s.logins);
    row.put("logouts", s.logouts);
    row.number("failed_logins", s.failed.map(|failed| failed.total));
    row.number("replaced_per_h", group.replaced_per_h());
    row.number("requests_per_login", s.requests_per_login);
    row.number("mean_sessions", s.mean_sessions);
    row.number("mean_use", s.mean_use);
    row.number("life_p50_s", s.life_p50_s);
    row.number("logins_in_progress", group.cost.as_ref().and_then(|cost| cost.logins_in_progress));
    row.number("server_cores", group.cost.as_ref().and_then(|cost| cost.server_cores));
    row
}

fn held(run: &Run, target: &SessionsResult) -> Vec<Row> {
    target.steps.iter().map(|step| one_step(run, target, step)).collect()
}

fn one_step(run: &Run, target: &SessionsResult, step: &SessionStep) -> Row {
    let mut row = Row::of(run);
    row.word("target", &target.label);
    row.word("answered", target.answered.as_deref().unwrap_or(""));
    row.put("sessions", step.sessions);
    row.put("wanted", step.wanted);
    row.put("opened", step.opened);
    row.put("failed", step.failed);
    row.put("dropped", step.dropped);
    row.put("seconds", step.seconds);
    row.number("us_per_session", each_us(step));
    row.latency("login", &step.login_us);
    for phase in Phase::ALL {
        row.number(format!("phase_{}_mean_us", phase.name()), step.phases_us.get(&phase).and_then(|of| of.mean));
    }
    row.number("pss_bytes", step.pss_bytes);
    row.number("memory_available_bytes", step.memory_available_bytes);
    row.number("views_bytes", step.views_bytes);
    row.number("processes", step.processes);
    row.number("threads", step.threads);
    memory(&mut row, step);
    row.number("server_sessions", step.server_sessions);
    row.number("fit", step.fit.map(|fit| fit.sessions));
    row.number("fit_low", step.fit.map(|fit| fit.low));
    row.number("fit_high", step.fit.map(|fit| fit.high));
    let probe = step.probe.as_ref();
    row.number("probe_login_p50_us", probe.and_then(|probe| probe.login_us.p50));
    row.number("probe_query_p50_us", probe.and_then(|probe| probe.query_us.p50));
    row
}

fn memory(row: &mut Row, step: &SessionStep) {
    let look = step.memory.as_ref();
    let host = look.map(|look| look.host);
    let group = look.and_then(|look| look.cgroup.as_ref());
    row.number("private_bytes", look.and_then(|look| look.server?.private));
    row.number("client_pss_bytes", step.client.and_then(|client| client.pss));
    row.number("page_tables_bytes", host.and_then(|host| host.page_tables));
    row.number("kernel_stacks_bytes", host.and_then(|host| host.kernel_stacks));
    row.number("slab_unreclaimable_bytes", host.and_then(|host| host.slab_unreclaimable));
    row.number("sockets_bytes", host.and_then(|host| host.sockets));
    row.number("swap_used_bytes", host.and_then(|host| host.swap_used));
    row.number("cgroup_usage_bytes", group.and_then(|group| group.usage));
    row.number("cgroup_reclaimable_bytes", group.and_then(|group| group.reclaimable));
    row.number("cgroup_swap_bytes", group.and_then(|group| group.swap));
}

fn identity(row: &mut Row, run: &Run, series: &Series) {
    row.word("product", run.what_answered.as_ref().map_or("", |w| &w.product));
    row.word("version", run.what_answered.as_ref().and_then(|w| w.version.as_deref()).unwrap_or(""));
    row.word("series", &series.label);
    row.put("mode", series.mode.name());
    row.put("tls", series.tls.name());
    row.put("concurrency", series.settings.concurrency);
    row.number("offered_per_s", series.settings.arrival.rate_per_s());
}

fn counts(row: &mut Row, series: &Series) {
    row.put("operations_scheduled", series.counts.scheduled);
    row.put("operations_completed", series.counts.completed);
    row.put("operations_failed", series.counts.failed);
    row.put("operations_skipped", series.counts.skipped);
    row.put("operations_in_flight", series.counts.in_flight);
    row.put("logins", series.logins);
    row.put("elapsed_s", series.elapsed_s);
    row.number("logins_per_s", logins_per_s(series));
    row.interval("throughput_per_s", &series.throughput_per_s);
    row.number("peak_per_s", series.peak_per_s.value);
    row.put("peak_window_s", series.peak_per_s.window_s);
}

/// Every phase has its columns, whether it took place or not: the header must not depend on the run.
fn phases(row: &mut Row, series: &Series) {
    for phase in Phase::ALL {
        let summary = series.phases_us.get(&phase).copied().unwrap_or_default();
        let name = phase.name();
        row.number(format!("phase_{name}_mean_us"), summary.mean);
        row.number(format!("phase_{name}_p50_us"), summary.p50);
        row.number(format!("phase_{name}_p99_us"), summary.p99);
        row.number(format!("phase_{name}_share"), summary.share);
        row.number(format!("phase_{name}_round_trips"), summary.round_trips);
    }
    let pool = series.pool_us.unwrap_or_default();
    row.latency("pool_wait", &pool.wait);
    row.latency("pool_query", &pool.query);
    row.latency("pool_give_back", &pool.give_back);
}

fn costs(row: &mut Row, series: &Series) {
    row.number("rtt_us", series.rtt_us);
    row.number("client_cpu_us_per_login", series.client_cpu_us_per_login);
    row.number("client_crypto_us_per_login", series.client_crypto_us_per_login);
    row.put(
        "bound",
        match series.bound.verdict {
            BoundVerdict::Server => "server",
            BoundVerdict::Generator => "generator",
            BoundVerdict::Undecided => "undecided",
        },
    );
}

fn server(row: &mut Row, account: Option<&ServerAccount>) {
    row.number("server_logins", account.and_then(|a| a.logins));
    row.number("server_sampled_sessions", account.map(|a| a.sampled_sessions));
    row.number("server_sampled_encrypted", account.map(|a| a.sampled_encrypted));
    row.number("server_cpu_us_per_login", account.and_then(|a| a.cpu_us_per_login));
    row.number("server_cpu_us_per_operation", account.and_then(|a| a.cpu_us_per_operation));
    row.number("server_cpu_percent", account.and_then(|a| a.cpu_percent));
}
