//! `distance-dominates`: a login is a dialogue, and each of its turns crosses the network once there and back.
//!
//! The round trip used is the least one seen: what is left when nothing queues. Distance is therefore a lower bound. On
//! a Unix socket there is no distance, and nothing is said.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::series::At;
use crate::view::{Distance, NEEDED, distance, enough, principal, saw_distance};

const CODE: &str = "distance-dominates";

/// Share of the mean login from which distance dominates.
const SHARE: f64 = 0.5;

/// Round trip of a host in the same data centre, microseconds: what a login from there is predicted for, and the
/// distance below which there is nothing to gain.
const NEAR_RTT_US: f64 = 500.0;

/// Mean login from which it is felt, microseconds.
const FELT_US: f64 = 100_000.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("distance_dominates.md"),
    page_es: include_str!("distance_dominates.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    if run.target.hosts.first().is_some_and(|host| host.starts_with(['/', '@'])) {
        return Vec::new();
    }
    let Some(at) = principal(run) else { return Draft::not_measured(CODE).alone() };
    match (distance(run, at), at.mean_login()) {
        (Some(distance), Some(total_us)) => judge(run, at, &distance, total_us).alone(),
        _ => Draft::cannot_say(CODE, "no-rtt").text("series", at.label.as_str()).alone(),
    }
}

fn judge(run: &Run, at: At<'_>, distance: &Distance, total_us: f64) -> Draft {
    let far = distance.rtt_us >= NEAR_RTT_US;
    let near_total_us = total_us - distance.us + distance.round_trips * NEAR_RTT_US;
    let effect = if far { total_us / near_total_us } else { 1.0 };
    if !enough(at.logins, effect) {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    }
    let severity = if total_us >= FELT_US { Severity::Warning } else { Severity::Info };
    Draft::judged(CODE, "distance", (far && distance.share >= SHARE).then_some(severity))
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("total_us", total_us)
        .us("distance_us", distance.us)
        .share("distance_share", distance.share)
        .ratio("round_trips", distance.round_trips)
        .us("rtt_us", distance.rtt_us)
        .us("near_rtt_us", far.then_some(NEAR_RTT_US))
        .us("near_total_us", far.then_some(near_total_us))
        .see(at.saw_logins())
        .see(at.saw_phases())
        .see(saw_distance(run, at))
}
