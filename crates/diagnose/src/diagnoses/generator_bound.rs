//! `generator-bound`: in some series peaje itself was the limit, so its rates are lower bounds of what the server can do.
//!
//! The verdict is the run's own (`bound`); this only says which series and which sign. "Nothing was saturated" counts as
//! healthy: each worker waited for the server, as a real client would.

use peaje_model::{BoundReason, BoundReasonCode, BoundVerdict, Evidence, Finding, OutcomeKind, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_text};
use crate::series::At;
use crate::shortage::local_shortage;
use crate::view::{all, labels};

const CODE: &str = "generator-bound";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("generator_bound.md"),
    page_es: include_str!("generator_bound.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let series = all(run);
    let total = series.len() as u64;
    let bound: Vec<At<'_>> = series.iter().copied().filter(At::is_generator_bound).collect();
    let unsure: Vec<At<'_>> = series.iter().copied().filter(is_unsure).collect();
    let draft = match (bound.first(), unsure.first()) {
        _ if series.is_empty() => Draft::not_measured(CODE),
        (Some(first), _) => found(*first, &bound),
        (None, Some(_)) => cannot_say(&unsure),
        (None, None) if series.iter().any(is_at_schedule) => at_schedule(&series),
        (None, None) if series.iter().any(|at| has(at, BoundReasonCode::Waiting)) => Draft::healthy(CODE, "waiting"),
        (None, None) => Draft::healthy(CODE, "server"),
    };
    let judged = if bound.is_empty() { &series } else { &bound };
    draft.count("all_count", (total > 0).then_some(total)).see(judged.iter().filter_map(saw_verdict)).alone()
}

fn has(at: &At<'_>, code: BoundReasonCode) -> bool {
    at.bound.reasons.iter().any(|reason| reason.code == code)
}

/// Undecided, and not merely because nothing was saturated.
fn is_unsure(at: &At<'_>) -> bool {
    at.bound.verdict == BoundVerdict::Undecided && !has(at, BoundReasonCode::Waiting)
}

/// An open loop in which all that was offered was done: nobody was at a limit.
fn is_at_schedule(at: &At<'_>) -> bool {
    !at.is_closed_loop() && at.bound.verdict == BoundVerdict::Undecided && has(at, BoundReasonCode::Waiting)
}

fn at_schedule(series: &[At<'_>]) -> Draft {
    let kept: Vec<At<'_>> = series.iter().copied().filter(is_at_schedule).collect();
    Draft::healthy(CODE, "schedule").text("series", labels(&kept)).count("series_count", kept.len() as u64)
}

fn cannot_say(unsure: &[At<'_>]) -> Draft {
    let all_for = |codes: &[BoundReasonCode]| unsure.iter().all(|at| codes.iter().any(|code| has(at, *code)));
    let variant = match () {
        () if all_for(&[BoundReasonCode::TooShort]) => "too-short",
        // What came after it was too short.
        () if all_for(&[BoundReasonCode::TooShort, BoundReasonCode::ServerGone]) => "server-gone",
        () => "undecided",
    };
    let draft = Draft::cannot_say(CODE, variant);
    draft.text("series", labels(unsure)).count("series_count", unsure.len() as u64).text("reasons", reasons(unsure))
}

fn found(first: At<'_>, bound: &[At<'_>]) -> Draft {
    let main = main_reason(first);
    let variant = main.map_or("other", |(_, reason)| name(&first, reason.code));
    let draft = Draft::found(CODE, variant, Severity::Warning)
        .text("series", labels(bound))
        .count("series_count", bound.len() as u64)
        .text("reasons", reasons(bound))
        .per_s("rate_per_s", first.throughput_per_s.value)
        .see(first.saw_rate());
    match main {
        Some((i, reason)) => draft
            .see(
                first
                    .saw_outcomes(OutcomeKind::Generator)
                    .into_iter()
                    .filter(|_| reason.code == BoundReasonCode::NoLocalPort),
            )
            .maybe("value", Some(typed(reason.code, reason.value)))
            .maybe("limit", Some(typed(reason.code, reason.limit)))
            .see(saw(first.path(&format!("bound/reasons/{i}/value")), Some(typed(reason.code, reason.value))))
            .see(saw(first.path(&format!("bound/reasons/{i}/limit")), Some(typed(reason.code, reason.limit)))),
        None => draft,
    }
}

/// The sign against the generator that exceeds its limit by the largest factor.
fn main_reason(at: At<'_>) -> Option<(usize, BoundReason)> {
    let against = at.bound.reasons.iter().copied().enumerate().filter(|(_, reason)| speaks_against(reason));
    against.max_by(|a, b| excess(&a.1).total_cmp(&excess(&b.1)))
}

fn speaks_against(reason: &BoundReason) -> bool {
    let of_server = matches!(
        reason.code,
        BoundReasonCode::ServerShareOfMachine
            | BoundReasonCode::Waiting
            | BoundReasonCode::TooShort
            | BoundReasonCode::ServerGone
    );
    !of_server && reason.value >= reason.limit
}

fn excess(reason: &BoundReason) -> f64 {
    if reason.limit > 0.0 { reason.value / reason.limit } else { f64::INFINITY }
}

/// A sign's value in its unit.
fn typed(code: BoundReasonCode, value: f64) -> Param {
    match code {
        BoundReasonCode::Lag => Param::Us(value),
        BoundReasonCode::NoLocalPort | BoundReasonCode::ListenOverflows | BoundReasonCode::ServerGone => {
            Param::Count(value as u64)
        }
        _ => Param::Share(value),
    }
}

/// The codes of all signs of some series, each once, in the order in which they stand.
fn reasons(series: &[At<'_>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in series.iter().flat_map(|at| at.bound.reasons.iter().map(|reason| name(at, reason.code))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// A sign's word; what ran out locally is told apart by the failures.
fn name(at: &At<'_>, code: BoundReasonCode) -> &'static str {
    match code {
        BoundReasonCode::ClientCpu => "client-cpu",
        BoundReasonCode::ClientShareOfMachine => "client-share-of-machine",
        BoundReasonCode::ServerShareOfMachine => "server-share-of-machine",
        BoundReasonCode::RunQueueDelay => "run-queue-delay",
        BoundReasonCode::Lag => "lag",
        BoundReasonCode::NoLocalPort => local_shortage(at).name(),
        BoundReasonCode::ListenOverflows => "listen-overflows",
        BoundReasonCode::Waiting => "waiting",
        BoundReasonCode::TooShort => "too-short",
        BoundReasonCode::ServerGone => "server-gone",
    }
}

fn saw_verdict(at: &At<'_>) -> Option<Evidence> {
    let verdict = match at.bound.verdict {
        BoundVerdict::Server => "server",
        BoundVerdict::Generator => "generator",
        BoundVerdict::Undecided => "undecided",
    };
    saw_text(at.path("bound/verdict"), verdict)
}
