//! Results of `peaje watch`: who logs in and out, and what each group of sessions looks like.
//!
//! A group is the whole instance, an application on a host, or one client process. Everything a rule needs to decide
//! stands in [`GroupStatistics`], so a verdict can be reproduced from the run file alone. A newcomer would read a
//! missing figure as zero: `null` says that it could not be known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Verdict;

/// What the sessions of a group have in common. Ordered from the whole to its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// All sessions of one server, from its cumulative counters.
    Instance,
    /// One application, as it names itself (its user where it does not), from one host.
    Application,
    /// One process of a client.
    Process,
}

impl GroupKind {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            GroupKind::Instance => "instance",
            GroupKind::Application => "application",
            GroupKind::Process => "process",
        }
    }
}

/// How sure a verdict is. Ordered: `suspected < likely < confirmed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The counters of the whole instance alone.
    Suspected,
    /// The series of one application.
    Likely,
    /// Session lives, logout reasons or the client's declared settings agree.
    Confirmed,
}

impl Grade {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Suspected => "suspected",
            Grade::Likely => "likely",
            Grade::Confirmed => "confirmed",
        }
    }
}

/// What explains a group's logins when nothing is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Nothing to explain: a pool, or sessions that stay.
    Steady,
    /// Workers that log in, work until the end, and log out.
    BatchWorkers,
    /// People who log in and out on their own.
    InteractiveUsers,
    /// Turnover that a maximum lifetime explains.
    MaximumLifetime,
}

impl Pattern {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Steady => "steady",
            Pattern::BatchWorkers => "batch-workers",
            Pattern::InteractiveUsers => "interactive-users",
            Pattern::MaximumLifetime => "maximum-lifetime",
        }
    }
}

/// Failed logins by class.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FailedLogins {
    /// All of them, probes excluded.
    pub total: f64,
    /// Wrong password or unknown login; `null` where the server does not tell.
    pub credentials: Option<f64>,
    /// Refused because a limit was reached.
    pub limit: Option<f64>,
    /// Connections that never spoke (port checks): no failures.
    pub probe: Option<f64>,
}

