//! `late-greeting`: MySQL and MariaDB speak first, and the server takes its time. It resolves the client's address to a
//! name before it greets, unless it is told not to.
//!
//! A newcomer would look at the mean alone. The server keeps the names it has found, so often only the first login from
//! a host pays; and under load every greeting is late, because the server is busy and not because it asks a name server.
//! The greeting comes without a request and still costs a round trip: the server learns of the connection only from the
//! client's last packet of the connect.

use std::net::{IpAddr, SocketAddr};

use peaje_model::{Evidence, Finding, OutcomeKind, Phase, Run, Severity};

use crate::Diagnosis;
use crate::distance::something_between;
use crate::draft::{Draft, saw_count, saw_text, saw_us};
use crate::engine;
use crate::facts::{self, FactAt};
use crate::series::At;
use crate::view::{US_PER_S, candidates, ratio};

const CODE: &str = "late-greeting";

/// A wait for the greeting, its round trip taken off, from which it is late, microseconds.
const LATE_US: f64 = 10_000.0;

/// The first greeting is late alone when it took this many times as long as the others.
const FAR_SLOWER: f64 = 5.0;

/// Wait of the first login from which it is a warning, microseconds.
const FELT_US: f64 = 1e6;

/// Logins behind a median.
const NEEDED: u64 = 5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("late_greeting.md"),
    page_es: include_str!("late_greeting.es.md"),
    examine,
};

/// Waits for the greeting, without the round trip, microseconds.
struct Waits<'r> {
    run: &'r Run,
    at: At<'r>,
    first_us: Option<f64>,
    later_us: f64,
}

fn examine(run: &Run) -> Vec<Finding> {
    if !engine::is_mysql(run) {
        return Vec::new();
    }
    let Some(at) = candidates(run).into_iter().find(|at| greeting_us(*at).is_some()) else {
        return Draft::not_measured(CODE).alone();
    };
    if at.logins < NEEDED {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins()).alone();
    }
    let rtt_us = rtt(run, at).0.unwrap_or(0.0);
    let without_rtt = |us: f64| (us - rtt_us).max(0.0);
    let first_us = first_greeting_us(run).map(without_rtt);
    decide(&Waits { run, at, first_us, later_us: without_rtt(greeting_us(at).unwrap_or_default()) }).alone()
}

/// The usual wait for the greeting: the median, the mean when there is none.
fn greeting_us(at: At<'_>) -> Option<f64> {
    let summary = at.phases_us.get(&Phase::Negotiate)?;
    summary.p50.or(summary.mean)
}

fn first_greeting_us(run: &Run) -> Option<f64> {
    let first = run.login.as_ref()?.first_login.as_ref().filter(|first| first.outcome == OutcomeKind::Ok)?;
    first.phases_us.get(&Phase::Negotiate).copied()
}

fn rtt(run: &Run, at: At<'_>) -> (Option<f64>, Option<Evidence>) {
    match run.login.as_ref().and_then(|login| login.rtt_us) {
        Some(us) => (Some(us), saw_us("/login/rtt_us", us)),
        None => (at.rtt_us, saw_us(at.path("rtt_us"), at.rtt_us)),
    }
}

fn decide(waits: &Waits<'_>) -> Draft {
    let (at, later_us) = (waits.at, waits.later_us);
    if waits.first_us.is_some_and(|us| us >= LATE_US && us >= FAR_SLOWER * later_us) {
        return found(waits, "first");
    }
    if later_us < LATE_US {
        return basics(waits, Draft::healthy(CODE, "prompt"));
    }
    let alone = at.settings.concurrency <= 1 && at.is_closed_loop();
    match waits.first_us {
        _ if alone => found(waits, "every"),
        Some(first_us) if first_us >= LATE_US && first_us >= later_us / 2.0 => found(waits, "every"),
        _ if at.is_generator_bound() => Draft::cannot_say(CODE, "generator-bound").text("series", at.label.as_str()),
        Some(_) => basics(waits, Draft::healthy(CODE, "queueing")),
        None => Draft::cannot_say(CODE, "queueing-possible")
            .text("series", at.label.as_str())
            .count("concurrency", u64::from(at.settings.concurrency))
            .us("later_us", later_us)
            .see(saw_count(at.path("settings/concurrency"), u64::from(at.settings.concurrency))),
    }
}

