//! A large folder of ext4 read by several threads at once.
//!
//! A newcomer would think that the list of one folder has one reader. ext4 lists a folder in the order of the hashes of its
//! names, and a position in the list is such a hash: a list can be entered at any of them. Each thread reads from one
//! position to where the next one began. Where positions are something else, the first thread meets none that is another
//! one's and reads all of it, and the others find nothing: in no case is an entry seen twice, or by nobody.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use super::worker::{End, Reading};
use crate::class::Counts;

/// Below this a folder is read before a second thread has started: some 20,000 names.
const LEAST_BYTES: i64 = 1 << 20;
/// `EXT4_SUPER_MAGIC`.
const EXT4: i64 = 0xEF53;
/// Positions lie below: 31 bits of the hash, 32 bits of another one.
const POSITIONS: u64 = 1 << 63;
/// More threads at one folder wait for each other.
const MOST_PARTS: usize = 8;

/// What one thread reads of a folder.
#[derive(Debug)]
pub(super) struct Part {
    /// A descriptor of its own, because it holds the position.
    pub(super) list: OwnedFd,
    /// The position of the entry that comes next.
    pub(super) from: u64,
    /// The first position that is another one's.
    pub(super) until: u64,
    pub(super) whole: Arc<Mutex<Whole>>,
}

/// What the parts of a folder make together.
#[derive(Debug)]
pub(super) struct Whole {
    left: usize,
    pub(super) files: u64,
    pub(super) folders: u64,
    pub(super) others: u64,
    pub(super) counts: Counts,
    /// How it ended: badly, if one part did.
    pub(super) end: Result<End, Errno>,
}

impl Whole {
    /// Takes a part over; whether it was the last one.
    pub(super) fn join(&mut self, part: &mut Reading, end: &Result<End, Errno>) -> bool {
        self.files += part.files;
        self.folders += part.folders;
        self.others += part.others;
        self.counts.absorb(&mut part.counts);
        match end {
            Ok(End::Stopped) if self.end.is_ok() => self.end = Ok(End::Stopped),
            Err(e) => self.end = Err(*e),
            Ok(_) => {}
        }
        self.left -= 1;
        self.left == 0
    }
}

/// The parts of a folder, one for each thread; none when it is to be read by one.
pub(super) fn split(folder: &OwnedFd, bytes: i64, threads: usize) -> Vec<Part> {
    let number = threads.min(MOST_PARTS);
    if number < 2 || bytes < LEAST_BYTES || !rustix::fs::fstatfs(folder).is_ok_and(|about| about.f_type == EXT4) {
        return Vec::new();
    }
    let whole = Whole { left: number, files: 0, folders: 0, others: 0, counts: Counts::default(), end: Ok(End::Read) };
    let whole = Arc::new(Mutex::new(whole));
    let step = POSITIONS / number as u64;
    let part = |at: u64| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let list = rustix::fs::openat(folder, c".", flags, Mode::empty())?;
        let from = at * step;
        rustix::fs::seek(&list, SeekFrom::Start(from))?;
        let until = if at + 1 == number as u64 { u64::MAX } else { from + step };
        Ok(Part { list, from, until, whole: Arc::clone(&whole) })
    };
    // A folder without an index refuses such positions: then there are no parts.
    (0..number as u64).map(part).collect::<Result<_, Errno>>().unwrap_or_default()
}
