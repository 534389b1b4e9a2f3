//! A scan against a slow count, on trees that lie still.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};

use peaje_files::scan::{Batch, FileSystems, Kinds, Options, Progress, ScanError, Sizes, Visit, Watch, scan};

use crate::tree::{count, plant, slow, threads};

#[test]
fn random_trees_agree_with_a_slow_count() {
    for seed in 0..12 {
        let here = tempfile::tempdir().unwrap();
        plant(here.path(), seed);
        let expected = slow(here.path());
        for options in [
            Options::default(),
            threads(1),
            threads(7),
            Options { kinds: Kinds::Ask, ..Options::default() },
            Options { sizes: Sizes::Yes, file_systems: FileSystems::All, ..threads(3) },
        ] {
            let found = count(here.path(), &Options { largest: 10_000, ..options });
            let totals = (found.totals.files, found.totals.folders, found.totals.others);
            assert_eq!(totals, (expected.files, expected.folders, expected.others), "seed {seed}, {options:?}");
            assert_eq!(found.partial, vec![], "seed {seed}");
            let folders: Vec<_> = found.largest.iter().map(|f| (f.path.clone(), f.files)).collect();
            assert_eq!(folders.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(), expected.per_folder);
            assert!(folders.is_sorted_by(|a, b| a.1 >= b.1));
            let spread: u64 = found.distribution.buckets().map(|(_, _, folders)| folders).sum();
            assert_eq!(spread, expected.folders + 1);
            let top: u64 = found.classes.top.iter().map(|c| c.files).sum();
            assert_eq!(top + found.classes.other + found.classes.legal, expected.files);
            if let Some(bytes) = found.bytes {
                assert_eq!(bytes.apparent, expected.bytes, "seed {seed}");
            }
        }
    }
}

/// The program everybody has says the same.
#[test]
fn find_agrees() {
    let here = tempfile::tempdir().unwrap();
    plant(here.path(), 99);
    let counted = |kind: &str| {
        let find =
            Command::new("find").arg(here.path()).args(["-mindepth", "1", "-type", kind, "-printf", "x"]).output();
        find.unwrap().stdout.len() as u64
    };
    let found = count(here.path(), &Options::default()).totals;
    assert_eq!((found.files, found.folders, found.others), (counted("f"), counted("d"), counted("l")));
}

#[test]
fn the_largest_folder_names_its_largest_class() {
    let here = tempfile::tempdir().unwrap();
    for (folder, files) in [("a", 3), ("b", 700), ("c", 5)] {
        fs::create_dir(here.path().join(folder)).unwrap();
        for number in 0..files {
            File::create(here.path().join(folder).join(format!("document_{number:09}.pdf"))).unwrap();
        }
    }
    for name in ["another document.pdf", "SHORT.TXT"] {
        File::create(here.path().join("b").join(name)).unwrap();
    }
    let found = count(here.path(), &Options { largest: 2, classes: 1, ..Options::default() });
    let told: Vec<_> = found.largest.iter().map(|f| (f.path.clone(), f.files, f.depth)).collect();
    assert_eq!(told, vec![(here.path().join("b"), 702, 1), (here.path().join("c"), 5, 1)]);
    let top = found.largest[0].top_class.unwrap();
    assert_eq!((top.class.to_string().as_str(), top.files), ("DO*.PDF", 700));
    assert_eq!((found.classes.top[0].files, found.classes.other, found.classes.legal), (708, 1, 1));
    assert_eq!(found.distribution.buckets().collect::<Vec<_>>(), vec![(0, 0, 1), (2, 3, 1), (4, 7, 1), (512, 1023, 1)]);
}

#[test]
fn hard_links_have_their_bytes_once() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("first"), vec![1; 1000]).unwrap();
    fs::create_dir(here.path().join("below")).unwrap();
    for name in ["second", "below/third"] {
        fs::hard_link(here.path().join("first"), here.path().join(name)).unwrap();
    }
    fs::write(here.path().join("alone"), vec![1; 10]).unwrap();
    let found = count(here.path(), &Options { sizes: Sizes::Yes, ..Options::default() });
    let bytes = found.bytes.unwrap();
    assert_eq!((found.totals.files, bytes.apparent, bytes.linked_files, bytes.extra_links), (4, 1010, 1, 2));
    assert!(bytes.allocated >= 1024 && bytes.allocated.is_multiple_of(512));
}

/// A root within another one, and one named twice.
#[test]
fn roots_that_overlap_count_once() {
    let here = tempfile::tempdir().unwrap();
    fs::create_dir_all(here.path().join("a/b")).unwrap();
    for name in ["one", "a/two", "a/b/three"] {
        File::create(here.path().join(name)).unwrap();
    }
    let roots: Vec<PathBuf> = ["", "a", "a/b", ""].iter().map(|p| here.path().join(p)).collect();
    let found = scan(&roots, &Options::default(), Watch::default()).unwrap();
    assert_eq!((found.totals.files, found.totals.folders), (3, 2));
}

