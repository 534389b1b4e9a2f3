//! How much of the stacks of threads is resident.
//!
//! Linux does not label the stacks of threads. Each is found by its thread's stack pointer (`/proc/PID/task/TID/syscall`),
//! which lies in one mapping of `/proc/PID/maps`, and `/proc/PID/pagemap` says which pages of it are there; the main thread's
//! ends above the environment (`env_end` of `stat`). What this cannot tell: the stack pointer of a thread that is on
//! a processor (such threads count as the mean of the others), a stack that the kernel has joined to a neighbour
//! mapping (at most [`MOST_BYTES`] on either side count), stacks that a library keeps for the next thread, what is swapped out, and
//! pages that parent and child still share after a fork, which count in both.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{LinuxHost, fields, table};

/// Threads of one process that are looked at; the rest counts as the mean of these.
const MOST_THREADS: usize = 1_000;
/// Of one mapping, on either side of the stack pointer: the usual limit of a stack.
const MOST_BYTES: u64 = 8 << 20;
/// Of the main thread's stack, whose limit may be off.
const MOST_MAIN_BYTES: u64 = 1 << 30;
/// Bytes of `pagemap` for one page (the kernel's `pagemap.rst`).
const ENTRY: u64 = 8;
/// The page is there.
const PRESENT: u64 = 1 << 63;

/// Addresses, the end not included.
type Range = (u64, u64);

/// `7 0x1 … 0xSTACK 0xCODE`, or `-1 0xSTACK 0xCODE`; `running` on a processor.
fn stack_pointer(syscall: &str) -> Option<u64> {
    let hex = syscall.split_ascii_whitespace().rev().nth(1)?;
    u64::from_str_radix(hex.strip_prefix("0x")?, 16).ok()
}

/// Writable mappings of no file, ascending, from `/proc/PID/maps`: `START-END rw-p 00000000 00:00 0`.
fn mappings(maps: &str) -> Vec<Range> {
    let parse = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let writable = words.next()?.starts_with("rw");
        let of_no_file = words.nth(2)? == "0";
        let range = (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?);
        (writable && of_no_file && range.0 < range.1).then_some(range)
    };
    maps.lines().filter_map(parse).collect()
}

/// The mapping that holds an address, cut to what may be stack.
fn around(mappings: &[Range], address: u64) -> Option<Range> {
    let (start, end) = *mappings.get(mappings.partition_point(|(_, end)| *end <= address))?;
    let near = (address.saturating_sub(MOST_BYTES), address.saturating_add(MOST_BYTES));
    (start <= address).then_some((start.max(near.0), end.min(near.1)))
}

fn present(entries: &[u8]) -> u64 {
    let (entries, _) = entries.as_chunks::<{ ENTRY as usize }>();
    entries.iter().filter(|entry| u64::from_ne_bytes(**entry) & PRESENT != 0).count() as u64
}

/// Evenly spaced ones, when there are too many.
fn some_of<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

/// Resident part of ranges, bytes.
fn resident(pagemap: &File, ranges: &BTreeSet<Range>, page: u64) -> Option<u64> {
    let mut pages = 0;
    let mut buffer = Vec::new();
    for (start, end) in ranges {
        let (first, last) = (start / page, end.div_ceil(page));
        buffer.resize(usize::try_from((last - first) * ENTRY).ok()?, 0);
        let got = pagemap.read_at(&mut buffer, first * ENTRY).ok()?;
        pages += present(&buffer[..got]);
    }
    Some(pages * page)
}

