//! Settings as they were used: enough to repeat the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckSettings, Mode, SessionsSettings, TlsMode, WatchSettings};

/// How a session is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CloseMode {
    /// Say goodbye, then wait until the server has closed its side; the wait is the phase `close`.
    #[default]
    Polite,
    /// Say goodbye and close at once, as pgbench and most drivers do.
    Quick,
    /// Close by TCP reset, without a goodbye: leaves no TIME_WAIT, but hides the server's teardown.
    Reset,
}

/// Whether keys derived from the password are kept between logins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScramCache {
    /// Derive at each login, as most drivers do.
    #[default]
    Off,
    /// Derive once for each salt and iteration count (RFC 5802 allows it).
    On,
}

/// When host names are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResolveMode {
    /// At each login, as most drivers do.
    #[default]
    Each,
    /// Once, before the run.
    Once,
}

/// When operations are due.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "loop", rename_all = "kebab-case")]
pub enum Arrival {
    /// Closed loop: each worker starts its next operation when the last one has ended.
    Closed,
    /// Open loop, exponential gaps.
    Poisson {
        /// Offered rate, operations per second.
        rate_per_s: f64,
    },
    /// Open loop, even gaps.
    Constant {
        /// Offered rate, operations per second.
        rate_per_s: f64,
    },
    /// Open loop, `size` operations due at once, at a mean of `rate_per_s`.
    Burst {
        /// Offered rate, operations per second.
        rate_per_s: f64,
        /// Operations in each burst.
        size: u32,
    },
}

impl Arrival {
    /// The offered rate; `None` in a closed loop.
    pub fn rate_per_s(self) -> Option<f64> {
        match self {
            Arrival::Closed => None,
            Arrival::Poisson { rate_per_s } | Arrival::Constant { rate_per_s } | Arrival::Burst { rate_per_s, .. } => {
                Some(rate_per_s)
            }
        }
    }
}

/// Operations before the measurement whose figures are thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "until", rename_all = "kebab-case")]
pub enum WarmUp {
    /// None: what `--iterations` and `--logins` imply.
    None,
    /// A fixed time in each series.
    Fixed {
        /// Seconds.
        duration_s: f64,
    },
    /// Until the rate is stationary, `limit_s` at most.
    Stationary {
        /// Seconds.
        limit_s: f64,
    },
}

/// The pool of a pooled series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolSettings {
    /// Connections kept open even when idle.
    pub min: u32,
    /// Connections at most.
    pub max: u32,
    /// Idle connections above `min` are closed after this time, seconds; `null` = never.
    pub idle_timeout_s: Option<f64>,
    /// Connections are closed at this age, seconds; `null` = never.
    pub lifetime_s: Option<f64>,
}

/// Settings of `peaje login`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoginSettings {
    /// Modes measured, in order.
    pub modes: Vec<Mode>,
    /// TLS settings measured, in order.
    pub tls: Vec<TlsMode>,
    /// Whether `--tls` replaced the TLS setting of the connection string.
    pub tls_overrides_url: bool,
    /// Closed or open loop.
    pub arrival: Arrival,
    /// Workers of a closed loop; operations in flight at most in an open loop.
    pub concurrency: u32,
    /// Operations of each worker in each series.
    pub iterations: Option<u64>,
    /// Operations of each series, all workers together (`--logins`).
    pub operations: Option<u64>,
    /// Measurement of each series, seconds.
    pub duration_s: Option<f64>,
    /// Warm-up of each series.
    pub warm_up: WarmUp,
    /// Slices of each series; the series take turns, in reversed order every other turn.
    pub slices: u32,
    /// Worker threads.
    pub threads: u32,
    /// Source addresses on loopback.
    pub source_addresses: u32,
    /// The query of each operation; empty = none.
    pub query: String,
    /// How sessions are closed.
    pub close: CloseMode,
    /// Whether derived keys are kept.
    pub scram_cache: ScramCache,
    /// When names are resolved.
    pub resolve: ResolveMode,
    /// The pool of pooled series.
    pub pool: PoolSettings,
    /// Whole login, seconds.
    pub login_timeout_s: f64,
    /// The tag in the program name.
    pub tag: Option<String>,
    /// Seed of the schedule's random gaps.
    pub seed: u64,
    /// Whether rejected logins are expected and do not stop the run.
    pub expect_rejects: bool,
}

/// Settings of the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settings {
    /// `peaje login`.
    Login(LoginSettings),
    /// `peaje watch`.
    Watch(WatchSettings),
    /// `peaje check`.
    Check(CheckSettings),
    /// `peaje sessions`.
    Sessions(SessionsSettings),
}

impl Settings {
    /// Those of `peaje login`; `None` of another experiment.
    pub const fn login(&self) -> Option<&LoginSettings> {
        match self {
            Settings::Login(settings) => Some(settings),
            Settings::Watch(_) | Settings::Check(_) | Settings::Sessions(_) => None,
        }
    }
}
