//! Results of `peaje sessions`: what an open session costs, how many fit, where the knee is.
//!
//! Memory is told in accounts that must not be added up: `pss` shares what processes share among them, `private` leaves it
//! out, and the host's own account holds what no process owns (page tables, kernel stacks, socket buffers).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CloseMode, Interval, LatencySummary, Phase, PhaseSummary};

/// How long the sessions of the last step are held.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "hold", rename_all = "kebab-case")]
pub enum Hold {
    /// Not longer than the measurement.
    No,
    /// Until a key is pressed.
    UntilKey,
    /// For a time.
    For {
        /// Seconds.
        seconds: f64,
    },
}

/// Settings of `peaje sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsSettings {
    /// Open sessions at each step, ascending.
    pub steps: Vec<u64>,
    /// Logins in flight while a step is opened; 1 = strictly one after the other.
    pub concurrency: u32,
    /// Wait between the last login of a step and its measurement, seconds.
    pub settle_s: f64,
    /// Share of the sessions that work while a step is measured, 0 to 1.
    pub active: f64,
    /// The statement of the probe and of the working sessions.
    pub query: String,
    /// Run once in each session after its login; `null` = sessions that never worked.
    pub warm_query: Option<String>,
    /// Sessions closed and opened again, per second, while a step is measured; `null` = none.
    pub churn_per_s: Option<f64>,
    /// How long the last step is held.
    pub hold: Hold,
    /// How sessions are closed at the end.
    pub close: CloseMode,
    /// Share of the memory (of the host or of the server's cgroup) that must stay available, 0 to 1; 0 = off.
    pub memory_floor: f64,
    /// Whether swapping stops the run.
    pub swap_guard: bool,
    /// Share of the memory that a prediction leaves free, 0 to 1.
    pub reserve: f64,
    /// Limit of each login, seconds.
    pub login_timeout_s: f64,
    /// Source addresses on loopback.
    pub source_addresses: u32,
}

/// Where a server's memory was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemorySource {
    /// Its processes, on this machine.
    Processes,
    /// Another peaje on the server's machine (`--observed-by`).
    Observer,
    /// The server's own views: what it allocated, not what its machine gave.
    Views,
    /// Nowhere.
    #[default]
    None,
}

/// How a server serves a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// A process each.
    Process,
    /// A thread each.
    Thread,
    /// One loop (or a few) for all.
    Event,
    /// A pool of threads for all.
    ThreadPool,
}

/// Memory of a server's processes, bytes, all added up. `null` = this system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProcessMemory {
    /// Processes.
    pub processes: u64,
    /// Threads.
    pub threads: u64,
    /// Proportional set size: pages that n processes share count for 1/n in each.
    pub pss: Option<u64>,
    /// Pages of one process only.
    pub private: Option<u64>,
    /// Resident set size: shared pages count in each process.
    pub rss: Option<u64>,
    /// Swapped out (its proportional share).
    pub swap: Option<u64>,
    /// Page tables.
    pub page_tables: Option<u64>,
    /// Stacks of threads that are resident.
    pub thread_stacks: Option<u64>,
    /// Voluntary and forced context switches so far.
    pub context_switches: Option<u64>,
}

/// Memory of a host, bytes. `null` = this system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostMemory {
    /// Physical memory.
    pub total: Option<u64>,
    /// What could be had without swapping (`MemAvailable`).
    pub available: Option<u64>,
    /// Page tables of everybody.
    pub page_tables: Option<u64>,
    /// Kernel stacks.
    pub kernel_stacks: Option<u64>,
    /// The kernel's own objects (slab), reclaimable and not.
    pub slab: Option<u64>,
    /// Of these, what cannot be reclaimed.
    pub slab_unreclaimable: Option<u64>,
    /// Per-processor objects of the kernel.
    pub per_cpu: Option<u64>,
    /// Buffers of sockets (`/proc/net/sockstat`).
    pub sockets: Option<u64>,
    /// Open TCP sockets.
    pub tcp_sockets: Option<u64>,
    /// Swap space.
    pub swap_total: Option<u64>,
    /// Of it, in use.
    pub swap_used: Option<u64>,
    /// Pages swapped in since the start of the host.
    pub swapped_in_pages: Option<u64>,
    /// Pages swapped out since the start of the host.
    pub swapped_out_pages: Option<u64>,
    /// Share of the last 10 s in which something waited for memory, 0 to 1 (`/proc/pressure/memory`, `some`).
    pub pressure: Option<f64>,
    /// Time in which something waited for memory so far, microseconds (`total` of the same line).
    pub memory_stall_us: Option<u64>,
    /// Time in which something runnable waited for a processor so far, microseconds (`/proc/pressure/cpu`, `some`).
    pub cpu_stall_us: Option<u64>,
    /// Context switches of the whole host so far.
    pub context_switches: Option<u64>,
}

