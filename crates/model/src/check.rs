//! Results of `peaje check`: what can be known without load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of `peaje check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSettings {
    /// Logins made one after the other (`--probe`); 0 = none.
    pub probe: u32,
}

/// Results of `peaje check`; its probe logins stand in `login`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// Open sessions of clients.
    pub sessions: Option<u64>,
}
