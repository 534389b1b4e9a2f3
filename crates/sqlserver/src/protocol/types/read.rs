//! Reading values. What a value's bytes are is found first, so that rows can be passed over without being kept.

use super::value::{DAY_US, DAYS_0001, DAYS_1900};
use super::{Form, Place, TypeInfo, Value, id};
use crate::protocol::DecodeError;
use crate::protocol::read::{Body, utf16};

/// What stands in front of a value's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::protocol) enum Head {
    /// No value.
    Null,
    /// So many bytes follow.
    Bytes(u64),
    /// Chunks follow, each with its length in four bytes, up to one of length 0.
    Chunks,
}

/// Reads a value's head; [`DecodeError::Short`] = more bytes are needed.
pub(in crate::protocol) fn value_head(ty: &TypeInfo, place: Place, body: &mut Body<'_>) -> Result<Head, DecodeError> {
    let form = ty.form().ok_or(DecodeError::UnknownType(ty.id))?;
    Ok(match form {
        Form::Fixed(0) => Head::Null,
        Form::Fixed(size) => Head::Bytes(size as u64),
        Form::Byte => match body.u8("a value's length")? {
            0 => Head::Null,
            n => Head::Bytes(n.into()),
        },
        Form::ByteText => match body.u8("a value's length")? {
            0xff => Head::Null,
            n => Head::Bytes(n.into()),
        },
        Form::Short => match body.u16("a value's length")? {
            0xffff => Head::Null,
            n => Head::Bytes(n.into()),
        },
        Form::Variant => match body.u32("a value's length")? {
            0 => Head::Null,
            n => Head::Bytes(n.into()),
        },
        Form::Pointer if place == Place::Parameter => match body.u32("a value's length")? {
            u32::MAX => Head::Null,
            n => Head::Bytes(n.into()),
        },
        Form::Pointer => match body.u8("a text pointer")? {
            0 => Head::Null,
            n => {
                body.bytes(usize::from(n) + 8, "a text pointer")?;
                Head::Bytes(body.u32("a value's length")?.into())
            }
        },
        Form::Chunks => match body.u64("a value's length")? {
            u64::MAX => Head::Null,
            // The length may be told or not: the chunks tell it anyway.
            _ => Head::Chunks,
        },
    })
}

/// Reads a whole value.
pub(in crate::protocol) fn read_whole(ty: &TypeInfo, place: Place, body: &mut Body<'_>) -> Result<Value, DecodeError> {
    match value_head(ty, place, body)? {
        Head::Null => Ok(Value::Null),
        Head::Bytes(length) => {
            let length = usize::try_from(length).map_err(|_| DecodeError::Malformed("a value's length"))?;
            value_of(ty, body.bytes(length, "a value")?)
        }
        Head::Chunks => {
            let mut bytes = Vec::new();
            loop {
                match body.u32("a chunk's length")? {
                    0 => return value_of(ty, &bytes),
                    length => bytes.extend_from_slice(body.bytes(length as usize, "a chunk")?),
                }
            }
        }
    }
}

/// Reads a type and a value of it from the front of these bytes: what a client sends as a parameter. Also gives how
/// many bytes they are.
pub fn read_value(bytes: &[u8]) -> Result<(TypeInfo, Value, usize), DecodeError> {
    let mut body = Body::new(bytes);
    let ty = TypeInfo::read(&mut body, Place::Parameter)?;
    let value = read_whole(&ty, Place::Parameter, &mut body)?;
    Ok((ty, value, body.position()))
}

/// The value that these bytes stand for.
pub(in crate::protocol) fn value_of(ty: &TypeInfo, bytes: &[u8]) -> Result<Value, DecodeError> {
    Ok(match ty.id {
        id::NULL => Value::Null,
        id::BIT | id::BITN => Value::Bit(bytes.first().is_some_and(|b| *b != 0)),
        id::INT1 | id::INT2 | id::INT4 | id::INT8 | id::INTN => Value::Int(integer(bytes)?),
        id::FLT4 | id::FLT8 | id::FLTN => Value::Float(float(bytes)?),
        id::MONEY | id::MONEY4 | id::MONEYN => Value::Decimal { digits: money(bytes)?, scale: 4 },
        id::DECIMAL | id::NUMERIC | id::DECIMALN | id::NUMERICN => decimal(bytes, ty.scale)?,
        id::NVARCHAR | id::NCHAR | id::NTEXT => Value::Text(utf16(bytes)),
        id::BIGVARCHAR | id::BIGCHAR | id::TEXT | id::VARCHAR | id::CHAR => Value::Text(eight_bit(bytes)),
        id::BIGVARBINARY | id::BIGBINARY | id::VARBINARY | id::BINARY | id::IMAGE => Value::Binary(bytes.to_vec()),
        id::GUID => Value::Guid(bytes.try_into().map_err(|_| DecodeError::Malformed("a uniqueidentifier"))?),
        id::DATETIME | id::DATETIME4 | id::DATETIMEN => Value::DateTime(datetime(bytes)?),
        id::DATEN => Value::DateTime(day(bytes)? * DAY_US),
        id::DATETIME2N => Value::DateTime(datetime2(bytes, ty.scale)?),
        id::DATETIMEOFFSETN => {
            let utc = bytes.len().checked_sub(2).ok_or(DecodeError::Malformed("a datetimeoffset"))?;
            Value::DateTime(datetime2(&bytes[..utc], ty.scale)?)
        }
        other => Value::Other(other),
    })
}

