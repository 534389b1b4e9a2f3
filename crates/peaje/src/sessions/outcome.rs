//! From what became of the targets to one run: the first target's result with the others beside it.

use jiff::Timestamp;
use peaje_model::{Ended, Experiment, Gap, Run, SCHEMA, Settings};

use super::SessionsArgs;
use super::climb::{Climbed, Shared};
use crate::environment;
use crate::exit::Status;
use crate::printer::Printer;
use crate::reports;

/// Diagnoses, writes every view, and gives the exit code.
pub(super) fn write(
    climbed: Vec<Climbed>,
    shared: &Shared<'_>,
    started_at: Timestamp,
    printer: Printer,
) -> anyhow::Result<Status> {
    let args = shared.args;
    let failed = climbed.iter().all(|target| target.failure.is_some());
    let Some(mut run) = run(climbed, shared, started_at) else { return Ok(Status::Interrupted) };
    run.findings = peaje_diagnose::diagnose(&run);
    if failed {
        // Its first login told why: there is no figure to show.
        reports::write_views(&mut run, &args.output, printer)?;
        return Ok(Status::CouldNot);
    }
    reports::write_after_steps(&mut run, &args.output, printer)?;
    Ok(reports::status(&run, &args.output))
}

/// `None` when no target was reached.
fn run(climbed: Vec<Climbed>, shared: &Shared<'_>, started_at: Timestamp) -> Option<Run> {
    let ended = climbed.iter().map(|target| &target.ended).max_by_key(|ended| gravity(ended))?.clone();
    let shown: Vec<(String, String)> = shown(shared.args, &climbed);
    let shown: Vec<environment::Shown<'_>> = shown.iter().map(|(typed, url)| (typed.as_str(), url.as_str())).collect();
    let environment = environment::describe(shared.host.as_ref(), &shown);
    let mut gaps: Vec<Gap> = Vec::new();
    for gap in climbed.iter().flat_map(|target| &target.gaps) {
        if !gaps.contains(gap) {
            gaps.push(gap.clone());
        }
    }
    let mut targets = climbed.into_iter();
    let first = targets.next()?;
    let mut sessions = first.result;
    sessions.beside = targets.map(|target| target.result).collect();
    Some(Run {
        schema: SCHEMA.to_owned(),
        experiment: Experiment::Sessions,
        target: first.target,
        what_answered: first.what_answered,
        environment,
        started_at: started_at.to_string(),
        finished_at: Timestamp::now().to_string(),
        ended,
        settings: Settings::Sessions(shared.settings.clone()),
        facts: first.facts,
        gaps,
        findings: Vec::new(),
        login: None,
        watch: None,
        check: None,
        sessions: Some(sessions),
    })
}

/// The end that weighs most is that of the run.
fn gravity(ended: &Ended) -> u8 {
    match ended {
        Ended::Completed => 0,
        Ended::Stopped { .. } => 1,
        Ended::Interrupted => 2,
    }
}

/// Connection strings as typed, and without their secrets. Those of targets that were not reached are not shown at all.
fn shown(args: &SessionsArgs, climbed: &[Climbed]) -> Vec<(String, String)> {
    let url = |typed: &String| {
        let target = climbed.iter().find(|target| target.typed == *typed);
        target.map_or_else(|| "***".to_owned(), |target| target.result.label.clone())
    };
    args.targets.iter().map(|typed| (typed.clone(), url(typed))).collect()
}
