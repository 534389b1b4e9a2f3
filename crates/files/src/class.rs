//! Classes of names: those that draw their short names (8.3) from the same stock.
//!
//! A class is the first two characters that a short name keeps, and the extension. Bytes are enough: whatever lies beyond
//! ASCII is left out of short names (`NtfsAllowExtendedCharacterIn8dot3Name` = 0, the default), in any encoding.

use std::collections::BTreeMap;
use std::fmt;

use peaje_names83::KEPT;

/// A class of names: up to two characters, and an extension of up to three. Ordered by nothing in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(u64);

impl Class {
    /// The class of a file's long name.
    #[inline]
    pub fn of(name: &[u8]) -> Self {
        let mut name = name;
        while let [b'.', rest @ ..] = name {
            name = rest;
        }
        let (left, right) = match last_dot(name) {
            Some(at) => (&name[..at], &name[at + 1..]),
            None => (name, &[][..]),
        };
        Self(first_kept::<2>(left) | first_kept::<3>(right) << 16)
    }

    /// How many characters it keeps before the extension: 0, 1 or 2. With fewer than two there is no cliff.
    pub fn kept(self) -> u32 {
        u32::from(self.0 & 0xFF != 0) + u32::from(self.0 & 0xFF00 != 0)
    }

    pub(crate) fn packed(self) -> u64 {
        self.0
    }

    pub(crate) fn unpacked(bits: u64) -> Self {
        Self(bits)
    }
}

/// As the start of a pattern: `00*`, `DO*.PDF`; `*` for names of which nothing is kept.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.to_le_bytes();
        let text = |bytes: &[u8]| bytes.iter().filter(|b| **b != 0).map(|b| char::from(*b)).collect::<String>();
        let (stem, extension) = (text(&bytes[..2]), text(&bytes[2..5]));
        let dot = if extension.is_empty() { "" } else { "." };
        write!(f, "{stem}*{dot}{extension}")
    }
}

/// The last dot's place. Extensions are short: from the end, eight bytes at a time.
#[inline]
fn last_dot(name: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const DOT: u64 = 0x2E;
    let (start, chunks) = name.as_rchunks::<8>();
    for (at, chunk) in chunks.iter().enumerate().rev() {
        // A byte that is zero becomes 0x80 here; false ones can only stand above a true one, so a hit is looked at again.
        let differs = u64::from_le_bytes(*chunk) ^ (ONES * DOT);
        if differs.wrapping_sub(ONES) & !differs & (ONES << 7) != 0 {
            return chunk.iter().rposition(|byte| *byte == b'.').map(|within| start.len() + 8 * at + within);
        }
    }
    start.iter().rposition(|byte| *byte == b'.')
}

/// The characters that a short name keeps, as it writes them.
pub(crate) fn kept(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().map(|byte| KEPT[usize::from(*byte)]).filter(|kept| *kept != 0)
}

/// The first `N` kept characters, the first in the lowest byte.
#[inline]
fn first_kept<const N: u32>(text: &[u8]) -> u64 {
    let (mut bits, mut found) = (0, 0);
    for byte in text {
        let kept = KEPT[usize::from(*byte)];
        if kept != 0 {
            bits |= u64::from(kept) << (8 * found);
            found += 1;
            if found == N {
                break;
            }
        }
    }
    bits
}

/// So many classes are counted one by one; of more, the rarer half goes to `other`.
const MOST_CLASSES: usize = 1 << 16;

/// Files by class, in bounded memory.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Open addressing, a power of two; a count of 0 is a free slot.
    slots: Vec<(u64, u64)>,
    used: Vec<u32>,
    /// The class seen last and how often in a row: names of one folder look alike.
    last: u64,
    in_a_row: u64,
    other: u64,
    legal: u64,
}

/// Files of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassCount {
    /// The class.
    pub class: Class,
    /// Files whose names are of this class and no short names by themselves.
    pub files: u64,
}

/// The classes of many files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Classes {
    /// Those with the most files, the largest first.
    pub top: Vec<ClassCount>,
    /// Files of all other classes.
    pub other: u64,
    /// Files whose names are legal short names: they get no second one.
    pub legal: u64,
    /// How many classes are counted one by one, `top` included.
    pub distinct: usize,
    /// Whether every class was counted all the time. Otherwise there were more than memory is spent on, a count of `top`
    /// is a lower bound, and what it lacks is in `other`.
    pub exact: bool,
}

