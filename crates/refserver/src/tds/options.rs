//! What only servers that speak TDS are started with.

/// What only servers that speak TDS have.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct SqlServerOptions {
    /// Whether sessions have to be encrypted as a whole (`Force Encryption`).
    pub force_encryption: bool,
    /// What the login may see of the server itself.
    pub server_state: ServerState,
    /// Every login is sent on to this host and port, as by read-only routing or by a gateway.
    pub route_to: Option<(String, u16)>,
}

/// What a login may see of the server itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ServerState {
    /// Everything, as with `VIEW SERVER STATE` and `VIEW ANY DEFINITION`.
    #[default]
    Visible,
    /// Nothing: a login as most applications have it.
    Hidden,
}
