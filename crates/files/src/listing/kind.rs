//! What a list is, from its first part.

use super::windows::{header, row};
use super::{Encoding, Kind, ListingError};

/// The encoding of a list: a mark at its start, or zero bytes where UTF-16 has them.
pub(super) fn encoding(sample: &[u8]) -> Encoding {
    match sample {
        [0xFF, 0xFE, ..] => return Encoding::Utf16Le,
        [0xFE, 0xFF, ..] => return Encoding::Utf16Be,
        _ => {}
    }
    let (pairs, _) = sample.as_chunks::<2>();
    let share = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count() as f64 / pairs.len().max(1) as f64;
    // Names from all over the world still have drives, separators and line ends. `find -print0` has zeros at both places.
    match (share(0), share(1)) {
        (even, odd) if odd > 0.3 && even < 0.02 => Encoding::Utf16Le,
        (even, odd) if even > 0.3 && odd < 0.02 => Encoding::Utf16Be,
        _ => Encoding::Bytes,
    }
}

/// What wrote a list.
pub(super) fn kind(text: &[u8]) -> Result<Kind, ListingError> {
    if let Some(at) = text.iter().position(|byte| *byte < 0x20 && !b"\0\t\r\n\x1b".contains(byte)) {
        // One in a name is possible; many mean that this is no text.
        let strange = text.iter().filter(|byte| **byte < 0x20 && !b"\0\t\r\n".contains(byte)).count();
        if strange * 20 > text.len() {
            let line = text[..at].split(|byte| *byte == b'\n').count() as u64;
            return Err(ListingError::NotAList { line });
        }
    }
    if text.contains(&0) {
        return Ok(Kind::Find0);
    }
    let lines = || text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let as_text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    if lines().map(as_text).any(|line| header(&line).is_some() || row(&line).is_some()) {
        return Ok(Kind::DirTable);
    }
    if lines().filter(|line| !line.is_empty()).any(is_windows_path) {
        return Ok(Kind::DirBare);
    }
    Ok(if text.contains(&b'/') { Kind::Find } else { Kind::Names })
}

/// Whether a line starts like a path of Windows: a drive, or a server.
pub(super) fn is_windows_path(line: &[u8]) -> bool {
    matches!(line, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic()) || line.starts_with(b"\\\\")
}
