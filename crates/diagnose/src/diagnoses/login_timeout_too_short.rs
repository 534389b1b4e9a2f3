//! `login-timeout-too-short`: the slowest login of the probe held against the server's own limit for a login.
//!
//! It speaks of a check only. A newcomer would compare the mean: it is the slowest login that is cut off, and a busy server
//! makes all of them slower.

use peaje_model::{Evidence, Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_us};
use crate::engine;
use crate::facts;
use crate::view::{US_PER_S, principal, ratio};

const CODE: &str = "login-timeout-too-short";

/// Shares of the limit that the slowest login took.
const WARNING: f64 = 0.25;
const CRITICAL: f64 = 0.75;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("login_timeout_too_short.md"),
    page_es: include_str!("login_timeout_too_short.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    if run.check.is_none() {
        return Vec::new();
    }
    // SQL Server has no such setting: there the client alone decides.
    if engine::is_sqlserver(run) {
        return Vec::new();
    }
    let name = if engine::is_mysql(run) { "connect_timeout" } else { "authentication_timeout" };
    let limit = facts::find(run, name).and_then(|fact| Some((fact, fact.number().filter(|s| *s > 0.0)?)));
    let Some((fact, limit_s)) = limit else { return Draft::cannot_say(CODE, "unreadable").alone() };
    let Some((worst_us, saw)) = worst(run) else { return Draft::cannot_say(CODE, "no-login").alone() };
    let share = ratio(worst_us, limit_s * US_PER_S).unwrap_or(0.0);
    let found = match share {
        share if share >= CRITICAL => Some(Severity::Critical),
        share if share >= WARNING => Some(Severity::Warning),
        _ => None,
    };
    Draft::judged(CODE, "server", found)
        .us("worst_us", worst_us)
        .us("limit_us", limit_s * US_PER_S)
        .share("timeout_share", share)
        .text("setting", name)
        .see([saw, fact.saw()])
        .alone()
}

/// The slowest login: of the probe, else the one made alone.
fn worst(run: &Run) -> Option<(f64, Evidence)> {
    let probe = principal(run).and_then(|at| Some((at.latency_us.max?, at.path("latency_us/max"))));
    if let Some((us, path)) = probe {
        return Some((us, Evidence { path, value: Param::Us(us) }));
    }
    let first = run.login.as_ref()?.first_login.as_ref()?;
    let saw = saw_us("/login/first_login/total_us", first.total_us)?;
    Some((first.total_us, saw))
}
