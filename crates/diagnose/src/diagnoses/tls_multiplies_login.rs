//! `tls-multiplies-login`: what TLS adds to a login, from two series that differ in nothing else.
//!
//! Unpooled series are compared first, because there each operation pays the handshake; a pooled pair beside it shows
//! that a kept connection hardly pays. One series over TLS alone can only tell the handshake's share of a login.

use peaje_model::{Evidence, Finding, Mode, Param, Phase, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_us};
use crate::engine;
use crate::series::At;
use crate::view::{
    NEEDED, at_most_info, candidates, enough, outside_noise, rate_bound, ratio, saw_intervals, tls_pair,
};

const CODE: &str = "tls-multiplies-login";

/// Ratio of the mean operations from which TLS is said to multiply.
const RATIO: f64 = 1.1;

/// Share of the handshake from which a series alone is said to show it; a handshake below it hides in the rest.
const SHARE: f64 = 0.2;

/// Extra time for each login below which nobody notices, microseconds.
const EXTRA_US: f64 = 200.0;

/// A ratio this near 1 is no change.
const UNCHANGED: f64 = 0.05;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("tls_multiplies_login.md"),
    page_es: include_str!("tls_multiplies_login.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    if let Some((off, tls)) = tls_pair(run, Mode::Unpooled) {
        return unpooled(run, off, tls);
    }
    if let Some((off, tls)) = tls_pair(run, Mode::Pooled) {
        return pooled_only(run, off, tls);
    }
    match candidates(run).into_iter().find(|at| at.has_tls() && at.mean_login().is_some()) {
        Some(at) => share(run, at),
        None => Draft::not_measured(CODE).alone(),
    }
}

fn unpooled(run: &Run, off: At<'_>, tls: At<'_>) -> Vec<Finding> {
    let logins = off.logins.min(tls.logins);
    let draft = match compare(run, "pair", off, tls, logins) {
        Ok(draft) => draft.count("logins", logins),
        Err(draft) => return draft.alone(),
    };
    let (off_cpu, tls_cpu) = (off.server_cpu_us(), tls.server_cpu_us());
    let throughput_ratio = off.reached_per_s().zip(tls.reached_per_s()).and_then(|(a, b)| ratio(a, b));
    let cpu_ratio = off_cpu.zip(tls_cpu).and_then(|(off, tls)| ratio(tls, off));
    let tls_share = tls.phases_us.get(&Phase::Tls).and_then(|phase| phase.share);
    let draft = draft
        .per_s("off_per_s", off.reached_per_s())
        .per_s("tls_per_s", tls.reached_per_s())
        .ratio("throughput_ratio", throughput_ratio)
        .us("off_cpu_us", off_cpu)
        .us("tls_cpu_us", tls_cpu)
        .ratio("cpu_ratio", cpu_ratio)
        .maybe("cpu_change", cpu_ratio.map(change))
        .share("tls_share", tls_share)
        .see([off.saw_logins(), tls.saw_logins(), off.saw_server_cpu(), tls.saw_server_cpu()].into_iter().flatten())
        .see([off.saw_rate(), tls.saw_rate()].into_iter().flatten())
        .see(saw(tls.path("phases_us/tls/share"), tls_share.map(Param::Share)));
    beside_kept_connections(run, draft).alone()
}

/// Adds the same comparison where connections are kept: in a pool, and for the life of a worker.
fn beside_kept_connections(run: &Run, draft: Draft) -> Draft {
    let means = |mode| {
        let (off, tls) = tls_pair(run, mode)?;
        Some((off, tls, off.service_us.mean?, tls.service_us.mean?))
    };
    let mut draft = draft;
    if let Some((off, tls, off_us, tls_us)) = means(Mode::Pooled) {
        draft = draft
            .ratio("pooled_ratio", ratio(tls_us, off_us))
            .maybe("pooled_change", ratio(tls_us, off_us).map(change))
            .us("pooled_off_us", off_us)
            .us("pooled_tls_us", tls_us)
            .count("pool_logins", filling(off, tls))
            .see([off.saw_filling(), tls.saw_filling()].into_iter().flatten())
            .see([off.saw_service(), tls.saw_service()].into_iter().flatten());
    }
    if let Some((off, tls, off_us, tls_us)) = means(Mode::Persistent) {
        draft = draft
            .ratio("persistent_ratio", ratio(tls_us, off_us))
            .see([off.saw_service(), tls.saw_service()].into_iter().flatten());
    }
    draft
}

/// Whether a ratio is worth a number: one that rounds to 1 would read "1 times".
fn change(ratio: f64) -> Param {
    let word = if (ratio - 1.0).abs() < UNCHANGED { "unchanged" } else { "changed" };
    Param::Text(word.to_owned())
}

/// Logins that filled the pool whose means they dominate; of the one over TLS when both do.
fn filling(off: At<'_>, tls: At<'_>) -> Option<u64> {
    tls.filling_logins().or(off.filling_logins())
}