/// Memory of a control group that a server lives in, bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CgroupMemory {
    /// Its path within the hierarchy.
    pub path: String,
    /// 1 or 2.
    pub version: u8,
    /// Hard limit (the least of the group and those above it); `null` = none.
    pub limit: Option<u64>,
    /// In use, page cache that could be given back included.
    pub usage: Option<u64>,
    /// Of it, page cache that could be given back at once.
    pub reclaimable: Option<u64>,
    /// Swapped out.
    pub swap: Option<u64>,
    /// Limit of swap; `null` = none.
    pub swap_limit: Option<u64>,
    /// Times the limit was met.
    pub limit_hits: Option<u64>,
    /// Processes killed for want of memory.
    pub killed: Option<u64>,
    /// Processes and threads now.
    pub tasks: Option<u64>,
    /// Most processes and threads; `null` = no limit.
    pub tasks_limit: Option<u64>,
}

impl CgroupMemory {
    /// In use, without the page cache that could be given back at once; `None` when usage was not read.
    pub fn held(&self) -> Option<u64> {
        Some(self.usage?.saturating_sub(self.reclaimable.unwrap_or(0)))
    }

    /// Left below the limit; `None` without a limit.
    pub fn room(&self) -> Option<u64> {
        Some(self.limit?.saturating_sub(self.held()?))
    }
}

/// One look at a server's machine: what `--observe` prints, a line each, and what stands in a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MemorySample {
    /// When, microseconds since 1970.
    pub clock_us: i64,
    /// The server's processes; `null` = none were found or may be read.
    pub server: Option<ProcessMemory>,
    /// The host.
    pub host: HostMemory,
    /// The control group of the server.
    pub cgroup: Option<CgroupMemory>,
}

/// What the probe saw at a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepProbe {
    /// One more login, microseconds.
    pub login_us: LatencySummary,
    /// The query on a held session, microseconds.
    pub query_us: LatencySummary,
    /// The same while a share of the sessions worked, microseconds; `null` = none worked.
    pub query_beside_active_us: Option<LatencySummary>,
    /// Queries per second of the working sessions.
    pub active_per_s: Option<f64>,
}

/// Sessions closed and opened again at a step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepChurn {
    /// Achieved, per second.
    pub per_s: f64,
    /// A login among held sessions, microseconds.
    pub login_us: LatencySummary,
    /// Context switches of the whole host per login.
    pub context_switches_per_login: Option<f64>,
}

/// What was known at a step of what still fits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// Sessions that fit in memory, with the reserve left free.
    pub sessions: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

