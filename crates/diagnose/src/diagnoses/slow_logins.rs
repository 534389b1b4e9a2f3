//! `slow-logins`: slow to connect, not to query, while the server computes little: the login waits for somebody else (a
//! directory service, a reverse DNS look-up, another machine).
//!
//! The trap is that a busy machine makes every login slow too. So the wait is only called a wait when the cores were
//! not busy, and never from logins that queued behind each other on a server whose CPU is unknown.

use peaje_model::{Experiment, Finding, Mode, OutcomeKind, Param, Phase, Run, Severity};

use crate::Diagnosis;
use crate::distance::{least_distance, saw_distance};
use crate::draft::{Draft, saw, saw_count, saw_us};
use crate::engine;
use crate::series::At;
use crate::view::{NEEDED, US_PER_S, candidates, enough, ratio};
use crate::watched::{self, Watched};

const CODE: &str = "slow-logins";

/// Median operation below which nobody calls a login slow, microseconds.
const SLOW_US: f64 = 50_000.0;

/// A login is much slower than a query from here on.
const RATIO: f64 = 10.0;

/// Server CPU, as a share of the login's time, from which the server computes rather than waits.
const COMPUTING: f64 = 0.2;

/// Share of busy cores from which logins may simply wait for a core.
const BUSY: f64 = 0.5;

/// Share of the mean login that is distance from which `distance-dominates` has the say.
const DISTANT: f64 = 0.5;

/// Time-outs that count when too few logins got through.
const TIMED_OUT: u64 = 5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("slow_logins.md"),
    page_es: include_str!("slow_logins.es.md"),
    examine,
};

/// What the comparison of login and query needs, once it is known to be there.
struct Figures<'r> {
    run: &'r Run,
    at: At<'r>,
    login_us: f64,
    mean_login_us: f64,
    query_us: f64,
    p50_us: f64,
    ratio: f64,
}

fn examine(run: &Run) -> Vec<Finding> {
    if run.experiment == Experiment::Watch {
        return watched::accused(run, CODE, measured_elsewhere);
    }
    // Elsewhere an operation is not a login, and its median says nothing of one.
    let unpooled: Vec<At<'_>> = candidates(run).into_iter().filter(|at| at.mode == Mode::Unpooled).collect();
    if let Some(draft) = unpooled.iter().find_map(|at| mostly_timed_out(run, *at)) {
        return draft.alone();
    }
    match unpooled.into_iter().find(|at| at.mean_login().is_some()) {
        Some(at) => figures(run, at).map_or_else(Draft::alone, |figures| decide(&figures).alone()),
        None => Draft::not_measured(CODE).alone(),
    }
}

/// A watch knows what a login takes from the run that was given to it: their number under way over their rate.
fn measured_elsewhere(at: &Watched<'_>) -> Draft {
    let in_progress = at.group.cost.as_ref().and_then(|cost| cost.logins_in_progress);
    let login_s = in_progress.zip(at.group.logins_per_s).and_then(|(n, per_s)| ratio(n, per_s));
    at.with_cost(at.found(CODE, "watched", Severity::Warning)).us("login_us", login_s.map(|s| s * US_PER_S))
}

/// Most logins ran into the timeout, and yet some got through: somebody is there, and slow.
fn mostly_timed_out(run: &Run, at: At<'_>) -> Option<Draft> {
    let timed_out = at.outcomes(OutcomeKind::TimedOut);
    let too_few = at.logins < NEEDED && at.logins > 0 && timed_out >= TIMED_OUT;
    too_few.then(|| {
        Draft::found(CODE, "timed-out", Severity::Critical)
            .text("series", at.label.as_str())
            .count("logins", at.logins)
            .count("timed_out", timed_out)
            .us("timeout_us", timeout_us(run))
            .see(at.saw_logins())
            .see(at.saw_outcomes(OutcomeKind::TimedOut))
            .see(saw_timeout(run))
    })
}

fn figures<'r>(run: &'r Run, at: At<'r>) -> Result<Figures<'r>, Draft> {
    let too_few = || Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    let login_us = at.until_ready().ok_or_else(too_few)?;
    let mean_login_us = at.mean_login().ok_or_else(too_few)?;
    let p50_us = at.service_us.p50.ok_or_else(too_few)?;
    let no_query = || Draft::cannot_say(CODE, "no-query").text("series", at.label.as_str());
    let query_us = at.query_us.mean.ok_or_else(no_query)?;
    let ratio = ratio(login_us, query_us).ok_or_else(no_query)?;
    if !enough(at.logins, ratio) {
        return Err(too_few());
    }
    Ok(Figures { run, at, login_us, mean_login_us, query_us, p50_us, ratio })
}

fn decide(f: &Figures<'_>) -> Draft {
    let at = f.at;
    if f.p50_us < SLOW_US || f.ratio < RATIO {
        return basics(f, Draft::healthy(CODE, "fast"));
    }
    if let Some(distance) = least_distance(f.run, &at).filter(|distance| distance.share >= DISTANT) {
        return basics(f, Draft::healthy(CODE, "distance"))
            .us("distance_us", distance.us)
            .share("distance_share", distance.share)
            .see(saw_distance(f.run, at));
    }
    if at.is_generator_bound() {
        return Draft::cannot_say(CODE, "generator-bound").text("series", at.label.as_str());
    }
    match at.server_cpu_us() {
        Some(cpu_us) => decide_by_cpu(f, cpu_us),
        None => decide_without_cpu(f),
    }
}

