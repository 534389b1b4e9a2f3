//! One thread of a scan: takes a folder, reads its list, counts.
//!
//! The loop over entries is what millions of files cost: it allocates nothing and asks the kernel nothing but the list
//! itself, unless sizes are wanted or a file system does not tell kinds.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::thread::Scope;

use rustix::fs::{FileType, RawDir, RawDirEntry, StatxFlags};
use rustix::io::Errno;

use super::detail::ask;
use super::part::{self, Part};
use super::place::{Base, Node, Place, fingerprint};
use super::share::{Item, Shared};
use super::tally::Tally;
use super::{Batch, Kinds, Sizes, What};
use crate::class::Counts;

/// The kernel fills it at each call. More does not make the kernel faster, and this stays in the processor's cache.
const BUFFER: usize = 128 << 10;

/// A folder that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) place: Place,
    dir: Arc<Base>,
    before: (i64, u64, i64, u64, i64),
    pub(super) files: u64,
    pub(super) folders: u64,
    pub(super) others: u64,
    pub(super) counts: Counts,
    /// Files that the progress knows.
    told: u64,
    /// When others read other parts of the same folder.
    part: Option<Part>,
}

#[derive(Debug)]
pub(super) enum End {
    Read,
    Stopped,
    LaidAside,
}

pub(super) struct Worker<'s, 'a> {
    pub(super) shared: &'s Shared<'a>,
    pub(super) tally: Tally,
    own: Vec<Item>,
    /// Folders met in the folder that is being read, with their inodes.
    met: Vec<(u64, Place)>,
    buffer: Vec<u8>,
    counts: Counts,
    pub(super) batch: Batch,
    detailed: bool,
    pub(super) visited: bool,
}

impl<'s, 'a> Worker<'s, 'a> {
    pub(super) fn new(shared: &'s Shared<'a>) -> Self {
        Self {
            shared,
            tally: Tally::default(),
            own: Vec::new(),
            met: Vec::new(),
            buffer: Vec::with_capacity(BUFFER),
            counts: Counts::default(),
            batch: Batch::default(),
            detailed: shared.options.sizes == Sizes::Yes,
            visited: shared.visit.is_some(),
        }
    }

    pub(super) fn run(mut self, scope: &'s Scope<'s, '_>) -> Tally {
        while let Some(item) = self.shared.next(&mut self.own) {
            let reading = match item {
                Item::Fresh(place) => self.open(place),
                Item::Rest(reading) => Some(*reading),
            };
            match reading {
                Some(reading) => self.read(reading, scope),
                // It may have come apart.
                None => self.shared.share(&mut self.own, scope),
            }
        }
        for item in std::mem::take(&mut self.own) {
            match item {
                Item::Fresh(_) => self.tally.left += 1,
                Item::Rest(reading) => self.conclude(*reading, &Ok(End::Stopped)),
            }
        }
        self.tally
    }

    fn open(&mut self, place: Place) -> Option<Reading> {
        let most = self.shared.options.examples;
        let opened = self.shared.opener.open(&place).and_then(|fd| Ok((rustix::fs::fstat(&fd)?, fd)));
        let (stat, fd) = match opened {
            Ok(opened) => opened,
            Err(e) => {
                let told = match e {
                    Errno::XDEV => &mut self.tally.other_file_systems,
                    // A link or a file may stand in its place by now.
                    Errno::NOENT | Errno::NOTDIR | Errno::LOOP => &mut self.tally.vanished,
                    _ => &mut self.tally.unreadable,
                };
                told.tell(most, &place.node, None, Some(std::io::Error::from(e).to_string()));
                return None;
            }
        };
        if place.base.is_some()
            && self.shared.roots.len() > 1
            && self.shared.roots.contains(&(stat.st_dev, stat.st_ino))
        {
            return None;
        }
        self.tally.met_depth(&place.node);
        let dir = self.shared.opener.base(fd, &place);
        let before = fingerprint(&stat);
        let parts = part::split(&dir.fd, stat.st_size, self.shared.most_threads);
        if parts.is_empty() {
            let counts = std::mem::take(&mut self.counts);
            return Some(Reading { place, dir, before, files: 0, folders: 0, others: 0, counts, told: 0, part: None });
        }
        for part in parts {
            let place = Place { base: place.base.clone(), node: Arc::clone(&place.node) };
            let (dir, counts, part) = (Arc::clone(&dir), Counts::default(), Some(part));
            let reading = Reading { place, dir, before, files: 0, folders: 0, others: 0, counts, told: 0, part };
            self.own.push(Item::Rest(Box::new(reading)));
        }
        None
    }

    fn read(&mut self, mut reading: Reading, scope: &'s Scope<'s, '_>) {
        let end = self.entries(&mut reading, scope);
        self.flush(&reading);
        self.tell(&mut reading);
        match end {
            Ok(End::LaidAside) => {
                self.own.push(Item::Rest(Box::new(reading)));
                self.take_met();
            }
            end => {
                self.take_met();
                self.conclude(reading, &end);
            }
        }
        self.shared.share(&mut self.own, scope);
    }