/// `which`: the first login alone, or every one. The variant says what is known of the cause.
fn found(waits: &Waits<'_>, which: &str) -> Draft {
    let timeout_us = waits.run.target.login_timeout_s * US_PER_S;
    let every = which == "every";
    let wait_us = if every { waits.later_us } else { waits.first_us.unwrap_or_default() };
    let severity = match (every, wait_us) {
        (true, us) if us >= timeout_us / 2.0 => Severity::Critical,
        (false, us) if us < FELT_US => Severity::Info,
        _ => Severity::Warning,
    };
    let cause = cause(waits.run);
    let draft = Draft::found(CODE, &format!("{which}-{}", cause.name()), severity)
        .us("timeout_us", timeout_us)
        .share("timeout_share", ratio(wait_us, timeout_us))
        .see(saw_us("/target/login_timeout_s", timeout_us));
    with_cause(basics(waits, draft), waits.run, &cause)
}

/// What makes the server greet late.
enum Cause<'r> {
    /// It looks up the client's name.
    Lookup(FactAt<'r>),
    /// Nothing is looked up on this way, or not by this server; the word says why.
    Other(&'static str, Option<Evidence>),
    /// Whether it looks up names could not be read.
    Unknown,
}

impl Cause<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Lookup(_) => "lookup",
            Self::Other(..) => "other",
            Self::Unknown => "unknown",
        }
    }
}

fn cause(run: &Run) -> Cause<'_> {
    if something_between(run) {
        let segment = run.what_answered.as_ref().map(|what| what.segment.name());
        return Cause::Other("between", segment.and_then(|name| saw_text("/what_answered/segment", name)));
    }
    if engine::is_socket(run) {
        return Cause::Other("socket", None);
    }
    if is_loopback(run) {
        return Cause::Other("loopback", None);
    }
    match facts::find(run, "skip_name_resolve").and_then(|fact| Some((fact, fact.is_on()?))) {
        Some((fact, false)) => Cause::Lookup(fact),
        Some((fact, true)) => Cause::Other("setting", Some(fact.saw())),
        None => Cause::Unknown,
    }
}

/// Whether the address that answers is a loopback address: the server calls it `localhost` and asks nobody.
fn is_loopback(run: &Run) -> bool {
    let answering = run.target.addresses.iter().find(|probe| probe.outcome == OutcomeKind::Ok);
    match answering.and_then(|probe| probe.address.parse::<SocketAddr>().ok()) {
        Some(address) => address.ip().is_loopback(),
        None => run.target.hosts.first().is_some_and(|host| {
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }),
    }
}

fn with_cause(draft: Draft, run: &Run, cause: &Cause<'_>) -> Draft {
    match cause {
        Cause::Lookup(fact) => {
            let cache = facts::find(run, "host_cache_size");
            let off = cache.and_then(|cache| Some((cache, cache.number().filter(|size| *size < 1.0)?)));
            let draft = draft.count("host_cache_size", off.map(|_| 0)).see([fact.saw()]);
            draft.see(off.map(|(cache, _)| cache.saw()))
        }
        Cause::Other(why, evidence) => draft.text("why", *why).see(evidence.clone()),
        Cause::Unknown => draft,
    }
}

/// What every verdict on the waits has.
fn basics(waits: &Waits<'_>, draft: Draft) -> Draft {
    let at = waits.at;
    let (rtt_us, saw_rtt) = rtt(waits.run, at);
    let summary = at.phases_us.get(&Phase::Negotiate).copied().unwrap_or_default();
    let usual = match summary.p50 {
        Some(us) => saw_us(at.path("phases_us/negotiate/p50"), us),
        None => saw_us(at.path("phases_us/negotiate/mean"), summary.mean),
    };
    draft
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("later_us", waits.later_us)
        .us("first_us", waits.first_us)
        .us("rtt_us", rtt_us)
        .us("login_us", at.until_ready())
        .count("concurrency", u64::from(at.settings.concurrency))
        .see(at.saw_logins())
        .see(usual)
        .see(saw_us("/login/first_login/phases_us/negotiate", first_greeting_us(waits.run)))
        .see(saw_rtt)
}
