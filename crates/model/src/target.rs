//! What was measured: the server's kind and place, without secrets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who started the server. Everything but [`TargetKind::User`] was started by peaje for this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// A server that peaje did not start: somebody's production.
    User,
    /// The embedded reference server: its numbers describe this machine, not a database.
    Embedded,
    /// A throwaway server started from the binaries installed here.
    Throwaway,
}

/// One address of the target, dialled once, alone, before the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressProbe {
    /// The host name (or literal, or socket path) that was asked for.
    pub host: String,
    /// The address, as `ip:port` or a socket path.
    pub address: String,
    /// `ok`, or how dialling it failed.
    pub outcome: crate::OutcomeKind,
    /// Time until it answered or failed, microseconds.
    pub took_us: f64,
}

/// How several addresses of a host are dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dialling {
    /// One after the other, as most drivers do.
    #[default]
    InTurn,
    /// All at the same time, and the first that answers serves (`MultiSubnetFailover`).
    AtOnce,
}

/// The measured server, as it was asked for. No secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Engine name: `postgres`.
    pub engine: String,
    /// Who started it.
    pub kind: TargetKind,
    /// The connection string without password.
    pub url: String,
    /// Host names, addresses or socket folders, in the order in which they are tried.
    pub hosts: Vec<String>,
    /// TCP port of the first host.
    pub port: Option<u16>,
    /// Database name.
    pub database: Option<String>,
    /// Login name.
    pub user: Option<String>,
    /// TLS setting of the connection string, in the engine's own words (`sslmode`).
    pub tls_setting: Option<String>,
    /// Whether the server runs on this host.
    pub local: bool,
    /// How peaje's logins dial several addresses, as the connection string wants.
    pub dialling: Dialling,
    /// What dialling each address once, alone, gave.
    pub addresses: Vec<AddressProbe>,
    /// Time of the one name resolution made before the load, microseconds; `null` when there was no name.
    pub resolve_us: Option<f64>,
    /// Login timeout in force, seconds.
    pub login_timeout_s: f64,
}
