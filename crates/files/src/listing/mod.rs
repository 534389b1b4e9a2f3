//! Lists of files that other programs wrote: read as a stream, whatever wrote them.
//!
//! A newcomer would read lines of UTF-8. A list from Windows is UTF-16 or in one of two code pages, its sentences are in
//! the language of that Windows, and a name from Unix is bytes: so kinds are told by structure, and names stay bytes.

mod code_page;
mod decode;
mod kind;
mod unix;
mod windows;

use std::io::{self, Chain, Cursor, Read};
use std::ops::ControlFlow;

use crate::manifest::{self, ManifestError};
pub use crate::scan::What;
use decode::Records;

/// What wrote a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `find`, one path on a line.
    Find,
    /// `find -print0`.
    Find0,
    /// `ls -f`, `ls -1f` or `dir /b`: the names of one folder.
    Names,
    /// `dir /b /s`: whole paths.
    DirBare,
    /// `dir`, `dir /s`, `dir /x`: a table for each folder.
    DirTable,
    /// [`manifest`].
    Manifest,
}

/// How the bytes of a list stand for characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Names as they are: UTF-8, or what a Unix name may be.
    Bytes,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// The "ANSI" code page of western Europe.
    Windows1252,
    /// The code page of consoles in western Europe.
    Cp850,
}

/// What is known of a list beforehand.
#[derive(Debug, Clone, Default)]
pub struct ListingOptions {
    /// What wrote it; by its content when `None`.
    pub kind: Option<Kind>,
    /// Its encoding; by its content when `None`.
    pub encoding: Option<Encoding>,
    /// The folder of names that come without one.
    pub folder: Vec<u8>,
}

/// One entry of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The folder it is in, as the list writes it, without a separator at the end.
    pub folder: &'a [u8],
    /// Its name. From Windows: UTF-8.
    pub name: &'a [u8],
    /// What it is, as far as the list says.
    pub what: What,
    /// Bytes.
    pub size: Option<u64>,
    /// Last change, seconds since 1970. Never from `dir`, whose dates are in the order of some language.
    pub mtime: Option<i64>,
    /// Its short name, where the list has a column for it and the name has one.
    pub short: Option<&'a str>,
}

/// What reading a list came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What wrote it.
    pub kind: Kind,
    /// Its encoding.
    pub encoding: Encoding,
    /// Entries given.
    pub entries: u64,
    /// Of these, the ones that the list says are folders.
    pub folders: u64,
    /// Entries whose names are not UTF-8.
    pub not_utf8: u64,
    /// Lines that are neither entries nor what such a list has around them.
    pub skipped: u64,
    /// The number of the first of these, counted from 1.
    pub first_skipped: Option<u64>,
    /// Whether whoever was given the entries had enough.
    pub stopped: bool,
}

/// A list that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ListingError {
    /// The reader failed.
    #[error("the list cannot be read after line {line}: {source}")]
    Read {
        /// The last whole line.
        line: u64,
        /// What the system said.
        source: io::Error,
    },
    /// No path is that long.
    #[error(
        "line {line} is longer than {most} bytes: this is no list of files; `find`, `ls -f`, `dir /b /s` and `dir /x` make one"
    )]
    LineTooLong {
        /// Its number, from 1.
        line: u64,
        /// The limit.
        most: usize,
    },
    /// Bytes that no list holds.
    #[error("line {line} holds control characters: this is no list of files, or it is compressed; unpack it first")]
    NotAList {
        /// Its number, from 1.
        line: u64,
    },
    /// A manifest that is damaged.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// What a parser gives entries to, and what it has counted.
struct Sink<'a> {
    each: &'a mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    summary: Summary,
}

impl Sink<'_> {
    fn give(&mut self, entry: Entry<'_>) -> ControlFlow<()> {
        self.summary.entries += 1;
        self.summary.folders += u64::from(entry.what == What::Folder);
        self.summary.not_utf8 += u64::from(std::str::from_utf8(entry.name).is_err());
        (self.each)(entry)
    }

    fn skip(&mut self, line: u64) {
        self.summary.skipped += 1;
        self.summary.first_skipped.get_or_insert(line);
    }
}

/// Reads a list to its end, or until `each` breaks.
pub fn read<R: Read>(
    input: R,
    options: &ListingOptions,
    mut each: impl FnMut(Entry<'_>) -> ControlFlow<()>,
) -> Result<Summary, ListingError> {
    let (sample, input) = sample(input)?;
    let is_manifest = options.kind.map_or(sample.starts_with(manifest::MAGIC), |kind| kind == Kind::Manifest);
    let encoding = options.encoding.unwrap_or_else(|| kind::encoding(&sample));
    let text = decode::sample(&sample, encoding);
    let kind = if is_manifest { Kind::Manifest } else { options.kind.map_or_else(|| kind::kind(&text), Ok)? };
    let summary = Summary {
        kind,
        encoding,
        entries: 0,
        folders: 0,
        not_utf8: 0,
        skipped: 0,
        first_skipped: None,
        stopped: false,
    };
    let mut sink = Sink { each: &mut each, summary };
    if kind == Kind::Manifest {
        sink.summary.stopped = manifest::read(input, |entry| sink.give(entry))?.is_none();
        return Ok(sink.summary);
    }
    let mut records = Records::new(input, encoding, if kind == Kind::Find0 { 0 } else { b'\n' });
    let flow = match kind {
        Kind::Find | Kind::Find0 => unix::find(&mut records, &mut sink)?,
        Kind::Names => unix::names(&mut records, &options.folder, &mut sink)?,
        _ => {
            let page = windows::Page::new(options.encoding, &text);
            sink.summary.encoding = page.told(encoding, &text);
            if kind == Kind::DirBare {
                windows::bare(&mut records, page, &mut sink)?
            } else {
                windows::table(&mut records, page, &mut sink)?
            }
        }
    };
    sink.summary.stopped = flow.is_break();
    Ok(sink.summary)
}

/// So much is looked at to tell what a list is.
const SAMPLE: u64 = 64 << 10;

/// A list from its start, though its first part was read.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

fn sample<R: Read>(mut input: R) -> Result<(Vec<u8>, Whole<R>), ListingError> {
    let mut sample = Vec::new();
    let read = input.by_ref().take(SAMPLE).read_to_end(&mut sample);
    read.map_err(|source| ListingError::Read { line: 0, source })?;
    Ok((sample.clone(), Cursor::new(sample).chain(input)))
}