impl Counts {
    /// One more file of this name.
    #[inline]
    pub fn add(&mut self, name: &[u8]) {
        // A legal name has at most 8 + 1 + 3 characters.
        if name.len() <= 12 && std::str::from_utf8(name).is_ok_and(peaje_names83::is_legal) {
            self.legal += 1;
            return;
        }
        let class = Class::of(name).packed();
        if class == self.last {
            self.in_a_row += 1;
        } else {
            self.settle();
            self.last = class;
            self.in_a_row = 1;
        }
    }

    fn settle(&mut self) {
        if self.in_a_row > 0 {
            let files = std::mem::take(&mut self.in_a_row);
            self.put(self.last, files);
        }
    }

    fn put(&mut self, class: u64, files: u64) {
        if 2 * (self.used.len() + 1) > self.slots.len() {
            self.make_room();
        }
        let at = self.slot(class);
        if self.slots[at].1 == 0 {
            self.slots[at].0 = class;
            self.used.push(at as u32);
        }
        self.slots[at].1 += files;
    }

    fn slot(&self, class: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = class.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = (mixed ^ mixed >> 32) as usize & mask;
        while self.slots[at].1 != 0 && self.slots[at].0 != class {
            at = (at + 1) & mask;
        }
        at
    }

    fn make_room(&mut self) {
        let mut kept: Vec<(u64, u64)> = self.used.drain(..).map(|at| self.slots[at as usize]).collect();
        if kept.len() >= MOST_CLASSES {
            kept.sort_unstable_by_key(|(class, files)| (std::cmp::Reverse(*files), *class));
            self.other += kept.drain(MOST_CLASSES / 2..).map(|(_, files)| files).sum::<u64>();
        }
        let slots = (4 * (kept.len() + 1)).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        for (class, files) in kept {
            self.put(class, files);
        }
    }

    /// Takes over what another one counted, which begins anew; returns its largest class.
    pub fn absorb(&mut self, from: &mut Counts) -> Option<ClassCount> {
        from.settle();
        let mut largest = (0, 0);
        for at in from.used.drain(..) {
            let (class, files) = std::mem::take(&mut from.slots[at as usize]);
            if files > largest.1 || (files == largest.1 && class < largest.0) {
                largest = (class, files);
            }
            self.put(class, files);
        }
        self.other += std::mem::take(&mut from.other);
        self.legal += std::mem::take(&mut from.legal);
        (largest.1 > 0).then(|| ClassCount { class: Class::unpacked(largest.0), files: largest.1 })
    }

    /// The classes with the most files, and the rest as one number.
    pub fn top(mut self, most: usize) -> Classes {
        self.settle();
        let exact = self.other == 0;
        let all: BTreeMap<_, _> = self
            .used
            .iter()
            .map(|at| self.slots[*at as usize])
            .map(|(class, files)| ((std::cmp::Reverse(files), class), files))
            .collect();
        let top: Vec<ClassCount> = all
            .iter()
            .take(most)
            .map(|((_, class), files)| ClassCount { class: Class::unpacked(*class), files: *files })
            .collect();
        let other = self.other + all.values().skip(most).sum::<u64>();
        Classes { top, other, legal: self.legal, distinct: all.len(), exact }
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Counts, last_dot};
    use peaje_names83::{Candidates, CodePage, Generation};
    use proptest::prelude::*;

    /// Whether a class is what the short names themselves show: with five digits, only the class's characters are left of
    /// the stem, or fewer of them and the start of the checksum.
    fn shown_by_short_names(class: Class, name: &str) -> bool {
        let candidate =
            Candidates::of(name, Generation::New, CodePage::Off).candidate(10_004).expect("within the limit");
        let (stem, extension) = candidate.split_once('.').unwrap_or((&candidate, ""));
        let stem = stem.rsplit_once('~').expect("a number").0;
        let dot = if extension.is_empty() { "" } else { "." };
        stem.len() == 2 && class.to_string() == format!("{}*{dot}{extension}", &stem[..class.kept() as usize])
    }