/// What a group's series says, in seconds of the server's clock (multiplied by [`WatchResult::time_scale`]).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GroupStatistics {
    /// Length of the window without its gaps.
    pub window_s: f64,
    /// Length of a bin.
    pub bin_s: f64,
    /// Bins that are known.
    pub bins: u64,
    /// Logins in the window.
    pub logins: f64,
    /// Logouts in the window.
    pub logouts: f64,
    /// Failed logins in the window; `null` when they are not known.
    pub failed: Option<FailedLogins>,
    /// Longest time over which at least 0.1 logins a second failed.
    pub failing_for_s: Option<f64>,
    /// Share of the attempts that failed within that time.
    pub failing_share: Option<f64>,
    /// Most failed logins within five minutes.
    pub most_failed_in_5min: Option<f64>,
    /// Mean number of open sessions.
    pub mean_sessions: Option<f64>,
    /// Open sessions at the end of the window.
    pub sessions_at_end: Option<f64>,
    /// Mean life of a session (Little: mean sessions × window / logins).
    pub mean_life_s: Option<f64>,
    /// Relative standard error of the mean life.
    pub mean_life_error: Option<f64>,
    /// Times each session is replaced per hour.
    pub replaced_per_h: Option<f64>,
    /// Requests (batches, transactions) per login.
    pub requests_per_login: Option<f64>,
    /// Correlation of logins with requests over the bins.
    pub logins_follow_requests: Option<f64>,
    /// Share of bins without a login.
    pub bins_without_login: f64,
    /// Variance over mean of the logins in a bin: 1 = independent arrivals.
    pub login_dispersion: Option<f64>,
    /// Variance over mean of the logouts in a bin.
    pub logout_dispersion: Option<f64>,
    /// Most logouts in one bin.
    pub most_logouts: f64,
    /// (P95 − P5) / P95 of the open sessions, each the mean of three bins.
    pub amplitude: Option<f64>,
    /// P99 of the sessions at work over the median of the open ones.
    pub peak_use: Option<f64>,
    /// Mean of the sessions at work over the mean of the open ones.
    pub mean_use: Option<f64>,
    /// Median of the sessions at work over the median of the open ones.
    pub median_use: Option<f64>,
    /// Share of bins whose sessions are within 2 % (or one) of their maximum, the highest twentieth left out.
    pub at_maximum: Option<f64>,
    /// Theil-Sen slope of twelve block medians of the open sessions, relative per hour.
    pub growth_per_h: Option<f64>,
    /// The same within each third of the window: the least of the three.
    pub least_growth_per_h: Option<f64>,
    /// Mean number of clients that wait for a session in a pooler's queue.
    pub mean_waiting: Option<f64>,
    /// Correlation of logouts with the logins that follow within three bins: sessions are replaced.
    pub refill: Option<f64>,
    /// Lag from logins to logouts with the highest correlation, when it is significant.
    pub logout_lag_s: Option<f64>,
    /// That correlation.
    pub logout_lag_correlation: Option<f64>,
    /// Peaks of logouts.
    pub spikes: u64,
    /// Distance of these peaks.
    pub spike_gap_s: Option<f64>,
    /// Coefficient of variation of their distances.
    pub spike_gap_cv: Option<f64>,
    /// Period on which one process logs out (a pool that sweeps).
    pub sweep_period_s: Option<f64>,
    /// How strictly: 1 = exactly on the period.
    pub sweep_strength: Option<f64>,
    /// How strictly logins keep to one place within the minute or five minutes: 1 = exactly.
    pub clock_concentration: Option<f64>,
    /// Lives of sessions that were seen to end.
    pub lives: u64,
    /// Their 10th percentile.
    pub life_p10_s: Option<f64>,
    /// Their median.
    pub life_p50_s: Option<f64>,
    /// Their coefficient of variation.
    pub life_cv: Option<f64>,
    /// 10th percentile of the time a session had been idle when it logged out.
    pub idle_at_logout_p10_s: Option<f64>,
    /// Median time a session had been idle when it logged out.
    pub idle_at_logout_p50_s: Option<f64>,
    /// 90th percentile of it: near the 10th where an idle timeout acts.
    pub idle_at_logout_p90_s: Option<f64>,
    /// Median time that sessions idle now have been idle.
    pub idle_now_p50_s: Option<f64>,
    /// Share of the oldest quarter of the open sessions that has been idle for more than 30 minutes.
    pub oldest_idle: Option<f64>,
    /// Of the sessions that were opened in the window and are open still after 30 minutes: the share that has been idle
    /// for more than 30 minutes.
    pub kept_idle: Option<f64>,
    /// Share of open sessions that never ran a statement.
    pub never_used: Option<f64>,
    /// Sessions that ended without a goodbye, over all that ended.
    pub abandoned: Option<f64>,
    /// Uses of a pooled session that the server counts (SQL Server's connection resets).
    pub reuses: Option<f64>,
    /// Client processes seen.
    pub processes: Option<u64>,
    /// Client processes seen with more than one session, one after the other.
    pub processes_logging_in_again: Option<u64>,
    /// The number of sessions that most processes hold.
    pub usual_sessions_per_process: Option<u64>,
    /// Share of the processes that hold it.
    pub usual_sessions_share: Option<f64>,
    /// Distinct (user, database) pairs of the busiest process.
    pub pools_per_process: Option<u64>,
    /// Median number of sessions of those.
    pub sessions_per_pool: Option<f64>,
    /// Largest share of a group's sessions that logged out within two minutes and came back within ten.
    pub replaced_at_once: Option<f64>,
    /// How often that happened.
    pub replacements: u64,
    /// Time from such an event until 90 % were back.
    pub ramp_s: Option<f64>,
    /// Share of client processes that were new after it.
    pub new_processes: Option<f64>,
    /// What logins − logouts leaves of the change of sessions, over the logins.
    pub residual: Option<f64>,
    /// Times the counters started anew, or the server did.
    pub resets: u64,
}

