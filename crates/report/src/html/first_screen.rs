//! The first screen, for a manager: what was asked, what was found, what it costs, what to do.

use peaje_model::{Arrival, Ended, Experiment, Mode, Run, Series, Verdict};

use super::{
    findings, list,
    markup::{Html, all, element, nothing, simple},
};
use crate::{
    catalogue::{Catalogue, without_controls},
    checked, findings as words_of_findings, parts,
    sections::{self, CoresFor, Tone, login_cores, per_thousand},
    sessions, tables,
    units::{ABSENT, Units},
    watched, words,
};

pub(super) fn first_screen(cat: &Catalogue, run: &Run) -> Html {
    let title = sections::page_title(cat, run);
    let notices = sections::notices(cat, run).into_iter().map(|said| notice(&said.sentence, said.tone));
    let asked = block(cat, "page-asked", &asked(cat, run));
    let cost = block(cat, "page-cost", &cost(cat, run));
    all([
        element("header", &[], all([simple("h1", &title), when_and_where(cat, run)].into_iter().chain(notices))),
        asked,
        found(cat, run),
        element("div", &[("class", "cards")], all([cost, block(cat, "page-actions", &actions(cat, run))])),
    ])
}

/// Date, time spent measuring, and the machine that generated the load.
fn when_and_where(cat: &Catalogue, run: &Run) -> Html {
    let measured_s: f64 = sections::series(run).iter().map(|s| s.elapsed_s).sum();
    let args = [
        ("started", sections::moment(&run.started_at).into()),
        ("finished", sections::moment(&run.finished_at).into()),
        ("measured", cat.units.elapsed(measured_s).into()),
        ("host", run.environment.hostname.as_deref().unwrap_or(ABSENT).into()),
    ];
    element("p", &[("class", "soft")], super::markup::text(&cat.say("when-and-where", &args)))
}

fn notice(sentence: &str, tone: Tone) -> Html {
    let class = if tone == Tone::Alarm { "notice alarm" } else { "notice" };
    element("p", &[("class", class), ("role", "note")], super::markup::text(sentence))
}

fn block(cat: &Catalogue, title: &str, sentences: &[String]) -> Html {
    element("section", &[], all([simple("h2", &cat.word(title)), list(sentences)]))
}

fn asked(cat: &Catalogue, run: &Run) -> Vec<String> {
    let Some(s) = run.settings.login() else {
        return match run.experiment {
            Experiment::Check => checked::asked(cat, run),
            Experiment::Sessions => sessions::asked(cat, run),
            Experiment::Login | Experiment::Watch => watched::asked(cat, run),
        };
    };
    let n = s.concurrency;
    let mut sentences = vec![match s.arrival {
        Arrival::Closed => cat.say("asked-closed", &[("n", n.into())]),
        open => {
            let rate = cat.units.or_absent(open.rate_per_s(), Units::figure);
            cat.say("asked-open", &[("n", n.into()), ("rate", rate.into())])
        }
    }];
    sentences.extend(s.iterations.map(|n| cat.say("asked-amount-iterations", &[("n", n.into())])));
    sentences.extend(s.operations.map(|n| cat.say("asked-amount-operations", &[("n", n.into())])));
    let duration = s.duration_s.map(|t| cat.say("asked-amount-duration", &[("time", cat.units.elapsed(t).into())]));
    sentences.extend(duration);
    let labels: Vec<String> = sections::series(run).iter().map(|s| words::series(cat, s)).collect();
    if !labels.is_empty() {
        sentences.push(cat.say("asked-series", &[("list", labels.join("; ").into())]));
    }
    sentences.push(match without_controls(&s.query) {
        query if query.is_empty() => cat.word("asked-no-query"),
        query => cat.say("asked-query", &[("query", query.into())]),
    });
    sentences
}

fn found(cat: &Catalogue, run: &Run) -> Html {
    let found: Vec<Html> =
        run.findings.iter().filter(|f| f.verdict == Verdict::Found).map(|f| findings::short(cat, f)).collect();
    let none = if found.is_empty() { sections::nothing_found(cat, run) } else { None };
    let none = none.map_or_else(nothing, |sentence| simple("p", &sentence));
    let (table, notes) = match &run.watch {
        Some(watch) => (watched::table(cat, watch), watched::notes(cat, run, watch)),
        None => (tables::rates(cat, run), sections::table_notes(cat, run)),
    };
    let measured = !sections::nothing_completed(run) && run.check.is_none() && run.sessions.is_none();
    let table = match &run.sessions {
        Some(result) => super::ladders(cat, run, result),
        None if measured => super::grid("", &table.header, &table.rows),
        None => nothing(),
    };
    let notes = notes
        .into_iter()
        .filter(|_| measured)
        .map(|note| element("p", &[("class", "soft")], super::markup::text(&note)));
    let alarms = sections::alarms(cat, run).into_iter().flat_map(|section| section.lines);
    let alarms = all(alarms.map(|line| notice(&line, Tone::Alarm)));
    let head = [simple("h2", &cat.word("page-found")), alarms, none];
    element("section", &[], all(head.into_iter().chain(found).chain([table]).chain(notes)))
}

/// In the customer's units: cores that log people in, CPU seconds, the share of an operation that is not its query.
fn cost(cat: &Catalogue, run: &Run) -> Vec<String> {
    if let Some(watch) = &run.watch {
        return watched::cost(cat, watch);
    }
    if let Some(result) = &run.sessions {
        return sessions::cost(cat, run, result);
    }
    let unpooled = sections::series(run).iter().filter(|s| s.mode == Mode::Unpooled);
    let mut lines: Vec<String> = unpooled.filter_map(|series| cost_of(cat, run, series)).collect();
    if lines.is_empty() {
        lines.push(cat.word("cost-unknown"));
    }
    lines
}

fn cost_of(cat: &Catalogue, run: &Run, series: &Series) -> Option<String> {
    let known =
        [login_cores(cat, run, series, CoresFor::Manager), per_thousand(cat, run, series), waiting(cat, series)];
    let sentences: Vec<String> = known.into_iter().flatten().collect();
    let label = words::series(cat, series);
    let args = [("label", label.into()), ("sentences", sentences.join(" ").into())];
    (!sentences.is_empty()).then(|| cat.say("cost-series", &args))
}

fn waiting(cat: &Catalogue, series: &Series) -> Option<String> {
    let total = parts::total_us(&parts::of(cat, series))?;
    let query = series.query_us.mean?;
    let args = [
        ("share", cat.units.share(((total - query) / total).clamp(0.0, 1.0)).into()),
        ("total", cat.units.time(total).into()),
        ("query", cat.units.time(query).into()),
    ];
    Some(cat.say("cost-wait", &args))
}

/// The next steps of what was found, each once; a run that is not whole asks to be made again.
fn actions(cat: &Catalogue, run: &Run) -> Vec<String> {
    let found = run.findings.iter().filter(|f| f.verdict == Verdict::Found);
    let mut steps: Vec<String> = Vec::new();
    for step in found.filter_map(|f| words_of_findings::sentence(cat, f).next_step) {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    let failed = sections::series(run).iter().any(|s| s.counts.failed > 0);
    if failed || run.ended != Ended::Completed {
        steps.insert(0, cat.word("actions-incomplete"));
        steps.extend(sections::stop_step(cat, run));
    } else if steps.is_empty() {
        steps.push(cat.word("actions-none"));
    }
    if run.check.is_some() {
        steps.extend(checked::next_commands(cat, run).into_iter().map(|(command, what)| format!("{command}: {what}")));
    }
    steps
}
