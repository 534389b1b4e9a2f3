//! Whole numbers in as few bytes as they need, and texts with their length before them.
//!
//! Small numbers take one byte; differences are what makes numbers small. Reading never panics and never believes a
//! length that the bytes do not hold.

use crate::codec::Damaged;

/// Writes into a growing row.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Negative numbers beside positive ones: 0, -1, 1, -2, …
    pub(super) fn signed(&mut self, value: i64) {
        self.unsigned(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Nothing is 0, so that it costs one byte; a number is one higher.
    pub(super) fn optional(&mut self, value: Option<u64>) {
        match value {
            None => self.unsigned(0),
            Some(u64::MAX) => self.unsigned(u64::MAX),
            Some(value) => self.unsigned(value + 1),
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn optional_text(&mut self, text: Option<&str>) {
        self.byte(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    pub(super) fn flag(&mut self, value: Option<bool>) {
        self.byte(match value {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        });
    }
}

/// Reads what [`Writer`] wrote.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, Damaged> {
        let (first, rest) = self.0.split_first().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, Damaged> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Damaged)
    }

    pub(super) fn signed(&mut self) -> Result<i64, Damaged> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(super) fn optional(&mut self) -> Result<Option<u64>, Damaged> {
        Ok(self.unsigned()?.checked_sub(1))
    }

    pub(super) fn text(&mut self) -> Result<String, Damaged> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| Damaged)
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, Damaged> {
        if self.byte()? == 0 { Ok(None) } else { self.text().map(Some) }
    }

    pub(super) fn flag(&mut self) -> Result<Option<bool>, Damaged> {
        match self.byte()? {
            0 => Ok(None),
            1 => Ok(Some(false)),
            2 => Ok(Some(true)),
            _ => Err(Damaged),
        }
    }

    /// A number of things that take a byte each at least, so it cannot be above the bytes that are left.
    pub(super) fn length(&mut self) -> Result<usize, Damaged> {
        let length = self.unsigned()?;
        usize::try_from(length).ok().filter(|length| *length <= self.0.len()).ok_or(Damaged)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(a: u64, b: i64, c in proptest::option::of(0..u64::MAX - 1), d in ".*", e: Option<bool>) {
            let mut writer = Writer::default();
            writer.unsigned(a);
            writer.signed(b);
            writer.optional(c);
            writer.optional_text(Some(&d));
            writer.flag(e);
            let mut reader = Reader(&writer.0);
            prop_assert_eq!(reader.unsigned(), Ok(a));
            prop_assert_eq!(reader.signed(), Ok(b));
            prop_assert_eq!(reader.optional(), Ok(c));
            prop_assert_eq!(reader.optional_text(), Ok(Some(d)));
            prop_assert_eq!(reader.flag(), Ok(e));
            prop_assert!(reader.0.is_empty());
        }
    }

    #[test]
    fn a_length_beyond_the_end_is_not_believed() {
        let mut writer = Writer::default();
        writer.unsigned(1 << 40);
        assert_eq!(Reader(&writer.0).text(), Err(Damaged));
    }
}
