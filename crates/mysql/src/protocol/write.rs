//! Fields of a packet, written.

/// Appends a number that says itself how long it is.
pub fn put_lenenc(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=0xFA => out.push(value as u8),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&(value as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Appends bytes behind their length.
pub(super) fn put_lenenc_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends bytes and a zero. The bytes hold no zero.
pub(super) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    debug_assert!(!text.contains(&0), "a zero would end the field");
    out.extend_from_slice(text);
    out.push(0);
}
