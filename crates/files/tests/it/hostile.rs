//! Trees that do not lie still, folders that are closed, names that are no text, mounts, and an end before the end.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use peaje_files::scan::{Batch, FileSystems, Options, Partial, Sizes, Visit, Watch, scan};

use crate::tree::{count, threads};

#[test]
fn names_that_are_no_text() {
    let here = tempfile::tempdir().unwrap();
    for name in [&b"two\nlines"[..], b"\xFF\xFE.txt", b"caf\xE9", "café".as_bytes(), b" ", b"\x1b[31m"] {
        File::create(here.path().join(OsStr::from_bytes(name))).unwrap();
    }
    fs::create_dir(here.path().join(OsStr::from_bytes(b"folder\xFF\n"))).unwrap();
    File::create(here.path().join(OsStr::from_bytes(b"folder\xFF\n/x"))).unwrap();
    let found = count(here.path(), &Options { examples: 10, ..Options::default() });
    assert_eq!((found.totals.files, found.totals.folders, found.not_utf8.count), (7, 1, 3));
    let mut told: Vec<_> = found.not_utf8.examples.into_iter().map(|e| e.path).collect();
    told.sort();
    let mut expected =
        [&b"\xFF\xFE.txt"[..], b"caf\xE9", b"folder\xFF\n"].map(|n| here.path().join(OsStr::from_bytes(n)));
    expected.sort();
    assert_eq!(told, expected);
}

#[test]
fn links_make_no_loop() {
    let here = tempfile::tempdir().unwrap();
    fs::create_dir_all(here.path().join("a/b")).unwrap();
    for (target, link) in [("..", "a/up"), (".", "a/b/self"), ("/", "root"), ("nowhere", "dangling")] {
        std::os::unix::fs::symlink(target, here.path().join(link)).unwrap();
    }
    let found = count(here.path(), &Options { file_systems: FileSystems::All, ..Options::default() });
    assert_eq!((found.totals.folders, found.totals.others, found.deepest.depth), (2, 4, 2));
}

/// Runs one test of this program once more in namespaces of its own, where root has no power, or may mount.
fn again(test: &str, folder: &Path, namespaces: &[&str], before: &str) {
    let script = format!("{before} exec \"$1\" --exact \"$2\" --nocapture");
    let me = std::env::current_exe().unwrap();
    let output = Command::new("unshare")
        .args(namespaces)
        .args(["sh", "-euc", &script, "sh"])
        .arg(me)
        .arg(test)
        .env("PEAJE_FILES_TEST_FOLDER", folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{errors}");
}

/// The folder, in the process that [`again`] started.
fn within() -> Option<std::path::PathBuf> {
    std::env::var_os("PEAJE_FILES_TEST_FOLDER").map(Into::into)
}

#[test]
fn closed_folders_are_counted_and_named() {
    if let Some(folder) = within() {
        return closed_folders_seen_without_power(&folder);
    }
    let here = tempfile::tempdir().unwrap();
    for name in ["open", "closed", "listed"] {
        fs::create_dir(here.path().join(name)).unwrap();
        File::create(here.path().join(name).join("file")).unwrap();
    }
    let mode =
        |path: &str, mode| fs::set_permissions(here.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    mode("closed", 0o000);
    // The names may be read, the files not be asked.
    mode("listed", 0o444);
    again("hostile::closed_folders_are_counted_and_named", here.path(), &["--user"], "");
    for name in ["closed", "listed"] {
        mode(name, 0o700);
    }
}

fn closed_folders_seen_without_power(folder: &Path) {
    let found = count(folder, &Options { sizes: Sizes::Yes, ..Options::default() });
    assert_eq!((found.totals.files, found.totals.folders), (2, 3));
    assert_eq!(found.partial, vec![Partial::Unreadable { folders: 1 }, Partial::SizesUnknown { files: 1 }]);
    let [closed] = &found.unreadable.examples[..] else { panic!("{:?}", found.unreadable) };
    assert_eq!(closed.path, folder.join("closed"));
    assert!(closed.why.as_ref().unwrap().contains("denied"), "{closed:?}");
}

#[test]
fn mounts_are_told_and_not_entered() {
    if let Some(folder) = within() {
        return mounts_seen_from_within(&folder);
    }
    let here = tempfile::tempdir().unwrap();
    fs::create_dir_all(here.path().join("a/disk")).unwrap();
    fs::create_dir_all(here.path().join("bound")).unwrap();
    File::create(here.path().join("a/file")).unwrap();
    let mount =
        "cd \"$PEAJE_FILES_TEST_FOLDER\"; mount -t tmpfs none a/disk; touch a/disk/1 a/disk/2; mount --bind a bound;";
    again("hostile::mounts_are_told_and_not_entered", here.path(), &["--user", "--map-root-user", "--mount"], mount);
}

fn mounts_seen_from_within(folder: &Path) {
    let one = count(folder, &Options::default());
    assert_eq!((one.totals.files, one.totals.folders), (1, 3));
    let mut told: Vec<_> = one.other_file_systems.examples.iter().map(|e| e.path.clone()).collect();
    told.sort();
    assert_eq!(told, [folder.join("a/disk"), folder.join("bound")]);
    assert_eq!(one.partial, vec![], "it was not asked for");
    let all = count(folder, &Options { file_systems: FileSystems::All, ..Options::default() });
    // `bound` shows `a` once more; the disk in it is not bound along.
    assert_eq!((all.totals.files, all.other_file_systems.count), (4, 0));
}

/// Folders vanish under the scan's hands: never an error, and what is told adds up.
#[test]
fn vanishing_folders_are_no_error() {
    for round in 0..5 {
        let here = tempfile::tempdir().unwrap();
        for folder in 0..300 {
            let path = here.path().join(format!("{folder}/deeper"));
            fs::create_dir_all(&path).unwrap();
            for file in 0..5 {
                File::create(path.join(file.to_string())).unwrap();
            }
        }
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                for folder in (0..300).rev() {
                    fs::remove_dir_all(here.path().join(folder.to_string())).unwrap();
                }
            });
            count(here.path(), &threads(1 + round % 3))
        });
        assert!(found.totals.files <= 1_500);
        assert_eq!(found.unreadable.count, 0, "{:?}", found.unreadable);
        let seen: u64 = found.distribution.buckets().map(|(_, _, n)| n).sum();
        // Gone before they were opened, or while they were read, when they are in both.
        assert!(seen <= found.totals.folders + 1 && seen + found.vanished.count > found.totals.folders);
    }
}

