//! Below the plots: the sentences of the terminal summary, settings, environment and what was read on the server.

use peaje_model::{
    Arrival, CloseMode, FactValue, LoginSettings, ResolveMode, Run, ScramCache, SessionsSettings, Settings, WarmUp,
};

use super::{
    grid, list,
    markup::{Html, all, nothing, simple},
    pairs,
};
use crate::{
    catalogue::Catalogue,
    sections,
    units::{ABSENT, Units},
};

pub(super) fn sentences(cat: &Catalogue, run: &Run) -> Html {
    all(sections::all(cat, run).iter().map(|section| {
        let table = section.table.as_ref().map_or_else(nothing, |table| grid("", &table.header, &table.rows));
        let lines = if section.lines.is_empty() { nothing() } else { list(&section.lines) };
        all([simple("h3", &section.heading), table, lines])
    }))
}

/// Settings of held sessions.
fn held(cat: &Catalogue, run: &Run, s: &SessionsSettings) -> Html {
    let steps = s.steps.iter().map(|step| cat.units.count(*step)).collect::<Vec<_>>().join(", ");
    let yes_no = |yes: bool| cat.word(if yes { "yes" } else { "no" });
    let rows = [
        ("set-url", run.target.url.clone()),
        ("set-started", run.started_at.clone()),
        ("set-finished", run.finished_at.clone()),
        ("set-steps", steps),
        ("set-concurrency", cat.units.count(s.concurrency.into())),
        ("set-settle", cat.units.elapsed(s.settle_s)),
        ("set-active", cat.units.share(s.active)),
        ("set-query", s.query.clone()),
        ("set-warm-query", s.warm_query.clone().unwrap_or_else(|| ABSENT.to_owned())),
        ("set-churn", cat.units.or_absent(s.churn_per_s, Units::figure)),
        ("set-close", cat.word(close(s.close))),
        ("set-memory-floor", cat.units.share(s.memory_floor)),
        ("set-swap-guard", yes_no(s.swap_guard)),
        ("set-reserve", cat.units.share(s.reserve)),
        ("set-login-timeout", cat.units.elapsed(s.login_timeout_s)),
        ("set-source-addresses", cat.units.count(s.source_addresses.into())),
    ];
    pairs(&rows.map(|(name, value)| (cat.word(name), value)))
}

pub(super) fn settings(cat: &Catalogue, run: &Run) -> Html {
    if let Settings::Sessions(settings) = &run.settings {
        return held(cat, run, settings);
    }
    let Some(s) = run.settings.login() else { return nothing() };
    let count = |n: Option<u64>| n.map_or_else(|| ABSENT.to_owned(), |n| cat.units.count(n));
    let yes_no = |yes: bool| cat.word(if yes { "yes" } else { "no" });
    let rows = [
        ("set-url", run.target.url.clone()),
        ("set-started", run.started_at.clone()),
        ("set-finished", run.finished_at.clone()),
        ("set-loop", load(cat, s.arrival)),
        ("set-concurrency", count(Some(s.concurrency.into()))),
        ("set-iterations", count(s.iterations)),
        ("set-operations", count(s.operations)),
        ("set-duration", cat.units.or_absent(s.duration_s, Units::elapsed)),
        ("set-warm-up", warm_up(cat, s.warm_up)),
        ("set-slices", count(Some(s.slices.into()))),
        ("set-threads", count(Some(s.threads.into()))),
        ("set-source-addresses", count(Some(s.source_addresses.into()))),
        ("set-query", s.query.clone()),
        ("set-close", cat.word(close(s.close))),
        ("set-scram-cache", cat.word(cache(s.scram_cache))),
        ("set-resolve", cat.word(resolve(s.resolve))),
        ("set-pool", pool(cat, s)),
        ("set-login-timeout", cat.units.elapsed(s.login_timeout_s)),
        ("set-tag", s.tag.clone().unwrap_or_else(|| ABSENT.to_owned())),
        ("set-seed", s.seed.to_string()),
        ("set-expect-rejects", yes_no(s.expect_rejects)),
    ];
    pairs(&rows.map(|(id, value)| (cat.word(id), value)))
}

