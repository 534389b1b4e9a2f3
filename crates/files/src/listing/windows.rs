//! Lists of `dir`, in any language of Windows.
//!
//! Nothing is looked up in a dictionary: a folder's line is indented and holds a path, an entry's line begins with a
//! digit (its date) and has a time, then a size or a word in angle brackets, then the name at a fixed distance.

use std::borrow::Cow;
use std::io::Read;
use std::ops::ControlFlow;

use super::code_page::{likely, text};
use super::decode::Records;
use super::kind::is_windows_path;
use super::{Encoding, Entry, ListingError, Sink, What};

/// The code page of lines that are not UTF-8.
#[derive(Debug, Clone, Copy)]
pub(super) enum Page {
    Told(Encoding),
    /// By the first such line.
    Unknown,
}

impl Page {
    pub(super) fn new(told: Option<Encoding>, sample: &[u8]) -> Self {
        match told {
            Some(page @ (Encoding::Windows1252 | Encoding::Cp850)) => Self::Told(page),
            _ if std::str::from_utf8(sample).is_err_and(|e| e.error_len().is_some()) => Self::Told(likely(sample)),
            _ => Self::Unknown,
        }
    }

    /// What a summary says of the encoding.
    pub(super) fn told(self, encoding: Encoding, sample: &[u8]) -> Encoding {
        match self {
            Self::Told(page) if !sample.is_empty() => page,
            _ => encoding,
        }
    }

    fn text(self, line: &[u8]) -> Cow<'_, str> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self {
            Self::Told(page) => text(line, page),
            Self::Unknown => text(line, likely(line)),
        }
    }
}

