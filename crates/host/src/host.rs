//! The trait, and the values it hands out. Counters are cumulative since boot: a measurement is a difference.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use peaje_model::{LimitRead, MemorySample, ProcessMemory};

use crate::{LimitsOf, MemoryLook, ProcessSet};

/// What machine this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Operating system, kernel release and architecture: `Linux 6.1.0 x86_64`.
    pub kernel: String,
    /// CPU model.
    pub cpu: Option<String>,
    /// Cores usable by this process: CPU affinity and the CPU quota of its control group, a part of a core counted as
    /// a whole one; at least 1.
    pub cores: u32,
    /// Host name.
    pub hostname: Option<String>,
}

/// CPU time. Two readings of the same process give what it used in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTime {
    /// In its own code.
    pub user: Duration,
    /// In the kernel on its behalf.
    pub system: Duration,
}

impl CpuTime {
    /// User and system together.
    pub fn total(self) -> Duration {
        self.user + self.system
    }

    /// What was used since an earlier reading; zero where the reading went backwards (a child left before it was
    /// waited for).
    pub fn since(self, earlier: Self) -> Self {
        Self { user: self.user.saturating_sub(earlier.user), system: self.system.saturating_sub(earlier.system) }
    }
}

impl std::ops::Add for CpuTime {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { user: self.user + other.user, system: self.system + other.system }
    }
}

impl std::iter::Sum for CpuTime {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::default(), std::ops::Add::add)
    }
}

/// Network counters of this host (of this network namespace), all processes together; `None` where they cannot be
/// read. All but `time_wait` are cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkReading {
    /// Connections dropped because a listen queue was full (`ListenOverflows`).
    pub listen_overflows: Option<u64>,
    /// Connections dropped by listeners for any reason (`ListenDrops`).
    pub listen_drops: Option<u64>,
    /// SYN cookies sent (`SyncookiesSent`).
    pub syn_cookies_sent: Option<u64>,
    /// TCP segments retransmitted (`RetransSegs`).
    pub retransmits: Option<u64>,
    /// Sockets in TIME_WAIT now: a level, not a counter.
    pub time_wait: Option<u64>,
}

impl NetworkReading {
    /// What was counted since an earlier reading; `time_wait` is the later level.
    pub fn since(self, earlier: Self) -> Self {
        let difference = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            listen_overflows: difference(self.listen_overflows, earlier.listen_overflows),
            listen_drops: difference(self.listen_drops, earlier.listen_drops),
            syn_cookies_sent: difference(self.syn_cookies_sent, earlier.syn_cookies_sent),
            retransmits: difference(self.retransmits, earlier.retransmits),
            time_wait: self.time_wait,
        }
    }
}

/// The queue in which connections wait until the listening program takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenQueue {
    /// Connections in it now.
    pub waiting: u64,
    /// Connections it holds at most: what the program asked for, cut by the kernel's own limit.
    pub length: u64,
}

/// Why a process could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The process ended, or its number is wrong, or it lives in another PID namespace (a container).
    #[error("there is no process {pid} here: it has ended, or it runs in another container")]
    NoSuchProcess {
        /// Its number.
        pid: u32,
    },
    /// The system refused, or the file could not be read.
    #[error(
        "cannot read {path}: {source}; run as the owner of the process or as root, and check that /proc is mounted"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file does not look as the kernel's manual says: a newer kernel, or not a kernel's file.
    #[error("{path} does not look as expected: {missing} is missing; please report it with the kernel's version")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        missing: &'static str,
    },
    /// Processes are not read on this operating system.
    #[error("other processes are not read on this operating system; run peaje on Linux for their CPU time and memory")]
    Unsupported,
}

/// What an operating system tells. All methods are cheap enough for the edges of a measurement (well below a
/// millisecond, except those that walk over all processes: [`Host::tree_cpu`], [`Host::listener_pid`],
/// [`Host::memory_sample`], [`Host::process_memory`] and [`Host::session_limits`]), none is meant for every login.
pub trait Host: Send + Sync {
    /// What machine this is.
    fn identity(&self) -> Identity;

