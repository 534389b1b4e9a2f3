//! `redirected-login`: the first server answered the login with another server's address, so the login was made twice.
//!
//! The run file does not tell the two halves apart: the phases of both add up. What the first half cost is therefore an
//! estimate, as if both servers were equally far and quick. When nobody was redirected and the engine knows no routing,
//! nothing is said.

use peaje_model::{Finding, Param, Phase, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_count};
use crate::engine;
use crate::facts::{self, FactAt};
use crate::series::At;
use crate::view::{NEEDED, all, ratio};

const CODE: &str = "redirected-login";

/// What a login that is sent on goes through twice. The address is learned from the answer to the credentials.
const TWICE: [Phase; 4] = [Phase::Connect, Phase::Negotiate, Phase::Tls, Phase::Authenticate];

/// Extra time from which it is a warning, microseconds.
const FELT_US: f64 = 50_000.0;

/// `engine_edition` of Azure SQL Database and of a managed instance: there a gateway answers first.
const BEHIND_A_GATEWAY: [f64; 2] = [5.0, 8.0];

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("redirected_login.md"),
    page_es: include_str!("redirected_login.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let series = all(run);
    // Of the series that were redirected the one with the most logins speaks for all.
    let redirected = series.iter().rev().filter(|at| at.redirected > 0).max_by_key(|at| at.logins);
    if let Some(at) = redirected {
        return found(run, *at).alone();
    }
    let logins: u64 = series.iter().map(|at| at.logins).sum();
    match (engine::is_sqlserver(run), logins) {
        (false, _) => Vec::new(),
        (true, 0) => Draft::not_measured(CODE).alone(),
        (true, _) => {
            let saw = series.iter().map(|at| saw_count(at.path("redirected"), at.redirected));
            Draft::healthy(CODE, "direct").count("logins", logins).see(saw.flatten()).alone()
        }
    }
}

fn found(run: &Run, at: At<'_>) -> Draft {
    let gateway = gateway(run);
    let variant = if gateway.is_some() { "gateway" } else { "routed" };
    // More may have been sent on than finished their login.
    let share = ratio(at.redirected as f64, at.logins as f64).map(|share| share.min(1.0));
    let first_half = |sum: Option<f64>| sum.zip(share).map(|(sum, share)| sum / (1.0 + share));
    let extra_us = first_half(sum(at, |phase| at.phase(phase))).filter(|_| at.logins >= NEEDED);
    let extra_round_trips = first_half(sum(at, |phase| at.phases_us.get(&phase)?.round_trips));
    let severity = if extra_us.is_some_and(|us| us >= FELT_US) { Severity::Warning } else { Severity::Info };
    Draft::found(CODE, variant, severity)
        .text("series", at.label.as_str())
        .count("redirected", at.redirected)
        .count("logins", at.logins)
        .share("share", share)
        .us("login_us", at.until_ready().filter(|_| extra_us.is_some()))
        .us("extra_us", extra_us)
        .ratio("extra_round_trips", extra_round_trips.map(f64::round).filter(|n| *n >= 1.0))
        .see(saw_count(at.path("redirected"), at.redirected))
        .see(at.saw_logins())
        .see(TWICE.into_iter().flat_map(|phase| saw_phase(at, phase)))
        .see(gateway.map(FactAt::saw))
}

/// Sum over the phases that happen twice; `None` when none was timed.
fn sum(at: At<'_>, of: impl Fn(Phase) -> Option<f64>) -> Option<f64> {
    let sum: f64 = TWICE.into_iter().filter_map(of).sum();
    (at.redirected > 0 && sum > 0.0).then_some(sum)
}

fn saw_phase(at: At<'_>, phase: Phase) -> Vec<peaje_model::Evidence> {
    let round_trips = at.phases_us.get(&phase).and_then(|summary| summary.round_trips);
    let mean = saw(at.path(&format!("phases_us/{phase}/mean")), at.phase(phase).map(Param::Us));
    let trips = saw(at.path(&format!("phases_us/{phase}/round_trips")), round_trips.map(Param::Ratio));
    mean.into_iter().chain(trips).collect()
}

fn gateway(run: &Run) -> Option<FactAt<'_>> {
    let edition = facts::find(run, "engine_edition")?;
    // Editions are small whole numbers.
    let number = edition.number()?;
    BEHIND_A_GATEWAY.iter().any(|gateway| (number - gateway).abs() < 0.5).then_some(edition)
}
