//! A folder's short names, as a stock in levels: exact, without walking through every candidate.
//!
//! Candidates that differ in their number only and have as many digits share a *bucket*: a prefix, a number of digits, an
//! extension. NTFS walks a bucket from its lowest number, so what is taken is a run from the start, but for what was
//! deleted (`holes`) and for files whose long names happen to look like that (`strangers`). A full bucket costs its size.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashTable, hash_table::Entry};

use crate::generate::{CodePage, MOST_TRIES, PLAIN_TRIES, halves, keep};
use crate::hash::Generation;
use crate::legal::is_legal;

/// A short name that a file got, to be given back by [`Folder::remove`]. Names compare without case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShortName {
    bucket: Bucket,
    number: u32,
}

/// What one create came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// The long name is a short name already: no probe.
    Legal,
    /// It got this name with so many probes.
    Named {
        /// The name.
        name: ShortName,
        /// Candidates looked up, the one it got included.
        probes: u32,
    },
    /// All candidates are taken: NTFS refuses the create (error 665).
    Exhausted {
        /// Candidates looked up.
        probes: u32,
    },
}

impl Created {
    /// Candidates looked up.
    pub fn probes(self) -> u32 {
        match self {
            Created::Legal => 0,
            Created::Named { probes, .. } | Created::Exhausted { probes } => probes,
        }
    }
}

/// Prefix (up to six characters), extension (up to three) and number of digits (up to seven). Kept characters are 52 of
/// ASCII, so six bits hold one, and 0 stands for none: 3 bits of digits, 36 of prefix, 18 of extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Bucket(u64);

impl Bucket {
    fn new(prefix: &[u8], extension: &[u8], digits: u32) -> Self {
        let pack =
            |text: &[u8], room: usize| (0..room).fold(0, |bits, at| bits << 6 | text.get(at).map_or(0, |c| code(*c)));
        Self(u64::from(digits) << 54 | pack(prefix, 6) << 18 | pack(extension, 3))
    }

    fn digits(self) -> u32 {
        (self.0 >> 54) as u32
    }

    /// Prefix and extension: 54 bits.
    fn packed(self) -> u64 {
        self.0 & ((1 << 54) - 1)
    }

    /// The numbers of so many digits that it starts at.
    fn lowest(self) -> u32 {
        10_u32.pow(self.digits() - 1)
    }

    fn text(self, number: u32) -> String {
        let unpack = |bits: u64, room: u32| -> String {
            (0..room).rev().filter_map(|at| char_of(bits >> (6 * at) & 0x3F)).collect()
        };
        let (prefix, extension) = (unpack(self.0 >> 18, 6), unpack(self.0, 3));
        let dot = if extension.is_empty() { "" } else { "." };
        format!("{prefix}~{number}{dot}{extension}")
    }
}

/// What short names are made of, as they sort.
const LETTERS: &[u8; 52] = b"!#$%&'()-0123456789@ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`{}~";

/// A kept character as 1 to 52; 0 for all others.
const CODES: [u8; 128] = {
    let (mut codes, mut at) = ([0; 128], 0);
    while at < LETTERS.len() {
        codes[LETTERS[at] as usize] = at as u8 + 1;
        at += 1;
    }
    codes
};

fn code(c: u8) -> u64 {
    CODES.get(usize::from(c)).copied().map_or(0, u64::from)
}

fn char_of(code: u64) -> Option<char> {
    let at = usize::try_from(code).ok()?.checked_sub(1)?;
    LETTERS.get(at).map(|c| char::from(*c))
}

/// The short names of one folder. Long names are not kept: a name that is created twice counts twice.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    generation: Generation,
    /// Buckets of one digit, which nearly all are: the bucket's bits times 16, and how many numbers are taken. Eight bytes
    /// for each, because three million names that do not look alike have as many.
    single: HashTable<u64>,
    /// The run of each other bucket.
    runs: HashMap<Bucket, u32>,
    odd: HashMap<Bucket, Odd>,
}

/// What is not a run from the lowest number on.
#[derive(Debug, Clone, Default)]
struct Odd {
    /// Free numbers within the run.
    holes: BTreeSet<u32>,
    /// Taken numbers beyond the run.
    strangers: BTreeSet<u32>,
}

/// What a long name gives to its candidates.
struct Parts {
    plain: Kept<6>,
    extension: Kept<3>,
}

