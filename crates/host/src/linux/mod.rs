//! Linux: `/proc`, `/sys/fs/cgroup`, and two system calls for the limit of open files.
//!
//! `/proc` may be a container's: process numbers and network counters are those of this namespace.

mod cgroup;
mod cgroup_memory;
mod fields;
mod hierarchy;
mod identity;
mod limits;
mod listener;
mod machine;
mod net;
mod process;
mod queue;
mod signals;
mod stacks;
mod stat;
mod table;
mod walls;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use peaje_model::{LimitRead, MemorySample, ProcessMemory};

use crate::local::{self, ForeignBind};
use crate::memory::{clock_us, gap};
use crate::{CpuTime, Host, HostError, Identity, LimitsOf, ListenQueue, MemoryLook, NetworkReading, ProcessSet};

/// A Linux machine, read under a root folder.
#[derive(Debug, Clone)]
pub struct LinuxHost {
    root: PathBuf,
}

impl Default for LinuxHost {
    fn default() -> Self {
        Self::at("/")
    }
}

impl LinuxHost {
    /// Reads `proc` and `sys` below `root` (`/` on a real machine, a folder of look-alikes in tests). System calls
    /// still speak of the machine this process runs on.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A whole file as text; bytes that are not UTF-8 (a command name may hold any) are replaced.
    fn read(&self, relative: impl AsRef<Path>) -> std::io::Result<String> {
        std::fs::read(self.path(relative)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Numbers of the processes that live now.
    fn pids(&self) -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir(self.path("proc")) else { return Vec::new() };
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
    }
}

impl Host for LinuxHost {
    fn identity(&self) -> Identity {
        Identity {
            kernel: self.kernel(),
            cpu: self.read("proc/cpuinfo").ok().and_then(|text| identity::cpu_model(&text)),
            cores: self.cores(),
            hostname: self.read("proc/sys/kernel/hostname").ok().and_then(|text| identity::line(&text)),
        }
    }

    fn process_cpu(&self, pid: u32) -> Result<CpuTime, HostError> {
        self.stat(pid).map(|stat| stat.cpu())
    }

    fn tree_cpu(&self, pid: u32) -> Result<CpuTime, HostError> {
        self.stat_tree(pid)
    }

    fn own_thread_run_delay(&self) -> Option<Duration> {
        stat::run_delay(&self.read("proc/thread-self/schedstat").ok()?)
    }

    fn network(&self) -> NetworkReading {
        let text = |name| self.read(name).unwrap_or_default();
        net::reading(&text("proc/net/netstat"), &text("proc/net/snmp"), &text("proc/net/sockstat"))
    }

    fn ephemeral_ports(&self) -> Option<(u16, u16)> {
        net::port_range(&self.read("proc/sys/net/ipv4/ip_local_port_range").ok()?)
    }

    fn open_files_limit(&self) -> Option<u64> {
        Some(limits::open_files())
    }

    fn raise_open_files_limit(&self) -> Option<u64> {
        Some(limits::raise_open_files())
    }

    fn raise_open_files_to(&self, wanted: u64) -> Option<u64> {
        Some(limits::raise_open_files_to(wanted))
    }

    fn listener_pid(&self, address: SocketAddr) -> Option<u32> {
        // A wildcard listener here would otherwise be taken for another host's server on the same port.
        if self.is_local(address.ip()) { self.listener(address) } else { None }
    }

    fn port_pid(&self, port: u16) -> Option<u32> {
        self.port_holder(port)
    }

    fn socket_pid(&self, socket: &Path) -> Option<u32> {
        listener::socket_pid(socket)
    }

    fn listen_queue(&self, address: SocketAddr) -> Option<ListenQueue> {
        if self.is_local(address.ip()) { queue::of(address) } else { None }
    }

    fn longest_listen_queue(&self) -> Option<u64> {
        self.read("proc/sys/net/core/somaxconn").ok()?.trim().parse().ok()
    }

    fn process_open_files(&self, pid: u32) -> Option<u64> {
        limits::open_files_of(&self.read(format!("proc/{pid}/limits")).ok()?)
    }

    fn process_name(&self, pid: u32) -> Option<String> {
        // The file ends with a line feed, and the name itself may hold one.
        let text = self.read(format!("proc/{pid}/comm")).ok()?;
        Some(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    fn is_local(&self, ip: IpAddr) -> bool {
        let setting = match ip.to_canonical() {
            IpAddr::V4(_) => "proc/sys/net/ipv4/ip_nonlocal_bind",
            IpAddr::V6(_) => "proc/sys/net/ipv6/ip_nonlocal_bind",
        };
        let allowed = self.read(setting).is_ok_and(|text| text.trim() == "1");
        local::is_local(ip, if allowed { ForeignBind::Allowed } else { ForeignBind::Refused })
    }

    fn ignores_signal(&self, signal: u32) -> bool {
        let mask = self.read("proc/self/status").ok().and_then(|text| signals::ignored(&text));
        mask.is_some_and(|mask| (1..=64).contains(&signal) && mask & (1 << (signal - 1)) != 0)
    }

    fn memory_sample(&self, server: Option<&ProcessSet>) -> MemoryLook {
        let memory = server.map(|set| self.memory_of(set));
        let why = memory.as_ref().and_then(|read| read.as_ref().err()).map(gap);
        let sample = MemorySample { server: memory.and_then(Result::ok), ..self.memory_room(server) };
        MemoryLook { sample, gap: why }
    }

    fn memory_room(&self, server: Option<&ProcessSet>) -> MemorySample {
        MemorySample {
            clock_us: clock_us(),
            server: None,
            host: self.machine_memory(),
            cgroup: server.and_then(ProcessSet::root).and_then(|pid| self.cgroup_memory(pid)),
        }
    }

    fn process_memory(&self, set: &ProcessSet) -> Result<ProcessMemory, HostError> {
        self.memory_of(set)
    }

    fn session_limits(&self, of: &LimitsOf<'_>) -> Vec<LimitRead> {
        self.walls(of)
    }
}
