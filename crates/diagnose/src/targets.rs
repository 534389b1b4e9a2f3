//! Targets of a sessions run as diagnoses look at them: each with its place in the run file and what a session takes there.
//!
//! One command may measure several servers. A finding names its target only then; beside a single one the name is noise.

use peaje_model::{Architecture, Evidence, Interval, Param, Run, SessionsResult, SessionsSettings, Settings, WallKind};

use crate::draft::{Draft, saw, saw_count};

/// The codes of a sessions run; nothing else is asked of one, and no other run is asked these.
pub(crate) const CODES: [&str; 8] = [
    "first-wall",
    "idle-sessions-cost",
    "logins-slow-down",
    "memory-per-session",
    "pooler-saves",
    "process-or-thread",
    "sessions-dropped",
    "sessions-knee",
];

/// One target.
#[derive(Debug, Clone)]
pub(crate) struct TargetAt<'r> {
    pub(crate) result: &'r SessionsResult,
    /// Where it stands (`/sessions/beside/1`).
    at: String,
    alone: bool,
}

/// All targets, the run's own first; none when this is no sessions run.
pub(crate) fn all(run: &Run) -> Vec<TargetAt<'_>> {
    let Some(first) = &run.sessions else { return Vec::new() };
    let alone = first.beside.is_empty();
    let beside = first.beside.iter().enumerate().map(|(i, result)| (result, format!("/sessions/beside/{i}")));
    std::iter::once((first, "/sessions".to_owned()))
        .chain(beside)
        .map(|(result, at)| TargetAt { result, at, alone })
        .collect()
}

/// The run's settings; `None` of another experiment.
pub(crate) fn settings(run: &Run) -> Option<&SessionsSettings> {
    if let Settings::Sessions(settings) = &run.settings { Some(settings) } else { None }
}

impl TargetAt<'_> {
    /// A place in the run file.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.at)
    }

    /// Names the target where there are several.
    pub(crate) fn name(&self, draft: Draft) -> Draft {
        if self.alone { draft } else { draft.text("target", self.result.label.clone()) }
    }

    /// What a session takes of the server's own memory, and where that stands; `None` when it was not measured.
    pub(crate) fn own(&self) -> Option<(Interval, &'static str)> {
        let bytes = &self.result.bytes_per_session;
        let accounts = [(bytes.pss, "pss"), (bytes.private, "private"), (bytes.views, "views")];
        first_known(accounts)
    }

    /// What a session takes where memory ends: of a limited control group, of the host, else of the server's own.
    pub(crate) fn whole(&self) -> Option<(Interval, &'static str)> {
        let bytes = &self.result.bytes_per_session;
        let limited = self.memory().is_some_and(|(_, kind)| kind == WallKind::CgroupMemory);
        let accounts = [(bytes.cgroup.filter(|_| limited), "cgroup"), (bytes.host, "host")];
        first_known(accounts.map(|(interval, name)| (interval.filter(clearly_grows), name))).or_else(|| self.own())
    }

    /// The memory that the server may use, and whose it is; `None` when that was not read.
    pub(crate) fn memory(&self) -> Option<(f64, WallKind)> {
        let mut looks = self.result.steps.iter().rev().chain([&self.result.baseline]);
        let look = looks.find_map(|step| step.memory.as_ref())?;
        let total = look.host.total.map(|total| (total as f64, WallKind::Memory));
        let limit = look.cgroup.as_ref().and_then(|group| group.limit);
        let group = limit.map(|limit| (limit as f64, WallKind::CgroupMemory));
        [total, group].into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The sessions that the server itself allows this run; the least of its limit and those of the account.
    pub(crate) fn allowed(&self) -> Option<u64> {
        let own = |kind| matches!(kind, WallKind::ServerLimit | WallKind::AccountLimit);
        self.result.walls.iter().find(|wall| own(wall.kind)).map(|wall| wall.sessions)
    }

    /// Sessions of the last step, the most that were held.
    pub(crate) fn held(&self) -> u64 {
        self.result.steps.iter().map(|step| step.sessions).max().unwrap_or(0)
    }

    /// The step that held them, as evidence.
    pub(crate) fn saw_held(&self) -> Option<Evidence> {
        let (place, step) = self.result.steps.iter().enumerate().max_by_key(|(_, step)| step.sessions)?;
        saw_count(self.path(&format!("steps/{place}/sessions")), step.sessions)
    }

    pub(crate) fn is(&self, architecture: Architecture) -> bool {
        self.result.architecture == Some(architecture)
    }

    /// A slope as evidence.
    pub(crate) fn saw_bytes(&self, account: &str, interval: Interval) -> Option<Evidence> {
        saw(self.path(&format!("bytes_per_session/{account}/value")), interval.value.map(Param::Bytes))
    }
}

fn first_known<const N: usize>(accounts: [(Option<Interval>, &'static str); N]) -> Option<(Interval, &'static str)> {
    accounts.into_iter().find_map(|(interval, name)| interval.filter(|i| i.value.is_some()).map(|i| (i, name)))
}

/// Without an interval it is what it is; one that holds 0 is noise.
fn clearly_grows(interval: &Interval) -> bool {
    interval.low.map_or(interval.value.is_some_and(|value| value > 0.0), |low| low > 0.0)
}
