//! `listen-backlog-too-small`: whether the server's listen queue holds the logins that come back at once after a restart.
//!
//! It speaks of a check only, and only where the server runs on this machine. A newcomer would look at the server's setting:
//! the kernel cuts it at its own limit, and the queue as the kernel made it is what counts.

use peaje_model::{CheckResult, Finding, HostLimits, HostUnknown, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};

const CODE: &str = "listen-backlog-too-small";

/// A queue of this length holds what small servers get, whatever the number of their sessions.
const ALWAYS_ENOUGH: u64 = 4_096;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("listen_backlog_too_small.md"),
    page_es: include_str!("listen_backlog_too_small.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    let draft = match (&check.host, check.host_unknown) {
        (Some(host), _) => judged(check, host),
        (None, Some(HostUnknown::ManagedService)) => Draft::cannot_say(CODE, "managed"),
        (None, Some(HostUnknown::Remote)) => Draft::cannot_say(CODE, "remote"),
        (None, _) => Draft::cannot_say(CODE, "unknown-process"),
    };
    draft.alone()
}

fn judged(check: &CheckResult, host: &HostLimits) -> Draft {
    // A Unix socket has such a queue too, but no kernel counter, and it makes its clients wait instead of dropping them.
    let Some(length) = host.listen_backlog else { return Draft::cannot_say(CODE, "unknown-process") };
    let most = check.peak_sessions.max(check.sessions).max(check.room.map(|room| room.in_use));
    let overflows = host.listen_overflows.filter(|n| *n > 0);
    let short = length < ALWAYS_ENOUGH && most.is_some_and(|most| length < most);
    let found = match (short, overflows) {
        (true, Some(_)) => Some(Severity::Warning),
        (true, None) => Some(Severity::Info),
        (false, _) => None,
    };
    Draft::judged(CODE, "queue", found)
        .count("length", length)
        .count("somaxconn", host.somaxconn)
        .count("sessions", most)
        .count("overflows", overflows)
        .see(saw_count("/check/host/listen_backlog", length))
        .see(saw_count("/check/host/somaxconn", host.somaxconn))
        .see(saw_count("/check/host/listen_overflows", host.listen_overflows))
        .see(saw_count("/check/peak_sessions", check.peak_sessions))
}