fn load(cat: &Catalogue, arrival: Arrival) -> String {
    let rate = |rate: f64| ("rate", cat.units.figure(rate).into());
    match arrival {
        Arrival::Closed => cat.word("set-loop-closed"),
        Arrival::Poisson { rate_per_s } => cat.say("set-loop-poisson", &[rate(rate_per_s)]),
        Arrival::Constant { rate_per_s } => cat.say("set-loop-constant", &[rate(rate_per_s)]),
        Arrival::Burst { rate_per_s, size } => cat.say("set-loop-burst", &[rate(rate_per_s), ("n", size.into())]),
    }
}

fn warm_up(cat: &Catalogue, warm_up: WarmUp) -> String {
    match warm_up {
        WarmUp::None => cat.word("set-warm-up-none"),
        WarmUp::Fixed { duration_s } => cat.say("set-warm-up-fixed", &[("time", cat.units.elapsed(duration_s).into())]),
        WarmUp::Stationary { limit_s } => {
            cat.say("set-warm-up-stationary", &[("time", cat.units.elapsed(limit_s).into())])
        }
    }
}

const fn close(mode: CloseMode) -> &'static str {
    match mode {
        CloseMode::Polite => "set-close-polite",
        CloseMode::Quick => "set-close-quick",
        CloseMode::Reset => "set-close-reset",
    }
}

const fn cache(cache: ScramCache) -> &'static str {
    match cache {
        ScramCache::Off => "set-cache-off",
        ScramCache::On => "set-cache-on",
    }
}

const fn resolve(mode: ResolveMode) -> &'static str {
    match mode {
        ResolveMode::Each => "set-resolve-each",
        ResolveMode::Once => "set-resolve-once",
    }
}

fn pool(cat: &Catalogue, s: &LoginSettings) -> String {
    let time = |t: Option<f64>| t.map_or_else(|| cat.word("set-never"), |t| cat.units.elapsed(t));
    let args = [
        ("min", s.pool.min.into()),
        ("max", s.pool.max.into()),
        ("idle", time(s.pool.idle_timeout_s).into()),
        ("lifetime", time(s.pool.lifetime_s).into()),
    ];
    cat.say("set-pool-value", &args)
}

pub(super) fn environment(cat: &Catalogue, run: &Run) -> Html {
    let e = &run.environment;
    let tenth = |ns: f64| cat.units.fixed(ns, 1);
    let clock = e.clock_resolution_ns.zip(e.clock_cost_ns).map_or_else(
        || ABSENT.to_owned(),
        |(resolution, cost)| {
            let args = [("resolution", tenth(resolution).into()), ("cost", tenth(cost).into())];
            cat.say("env-clock-value", &args)
        },
    );
    let absent = |value: &Option<String>| value.clone().unwrap_or_else(|| ABSENT.to_owned());
    let rows = [
        ("env-version", e.peaje_version.clone()),
        ("env-kernel", e.kernel.clone()),
        ("env-cpu", absent(&e.cpu)),
        ("env-cores", cat.units.count(e.cores.into())),
        ("env-tls", format!("{} {}", e.tls_library.name, e.tls_library.version)),
        ("env-host", absent(&e.hostname)),
        ("env-command", e.command_line.join(" ")),
        ("env-clock", clock),
    ];
    pairs(&rows.map(|(id, value)| (cat.word(id), value)))
}

pub(super) fn facts(cat: &Catalogue, run: &Run) -> Html {
    if run.facts.is_empty() {
        return nothing();
    }
    let value = |name: &str, value: &FactValue, unit: &Option<String>| {
        let shown = match value {
            // A version is no quantity: its digits are not grouped.
            FactValue::Number(n) if name.ends_with("version_num") => format!("{n:.0}"),
            FactValue::Bool(yes) => cat.word(if *yes { "yes" } else { "no" }),
            FactValue::Number(n) => cat.units.figure_tick(*n),
            FactValue::Text(text) => text.clone(),
        };
        unit.as_ref().map_or(shown.clone(), |unit| format!("{shown} {unit}"))
    };
    let rows: Vec<Vec<String>> = run
        .facts
        .iter()
        .map(|fact| {
            let at = fact.at.clone().unwrap_or_else(|| cat.word("fact-start"));
            vec![fact.name.clone(), value(&fact.name, &fact.value, &fact.unit), fact.source.clone(), at]
        })
        .collect();
    let header = ["fact-name", "fact-value", "fact-source", "fact-at"].map(|id| cat.word(id));
    grid("words", &header, &rows)
}
