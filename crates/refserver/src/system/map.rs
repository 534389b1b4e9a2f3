//! Memory by the page: of one process alone, or of several together.
//!
//! A newcomer would use a `Vec`. The allocator keeps what is given back, and may put several into one huge page; here a
//! page is there from its first touch until the mapping ends, and not a moment longer.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pages of memory. They are zero at first, take no room until they are touched, and end with this value.
#[derive(Debug)]
pub(crate) struct Map {
    start: NonNull<AtomicU64>,
    words: usize,
}

// SAFETY: the memory is reached through atomics only, and stays where it is until the value is dropped.
unsafe impl Send for Map {}
// SAFETY: the same.
unsafe impl Sync for Map {}

const WORD: usize = size_of::<AtomicU64>();

impl Map {
    /// Memory of this process alone: a forked child gets a copy.
    pub(crate) fn private(bytes: usize) -> io::Result<Self> {
        Self::new(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1)
    }

    /// Memory that forked children share with this process.
    pub(crate) fn inherited(bytes: usize) -> io::Result<Self> {
        Self::new(bytes, libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1)
    }

    /// The content of a file, shared with everybody who maps it. The file must not be cut off.
    pub(crate) fn of_file(file: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        Self::new(bytes, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn new(bytes: usize, flags: libc::c_int, file: libc::c_int) -> io::Result<Self> {
        let words = bytes.div_ceil(WORD).max(1);
        // SAFETY: the system chooses the address, so that no memory in use is replaced.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), words * WORD, libc::PROT_READ | libc::PROT_WRITE, flags, file, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        #[cfg(target_os = "linux")]
        // SAFETY: the range is the mapping just made. Huge pages would make neighbours' first touches free; where there
        // are none, the call fails and nothing is lost.
        unsafe {
            libc::madvise(start, words * WORD, libc::MADV_NOHUGEPAGE);
        }
        let start = NonNull::new(start.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Self { start, words })
    }

    /// All of it, as words.
    pub(crate) fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is that long, aligned to a page, readable and writable while `self` lives; any bytes are
        // valid atomics, and every access in every process goes through them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// Writes to every page.
    pub(crate) fn touch(&self) {
        let page = rustix::param::page_size() / WORD;
        for word in self.words().iter().step_by(page.max(1)) {
            word.fetch_add(1, Relaxed);
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: nobody can reach the memory any more: every reference to it borrows `self`.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.words * WORD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_ones_own() {
        let (a, b) = (Map::private(10_000).unwrap(), Map::inherited(1).unwrap());
        assert_eq!((a.words().len(), b.words().len()), (1250, 1));
        assert!(a.words().iter().all(|word| word.load(Relaxed) == 0));
        a.touch();
        assert_eq!((a.words()[0].load(Relaxed), a.words()[1].load(Relaxed)), (1, 0));
        assert_eq!((a.words()[512].load(Relaxed), a.words()[1024].load(Relaxed)), (1, 1));
        assert_eq!(b.words()[0].load(Relaxed), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_touched_mapping_takes_its_room_and_gives_it_back() {
        let resident = || {
            let all = std::fs::read_to_string("/proc/self/statm").unwrap();
            all.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * rustix::param::page_size()
        };
        const BYTES: usize = 64 << 20;
        // Other tests of this process come and go meanwhile: the mapping is far larger than they are.
        let near = |n: usize, m: usize| n.abs_diff(m) < BYTES / 4;
        let before = resident();
        let map = Map::private(BYTES).unwrap();
        assert!(near(resident(), before));
        map.touch();
        assert!(near(resident(), before + BYTES));
        drop(map);
        assert!(near(resident(), before));
    }
}
