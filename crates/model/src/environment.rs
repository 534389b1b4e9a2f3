//! Where the measurement was made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The TLS library of the client side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsLibrary {
    /// Name, with the cryptography behind it.
    pub name: String,
    /// Version.
    pub version: String,
}

/// The machine that generated the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Version of peaje.
    pub peaje_version: String,
    /// Operating system and kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu: Option<String>,
    /// Cores usable by this process.
    pub cores: u32,
    /// TLS library of the client.
    pub tls_library: TlsLibrary,
    /// Host name of the generator.
    pub hostname: Option<String>,
    /// Command line without secrets.
    pub command_line: Vec<String>,
    /// Ticks of the clock used for all times, nanoseconds: the smallest difference seen between two readings.
    pub clock_resolution_ns: Option<f64>,
    /// Cost of one reading of that clock, nanoseconds.
    pub clock_cost_ns: Option<f64>,
}