fn pooled_only(run: &Run, off: At<'_>, tls: At<'_>) -> Vec<Finding> {
    let operations = off.counts.completed.min(tls.counts.completed);
    match compare(run, "pooled-only", off, tls, operations) {
        Ok(draft) => {
            let completed = [off.saw_completed(), tls.saw_completed()];
            draft
                .count("operations", operations)
                .count("pool_logins", filling(off, tls))
                .see(completed.into_iter().flatten())
                .see([off.saw_filling(), tls.saw_filling()].into_iter().flatten())
                .alone()
        }
        Err(draft) => draft.alone(),
    }
}

/// The comparison of two mean operations; an error is the reason why it cannot be made.
fn compare(run: &Run, variant: &str, off: At<'_>, tls: At<'_>, n: u64) -> Result<Draft, Draft> {
    let (Some(off_us), Some(tls_us)) = (off.service_us.mean, tls.service_us.mean) else {
        return Err(Draft::too_few_logins(CODE, n, NEEDED));
    };
    let Some(ratio) = ratio(tls_us, off_us).filter(|ratio| enough(n, *ratio)) else {
        return Err(Draft::too_few_logins(CODE, n, NEEDED));
    };
    let extra_us = tls_us - off_us;
    let large = ratio >= RATIO && extra_us >= EXTRA_US;
    if large && !outside_noise(off, tls, ratio) {
        return Err(Draft::cannot_say(CODE, "within-noise")
            .ratio("ratio", ratio)
            .text("series_off", off.label.as_str())
            .text("series_tls", tls.label.as_str())
            .see([off.saw_service(), tls.saw_service()].into_iter().flatten())
            .see(saw_intervals(off, tls)));
    }
    let found = large.then(|| {
        let severity = severity(ratio, extra_us);
        at_most_info(off, tls, if queueing(run, off, tls) { severity.min(Severity::Warning) } else { severity })
    });
    Ok(Draft::judged(CODE, variant, found)
        .text("series_off", off.label.as_str())
        .text("series_tls", tls.label.as_str())
        .ratio("ratio", ratio)
        .us("off_us", off_us)
        .us("tls_us", tls_us)
        .us("extra_us", extra_us)
        .text("rate_bound", rate_bound(&[off, tls]))
        .see([off.saw_service(), tls.saw_service()].into_iter().flatten()))
}

/// Whether more operations were in flight than this machine has cores, which server and peaje share: much of each time
/// is waiting for a core then, and a client on its own would wait far less.
fn queueing(run: &Run, off: At<'_>, tls: At<'_>) -> bool {
    let most = off.settings.concurrency.max(tls.settings.concurrency);
    run.target.local && most > run.environment.cores
}

fn severity(ratio: f64, extra_us: f64) -> Severity {
    if ratio >= 3.0 && extra_us >= 10_000.0 {
        Severity::Critical
    } else if ratio >= 1.5 {
        Severity::Warning
    } else {
        Severity::Info
    }
}

/// One series over TLS with nothing to compare it with: the handshake's share of its own login, never more than worth
/// knowing.
///
/// The phase `negotiate` is not counted but for one round trip: PostgreSQL starts the session's process before it
/// answers the request for TLS, and without TLS that start stands in `authenticate`. Elsewhere that phase is there
/// without TLS too (MySQL's greeting, SQL Server's PRELOGIN), and TLS adds nothing to it.
fn share(run: &Run, at: At<'_>) -> Vec<Finding> {
    let (Some(login_us), Some(handshake_us)) = (at.mean_login(), at.phase(Phase::Tls)) else {
        return Draft::not_measured(CODE).alone();
    };
    let asked = engine::is_postgres(run) && at.phase(Phase::Negotiate).is_some_and(|us| us > 0.0);
    let (rtt_us, saw_rtt) = least_rtt(run, at);
    let tls_us = (handshake_us + rtt_us.filter(|_| asked).unwrap_or(0.0)).min(login_us);
    let share = tls_us / login_us;
    if !enough(at.logins, 1.0 / (1.0 - share)) {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins()).alone();
    }
    Draft::judged(CODE, "share", (share >= SHARE && tls_us >= EXTRA_US).then_some(Severity::Info))
        .text("series_tls", at.label.as_str())
        .count("logins", at.logins)
        .share("tls_share", share)
        .us("tls_us", tls_us)
        .us("login_us", login_us)
        .see(at.saw_logins())
        .see(at.saw_phases())
        .see(saw_rtt.filter(|_| asked))
        .alone()
}

/// The least round trip of the run, a series' own when the run has none.
fn least_rtt(run: &Run, at: At<'_>) -> (Option<f64>, Option<Evidence>) {
    match run.login.as_ref().and_then(|login| login.rtt_us) {
        Some(us) => (Some(us), saw_us("/login/rtt_us", us)),
        None => (at.rtt_us, saw_us(at.path("rtt_us"), at.rtt_us)),
    }
}
