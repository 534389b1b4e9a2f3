//! Groups of a watch run as diagnoses look at them: whom a code accuses, what every such finding says, how much it weighs.
//!
//! The verdict was reached when the run was made, from series that the run file does not hold; a finding repeats it with
//! its figures. Times among a group's statistics are seconds of analysis: they are shown in seconds of the clock.

use peaje_model::{
    Evidence, Finding, Grade, GroupKind, GroupStatistics, Param, Run, Severity, Verdict, WatchGroup, WatchResult,
};

use crate::distance::something_between;
use crate::draft::{Draft, saw, saw_text};
use crate::view::US_PER_S;

/// Logins that the rules need.
const NEEDED: u64 = 60;

/// Share of the server's cores that logins may take before it is worth mending.
const WORTH_MENDING: f64 = 0.01;

/// Share from which it is serious.
const SERIOUS: f64 = 0.05;

/// Logins per second below which a finding without a known cost is only worth knowing.
const FEW_PER_S: f64 = 0.1;

/// A group and where it stands in the run file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched<'r> {
    pub(crate) run: &'r Run,
    pub(crate) watch: &'r WatchResult,
    pub(crate) group: &'r WatchGroup,
    index: usize,
}

/// Whether a group's statistics hold what a rule looks at.
pub(crate) type Known = fn(&GroupStatistics) -> bool;

/// The codes of a watch: what a run of another experiment cannot say anything about, and the other codes of one.
pub(crate) const CODES: [&str; 12] = [
    "failed-login-storm",
    "idle-timeout-churn",
    "lifetime-wave",
    "no-pooling",
    "pool-below-min",
    "pool-max-too-small",
    "pool-min-too-big",
    "pool-per-user",
    "restart-or-failover",
    "session-leak",
    "short-scripts",
    "slow-logins",
];

