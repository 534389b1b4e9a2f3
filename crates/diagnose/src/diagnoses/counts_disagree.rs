//! `counts-disagree`: the server counted other logins than peaje made, so what was read from the server holds somebody
//! else's work too, or something stands between.
//!
//! Both counts cover the measurement alone, without peaje's observer. Series whose counter could not be read are left
//! out; when none could be read, nothing can be said. A login that peaje gave up on (failed, timed out, cut off at the
//! stop) may have succeeded on the server all the same: so many more accuse nobody.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_text};
use crate::series::At;
use crate::view::all;

const CODE: &str = "counts-disagree";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("counts_disagree.md"),
    page_es: include_str!("counts_disagree.es.md"),
    examine,
};

/// A series and what the server counted in it.
type Counted<'r> = (At<'r>, u64);

fn examine(run: &Run) -> Vec<Finding> {
    let series = all(run);
    if series.is_empty() {
        return Draft::not_measured(CODE).alone();
    }
    let counted: Vec<Counted<'_>> = series.into_iter().filter_map(|at| Some((at, server_logins(at)?))).collect();
    if counted.is_empty() {
        return Draft::cannot_say(CODE, "unknown").alone();
    }
    let differ: Vec<Counted<'_>> = counted.iter().copied().filter(|(at, server)| at.logins != *server).collect();
    let beyond: Vec<Counted<'_>> = differ.iter().copied().filter(|counted| !is_allowed(*counted)).collect();
    let between = run.what_answered.as_ref().is_some_and(|what| what.segment.has_something_between());
    match (worst(&beyond).or(worst(&differ)), beyond.is_empty()) {
        (Some(worst), _) if between => cannot_say("something-between", worst).see(saw_segment(run)).alone(),
        (Some(worst), false) => found(worst, beyond.len()).alone(),
        (Some(worst), true) => under_way(worst).alone(),
        (None, _) => equal(&counted).alone(),
    }
}

fn equal(counted: &[Counted<'_>]) -> Draft {
    let logins: u64 = counted.iter().map(|(at, _)| at.logins).sum();
    let draft = Draft::healthy(CODE, "equal").count("logins", logins).count("series_count", counted.len() as u64);
    draft.see(counted.iter().flat_map(saw_both))
}

/// The largest difference; of two equal ones the first series is named.
fn worst<'r>(counted: &[Counted<'r>]) -> Option<Counted<'r>> {
    counted.iter().copied().rev().max_by_key(|(at, server)| at.logins.abs_diff(*server))
}

/// Logins that peaje did not finish and the server may have counted.
fn unfinished(at: At<'_>) -> u64 {
    at.counts.in_flight + at.counts.failed
}

fn is_allowed((at, server): Counted<'_>) -> bool {
    (at.logins..=at.logins + unfinished(at)).contains(&server)
}

fn server_logins(at: At<'_>) -> Option<u64> {
    at.server.as_ref()?.logins
}

fn found((at, server): Counted<'_>, series: usize) -> Draft {
    let (variant, severity) = if server > at.logins { ("more", Severity::Info) } else { ("fewer", Severity::Warning) };
    let source = at.server.as_ref().map(|server| server.source.clone()).unwrap_or_default();
    both(Draft::found(CODE, variant, severity), (at, server))
        .text("source", source.as_str())
        .count("series_count", series as u64)
        .see(saw_text(at.path("server/source"), source))
}

fn cannot_say(variant: &str, counted: Counted<'_>) -> Draft {
    both(Draft::cannot_say(CODE, variant), counted)
}

/// More than peaje finished, but no more than it began.
fn under_way((at, server): Counted<'_>) -> Draft {
    cannot_say("under-way", (at, server))
        .count("unfinished", unfinished(at))
        .count("in_flight", at.counts.in_flight)
        .count("failed", at.counts.failed)
        .see(saw_count(at.path("counts/in_flight"), at.counts.in_flight))
        .see(saw_count(at.path("counts/failed"), at.counts.failed))
}

/// Both counts of a series and how far they are apart.
fn both(draft: Draft, (at, server): Counted<'_>) -> Draft {
    draft
        .text("series", at.label.as_str())
        .count("server_logins", server)
        .count("client_logins", at.logins)
        .count("difference", at.logins.abs_diff(server))
        .see(saw_both(&(at, server)))
}

fn saw_segment(run: &Run) -> Option<peaje_model::Evidence> {
    let segment = run.what_answered.as_ref()?.segment;
    saw_text("/what_answered/segment", segment.name())
}

fn saw_both((at, server): &Counted<'_>) -> Vec<peaje_model::Evidence> {
    let server = saw_count(at.path("server/logins"), *server);
    at.saw_logins().into_iter().chain(server).collect()
}