/// One step of the ladder.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionStep {
    /// Sessions held when it was measured.
    pub sessions: u64,
    /// Sessions that this step was to hold.
    pub wanted: u64,
    /// Opened in this step.
    pub opened: u64,
    /// Logins that failed in this step.
    pub failed: u64,
    /// Sessions that the server ended since the step before.
    pub dropped: u64,
    /// From the first login of the step to the last, seconds.
    pub seconds: f64,
    /// Each login of the step, microseconds.
    pub login_us: LatencySummary,
    /// Where its time went, microseconds.
    pub phases_us: BTreeMap<Phase, PhaseSummary>,
    /// The probe; `null` when it was not made.
    pub probe: Option<StepProbe>,
    /// Sessions closed and opened again.
    pub churn: Option<StepChurn>,
    /// The server's proportional set size, bytes.
    pub pss_bytes: Option<u64>,
    /// The host's available memory, bytes.
    pub memory_available_bytes: Option<u64>,
    /// The server's processes.
    pub processes: Option<u64>,
    /// The server's threads.
    pub threads: Option<u64>,
    /// The whole look behind these figures.
    pub memory: Option<MemorySample>,
    /// Peaje's own processes that hold the sessions (not the embedded server's).
    pub client: Option<ProcessMemory>,
    /// What the server's views say that sessions take, bytes.
    pub views_bytes: Option<u64>,
    /// The server's memory (`pss_bytes`, or `views_bytes` where those are the source) after the logins of this step and
    /// before the warm query ran in their sessions; `null` = none ran.
    pub idle_bytes: Option<u64>,
    /// Sessions that the server counts, everybody's.
    pub server_sessions: Option<u64>,
    /// What was predicted here, before the next step.
    pub fit: Option<Fit>,
}

/// What one more session takes, bytes, with 95 % intervals. `null` where it was not measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BytesPerSession {
    /// Slope of the sum of proportional set sizes over the server's processes.
    pub pss: Option<Interval>,
    /// Slope of the sum of private memory.
    pub private: Option<Interval>,
    /// Slope of what the host's available memory lost (peaje's own share taken off when it runs there).
    pub host: Option<Interval>,
    /// Slope of what the server's control group uses, reclaimable page cache apart.
    pub cgroup: Option<Interval>,
    /// Slope of what the server's views say.
    pub views: Option<Interval>,
    /// Slope of peaje's own memory.
    pub client: Option<Interval>,
}

/// The host's bytes per session by account. The parts and `unexplained` add up to `host`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostAccount {
    /// What the host's available memory lost per session.
    pub host: f64,
    /// Memory of the server's processes (`pss`).
    pub pss: f64,
    /// Page tables.
    pub page_tables: f64,
    /// Kernel stacks.
    pub kernel_stacks: f64,
    /// Kernel objects that cannot be reclaimed.
    pub slab: f64,
    /// Per-processor objects of the kernel.
    #[serde(default)]
    pub per_cpu: f64,
    /// Socket buffers.
    pub sockets: f64,
    /// Peaje's own.
    pub client: f64,
    /// The rest.
    pub unexplained: f64,
}

/// What a session takes in the two states that the report always shows side by side.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct IdleAndWorked {
    /// Bytes of a session that never worked.
    pub idle: Option<f64>,
    /// Bytes after the warm query; `null` = none was given, and every prediction is an upper bound.
    pub worked: Option<f64>,
}

/// Why a ladder bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KneeCause {
    /// The host swaps, or has no memory left.
    Memory,
    /// The server's control group has reached its limit.
    CgroupMemory,
    /// Processors: waiting to run, not memory.
    Scheduler,
    /// Nothing that was read explains it.
    Unknown,
}

/// Where the cost of one more session changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// Sessions at which it bends.
    pub sessions: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Why.
    pub cause: KneeCause,
    /// Seconds per session before it.
    pub before_s: f64,
    /// Seconds per session after it.
    pub after_s: f64,
}

/// What can stop more sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WallKind {
    /// Physical memory.
    Memory,
    /// Memory of the server's control group.
    CgroupMemory,
    /// The server's own limit (`max_connections`, 32,767 on SQL Server).
    ServerLimit,
    /// A limit of the database or the login.
    AccountLimit,
    /// Open files of the server.
    ServerFiles,
    /// Open files of peaje.
    ClientFiles,
    /// Processes of the server's machine (`pid_max`, `processes`, the control group).
    Processes,
    /// Threads of the server's machine.
    Threads,
    /// Ports of the client.
    Ports,
}

/// One wall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wall {
    /// Which.
    pub kind: WallKind,
    /// Open sessions of this run that reach it.
    pub sessions: u64,
    /// Whether it lies beyond what was measured and is computed from figures that were.
    pub extrapolated: bool,
    /// Whether more than this cannot be, but less may: sessions that never worked.
    pub upper_bound: bool,
}