fn integer(bytes: &[u8]) -> Result<i64, DecodeError> {
    match bytes {
        // `tinyint` is the one without a sign.
        [byte] => Ok(i64::from(*byte)),
        [a, b] => Ok(i64::from(i16::from_le_bytes([*a, *b]))),
        [a, b, c, d] => Ok(i64::from(i32::from_le_bytes([*a, *b, *c, *d]))),
        _ => bytes.try_into().map(i64::from_le_bytes).map_err(|_| DecodeError::Malformed("an integer's length")),
    }
}

fn float(bytes: &[u8]) -> Result<f64, DecodeError> {
    match bytes {
        [a, b, c, d] => Ok(f64::from(f32::from_le_bytes([*a, *b, *c, *d]))),
        _ => bytes.try_into().map(f64::from_le_bytes).map_err(|_| DecodeError::Malformed("a float's length")),
    }
}

/// Ten-thousandths; of eight bytes the upper four come first.
fn money(bytes: &[u8]) -> Result<i128, DecodeError> {
    match bytes {
        [a, b, c, d] => Ok(i128::from(i32::from_le_bytes([*a, *b, *c, *d]))),
        [a, b, c, d, e, f, g, h] => Ok(i128::from(i64::from_le_bytes([*e, *f, *g, *h, *a, *b, *c, *d]))),
        _ => Err(DecodeError::Malformed("an amount's length")),
    }
}

fn decimal(bytes: &[u8], scale: u8) -> Result<Value, DecodeError> {
    let (sign, magnitude) = bytes.split_first().ok_or(DecodeError::Malformed("a decimal's length"))?;
    if magnitude.len() > 16 {
        return Err(DecodeError::Malformed("a decimal's length"));
    }
    let mut whole = [0; 16];
    whole[..magnitude.len()].copy_from_slice(magnitude);
    let digits =
        i128::try_from(u128::from_le_bytes(whole)).map_err(|_| DecodeError::Malformed("a decimal's digits"))?;
    Ok(Value::Decimal { digits: if *sign == 0 { -digits } else { digits }, scale })
}

/// Texts in the database's own code page: read as UTF-8 if they are, else as Latin-1.
fn eight_bit(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|b| char::from(*b)).collect(), str::to_owned)
}

fn datetime(bytes: &[u8]) -> Result<i64, DecodeError> {
    match bytes {
        [a, b, c, d] => {
            let days = i64::from(u16::from_le_bytes([*a, *b])) - DAYS_1900;
            let minutes = i64::from(u16::from_le_bytes([*c, *d]));
            Ok(days * DAY_US + minutes * 60_000_000)
        }
        [a, b, c, d, e, f, g, h] => {
            let days = i64::from(i32::from_le_bytes([*a, *b, *c, *d]));
            let ticks = i64::from(u32::from_le_bytes([*e, *f, *g, *h]));
            // Other days than those of the years 1753 to 9999 would not fit.
            if !(-53_690..=2_958_463).contains(&days) {
                return Err(DecodeError::Malformed("a datetime's day"));
            }
            Ok((days - DAYS_1900) * DAY_US + ticks * 10_000 / 3)
        }
        _ => Err(DecodeError::Malformed("a datetime's length")),
    }
}

fn day(bytes: &[u8]) -> Result<i64, DecodeError> {
    match bytes {
        [a, b, c] => Ok(i64::from(u32::from_le_bytes([*a, *b, *c, 0])) - DAYS_0001),
        _ => Err(DecodeError::Malformed("a date's length")),
    }
}

fn datetime2(bytes: &[u8], scale: u8) -> Result<i64, DecodeError> {
    let time = bytes.len().checked_sub(3).filter(|n| (3..=5).contains(n));
    let (time, date) = bytes.split_at(time.ok_or(DecodeError::Malformed("a datetime2's length"))?);
    let mut units = [0; 8];
    units[..time.len()].copy_from_slice(time);
    let units = i64::try_from(u64::from_le_bytes(units)).unwrap_or(0);
    // Five bytes times 10^6 stay below 2^63.
    let us = if scale <= 6 { units * 10i64.pow(u32::from(6 - scale)) } else { units / 10 };
    Ok(day(date)? * DAY_US + us)
}