/// `dir /b /s`: whole paths. It does not say which are folders.
pub(super) fn bare<R: Read>(
    records: &mut Records<R>,
    page: Page,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ListingError> {
    let mut line = Vec::new();
    while records.next(&mut line)? {
        let path = page.text(&line);
        let parts = path.rsplit_once('\\').filter(|(_, name)| !name.is_empty() && is_windows_path(path.as_bytes()));
        let Some((folder, name)) = parts else {
            if !path.trim().is_empty() {
                sink.skip(records.line());
            }
            continue;
        };
        let (folder, name) = (folder.as_bytes(), name.as_bytes());
        if sink.give(Entry { folder, name, what: What::Unknown, size: None, mtime: None, short: None }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Whether names stand behind a column of short names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Unknown,
    Absent,
    Present,
}

/// Its room in characters, and the space behind it.
const COLUMN: usize = 13;

/// `dir`: a table for each folder.
pub(super) fn table<R: Read>(
    records: &mut Records<R>,
    page: Page,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ListingError> {
    let (mut folder, mut column, mut bytes) = (String::new(), Column::Unknown, Vec::new());
    while records.next(&mut bytes)? {
        let line = page.text(&bytes);
        let Some(row) = row(&line) else {
            match header(&line) {
                Some(path) => path.clone_into(&mut folder),
                // Sums, the volume, and what a language says about an empty folder are indented.
                None if line.trim().is_empty() || line.starts_with(' ') => {}
                None => sink.skip(records.line()),
            }
            continue;
        };
        if column == Column::Unknown {
            column = evidence(row.rest);
        }
        let (short, name) = if column == Column::Present { cut(row.rest) } else { (None, row.rest) };
        let name = match row.what {
            What::Other => name.split(" [").next().unwrap_or(name),
            _ => name,
        };
        if matches!(name.trim(), "" | "." | "..") {
            continue;
        }
        let (folder, name) = (folder.trim_end_matches('\\').as_bytes(), name.as_bytes());
        if sink.give(Entry { folder, name, what: row.what, size: row.size, mtime: None, short }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Short name and name.
fn cut(rest: &str) -> (Option<&str>, &str) {
    let at = rest.char_indices().nth(COLUMN).map_or(rest.len(), |(at, _)| at);
    let short = rest[..at].trim();
    ((!short.is_empty()).then_some(short), &rest[at..])
}

/// Whether a row shows that there is a column, or that there is none. Each folder but a drive's root begins with `.`.
fn evidence(rest: &str) -> Column {
    let (short, name) = cut(rest);
    let spaced = rest.chars().nth(COLUMN - 1) == Some(' ');
    match (rest, short) {
        ("." | "..", _) => Column::Absent,
        (_, None) if !name.is_empty() => Column::Present,
        (_, Some(short)) if spaced && !name.is_empty() && short.contains('~') && peaje_names83::is_legal(short) => {
            Column::Present
        }
        _ => Column::Unknown,
    }
}

/// An entry's line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    what: What,
    size: Option<u64>,
    /// What stands behind size or kind: perhaps a short name, and the name.
    rest: &'a str,
}

/// Reads a line as an entry. Date and time may be in any order of any language: only that they are there counts.
pub(super) fn row(line: &str) -> Option<Row<'_>> {
    let mut words = Words { line, at: 0 };
    let date = words.next()?;
    if !line.starts_with(|c: char| c.is_ascii_digit()) || !is_date(date) {
        return None;
    }
    // Some languages write morning or afternoon before the time, some after, in up to two words.
    let mut time = words.next()?;
    if !time.contains(|c: char| c.is_ascii_digit()) {
        time = words.next()?;
    }
    if !is_time(time) {
        return None;
    }
    for _ in 0..3 {
        let word = words.next()?;
        if word.starts_with('<') && word.ends_with('>') && word.len() > 2 {
            return Some(Row { what: kind(word), size: None, rest: words.behind_kind(word) });
        }
        if let Some(size) = size(word) {
            return Some(Row { what: What::File, size: Some(size), rest: words.behind_size() });
        }
    }
    None
}

/// A folder's line: an indented path, the language's words before it or behind it.
pub(super) fn header(line: &str) -> Option<&str> {
    let text = line.strip_prefix(' ')?;
    let drive = text.match_indices(":\\").map(|(at, _)| at).find_map(|at| {
        let start = at.checked_sub(1)?;
        text.as_bytes()[start].is_ascii_alphabetic().then_some(start)
    });
    let server = text.find("\\\\").filter(|at| text[at + 2..].starts_with(|c: char| c.is_alphanumeric()));
    let start = match (drive, server) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b)?,
    };
    if start == 0 {
        // East Asian languages put the path first.
        return text.rsplit_once(' ').map(|(path, _)| path);
    }
    text[..start].ends_with(' ').then(|| &text[start..])
}

/// Words between spaces. Hard spaces are part of a word: they group digits.
struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = &self.line[self.at..];
        let start = self.at + (rest.len() - rest.trim_start_matches(' ').len());
        let word = self.line[start..].split(' ').next().filter(|word| !word.is_empty())?;
        self.at = start + word.len();
        Some(word)
    }

    /// One space, then the name, which may begin with spaces of its own.
    fn behind_size(&self) -> &'a str {
        let rest = &self.line[self.at..];
        rest.strip_prefix(' ').unwrap_or(rest)
    }

    /// The word and the spaces behind it take fifteen characters.
    fn behind_kind(&self, word: &str) -> &'a str {
        let rest = &self.line[self.at..];
        let room = 15_usize.saturating_sub(word.chars().count());
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        &rest[room.min(spaces)..]
    }
}

fn kind(word: &str) -> What {
    match word {
        "<SYMLINK>" | "<SYMLINKD>" | "<JUNCTION>" => What::Other,
        _ => What::Folder,
    }
}

fn is_date(word: &str) -> bool {
    let separators = word.chars().filter(|c| matches!(c, '/' | '-' | '.')).count();
    (2..=3).contains(&separators) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '-' | '.'))
}

fn is_time(word: &str) -> bool {
    let mut parts = word.split([':', '.', 'h']);
    let number =
        |part: Option<&str>| part.is_some_and(|p| matches!(p.len(), 1 | 2) && p.bytes().all(|c| c.is_ascii_digit()));
    number(parts.next()) && number(parts.next())
}

/// A number, its digits grouped as some language does.
fn size(word: &str) -> Option<u64> {
    let grouped = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}' | 'ÿ');
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    (word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(grouped)).then(|| digits.parse().ok())?
}
