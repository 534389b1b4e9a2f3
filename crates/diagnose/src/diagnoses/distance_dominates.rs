//! `distance-dominates`: a login is a dialogue, and each of its turns crosses the network once there and back.
//!
//! The round trip used is the least one seen: what is left when nothing queues. Distance is therefore a lower bound. On
//! a Unix socket there is no distance, and nothing is said. When a pooler or proxy stands between, the round trip ends
//! there, and how far the server is behind it is not known.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::distance::{Distance, NEAR_RTT_US, login_distance, saw_distance, something_between};
use crate::draft::{Draft, saw_text};
use crate::engine;
use crate::series::At;
use crate::view::{NEEDED, enough, principal};

const CODE: &str = "distance-dominates";

/// Share of the mean login from which distance dominates.
const SHARE: f64 = 0.5;

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
    if engine::is_socket(run) {
        return Vec::new();
    }
    let Some(at) = principal(run) else { return Draft::not_measured(CODE).alone() };
    if something_between(run) {
        let segment = run.what_answered.as_ref().map(|what| what.segment.name());
        let saw = segment.and_then(|name| saw_text("/what_answered/segment", name));
        return Draft::cannot_say(CODE, "something-between").text("series", at.label.as_str()).see(saw).alone();
    }
    match login_distance(run, &at) {
        Some(distance) => judge(run, at, &distance).alone(),
        None => Draft::cannot_say(CODE, "no-rtt").text("series", at.label.as_str()).alone(),
    }
}

fn judge(run: &Run, at: At<'_>, distance: &Distance) -> Draft {
    let (total_us, near_total_us) = (distance.total_us, distance.near_total_us);
    let far = near_total_us.is_some();
    let effect = near_total_us.map_or(1.0, |near_us| total_us / near_us);
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
        .us("near_total_us", near_total_us)
        .see(at.saw_logins())
        .see(at.saw_phases())
        .see(saw_distance(run, at))
}
