//! `slow-logins-recorded`: what the server itself has kept of logins that were slow or went wrong before this visit.
//!
//! It speaks of a check only, of servers that keep such a thing: SQL Server's connectivity ring buffer, MySQL's host cache,
//! the set-up times in PostgreSQL's log (version 18). A newcomer would expect a row for each login: what is kept is only of
//! some, and old ones are overwritten.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::engine;
use crate::facts::{self, FactAt};

const CODE: &str = "slow-logins-recorded";

/// A login that takes longer is slow, milliseconds.
const SLOW_MS: f64 = 1_000.0;

/// `server_version_num` that brought the set-up times.
const SETUP_TIMES: f64 = 180_000.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("slow_logins_recorded.md"),
    page_es: include_str!("slow_logins_recorded.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let reference = run.what_answered.as_ref().is_some_and(|what| what.reference_server);
    if run.check.is_none() || reference {
        return Vec::new();
    }
    let draft = match () {
        () if engine::is_postgres(run) => log_of_setup_times(run),
        () if engine::is_mysql(run) => host_cache(run),
        () if engine::is_sqlserver(run) => ring_buffer(run),
        () => return Vec::new(),
    };
    draft.alone()
}

fn log_of_setup_times(run: &Run) -> Draft {
    let version = facts::find(run, "server_version_num").and_then(|fact| Some((fact, fact.number()?)));
    let Some((fact, version)) = version else { return Draft::cannot_say(CODE, "unreadable") };
    if version < SETUP_TIMES {
        return Draft::cannot_say(CODE, "not-kept").see([fact.saw()]);
    }
    let Some(log) = facts::find(run, "log_connections") else { return Draft::cannot_say(CODE, "unreadable") };
    let words: Vec<&str> = log.text().unwrap_or_default().split(',').map(str::trim).collect();
    if words.iter().any(|word| ["setup_durations", "all"].contains(word)) {
        return Draft::healthy(CODE, "in-the-log").see([log.saw()]);
    }
    Draft::cannot_say(CODE, "not-logged").see([log.saw()])
}

fn host_cache(run: &Run) -> Draft {
    let number = |name| facts::find(run, name).and_then(|fact: FactAt<'_>| Some((fact, fact.number()?)));
    let (Some(blocked), Some(worst), Some(names)) =
        (number("host_cache_blocked"), number("host_cache_worst_errors"), number("host_cache_name_errors"))
    else {
        return Draft::cannot_say(CODE, "unreadable");
    };
    let limit = number("max_connect_errors").map(|(_, n)| n).filter(|n| *n > 0.0);
    // Half of the errors after which the server turns a host away.
    let near = limit.is_some_and(|limit| worst.1 * 2.0 >= limit && worst.1 > 0.0);
    let found = match () {
        () if blocked.1 > 0.0 || near => Some(Severity::Warning),
        () if names.1 > 0.0 => Some(Severity::Info),
        () => None,
    };
    Draft::judged(CODE, "host-cache", found)
        .count("blocked", (blocked.1 > 0.0).then_some(blocked.1 as u64))
        .count("worst", worst.1 as u64)
        .count("limit", limit.map(|n| n as u64))
        .count("names", (names.1 > 0.0).then_some(names.1 as u64))
        .see([blocked.0.saw(), worst.0.saw(), names.0.saw()])
}

fn ring_buffer(run: &Run) -> Draft {
    let number = |name| facts::find(run, name).and_then(|fact: FactAt<'_>| Some((fact, fact.number()?)));
    let Some((kept, logins)) = number("recorded_logins") else { return Draft::cannot_say(CODE, "unreadable") };
    let Some((slowest, ms)) = number("slowest_recorded_login_ms").filter(|_| logins > 0.0) else {
        return Draft::healthy(CODE, "ring-buffer").count("logins", logins as u64).see([kept.saw()]);
    };
    let part = facts::find(run, "slowest_recorded_login_part");
    let slow = number("slow_recorded_logins");
    Draft::judged(CODE, "ring-buffer", (ms >= SLOW_MS).then_some(Severity::Warning))
        .count("logins", logins as u64)
        .count("slow", slow.map(|(_, n)| n as u64))
        .us("slowest_us", ms * 1e3)
        .maybe("part", part.and_then(FactAt::text).map(|part| Param::Text(part.to_owned())))
        .see([kept.saw(), slowest.saw()])
        .see(part.map(FactAt::saw))
}
