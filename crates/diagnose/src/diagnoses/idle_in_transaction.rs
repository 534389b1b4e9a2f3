//! `idle-in-transaction`: sessions that hold a transaction open and do nothing.
//!
//! It speaks of a check only. A newcomer would take them for idle sessions: they keep locks, hold back the clean-up of old
//! row versions, and keep a pooler's server session for themselves.

use peaje_model::{ApplicationSessions, Evidence, Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::facts;

const CODE: &str = "idle-in-transaction";

/// How long is too long, seconds.
const WARNING_S: f64 = 60.0;
const CRITICAL_S: f64 = 3_600.0;

/// Names in a sentence.
const MOST_NAMES: usize = 3;

/// PostgreSQL's setting that ends such sessions, milliseconds; 0 = never.
const TIMEOUT: &str = "idle_in_transaction_session_timeout";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("idle_in_transaction.md"),
    page_es: include_str!("idle_in_transaction.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let Some(list) = &check.applications else { return Draft::cannot_say(CODE, "unseen").alone() };
    let mut idle: Vec<(usize, &ApplicationSessions, f64)> = list
        .iter()
        .enumerate()
        .filter(|(_, one)| one.idle_in_transaction > 0)
        .map(|(i, one)| (i, one, one.longest_in_transaction_s.unwrap_or(0.0)))
        .collect();
    idle.sort_by(|a, b| b.2.total_cmp(&a.2));
    let longest = idle.first().map_or(0.0, |one| one.2);
    let draft = match longest {
        s if s >= CRITICAL_S => Draft::found(CODE, "long", Severity::Critical),
        s if s >= WARNING_S => Draft::found(CODE, "long", Severity::Warning),
        _ => Draft::healthy(CODE, if idle.is_empty() { "none" } else { "short" }),
    };
    let names: Vec<String> =
        idle.iter().take(MOST_NAMES).map(|(_, one, _)| format!("{} @ {}", one.application, one.host)).collect();
    let timeout = facts::find(run, TIMEOUT);
    let timeout_ms = timeout.and_then(facts::FactAt::number);
    let saw = idle.iter().take(MOST_NAMES).flat_map(|(i, one, longest_s)| {
        let path = format!("/check/applications/{i}/longest_in_transaction_s");
        let longest = one.longest_in_transaction_s.map(|_| Evidence { path, value: Param::Us(longest_s * 1e6) });
        saw_count(format!("/check/applications/{i}/idle_in_transaction"), one.idle_in_transaction)
            .into_iter()
            .chain(longest)
    });
    draft
        .count("sessions", idle.iter().map(|(_, one, _)| one.idle_in_transaction).sum::<u64>())
        .us("for_us", (!idle.is_empty()).then_some(longest * 1e6))
        .text("applications", names.join(", "))
        .us("closed_after_us", timeout_ms.filter(|ms| *ms > 0.0).map(|ms| ms * 1e3))
        .maybe("no_timeout", timeout_ms.filter(|ms| *ms <= 0.0).map(|_| Param::Text(TIMEOUT.to_owned())))
        .see(saw)
        .see(timeout.map(facts::FactAt::saw))
        .see(saw_count("/check/sessions", check.sessions))
        .alone()
}
