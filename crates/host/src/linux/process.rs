//! Memory of a set of processes: `smaps_rollup`, `status`, and the files of their threads.
//!
//! A process that ends while it is read is left out. One that may not be read is an error: a sum without it would be
//! taken for the whole.

use peaje_model::ProcessMemory;

use super::{LinuxHost, fields};
use crate::{HostError, ProcessSet};

/// Threads of all processes together whose context switches are read: each takes tens of microseconds.
const MOST_THREADS: u64 = 5_000;

/// From `smaps_rollup`, or from `smaps` where the kernel (before 4.14) has only that: then each figure is the sum over
/// the mappings.
fn of_pages(maps: &str) -> ProcessMemory {
    let bytes = |name| fields::bytes(maps, name);
    let private = || bytes("Private_Clean")?.checked_add(bytes("Private_Dirty")?);
    ProcessMemory {
        pss: bytes("Pss"),
        private: private(),
        rss: bytes("Rss"),
        swap: bytes("SwapPss").or_else(|| bytes("Swap")),
        ..ProcessMemory::default()
    }
}

/// Voluntary and forced ones in `/proc/PID/status` or `/proc/PID/task/TID/status`: of one thread in either.
fn switches(status: &str) -> Option<u64> {
    let number = |name| fields::number(status, name);
    number("voluntary_ctxt_switches")?.checked_add(number("nonvoluntary_ctxt_switches")?)
}

/// A figure that one process does not have is not known of all.
fn add(sum: &mut ProcessMemory, one: &ProcessMemory) {
    let both = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    sum.processes += one.processes;
    sum.threads += one.threads;
    sum.pss = both(sum.pss, one.pss);
    sum.private = both(sum.private, one.private);
    sum.rss = both(sum.rss, one.rss);
    sum.swap = both(sum.swap, one.swap);
    sum.page_tables = both(sum.page_tables, one.page_tables);
    sum.thread_stacks = both(sum.thread_stacks, one.thread_stacks);
    sum.context_switches = both(sum.context_switches, one.context_switches);
}

impl LinuxHost {
    pub(super) fn memory_of(&self, set: &ProcessSet) -> Result<ProcessMemory, HostError> {
        let members = set.members(&self.table(set.listed()))?;
        let nothing = Some(0);
        let mut sum = ProcessMemory {
            pss: nothing,
            private: nothing,
            rss: nothing,
            swap: nothing,
            page_tables: nothing,
            thread_stacks: nothing,
            context_switches: nothing,
            ..ProcessMemory::default()
        };
        for pid in members {
            if let Some(one) = self.memory_of_one(pid, sum.threads)? {
                add(&mut sum, &one);
            }
        }
        if sum.processes == 0 {
            return Err(HostError::NoSuchProcess { pid: set.root().unwrap_or(0) });
        }
        Ok(sum)
    }

    /// `None` = it has ended. `threads_before` have been looked at in other processes.
    fn memory_of_one(&self, pid: u32, threads_before: u64) -> Result<Option<ProcessMemory>, HostError> {
        let Some(status) = self.file_of(pid, "status")? else { return Ok(None) };
        let maps = match self.file_of(pid, "smaps_rollup")? {
            Some(rollup) => Some(rollup),
            None => self.file_of(pid, "smaps")?,
        };
        let mut memory = of_pages(&maps.unwrap_or_default());
        if memory.rss.is_none() {
            // It has ended meanwhile, or the kernel is built without these files.
            let lives = self.table(Some(&[pid])).iter().any(|seen| !seen.zombie);
            memory.rss = fields::bytes(&status, "VmRSS").filter(|_| lives);
            memory.swap = fields::bytes(&status, "VmSwap");
        }
        if memory.rss.is_none() {
            return Ok(None);
        }
        let threads = fields::number(&status, "Threads").unwrap_or(1);
        let ids = if threads > 1 { self.threads(pid) } else { vec![pid] };
        let few = threads_before + threads <= MOST_THREADS;
        Ok(Some(ProcessMemory {
            processes: 1,
            threads,
            page_tables: fields::bytes(&status, "VmPTE"),
            thread_stacks: self.stacks(pid, &status, &ids),
            context_switches: if threads == 1 {
                switches(&status)
            } else if few {
                self.switches_of(pid, &ids)
            } else {
                None
            },
            ..memory
        }))
    }

