//! Writing messages. The length word is filled in once the body is known.

/// Appends a message of this type with the body that `fill` writes.
pub(super) fn message(out: &mut Vec<u8>, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    untyped(out, fill);
}

/// Appends a message without a type (start-up packets).
pub(super) fn untyped(out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    fill(out);
    let length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Appends a string with its zero byte. The protocol has no zero bytes within strings: the text ends at the first.
pub(super) fn c_str(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    out.extend_from_slice(&bytes[..end]);
    out.push(0);
}

/// Appends a count of fields.
pub(super) fn count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes());
}

/// Appends a value with its length in front; null is -1.
pub(super) fn value(out: &mut Vec<u8>, value: Option<&[u8]>) {
    match value {
        None => out.extend_from_slice(&(-1i32).to_be_bytes()),
        Some(bytes) => {
            out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
            out.extend_from_slice(bytes);
        }
    }
}
