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

use crate::catalogue::Catalogue;

pub(crate) use identity::{first_line, notices, origin};
pub(crate) use server::login_cores;
pub(crate) use time::{clock_notes, table_notes};

/// How loudly a section speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As usual.
    Plain,
    /// Something went wrong.
    Alarm,
}

/// Some sentences under a heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) heading: String,
    /// One sentence, or a few about one thing, each.
    pub(crate) lines: Vec<String>,
    /// How loudly.
    pub(crate) tone: Tone,
}

/// Every section that has something to say, in reading order.
pub(crate) fn all(cat: &Catalogue, run: &Run) -> Vec<Section> {
    let plain = Tone::Plain;
    [
        ("head-failures", Tone::Alarm, failures::lines(cat, run)),
        ("head-time", plain, time::lines(cat, run)),
        ("head-distance", plain, limits::distance(cat, run)),
        ("head-happened", plain, happened::lines(cat, run)),
        ("head-server", plain, server::lines(cat, run)),
        ("head-client", plain, limits::client_cpu(cat, run)),
        ("head-bound", plain, limits::bound(cat, run)),
        ("head-gaps", plain, failures::gaps(cat, run)),
    ]
    .into_iter()
    .filter(|(_, _, lines)| !lines.is_empty())
    .map(|(id, tone, lines)| Section { heading: cat.word(id), lines, tone })
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
