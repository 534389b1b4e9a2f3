//! CPU time of processes: `/proc/PID/stat` and `schedstat`.
//!
//! The second field, the command's name in parentheses, may itself hold spaces and parentheses: fields are counted
//! from the *last* `)` of the line.

use std::io::ErrorKind;
use std::time::Duration;

use super::LinuxHost;
use crate::{CpuTime, HostError};

/// Readings of a process tree before a moving one is taken as it is.
const ATTEMPTS: usize = 4;

/// `ESRCH`: what reading `/proc/PID/stat` gives when the process ends between open and read.
const ESRCH: i32 = 3;

/// The part of `/proc/PID/stat` that is used. Times in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) parent: u32,
    user: u64,
    system: u64,
    reaped_user: u64,
    reaped_system: u64,
}

impl Stat {
    /// Field numbers of proc_pid_stat(5): 4 ppid, 14 utime, 15 stime, 16 cutime, 17 cstime.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (_, after_name) = text.rsplit_once(')').ok_or("comm")?;
        let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
        // The first field after the name is number 3.
        let field = |number: usize| fields.get(number - 3).copied();
        // cutime and cstime are signed in the manual; they are never below zero.
        let ticks = |number, name| field(number).and_then(|text| text.parse().ok()).ok_or(name);
        Ok(Self {
            parent: field(4).and_then(|text| text.parse().ok()).ok_or("ppid")?,
            user: ticks(14, "utime")?,
            system: ticks(15, "stime")?,
            reaped_user: ticks(16, "cutime")?,
            reaped_system: ticks(17, "cstime")?,
        })
    }

    /// Own time and that of ended children.
    pub(super) fn cpu(&self) -> CpuTime {
        let per_second = rustix::param::clock_ticks_per_second();
        CpuTime {
            user: from_ticks(self.user.saturating_add(self.reaped_user), per_second),
            system: from_ticks(self.system.saturating_add(self.reaped_system), per_second),
        }
    }

    fn reaped(&self) -> (u64, u64) {
        (self.reaped_user, self.reaped_system)
    }
}

fn from_ticks(ticks: u64, per_second: u64) -> Duration {
    let rest_ns = (ticks % per_second) * 1_000_000_000 / per_second;
    Duration::new(ticks / per_second, rest_ns as u32)
}

/// Second field of `schedstat`: nanoseconds spent waiting on a run queue.
pub(super) fn run_delay(schedstat: &str) -> Option<Duration> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

impl LinuxHost {
    pub(super) fn stat(&self, pid: u32) -> Result<Stat, HostError> {
        let relative = format!("proc/{pid}/stat");
        let text = self.read(&relative).map_err(|source| match source.kind() {
            ErrorKind::NotFound => HostError::NoSuchProcess { pid },
            _ if source.raw_os_error() == Some(ESRCH) => HostError::NoSuchProcess { pid },
            _ => HostError::Unreadable { path: self.path(&relative), source },
        })?;
        Stat::parse(&text).map_err(|missing| HostError::Malformed { path: self.path(&relative), missing })
    }

    /// A child that ends moves its time to its parent, so a sum taken meanwhile would lose it or count it twice: the
    /// parent is read before and after its children, and the sum is taken anew while its reaped time moves.
    pub(super) fn stat_tree(&self, pid: u32) -> Result<CpuTime, HostError> {
        let mut before = self.stat(pid)?;
        let mut attempt = 1;
        loop {
            let children: CpuTime = self.children(pid).map(|child| child.cpu()).sum();
            let after = self.stat(pid)?;
            if after.reaped() == before.reaped() || attempt == ATTEMPTS {
                return Ok(after.cpu() + children);
            }
            before = after;
            attempt += 1;
        }
    }

    /// All processes are looked at: `/proc/PID/task/TID/children` is faster, but may leave children out.
    fn children(&self, parent: u32) -> impl Iterator<Item = Stat> {
        self.pids().into_iter().filter_map(|pid| self.stat(pid).ok()).filter(move |stat| stat.parent == parent)
    }
}
