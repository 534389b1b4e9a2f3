//! How much of a login is distance: the one place that computes it, for findings and reports alike.
//!
//! The round trip is the least one of the whole run (a series' own only when the run has none): what is left when
//! nothing queues. Distance is therefore a lower bound, and the same for all series of a run.

use peaje_model::{Evidence, Param, Phase, Run, Series};

use crate::draft::{saw, saw_us};
use crate::series::At;

/// Round trip of a host in the same data centre, microseconds: what a login from there is predicted for, and the
/// distance below which there is nothing to gain.
pub(crate) const NEAR_RTT_US: f64 = 500.0;

/// The part of a login that is distance: round trips to the server times the time of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// One round trip, microseconds.
    pub rtt_us: f64,
    /// Round trips of one login, the name server's not among them.
    pub round_trips: f64,
    /// Their product, microseconds; never more than the mean login.
    pub us: f64,
    /// The mean login, microseconds.
    pub total_us: f64,
    /// Part of the mean login, 0 to 1.
    pub share: f64,
    /// The mean login predicted from a host 0.5 ms away, microseconds; `None` when this one is no farther.
    pub near_total_us: Option<f64>,
}

/// The distance in the mean login of a series; `None` when the round trip is unknown: a Unix socket has none, and when
/// something stands between, the one that was measured ends there.
pub fn login_distance(run: &Run, series: &Series) -> Option<Distance> {
    if something_between(run) { None } else { least_distance(run, series) }
}

/// The same to whatever answers, server or proxy: enough to clear the server, not to say how far it is.
pub(crate) fn least_distance(run: &Run, series: &Series) -> Option<Distance> {
    let rtt_us = run.login.as_ref()?.rtt_us.or(series.rtt_us)?;
    let to_server = series.phases_us.iter().filter(|(phase, _)| **phase != Phase::Resolve);
    let round_trips: f64 = to_server.filter_map(|(_, summary)| summary.round_trips).sum();
    let total_us = At::new(0, series).mean_login()?;
    let us = (rtt_us * round_trips).min(total_us);
    let near_us = (total_us - us + round_trips * NEAR_RTT_US).min(total_us);
    let near_total_us = (rtt_us >= NEAR_RTT_US).then_some(near_us);
    Some(Distance { rtt_us, round_trips, us, total_us, share: us / total_us, near_total_us })
}

/// Whether a pooler or proxy is known to stand between peaje and the server.
pub(crate) fn something_between(run: &Run) -> bool {
    run.what_answered.as_ref().is_some_and(|what| what.segment.has_something_between())
}

/// What [`login_distance`] is made of, as evidence.
pub(crate) fn saw_distance(run: &Run, at: At<'_>) -> Vec<Evidence> {
    let least = run.login.as_ref().and_then(|login| login.rtt_us);
    let rtt = match least {
        Some(us) => saw_us("/login/rtt_us", us),
        None => saw_us(at.path("rtt_us"), at.rtt_us),
    };
    let trips = |phase: Phase| {
        let round_trips = at.phases_us.get(&phase)?.round_trips.filter(|n| *n > 0.0)?;
        saw(at.path(&format!("phases_us/{phase}/round_trips")), Some(Param::Ratio(round_trips)))
    };
    let to_server = Phase::ALL.into_iter().filter(|phase| *phase != Phase::Resolve);
    rtt.into_iter().chain(to_server.filter_map(trips)).collect()
}
