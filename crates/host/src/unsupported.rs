//! A system nobody has taught peaje yet: what the standard library knows, and `None` for the rest.
//!
//! To support a system, write a sibling of `linux` and choose it in [`crate::this_host`].

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use peaje_model::{LimitRead, MemorySample, ProcessMemory};

use crate::local::{self, ForeignBind};
use crate::memory::gap;
use crate::{CpuTime, Host, HostError, Identity, LimitsOf, ListenQueue, MemoryLook, NetworkReading, ProcessSet};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnsupportedHost;

impl Host for UnsupportedHost {
    fn identity(&self) -> Identity {
        Identity {
            kernel: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cpu: None,
            cores: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
            hostname: None,
        }
    }

    fn process_cpu(&self, _pid: u32) -> Result<CpuTime, HostError> {
        Err(HostError::Unsupported)
    }

    fn tree_cpu(&self, _pid: u32) -> Result<CpuTime, HostError> {
        Err(HostError::Unsupported)
    }

    fn own_thread_run_delay(&self) -> Option<Duration> {
        None
    }

    fn network(&self) -> NetworkReading {
        NetworkReading::default()
    }

    fn ephemeral_ports(&self) -> Option<(u16, u16)> {
        None
    }

    fn open_files_limit(&self) -> Option<u64> {
        None
    }

    fn raise_open_files_limit(&self) -> Option<u64> {
        None
    }

    fn raise_open_files_to(&self, _wanted: u64) -> Option<u64> {
        None
    }

    fn listener_pid(&self, _address: SocketAddr) -> Option<u32> {
        None
    }

    fn port_pid(&self, _port: u16) -> Option<u32> {
        None
    }

    fn socket_pid(&self, _socket: &Path) -> Option<u32> {
        None
    }

    fn listen_queue(&self, _address: SocketAddr) -> Option<ListenQueue> {
        None
    }

    fn longest_listen_queue(&self) -> Option<u64> {
        None
    }

    fn process_open_files(&self, _pid: u32) -> Option<u64> {
        None
    }

    fn process_name(&self, _pid: u32) -> Option<String> {
        None
    }

    fn is_local(&self, ip: IpAddr) -> bool {
        local::is_local(ip, ForeignBind::Refused)
    }

    fn ignores_signal(&self, _: u32) -> bool {
        false
    }

    fn memory_sample(&self, server: Option<&ProcessSet>) -> MemoryLook {
        MemoryLook { sample: self.memory_room(server), gap: server.map(|_| gap(&HostError::Unsupported)) }
    }

    fn memory_room(&self, _server: Option<&ProcessSet>) -> MemorySample {
        MemorySample { clock_us: crate::memory::clock_us(), ..MemorySample::default() }
    }

    fn process_memory(&self, _set: &ProcessSet) -> Result<ProcessMemory, HostError> {
        Err(HostError::Unsupported)
    }

    fn session_limits(&self, _of: &LimitsOf<'_>) -> Vec<LimitRead> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_that_it_cannot_say() {
        let host = UnsupportedHost;
        assert!(matches!(host.process_cpu(1), Err(HostError::Unsupported)));
        assert!(matches!(host.tree_cpu(1), Err(HostError::Unsupported)));
        assert_eq!(host.network(), NetworkReading::default());
        let look = host.memory_sample(Some(&ProcessSet::tree(1)));
        assert!(look.sample.server.is_none() && look.gap.is_some(), "{look:?}");
        assert_eq!(host.memory_sample(None).gap, None, "nobody was asked for");
        assert!(host.identity().cores >= 1);
        assert!(host.is_local("127.0.0.1".parse().unwrap()));
        assert!(!host.is_local("192.0.2.1".parse().unwrap()));
    }
}