    fn kept(name: &str) -> usize {
        let trimmed = name.trim_start_matches('.');
        let left = trimmed.rsplit_once('.').map_or(trimmed, |(left, _)| left);
        left.chars().filter(|c| ('!'..'\u{7f}').contains(c) && *c != '.').take(2).count()
    }

    #[test]
    fn classes_as_people_would_write_them() {
        for (name, class) in [
            ("00000019-00000050-0004", "00*"),
            ("document_000000001.pdf", "DO*.PDF"),
            ("a.tar.gz", "AT*.GZ"),
            (".gitignore", "GI*"),
            ("..b", "B*"),
            ("x.jpeg", "X*.JPE"),
            ("日本.x", "*.X"),
            ("a b+c.t x t", "AB*.TXT"),
            ("+x", "_X*"),
            ("", "*"),
            ("...", "*"),
        ] {
            assert_eq!(Class::of(name.as_bytes()).to_string(), class, "{name}");
        }
        assert_eq!(Class::of(b"\xff\xfea\xffb.d\xff").to_string(), "AB*.D");
        assert_eq!(["", "a", "ab", "abc"].map(|name| Class::of(name.as_bytes()).kept()), [0, 1, 2, 2]);
    }

    proptest! {
        #[test]
        fn classes_are_those_of_the_short_names(name in "[ -~éñ日.]{1,24}") {
            let class = Class::of(name.as_bytes());
            prop_assert_eq!(class.kept() as usize, kept(&name));
            prop_assert!(shown_by_short_names(class, &name), "{class} of {name:?}");
        }

        #[test]
        fn the_last_dot(name in proptest::collection::vec(prop_oneof![Just(b'.'), Just(b'/'), Just(0xAE), any::<u8>()], 0..40)) {
            prop_assert_eq!(last_dot(&name), name.iter().rposition(|b| *b == b'.'));
        }

        #[test]
        fn counts_add_up(names in proptest::collection::vec("[a-d]{1,3}[.]?[x-z]{0,4}", 0..200), most in 0..10_usize) {
            let (mut one, mut two, mut both) = (Counts::default(), Counts::default(), Counts::default());
            for (at, name) in names.iter().enumerate() {
                if at % 3 == 0 { one.add(name.as_bytes()) } else { two.add(name.as_bytes()) }
            }
            both.absorb(&mut one);
            both.absorb(&mut two);
            let mut expected = std::collections::BTreeMap::<Class, u64>::new();
            for name in names.iter().filter(|name| !peaje_names83::is_legal(name)) {
                *expected.entry(Class::of(name.as_bytes())).or_default() += 1;
            }
            let classes = both.top(most);
            prop_assert!(classes.exact);
            prop_assert_eq!(classes.distinct, expected.len());
            for count in &classes.top {
                prop_assert_eq!(expected[&count.class], count.files);
            }
            let top: u64 = classes.top.iter().map(|c| c.files).sum();
            prop_assert_eq!(top + classes.other + classes.legal, names.len() as u64);
            let least = classes.top.last().map_or(u64::MAX, |c| c.files);
            prop_assert!(expected.values().filter(|files| **files > least).count() < most.max(1));
        }
    }

    /// More classes than memory is spent on: nothing is lost, and the large one stays on top.
    #[test]
    fn too_many_classes_stay_bounded() {
        let mut counts = Counts::default();
        let mut bits = 1_u32;
        for at in 0..400_000_u32 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let letter = |shift: u32| char::from(b'a' + (bits >> shift) as u8 % 26);
            let name = format!("{}{}--------.{}{}{}", letter(8), letter(12), letter(16), letter(20), letter(24));
            counts.add(name.as_bytes());
            if at % 4 == 0 {
                counts.add(b"00000019-00000050-0004");
            }
        }
        assert!(counts.slots.len() <= 4 * super::MOST_CLASSES, "{}", counts.slots.len());
        let classes = counts.top(3);
        assert!(!classes.exact);
        assert_eq!((classes.top[0].class.to_string().as_str(), classes.top[0].files), ("00*", 100_000));
        assert_eq!(classes.top.iter().map(|c| c.files).sum::<u64>() + classes.other, 500_000);
    }
}
