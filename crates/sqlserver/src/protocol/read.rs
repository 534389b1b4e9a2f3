//! Reading fields. Every read is checked; nothing is allocated on the other side's word.

use super::DecodeError;

/// What is left to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// How much has been read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.all.len()
    }

    pub(super) fn remaining(&mut self) -> &'a [u8] {
        let rest = &self.all[self.at..];
        self.at = self.all.len();
        rest
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.all.get(self.at).copied()
    }

    pub(super) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let taken = self.all[self.at..].get(..count).ok_or(DecodeError::Short(what))?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DecodeError> {
        let taken = self.all[self.at..].first_chunk::<N>().ok_or(DecodeError::Short(what))?;
        self.at += N;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u16_be(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        self.array(what).map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u32_be(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        self.array(what).map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A text of this many UTF-16 units.
    pub(super) fn text(&mut self, units: usize, what: &'static str) -> Result<String, DecodeError> {
        self.bytes(units * 2, what).map(utf16)
    }

    /// A text with its length in one byte (`B_VARCHAR`).
    pub(super) fn b_text(&mut self, what: &'static str) -> Result<String, DecodeError> {
        let units = usize::from(self.u8(what)?);
        self.text(units, what)
    }

    /// A text with its length in two bytes (`US_VARCHAR`).
    pub(super) fn us_text(&mut self, what: &'static str) -> Result<String, DecodeError> {
        let units = usize::from(self.u16(what)?);
        self.text(units, what)
    }

    /// Bytes with their length in one byte (`B_VARBYTE`).
    pub(super) fn b_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let length = usize::from(self.u8(what)?);
        self.bytes(length, what)
    }

    /// Bytes with their length in two bytes (`US_VARBYTE`).
    pub(super) fn us_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let length = usize::from(self.u16(what)?);
        self.bytes(length, what)
    }
}

/// Text from UTF-16LE; what is no text becomes U+FFFD, because servers and clients put anything into names.
pub(super) fn utf16(bytes: &[u8]) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let mut text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}
