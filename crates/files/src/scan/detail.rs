//! What a scan does for a single entry beyond counting it, when somebody wants that: its size, and telling of it.

use std::os::fd::BorrowedFd;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::{AtFlags, Statx, StatxFlags};
use rustix::io::Errno;

use super::worker::{Reading, Worker};
use super::{Detail, What};

/// Names of one batch, in bytes.
const MOST_BATCH: usize = 64 << 10;
/// So many files with several names are remembered: 16 bytes each, and the table around them.
const MOST_LINKS: usize = 4_000_000;

impl Worker<'_, '_> {
    pub(super) fn visit(&mut self, reading: &Reading, name: &[u8], what: What, detail: Option<Detail>) {
        if self.visited {
            self.batch.push(name, what, detail);
            if self.batch.names.len() >= MOST_BATCH {
                self.flush(reading);
            }
        }
    }

    pub(super) fn flush(&mut self, reading: &Reading) {
        if let Some(visit) = self.shared.visit
            && !self.batch.entries.is_empty()
            && !self.shared.deaf.load(Relaxed)
            && let Err(e) = visit.batch(&reading.place.node.path(), &self.batch)
        {
            self.shared.deaf.store(true, Relaxed);
            self.tally.list_failed = Some(e.to_string());
        }
        self.batch.clear();
    }

    pub(super) fn detail(&mut self, dir: BorrowedFd<'_>, name: &[u8]) -> Option<Detail> {
        let Ok(stat) = ask(dir, name, StatxFlags::BASIC_STATS) else {
            self.tally.bytes.unknown += 1;
            return None;
        };
        if stat.stx_nlink <= 1 || self.first_name(&stat) {
            self.tally.bytes.apparent += stat.stx_size;
            self.tally.bytes.allocated += stat.stx_blocks * 512;
        } else {
            self.tally.bytes.extra_links += 1;
        }
        Some(Detail { size: stat.stx_size, mtime: stat.stx_mtime.tv_sec })
    }

    /// Whether a file with several names is met for the first time.
    fn first_name(&mut self, stat: &Statx) -> bool {
        let mut links = self.shared.links.lock().unwrap_or_else(PoisonError::into_inner);
        let device = u64::from(stat.stx_dev_major) << 32 | u64::from(stat.stx_dev_minor);
        let file = (device, stat.stx_ino);
        if links.len() >= MOST_LINKS && !links.contains(&file) {
            self.tally.too_many_links = true;
            return true;
        }
        let first = links.insert(file);
        self.tally.bytes.linked_files += u64::from(first);
        first
    }
}

/// As the kernel has it in its memory: a network file system is not asked again.
pub(super) fn ask(dir: BorrowedFd<'_>, name: &[u8], what: StatxFlags) -> Result<Statx, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    rustix::fs::statx(dir, name, flags, what)
}
