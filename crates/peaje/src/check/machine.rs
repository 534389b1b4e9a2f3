//! Limits of the server's machine, where the server runs on this one: a managed service or another machine cannot be
//! looked into, and then nothing is said.

use peaje_engine::Endpoint;
use peaje_host::Host;
use peaje_model::{HostLimits, HostUnknown, OutcomeKind, Target, WhatAnswered};

/// Words of products whose machine nobody but their owner sees.
const MANAGED: [&str; 9] = [
    "Amazon",
    "Azure Database",
    "Azure SQL Database",
    "Azure SQL Managed",
    "Azure Synapse",
    "AlloyDB",
    "Aurora",
    "Cloud SQL",
    "Google",
];

/// Whose process listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Process {
    /// The server's own, as far as its name tells.
    TheServers,
    /// Somebody's.
    Unknown,
}

/// What this machine tells of the server, or why it tells nothing.
pub(super) fn limits(
    host: &dyn Host,
    endpoint: Option<&Endpoint>,
    target: &Target,
    answered: Option<&WhatAnswered>,
    process: Process,
) -> Result<HostLimits, HostUnknown> {
    if answered.is_some_and(|what| MANAGED.iter().any(|word| what.product.contains(word))) {
        return Err(HostUnknown::ManagedService);
    }
    if !target.local {
        return Err(HostUnknown::Remote);
    }
    if process == Process::Unknown {
        return Err(HostUnknown::NotItsProcess);
    }
    let address = address(target);
    let pid = match endpoint {
        Some(Endpoint::Unix { path }) => host.socket_pid(path),
        _ => address.and_then(|address| host.listener_pid(address)),
    };
    let queue = address.and_then(|address| host.listen_queue(address));
    let network = host.network();
    let ports = host.ephemeral_ports();
    Ok(HostLimits {
        somaxconn: host.longest_listen_queue(),
        listen_backlog: queue.map(|queue| queue.length),
        listen_waiting: queue.map(|queue| queue.waiting),
        listen_overflows: network.listen_overflows,
        open_files: pid.and_then(|pid| host.process_open_files(pid)),
        first_port: ports.map(|(first, _)| first),
        last_port: ports.map(|(_, last)| last),
        time_wait: network.time_wait,
    })
}

/// The address that answered, or that was named.
fn address(target: &Target) -> Option<std::net::SocketAddr> {
    let answered = target.addresses.iter().find(|probe| probe.outcome == OutcomeKind::Ok);
    let named = || Some(std::net::SocketAddr::new(target.hosts.first()?.parse().ok()?, target.port?));
    answered.and_then(|probe| probe.address.parse().ok()).or_else(named)
}
