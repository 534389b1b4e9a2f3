//! What a scan found, and what it could not.

use std::path::PathBuf;
use std::time::Duration;

use crate::class::{ClassCount, Classes};

/// Entries of all folders. The roots themselves are not entries; `.` and `..` never count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Regular files. A file with two names counts twice: a folder pays for names.
    pub files: u64,
    /// Folders below the roots, those that could not be read included.
    pub folders: u64,
    /// Symbolic links, devices, sockets, pipes.
    pub others: u64,
}

/// Bytes of regular files, each inode once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes {
    /// As the files say.
    pub apparent: u64,
    /// As the disk holds them (blocks of 512 bytes).
    pub allocated: u64,
    /// Inodes with more than one name.
    pub linked_files: u64,
    /// Names beyond the first of these that the scan met.
    pub extra_links: u64,
    /// Files that were gone or refused to tell their size.
    pub unknown: u64,
}

/// A folder and what it holds directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeFolder {
    /// Where.
    pub path: PathBuf,
    /// Regular files in it.
    pub files: u64,
    /// Folders in it.
    pub folders: u64,
    /// Levels below its root.
    pub depth: u32,
    /// The class of names with the most files in it.
    pub top_class: Option<ClassCount>,
}

/// How many folders hold how many files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distribution {
    /// Folders without files; with 1; with 2 or 3; 4 to 7; and so on: the number of binary digits of the count.
    pub folders: [u64; 65],
}

impl Default for Distribution {
    fn default() -> Self {
        Self { folders: [0; 65] }
    }
}

impl Distribution {
    pub(crate) fn add(&mut self, files: u64) {
        self.folders[(u64::BITS - files.leading_zeros()) as usize] += 1;
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.folders.iter_mut().zip(other.folders).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The buckets that hold folders: the fewest files, the most files, folders.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let bounds = |at: usize| match at {
            0 => (0, 0),
            _ => (1 << (at - 1), (1_u64 << (at - 1)) - 1 + (1 << (at - 1))),
        };
        self.folders.into_iter().enumerate().filter(|(_, n)| *n > 0).map(move |(at, n)| (bounds(at).0, bounds(at).1, n))
    }
}

/// One case of something told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Where: a folder, or for names the whole path.
    pub path: PathBuf,
    /// What the system said, when it said something.
    pub why: Option<String>,
}

/// A number of cases and the first few of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// All.
    pub count: u64,
    /// The first few that were met.
    pub examples: Vec<Example>,
}

impl Told {
    pub(crate) fn absorb(&mut self, other: Self, most: usize) {
        self.count += other.count;
        let room = most.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }
}

/// The folder that lies deepest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deepest {
    /// Levels below its root.
    pub depth: u32,
    /// Where.
    pub path: PathBuf,
}

/// Why counts are not the whole truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partial {
    /// The scan was stopped; so many folders known by then were not read to their end.
    Interrupted {
        /// Folders.
        folders_left: u64,
    },
    /// Folders could not be read.
    Unreadable {
        /// Folders.
        folders: u64,
    },
    /// Folders changed while they were read: entries made or removed meanwhile count or do not.
    Changed {
        /// Folders.
        folders: u64,
    },
    /// Folders were gone before they were read, or while.
    Vanished {
        /// Folders.
        folders: u64,
    },
    /// Files whose size is not known are missing in the bytes.
    SizesUnknown {
        /// Files.
        files: u64,
    },
    /// There were more files with several names than memory is spent on: bytes beyond them count once for each name.
    TooManyLinks,
    /// Who was told of the entries failed, and was told no more: the list is not complete, the counts are.
    ListFailed {
        /// What the system said.
        why: String,
    },
}

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Where it began.
    pub roots: Vec<PathBuf>,
    /// Entries.
    pub totals: Totals,
    /// When asked for.
    pub bytes: Option<Bytes>,
    /// Folders with the most files, the largest first.
    pub largest: Vec<LargeFolder>,
    /// Files per folder, the roots included.
    pub distribution: Distribution,
    /// The deepest folder that was read.
    pub deepest: Deepest,
    /// Classes of names.
    pub classes: Classes,
    /// Files and folders whose names are not UTF-8. They count like any other.
    pub not_utf8: Told,
    /// Folders that could not be read.
    pub unreadable: Told,
    /// Folders on other file systems, not entered. They count as folders.
    pub other_file_systems: Told,
    /// Folders that were gone before or while they were read.
    pub vanished: Told,
    /// Folders that changed while they were read.
    pub changed: Told,
    /// Why the counts are not the whole truth; empty when they are.
    pub partial: Vec<Partial>,
    /// The most threads that read at once.
    pub threads: usize,
    /// How long it took.
    pub elapsed: Duration,
}
