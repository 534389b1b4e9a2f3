//! Counting a tree: by folder, by class of names, without a question about any file.
//!
//! A newcomer would expect a list of files. Nothing is kept for a file: a folder of twelve million entries streams through
//! one buffer. What is kept is a little for each folder that waits to be read, and the largest folders seen.

mod detail;
mod part;
mod place;
mod result;
mod share;
mod tally;
mod worker;

use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use result::{Bytes, Deepest, Distribution, Example, LargeFolder, Partial, Scan, Told, Totals};

use place::{Node, Opener, Place};
use share::{Item, Shared};

/// Whether files are asked for their sizes: six times the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sizes {
    /// No question is asked.
    #[default]
    No,
    /// Each regular file is asked.
    Yes,
}

/// Which file systems are entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSystems {
    /// That of each root, and through no other mount, be it of the same file system.
    #[default]
    One,
    /// All that are mounted below.
    All,
}

/// How many threads read folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// One to begin with, more when folders wait: as many as processors, up to four times as many when disks keep them
    /// waiting.
    #[default]
    Adaptive,
    /// At most so many.
    Exactly(NonZeroUsize),
}

/// Where the kind of an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kinds {
    /// From the folder; only an entry whose kind it does not hold is asked.
    #[default]
    Folder,
    /// Each entry is asked: for file systems whose folders lie.
    Ask,
}

/// What is wanted of a scan.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Sizes of files.
    pub sizes: Sizes,
    /// Other file systems.
    pub file_systems: FileSystems,
    /// Threads.
    pub threads: Threads,
    /// Kinds of entries.
    pub kinds: Kinds,
    /// How many of the largest folders are kept.
    pub largest: usize,
    /// How many classes of names are told.
    pub classes: usize,
    /// How many cases of each trouble are told.
    pub examples: usize,
    /// With so many folders waiting to be read on one thread, a folder is laid aside until those that were met in it are
    /// read: what bounds memory when folders lie in folders by the million.
    pub waiting: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sizes: Sizes::default(),
            file_systems: FileSystems::default(),
            threads: Threads::default(),
            kinds: Kinds::default(),
            largest: 20,
            classes: 64,
            examples: 5,
            waiting: 100_000,
        }
    }
}

/// How far a scan is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Files so far.
    pub files: u64,
    /// Folders read so far.
    pub folders: u64,
    /// Since the start.
    pub elapsed: Duration,
    /// Entries of the last tenth of a second, as a rate.
    pub files_per_s: f64,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a device, a socket, a pipe.
    Other,
    /// A list did not say.
    Unknown,
}

/// Some entries of one folder.
#[derive(Debug, Default)]
pub struct Batch {
    names: Vec<u8>,
    entries: Vec<(usize, What, Option<Detail>)>,
}

/// What a file says when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Bytes.
    pub size: u64,
    /// Last change, seconds since 1970.
    pub mtime: i64,
}

impl Batch {
    fn push(&mut self, name: &[u8], what: What, detail: Option<Detail>) {
        self.names.extend_from_slice(name);
        self.entries.push((self.names.len(), what, detail));
    }

    fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    /// Names, what they are, and for files that were asked what they said.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], What, Option<Detail>)> {
        let starts = std::iter::once(0).chain(self.entries.iter().map(|(end, ..)| *end));
        starts.zip(&self.entries).map(|(start, (end, what, detail))| (&self.names[start..*end], *what, *detail))
    }
}

/// Who wants to hear of each entry. Called by all threads at once, with some entries of one folder at a time; a folder
/// comes in as many parts as it needs.
pub trait Visit: Sync {
    /// An error ends the telling, not the scan.
    fn batch(&self, folder: &Path, batch: &Batch) -> std::io::Result<()>;
}

/// Who looks on.
#[derive(Default)]
pub struct Watch<'a> {
    /// Called on the thread that called [`scan`], ten times a second.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Ends the scan with what there is.
    pub stop: Option<&'a AtomicBool>,
    /// Hears of each entry.
    pub visit: Option<&'a dyn Visit>,
}

/// A scan that cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A root is missing, is no folder, or is closed to us.
    #[error("{path} cannot be read as a folder: {source}; name a folder that this account may list")]
    Root {
        /// As it was named.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Counts what is below some folders. A root that lies below another one is counted once.
pub fn scan(roots: &[PathBuf], options: &Options, mut watch: Watch<'_>) -> Result<Scan, ScanError> {
    let started = Instant::now();
    let never = AtomicBool::new(false);
    let mut shared = Shared::new(options, Opener::new(options.file_systems), watch.stop.unwrap_or(&never), watch.visit);
    let mut items = Vec::new();
    for path in roots {
        let identity = identity(path).map_err(|e| ScanError::Root { path: path.clone(), source: e.into() })?;
        if shared.roots.contains(&identity) {
            continue;
        }
        shared.roots.push(identity);
        let node = Node::root(path.as_os_str().as_bytes());
        items.push(Item::Fresh(Place { base: None, node }));
    }
    let (tally, threads) = shared.run(items, &mut |progress| {
        if let Some(tell) = &mut watch.progress {
            tell(progress);
        }
    });
    Ok(tally.finish(roots, options, threads, started.elapsed()))
}

fn identity(path: &Path) -> Result<(u64, u64), rustix::io::Errno> {
    let stat = rustix::fs::fstat(Opener::root(path.as_os_str().as_bytes())?)?;
    Ok((stat.st_dev, stat.st_ino))
}
