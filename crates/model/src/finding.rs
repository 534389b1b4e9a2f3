//! What a diagnosis says. Sentences are rendered from code and parameters by `peaje-report`, never stored.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a diagnosis decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The condition is there.
    Found,
    /// It was looked for and is not there.
    Healthy,
    /// The run does not hold what is needed to decide.
    CannotSay,
}

/// How much a finding matters. Ordered: `info < warning < critical`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Costs something that should be looked at.
    Warning,
    /// Users notice, or will.
    Critical,
}

/// A typed parameter of a finding; its unit is in its kind, so that every language can format it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Param {
    /// A whole number.
    Count(u64),
    /// A number without unit: a ratio ("2.4 times").
    Ratio(f64),
    /// A share, 0 to 1, shown as per cent.
    Share(f64),
    /// A time, microseconds.
    Us(f64),
    /// Events per second.
    PerS(f64),
    /// Cores (CPU seconds per second).
    Cores(f64),
    /// CPU seconds.
    CpuS(f64),
    /// Memory.
    Bytes(f64),
    /// A word that is not translated: a name, address, cipher, code, setting, series label.
    Text(String),
}

/// An observation behind a finding: a place in the run file and the value that stood there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// JSON pointer into the run (`/login/series/0/phases_us/tls/mean`).
    pub path: String,
    /// The value.
    pub value: Param,
}

/// What a diagnosis says about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The diagnosis, in a DBA's words (`rsa-key-dominates`); `peaje explain CODE` prints its page.
    pub code: String,
    /// What it decided.
    pub verdict: Verdict,
    /// How much it matters (`info` unless found).
    pub severity: Severity,
    /// Typed values for the sentence. Key `variant`, when present, selects the wording.
    pub params: BTreeMap<String, Param>,
    /// The observations behind it.
    pub evidence: Vec<Evidence>,
}
