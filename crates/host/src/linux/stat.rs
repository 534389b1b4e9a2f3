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
pub(super) const ESRCH: i32 = 3;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;

    /// `pid (comm) state ppid …`: fields 14 to 17 are 1400, 700, 300, 100 ticks.
    fn line(comm: &str, parent: u32) -> String {
        format!(
            "77 ({comm}) S {parent} 77 77 0 -1 4194560 1 2 3 4 1400 700 300 100 20 0 1 0 555 1000 10 18446744073709551615\n"
        )
    }

    #[test]
    fn the_name_may_hold_anything() {
        for comm in ["postgres", "a b", "x) S 9 (y", ")", "", "((", "tmux: server", "1 2 3 4 5 6 7 8 9"] {
            let stat = Stat::parse(&line(comm, 4)).unwrap();
            let expected = Stat { parent: 4, user: 1400, system: 700, reaped_user: 300, reaped_system: 100 };
            assert_eq!(stat, expected, "{comm}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let full = line("postgres", 4);
        let first = |words: usize| full.split(' ').take(words).collect::<Vec<_>>().join(" ");
        let table = [
            (String::new(), "comm"),
            ("77 (postgres".to_owned(), "comm"),
            (first(3), "ppid"),
            (first(13), "utime"),
            (first(14), "stime"),
            (first(15), "cutime"),
            (first(16), "cstime"),
            (full.replace(" 700 ", " -700 "), "stime"),
        ];
        for (text, missing) in table {
            assert_eq!(Stat::parse(&text), Err(missing), "{text}");
        }
        assert!(Stat::parse(&first(17)).is_ok());
    }

    #[test]
    fn ticks_become_times() {
        assert_eq!(from_ticks(1700, 100), Duration::from_secs(17));
        assert_eq!(from_ticks(1, 100), Duration::from_millis(10));
        assert_eq!(from_ticks(1025, 1024), Duration::new(1, 976_562));
        assert_eq!(from_ticks(u64::MAX, 100).as_secs(), u64::MAX / 100);
    }

    #[test]
    fn run_delay_is_the_second_field() {
        assert_eq!(run_delay("1234567 89000 42\n"), Some(Duration::from_micros(89)));
        assert_eq!(run_delay("1234567"), None);
        assert_eq!(run_delay("a b c"), None);
    }

    /// A look-alike of `/proc` with a process (77), two children (78, 79) and a stranger (80).
    fn look_alike() -> (tempfile::TempDir, LinuxHost) {
        let root = tempfile::tempdir().unwrap();
        for (pid, parent) in [(77, 1), (78, 77), (79, 77), (80, 1)] {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("stat"), line("post gres)", parent)).unwrap();
        }
        std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
        let host = LinuxHost::at(root.path());
        (root, host)
    }

    #[test]
    fn a_tree_is_a_process_and_its_children() {
        let (_root, host) = look_alike();
        let (one, tree) = (host.process_cpu(77).unwrap(), host.tree_cpu(77).unwrap());
        let per_second = rustix::param::clock_ticks_per_second();
        assert_eq!(one, CpuTime { user: from_ticks(1700, per_second), system: from_ticks(800, per_second) });
        assert_eq!(tree, one + one + one);
        assert_eq!(host.tree_cpu(80).unwrap(), one);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let (root, host) = look_alike();
        assert!(matches!(host.process_cpu(99), Err(HostError::NoSuchProcess { pid: 99 })));
        assert!(matches!(host.tree_cpu(99), Err(HostError::NoSuchProcess { pid: 99 })));
        std::fs::write(root.path().join("proc/78/stat"), "78 (x) S").unwrap();
        let error = host.process_cpu(78).unwrap_err();
        assert!(matches!(error, HostError::Malformed { missing: "ppid", .. }), "{error}");
        std::fs::remove_file(root.path().join("proc/79/stat")).unwrap();
        std::fs::create_dir(root.path().join("proc/79/stat")).unwrap();
        assert!(matches!(host.process_cpu(79), Err(HostError::Unreadable { .. })));
    }
}
