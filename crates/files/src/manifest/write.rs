//! Writing a manifest, from one list or from all threads of a scan.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use flate2::{Compression, write::GzEncoder};

use super::{END, FOLDER, HAS_SIZE, HAS_TIME, KINDS, MAGIC, VERSION, anonymous};
use crate::listing::Entry;
use crate::scan::{Batch, Visit};

/// Whether a manifest holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// As they are.
    Full,
    /// What short names read of them, see [`crate::manifest`].
    Anonymised,
}

impl Names {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Anonymised => "anonymised",
        }
    }
}

/// What a whole manifest holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Entries.
    pub entries: u64,
    /// Whether names are as they were.
    pub names: Names,
}

/// Writes a manifest. All threads of a scan may give entries to it.
pub struct Writer<W: Write>(Mutex<Inner<W>>);

struct Inner<W: Write> {
    out: BufWriter<GzEncoder<W>>,
    names: Names,
    folder: Option<Vec<u8>>,
    aliases: HashMap<Vec<u8>, u64>,
    before: Vec<u8>,
    stored: Vec<u8>,
    time: i64,
    entries: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a manifest.
    pub fn create(mut out: W, names: Names) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        writeln!(out, "{VERSION} {}", names.word())?;
        let out = BufWriter::with_capacity(64 << 10, GzEncoder::new(out, Compression::new(4)));
        Ok(Self(Mutex::new(Inner {
            out,
            names,
            folder: None,
            aliases: HashMap::new(),
            before: Vec::new(),
            stored: Vec::new(),
            time: 0,
            entries: 0,
        })))
    }

    /// One more entry.
    pub fn entry(&self, entry: Entry<'_>) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(entry)
    }

    /// Ends the manifest. Without this, a reader will say that it was cut off.
    pub fn finish(self) -> io::Result<(Totals, W)> {
        let mut inner = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        inner.out.write_all(&[END])?;
        number(&mut inner.out, inner.entries)?;
        let gzip = inner.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let mut out = gzip.finish()?;
        out.flush()?;
        Ok((Totals { entries: inner.entries, names: inner.names }, out))
    }
}

impl<W: Write + Send> Visit for Writer<W> {
    fn batch(&self, folder: &Path, batch: &Batch) -> io::Result<()> {
        let folder = folder.as_os_str().as_bytes();
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, what, detail) in batch.iter() {
            let (size, mtime) = (detail.map(|d| d.size), detail.map(|d| d.mtime));
            inner.entry(Entry { folder, name, what, size, mtime, short: None })?;
        }
        Ok(())
    }
}

impl<W: Write> Inner<W> {
    fn entry(&mut self, entry: Entry<'_>) -> io::Result<()> {
        if self.folder.as_deref() != Some(entry.folder) {
            self.enter(entry.folder)?;
        }
        match self.names {
            Names::Full => entry.name.clone_into(&mut self.stored),
            Names::Anonymised => anonymous::stored(entry.name, &mut self.stored),
        }
        let kind = KINDS.iter().position(|kind| *kind == entry.what).unwrap_or_default() as u8;
        let bits = [entry.size.map(|_| HAS_SIZE), entry.mtime.map(|_| HAS_TIME)].into_iter().flatten().sum::<u8>();
        let shared = self.before.iter().zip(&self.stored).take_while(|(a, b)| a == b).count();
        self.out.write_all(&[kind | bits])?;
        number(&mut self.out, shared as u64)?;
        number(&mut self.out, (self.stored.len() - shared) as u64)?;
        self.out.write_all(&self.stored[shared..])?;
        if let Some(size) = entry.size {
            number(&mut self.out, size)?;
        }
        if let Some(time) = entry.mtime {
            let step = time.wrapping_sub(self.time);
            // Small steps back are small numbers too.
            number(&mut self.out, (step << 1 ^ step >> 63) as u64)?;
            self.time = time;
        }
        std::mem::swap(&mut self.before, &mut self.stored);
        self.entries += 1;
        Ok(())
    }

    fn enter(&mut self, folder: &[u8]) -> io::Result<()> {
        self.folder = Some(folder.to_vec());
        let alias;
        let path = match self.names {
            Names::Full => folder,
            Names::Anonymised => {
                let next = self.aliases.len() as u64 + 1;
                alias = format!("/{}", self.aliases.entry(folder.to_vec()).or_insert(next));
                alias.as_bytes()
            }
        };
        self.out.write_all(&[FOLDER])?;
        number(&mut self.out, path.len() as u64)?;
        self.out.write_all(path)
    }
}

/// Seven bits a byte, the lowest first; the eighth bit says that more follow.
fn number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}
