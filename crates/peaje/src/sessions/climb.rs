//! One target: prepares it, plans, asks, has its ladder climbed, and gathers what was measured.
//!
//! A newcomer would end at the first thing that goes wrong. Whatever ends a ladder, the sessions are closed and what was
//! measured is kept: the answer may be exactly why it ended.

use std::sync::Arc;

use peaje_engine::Failure;
use peaje_host::Host;
use peaje_lab::sessions::{Held, HoldNumbers, workers_needed};
use peaje_lab::{Stop, StopRule};
use peaje_model::{Ended, Fact, Gap, SessionsResult, SessionsSettings, Target, TargetKind, TlsMode, WhatAnswered};
use peaje_refserver::RefServer;

use super::args::SessionsArgs;
use super::ground::{self, Ground};
use super::ladder::Ladder;
use super::plan;
use super::screen::Screen;
use super::worker;
use crate::args::ModelArg;
use crate::login::{self, Outcome, Prepared, Request, Site};

/// Open files that the command needs beside its sessions.
const OTHER_FILES: u64 = 64;
/// Those that `workers_needed` leaves free.
const SPARE_FILES: u64 = 256;

/// What all targets of the command share.
pub(crate) struct Shared<'a> {
    pub(super) args: &'a SessionsArgs,
    pub(super) settings: SessionsSettings,
    pub(super) host: Arc<dyn Host>,
    /// Stops with a signal.
    pub(super) interrupted: Stop,
    pub(super) screen: Screen,
}

/// One target, as an engine is asked to measure it.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// How it is logged in to.
    pub(crate) request: Request<'a>,
    /// Connection string of an embedded server, in which files and variables of the user have no say.
    pub(crate) reference: Option<&'a str>,
    pub(super) served: Option<&'a RefServer>,
    pub(super) model: Option<ModelArg>,
    pub(super) label: &'a str,
    pub(super) shared: &'a Shared<'a>,
}

impl Ask<'_> {
    pub(super) fn settings(&self) -> &SessionsSettings {
        &self.shared.settings
    }

    /// Whether peaje started it in this command.
    pub(super) fn is_own<S: Site>(&self, site: &S) -> bool {
        self.served.is_some() || site.kind() != TargetKind::User
    }
}

/// What became of a target.
pub(crate) struct Climbed {
    /// The target as it was typed: it may hold a password.
    pub(super) typed: String,
    pub(super) target: Target,
    pub(super) what_answered: Option<WhatAnswered>,
    pub(super) facts: Vec<Fact>,
    pub(super) gaps: Vec<Gap>,
    pub(super) result: SessionsResult,
    pub(super) ended: Ended,
    /// The login made alone failed.
    pub(super) failure: Option<Failure>,
}

/// The end of a target.
pub(crate) enum End {
    /// It was measured, or its first login failed.
    Measured(Box<Climbed>),
    /// Only the plan was wanted.
    Planned,
    /// Interrupted before there was anything to measure.
    Interrupted,
}

/// Measures one target: the shared course of all engines.
pub(crate) async fn climb<S: Site>(mut site: S, ask: Ask<'_>) -> anyhow::Result<End> {
    for warning in site.warnings() {
        ask.request.printer.say(&format!("note: {warning}"));
    }
    let interrupted = &ask.shared.interrupted;
    let prepared = tokio::select! {
        biased;
        () = interrupted.aborted() => return Ok(End::Interrupted),
        prepared = login::prepare(&mut site, ask.request, &ask.shared.host) => prepared?,
    };
    let mut prepared = match prepared {
        Outcome::Ready(prepared) => *prepared,
        Outcome::Failed { prepared, failure } => return Ok(End::Measured(Box::new(failed(*prepared, failure, ask)))),
    };
    if ask.served.is_some() {
        prepared.target.kind = TargetKind::Embedded;
    }
    let ground = tokio::select! {
        biased;
        () = interrupted.aborted() => return Ok(End::Interrupted),
        ground = ground::survey(&site, &mut prepared, ask) => ground?,
    };
    let plan = plan::of(&site, &prepared, &ground);
    if ask.shared.args.safety.dry_run {
        let (printer, words) = (ask.request.printer, plan.words(ask.settings()));
        printer.result(&printer.redact(|redactor| redactor.text(&words)).unwrap_or(words))?;
        ground.told.close().await;
        return Ok(End::Planned);
    }
    tokio::select! {
        biased;
        () = interrupted.aborted() => return Ok(End::Interrupted),
        agreed = plan::obtain(&plan, ask) => agreed?,
    }
    let stop = Stop::new();
    let held = hold(&site, &prepared, ask, &stop)?;
    ask.shared.screen.begin(&ground.result);
    let ground = Ladder::new(ask, held, stop.clone(), ground).until_interrupted(interrupted).await;
    ask.shared.screen.end();
    if let Some(rule) = stop.rule() {
        ask.request.printer.say(&format!("{}: the ladder ended here: {}", ground.result.label, rule.message()));
    }
    // Only now: a server that peaje started ends with its site.
    drop(site);
    Ok(End::Measured(Box::new(climbed(prepared, ground, &stop, ask).await)))
}

