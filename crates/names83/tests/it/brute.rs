//! Random lists of names: the stock in levels must say what walking through a set of names says, to the last probe.

use std::collections::{BTreeMap, HashSet};

use peaje_names83::{Candidates, CodePage, Created, Folder, Generation, MOST_TRIES, ShortName, is_legal};
use proptest::prelude::*;

/// A folder as it is: every name in one set, without case.
#[derive(Default)]
struct Brute {
    names: HashSet<String>,
}

impl Brute {
    fn create(&mut self, name: &str, generation: Generation) -> (Option<String>, u32) {
        if is_legal(name) {
            self.names.insert(name.to_ascii_uppercase());
            return (None, 0);
        }
        let candidates = Candidates::of(name, generation, CodePage::Off);
        for number in 1..=MOST_TRIES {
            let candidate = candidates.candidate(number).expect("within the limit");
            if self.names.insert(candidate.clone()) {
                return (Some(candidate), number);
            }
        }
        (None, MOST_TRIES)
    }
}

/// What happens to a folder.
#[derive(Debug, Clone)]
enum Step {
    Create(String),
    /// Removes one of the files, whichever this falls on.
    Remove(usize),
}

/// Both folders must agree at every step.
fn agree(steps: &[Step], generation: Generation) {
    let (mut brute, mut folder) = (Brute::default(), Folder::new(generation));
    let mut files: BTreeMap<usize, (String, Option<ShortName>)> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        match step {
            // A file of that name is there already, as a long or as a short name: nothing would be created.
            Step::Create(name) if brute.names.contains(&name.to_ascii_uppercase()) => {}
            Step::Create(name) => {
                let (expected, probes) = brute.create(name, generation);
                let created = folder.create(name);
                assert_eq!(created.probes(), probes, "probes of {name} at {at}");
                let short = match created {
                    Created::Named { name, .. } => Some(name),
                    Created::Legal | Created::Exhausted { .. } => None,
                };
                assert_eq!(short.map(|short| short.to_string()), expected, "short name of {name} at {at}");
                files.insert(at, (name.clone(), short));
            }
            Step::Remove(which) => {
                let Some(key) = files.keys().nth(which % files.len().max(1)).copied() else { continue };
                let (long, short) = files.remove(&key).expect("it was just found");
                if let Some(short) = short {
                    assert!(brute.names.remove(&short.to_string()));
                    folder.remove(short);
                } else {
                    brute.names.remove(&long.to_ascii_uppercase());
                    folder.remove_legal(&long);
                }
            }
        }
    }
}

/// Names that share their start, names that do not, names without anything kept, and names that are candidates of others.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0..40_000_u32).prop_map(|n| format!("document_{n:05}.pdf")),
        2 => (0..300_u32).prop_map(|n| format!("00000020-{n:08x}")),
        2 => "[a-z]{1,3} ?[a-z0-9]{0,9}(\\.[a-z]{0,4})?",
        1 => "[日本語]{1,3}",
        1 => "\\.{1,2}[a-z]{1,9}",
        2 => (1..5_u32).prop_map(|n| format!("docume~{n}.pdf")),
        2 => (0..65_536_u32, 1..12_u32).prop_map(|(hash, n)| {
            let digits = if n < 10 { format!("do{hash:04x}") } else { format!("do{:03x}", hash & 0xFFF) };
            format!("{digits}~{n}.pdf")
        }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![8 => name().prop_map(Step::Create), 1 => any::<usize>().prop_map(Step::Remove)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_folders_of_the_new_generation(steps in prop::collection::vec(step(), 1..1_500)) {
        agree(&steps, Generation::New);
    }

    /// Whatever a listing holds.
    #[test]
    fn any_name_at_all(names in prop::collection::vec(".{0,20}", 1..60)) {
        let steps: Vec<Step> = names.into_iter().map(Step::Create).collect();
        agree(&steps, Generation::New);
    }

    #[test]
    fn random_folders_of_the_old_generation(steps in prop::collection::vec(step(), 1..1_500)) {
        agree(&steps, Generation::Old);
    }
}

/// Levels that only many names reach: one class, whose old checksums are few, so that stems run full early.
#[test]
fn a_hundred_thousand_names_of_one_class() {
    for (generation, count) in [(Generation::Old, 20_000), (Generation::New, 100_000)] {
        let steps: Vec<Step> = (0..count)
            .flat_map(|n| {
                let create = Step::Create(format!("document_{n:09}.pdf"));
                [Some(create), (n % 7 == 3).then_some(Step::Remove(n as usize * 31))]
            })
            .flatten()
            .collect();
        agree_fast(&steps, generation);
    }
}

/// As [`agree`], with removals by position in a list: a map of a hundred thousand has no fast n-th key.
fn agree_fast(steps: &[Step], generation: Generation) {
    let (mut brute, mut folder) = (Brute::default(), Folder::new(generation));
    let mut files: Vec<ShortName> = Vec::new();
    for step in steps {
        match step {
            Step::Create(name) => {
                let (expected, probes) = brute.create(name, generation);
                let Created::Named { name: short, probes: ours } = folder.create(name) else { panic!("{name}") };
                assert_eq!((Some(short.to_string()), ours), (expected, probes), "{name}");
                files.push(short);
            }
            Step::Remove(which) => {
                let short = files.swap_remove(which % files.len());
                assert!(brute.names.remove(&short.to_string()));
                folder.remove(short);
            }
        }
    }
}

/// A stock that is empty: NTFS gives up after a million tries. Names without a kept character have four digits and a number.
#[test]
fn the_stock_of_a_checksum_ends() {
    let mut folder = Folder::new(Generation::New);
    let mut last = 0;
    // The same long name again and again: one checksum, every level of it.
    for _ in 0..9 + 90 + 900 + 9_000 {
        last = folder.create("日本語").probes();
    }
    assert_eq!(last, 9_999);
}