/// Deeper than a path may be long, with something beside the way at each level, and few folders kept open.
#[test]
fn depth_has_no_limit() {
    let here = tempfile::tempdir().unwrap();
    let name = "a folder whose name is long enough that forty of them are no path any more, as the kernel would say, so that it matters";
    let levels = 1_200;
    let mut at = rustix::fs::open(here.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..levels {
        for (folder, mode) in [(name, 0o700), ("z", 0o700)] {
            rustix::fs::mkdirat(&at, folder, rustix::fs::Mode::from_raw_mode(mode)).unwrap();
        }
        let file = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
        rustix::fs::openat(&at, "file", file, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        at = rustix::fs::openat(&at, name, rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    }
    for options in [threads(1), threads(4)] {
        let found = count(here.path(), &options);
        assert_eq!((found.totals.files, found.totals.folders), (levels, 2 * levels));
        assert_eq!(u64::from(found.deepest.depth), levels);
        assert_eq!(found.partial, vec![]);
    }
    assert!(Command::new("rm").arg("-rf").arg(here.path().join(name)).status().unwrap().success());
}

/// Folders by the thousand in one folder: it is laid aside and taken up again where it was left.
#[test]
fn a_folder_that_was_laid_aside_is_read_to_its_end() {
    let here = tempfile::tempdir().unwrap();
    for number in 0..3_000 {
        let folder = here.path().join(format!("a folder whose name is long enough for several buffers {number:09}"));
        fs::create_dir(&folder).unwrap();
        if number % 10 == 0 {
            File::create(folder.join("file")).unwrap();
            fs::create_dir(folder.join("below")).unwrap();
        }
    }
    File::create(here.path().join("file")).unwrap();
    for number in [1, 3] {
        let found = count(here.path(), &Options { waiting: 100, ..threads(number) });
        assert_eq!((found.totals.files, found.totals.folders), (301, 3_300));
        assert_eq!((found.largest[0].folders, found.partial), (3_000, vec![]));
    }
}

/// Holds the scan, at its second batch, until somebody was told how far it is.
#[derive(Default)]
struct Waits {
    batches: AtomicU64,
    told: Mutex<bool>,
    changed: Condvar,
}

impl Visit for Waits {
    fn batch(&self, _: &Path, _: &Batch) -> std::io::Result<()> {
        if self.batches.fetch_add(1, Ordering::Relaxed) == 1 {
            let told = self.told.lock().unwrap();
            drop(self.changed.wait_while(told, |told| !*told).unwrap());
        }
        Ok(())
    }
}

/// Every name it is told, however many threads tell.
#[derive(Default)]
struct Collects(Mutex<Vec<Vec<u8>>>);

impl Visit for Collects {
    fn batch(&self, _: &Path, batch: &Batch) -> std::io::Result<()> {
        self.0.lock().unwrap().extend(batch.iter().map(|(name, ..)| name.to_vec()));
        Ok(())
    }
}

/// A folder of over a megabyte is read in parts where its file system allows it: each name comes once.
#[test]
fn a_large_folder_comes_in_parts() {
    let here = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for number in 0..12_000 {
        let name = format!("{number:0120}");
        if number % 1_000 == 0 {
            fs::create_dir(here.path().join(&name)).unwrap();
            File::create(here.path().join(&name).join("a")).unwrap();
            expected.push(b"a".to_vec());
        } else {
            File::create(here.path().join(&name)).unwrap();
        }
        expected.push(name.into_bytes());
    }
    expected.sort();
    for number in [1, 2, 3, 8] {
        let visit = Collects::default();
        let watch = Watch { visit: Some(&visit), ..Watch::default() };
        let found = scan(&[here.path().to_owned()], &threads(number), watch).unwrap();
        let mut names = visit.0.into_inner().unwrap();
        names.sort();
        assert_eq!(names, expected, "{number} threads");
        assert_eq!((found.totals.files, found.totals.folders, found.partial), (12_000, 12, vec![]));
        let told = &found.largest[0];
        assert_eq!((told.files, told.folders, told.top_class.unwrap().files), (11_988, 12, 11_988));
        assert_eq!(found.distribution.buckets().map(|(.., folders)| folders).sum::<u64>(), 13);
    }
}

#[test]
fn progress_is_told_while_it_runs() {
    let here = tempfile::tempdir().unwrap();
    for number in 0..6_000 {
        File::create(here.path().join(format!("{number:030}"))).unwrap();
    }
    let (waits, mut seen) = (Waits::default(), Vec::new());
    let mut progress = |progress: Progress| {
        seen.push((progress.files, progress.files_per_s));
        *waits.told.lock().unwrap() = true;
        waits.changed.notify_all();
    };
    let watch = Watch { progress: Some(&mut progress), visit: Some(&waits), stop: None };
    let found = scan(&[here.path().to_owned()], &Options::default(), watch).unwrap();
    assert_eq!(found.totals.files, 6_000);
    let (files, rate) = seen[0];
    assert!((1..6_000).contains(&files) && rate > 0.0, "{seen:?}");
}

#[test]
fn what_cannot_begin_says_so() {
    let here = tempfile::tempdir().unwrap();
    File::create(here.path().join("file")).unwrap();
    for name in ["missing", "file"] {
        let path = here.path().join(name);
        let Err(ScanError::Root { path: told, .. }) =
            scan(std::slice::from_ref(&path), &Options::default(), Watch::default())
        else {
            panic!("{name} was scanned");
        };
        assert_eq!(told, path);
    }
    // A link that somebody names is followed, one that is met is not.
    std::os::unix::fs::symlink(here.path(), here.path().join("link")).unwrap();
    let found = count(&here.path().join("link"), &Options::default()).totals;
    assert_eq!((found.files, found.folders, found.others), (1, 0, 1));
}
