//! Results of the login experiment.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Arrival, CloseMode, Interval, LatencySummary, OutcomeCount, OutcomeKind, Phase, PhaseSummary, PoolSettings,
    PoolSummary, ResolveMode, ScramCache, WarmUp,
};

/// How an operation obtains its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A new login for each operation.
    Unpooled,
    /// Taken from a pool and given back.
    Pooled,
    /// One session for each worker, kept.
    Persistent,
}

impl Mode {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Unpooled => "unpooled",
            Mode::Pooled => "pooled",
            Mode::Persistent => "persistent",
        }
    }
}

/// TLS of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TlsMode {
    /// What the connection string says.
    AsUrl,
    /// No TLS.
    Off,
    /// A full handshake at each login.
    Full,
    /// Sessions resumed where the server allows it.
    Resumed,
}

impl TlsMode {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            TlsMode::AsUrl => "as-url",
            TlsMode::Off => "off",
            TlsMode::Full => "full",
            TlsMode::Resumed => "resumed",
        }
    }
}

/// Operations by fate. Identity: `scheduled = completed + failed + skipped + in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Operations that were due within the measurement.
    pub scheduled: u64,
    /// Ended well.
    pub completed: u64,
    /// Ended badly (see `outcomes`).
    pub failed: u64,
    /// Due, but never started: no slot came free before the login timeout, or the run ended first.
    pub skipped: u64,
    /// Aborted at a stop; 0 after a normal end.
    pub in_flight: u64,
}

impl Counts {
    /// Whether the identity holds.
    pub fn balance(&self) -> bool {
        self.scheduled == self.completed + self.failed + self.skipped + self.in_flight
    }
}

/// The highest rate seen in a window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Peak {
    /// Completed operations per second; `null` when the run was shorter than the window.
    pub value: Option<f64>,
    /// Width of the window, seconds.
    pub window_s: f64,
}

/// What limited the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundVerdict {
    /// The server (or the network): the generator had capacity left.
    Server,
    /// This machine's load generator: the rate is a lower bound of what the server can do.
    Generator,
    /// The signs contradict each other, or nothing was saturated.
    Undecided,
}

/// One sign for or against the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundReasonCode {
    /// CPU of the busiest worker thread, share of one core.
    ClientCpu,
    /// CPU of the client, share of all cores.
    ClientShareOfMachine,
    /// CPU of the local server, share of all cores.
    ServerShareOfMachine,
    /// Time runnable worker threads waited for a core, share of elapsed time.
    RunQueueDelay,
    /// Operations started late, p99, microseconds.
    Lag,
    /// Local ports ran out.
    NoLocalPort,
    /// Connections the listener of this host dropped.
    ListenOverflows,
    /// Nothing was saturated: each worker waits for the server's answer, one after the other.
    Waiting,
    /// The run was too short to judge.
    TooShort,
    /// The server was gone before the end: operations that failed.
    ServerGone,
}

/// A sign with its value and the limit it was held against.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoundReason {
    /// Which sign.
    pub code: BoundReasonCode,
    /// The value seen (shares 0 to 1, microseconds or counts by code).
    pub value: f64,
    /// The limit.
    pub limit: f64,
}

/// Generator-bound or server-bound, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// The verdict.
    pub verdict: BoundVerdict,
    /// The signs.
    pub reasons: Vec<BoundReason>,
}

/// The server's own account of the measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerAccount {
    /// Logins counted by the server over the slices, peaje's observer not among them; `null` when it cannot say.
    pub logins: Option<u64>,
    /// Sessions of this run seen in the server's own view, all samples together.
    pub sampled_sessions: u64,
    /// Of these, encrypted.
    pub sampled_encrypted: u64,
    /// Server CPU for each login, microseconds; `null` when the server is elsewhere or cannot be read.
    pub cpu_us_per_login: Option<f64>,
    /// Server CPU for each completed operation, microseconds.
    pub cpu_us_per_operation: Option<f64>,
    /// Server CPU, per cent of one core.
    pub cpu_percent: Option<f64>,
    /// Where the figures come from (`pg_stat_database.sessions, pg_stat_ssl, /proc`).
    pub source: String,
}

/// TLS as it really happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsSeen {
    /// `TLSv1.3`.
    pub version: String,
    /// Cipher suite.
    pub cipher: String,
    /// Key exchange group; `null` when the handshake had none.
    pub key_exchange: Option<String>,
    /// Server key: `RSA-2048`, `ECDSA P-256`, …; `null` when unknown.
    pub server_key: Option<String>,
    /// Whether the session was resumed.
    pub resumed: bool,
    /// What of the connection it protected.
    pub scope: TlsScope,
    /// Logins.
    pub count: u64,
}

/// What of a connection TLS protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TlsScope {
    /// Everything after the handshake.
    #[default]
    Session,
    /// The login message only; what follows is in clear (SQL Server with `Encrypt=optional`). The handshake is paid all
    /// the same.
    LoginOnly,
}

/// Authentication as it really happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthSeen {
    /// In the engine's words: `trust`, `scram-sha-256`, `caching-sha2-password-fast`, `sql-login`, …
    pub method: String,
    /// Iterations asked for by the server (SCRAM).
    pub iterations: Option<u32>,
    /// Whether the key came from the cache.
    pub cached: bool,
    /// Logins.
    pub count: u64,
}