/// Removes a folder after it was met and before it is read: exactly one has vanished.
struct Removes<'a>(&'a Path, AtomicU64);

impl Visit for Removes<'_> {
    fn batch(&self, folder: &Path, batch: &Batch) -> std::io::Result<()> {
        if folder == self.0 {
            self.1.fetch_add(batch.iter().count() as u64, Ordering::Relaxed);
            fs::remove_dir(folder.join("gone"))?;
            fs::remove_dir(folder.join("replaced"))?;
            std::os::unix::fs::symlink("/", folder.join("replaced"))?;
        }
        Ok(())
    }
}

#[test]
fn a_folder_that_is_gone_or_a_link_by_now_has_vanished() {
    let here = tempfile::tempdir().unwrap();
    for name in ["gone", "replaced", "stays"] {
        fs::create_dir(here.path().join(name)).unwrap();
    }
    let visit = Removes(here.path(), AtomicU64::new(0));
    let watch = Watch { visit: Some(&visit), ..Watch::default() };
    let found = scan(&[here.path().to_owned()], &Options::default(), watch).unwrap();
    assert_eq!((found.vanished.count, visit.1.into_inner()), (2, 3));
    // The folder they were in has changed meanwhile, too.
    assert_eq!(found.partial, vec![Partial::Changed { folders: 1 }, Partial::Vanished { folders: 2 }]);
}

/// Files come while the folder is read, one for each batch of names.
struct Grows<'a>(&'a Path, AtomicU64);

impl Visit for Grows<'_> {
    fn batch(&self, _: &Path, _: &Batch) -> std::io::Result<()> {
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        File::create(self.0.join(format!("new {number}"))).map(drop)
    }
}

#[test]
fn a_folder_that_grows_is_told() {
    let here = tempfile::tempdir().unwrap();
    for number in 0..20_000 {
        File::create(here.path().join(format!("{number:030}"))).unwrap();
    }
    let visit = Grows(here.path(), AtomicU64::new(0));
    let watch = Watch { visit: Some(&visit), ..Watch::default() };
    let found = scan(&[here.path().to_owned()], &Options::default(), watch).unwrap();
    let made = visit.1.into_inner();
    assert!(made > 1);
    assert!((20_000..=20_000 + made).contains(&found.totals.files));
    assert_eq!(found.partial, vec![Partial::Changed { folders: 1 }]);
    assert_eq!(found.changed.examples[0].path, here.path());
}

