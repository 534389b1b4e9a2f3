//! Where a folder is, and how it is opened: from the nearest folder above it that is open.
//!
//! A newcomer would open whole paths. They have a limit of 4,096 bytes that trees do not have, and the kernel would walk
//! them from the root each time; but descriptors are bounded too, so only some folders stay open.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::fs::{Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::FileSystems;

/// A folder's name and the folder it is in.
#[derive(Debug)]
pub(super) struct Node {
    parent: Option<Arc<Node>>,
    name: Box<[u8]>,
    pub(super) depth: u32,
}

impl Node {
    pub(super) fn root(path: &[u8]) -> Arc<Self> {
        Arc::new(Self { parent: None, name: path.into(), depth: 0 })
    }

    pub(super) fn child(parent: &Arc<Node>, name: &[u8]) -> Arc<Self> {
        Arc::new(Self { parent: Some(Arc::clone(parent)), name: name.into(), depth: parent.depth + 1 })
    }

    /// The names from below a folder so many levels up down to this one.
    fn names(&self, levels: u32) -> Vec<&[u8]> {
        let mut names = Vec::with_capacity(levels as usize);
        let mut at = Some(self);
        while let Some(node) = at.filter(|_| names.len() < levels as usize) {
            names.push(&*node.name);
            at = node.parent.as_deref();
        }
        names.reverse();
        names
    }

    pub(super) fn path(&self) -> PathBuf {
        self.names(self.depth + 1).into_iter().map(OsStr::from_bytes).collect()
    }
}

/// Without recursion: a tree may be deeper than a stack.
impl Drop for Node {
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(node) = next {
            next = Arc::into_inner(node).and_then(|mut node| node.parent.take());
        }
    }
}

/// A folder that is open, for those below it too.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) fd: OwnedFd,
    depth: u32,
    kept_open: Option<Arc<AtomicUsize>>,
}

impl Base {
    /// Whether it may stay open for those below it. Otherwise they start from where this one was opened from.
    pub(super) fn stays(&self) -> bool {
        self.kept_open.is_some()
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        if let Some(kept_open) = &self.kept_open {
            kept_open.fetch_sub(1, Relaxed);
        }
    }
}

/// A folder that is to be read.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) base: Option<Arc<Base>>,
    pub(super) node: Arc<Node>,
}

/// Opens folders, and keeps some of them open.
#[derive(Debug)]
pub(super) struct Opener {
    file_systems: FileSystems,
    /// Whether the kernel has `openat2` (5.6, and no filter forbids it): it refuses mount points, bind mounts included.
    openat2: bool,
    kept_open: Arc<AtomicUsize>,
    most_open: usize,
}

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// Below the kernel's limit for one path.
const MOST_BYTES: usize = 4_000;

impl Opener {
    pub(super) fn new(file_systems: FileSystems) -> Self {
        let flags = ResolveFlags::NO_XDEV;
        let openat2 =
            rustix::fs::openat2(rustix::fs::CWD, c"/", FLAGS, Mode::empty(), flags | ResolveFlags::NO_SYMLINKS);
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(1 << 20);
        let most_open = usize::try_from(files / 4).unwrap_or(usize::MAX).clamp(8, 512);
        Self { file_systems, openat2: openat2.is_ok(), kept_open: Arc::default(), most_open }
    }

    /// A folder somebody named: a symbolic link to it is followed.
    pub(super) fn root(path: &[u8]) -> Result<OwnedFd, Errno> {
        rustix::fs::openat(rustix::fs::CWD, path, FLAGS.difference(OFlags::NOFOLLOW), Mode::empty())
    }

    /// A folder that was met. `EXDEV` when it is on another file system that is not to be entered.
    pub(super) fn open(&self, place: &Place) -> Result<OwnedFd, Errno> {
        let Some(base) = &place.base else { return Self::root(&place.node.name) };
        if place.node.depth == base.depth + 1 {
            return self.step(&base.fd, &place.node.name);
        }
        let names = place.node.names(place.node.depth - base.depth);
        let mut at: Option<OwnedFd> = None;
        for part in self.parts(&names) {
            at = Some(self.step(at.as_ref().unwrap_or(&base.fd), &part)?);
        }
        at.ok_or(Errno::NOENT)
    }

    /// As few steps as paths may be long. Without `openat2` a link could be followed in the middle: one name a step.
    fn parts(&self, names: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for name in names {
            match parts.last_mut().filter(|part| self.openat2 && part.len() + name.len() < MOST_BYTES) {
                Some(part) => {
                    part.push(b'/');
                    part.extend_from_slice(name);
                }
                None => parts.push(name.to_vec()),
            }
        }
        parts
    }

    fn step(&self, from: &OwnedFd, path: &[u8]) -> Result<OwnedFd, Errno> {
        if !self.openat2 {
            let fd = rustix::fs::openat(from, path, FLAGS, Mode::empty())?;
            let crossed = rustix::fs::fstat(&fd)?.st_dev != rustix::fs::fstat(from)?.st_dev;
            return if crossed && self.file_systems == FileSystems::One { Err(Errno::XDEV) } else { Ok(fd) };
        }
        let one = match self.file_systems {
            FileSystems::One => ResolveFlags::NO_XDEV,
            FileSystems::All => ResolveFlags::empty(),
        };
        loop {
            match rustix::fs::openat2(from, path, FLAGS, Mode::empty(), one | ResolveFlags::NO_SYMLINKS) {
                // A rename somewhere made the kernel unsure: it asks to be asked again.
                Err(Errno::AGAIN | Errno::INTR) => {}
                other => return other,
            }
        }
    }

    /// A folder that was opened. Descriptors are few: beyond some, folders close before those below them are read.
    pub(super) fn base(&self, fd: OwnedFd, place: &Place) -> Arc<Base> {
        let stays = self.kept_open.fetch_add(1, Relaxed) < self.most_open || place.base.is_none();
        if !stays {
            self.kept_open.fetch_sub(1, Relaxed);
        }
        Arc::new(Base { fd, depth: place.node.depth, kept_open: stays.then(|| Arc::clone(&self.kept_open)) })
    }
}

/// What tells that a folder changed. Never its number of links: that says nothing about folders of many file systems.
pub(super) fn fingerprint(stat: &Stat) -> (i64, u64, i64, u64, i64) {
    (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec, stat.st_size)
}
