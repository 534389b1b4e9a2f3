//! The sentences about a run, in sections; text and page render the same ones.
//!
//! A section without lines is left out. Sentences are made here and nowhere else, so that terminal and page cannot
//! contradict each other.

mod failures;
mod happened;
mod identity;
mod limits;
mod server;
mod time;

use peaje_model::{LoginSettings, Run, Series, Settings, Verdict};

use crate::{catalogue::Catalogue, tables::Table};

pub(crate) use identity::{first_line, notices, origin};
pub(crate) use server::{login_cores, per_thousand};
pub(crate) use time::{clock_notes, table_notes};

/// How loudly a section speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As usual.
    Plain,
    /// Something went wrong.
    Alarm,
}

/// Figures and some sentences under a heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) heading: String,
    /// Figures that stand above the sentences.
    pub(crate) table: Option<Table>,
    /// One sentence, or a few about one thing, each.
    pub(crate) lines: Vec<String>,
    /// How loudly.
    pub(crate) tone: Tone,
}

/// Every section that has something to say, in reading order.
pub(crate) fn all(cat: &Catalogue, run: &Run) -> Vec<Section> {
    let said = |id: &str, tone, lines: Vec<String>| {
        (!lines.is_empty()).then(|| Section { heading: cat.word(id), table: None, lines, tone })
    };
    let plain = |id: &str, lines| said(id, Tone::Plain, lines);
    [
        said("head-failures", Tone::Alarm, failures::lines(cat, run)),
        plain("head-time", time::lines(cat, run)),
        plain("head-distance", limits::distance(cat, run)),
        plain("head-happened", happened::lines(cat, run)),
        server::section(cat, run),
        plain("head-bound", limits::bound(cat, run)),
        plain("head-gaps", failures::gaps(cat, run)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What to say when no finding was found: silence about what could not be judged would be praise.
pub(crate) fn nothing_found(cat: &Catalogue, run: &Run) -> String {
    let undecided = run.findings.iter().any(|finding| finding.verdict == Verdict::CannotSay);
    cat.word(match (run.findings.is_empty(), undecided) {
        (true, _) => "no-diagnosis",
        (false, true) => "none-found-partly",
        (false, false) => "none-found",
    })
}

/// The sections that speak of something that went wrong.
pub(crate) fn alarms(cat: &Catalogue, run: &Run) -> Vec<Section> {
    all(cat, run).into_iter().filter(|section| section.tone == Tone::Alarm).collect()
}

/// The series of a run, none when the run has no results.
pub(crate) fn series(run: &Run) -> &[Series] {
    run.login.as_ref().map_or(&[], |login| &login.series)
}

/// The settings of the experiment.
pub(crate) const fn settings(run: &Run) -> &LoginSettings {
    let Settings::Login(settings) = &run.settings;
    settings
}

/// Whether the run measured peaje's own server: then no figure describes a database.
pub(crate) fn is_reference(run: &Run) -> bool {
    run.target.kind == peaje_model::TargetKind::Embedded
        || run.what_answered.as_ref().is_some_and(|w| w.reference_server)
}