fn decide_by_cpu(f: &Figures<'_>, cpu_us: f64) -> Draft {
    let share = cpu_us / f.mean_login_us;
    if let Some(busy) = busy_share(f, cpu_us).filter(|busy| *busy >= BUSY) {
        let seen = f.at.saw_server_cpu().into_iter().chain(f.at.saw_logins_per_s());
        return basics(f, Draft::healthy(CODE, "queueing")).share("busy_share", busy).see(seen);
    }
    let draft = if share >= COMPUTING { Draft::healthy(CODE, "computing") } else { waits(f, "waiting") };
    basics(f, draft).us("cpu_us", cpu_us).share("cpu_share", share).see(f.at.saw_server_cpu())
}

/// Cores of this machine kept busy by the logins (server and client), as a share of all its cores. Server CPU is known
/// only when the server is here, so these are the cores that both share.
fn busy_share(f: &Figures<'_>, cpu_us: f64) -> Option<f64> {
    let both_us = cpu_us + f.at.client_cpu_us_per_login.unwrap_or(0.0);
    let busy_cores = both_us * f.at.logins_per_s()? / US_PER_S;
    ratio(busy_cores, f64::from(f.run.environment.cores))
}

/// Without the server's CPU, only logins that were alone on their way can be judged.
fn decide_without_cpu(f: &Figures<'_>) -> Draft {
    let alone = f.at.settings.concurrency <= 1 && f.at.is_closed_loop();
    let first = f.run.login.as_ref().and_then(|login| login.first_login.as_ref());
    let first_us = first.filter(|first| first.outcome == OutcomeKind::Ok).map(|first| first.total_us);
    let first_was_slow = first_us.is_some_and(|us| us >= SLOW_US && us >= f.login_us / 2.0);
    if alone {
        return basics(f, waits(f, "cpu-unknown"));
    }
    if first_was_slow {
        return basics(f, waits(f, "cpu-unknown")).see(saw_us("/login/first_login/total_us", first_us));
    }
    Draft::cannot_say(CODE, "queueing-possible")
        .text("series", f.at.label.as_str())
        .count("concurrency", u64::from(f.at.settings.concurrency))
        .us("login_us", f.login_us)
        .see(saw_count(f.at.path("settings/concurrency"), u64::from(f.at.settings.concurrency)))
        .see(f.at.saw_phases())
}

/// Found: with the phase that takes longest, and how near the worst operation comes to the login timeout.
fn waits(f: &Figures<'_>, variant: &str) -> Draft {
    let at = f.at;
    let timeout_us = timeout_us(f.run);
    let timed_out = at.outcomes(OutcomeKind::TimedOut);
    let worst_us = at.service_us.max.or(at.service_us.p99).unwrap_or(f.p50_us);
    let near_timeout = timed_out > 0 || worst_us > timeout_us / 2.0;
    let severity = if near_timeout { Severity::Critical } else { Severity::Warning };
    let mut draft = Draft::found(CODE, variant, severity);
    if let Some((phase, phase_us)) = at.longest_phase() {
        draft = draft
            .text("phase", phase.name())
            .text("stage", phase.name())
            .us("phase_us", phase_us)
            .share("phase_share", phase_us / f.login_us);
        if phase == Phase::Authenticate && answers_in_one_piece(f.run) {
            draft = draft.text("undivided", phase.name());
        }
    }
    draft
        .us("p99_us", at.service_us.p99)
        .us("max_us", at.service_us.max)
        .us("timeout_us", timeout_us)
        .us("worst_us", worst_us)
        .share("worst_share", ratio(worst_us, timeout_us))
        .count("timed_out", timed_out)
        .see(saw_us(at.path("service_us/p99"), at.service_us.p99))
        .see(saw_us(at.path("service_us/max"), at.service_us.max))
        .see(at.saw_outcomes(OutcomeKind::TimedOut))
        .see(saw_timeout(f.run))
}

/// PostgreSQL holds back the news that the password was right until the session is ready: the client sees one answer,
/// and its phase `authenticate` holds what the server does from the login's first message to the first prompt.
fn answers_in_one_piece(run: &Run) -> bool {
    engine::is_postgres(run) && !run.what_answered.as_ref().is_some_and(|what| what.reference_server)
}

/// What every verdict on the two times has.
fn basics(f: &Figures<'_>, draft: Draft) -> Draft {
    draft
        .text("series", f.at.label.as_str())
        .count("logins", f.at.logins)
        .us("login_us", f.login_us)
        .us("query_us", f.query_us)
        .ratio("ratio", f.ratio)
        .us("p50_us", f.p50_us)
        .see(f.at.saw_logins())
        .see(saw_us(f.at.path("query_us/mean"), f.query_us))
        .see(saw_us(f.at.path("service_us/p50"), f.p50_us))
        .see(f.at.saw_phases())
}

fn timeout_us(run: &Run) -> f64 {
    run.target.login_timeout_s * US_PER_S
}

fn saw_timeout(run: &Run) -> Option<peaje_model::Evidence> {
    saw("/target/login_timeout_s", Some(Param::Us(timeout_us(run))))
}