    fn entries(&mut self, reading: &mut Reading, scope: &'s Scope<'s, '_>) -> Result<End, Errno> {
        let dir = Arc::clone(&reading.dir);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut part = reading.part.take();
        let fd = part.as_ref().map_or(dir.fd.as_fd(), |part| part.list.as_fd());
        let (mut position, until) = part.as_ref().map_or((0, u64::MAX), |part| (part.from, part.until));
        let mut list = RawDir::new(fd, buffer.spare_capacity_mut());
        let end = loop {
            match list.next() {
                // From here on it is another one's part.
                Some(Ok(_)) if position >= until => break Ok(End::Read),
                Some(Ok(entry)) => {
                    position = entry.next_entry_cookie();
                    self.entry(reading, dir.fd.as_fd(), &entry);
                }
                Some(Err(e)) => break Err(e),
                None => break Ok(End::Read),
            }
            if list.is_buffer_empty()
                && let Some(end) = self.between_buffers(reading, scope)
            {
                break Ok(end);
            }
        };
        self.buffer = buffer;
        if let Some(part) = &mut part {
            part.from = position;
        }
        reading.part = part;
        end
    }

    #[inline]
    fn entry(&mut self, reading: &mut Reading, dir: BorrowedFd<'_>, entry: &RawDirEntry<'_>) {
        let name = entry.file_name().to_bytes();
        let mut kind = entry.file_type();
        if kind == FileType::Unknown || self.shared.options.kinds == Kinds::Ask {
            match ask(dir, name, StatxFlags::TYPE) {
                Ok(stat) => kind = FileType::from_raw_mode(stat.stx_mode.into()),
                // Gone since the list was made: not an entry any more.
                Err(_) => return,
            }
        }
        match kind {
            FileType::RegularFile => {
                reading.files += 1;
                reading.counts.add(name);
                if self.detailed || self.visited {
                    let detail = if self.detailed { self.detail(dir, name) } else { None };
                    self.visit(reading, name, What::File, detail);
                }
            }
            FileType::Directory if matches!(name, b"." | b"..") => return,
            FileType::Directory => {
                reading.folders += 1;
                self.visit(reading, name, What::Folder, None);
                let base = if reading.dir.stays() { Some(&reading.dir) } else { reading.place.base.as_ref() };
                let node = Node::child(&reading.place.node, name);
                self.met.push((entry.ino(), Place { base: base.cloned(), node }));
            }
            _ => {
                reading.others += 1;
                self.visit(reading, name, What::Other, None);
            }
        }
        if !name.is_ascii() && std::str::from_utf8(name).is_err() {
            self.tally.not_utf8.tell(self.shared.options.examples, &reading.place.node, Some(name), None);
        }
    }

    fn between_buffers(&mut self, reading: &mut Reading, scope: &'s Scope<'s, '_>) -> Option<End> {
        self.tell(reading);
        if self.shared.stop.load(Relaxed) {
            return Some(End::Stopped);
        }
        if self.own.len() + self.met.len() >= self.shared.options.waiting && !self.met.is_empty() && reading.dir.stays()
        {
            return Some(End::LaidAside);
        }
        self.shared.share(&mut self.own, scope);
        None
    }

    fn tell(&self, reading: &mut Reading) {
        self.shared.files.fetch_add(reading.files - reading.told, Relaxed);
        reading.told = reading.files;
    }

    /// In the order of inodes, which is nearly that of a disk, the first to be taken last on the stack.
    fn take_met(&mut self) {
        self.met.sort_unstable_by_key(|(inode, _)| std::cmp::Reverse(*inode));
        self.own.extend(self.met.drain(..).map(|(_, place)| Item::Fresh(place)));
    }

    fn conclude(&mut self, mut reading: Reading, end: &Result<End, Errno>) {
        let mut end = end;
        let joined;
        if let Some(part) = reading.part.take() {
            let mut whole = part.whole.lock().unwrap_or_else(PoisonError::into_inner);
            let last = whole.join(&mut reading, end);
            self.counts = std::mem::take(&mut reading.counts);
            if !last {
                return;
            }
            (reading.files, reading.folders, reading.others) = (whole.files, whole.folders, whole.others);
            reading.counts = std::mem::take(&mut whole.counts);
            joined = std::mem::replace(&mut whole.end, Ok(End::Read));
            end = &joined;
        }
        let options = self.shared.options;
        let node = &reading.place.node;
        match end {
            Ok(End::Stopped) => self.tally.left += 1,
            Ok(_) => {
                if let Ok(after) = rustix::fs::fstat(&reading.dir.fd) {
                    if after.st_nlink == 0 {
                        self.tally.vanished.tell(options.examples, node, None, None);
                    } else if fingerprint(&after) != reading.before {
                        self.tally.changed.tell(options.examples, node, None, None);
                    }
                }
            }
            // The kernel's answer for a folder that was removed while it is open.
            Err(Errno::NOENT) => self.tally.vanished.tell(options.examples, node, None, None),
            Err(e) => {
                let why = std::io::Error::from(*e).to_string();
                self.tally.unreadable.tell(options.examples, node, None, Some(why));
            }
        }
        self.shared.folders.fetch_add(1, Relaxed);
        self.tally.totals.files += reading.files;
        self.tally.totals.folders += reading.folders;
        self.tally.totals.others += reading.others;
        self.tally.distribution.add(reading.files);
        let top_class = self.tally.counts.absorb(&mut reading.counts);
        self.counts = reading.counts;
        self.tally.largest.add(options.largest, reading.files, reading.folders, top_class, node);
    }
}