#[derive(Clone, Copy)]
struct Kept<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Kept<N> {
    fn of(text: &str) -> Self {
        let mut kept = Self { bytes: [0; N], len: 0 };
        for c in text.chars().filter_map(|c| keep(c, CodePage::Off)).take(N) {
            kept.bytes[kept.len] = c as u8;
            kept.len += 1;
        }
        kept
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Parts {
    fn of(name: &str) -> Self {
        let (left, right) = halves(name);
        Self { plain: Kept::of(left), extension: Kept::of(right) }
    }

    fn hashed(&self, name: &str, generation: Generation) -> Kept<6> {
        let mut hashed = Kept { bytes: self.plain.bytes, len: self.plain.len.min(2) };
        for digit in generation.digits_of(name) {
            hashed.bytes[hashed.len] = digit;
            hashed.len += 1;
        }
        hashed
    }
}

impl Folder {
    /// An empty folder on a volume that this Windows writes to; extended characters off.
    pub fn new(generation: Generation) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Creates a file of this long name.
    pub fn create(&mut self, name: &str) -> Created {
        if is_legal(name) {
            self.meet_stranger(name);
            return Created::Legal;
        }
        let parts = Parts::of(name);
        let mut probes = 0;
        if parts.plain.len > 2 {
            let bucket = Bucket::new(parts.plain.text(), parts.extension.text(), 1);
            match self.take_up_to(bucket, PLAIN_TRIES) {
                Some(number) => return Created::Named { name: ShortName { bucket, number }, probes: number },
                None => probes = PLAIN_TRIES,
            }
        }
        let hashed = parts.hashed(name, self.generation);
        for digits in 1..=7 {
            let prefix = &hashed.text()[..hashed.len.min(7 - digits as usize)];
            let bucket = Bucket::new(prefix, parts.extension.text(), digits);
            let lowest = bucket.lowest();
            let highest = (lowest * 10 - 1).min(lowest + (MOST_TRIES - probes) - 1);
            if let Some(number) = self.take_up_to(bucket, highest) {
                let probes = probes + number - lowest + 1;
                return Created::Named { name: ShortName { bucket, number }, probes };
            }
            probes += highest - lowest + 1;
            if probes == MOST_TRIES {
                break;
            }
        }
        Created::Exhausted { probes }
    }

    /// Removes a file that has this short name.
    pub fn remove(&mut self, name: ShortName) {
        let ShortName { bucket, number } = name;
        let within = number < bucket.lowest() + self.run(bucket);
        let odd = self.odd.entry(bucket).or_default();
        if within {
            odd.holes.insert(number);
        } else {
            odd.strangers.remove(&number);
        }
    }

    /// Removes a file whose long name is a short name.
    pub fn remove_legal(&mut self, name: &str) {
        if let Some(name) = looks_short(name) {
            self.remove(name);
        }
    }

    /// A file whose own name is legal takes that name out of the stock, when it looks like a candidate.
    fn meet_stranger(&mut self, name: &str) {
        let Some(ShortName { bucket, number }) = looks_short(name) else { return };
        let end = bucket.lowest() + self.run(bucket);
        let odd = self.odd.entry(bucket).or_default();
        if number < end {
            odd.holes.remove(&number);
        } else {
            odd.strangers.insert(number);
        }
        self.absorb(bucket);
    }

    /// Takes the lowest free number of a bucket, unless it lies beyond `highest`.
    fn take_up_to(&mut self, bucket: Bucket, highest: u32) -> Option<u32> {
        // Most folders have nothing odd at all.
        if !self.odd.is_empty()
            && let Some(odd) = self.odd.get_mut(&bucket)
            && let Some(hole) = odd.holes.first().copied()
        {
            return (hole <= highest).then(|| {
                odd.holes.remove(&hole);
                hole
            });
        }
        let number = self.extend(bucket, highest)?;
        if !self.odd.is_empty() {
            self.absorb(bucket);
        }
        Some(number)
    }

    /// Strangers at the run's end become part of it.
    fn absorb(&mut self, bucket: Bucket) {
        let Some(mut odd) = self.odd.remove(&bucket) else { return };
        let mut end = bucket.lowest() + self.run(bucket);
        while odd.strangers.remove(&end) {
            self.extend(bucket, end);
            end += 1;
        }
        if !(odd.holes.is_empty() && odd.strangers.is_empty()) {
            self.odd.insert(bucket, odd);
        }
    }

    /// How many numbers are in the run.
    fn run(&self, bucket: Bucket) -> u32 {
        if bucket.digits() == 1 {
            let found = self.single.find(spread(bucket.packed()), |slot| slot >> 4 == bucket.packed());
            found.map_or(0, |slot| (slot & 0xF) as u32)
        } else {
            self.runs.get(&bucket).copied().unwrap_or(0)
        }
    }

    /// Makes the run longer by one, unless the new number lies beyond `highest`.
    fn extend(&mut self, bucket: Bucket, highest: u32) -> Option<u32> {
        if bucket.digits() > 1 {
            let run = self.runs.entry(bucket).or_default();
            let number = bucket.lowest() + *run;
            return (number <= highest).then(|| {
                *run += 1;
                number
            });
        }
        let packed = bucket.packed();
        let slot = self.single.entry(spread(packed), |slot| slot >> 4 == packed, |slot| spread(slot >> 4));
        match slot {
            Entry::Occupied(mut slot) => {
                let number = (*slot.get() & 0xF) as u32 + 1;
                (number <= highest).then(|| {
                    *slot.get_mut() += 1;
                    number
                })
            }
            Entry::Vacant(slot) => {
                slot.insert(packed << 4 | 1);
                Some(1)
            }
        }
    }
}

impl std::fmt::Display for ShortName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.bucket.text(self.number))
    }
}

/// A number that a table can use, out of one whose bits are far from random (the multiplier of Fibonacci hashing).
fn spread(packed: u64) -> u64 {
    let mixed = packed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

/// A legal name that is also somebody's candidate.
fn looks_short(name: &str) -> Option<ShortName> {
    let upper = name.to_ascii_uppercase();
    let (base, extension) = upper.split_once('.').unwrap_or((&upper, ""));
    let (prefix, digits) = base.rsplit_once('~')?;
    let counts = !digits.starts_with('0') && digits.bytes().all(|c| c.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| counts)?;
    (prefix.len() <= 6).then(|| ShortName {
        bucket: Bucket::new(prefix.as_bytes(), extension.as_bytes(), digits.len() as u32),
        number,
    })
}
