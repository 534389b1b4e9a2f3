//! `login-hooks`: what runs, and what is written, at each login besides the check of the password: triggers, statements,
//! libraries, audits, log lines.
//!
//! It is read from settings and views, before any load, and not measured. A newcomer would take "nothing found" for
//! "nothing there": what the observing login may not read is unknown, and then nobody is called quiet. peaje's own
//! server has none of these things, and nothing is said of it.

mod mysql;
mod postgres;
mod sqlserver;

use peaje_model::{Evidence, Finding, Gap, Param, Phase, Run, Severity};

use crate::Diagnosis;
use crate::distance::something_between;
use crate::draft::{Draft, saw_text};
use crate::engine;
use crate::facts;
use crate::series::At;
use crate::view::{NEEDED, principal, ratio};

const CODE: &str = "login-hooks";

/// Share of the login in the phases in which hooks run from which they are a warning.
const SHARE: f64 = 0.5;

/// Time in those phases below which nobody notices, microseconds.
const FELT_US: f64 = 5_000.0;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("../login_hooks.md"),
    page_es: include_str!("../login_hooks.es.md"),
    examine,
};

/// What a login has to do with a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The login waits for it: code, a look-up, a slow hash.
    Runs,
    /// It is loaded or written on the way.
    Records,
}

/// One thing that a login sets off; the parameter's key chooses its sentence.
struct Hook {
    kind: Kind,
    key: &'static str,
    value: Param,
    saw: Evidence,
}

/// What an engine's facts say.
#[derive(Default)]
struct Plan {
    hooks: Vec<Hook>,
    /// Facts that were not read, with the view whose gap explains it.
    unread: Vec<(&'static str, &'static str)>,
}

impl Plan {
    /// The value of a fact; notes it as unread when it is not there. `view`: what its gap may be called.
    fn need<'r>(&mut self, run: &'r Run, name: &'static str, view: &'static str) -> Option<facts::FactAt<'r>> {
        let fact = facts::find(run, name);
        if fact.is_none() {
            self.unread.push((name, view));
        }
        fact
    }

    fn add(&mut self, kind: Kind, key: &'static str, value: Param, fact: facts::FactAt<'_>) {
        self.hooks.push(Hook { kind, key, value, saw: fact.saw() });
    }

    /// A hook whose fact is a list of names; an empty list is none.
    fn add_names(&mut self, kind: Kind, key: &'static str, fact: Option<facts::FactAt<'_>>) {
        let named = fact.and_then(|fact| Some((fact, fact.text().filter(|names| !names.is_empty())?)));
        if let Some((fact, names)) = named {
            self.add(kind, key, Param::Text(names.to_owned()), fact);
        }
    }
}

fn examine(run: &Run) -> Vec<Finding> {
    if run.what_answered.as_ref().is_some_and(|what| what.reference_server) {
        return Vec::new();
    }
    let plan = match run.target.engine.as_str() {
        "postgres" => postgres::plan(run),
        "mysql" => mysql::plan(run),
        "sqlserver" => sqlserver::plan(run),
        _ => return Draft::not_measured(CODE).alone(),
    };
    let draft = match (plan.hooks.is_empty(), plan.unread.is_empty()) {
        (true, true) => quiet(run),
        (true, false) => Draft::cannot_say(CODE, "unreadable"),
        (false, _) => found(run, &plan.hooks),
    };
    with_unread(run, draft, &plan.unread).alone()
}

/// Nothing runs; the facts that say so are the evidence.
fn quiet(run: &Run) -> Draft {
    let names = [postgres::ASKED, mysql::ASKED, sqlserver::ASKED].concat();
    let saw = names.into_iter().filter_map(|name| facts::find(run, name)).map(facts::FactAt::saw);
    Draft::healthy(CODE, "nothing").see(saw)
}

fn found(run: &Run, hooks: &[Hook]) -> Draft {
    let runs = hooks.iter().any(|hook| hook.kind == Kind::Runs);
    let time = principal(run).filter(|at| runs && at.logins >= NEEDED).and_then(|at| in_path(run, at));
    let severity = match &time {
        Some(time) if time.share >= SHARE && time.us >= FELT_US => Severity::Warning,
        _ => Severity::Info,
    };
    let mut draft = Draft::found(CODE, if runs { "runs" } else { "records" }, severity);
    for hook in hooks {
        draft = draft.maybe(hook.key, Some(hook.value.clone())).see([hook.saw.clone()]);
    }
    if let Some(time) = time {
        draft = draft.us("phase_us", time.us).us("login_us", time.login_us).share("phase_share", time.share);
        draft = draft.see(time.at.saw_phases());
    }
    let between = run.what_answered.as_ref().filter(|_| something_between(run)).map(|what| what.segment.name());
    let draft = draft.maybe("segment", between.map(|name| Param::Text(name.to_owned())));
    draft.count("hooks", hooks.len() as u64).see(between.and_then(|name| saw_text("/what_answered/segment", name)))
}

/// The time of the phases in which hooks run.
struct InPath<'r> {
    at: At<'r>,
    us: f64,
    login_us: f64,
    share: f64,
}

/// From the password to the session: that is where all of them run. MySQL and MariaDB run `init_connect` behind their
/// OK, so that the first statement waits for it.
fn in_path<'r>(run: &Run, at: At<'r>) -> Option<InPath<'r>> {
    let late = engine::is_mysql(run).then_some(Phase::FirstQuery);
    let phases = [Some(Phase::Authenticate), Some(Phase::Session), late];
    let us: f64 = phases.into_iter().flatten().filter_map(|phase| at.phase(phase)).sum();
    let login_us = at.mean_login()?;
    Some(InPath { at, us, login_us, share: ratio(us, login_us)? })
}

/// What could not be read, and what the first gap about it says would mend it.
fn with_unread(run: &Run, draft: Draft, unread: &[(&'static str, &'static str)]) -> Draft {
    if unread.is_empty() {
        return draft;
    }
    let about = |gap: &Gap| unread.iter().any(|(name, view)| gap.what == *name || gap.what == *view);
    let mend =
        run.gaps.iter().enumerate().find_map(|(i, gap)| Some((i, gap.next_step.as_ref().filter(|_| about(gap))?)));
    let names: Vec<&str> = unread.iter().map(|(name, _)| *name).collect();
    draft
        .text("unread", names.join(", "))
        .maybe("mend", mend.map(|(_, step)| Param::Text(step.clone())))
        .see(mend.and_then(|(i, step)| saw_text(format!("/gaps/{i}/next_step"), step.as_str())))
}