/// The findings of one code: one for each group that it accuses; else one that says healthy or cannot say. None at all when
/// nobody was watched.
pub(crate) fn examine(run: &Run, code: &str, known: Known, found: fn(&Watched<'_>) -> Draft) -> Vec<Finding> {
    let Some(watch) = &run.watch else { return Vec::new() };
    let accused = accused(run, code, found);
    if accused.is_empty() { nobody(run, watch, code, known).alone() } else { accused }
}

/// One finding for each group that a code accuses.
pub(crate) fn accused(run: &Run, code: &str, found: fn(&Watched<'_>) -> Draft) -> Vec<Finding> {
    let all = run.watch.as_ref().map(|watch| groups(run, watch)).unwrap_or_default();
    let accused = all.iter().filter(|at| at.is_accused(code) && !told_by_its_parts(at, &all, code));
    accused.map(|at| found(at).finish()).collect()
}

fn groups<'r>(run: &'r Run, watch: &'r WatchResult) -> Vec<Watched<'r>> {
    watch.groups.iter().enumerate().map(|(index, group)| Watched { run, watch, group, index }).collect()
}

/// A whole is not accused beside its parts, nor a part beside a whole that says the same better: the application stands
/// for its instance and its processes.
fn told_by_its_parts(at: &Watched<'_>, all: &[Watched<'_>], code: &str) -> bool {
    all.iter().any(|other| {
        other.group.server == at.group.server
            && other.group.kind == GroupKind::Application
            && at.group.kind != GroupKind::Application
            && other.is_accused(code)
    })
}

fn nobody(run: &Run, watch: &WatchResult, code: &str, known: Known) -> Draft {
    let all = groups(run, watch);
    let judged: Vec<&Watched<'_>> = all.iter().filter(|at| at.group.verdict != Verdict::CannotSay).collect();
    if judged.is_empty() {
        let logins = all.iter().map(|at| at.group.statistics.logins).fold(0.0, f64::max);
        let draft = Draft::cannot_say(code, "not-yet").count("logins", logins.round() as u64).count("needed", NEEDED);
        return match &watch.verdict_at {
            Some(at) => draft.text("verdict_at", at.as_str()).see(saw_text("/watch/verdict_at", at.as_str())),
            None => draft,
        };
    }
    let judged: Vec<&Watched<'_>> = judged.into_iter().filter(|at| known(&at.group.statistics)).collect();
    if judged.is_empty() {
        return Draft::cannot_say(code, "not-known");
    }
    let seen =
        judged.iter().filter_map(|at| at.see("statistics/logins", Some(Param::Ratio(at.group.statistics.logins))));
    Draft::healthy(code, "watched").count("groups", judged.len() as u64).maybe("between", between(run)).see(seen)
}

/// That something stands between: a pooler hides its clients from the server.
fn between(run: &Run) -> Option<Param> {
    something_between(run).then(|| Param::Text("between".to_owned()))
}

impl Watched<'_> {
    fn is_accused(&self, code: &str) -> bool {
        self.group.verdict == Verdict::Found && self.group.verdict_codes.iter().any(|found| found == code)
    }

    /// An observation in this group; `None` when it was `null`.
    pub(crate) fn see(&self, rest: &str, value: Option<Param>) -> Option<Evidence> {
        saw(format!("/watch/groups/{}/{rest}", self.index), value)
    }

    /// A time among the statistics, as evidence.
    pub(crate) fn see_s(&self, rest: &str, seconds: Option<f64>) -> Option<Evidence> {
        self.see(&format!("statistics/{rest}"), seconds.map(|s| Param::Us(s * US_PER_S)))
    }

    /// A time among the statistics in microseconds of the clock.
    pub(crate) fn real_us(&self, seconds: Option<f64>) -> Option<f64> {
        let scale = if self.watch.time_scale > 0.0 { self.watch.time_scale } else { 1.0 };
        seconds.map(|s| s / scale * US_PER_S)
    }

    /// The instance of the same server.
    fn instance(&self) -> Option<&WatchGroup> {
        let same = |group: &&WatchGroup| group.kind == GroupKind::Instance && group.server == self.group.server;
        self.watch.groups.iter().find(same)
    }

    /// What a group's logins weigh: by the server's CPU where it is known, else by their rate.
    pub(crate) fn severity(&self) -> Severity {
        let cost = self.group.cost.as_ref();
        let share = cost.and_then(|cost| cost.cpu_share);
        let in_progress = cost.and_then(|cost| cost.logins_in_progress);
        let many = self.group.logins_per_s.is_some_and(|per_s| per_s >= FEW_PER_S);
        match share {
            Some(share) if share >= SERIOUS => Severity::Critical,
            Some(share) if share >= WORTH_MENDING => Severity::Warning,
            _ if in_progress.is_some_and(|n| n >= 1.0) || (share.is_none() && many) => Severity::Warning,
            _ => Severity::Info,
        }
    }

    /// Found, with what every finding about a group says.
    pub(crate) fn found(&self, code: &str, variant: &str, severity: Severity) -> Draft {
        let group = self.group;
        let per_s = group.logins_per_s;
        let draft = Draft::found(code, variant, severity)
            .text("group", group.name.as_str())
            .text("group_kind", kind(group.kind))
            .text("grade", grade(group.grade))
            .per_s("logins_per_s", per_s)
            .count("sessions", group.sessions.map(|n| n.round() as u64))
            .us("life_us", group.mean_session_life_s.map(|s| s * US_PER_S))
            .see(self.see("logins_per_s", per_s.map(Param::PerS)))
            .see(self.see("sessions", group.sessions.map(Param::Ratio)))
            .see(self.see("mean_session_life_s", group.mean_session_life_s.map(|s| Param::Us(s * US_PER_S))))
            .see(self.see("statistics/logins", Some(Param::Ratio(group.statistics.logins))));
        draft.maybe("between", between(self.run))
    }

    /// How often sessions are replaced, whose part of all logins that is, and what it costs.
    pub(crate) fn with_turnover(&self, draft: Draft) -> Draft {
        let replaced =
            self.group.statistics.replaced_per_h.map(|per_h| per_h * self.watch.time_scale.max(f64::MIN_POSITIVE));
        let draft = draft
            .ratio("replaced_per_h", replaced)
            .share("share_of_all", self.share_of_all())
            .see(self.see("statistics/replaced_per_h", self.group.statistics.replaced_per_h.map(Param::Ratio)));
        self.with_cost(draft)
    }

    /// What the logins cost, or that nobody measured it.
    pub(crate) fn with_cost(&self, draft: Draft) -> Draft {
        let Some(cost) = &self.group.cost else { return draft.text("cost_unknown", "peaje login") };
        draft
            .ratio("in_progress", cost.logins_in_progress)
            .cores("cores", cost.server_cores)
            .share("cpu_share", cost.cpu_share.map(|share| share.min(1.0)))
            .see(self.see("cost/logins_in_progress", cost.logins_in_progress.map(Param::Ratio)))
            .see(self.see("cost/server_cores", cost.server_cores.map(Param::Cores)))
    }

    /// Part of the instance's logins.
    fn share_of_all(&self) -> Option<f64> {
        let all = self.instance().filter(|_| self.group.kind != GroupKind::Instance)?.statistics.logins;
        (all > 0.0).then(|| (self.group.statistics.logins / all).min(1.0))
    }

    /// Sessions as a share of the limit they count against.
    pub(crate) fn share_of_limit(&self) -> Option<f64> {
        let limit = self.group.limit.filter(|limit| *limit > 0)?;
        Some((self.group.sessions? / limit as f64).min(1.0))
    }
}

const fn kind(kind: GroupKind) -> &'static str {
    match kind {
        GroupKind::Instance => "instance",
        GroupKind::Application => "application",
        GroupKind::Process => "process",
    }
}

const fn grade(grade: Option<Grade>) -> &'static str {
    match grade {
        Some(Grade::Confirmed) => "confirmed",
        Some(Grade::Likely) => "likely",
        Some(Grade::Suspected) | None => "suspected",
    }
}