/// Completed, failed and in flight over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// Width of one tick, seconds. Slices follow each other without the pauses between them.
    pub tick_s: f64,
    /// Operations completed in each tick.
    pub completed: Vec<u64>,
    /// Operations failed in each tick.
    pub failed: Vec<u64>,
    /// Most operations in flight in each tick.
    pub in_flight: Vec<u64>,
}

/// Counters of this host's network over the measurement of a series; `null` where they cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NetworkCounters {
    /// Connections dropped because a listen queue was full.
    pub listen_overflows: Option<u64>,
    /// Connections dropped by listeners for any reason.
    pub listen_drops: Option<u64>,
    /// SYN cookies sent.
    pub syn_cookies: Option<u64>,
    /// Segments retransmitted.
    pub retransmits: Option<u64>,
    /// Sockets in TIME_WAIT at the end.
    pub time_wait: Option<u64>,
}

/// Settings of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesSettings {
    /// Closed or open loop.
    pub arrival: Arrival,
    /// Workers, or operations in flight at most.
    pub concurrency: u32,
    /// Operations of each worker.
    pub iterations: Option<u64>,
    /// Operations of the series.
    pub operations: Option<u64>,
    /// Seconds of measurement.
    pub duration_s: Option<f64>,
    /// Warm-up before it.
    pub warm_up: WarmUp,
    /// Slices.
    pub slices: u32,
    /// Worker threads.
    pub threads: u32,
    /// The query.
    pub query: String,
    /// How sessions are closed.
    pub close: CloseMode,
    /// Whether derived keys are kept.
    pub scram_cache: ScramCache,
    /// When names are resolved.
    pub resolve: ResolveMode,
    /// The pool (pooled series only).
    pub pool: Option<PoolSettings>,
    /// Whole login, seconds.
    pub login_timeout_s: f64,
}

/// One configuration, measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// `unpooled, TLS full`.
    pub label: String,
    /// How connections are obtained.
    pub mode: Mode,
    /// TLS.
    pub tls: TlsMode,
    /// Settings.
    pub settings: SeriesSettings,
    /// Operations by fate.
    pub counts: Counts,
    /// Real logins done (in a pooled series: what the pool opened).
    pub logins: u64,
    /// Logins that a first server sent on to another one (routing): each of them paid for two.
    pub redirected: u64,
    /// Time measured, seconds: the slices added up.
    pub elapsed_s: f64,
    /// Completed operations per second.
    pub throughput_per_s: Interval,
    /// The best window.
    pub peak_per_s: Peak,
    /// From the scheduled instant to the end of the close, microseconds.
    pub latency_us: LatencySummary,
    /// From the first phase to the end of the close, microseconds (not corrected for late starts).
    pub service_us: LatencySummary,
    /// From the scheduled instant to the start, microseconds.
    pub lag_us: LatencySummary,
    /// The query alone, microseconds.
    pub query_us: LatencySummary,
    /// Each phase, of logins only.
    pub phases_us: BTreeMap<Phase, PhaseSummary>,
    /// Wait, query, give back; pooled series only.
    pub pool_us: Option<PoolSummary>,
    /// One network round trip, microseconds; `null` on a Unix socket.
    pub rtt_us: Option<f64>,
    /// CPU of peaje's worker threads for each login, microseconds: all of it.
    pub client_cpu_us_per_login: Option<f64>,
    /// CPU of peaje's TLS, certificate checks and key derivation for each login, microseconds.
    pub client_crypto_us_per_login: Option<f64>,
    /// Generator-bound or server-bound.
    pub bound: Bound,
    /// The server's account; `null` when nothing could be read.
    pub server: Option<ServerAccount>,
    /// How operations ended.
    pub outcomes: Vec<OutcomeCount>,
    /// TLS as it happened.
    pub tls_seen: Vec<TlsSeen>,
    /// Authentication as it happened.
    pub auth_seen: Vec<AuthSeen>,
    /// Over time.
    pub timeline: Timeline,
    /// This host's network counters.
    pub network: NetworkCounters,
    /// Raw histograms by name (`latency`, `service`, `lag`, `query`, `phase.connect`, `pool.wait`, …): HdrHistogram V2,
    /// base64, nanoseconds.
    pub histograms: BTreeMap<String, String>,
}

/// The very first login, made alone before any load: cold caches on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FirstLogin {
    /// How it ended.
    pub outcome: OutcomeKind,
    /// Whole login, microseconds.
    pub total_us: f64,
    /// Each phase, microseconds.
    pub phases_us: BTreeMap<Phase, f64>,
    /// Network round trips.
    pub round_trips: u32,
    /// TLS of it.
    pub tls: Option<TlsSeen>,
    /// When the server's certificate ends, seconds since 1970; `null` without TLS.
    #[serde(default)]
    pub certificate_ends_s: Option<u64>,
    /// Authentication of it.
    pub auth: Option<AuthSeen>,
}

/// Results of `peaje login`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoginResult {
    /// The very first login.
    pub first_login: Option<FirstLogin>,
    /// One network round trip, microseconds, the least seen; `null` on a Unix socket.
    pub rtt_us: Option<f64>,
    /// The series, in the order `--mode` outer, `--tls` inner.
    pub series: Vec<Series>,
}
