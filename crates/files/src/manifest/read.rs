//! Reading a manifest, which may come from anybody: whatever the bytes, an error or entries, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;

use flate2::bufread::GzDecoder;

use super::write::{Names, Totals};
use super::{END, FOLDER, HAS_SIZE, HAS_TIME, KINDS, MAGIC, VERSION, anonymous};
use crate::listing::Entry;

/// A manifest that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It does not begin like one.
    #[error("this is no manifest: it does not begin with \"peaje files manifest\"")]
    NotOne,
    /// It is of another version.
    #[error("this manifest is of version {found:?}, and version 1 is known here: read it with a newer peaje")]
    Version {
        /// What it says.
        found: String,
    },
    /// It ends too early.
    #[error("the manifest was cut off after {entries} entries: copy it once more, or make it once more")]
    CutOff {
        /// Entries that were read.
        entries: u64,
    },
    /// It says what cannot be.
    #[error("the manifest is damaged after {entries} entries: {why}")]
    Damaged {
        /// Entries that were read.
        entries: u64,
        /// What is wrong.
        why: String,
    },
    /// The reader failed.
    #[error("the manifest cannot be read after {entries} entries: {source}")]
    Read {
        /// Entries that were read.
        entries: u64,
        /// What the system said.
        source: io::Error,
    },
}

/// No name and no path is longer.
const MOST: u64 = 1 << 20;
/// The first line is shorter.
const MOST_HEADER: u64 = 256;

/// Reads a manifest to its end, or until `each` breaks, when the totals are not known.
pub fn read(
    input: impl Read,
    mut each: impl FnMut(Entry<'_>) -> ControlFlow<()>,
) -> Result<Option<Totals>, ManifestError> {
    let mut input = BufReader::with_capacity(64 << 10, input);
    let names = header(&mut input)?;
    let mut records = Reader { input: BufReader::with_capacity(64 << 10, GzDecoder::new(input)), entries: 0 };
    let (mut folder, mut stored, mut name, mut time) = (Vec::new(), Vec::new(), Vec::new(), 0_i64);
    loop {
        match records.byte()? {
            FOLDER => {
                let length = records.length()?;
                records.bytes(length, &mut folder)?;
            }
            END => {
                let entries = records.number()?;
                records.end(entries)?;
                return Ok(Some(Totals { entries, names }));
            }
            bits if bits < 0x10 => {
                records.name(&mut stored)?;
                let size = if bits & HAS_SIZE != 0 { Some(records.number()?) } else { None };
                let mtime = if bits & HAS_TIME != 0 {
                    let step = records.number()?;
                    time = time.wrapping_add((step >> 1) as i64 ^ -((step & 1) as i64));
                    Some(time)
                } else {
                    None
                };
                records.entries += 1;
                if names == Names::Anonymised {
                    anonymous::name(&stored, records.entries, &mut name);
                }
                let name = if names == Names::Anonymised { &name } else { &stored };
                let what = KINDS[usize::from(bits & 3)];
                if each(Entry { folder: &folder, name, what, size, mtime, short: None }).is_break() {
                    return Ok(None);
                }
            }
            other => return Err(records.damaged(format!("a record of kind {other}"))),
        }
    }
}

fn header(input: &mut impl BufRead) -> Result<Names, ManifestError> {
    let mut line = Vec::new();
    let read = input.take(MOST_HEADER).read_until(b'\n', &mut line);
    read.map_err(|source| ManifestError::Read { entries: 0, source })?;
    let Some(rest) = line.strip_prefix(MAGIC) else { return Err(ManifestError::NotOne) };
    let Some(rest) = rest.strip_suffix(b"\n") else { return Err(ManifestError::CutOff { entries: 0 }) };
    let rest = String::from_utf8_lossy(rest);
    let (version, names) = rest.split_once(' ').unwrap_or((&rest, ""));
    if version != VERSION {
        return Err(ManifestError::Version { found: version.to_owned() });
    }
    [Names::Full, Names::Anonymised]
        .into_iter()
        .find(|known| known.word() == names)
        .ok_or_else(|| ManifestError::Damaged { entries: 0, why: format!("names are {names:?}") })
}

struct Reader<R: BufRead> {
    input: BufReader<GzDecoder<R>>,
    entries: u64,
}

impl<R: BufRead> Reader<R> {
    fn damaged(&self, why: impl Into<String>) -> ManifestError {
        ManifestError::Damaged { entries: self.entries, why: why.into() }
    }

    fn failed(&self, source: io::Error) -> ManifestError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => ManifestError::CutOff { entries: self.entries },
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => self.damaged(source.to_string()),
            _ => ManifestError::Read { entries: self.entries, source },
        }
    }

    fn byte(&mut self) -> Result<u8, ManifestError> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|e| self.failed(e))?;
        Ok(byte[0])
    }

    fn number(&mut self) -> Result<u64, ManifestError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number without end"))
    }

    fn length(&mut self) -> Result<usize, ManifestError> {
        let length = self.number()?;
        usize::try_from(length).ok().filter(|_| length <= MOST).ok_or_else(|| self.damaged("a name of a megabyte"))
    }

    fn bytes(&mut self, length: usize, into: &mut Vec<u8>) -> Result<(), ManifestError> {
        into.resize(length, 0);
        self.input.read_exact(into).map_err(|e| self.failed(e))
    }

    /// A name as what differs from the one before.
    fn name(&mut self, name: &mut Vec<u8>) -> Result<(), ManifestError> {
        let shared = self.length()?;
        if shared > name.len() {
            return Err(self.damaged("a name that goes on from a longer one than there was"));
        }
        let length = self.length()?;
        name.resize(shared + length, 0);
        self.input.read_exact(&mut name[shared..]).map_err(|e| self.failed(e))
    }

    /// Nothing follows the last record, and the checksum of it all is right.
    fn end(&mut self, entries: u64) -> Result<(), ManifestError> {
        if entries != self.entries {
            return Err(self.damaged(format!("it says that it holds {entries}")));
        }
        match self.input.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged("something follows its end")),
            Err(e) => Err(self.failed(e)),
        }
    }
}
