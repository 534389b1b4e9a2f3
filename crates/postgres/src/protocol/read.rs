//! Reading fields of a message whose end is known. Every read is checked; nothing is allocated on the other side's word.

use std::borrow::Cow;

use super::DecodeError;

/// What is left of a message's body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a> {
    tag: u8,
    rest: &'a [u8],
}

impl<'a> Body<'a> {
    pub(super) fn new(tag: u8, rest: &'a [u8]) -> Self {
        Self { tag, rest }
    }

    pub(super) fn malformed(&self, what: &'static str) -> DecodeError {
        DecodeError::Malformed { tag: self.tag, what }
    }

    /// Everything that is left.
    pub(super) fn remaining(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The message must end here.
    pub(super) fn end(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.malformed("bytes after the last field")) }
    }

    pub(super) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.malformed(what))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(|| self.malformed(what))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn i16(&mut self, what: &'static str) -> Result<i16, DecodeError> {
        self.array(what).map(i16::from_be_bytes)
    }

    /// A count of fields: never negative.
    pub(super) fn count(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        self.array(what).map(u16::from_be_bytes)
    }

    pub(super) fn i32(&mut self, what: &'static str) -> Result<i32, DecodeError> {
        self.array(what).map(i32::from_be_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        self.array(what).map(u32::from_be_bytes)
    }

    /// A string up to its zero byte.
    pub(super) fn c_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let end = self.rest.iter().position(|&b| b == 0).ok_or_else(|| self.malformed(what))?;
        let text = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Ok(text)
    }

    /// A string that has to be UTF-8.
    pub(super) fn c_str(&mut self, what: &'static str) -> Result<&'a str, DecodeError> {
        let bytes = self.c_bytes(what)?;
        std::str::from_utf8(bytes).map_err(|_| self.malformed(what))
    }

    /// A string for people: servers write it in the database's encoding, whatever that is.
    pub(super) fn c_text(&mut self, what: &'static str) -> Result<Cow<'a, str>, DecodeError> {
        Ok(String::from_utf8_lossy(self.c_bytes(what)?))
    }

    /// A value with its length in front; -1 is null.
    pub(super) fn value(&mut self, what: &'static str) -> Result<Option<&'a [u8]>, DecodeError> {
        match self.i32(what)? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| self.malformed(what))?;
                self.bytes(length, what).map(Some)
            }
        }
    }

    /// As many fields as the count in front of them says.
    pub(super) fn list<T>(
        &mut self,
        what: &'static str,
        mut read: impl FnMut(&mut Self, &'static str) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let count = self.count(what)?;
        // Grows as fields are really there: a count alone must not cost memory.
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self, what)?);
        }
        Ok(items)
    }
}

/// A message with its type and its body, cut out of what has arrived.
pub(super) struct Frame<'a> {
    pub(super) tag: u8,
    pub(super) body: Body<'a>,
    /// Length of the whole message.
    pub(super) length: usize,
}

/// The header of a typed message: type, and length of the whole message. `None` = more bytes are needed.
pub(super) fn header(bytes: &[u8]) -> Result<Option<(u8, usize)>, DecodeError> {
    let Some(&[tag, a, b, c, d]) = bytes.first_chunk::<5>() else { return Ok(None) };
    let length = u32::from_be_bytes([a, b, c, d]);
    if length < 4 {
        return Err(DecodeError::TooShort { tag, length });
    }
    // The type's own byte is not part of the length word.
    Ok(Some((tag, length as usize + 1)))
}

/// Cuts the first typed message. The limit is checked before the message has arrived.
pub(super) fn frame(bytes: &[u8], limit: usize) -> Result<Option<Frame<'_>>, DecodeError> {
    let Some((tag, length)) = header(bytes)? else { return Ok(None) };
    if length - 1 > limit {
        return Err(DecodeError::TooLong { tag, length: (length - 1) as u32, limit });
    }
    let Some(body) = bytes.get(5..length) else { return Ok(None) };
    Ok(Some(Frame { tag, body: Body::new(tag, body), length }))
}
