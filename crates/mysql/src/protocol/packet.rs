//! The frame of every message: three bytes of length, one of a number that counts up within one exchange.

/// Length of the header.
pub const HEADER: usize = 4;

/// The header of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes that follow the header.
    pub length: usize,
    /// Number within the exchange, modulo 256.
    pub sequence: u8,
}

/// The header at the beginning of the bytes; `None` = not yet complete.
pub fn header(bytes: &[u8]) -> Option<Header> {
    let &[a, b, c, sequence] = bytes.first_chunk()?;
    Some(Header { length: u32::from_le_bytes([a, b, c, 0]) as usize, sequence })
}

/// A whole packet at the beginning of the bytes: its header and payload. `None` = not yet complete.
pub fn decode(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let header = header(bytes)?;
    Some((header, bytes.get(HEADER..HEADER + header.length)?))
}

/// Writes one packet around what `write` appends; it must stay below 16 MiB.
pub fn encode(out: &mut Vec<u8>, sequence: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, sequence]);
    write(out);
    let length = out.len() - start - HEADER;
    debug_assert!(length < super::CONTINUED, "a packet that needs another one");
    out[start..start + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
}

/// Writes a payload of any length as one packet or several. Returns the number of the next packet.
pub fn encode_long(out: &mut Vec<u8>, mut sequence: u8, payload: &[u8]) -> u8 {
    let mut rest = payload;
    loop {
        let (now, later) = rest.split_at(rest.len().min(super::CONTINUED));
        out.extend_from_slice(&(now.len() as u32).to_le_bytes()[..3]);
        out.push(sequence);
        out.extend_from_slice(now);
        sequence = sequence.wrapping_add(1);
        // A payload of exactly that length is ended by an empty packet.
        if now.len() < super::CONTINUED {
            return sequence;
        }
        rest = later;
    }
}
