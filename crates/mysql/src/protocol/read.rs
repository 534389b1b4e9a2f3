//! Fields of a packet, read one after the other.

use super::DecodeError;

/// What is left of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(DecodeError::Short(what))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DecodeError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(DecodeError::Short(what))?;
        self.0 = rest;
        Ok(*head)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// A number that says itself how long it is.
    pub(super) fn lenenc(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        match self.u8(what)? {
            0xFC => self.u16(what).map(u64::from),
            0xFD => self.array(what).map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xFE => self.array(what).map(u64::from_le_bytes),
            // NULL, and the mark of an error.
            0xFB | 0xFF => Err(DecodeError::Unexpected("number")),
            small => Ok(u64::from(small)),
        }
    }

    /// Bytes behind their length.
    pub(super) fn lenenc_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let length = usize::try_from(self.lenenc(what)?).map_err(|_| DecodeError::Short(what))?;
        self.bytes(length, what)
    }

    /// Bytes up to a zero.
    pub(super) fn text(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let end = self.0.iter().position(|b| *b == 0).ok_or(DecodeError::Short(what))?;
        let text = self.bytes(end, what)?;
        self.0 = &self.0[1..];
        Ok(text)
    }

    /// Bytes up to a zero or the end.
    pub(super) fn text_or_rest(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|b| *b == 0);
        let (text, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        text
    }

    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