/// A limit as it was read, and what of it is taken already by others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitRead {
    /// Which wall it makes.
    pub kind: WallKind,
    /// Its name where it is set (`max_connections`, `kernel.pid_max`).
    pub name: String,
    /// Its value.
    pub limit: u64,
    /// Taken before the first session of this run.
    pub taken: u64,
    /// Of it, taken by each session (2 threads, 1 file, …).
    pub per_session: f64,
}

impl LimitRead {
    /// Sessions of this run that reach it; `None` when a session takes nothing of it.
    pub fn sessions(&self) -> Option<u64> {
        let free = self.limit.saturating_sub(self.taken) as f64;
        (self.per_session > 0.0).then(|| (free / self.per_session) as u64)
    }
}

/// How the time of a login grows with the sessions that are open: time = a × sessions^exponent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LoginGrowth {
    /// The exponent, with its interval: 0 = it does not grow, 1 = in proportion.
    pub exponent: Interval,
    /// Fitted login at the first step, microseconds.
    pub first_us: f64,
    /// Fitted login at the last step, microseconds.
    pub last_us: f64,
}

/// Sessions that the server ended, by its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DroppedSessions {
    /// The server's code; `closed` when it said nothing, `no-answer` when it no longer answered, `protocol` when its words
    /// were none, `worker-lost` when peaje's own process that held the session ended.
    pub reason: String,
    /// The server's words.
    pub message: Option<String>,
    /// How many.
    pub count: u64,
}

/// What came back when the sessions were closed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Closing {
    /// Sessions closed.
    pub sessions: u64,
    /// From the first close until the server had ended the last one, seconds.
    pub seconds: f64,
    /// The look afterwards.
    pub memory: Option<MemorySample>,
    /// The server's proportional set size that came back, bytes.
    pub pss_returned_bytes: Option<i64>,
    /// Available memory of the host that came back, bytes.
    pub host_returned_bytes: Option<i64>,
    /// Sessions the server counts afterwards.
    pub server_sessions: Option<u64>,
    /// Sessions of this run that the server still counts.
    pub own_left: Option<u64>,
}

/// Results of one target of `peaje sessions`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResult {
    /// The target in the words of the command line, without secrets (`serve:thread`).
    pub label: String,
    /// What answered there (`PostgreSQL 15.18`).
    pub answered: Option<String>,
    /// How it serves a session.
    pub architecture: Option<Architecture>,
    /// Where its memory was read.
    pub memory_source: MemorySource,
    /// Whether peaje started it.
    pub started_by_peaje: bool,
    /// Whether client and server share one machine.
    pub same_host: bool,
    /// Before the first session; `sessions` is 0.
    pub baseline: SessionStep,
    /// The ladder.
    pub steps: Vec<SessionStep>,
    /// Limits as read.
    pub limits: Vec<LimitRead>,
    /// Sessions that the server dropped.
    pub dropped: Vec<DroppedSessions>,
    /// Bytes per session.
    pub bytes_per_session: BytesPerSession,
    /// The server's memory without any session of this run, bytes: where the line begins.
    pub fixed_bytes: Option<Interval>,
    /// The host's bytes by account.
    pub account: Option<HostAccount>,
    /// Idle and worked.
    pub idle_and_worked: IdleAndWorked,
    /// How login time grows.
    pub login_growth: Option<LoginGrowth>,
    /// The knee; `null` = the ladder is straight as far as it was measured.
    pub knee: Option<Knee>,
    /// The first wall; `null` = none is known.
    pub first_wall: Option<Wall>,
    /// All walls, the first one first.
    pub walls: Vec<Wall>,
    /// The end.
    pub closing: Option<Closing>,
    /// The guard that ended this ladder before its last step (`memory-floor`, `swap`, `free-sessions`, …).
    pub stopped_by: Option<String>,
    /// Further targets of the same command, side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<SessionsResult>,
}
