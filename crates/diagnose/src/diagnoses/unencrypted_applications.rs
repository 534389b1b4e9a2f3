//! `unencrypted-applications`: which applications talk in clear over the network, whether the server would let them be
//! forced to encrypt, and what that adds to those that do not pool.
//!
//! It speaks of a check only. Sessions over a local socket or loopback are left out: nobody listens there. A newcomer would
//! count sessions that are encrypted and call the server safe; a server that does not force it lets the next one in clear.

use peaje_model::{ApplicationSessions, CheckResult, Evidence, Finding, Phase, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::engine;
use crate::facts;
use crate::view::principal;

const CODE: &str = "unencrypted-applications";

/// An application whose oldest session is younger does not seem to pool, seconds.
const SHORT_S: f64 = 60.0;

/// Names in a sentence.
const MOST_NAMES: usize = 4;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("unencrypted_applications.md"),
    page_es: include_str!("unencrypted_applications.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(check) = &run.check else { return Vec::new() };
    if run.what_answered.as_ref().is_some_and(|what| what.reference_server) {
        return Vec::new();
    }
    judged(run, check).alone()
}

fn judged(run: &Run, check: &CheckResult) -> Draft {
    let forced = forced(run);
    if let Some((true, saw)) = forced {
        return Draft::healthy(CODE, "forced").see([saw]);
    }
    let known = check.applications.as_ref().filter(|list| list.iter().all(|one| one.encrypted.is_some()));
    let Some(list) = known else { return Draft::cannot_say(CODE, "unseen").see(forced.map(|(_, saw)| saw)) };
    let remote = || list.iter().enumerate().filter(|(_, one)| is_remote(&one.host));
    let clear = |one: &ApplicationSessions| one.encrypted.map_or(0, |n| one.sessions.saturating_sub(n));
    let in_clear: Vec<(usize, &ApplicationSessions)> = remote().filter(|(_, one)| clear(one) > 0).collect();
    let all: u64 = remote().map(|(_, one)| one.sessions).sum();
    let number: u64 = in_clear.iter().map(|(_, one)| clear(one)).sum();
    let saw =
        in_clear.iter().filter_map(|(i, one)| saw_count(format!("/check/applications/{i}/encrypted"), one.encrypted));
    let saw: Vec<Evidence> = saw.chain(forced.as_ref().map(|(_, saw)| saw.clone())).collect();
    if in_clear.is_empty() {
        return match forced {
            // Nobody is known to be in clear, and what would let them is known.
            Some((false, saw)) => Draft::found(CODE, "not-forced", Severity::Info).count("sessions", all).see([saw]),
            _ => Draft::healthy(CODE, "none-in-clear")
                .count("sessions", all)
                .see(saw_count("/check/sessions", check.sessions)),
        };
    }
    let unpooled: Vec<&ApplicationSessions> =
        in_clear.iter().map(|(_, one)| *one).filter(|one| one.oldest_s < SHORT_S).collect();
    Draft::found(CODE, "in-clear", Severity::Warning)
        .count("in_clear", number)
        .count("sessions", all)
        .text("applications", names(in_clear.iter().map(|(_, one)| *one)))
        .us("tls_us", tls_us(run))
        .text("unpooled", names(unpooled.iter().copied()))
        .see(saw)
}

/// What one TLS handshake takes from here: the probe's.
fn tls_us(run: &Run) -> Option<f64> {
    principal(run)?.phase(Phase::Tls).filter(|us| *us > 0.0)
}

fn names<'a>(list: impl Iterator<Item = &'a ApplicationSessions>) -> String {
    let all: Vec<String> = list.map(|one| format!("{} @ {}", one.application, one.host)).collect();
    let more = if all.len() > MOST_NAMES { ", …" } else { "" };
    all[..all.len().min(MOST_NAMES)].join(", ") + more
}

/// A local socket or loopback is nobody's network.
fn is_remote(host: &str) -> bool {
    let host = host.split(['/', ':']).next().unwrap_or_default();
    !(host.is_empty() || host == "localhost" || host.starts_with("127.") || host == "<local machine>")
}

/// Whether the server lets nobody in without encryption, with the fact that says so; `None` = not known.
fn forced(run: &Run) -> Option<(bool, Evidence)> {
    let (name, when_forced) = match () {
        () if engine::is_postgres(run) => ("hba_allows_clear", false),
        () if engine::is_mysql(run) => ("require_secure_transport", true),
        () if engine::is_sqlserver(run) => ("forced_encryption", true),
        () => return None,
    };
    let fact = facts::find(run, name)?;
    let on = fact.is_on().or_else(|| fact.number().map(|n| n >= 1.0))?;
    Some((on == when_forced, fact.saw()))
}
