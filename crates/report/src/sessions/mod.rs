//! A run of `peaje sessions` in words: the ladder step by step, what a session costs, knee and walls, targets side by side.
//!
//! A row of the ladder is made in one place, so that the live table and every report show the same figures.

mod ladder;
mod said;
mod targets;

use peaje_model::{Run, SessionsResult, SessionsSettings, Settings};

use crate::{
    catalogue::Catalogue,
    sections::{Section, Tone},
    tables::Table,
};

pub use ladder::StepTable;
pub(crate) use ladder::{each_us, server};

/// All targets of a run, its own first.
pub(crate) fn targets(result: &SessionsResult) -> impl Iterator<Item = &SessionsResult> {
    std::iter::once(result).chain(&result.beside)
}

/// Whether not one session was opened.
pub(crate) fn nothing_opened(result: &SessionsResult) -> bool {
    targets(result).all(|target| target.steps.iter().all(|step| step.opened == 0))
}

fn settings(run: &Run) -> Option<&SessionsSettings> {
    if let Settings::Sessions(settings) = &run.settings { Some(settings) } else { None }
}

/// Tables with a heading each: the targets side by side when there are several, then each ladder; and what the columns
/// mean below the last.
pub(crate) fn tables(cat: &Catalogue, run: &Run, result: &SessionsResult) -> Vec<Section> {
    let alone = result.beside.is_empty();
    let ladders = targets(result).filter(|target| !target.steps.is_empty()).map(|target| {
        with_table(heading(cat, ["head-ladder", "head-ladder-of"], target, alone), ladder::table(cat, target))
    });
    let mut sections: Vec<Section> = side_by_side(cat, result).into_iter().chain(ladders).collect();
    if let Some(last) = sections.last_mut() {
        last.lines.push(columns(cat, run, result));
    }
    sections
}

/// The targets in one table; `None` when there is one.
pub(crate) fn side_by_side(cat: &Catalogue, result: &SessionsResult) -> Option<Section> {
    (!result.beside.is_empty()).then(|| with_table(cat.word("head-targets"), targets::table(cat, result)))
}

fn with_table(heading: String, table: Table) -> Section {
    Section { heading, table: Some(table), lines: Vec::new(), tone: Tone::Plain }
}

fn columns(cat: &Catalogue, run: &Run, result: &SessionsResult) -> String {
    if targets(result).all(|target| target.steps.iter().all(|step| step.memory.is_none() && step.pss_bytes.is_none())) {
        return cat.word("sessions-columns-short");
    }
    let idle = settings(run).is_some_and(|settings| settings.warm_query.is_none());
    cat.say("sessions-columns", &[("bound", if idle { "upper-bound" } else { "estimate" }.into())])
}

fn heading(cat: &Catalogue, [one, of]: [&str; 2], target: &SessionsResult, alone: bool) -> String {
    if alone { cat.word(one) } else { cat.say(of, &[("label", target.label.as_str().into())]) }
}

/// The sentences about each target.
pub(crate) fn sections(cat: &Catalogue, run: &Run, result: &SessionsResult) -> Vec<Section> {
    let alone = result.beside.is_empty();
    targets(result)
        .map(|target| Section {
            heading: heading(cat, ["head-held", "head-held-of"], target, alone),
            table: None,
            lines: said::lines(cat, target, settings(run)),
            tone: Tone::Plain,
        })
        .filter(|section| !section.lines.is_empty())
        .collect()
}

/// What the sessions cost, for the first screen of the page.
pub(crate) fn cost(cat: &Catalogue, run: &Run, result: &SessionsResult) -> Vec<String> {
    let alone = result.beside.is_empty();
    let of = |target: &SessionsResult| {
        let lines = said::cost(cat, target, settings(run));
        let label = |line: String| if alone { line } else { format!("{}: {line}", target.label) };
        lines.into_iter().map(label).collect::<Vec<_>>()
    };
    targets(result).flat_map(of).collect()
}

/// What was asked, for the first screen of the page.
pub(crate) fn asked(cat: &Catalogue, run: &Run) -> Vec<String> {
    let Some(settings) = settings(run) else { return Vec::new() };
    let steps = settings.steps.iter().map(|step| cat.units.count(*step)).collect::<Vec<_>>().join(", ");
    let args = [("steps", steps.into()), ("concurrency", settings.concurrency.into())];
    let warm = match &settings.warm_query {
        Some(query) => cat.say("asked-warm", &[("query", query.as_str().into())]),
        None => cat.word("asked-idle"),
    };
    vec![cat.say("asked-sessions", &args), warm]
}
