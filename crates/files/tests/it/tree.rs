//! Trees to count, and a second opinion: the standard library's list, one question after the other.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use peaje_files::scan::{Options, Scan, Threads, Watch, scan};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Files, folders and others, counted slowly.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Slow {
    pub(crate) files: u64,
    pub(crate) folders: u64,
    pub(crate) others: u64,
    pub(crate) bytes: u64,
    pub(crate) per_folder: BTreeMap<PathBuf, u64>,
    inodes: HashSet<u64>,
}

pub(crate) fn slow(folder: &Path) -> Slow {
    let mut found = Slow::default();
    add(folder, &mut found);
    found
}

fn add(folder: &Path, found: &mut Slow) {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        if about.is_dir() {
            found.folders += 1;
            add(&path, found);
        } else if about.is_file() {
            files += 1;
            if found.inodes.insert(about.ino()) {
                found.bytes += about.len();
            }
        } else {
            found.others += 1;
        }
    }
    found.files += files;
    found.per_folder.insert(folder.to_owned(), files);
}

/// A random tree below a folder, always the same for a seed.
pub(crate) fn plant(folder: &Path, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut folders = vec![folder.to_owned()];
    for number in 0..random.random_range(0..1_500) {
        let at = folders[random.random_range(0..folders.len())].clone();
        match random.random_range(0..20) {
            0..=2 => {
                let new = at.join(format!("folder {number}"));
                fs::create_dir(&new).unwrap();
                folders.push(new);
            }
            3 => std::os::unix::fs::symlink("..", at.join(format!("link{number}"))).unwrap(),
            4 => {
                let _ = fs::hard_link(folder.join("0.dat"), at.join(format!("{number}.hard")));
            }
            _ => fs::write(at.join(format!("{number}.dat")), vec![b'x'; random.random_range(0..3_000)]).unwrap(),
        }
    }
}

pub(crate) fn count(folder: &Path, options: &Options) -> Scan {
    scan(&[folder.to_owned()], options, Watch::default()).unwrap()
}

pub(crate) fn threads(number: usize) -> Options {
    Options { threads: Threads::Exactly(NonZeroUsize::new(number).unwrap()), ..Options::default() }
}