/// What a group's logins cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GroupCost {
    /// Logins under way at any moment (rate × login time).
    pub logins_in_progress: Option<f64>,
    /// Server CPU that the logins take, in cores.
    pub server_cores: Option<f64>,
    /// The same as a share of the server's cores.
    pub cpu_share: Option<f64>,
}

/// One group of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchGroup {
    /// Which server (`host:port`).
    pub server: String,
    /// The group's name: the instance's, `application @ host`, or `application @ host # process`.
    pub name: String,
    /// What its sessions have in common.
    pub kind: GroupKind,
    /// Found, healthy, or cannot say.
    pub verdict: Verdict,
    /// Codes of what was found, the one that explains the series first.
    pub verdict_codes: Vec<String>,
    /// What explains the series when nothing is wrong.
    pub pattern: Option<Pattern>,
    /// How sure the verdict is; `null` without one.
    pub grade: Option<Grade>,
    /// Mean life of a session, seconds of real time.
    pub mean_session_life_s: Option<f64>,
    /// Whether that is an average since the server's start (before the first window is full).
    pub life_since_start: bool,
    /// Logins per second.
    pub logins_per_s: Option<f64>,
    /// Logouts per second.
    pub logouts_per_s: Option<f64>,
    /// Open sessions at the end.
    pub sessions: Option<f64>,
    /// The limit that its sessions count against.
    pub limit: Option<u64>,
    /// Share of its open sessions that are encrypted.
    pub encrypted: Option<f64>,
    /// What its logins cost; `null` = cannot say, a run of `peaje login` against this server tells.
    pub cost: Option<GroupCost>,
    /// The statistics behind the verdict.
    pub statistics: GroupStatistics,
}

impl WatchGroup {
    /// Times each session is replaced per hour of real time.
    pub fn replaced_per_h(&self) -> Option<f64> {
        self.mean_session_life_s.filter(|life| *life > 0.0).map(|life| 3_600.0 / life)
    }
}

/// A stretch without figures: no rate is given for it, and never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchGap {
    /// Which server.
    pub server: String,
    /// RFC 3339, UTC.
    pub from: String,
    /// RFC 3339, UTC; `null` while it lasts.
    pub until: Option<String>,
    /// `restarted`, `counters-reset`, `another-server`, `clock-step`, `unreachable`, `no-privilege`, `not-sampled`.
    pub reason: String,
    /// The words for a person.
    pub message: String,
}

impl WatchGap {
    /// Whether figures are missing for a while. What may not be read to this day is no hole: it was never there.
    pub fn is_hole(&self) -> bool {
        self.reason != "no-privilege" || self.until.is_some()
    }
}

/// Sessions that are counted apart: replication, agents of the server, monitoring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExcludedSessions {
    /// Which server.
    pub server: String,
    /// The application or kind of session.
    pub name: String,
    /// Why (`replication`, `server-agent`, `health-check`, `own`).
    pub reason: String,
    /// Sessions seen.
    pub sessions: u64,
}

/// Results of `peaje watch`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WatchResult {
    /// Mean time between two readings, seconds.
    pub interval_s: f64,
    /// Seconds of analysis for each second of the clock: 1, except where timeouts were scaled down for a test.
    pub time_scale: f64,
    /// Readings that succeeded.
    pub readings: u64,
    /// Share of the logins counted by the server whose session was seen.
    pub coverage: Option<f64>,
    /// When the evidence will suffice for a verdict, RFC 3339; `null` when it does, or when nobody can say.
    pub verdict_at: Option<String>,
    /// The groups: instances first, then by logins.
    pub groups: Vec<WatchGroup>,
    /// Stretches without figures.
    pub gaps: Vec<WatchGap>,
    /// What is counted apart.
    pub excluded: Vec<ExcludedSessions>,
}

/// Settings of `peaje watch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchSettings {
    /// Time between two readings, seconds; each is taken at a random moment of its interval.
    pub interval_s: f64,
    /// Length of the window that verdicts look at, seconds.
    pub window_s: f64,
    /// Seconds of analysis for each second of the clock.
    pub time_scale: f64,
    /// The recording that was replayed.
    pub replayed: Option<String>,
    /// Pools as declared (`--pool`).
    pub declared_pools: Vec<String>,
}
