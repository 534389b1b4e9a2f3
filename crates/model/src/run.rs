//! The run: what every command writes, and what every report reads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckResult, Environment, Finding, LoginResult, SessionsResult, Settings, Target, WatchResult};

/// The schema's name and version, the first key of every run file.
pub const SCHEMA: &str = "peaje.run/1";

/// Which experiment a run belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// `peaje login`.
    Login,
    /// `peaje watch`.
    Watch,
    /// `peaje check`.
    Check,
    /// `peaje sessions`.
    Sessions,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Ended {
    /// All series were measured.
    Completed,
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// A stop rule: a rejected login, a full server, a server that went away, a guard.
    Stopped {
        /// Which rule (`rejected`, `server-full`, `server-gone`, `generator`, `free-sessions`, `other-clients`).
        rule: String,
        /// The words for a person, without secrets.
        message: String,
    },
}

/// What answered at the address, as far as it can be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhatAnswered {
    /// `PostgreSQL`, `PgBouncer`, `peaje reference server`, …
    pub product: String,
    /// Its version, as it says.
    pub version: Option<String>,
    /// The server's whole version sentence.
    pub banner: Option<String>,
    /// True only for peaje's own reference server.
    pub reference_server: bool,
    /// The segment the verdicts speak of.
    pub segment: Segment,
    /// Name and version of the pooler in between, when it says them (`Pgpool-II 4.5.0`).
    pub pooler: Option<String>,
}

/// The other end of the segment that figures and verdicts speak of; this end is always peaje.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Segment {
    /// The server itself: it sees our own address and port.
    Server,
    /// The server, through a pooler that says its name: what is counted on the server is the pooler's.
    Pooler,
    /// A pooler's administration console: there is no server behind it.
    PoolerConsole,
    /// The server, through something that does not say its name: a pooler, a proxy, or a translation of addresses.
    SomethingBetween,
    /// Whether something stands between cannot be told (a Unix socket has no two ends to compare).
    Unknown,
}

impl Segment {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            Segment::Server => "server",
            Segment::Pooler => "pooler",
            Segment::PoolerConsole => "pooler-console",
            Segment::SomethingBetween => "something-between",
            Segment::Unknown => "unknown",
        }
    }

    /// Whether something is known to stand between peaje and the server that counts logins.
    pub const fn has_something_between(self) -> bool {
        matches!(self, Segment::Pooler | Segment::PoolerConsole | Segment::SomethingBetween)
    }
}

/// A fact's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FactValue {
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
}

/// A setting, version or view that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Its name in the engine's words (`max_connections`).
    pub name: String,
    /// Its value.
    pub value: FactValue,
    /// Unit, when it has one.
    pub unit: Option<String>,
    /// Where it was read (`pg_settings`).
    pub source: String,
    /// When, RFC 3339; `null` = at the start of the run.
    pub at: Option<String>,
}

/// Something that could not be read, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// What is missing, in the engine's words (`pg_stat_database.sessions`).
    pub what: String,
    /// Why: the server's answer or the reason.
    pub why: String,
    /// What would mend it (`grant pg_monitor to …`).
    pub next_step: Option<String>,
}

/// One execution of one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Always `peaje.run/1`.
    pub schema: String,
    /// Which experiment.
    pub experiment: Experiment,
    /// What was measured.
    pub target: Target,
    /// What answered there; `null` when nothing did.
    pub what_answered: Option<WhatAnswered>,
    /// Where it was measured from.
    pub environment: Environment,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// RFC 3339, UTC.
    pub finished_at: String,
    /// How it ended.
    pub ended: Ended,
    /// Settings as used.
    pub settings: Settings,
    /// What was read.
    pub facts: Vec<Fact>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// What the diagnoses say.
    pub findings: Vec<Finding>,
    /// Results of `peaje login`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginResult>,
    /// Results of `peaje watch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchResult>,
    /// Results of `peaje check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
    /// Results of `peaje sessions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<SessionsResult>,
}

/// The JSON schema of the run file, generated from these types.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Run).to_value()
}
