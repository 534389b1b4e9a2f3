//! Names without what nobody else should read.
//!
//! What stands in for the rest of a name are Braille characters: short names leave them out, as they do with everything
//! beyond ASCII, so they change the checksum and nothing else. They come from the entry's number, when it is read.

use crate::class::kept;

/// First byte of what is stored for a legal short name.
const LEGAL: u8 = 1;

/// Stored for a name: what is kept of it, `/`, the extension. For a legal short name a mark and the extension: it gets no
/// other name, so nobody asks how it begins.
pub(super) fn stored(name: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let start = name.iter().position(|byte| *byte != b'.').unwrap_or(name.len());
    let trimmed = &name[start..];
    let dot = trimmed.iter().rposition(|byte| *byte == b'.');
    let (left, right) = dot.map_or((trimmed, &b""[..]), |at| (&trimmed[..at], &trimmed[at + 1..]));
    if std::str::from_utf8(name).is_ok_and(peaje_names83::is_legal) {
        into.push(LEGAL);
    } else {
        into.extend(kept(left).take(6));
        into.push(b'/');
    }
    into.extend(kept(right).take(3));
}

/// The name that stands for a stored one, the `number`th of the list.
pub(super) fn name(stored: &[u8], number: u64, into: &mut Vec<u8>) {
    into.clear();
    let extension = if let [LEGAL, extension @ ..] = stored {
        into.push(b'L');
        // Base 36, seven digits: 78 thousand million names.
        for place in (0..7).rev() {
            into.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(number / 36_u64.pow(place) % 36) as usize]);
        }
        extension
    } else {
        let slash = stored.iter().position(|byte| *byte == b'/').unwrap_or(stored.len());
        into.extend_from_slice(&stored[..slash]);
        // An odd factor makes other numbers of numbers, each once: checksums as even as chance makes them.
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & 0xFFFF_FFFF_FFFF;
        for byte in &mixed.to_le_bytes()[..6] {
            let braille = char::from_u32(0x2800 + u32::from(*byte)).unwrap_or('\u{2800}');
            into.extend_from_slice(braille.encode_utf8(&mut [0; 4]).as_bytes());
        }
        stored.get(slash + 1..).unwrap_or_default()
    };
    if !extension.is_empty() {
        into.push(b'.');
        into.extend_from_slice(extension);
    }
}
