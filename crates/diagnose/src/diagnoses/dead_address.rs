//! `dead-address`: the target has several addresses and one does not answer. A client that dials in sequence loses that
//! time at each login (dead before the one that answers), or only when it fails over (dead after it).
//!
//! An address that timed out is a black hole, whatever time peaje gave it: a client loses its whole login timeout there.
//! One finding for each dead address. A client that dials all at once (`MultiSubnetFailover`) loses nothing, wherever the
//! dead one stands; behind a listener with an address in each subnet all but one are silent, and should be.

use peaje_model::{AddressProbe, Dialling, Finding, OutcomeKind, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_text, saw_us};
use crate::engine;
use crate::view::{US_PER_S, ratio};

const CODE: &str = "dead-address";

/// Loss at each login from which it is a warning, microseconds.
const FELT_US: f64 = 200_000.0;

/// Time after which Windows gives up a connect that nobody answers, microseconds: its vendor's figure for the default
/// settings, not measured here.
const WINDOWS_GIVES_UP_US: f64 = 21e6;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("dead_address.md"),
    page_es: include_str!("dead_address.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let probes = &run.target.addresses;
    if probes.is_empty() {
        return Draft::cannot_say(CODE, "not-probed").alone();
    }
    let Some(answering) = probes.iter().position(|probe| probe.outcome == OutcomeKind::Ok) else {
        let draft = Draft::cannot_say(CODE, "none-answered").count("addresses", probes.len() as u64);
        return draft.see((0..probes.len()).filter_map(|i| saw_outcome(run, i))).alone();
    };
    let dead: Vec<Finding> = (0..probes.len()).filter_map(|i| examine_address(run, i, answering)).collect();
    if dead.is_empty() {
        let draft = Draft::healthy(CODE, "all-answered").count("addresses", probes.len() as u64);
        return draft.see((0..probes.len()).filter_map(|i| saw_outcome(run, i))).alone();
    }
    dead
}

fn examine_address(run: &Run, i: usize, answering: usize) -> Option<Finding> {
    let probes = &run.target.addresses;
    let (probe, answered) = (&probes[i], &probes[answering]);
    let kind = how_dead(probe)?;
    let at_once = run.target.dialling == Dialling::AtOnce;
    let order = match (at_once, i < answering) {
        (true, _) => "at-once",
        (false, true) => "first",
        (false, false) => "later",
    };
    let timeout_us = run.target.login_timeout_s * US_PER_S;
    let timed_out = probe.outcome == OutcomeKind::TimedOut;
    let lost_us = if timed_out { timeout_us } else { probe.took_us };
    let severity = if order == "first" { severity(lost_us, timeout_us) } else { Severity::Info };
    let draft = Draft::found(CODE, &format!("{order}-{kind}"), severity)
        .text("host", probe.host.as_str())
        .count("hosts", run.target.hosts.len().max(1) as u64)
        .text("address", probe.address.as_str())
        .count("position", i as u64 + 1)
        .count("addresses", probes.len() as u64)
        .us("took_us", probe.took_us)
        .us("login_timeout_us", timeout_us)
        .us("lost_us", lost_us)
        .share("timeout_share", ratio(lost_us, timeout_us))
        .maybe("windows", windows(run, timed_out).map(|word| Param::Text(word.to_owned())))
        .text("answered", answered.address.as_str())
        .us("answered_us", answered.took_us)
        .see(saw_outcome(run, i))
        .see(saw_us(format!("/target/addresses/{i}/took_us"), probe.took_us))
        .see(saw_outcome(run, answering))
        .see(saw_us(format!("/target/addresses/{answering}/took_us"), answered.took_us))
        .see(saw_us("/target/login_timeout_s", timeout_us))
        .see(at_once.then(|| saw_text("/target/dialling", "at-once")).flatten());
    Some(draft.finish())
}

/// Whether Windows, where most clients of SQL Server run, gives up on a silent address before the login timeout ends.
fn windows(run: &Run, timed_out: bool) -> Option<&'static str> {
    let timeout_us = run.target.login_timeout_s * US_PER_S;
    let word = if WINDOWS_GIVES_UP_US < timeout_us { "sooner" } else { "later" };
    (engine::is_sqlserver(run) && timed_out).then_some(word)
}

/// How an address is dead; `None` when it answered, be it with something else than was hoped for.
fn how_dead(probe: &AddressProbe) -> Option<&'static str> {
    match probe.outcome {
        OutcomeKind::TimedOut => Some("timed-out"),
        OutcomeKind::Unreachable => Some("unreachable"),
        OutcomeKind::Refused => Some("refused"),
        OutcomeKind::NotResolved => Some("not-resolved"),
        _ => None,
    }
}

/// `lost_us`: what a client that dials in sequence loses at each login.
fn severity(lost_us: f64, timeout_us: f64) -> Severity {
    if lost_us >= timeout_us / 2.0 {
        Severity::Critical
    } else if lost_us >= FELT_US {
        Severity::Warning
    } else {
        Severity::Info
    }
}

fn saw_outcome(run: &Run, i: usize) -> Option<peaje_model::Evidence> {
    saw_text(format!("/target/addresses/{i}/outcome"), run.target.addresses[i].outcome.name())
}
