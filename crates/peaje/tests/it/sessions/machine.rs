//! A smaller machine to test on: a memory control group (version 1 or 2, whichever this machine has) and a swap file where
//! the machine has no swap. Both are gone when they are dropped; where they cannot be had, the test fails and says why.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::wait_for;

/// Names of groups differ.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A control group with a limit of memory, and swap without one.
pub(super) struct Group {
    pub(super) folder: PathBuf,
    swap: Option<Swap>,
}

impl Group {
    /// Of so many bytes; with at least `swap` bytes of free swap on the machine.
    pub(super) fn of(limit: u64, swap: u64) -> Self {
        let swap = Swap::at_least(swap);
        let name = format!("peaje-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let (folder, file) = hierarchy(&name);
        std::fs::create_dir(&folder)
            .unwrap_or_else(|error| panic!("no control group {} ({error}): {ROOT}", folder.display()));
        let group = Self { folder, swap };
        write(&group.folder.join(file), &limit.to_string());
        group
    }
}

impl Group {
    /// Puts processes into it: what they and their children touch from now on counts there.
    pub(super) fn take(&self, pids: &[u32]) {
        for pid in pids {
            // One that has ended meanwhile needs no place.
            let _ = std::fs::write(self.folder.join("cgroup.procs"), pid.to_string());
        }
    }
}

const ROOT: &str = "this test needs root and a memory controller of control groups, version 1 or 2";

/// The folder of a group of this name, and the file of its limit.
fn hierarchy(name: &str) -> (PathBuf, &'static str) {
    let v1 = Path::new("/sys/fs/cgroup/memory");
    if v1.join("memory.limit_in_bytes").exists() {
        return (v1.join(name), "memory.limit_in_bytes");
    }
    for v2 in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new) {
        let controllers = std::fs::read_to_string(v2.join("cgroup.controllers")).unwrap_or_default();
        if controllers.split_whitespace().any(|controller| controller == "memory") {
            write(&v2.join("cgroup.subtree_control"), "+memory");
            return (v2.join(name), "memory.max");
        }
    }
    panic!("there is no memory controller below /sys/fs/cgroup: {ROOT}");
}

fn write(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap_or_else(|error| panic!("{} cannot be written ({error}): {ROOT}", file.display()));
}

impl Drop for Group {
    fn drop(&mut self) {
        // Processes that have just ended may still be listed.
        for _ in 0..250 {
            if std::fs::remove_dir(&self.folder).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(self.swap.take());
    }
}

/// A swap file in a throwaway folder.
struct Swap {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Swap {
    /// `None` when the machine has as much.
    fn at_least(bytes: u64) -> Option<Self> {
        if free_swap() >= bytes {
            return None;
        }
        let folder = tempfile::Builder::new().prefix("peaje-swap-").tempdir().expect("a folder");
        let file = folder.path().join("swap");
        run("fallocate", &["-l", &(bytes + (1 << 20)).to_string(), path(&file)]);
        run("chmod", &["600", path(&file)]);
        run("mkswap", &[path(&file)]);
        run("swapon", &[path(&file)]);
        Some(Self { file, _folder: folder })
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        run("swapoff", &[path(&self.file)]);
    }
}

fn free_swap() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").expect("Linux");
    let line = text.lines().find_map(|line| line.strip_prefix("SwapFree:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

fn path(path: &Path) -> &str {
    path.to_str().expect("plain")
}

fn run(program: &str, args: &[&str]) {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let output = Command::new(program).args(args).env("PATH", path).output();
    let output =
        output.unwrap_or_else(|error| panic!("{program} is missing ({error}): Debian packages mount and util-linux"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {said}: swap needs root");
}

/// A process and its descendants.
pub(super) fn tree(root: u32) -> Vec<u32> {
    let mut all = vec![root];
    let parents: Vec<(u32, u32)> = pids().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut at = 0;
    while let Some(&of) = all.get(at) {
        all.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        at += 1;
    }
    all
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The proportional set sizes of these processes added up, bytes: the test's own sum.
pub(super) fn pss(pids: &[u32]) -> u64 {
    pids.iter()
        .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok())
        .map(|text| pss_of(&text))
        .sum()
}

fn pss_of(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") * 1024
}

/// Waits until none of these processes lives.
pub(super) fn are_gone(pids: &[u32]) {
    let lives = |pid: &u32| Path::new(&format!("/proc/{pid}/cmdline")).exists();
    wait_for("processes have ended", Duration::from_secs(10), || !pids.iter().any(lives));
}