    fn threads(&self, pid: u32) -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir(self.path(format!("proc/{pid}/task"))) else { return vec![pid] };
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
    }

    /// Threads that end meanwhile are left out.
    fn switches_of(&self, pid: u32, threads: &[u32]) -> Option<u64> {
        let of = |tid: &u32| self.read(format!("proc/{pid}/task/{tid}/status")).ok();
        let mut sum = None;
        for status in threads.iter().filter_map(of) {
            sum = Some(switches(&status)?.saturating_add(sum.unwrap_or(0)));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As recorded on Linux 6.18.
    const ROLLUP: &str = "\
557581863000-7ffe7424b000 ---p 00000000 00:00 0                          [rollup]
Rss:                1612 kB
Pss:                 264 kB
Pss_Dirty:           108 kB
Shared_Clean:       1464 kB
Private_Clean:        40 kB
Private_Dirty:       108 kB
Swap:                  8 kB
SwapPss:               4 kB
Locked:                0 kB
";

    /// The old form: two mappings, no `SwapPss`.
    const SMAPS: &str = "\
00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/dbus-daemon
Size:                328 kB
Rss:                 100 kB
Pss:                  50 kB
Private_Clean:         4 kB
Private_Dirty:         8 kB
Swap:                  0 kB
00e24000-011f7000 rw-p 00000000 00:00 0 [heap]
Rss:                  12 kB
Pss:                  12 kB
Private_Clean:         0 kB
Private_Dirty:        12 kB
Swap:                 16 kB
";

    const STATUS: &str = "Name:\tpostgres\nState:\tS (sleeping)\nVmStk:\t     132 kB\nVmPTE:\t      44 kB\n\
        Threads:\t1\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n";

    #[test]
    fn both_forms_of_the_maps() {
        let memory = of_pages(ROLLUP);
        let kib = |n: u64| Some(n * 1024);
        assert_eq!((memory.pss, memory.private, memory.rss, memory.swap), (kib(264), kib(148), kib(1612), kib(4)));
        let memory = of_pages(SMAPS);
        assert_eq!((memory.pss, memory.private, memory.rss, memory.swap), (kib(62), kib(24), kib(112), kib(16)));
        assert_eq!(of_pages(""), ProcessMemory::default());
    }

    /// A postmaster (20) and two backends; 30 has ended and is not waited for.
    fn look_alike() -> (tempfile::TempDir, LinuxHost) {
        let root = tempfile::tempdir().unwrap();
        let rest = "0 -1 0 0 0 0 0 1 1 1 1 20 0 1 0";
        for (pid, parent, state) in [(20, 1, 'S'), (21, 20, 'S'), (22, 20, 'R'), (30, 20, 'Z'), (40, 1, 'S')] {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(
                folder.join("stat"),
                format!("{pid} (postgres) {state} {parent} {pid} {pid} {rest} {pid} 0 0\n"),
            )
            .unwrap();
            std::fs::write(folder.join("status"), STATUS).unwrap();
            let maps = if pid == 30 { "" } else { ROLLUP };
            std::fs::write(folder.join("smaps_rollup"), maps).unwrap();
        }
        let host = LinuxHost::at(root.path());
        (root, host)
    }

    #[test]
    fn a_sum_over_the_members() {
        let (_root, host) = look_alike();
        let memory = host.memory_of(&ProcessSet::tree(20)).unwrap();
        assert_eq!((memory.processes, memory.threads), (3, 3));
        assert_eq!((memory.pss, memory.page_tables), (Some(3 * 264 * 1024), Some(3 * 44 * 1024)));
        assert_eq!(memory.context_switches, Some(27));
        assert_eq!(memory.thread_stacks, None, "there is no pagemap here");
        assert_eq!(host.memory_of(&ProcessSet::only([21])).unwrap().processes, 1);
    }

    #[test]
    fn a_process_that_vanishes_is_left_out_and_a_gone_server_is_an_error() {
        let (root, host) = look_alike();
        std::fs::remove_file(root.path().join("proc/22/smaps_rollup")).unwrap();
        assert_eq!(host.memory_of(&ProcessSet::tree(20)).unwrap().processes, 2);
        std::fs::remove_file(root.path().join("proc/21/status")).unwrap();
        assert_eq!(host.memory_of(&ProcessSet::tree(20)).unwrap().processes, 1);
        std::fs::remove_file(root.path().join("proc/20/stat")).unwrap();
        let error = host.memory_of(&ProcessSet::tree(20)).unwrap_err();
        assert!(matches!(error, HostError::NoSuchProcess { pid: 20 }), "{error}");
    }

    #[test]
    fn old_kernels_tell_less() {
        let (root, host) = look_alike();
        let folder = root.path().join("proc/40");
        std::fs::rename(folder.join("smaps_rollup"), folder.join("smaps")).unwrap();
        std::fs::write(folder.join("status"), "Name:\tpostgres\nVmRSS:\t  40 kB\n").unwrap();
        let memory = host.memory_of(&ProcessSet::tree(40)).unwrap();
        assert_eq!((memory.pss, memory.threads), (Some(264 * 1024), 1));
        assert_eq!((memory.page_tables, memory.context_switches), (None, None));
        std::fs::remove_file(folder.join("smaps")).unwrap();
        let memory = host.memory_of(&ProcessSet::tree(40)).unwrap();
        assert_eq!((memory.pss, memory.rss), (None, Some(40 * 1024)), "a kernel without either");
    }

    #[test]
    fn what_may_not_be_read_is_an_error_not_a_smaller_sum() {
        let (root, host) = look_alike();
        // A folder in place of a file: root may read everything else.
        std::fs::remove_file(root.path().join("proc/22/smaps_rollup")).unwrap();
        std::fs::create_dir(root.path().join("proc/22/smaps_rollup")).unwrap();
        let error = host.memory_of(&ProcessSet::tree(20)).unwrap_err();
        assert!(matches!(&error, HostError::Unreadable { path, .. } if path.ends_with("22/smaps_rollup")), "{error}");
    }
}
