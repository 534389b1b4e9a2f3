//! Manifests: what goes in comes out, damage is told, and anonymised names cost what the real ones cost.

use std::ops::ControlFlow;

use peaje_files::listing::{Entry, Kind, ListingOptions, What};
use peaje_files::manifest::{ManifestError, Names, Totals, Writer, read};
use peaje_files::scan::{Options, Sizes, Watch, scan};
use peaje_names83::{Candidates, CodePage, Course, Generation, Shape};
use proptest::prelude::*;

type Owned = (Vec<u8>, Vec<u8>, What, Option<u64>, Option<i64>);

fn written(entries: &[Owned], names: Names) -> Vec<u8> {
    let writer = Writer::create(Vec::new(), names).unwrap();
    for (folder, name, what, size, mtime) in entries {
        writer.entry(Entry { folder, name, what: *what, size: *size, mtime: *mtime, short: None }).unwrap();
    }
    let (totals, bytes) = writer.finish().unwrap();
    assert_eq!(totals, Totals { entries: entries.len() as u64, names });
    bytes
}

fn all(bytes: &[u8]) -> Result<Vec<Owned>, ManifestError> {
    let mut entries = Vec::new();
    let totals = read(bytes, |e| {
        entries.push((e.folder.to_vec(), e.name.to_vec(), e.what, e.size, e.mtime));
        ControlFlow::Continue(())
    })?;
    assert_eq!(totals.unwrap().entries, entries.len() as u64);
    Ok(entries)
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![Just(What::File), Just(What::Folder), Just(What::Other), Just(What::Unknown)]
}

fn entries() -> impl Strategy<Value = Vec<Owned>> {
    let folder = prop_oneof![Just(b"/a".to_vec()), Just(b"/a/b\xFF".to_vec()), Just(Vec::new())];
    let name = proptest::collection::vec(any::<u8>(), 0..40);
    let entry = (folder, name, what(), any::<Option<u64>>(), any::<Option<i64>>());
    proptest::collection::vec(entry, 0..60)
}

fn some() -> Vec<Owned> {
    let mut names = Shape::Filestream.names();
    let mut entry = |at: u64| {
        let name = names.next().as_bytes().to_vec();
        (b"/data/store".to_vec(), name, What::File, Some(at * 1_000), Some(1_700_000_000 + at as i64))
    };
    (0..5_000).map(&mut entry).collect()
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(entries in entries()) {
        prop_assert_eq!(all(&written(&entries, Names::Full)).unwrap(), entries);
    }

    #[test]
    fn any_bytes_are_an_error_or_entries(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes[..], |_| ControlFlow::Continue(()));
        // Past the header and the compression, too.
        let mut file = b"peaje files manifest 1 full\n".to_vec();
        let mut gzip = flate2::write::GzEncoder::new(&mut file, flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &bytes).unwrap();
        gzip.finish().unwrap();
        let _ = read(&file[..], |_| ControlFlow::Continue(()));
        let anonymous = [b"peaje files manifest 1 anonymised\n", &file[28..]].concat();
        let _ = read(&anonymous[..], |_| ControlFlow::Continue(()));
    }

    #[test]
    fn a_flipped_bit_is_never_taken_for_the_truth(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let entries = &some()[..200];
        let whole = written(entries, Names::Full);
        let mut damaged = whole.clone();
        let at = at.index(damaged.len());
        damaged[at] ^= 1 << bit;
        // The gzip header's time and system are nobody's business; everything else is checked.
        if let Ok(found) = all(&damaged) {
            prop_assert_eq!(&found, entries, "byte {}", at);
        }
    }

    #[test]
    fn anonymised_names_keep_what_short_names_read(names in proptest::collection::vec("[ -~éñ日.]{1,24}", 1..60)) {
        let entries: Vec<Owned> =
            names.iter().map(|n| (b"/secret folder".to_vec(), n.clone().into_bytes(), What::File, Some(7), None)).collect();
        let found = all(&written(&entries, Names::Anonymised)).unwrap();
        prop_assert_eq!(found.len(), names.len());
        for (before, (folder, after, _, size, _)) in names.iter().zip(&found) {
            let after = std::str::from_utf8(after).unwrap();
            prop_assert_eq!((&folder[..], *size), (&b"/1"[..], Some(7)));
            prop_assert_eq!(peaje_names83::is_legal(before), peaje_names83::is_legal(after), "{} {}", before, after);
            if !peaje_names83::is_legal(before) {
                prop_assert_eq!(without_checksum(before), without_checksum(after), "{} {}", before, after);
            }
        }
        let distinct: std::collections::HashSet<_> = found.iter().map(|e| &e.1).collect();
        prop_assert_eq!(distinct.len(), found.len(), "each name is another one");
    }
}