    /// CPU time of a process *and* of its children that have ended and were waited for.
    fn process_cpu(&self, pid: u32) -> Result<CpuTime, HostError>;

    /// CPU time of a process, its ended children, and its live direct children with theirs: a PostgreSQL postmaster
    /// and its backends.
    fn tree_cpu(&self, pid: u32) -> Result<CpuTime, HostError>;

    /// Time the calling thread was ready to run and waited for a core, since it began.
    fn own_thread_run_delay(&self) -> Option<Duration>;

    /// Network counters.
    fn network(&self) -> NetworkReading;

    /// First and last local port given to outgoing connections.
    fn ephemeral_ports(&self) -> Option<(u16, u16)>;

    /// Open files allowed to this process now (the soft limit); `u64::MAX` when there is no limit.
    fn open_files_limit(&self) -> Option<u64>;

    /// Raises the soft limit of open files to the hard limit and returns the soft limit then in force.
    fn raise_open_files_limit(&self) -> Option<u64>;

    /// Raises the soft limit of open files to `wanted` if it is lower, with privilege beyond the hard limit, and returns
    /// the soft limit then in force.
    fn raise_open_files_to(&self, wanted: u64) -> Option<u64>;

    /// The process that listens on an address of this host; a listener on the wildcard address counts. Of several
    /// processes that share the socket it is the one whose parent does not hold it (the postmaster, not a backend).
    /// `None` when nobody listens, the address is another host's, or the process may not be looked into.
    /// Of systemd and the server that it started with the socket it is the server.
    fn listener_pid(&self, address: SocketAddr) -> Option<u32>;

    /// The process that listens on a port of this host, whatever the address.
    fn port_pid(&self, port: u16) -> Option<u32>;

    /// The process that listens on a Unix socket, asked of the socket itself on a connection that says nothing and is
    /// closed at once. `None` when nobody listens, or the process lives in another PID namespace.
    fn socket_pid(&self, socket: &Path) -> Option<u32>;

    /// The queue of the listener that takes connections to an address of this host. `None` when nobody listens, or the
    /// kernel does not tell.
    fn listen_queue(&self, address: SocketAddr) -> Option<ListenQueue>;

    /// The kernel's limit of a listen queue (`net.core.somaxconn`).
    fn longest_listen_queue(&self) -> Option<u64>;

    /// Open files allowed to a process (its soft limit); `u64::MAX` when there is no limit.
    fn process_open_files(&self, pid: u32) -> Option<u64>;

    /// Name of the program a process runs, cut by Linux at 15 bytes; not the title that it gives itself. `None` when
    /// the process has ended.
    fn process_name(&self, pid: u32) -> Option<String>;

    /// Whether an address is loopback or one of this host's.
    fn is_local(&self, ip: IpAddr) -> bool;

    /// Whether whoever started this process made it ignore this signal (`nohup` does so with SIGHUP).
    fn ignores_signal(&self, signal: u32) -> bool;

    /// Memory of a server's processes, of this machine, and of the control group that the server's first process is in.
    ///
    /// A process that ends meanwhile is left out. When one may not be read, there is no figure of the server at all,
    /// and `gap` says why. Stacks of threads are told as far as they are resident; how they are found, and what cannot be
    /// told of them, is said where it is done (`linux/stacks.rs`). The kernel goes over all pages of each process: about
    /// 0.1 ms for one with a few megabytes, and some 10 ms for each gigabyte that is mapped in pages of 4 KiB.
    fn memory_sample(&self, server: Option<&ProcessSet>) -> MemoryLook;

    /// The same without the processes: what is left of this machine, and of the server's control group. Cheap enough for
    /// several looks a second, however large the server is.
    fn memory_room(&self, server: Option<&ProcessSet>) -> MemorySample;

    /// Memory of processes alone. Context switches are those of processes and threads that live.
    fn process_memory(&self, set: &ProcessSet) -> Result<ProcessMemory, HostError>;

    /// Limits of this machine that sessions run into, with what is taken of each now: to be asked before the first
    /// session is opened.
    fn session_limits(&self, of: &LimitsOf<'_>) -> Vec<LimitRead>;
}
