//! Compact lists of files, to be made on one machine and read on another.
//!
//! A line of text says what it is ([`MAGIC`], the version, and whether names are anonymised), then comes one gzip stream of
//! records: a folder, then its entries, each as what differs from the name before. A last record holds the number of
//! entries, so that a list that was cut off, or never finished, is never taken for a whole one.
//!
//! # Anonymised names
//! Kept of a name, because the model of short names reads it: the first six characters that a short name keeps, in upper
//! case; the first three of the extension; whether the name is a legal short name by itself. Kept of the list: its order,
//! sizes, times, and which entries are in one folder; a folder becomes a number (`/2`). Nothing else is in the file; of a
//! legal short name not even its start, because it gets no other name.
//!
//! Lost: the checksum within a short name is over the whole long name, so anonymised names get other checksums, spread as
//! chance spreads them. Probes of a folder come out alike in their course and within 5 % in their sum (a little more for
//! names with running numbers, which spread more evenly than chance), not name by name. Legal names that look like somebody's short name (`TEB00D~1.TXT`) are in nobody's way any more. Depth and
//! the nesting of folders are lost. Sorting gives another order than it gave the real names beyond their sixth character:
//! the list's own order is the one to use.

mod anonymous;
mod read;
mod write;

pub use read::{ManifestError, read};
pub use write::{Names, Totals, Writer};

/// How each manifest begins.
pub const MAGIC: &[u8] = b"peaje files manifest ";
/// The version that is written, and the only one there is.
const VERSION: &str = "1";

/// What a record begins with: one of these, or an entry's bits.
const FOLDER: u8 = 0x80;
const END: u8 = 0x81;

/// Bits of an entry's first byte: two for its kind, then what follows.
const KINDS: [crate::scan::What; 4] =
    [crate::scan::What::File, crate::scan::What::Folder, crate::scan::What::Other, crate::scan::What::Unknown];
const HAS_SIZE: u8 = 0x04;
const HAS_TIME: u8 = 0x08;
