//! What verdicts may know besides the readings: pools as declared, and what a login costs.

use std::path::Path;

use anyhow::Context;
use peaje_diagnose::churn::{DeclaredPool, Judging, LoginCost};
use peaje_model::{LoginResult, Mode, Phase, Run, Series};
use peaje_watch::Analysis;

use super::WatchArgs;
use crate::engines::ENGINES;
use crate::exit::hinted;
use crate::report;

/// The analysis that was asked for.
pub(super) fn analysis(args: &WatchArgs) -> anyhow::Result<Analysis> {
    let pools = args.judging.pools.iter().map(|text| declared(text)).collect::<anyhow::Result<_>>()?;
    let login_cost = args.judging.login_run.as_deref().map(login_cost).transpose()?;
    let judging = Judging { time_scale: args.sampling.time_scale, pools, login_cost, ..Judging::default() };
    let (window, interval) = (args.sampling.window, args.sampling.interval);
    if interval > window {
        let next = "make --window at least as long as --interval: verdicts look at the differences of readings";
        return Err(hinted(format!("no two readings fit into the window of {} s", window.as_secs_f64()), next));
    }
    Ok(Analysis { window, judging })
}

/// A declaration, or what a connection string of an application says of its pool.
fn declared(text: &str) -> anyhow::Result<DeclaredPool> {
    text.parse::<DeclaredPool>().or_else(|error| {
        let pasted = ENGINES.iter().find(|engine| (engine.is_target)(text));
        match pasted.map(|engine| (engine.pool)(text)).transpose()?.flatten() {
            Some(words) => Ok(DeclaredPool {
                min: words.min,
                max: words.max,
                lifetime_s: words.lifetime_s,
                ..DeclaredPool::default()
            }),
            // The string may hold a password: it is not repeated.
            None if pasted.is_some() || text.contains(';') || text.contains("://") => {
                Err(hinted("--pool: this connection string says nothing of a pool", EXAMPLE))
            }
            None => Err(hinted(format!("--pool {text}: {error}"), EXAMPLE)),
        }
    })
}

/// A declaration for messages.
const EXAMPLE: &str = "for example --pool 'shop=min:10,max:50,idle:60s'";

/// What a login costs, from a run file: of its unpooled series with TLS where there is one, as applications log in.
fn login_cost(file: &Path) -> anyhow::Result<LoginCost> {
    let run = report::load(file).with_context(|| format!("--login-run {}", file.display()))?;
    cost_in(&run).ok_or_else(|| {
        hinted(
            format!("{} holds no logins without a pool", file.display()),
            "give a run of `peaje login --mode unpooled --json FILE` against this server",
        )
    })
}

fn cost_in(run: &Run) -> Option<LoginCost> {
    let login = run.login.as_ref()?;
    // An operation of another mode is no login: those of a pool take microseconds.
    let unpooled = login.series.iter().filter(|series| series.mode == Mode::Unpooled && series.logins > 0);
    let series = unpooled.max_by_key(|series| series.tls_seen.len())?;
    let latency_s = until_ready_us(series, |summary| summary.mean)? / 1e6;
    Some(LoginCost {
        latency_s,
        p50_s: series.latency_us.p50.map(|us| us / 1e6),
        p99_s: series.latency_us.p99.map(|us| us / 1e6),
        round_trips_s: round_trips_s(login),
        server_cpu_s: series.server.as_ref().and_then(|server| server.cpu_us_per_login).map(|us| us / 1e6),
        cores: run.target.local.then_some(run.environment.cores),
    })
}

/// What the distance alone takes: the round trips of the login made alone, at the least round trip.
fn round_trips_s(login: &LoginResult) -> Option<f64> {
    Some(f64::from(login.first_login.as_ref()?.round_trips) * login.rtt_us? / 1e6)
}

/// Mean time from the start of a login until the session is ready.
fn until_ready_us(series: &Series, of: impl Fn(&peaje_model::PhaseSummary) -> Option<f64>) -> Option<f64> {
    let phases = series.phases_us.iter().filter(|(phase, _)| !matches!(phase, Phase::FirstQuery | Phase::Close));
    let times: Vec<f64> = phases.filter_map(|(_, summary)| of(summary)).collect();
    (!times.is_empty()).then(|| times.iter().sum())
}
