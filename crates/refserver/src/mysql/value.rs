//! Values and their types, as text and in binary.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::packet::{PacketError, Reader, put_bytes};

/// Type of a column, with the number that the protocol gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Double,
    Text,
    Time,
    Null,
}

impl Type {
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Double => 5,
            Self::Null => 6,
            Self::Int => 8,
            Self::Time => 12,
            Self::Text => 253,
        }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Double(f64),
    Text(String),
    /// Seconds of Unix time, shown in UTC.
    Time(u64),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A count, as an integer.
    pub(crate) fn count(n: u64) -> Self {
        Self::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }

    pub(crate) fn time(time: SystemTime) -> Self {
        Self::Time(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs())
    }

    pub(crate) fn kind(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Int(_) => Type::Int,
            Self::Double(_) => Type::Double,
            Self::Text(_) => Type::Text,
            Self::Time(_) => Type::Time,
        }
    }

    /// As a string; `None` = NULL.
    pub(crate) fn show(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Null => return None,
            Self::Int(n) => n.to_string().into(),
            Self::Double(n) => n.to_string().into(),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Time(seconds) => {
                let (year, month, day, hour, minute, second) = calendar(*seconds);
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}").into()
            }
        })
    }

    /// Appends it to a row in text.
    pub(crate) fn put_text(&self, out: &mut Vec<u8>) {
        match self.show() {
            None => out.push(0xfb),
            Some(text) => put_bytes(out, text.as_bytes()),
        }
    }

    /// Appends it to a row in binary, where NULL is a bit elsewhere.
    pub(crate) fn put_binary(&self, out: &mut Vec<u8>, kind: Type) {
        match (self, kind) {
            (Self::Null, _) => {}
            (Self::Int(n), Type::Int) => out.extend_from_slice(&n.to_le_bytes()),
            (Self::Int(n), Type::Double) => out.extend_from_slice(&(*n as f64).to_le_bytes()),
            (Self::Double(n), Type::Double) => out.extend_from_slice(&n.to_le_bytes()),
            (Self::Time(seconds), Type::Time) => {
                let (year, month, day, hour, minute, second) = calendar(*seconds);
                out.push(7);
                out.extend_from_slice(&year.to_le_bytes());
                out.extend_from_slice(&[month, day, hour, minute, second]);
            }
            (other, _) => put_bytes(out, other.show().unwrap_or_default().as_bytes()),
        }
    }
}

/// A value as a client binds it to a parameter, in binary. `number` is the type's.
pub(crate) fn read_bound(reader: &mut Reader<'_>, number: u8, unsigned: bool) -> Result<Value, PacketError> {
    Ok(match number {
        6 => Value::Null,
        1 => {
            let byte = reader.byte()?;
            Value::Int(if unsigned { byte.into() } else { (byte as i8).into() })
        }
        2 | 13 => {
            let word = reader.u16()?;
            Value::Int(if unsigned { word.into() } else { (word as i16).into() })
        }
        3 | 9 => {
            let word = reader.u32()?;
            Value::Int(if unsigned { word.into() } else { (word as i32).into() })
        }
        8 => {
            let word = u64::from_le_bytes(reader.array()?);
            match i64::try_from(word) {
                Err(_) if unsigned => Value::text(word.to_string()),
                _ => Value::Int(word as i64),
            }
        }
        4 => Value::Double(f32::from_le_bytes(reader.array()?).into()),
        5 => Value::Double(f64::from_le_bytes(reader.array()?)),
        7 | 10 | 12 => Value::Text(date(reader)?),
        11 => Value::Text(time_of_day(reader)?),
        0 | 15 | 16 | 245..=255 => Value::text(String::from_utf8_lossy(reader.bytes()?)),
        _ => return Err(PacketError::Malformed),
    })
}

fn date(reader: &mut Reader<'_>) -> Result<String, PacketError> {
    let length = reader.byte()?;
    let mut fields = Reader::new(reader.take(length.into())?);
    if fields.is_at_end() {
        return Ok("0000-00-00 00:00:00".to_owned());
    }
    let mut text = format!("{:04}-{:02}-{:02}", fields.u16()?, fields.byte()?, fields.byte()?);
    if !fields.is_at_end() {
        let _ = write!(text, " {:02}:{:02}:{:02}", fields.byte()?, fields.byte()?, fields.byte()?);
    }
    if !fields.is_at_end() {
        let _ = write!(text, ".{:06}", fields.u32()?);
    }
    Ok(text)
}

fn time_of_day(reader: &mut Reader<'_>) -> Result<String, PacketError> {
    let length = reader.byte()?;
    let mut fields = Reader::new(reader.take(length.into())?);
    if fields.is_at_end() {
        return Ok("00:00:00".to_owned());
    }
    let sign = if fields.byte()? == 0 { "" } else { "-" };
    let hours = u64::from(fields.u32()?) * 24 + u64::from(fields.byte()?);
    let mut text = format!("{sign}{hours:02}:{:02}:{:02}", fields.byte()?, fields.byte()?);
    if !fields.is_at_end() {
        let _ = write!(text, ".{:06}", fields.u32()?);
    }
    Ok(text)
}

/// Year, month, day, hour, minute, second in UTC (days to date after Howard Hinnant's `civil_from_days`).
fn calendar(seconds: u64) -> (u16, u8, u8, u8, u8, u8) {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year as u16, month as u8, day as u8, (second / 3600) as u8, (second / 60 % 60) as u8, (second % 60) as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_shown_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_709_251_199, "2024-02-29 23:59:59"),
            (4_102_444_800, "2100-01-01 00:00:00"),
        ] {
            assert_eq!(Value::Time(seconds).show().unwrap(), text);
        }
    }

    #[test]
    fn bound_values_of_every_kind() {
        let table: &[(u8, bool, &[u8], Value)] = &[
            (1, false, &[0xff], Value::Int(-1)),
            (1, true, &[0xff], Value::Int(255)),
            (2, false, &[0xfe, 0xff], Value::Int(-2)),
            (3, false, &[1, 0, 0, 0x80], Value::Int(-0x7fff_ffff)),
            (8, true, &[0xff; 8], Value::text("18446744073709551615")),
            (8, false, &[0xff; 8], Value::Int(-1)),
            (5, false, &1.5f64.to_le_bytes(), Value::Double(1.5)),
            (6, false, &[], Value::Null),
            (253, false, b"\x02hi", Value::text("hi")),
            (10, false, &[4, 0xe8, 7, 2, 29], Value::text("2024-02-29")),
            (12, false, &[11, 0xe8, 7, 2, 29, 1, 2, 3, 4, 0, 0, 0], Value::text("2024-02-29 01:02:03.000004")),
            (11, false, &[8, 1, 1, 0, 0, 0, 2, 3, 4], Value::text("-26:03:04")),
        ];
        for (number, unsigned, bytes, expected) in table {
            let mut reader = Reader::new(bytes);
            assert_eq!(read_bound(&mut reader, *number, *unsigned).as_ref(), Ok(expected));
            assert!(reader.is_at_end());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_bound_or_refused(number: u8, unsigned: bool, bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            let _ = read_bound(&mut reader, number, unsigned);
        }
    }
}
