//! What verdicts may know besides the readings: pools as declared, and what a login costs.

use std::path::Path;

use anyhow::Context;
use peaje_diagnose::churn::{DeclaredPool, Judging, LoginCost};
use peaje_model::{Phase, Run, Series};
use peaje_watch::Analysis;

use super::WatchArgs;
use crate::exit::hinted;
use crate::report;

/// The analysis that was asked for.
pub(super) fn analysis(args: &WatchArgs) -> anyhow::Result<Analysis> {
    let pools = args.judging.pools.iter().map(|text| declared(text)).collect::<anyhow::Result<_>>()?;
    let login_cost = args.judging.login_run.as_deref().map(login_cost).transpose()?;
    let judging = Judging { time_scale: args.sampling.time_scale, pools, login_cost, ..Judging::default() };
    Ok(Analysis { window: args.sampling.window, judging })
}

fn declared(text: &str) -> anyhow::Result<DeclaredPool> {
    text.parse::<DeclaredPool>()
        .map_err(|error| hinted(format!("--pool {text}: {error}"), "for example --pool 'shop=min:10,max:50,idle:60s'"))
}

/// What a login costs, from a run file: of its unpooled series with TLS where there is one, as applications log in.
fn login_cost(file: &Path) -> anyhow::Result<LoginCost> {
    let run = report::load(file).with_context(|| format!("--login-run {}", file.display()))?;
    cost_in(&run).ok_or_else(|| {
        hinted(
            format!("{} holds no logins", file.display()),
            "give a run of `peaje login --mode unpooled --json FILE` against this server",
        )
    })
}

fn cost_in(run: &Run) -> Option<LoginCost> {
    let login = run.login.as_ref()?;
    let series = login.series.iter().filter(|series| series.logins > 0).max_by_key(|series| series.tls_seen.len())?;
    let latency_s = until_ready_us(series, |summary| summary.mean)? / 1e6;
    Some(LoginCost {
        latency_s,
        p50_s: series.latency_us.p50.map(|us| us / 1e6),
        p99_s: series.latency_us.p99.map(|us| us / 1e6),
        round_trips_s: None,
        server_cpu_s: series.server.as_ref().and_then(|server| server.cpu_us_per_login).map(|us| us / 1e6),
        cores: run.target.local.then_some(run.environment.cores),
    })
}

/// Mean time from the start of a login until the session is ready.
fn until_ready_us(series: &Series, of: impl Fn(&peaje_model::PhaseSummary) -> Option<f64>) -> Option<f64> {
    let phases = series.phases_us.iter().filter(|(phase, _)| !matches!(phase, Phase::FirstQuery | Phase::Close));
    let times: Vec<f64> = phases.filter_map(|(_, summary)| of(summary)).collect();
    (!times.is_empty()).then(|| times.iter().sum())
}