impl LinuxHost {
    /// Resident bytes of a process's stacks; `None` where this system or this account does not see them.
    pub(super) fn stacks(&self, pid: u32, status: &str, threads: &[u32]) -> Option<u64> {
        let page = rustix::param::page_size() as u64;
        let pagemap = File::open(self.path(format!("proc/{pid}/pagemap"))).ok()?;
        let main = self.main_stack(pid, status, page)?;
        let main = resident(&pagemap, &BTreeSet::from([main]), page)?;
        let others: Vec<u32> = threads.iter().copied().filter(|tid| *tid != pid).collect();
        if others.is_empty() {
            return Some(main);
        }
        let all = others.len() as u64;
        let mappings = mappings(&self.read(format!("proc/{pid}/maps")).ok()?);
        let place = |tid: u32| {
            let syscall = self.read(format!("proc/{pid}/task/{tid}/syscall")).ok()?;
            around(&mappings, stack_pointer(&syscall)?)
        };
        let places: Vec<Range> = some_of(others, MOST_THREADS).into_iter().filter_map(place).collect();
        let found = places.len() as u64;
        // Two threads in one mapping that the kernel has joined must not count it twice.
        let ranges: BTreeSet<Range> = places.into_iter().collect();
        let bytes = resident(&pagemap, &ranges, page)?;
        (found > 0).then(|| main + (u128::from(bytes) * u128::from(all) / u128::from(found)) as u64)
    }

    /// From the top of the main thread's stack as far down as it has grown.
    fn main_stack(&self, pid: u32, status: &str, page: u64) -> Option<Range> {
        let size = fields::bytes(status, "VmStk")?.min(MOST_MAIN_BYTES);
        let environment = table::environment_end(&self.read(format!("proc/{pid}/stat")).ok()?)?;
        // Above the environment lies the program's name, and the end of the last page.
        let top = environment.checked_next_multiple_of(page)?.checked_add(page)?;
        Some((top.saturating_sub(size), top))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_stack_pointer_is_the_last_but_one() {
        let blocked = "202 0x7f2c8c000b60 0x189 0x0 0x0 0x0 0xffffffff 0x7f2c93ffed00 0x7f2c9a8a6f16\n";
        assert_eq!(stack_pointer(blocked), Some(0x7f2c_93ff_ed00));
        assert_eq!(stack_pointer("-1 0x7ffe6f0 0x40\n"), Some(0x7ff_e6f0));
        for text in ["running\n", "", "1", "7 0x 0x"] {
            assert_eq!(stack_pointer(text), None, "{text}");
        }
    }

    const MAPS: &str = "\
55d0c8a00000-55d0c8a21000 r--p 00000000 fe:00 1234 /usr/sbin/mariadbd
55d0c9a00000-55d0c9a21000 rw-p 00a00000 fe:00 1234 /usr/sbin/mariadbd
7f0000000000-7f0000001000 ---p 00000000 00:00 0
7f0000001000-7f000004a000 rw-p 00000000 00:00 0
7f000004a000-7f000004b000 ---p 00000000 00:00 0
7f000004b000-7f0002094000 rw-p 00000000 00:00 0
7ffd06d09000-7ffd06d2a000 rw-p 00000000 00:00 0                          [stack]
short
";

    #[test]
    fn a_stack_is_the_mapping_around_its_pointer() {
        let mappings = mappings(MAPS);
        assert_eq!(mappings.len(), 3, "{mappings:x?}");
        assert_eq!(around(&mappings, 0x7f00_0004_9ff0), Some((0x7f00_0000_1000, 0x7f00_0004_a000)));
        assert_eq!(around(&mappings, 0x7f00_0000_0800), None, "the guard page");
        assert_eq!(around(&mappings, 0x55d0_c9a0_0010), None, "a file's page");
        assert_eq!(around(&mappings, u64::MAX), None);
        let (start, end) = around(&mappings, 0x7f00_0100_0000).unwrap();
        assert_eq!((start, end), (0x7f00_0080_0000, 0x7f00_0180_0000), "what is joined to it counts in part only");
    }

    #[test]
    fn pages_that_are_there() {
        let entries: Vec<u8> =
            [PRESENT | 5, 1 << 62, 0, PRESENT].iter().flat_map(|entry: &u64| entry.to_ne_bytes()).collect();
        assert_eq!(present(&entries), 2);
        assert_eq!(present(&entries[..12]), 1, "half an entry is none");
        assert_eq!(some_of((0..10).collect(), 3), [0, 4, 8]);
        assert_eq!(some_of(vec![1, 2], 3), [1, 2]);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,200}", address in any::<u64>()) {
            let _ = stack_pointer(&text);
            let _ = around(&mappings(&format!("{MAPS}{text}")), address);
        }
    }
}
