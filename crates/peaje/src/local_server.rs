//! The process of a server that peaje did not start, when it is sure that it runs on this machine.

use std::sync::Arc;

use peaje_engine::Endpoint;
use peaje_host::Host;
use peaje_lab::ServerCpu;
use peaje_model::{OutcomeKind, Segment, Target, WhatAnswered};

/// The name of peaje's own process: that of `peaje serve`.
const REFERENCE: &str = "peaje";

/// The process of the server, if it runs here and is the server itself: whoever listens on the port may as well be a
/// pooler, the end of a tunnel, or a container's proxy, whose CPU says nothing of the server's. `names` are those of
/// the engine's server processes.
pub(crate) fn pid(
    endpoints: &[Endpoint],
    host: &dyn Host,
    target: &Target,
    answered: &WhatAnswered,
    names: &[&str],
) -> Option<u32> {
    let pid = match endpoints.first()? {
        // A pooler that listens on a socket has another name.
        Endpoint::Unix { path } => host.socket_pid(path)?,
        // Else the observer found something between itself and the server.
        Endpoint::Tcp { .. } if target.local && answered.segment == Segment::Server => {
            let ok = target.addresses.iter().find(|a| a.outcome == OutcomeKind::Ok)?;
            host.listener_pid(ok.address.parse().ok()?)?
        }
        Endpoint::Tcp { .. } => return None,
    };
    let name = host.process_name(pid)?;
    let names: &[&str] = if answered.reference_server { &[REFERENCE] } else { names };
    names.contains(&name.as_str()).then_some(pid)
}

/// Reads the CPU of a server that is one process: its sessions are threads, or it reaps and adds up those that were
/// processes.
pub(crate) fn process_cpu(host: &Arc<dyn Host>, pid: u32) -> ServerCpu {
    let host = host.clone();
    Arc::new(move || host.process_cpu(pid).ok().map(peaje_host::CpuTime::total))
}
