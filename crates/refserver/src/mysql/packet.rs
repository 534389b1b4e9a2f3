//! Packets: three bytes of length, one of sequence, then the body; and the integers and strings inside.
//!
//! A newcomer would wait until a packet is complete and then judge it. Its length is judged when its header is here:
//! nobody can make the server buffer 16 MB.

/// Bytes of a packet's header.
const HEADER: usize = 4;

/// Bytes that are no packet, or no body of the kind expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PacketError {
    /// The header announces more than is accepted here.
    TooLong,
    /// The body ends too early, or holds what it cannot hold.
    Malformed,
}

/// A whole packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet<'a> {
    pub(crate) sequence: u8,
    pub(crate) body: &'a [u8],
    /// Bytes it took, header included.
    pub(crate) used: usize,
}

/// The first packet of `bytes`; `None` = not complete yet.
pub(crate) fn decode(bytes: &[u8], longest: usize) -> Result<Option<Packet<'_>>, PacketError> {
    let Some(header) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
    let length = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
    if length > longest {
        return Err(PacketError::TooLong);
    }
    let used = HEADER + length;
    Ok(bytes.get(HEADER..used).map(|body| Packet { sequence: header[3], body, used }))
}

/// Appends packets with consecutive sequence numbers.
#[derive(Debug)]
pub(crate) struct Writer<'o> {
    pub(crate) out: &'o mut Vec<u8>,
    /// Number of the next packet.
    pub(crate) sequence: u8,
}

impl Writer<'_> {
    /// Appends a packet with the body that `write` appends. All bodies here are far below 16 MB.
    pub(crate) fn packet(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        self.out.extend_from_slice(&[0, 0, 0, self.sequence]);
        write(self.out);
        let length = ((self.out.len() - start - HEADER) as u32).to_le_bytes();
        self.out[start..start + 3].copy_from_slice(&length[..3]);
        self.sequence = self.sequence.wrapping_add(1);
    }
}

/// Appends an integer of variable length.
pub(crate) fn put_integer(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=250 => out.push(value as u8),
        251..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&(value as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Appends bytes with their length before them.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_integer(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends bytes with a zero byte behind them.
pub(crate) fn put_ended(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
    out.push(0);
}

/// Reads a body from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything not yet read.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], PacketError> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or(PacketError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], PacketError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(PacketError::Malformed)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, PacketError> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, PacketError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, PacketError> {
        self.array().map(u32::from_le_bytes)
    }

    /// An integer of variable length.
    pub(crate) fn integer(&mut self) -> Result<u64, PacketError> {
        Ok(match self.byte()? {
            small @ 0..=250 => small.into(),
            0xfc => self.u16()?.into(),
            0xfd => {
                let [a, b, c] = self.array()?;
                u32::from_le_bytes([a, b, c, 0]).into()
            }
            0xfe => u64::from_le_bytes(self.array()?),
            // NULL and the first byte of an error: no lengths.
            _ => return Err(PacketError::Malformed),
        })
    }

    /// Bytes with their length before them.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], PacketError> {
        let length = self.integer()?;
        self.take(usize::try_from(length).map_err(|_| PacketError::Malformed)?)
    }

    /// Bytes up to a zero byte, which is consumed.
    pub(crate) fn ended(&mut self) -> Result<&'a [u8], PacketError> {
        let end = self.rest.iter().position(|b| *b == 0).ok_or(PacketError::Malformed)?;
        let taken = self.take(end)?;
        self.byte()?;
        Ok(taken)
    }

    /// Bytes up to a zero byte or, where a client has left that out, to the end of the body.
    pub(crate) fn ended_or_rest(&mut self) -> &'a [u8] {
        self.ended().unwrap_or_else(|_| self.take_rest())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_length_is_judged_on_its_header() {
        assert_eq!(decode(&[0xff, 0xff, 0xff, 0], 1000), Err(PacketError::TooLong));
        assert_eq!(decode(&[1, 0, 0], 1000), Ok(None));
        assert_eq!(decode(&[1, 0, 0, 7], 1000), Ok(None));
        let packet = Packet { sequence: 7, body: b"x", used: 5 };
        assert_eq!(decode(b"\x01\0\0\x07xy", 1000), Ok(Some(packet)));
        assert_eq!(decode(b"\0\0\0\x01", 0), Ok(Some(Packet { sequence: 1, body: b"", used: 4 })));
    }

    #[test]
    fn sequences_wrap() {
        let mut out = Vec::new();
        let mut writer = Writer { out: &mut out, sequence: 255 };
        writer.packet(|out| out.push(1));
        writer.packet(|_| {});
        assert_eq!(out, [1, 0, 0, 255, 1, 0, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn integers_survive(value: u64) {
            let mut out = Vec::new();
            put_integer(&mut out, value);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.integer(), Ok(value));
            prop_assert!(reader.is_at_end());
            prop_assert_eq!(Reader::new(&out[..out.len() - 1]).integer(), Err(PacketError::Malformed));
        }

        #[test]
        fn bytes_survive(bytes: Vec<u8>, more: Vec<u8>) {
            let mut out = Vec::new();
            put_bytes(&mut out, &bytes);
            out.extend_from_slice(&more);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.bytes(), Ok(bytes.as_slice()));
            prop_assert_eq!(reader.take_rest(), more.as_slice());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, longest in 0usize..100) {
            if let Ok(Some(packet)) = decode(&bytes, longest) {
                prop_assert!(packet.body.len() <= longest);
                prop_assert!(packet.used <= bytes.len());
            }
            let mut reader = Reader::new(&bytes);
            while reader.bytes().is_ok() {}
            let mut reader = Reader::new(&bytes);
            while reader.ended().is_ok() {}
        }
    }
}