async fn climbed(prepared: Prepared, mut ground: Ground, stop: &Stop, ask: Ask<'_>) -> Climbed {
    let mut gaps = prepared.gaps;
    gaps.append(&mut ground.told.take_gaps());
    ground.told.close().await;
    gaps.append(&mut ground.gaps);
    gaps.extend(ground.eye.gaps());
    let mut facts = prepared.facts;
    facts.append(&mut ground.facts);
    Climbed {
        typed: ask.label.to_owned(),
        target: prepared.target,
        what_answered: prepared.what_answered,
        facts,
        gaps,
        ended: ended(stop, &ground.result),
        result: ground.result,
        failure: None,
    }
}

/// A ladder that ends at a wall has measured it; one that ends because the server or other clients are in trouble, or
/// before its first step, has not.
fn ended(stop: &Stop, result: &SessionsResult) -> Ended {
    let measured = !result.steps.is_empty();
    match stop.rule() {
        None => Ended::Completed,
        Some(StopRule::Interrupted) => Ended::Interrupted,
        Some(StopRule::MemoryFloor(_) | StopRule::Swap(_)) if measured => Ended::Completed,
        Some(StopRule::ServerFull(_)) if measured && result.started_by_peaje => Ended::Completed,
        Some(rule) => Ended::Stopped { rule: rule.name().to_owned(), message: rule.message().to_owned() },
    }
}

fn failed(prepared: Prepared, failure: Failure, ask: Ask<'_>) -> Climbed {
    let result = SessionsResult {
        label: ground::label(ask, &prepared.target),
        stopped_by: Some(failure.kind.name().to_owned()),
        ..SessionsResult::default()
    };
    Climbed {
        typed: ask.label.to_owned(),
        target: prepared.target,
        what_answered: prepared.what_answered,
        facts: prepared.facts,
        gaps: prepared.gaps,
        result,
        ended: Ended::Stopped { rule: failure.kind.name().to_owned(), message: failure.words() },
        failure: Some(failure),
    }
}

/// The sessions-to-be: here, or in as many processes as the limit of open files asks for.
fn hold<S: Site>(site: &S, prepared: &Prepared, ask: Ask<'_>, stop: &Stop) -> anyhow::Result<Held> {
    let settings = ask.settings();
    let most = settings.steps.last().copied().unwrap_or(0) + u64::from(settings.concurrency) + 1;
    let files = ask.shared.host.raise_open_files_to(most + OTHER_FILES + SPARE_FILES).unwrap_or(u64::MAX);
    let workers = workers_needed(most, files, OTHER_FILES);
    let numbers = HoldNumbers {
        concurrency: settings.concurrency,
        threads: ask.shared.host.identity().cores,
        login_timeout_s: prepared.settings.login_timeout_s,
        expect_rejects: false,
    };
    let tls = prepared.settings.tls.first().copied().unwrap_or(TlsMode::AsUrl);
    let login_plan = login::plan_of(prepared, settings.source_addresses);
    let warm: Vec<String> = settings.warm_query.iter().cloned().collect();
    worker::hold(site, tls, &login_plan, &warm, workers, numbers, stop)
}
