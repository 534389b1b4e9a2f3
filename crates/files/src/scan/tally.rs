//! What one thread of a scan has found, and how such findings become one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::place::Node;
use super::result::{Bytes, Deepest, Distribution, Example, LargeFolder, Partial, Scan, Told, Totals};
use super::{Options, Sizes};
use crate::class::{ClassCount, Counts};

/// A folder that was read, as long as it is one of the largest.
#[derive(Debug)]
struct Large {
    files: u64,
    folders: u64,
    top_class: Option<ClassCount>,
    node: Arc<Node>,
}

/// The largest folders, in bounded room.
#[derive(Debug, Default)]
pub(super) struct Largest(BinaryHeap<Reverse<Large>>);

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) totals: Totals,
    pub(super) bytes: Bytes,
    pub(super) too_many_links: bool,
    pub(super) largest: Largest,
    pub(super) distribution: Distribution,
    pub(super) deepest: Option<Arc<Node>>,
    pub(super) counts: Counts,
    pub(super) not_utf8: Told,
    pub(super) unreadable: Told,
    pub(super) other_file_systems: Told,
    pub(super) vanished: Told,
    pub(super) changed: Told,
    pub(super) left: u64,
    pub(super) list_failed: Option<String>,
}

impl Large {
    fn key(&self) -> (u64, u64) {
        (self.files, self.folders)
    }
}

impl Ord for Large {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Large {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Large {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Large {}

impl Largest {
    pub(super) fn add(
        &mut self,
        most: usize,
        files: u64,
        folders: u64,
        top_class: Option<ClassCount>,
        node: &Arc<Node>,
    ) {
        let full = self.0.len() >= most;
        if full && self.0.peek().is_none_or(|Reverse(least)| least.key() >= (files, folders)) {
            return;
        }
        if full {
            self.0.pop();
        }
        self.0.push(Reverse(Large { files, folders, top_class, node: Arc::clone(node) }));
    }

    fn told(self) -> Vec<LargeFolder> {
        let tell = |Reverse(large): Reverse<Large>| LargeFolder {
            path: large.node.path(),
            files: large.files,
            folders: large.folders,
            depth: large.node.depth,
            top_class: large.top_class,
        };
        let mut told: Vec<LargeFolder> = self.0.into_vec().into_iter().map(tell).collect();
        told.sort_by(|a, b| (b.files, b.folders, &a.path).cmp(&(a.files, a.folders, &b.path)));
        told
    }
}

impl Told {
    /// One more case; its path is put together only while examples are wanted.
    pub(super) fn tell(&mut self, most: usize, node: &Node, name: Option<&[u8]>, why: Option<String>) {
        self.count += 1;
        if self.examples.len() < most {
            let mut path = node.path();
            path.extend(name.map(|name| PathBuf::from(OsStr::from_bytes(name))));
            self.examples.push(Example { path, why });
        }
    }
}

impl Tally {
    pub(super) fn met_depth(&mut self, node: &Arc<Node>) {
        if self.deepest.as_ref().is_none_or(|deepest| deepest.depth < node.depth) {
            self.deepest = Some(Arc::clone(node));
        }
    }

    pub(super) fn absorb(&mut self, mut other: Tally, options: &Options) {
        self.totals.files += other.totals.files;
        self.totals.folders += other.totals.folders;
        self.totals.others += other.totals.others;
        self.bytes.apparent += other.bytes.apparent;
        self.bytes.allocated += other.bytes.allocated;
        self.bytes.linked_files += other.bytes.linked_files;
        self.bytes.extra_links += other.bytes.extra_links;
        self.bytes.unknown += other.bytes.unknown;
        self.too_many_links |= other.too_many_links;
        for Reverse(large) in other.largest.0 {
            self.largest.add(options.largest, large.files, large.folders, large.top_class, &large.node);
        }
        self.distribution.absorb(&other.distribution);
        if let Some(node) = &other.deepest {
            self.met_depth(node);
        }
        self.counts.absorb(&mut other.counts);
        self.not_utf8.absorb(other.not_utf8, options.examples);
        self.unreadable.absorb(other.unreadable, options.examples);
        self.other_file_systems.absorb(other.other_file_systems, options.examples);
        self.vanished.absorb(other.vanished, options.examples);
        self.changed.absorb(other.changed, options.examples);
        self.left += other.left;
        self.list_failed = self.list_failed.take().or(other.list_failed);
    }

    pub(super) fn finish(self, roots: &[PathBuf], options: &Options, threads: usize, elapsed: Duration) -> Scan {
        let partial = self.partial();
        let deepest = match &self.deepest {
            Some(node) => Deepest { depth: node.depth, path: node.path() },
            None => Deepest { depth: 0, path: roots.first().cloned().unwrap_or_default() },
        };
        Scan {
            roots: roots.to_vec(),
            totals: self.totals,
            bytes: (options.sizes == Sizes::Yes).then_some(self.bytes),
            largest: self.largest.told(),
            distribution: self.distribution,
            deepest,
            classes: self.counts.top(options.classes),
            not_utf8: self.not_utf8,
            unreadable: self.unreadable,
            other_file_systems: self.other_file_systems,
            vanished: self.vanished,
            changed: self.changed,
            partial,
            threads,
            elapsed,
        }
    }

    fn partial(&self) -> Vec<Partial> {
        let some = |count: u64, reason: fn(u64) -> Partial| (count > 0).then(|| reason(count));
        [
            some(self.left, |folders_left| Partial::Interrupted { folders_left }),
            some(self.unreadable.count, |folders| Partial::Unreadable { folders }),
            some(self.changed.count, |folders| Partial::Changed { folders }),
            some(self.vanished.count, |folders| Partial::Vanished { folders }),
            some(self.bytes.unknown, |files| Partial::SizesUnknown { files }),
            self.too_many_links.then_some(Partial::TooManyLinks),
            self.list_failed.clone().map(|why| Partial::ListFailed { why }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