/// What the first candidate shows of a name: with up to two characters kept, the checksum follows them.
fn without_checksum(name: &str) -> (String, String) {
    let candidates = Candidates::of(name, Generation::New, CodePage::Off);
    let parts = |number| {
        let text = candidates.candidate(number).unwrap();
        let (base, extension) = text.split_once('.').unwrap_or((&text, ""));
        let (stem, number) = base.rsplit_once('~').unwrap();
        (stem.to_owned(), number.to_owned(), extension.to_owned())
    };
    let (mut stem, _, extension) = parts(1);
    // The fifth candidate is the first with a checksum, or the fifth.
    if parts(5).1 == "5" {
        stem.truncate(stem.len() - 4);
    }
    (stem, extension)
}

/// Everything that a list of 120,000 names costs, before and after, agrees within a few percent.
#[test]
fn anonymised_names_cost_what_the_real_ones_cost() {
    let mut names = Shape::Filestream.names();
    let (mut real, mut other) = (Course::new(Generation::New), Course::new(Generation::New));
    let writer = Writer::create(Vec::new(), Names::Anonymised).unwrap();
    for _ in 0..120_000 {
        let name = names.next();
        real.create(name);
        let (folder, name) = (&b"/f"[..], name.as_bytes());
        writer.entry(Entry { folder, name, what: What::File, size: None, mtime: None, short: None }).unwrap();
    }
    let (_, bytes) = writer.finish().unwrap();
    assert!(bytes.len() < 120_000, "{} bytes", bytes.len());
    read(&bytes[..], |e| {
        other.create(std::str::from_utf8(e.name).unwrap());
        ControlFlow::Continue(())
    })
    .unwrap();
    let ratio = other.probes_total() as f64 / real.probes_total() as f64;
    // Numbers that follow each other spread a little more evenly than chance.
    assert!((0.98..1.05).contains(&ratio), "{ratio}");
}

#[test]
fn a_manifest_that_was_cut_off_says_how_much_was_read() {
    let entries = some();
    let whole = written(&entries, Names::Full);
    let header = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    for length in (header..whole.len()).step_by(997).chain([whole.len() - 1]) {
        let mut read_so_far = 0;
        let error = read(&whole[..length], |_| {
            read_so_far += 1;
            ControlFlow::Continue(())
        });
        let Err(ManifestError::CutOff { entries }) = error else { panic!("{length}: {error:?}") };
        assert_eq!(entries, read_so_far);
    }
    let error = all(&whole[..whole.len() - 1]).unwrap_err().to_string();
    assert!(error.contains("cut off after 5000 entries"), "{error}");
    // Nobody finished it: what was compressed is whole, what was meant is not.
    let error = all(&whole[..header]).unwrap_err().to_string();
    assert!(error.contains("cut off after 0 entries"), "{error}");
}

#[test]
fn other_files_and_other_versions_say_what_they_are() {
    assert!(matches!(all(b"").unwrap_err(), ManifestError::NotOne));
    assert!(matches!(all(b"/a/b\n/a/c\n").unwrap_err(), ManifestError::NotOne));
    let later = all(b"peaje files manifest 2 full\nxyz").unwrap_err();
    assert!(matches!(&later, ManifestError::Version { found } if found == "2"), "{later}");
    let whole = written(&some()[..3], Names::Full);
    let longer = [&whole[..], b"and more"].concat();
    assert_eq!(all(&longer).unwrap().len(), 3, "what follows the stream is not part of it");
}

/// A scan writes one from all its threads, and the list reads it by its content.
#[test]
fn a_scan_writes_what_it_counts() {
    let here = tempfile::tempdir().unwrap();
    crate::tree::plant(here.path(), 3);
    let expected = crate::tree::slow(here.path());
    let writer = Writer::create(Vec::new(), Names::Full).unwrap();
    let options = Options { sizes: Sizes::Yes, ..crate::tree::threads(4) };
    let watch = Watch { visit: Some(&writer), ..Watch::default() };
    let found = scan(&[here.path().to_owned()], &options, watch).unwrap();
    let (totals, bytes) = writer.finish().unwrap();
    assert_eq!(totals.entries, found.totals.files + found.totals.folders + found.totals.others);
    let (mut files, mut sized) = (std::collections::BTreeMap::new(), 0);
    let summary = peaje_files::listing::read(&bytes[..], &ListingOptions::default(), |e| {
        if e.what == What::File {
            let path = std::path::PathBuf::from(std::str::from_utf8(e.folder).unwrap());
            *files.entry(path).or_insert(0) += 1;
            sized += u64::from(e.size.is_some() && e.mtime.is_some_and(|t| t > 1_600_000_000));
        }
        ControlFlow::Continue(())
    });
    let summary = summary.unwrap();
    assert_eq!((summary.kind, summary.entries, summary.stopped), (Kind::Manifest, totals.entries, false));
    let with_files: std::collections::BTreeMap<_, _> =
        expected.per_folder.into_iter().filter(|(_, files)| *files > 0).collect();
    assert_eq!((files, sized), (with_files, expected.files));
}
