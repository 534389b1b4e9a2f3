//! Writing fields. Texts that do not fit the width of their length are cut, at a whole character.

/// Appends UTF-16LE.
pub(super) fn utf16(out: &mut Vec<u8>, text: &str) {
    out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
}

/// Number of UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The beginning of a text that has at most this many UTF-16 units.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > most {
            return &text[..at];
        }
    }
    text
}

/// A text with its length in one byte (`B_VARCHAR`).
pub(super) fn b_text(out: &mut Vec<u8>, text: &str) {
    let text = cut(text, 0xff);
    out.push(units(text) as u8);
    utf16(out, text);
}

/// A text with its length in two bytes (`US_VARCHAR`).
pub(super) fn us_text(out: &mut Vec<u8>, text: &str) {
    let text = cut(text, 0xffff);
    out.extend_from_slice(&(units(text) as u16).to_le_bytes());
    utf16(out, text);
}

/// Bytes with their length in one byte (`B_VARBYTE`).
pub(super) fn b_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(0xff)];
    out.push(bytes.len() as u8);
    out.extend_from_slice(bytes);
}

/// A token whose length stands in two bytes behind its type.
pub(super) fn short_token(out: &mut Vec<u8>, token: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.push(token);
    let start = out.len();
    out.extend_from_slice(&[0; 2]);
    fill(out);
    let length = u16::try_from(out.len() - start - 2).unwrap_or(u16::MAX);
    out.truncate(start + 2 + usize::from(length));
    out[start..start + 2].copy_from_slice(&length.to_le_bytes());
}
