//! What did not work: failed, skipped and aborted operations, dead addresses, and what could not be read.

use peaje_model::{Gap, OutcomeCount, OutcomeKind, Run, Series};

use super::series;
use crate::{catalogue::Catalogue, words};

pub(super) fn lines(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut lines: Vec<String> = series(run).iter().flat_map(|s| one_series(cat, s)).collect();
    lines.extend(dead_addresses(cat, run));
    lines
}

fn one_series(cat: &Catalogue, series: &Series) -> Vec<String> {
    let label = words::series(cat, series);
    let counts = series.counts;
    let mut lines = Vec::new();
    let failures: Vec<String> = series.outcomes.iter().filter(|o| is_failure(o)).map(|o| failure(cat, o)).collect();
    if counts.failed > 0 || !failures.is_empty() {
        let args = [
            ("label", label.as_str().into()),
            ("failed", counts.failed.into()),
            ("scheduled", counts.scheduled.into()),
            ("list", failures.join("; ").into()),
        ];
        lines.push(cat.say("failed-operations", &args));
    }
    if counts.skipped > 0 {
        let args = [
            ("label", label.as_str().into()),
            ("skipped", counts.skipped.into()),
            ("scheduled", counts.scheduled.into()),
        ];
        lines.push(cat.say("skipped-operations", &args));
    }
    if counts.in_flight > 0 {
        let args = [("label", label.as_str().into()), ("n", counts.in_flight.into())];
        lines.push(cat.say("in-flight-operations", &args));
    }
    lines
}

/// Aborted operations are counted in flight, not failed.
fn is_failure(outcome: &OutcomeCount) -> bool {
    !matches!(outcome.kind, OutcomeKind::Ok | OutcomeKind::Aborted) && outcome.count > 0
}

fn failure(cat: &Catalogue, outcome: &OutcomeCount) -> String {
    let kind = words::outcome(cat, outcome.kind);
    let failure = match &outcome.code {
        Some(code) => {
            let args = [("count", outcome.count.into()), ("kind", kind.into()), ("code", code.as_str().into())];
            cat.say("failure-code", &args)
        }
        None => cat.say("failure", &[("count", outcome.count.into()), ("kind", kind.into())]),
    };
    match &outcome.message {
        Some(message) => {
            cat.say("failure-message", &[("failure", failure.into()), ("message", message.as_str().into())])
        }
        None => failure,
    }
}

fn dead_addresses(cat: &Catalogue, run: &Run) -> Vec<String> {
    let dead = run.target.addresses.iter().filter(|probe| probe.outcome != OutcomeKind::Ok);
    dead.map(|probe| {
        let args = [
            ("host", probe.host.as_str().into()),
            ("address", probe.address.as_str().into()),
            ("outcome", words::outcome(cat, probe.outcome).into()),
            ("took", cat.units.time(probe.took_us).into()),
        ];
        cat.say("address-failed", &args)
    })
    .collect()
}

/// What could not be read, why, and what would mend it; things that fail for the same reason share a line.
pub(super) fn gaps(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, &Gap)> = Vec::new();
    for gap in &run.gaps {
        match groups.iter_mut().find(|(_, first)| first.why == gap.why && first.next_step == gap.next_step) {
            Some((whats, _)) if whats.contains(&gap.what.as_str()) => {}
            Some((whats, _)) => whats.push(&gap.what),
            None => groups.push((vec![&gap.what], gap)),
        }
    }
    groups.iter().map(|(whats, gap)| one_gap(cat, &whats.join("; "), gap)).collect()
}

fn one_gap(cat: &Catalogue, what: &str, gap: &Gap) -> String {
    let why = gap.why.trim_end_matches('.');
    match &gap.next_step {
        Some(next) => {
            let args = [("what", what.into()), ("why", why.into()), ("next", next.as_str().into())];
            cat.say("gap-next", &args)
        }
        None => cat.say("gap", &[("what", what.into()), ("why", why.into())]),
    }
}