/// A list that cannot be written ends the list, not the count.
struct Full;

impl Visit for Full {
    fn batch(&self, _: &Path, _: &Batch) -> std::io::Result<()> {
        Err(std::io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn a_full_disk_ends_the_list_and_not_the_count() {
    let here = tempfile::tempdir().unwrap();
    crate::tree::plant(here.path(), 5);
    let expected = crate::tree::slow(here.path());
    let found = scan(&[here.path().to_owned()], &Options::default(), Watch { visit: Some(&Full), ..Watch::default() });
    let found = found.unwrap();
    assert_eq!(found.totals.files, expected.files);
    assert!(
        matches!(&found.partial[..], [Partial::ListFailed { why }] if why.contains("space")),
        "{:?}",
        found.partial
    );
}

/// Sets the flag at a batch: the scan ends soon after, with what there is.
struct Stops<'a>(&'a AtomicBool);

impl Visit for Stops<'_> {
    fn batch(&self, _: &Path, _: &Batch) -> std::io::Result<()> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn stopped_at_any_moment_it_says_what_is_left() {
    let here = tempfile::tempdir().unwrap();
    for folder in 0..50 {
        fs::create_dir(here.path().join(folder.to_string())).unwrap();
        File::create(here.path().join(format!("{folder}/file"))).unwrap();
    }
    let before = AtomicBool::new(true);
    let watch = Watch { stop: Some(&before), ..Watch::default() };
    let found = scan(&[here.path().to_owned()], &Options::default(), watch).unwrap();
    assert_eq!((found.totals.files, &found.partial[..]), (0, &[Partial::Interrupted { folders_left: 1 }][..]));

    let (flag, options) = (AtomicBool::new(false), threads(1));
    let visit = Stops(&flag);
    let watch = Watch { stop: Some(&flag), visit: Some(&visit), ..Watch::default() };
    let found = scan(&[here.path().to_owned()], &options, watch).unwrap();
    // The root was read when the flag was set, and nothing below it.
    assert_eq!((found.totals.folders, found.totals.files), (50, 0));
    assert_eq!(found.partial, vec![Partial::Interrupted { folders_left: 50 }]);
}

/// A large folder that several threads read, some of whose parts nobody has begun: what was read still counts.
#[test]
fn a_large_folder_stopped_in_the_middle_keeps_what_was_read() {
    let here = tempfile::tempdir().unwrap();
    for number in 0..10_000 {
        File::create(here.path().join(format!("{number:0120}"))).unwrap();
    }
    for number in [1, 2, 8] {
        let (flag, options) = (AtomicBool::new(false), threads(number));
        let visit = Stops(&flag);
        let watch = Watch { stop: Some(&flag), visit: Some(&visit), ..Watch::default() };
        let found = scan(&[here.path().to_owned()], &options, watch).unwrap();
        assert!((1..10_000).contains(&found.totals.files), "{number} threads, {:?}", found.totals);
        assert_eq!(found.largest[0].files, found.totals.files);
        assert_eq!(found.partial, vec![Partial::Interrupted { folders_left: 1 }], "{number} threads");
    }
}

/// A visitor that panics is a bug elsewhere; no thread waits for the one that is gone.
#[test]
fn a_panic_hangs_nobody() {
    struct Panics;
    impl Visit for Panics {
        fn batch(&self, folder: &Path, _: &Batch) -> std::io::Result<()> {
            assert!(!folder.ends_with("25"), "as it should");
            Ok(())
        }
    }
    let here = tempfile::tempdir().unwrap();
    for folder in 0..50 {
        fs::create_dir(here.path().join(folder.to_string())).unwrap();
        File::create(here.path().join(format!("{folder}/file"))).unwrap();
    }
    let root = [here.path().to_owned()];
    let options = threads(4);
    let run = || scan(&root, &options, Watch { visit: Some(&Panics), ..Watch::default() }).map(|found| found.totals);
    assert!(std::panic::catch_unwind(run).is_err());
}
