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

use peaje_model::{Ended, Experiment, Finding, Param, Run, Series, Verdict};

use crate::{catalogue::Catalogue, checked, sessions, tables::Table, watched};

pub(crate) use identity::{first_line, notices, origin, stop_step};
pub(crate) use server::{CoresFor, login_cores, per_thousand};
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

/// Every section that has something to say, in reading order; when no operation was completed, only what went wrong.
pub(crate) fn all(cat: &Catalogue, run: &Run) -> Vec<Section> {
    let said = |id: &str, tone, lines: Vec<String>| {
        (!lines.is_empty()).then(|| Section { heading: cat.word(id), table: None, lines, tone })
    };
    let plain = |id: &str, lines| said(id, Tone::Plain, lines);
    if let Some(watch) = &run.watch {
        return watched::sections(cat, run, watch)
            .into_iter()
            .chain(plain("head-gaps", failures::gaps(cat, run)))
            .collect();
    }
    if let Some(check) = &run.check {
        return checked::sections(cat, run, check);
    }
    if let Some(result) = &run.sessions {
        let failed = said("head-failures", Tone::Alarm, failures::lines(cat, run));
        let held = sessions::sections(cat, run, result);
        return failed.into_iter().chain(held).chain(plain("head-gaps", failures::gaps(cat, run))).collect();
    }
    if nothing_completed(run) {
        let mut lines = failures::lines(cat, run);
        lines.extend(time::failed_first_login(cat, run));
        let failed = said("head-failures", Tone::Alarm, lines);
        return failed.into_iter().chain(plain("head-gaps", failures::gaps(cat, run))).collect();
    }
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

/// What could not be read, why, and what would mend it.
pub(crate) fn gaps(cat: &Catalogue, run: &Run) -> Vec<String> {
    failures::gaps(cat, run)
}

/// What did not work: failed, skipped and aborted operations, dead addresses.
pub(crate) fn failed_operations(cat: &Catalogue, run: &Run) -> Vec<String> {
    failures::lines(cat, run)
}

/// `2026-03-01 10:00:00 UTC` of the run file's `2026-03-01T10:00:00.123Z`; other words stay as they are.
pub(crate) fn moment(instant: &str) -> String {
    let Some((date, time)) = instant.strip_suffix('Z').and_then(|utc| utc.split_once('T')) else {
        return instant.to_owned();
    };
    format!("{date} {} UTC", time.split('.').next().unwrap_or(time))
}

/// The title of the page.
pub(crate) fn page_title(cat: &Catalogue, run: &Run) -> String {
    let id = if run.experiment == Experiment::Check { "check-page-title" } else { "page-title" };
    cat.say(id, &[("what", first_line(cat, run).into())])
}

/// Whether not one operation ended well, nor one reading: there is no figure to show.
pub(crate) fn nothing_completed(run: &Run) -> bool {
    if let Some(watch) = &run.watch {
        return watch.readings == 0;
    }
    if let Some(result) = &run.sessions {
        return sessions::nothing_opened(result);
    }
    if run.check.is_some() {
        return false;
    }
    series(run).iter().all(|series| series.counts.completed == 0)
}

/// Whether findings with this verdict are shown: a run that was stopped praises nothing, and one without any completed
/// operation has nothing to judge.
pub(crate) fn shows(run: &Run, verdict: Verdict) -> bool {
    let stopped = matches!(run.ended, Ended::Stopped { .. });
    match verdict {
        Verdict::Found => true,
        Verdict::Healthy => !stopped && !nothing_completed(run),
        Verdict::CannotSay => !nothing_completed(run),
    }
}

/// Whether a finding that was not found is worth a word: what a check does not measure at all says nothing there.
pub(crate) fn says(run: &Run, finding: &Finding) -> bool {
    let not_measured = finding.params.get("variant") == Some(&Param::Text("not-measured".to_owned()));
    shows(run, finding.verdict) && !(run.check.is_some() && not_measured)
}

/// What to say when no finding was found: silence about what could not be judged would be praise.
/// `None` when the run was stopped or completed nothing: what stopped it stands above.
pub(crate) fn nothing_found(cat: &Catalogue, run: &Run) -> Option<String> {
    if !shows(run, Verdict::Healthy) {
        return None;
    }
    let undecided = run.findings.iter().any(|finding| finding.verdict == Verdict::CannotSay);
    Some(cat.word(match (run.findings.is_empty(), undecided) {
        (true, _) => "no-diagnosis",
        (false, true) => "none-found-partly",
        (false, false) => "none-found",
    }))
}

/// The sections that speak of something that went wrong.
pub(crate) fn alarms(cat: &Catalogue, run: &Run) -> Vec<Section> {
    all(cat, run).into_iter().filter(|section| section.tone == Tone::Alarm).collect()
}

/// The series of a run, none when the run has no results.
pub(crate) fn series(run: &Run) -> &[Series] {
    run.login.as_ref().map_or(&[], |login| &login.series)
}

/// The rate at which operations were due; `None` in a closed loop, and of another experiment.
pub(crate) fn offered_per_s(run: &Run) -> Option<f64> {
    run.settings.login().and_then(|settings| settings.arrival.rate_per_s())
}

/// Whether the run measured peaje's own server: then no figure describes a database.
pub(crate) fn is_reference(run: &Run) -> bool {
    run.target.kind == peaje_model::TargetKind::Embedded
        || run.what_answered.as_ref().is_some_and(|w| w.reference_server)
}
