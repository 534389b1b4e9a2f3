//! What was watched, as a run.

use jiff::Timestamp;
use peaje_model::{
    Dialling, Ended, Experiment, Gap, Run, SCHEMA, Settings, Target, TargetKind, WatchResult, WatchSettings,
    WhatAnswered,
};
use peaje_watch::Analysis;

use super::WatchArgs;
use crate::engines;
use crate::environment::{self, Shown};

/// What stands around the result.
pub(super) struct Around<'a> {
    pub(super) target: Target,
    pub(super) what_answered: Option<WhatAnswered>,
    pub(super) shown: &'a [Shown<'a>],
    pub(super) started_at: Timestamp,
    pub(super) finished_at: Timestamp,
    pub(super) ended: Ended,
    pub(super) gaps: Vec<Gap>,
}

/// The run without its result.
pub(super) fn draft(args: &WatchArgs, analysis: &Analysis, around: Around<'_>) -> Run {
    // As they were understood: a pasted connection string may hold a password.
    let declared_pools: Vec<String> = analysis.judging.pools.iter().map(ToString::to_string).collect();
    let understood = declared_pools.iter().map(String::as_str);
    let pools = args.judging.pools.iter().map(String::as_str).zip(understood);
    let shown: Vec<Shown<'_>> = around.shown.iter().copied().chain(pools).collect();
    let replayed = args.recording.replay.as_ref().map(|file| file.display().to_string());
    Run {
        schema: SCHEMA.to_owned(),
        experiment: Experiment::Watch,
        target: around.target,
        what_answered: around.what_answered,
        environment: environment::describe(peaje_host::this_host().as_ref(), &shown),
        started_at: around.started_at.to_string(),
        finished_at: around.finished_at.to_string(),
        ended: around.ended,
        settings: Settings::Watch(WatchSettings {
            interval_s: args.sampling.interval.as_secs_f64(),
            window_s: args.sampling.window.as_secs_f64(),
            time_scale: args.sampling.time_scale,
            replayed,
            declared_pools,
        }),
        facts: Vec::new(),
        gaps: around.gaps,
        findings: Vec::new(),
        login: None,
        watch: None,
        check: None,
        sessions: None,
    }
}

/// The run with a result, diagnosed.
pub(super) fn judged(draft: Run, result: WatchResult) -> Run {
    let mut run = Run { watch: Some(result), ..draft };
    run.findings = peaje_diagnose::diagnose(&run);
    run
}

/// The target of a recording, which knows a server by its name and what it said of itself.
pub(super) fn recorded(file: &str, servers: &[&str], what_answered: Option<&WhatAnswered>) -> Target {
    let engine = what_answered.and_then(|what| engines::of_product(&what.product));
    Target {
        engine: engine.map_or_else(String::new, |(engine, _)| engine.name.to_owned()),
        kind: TargetKind::User,
        url: file.to_owned(),
        hosts: servers.iter().map(|&server| server.to_owned()).collect(),
        port: None,
        database: None,
        user: None,
        tls_setting: None,
        local: false,
        dialling: Dialling::InTurn,
        addresses: Vec::new(),
        resolve_us: None,
        login_timeout_s: 0.0,
    }
}

/// A moment of the record.
pub(super) fn moment(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).unwrap_or_default()
}
