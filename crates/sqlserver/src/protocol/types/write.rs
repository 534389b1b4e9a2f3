//! Writing types and values: what a server sends in a result.

use super::value::{DAY_US, DAYS_0001, DAYS_1900};
use super::{Column, Form, TypeInfo, Value, id};
use crate::protocol::write;

/// Flags of a column: nullable, and may be written to by nobody knows whom.
const NULLABLE: u16 = 0x0009;

/// Appends a column of COLMETADATA.
pub fn write_column(out: &mut Vec<u8>, column: &Column) {
    out.extend_from_slice(&0u32.to_le_bytes());
    out.extend_from_slice(&NULLABLE.to_le_bytes());
    column.ty.write(out);
    write::b_text(out, &column.name);
}

impl TypeInfo {
    /// Appends the description of one of the types that the constructors make.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(self.id);
        match self.id {
            id::DATETIME2N | id::TIMEN | id::DATETIMEOFFSETN => out.push(self.scale),
            id::DATEN => {}
            _ => match self.form() {
                Some(Form::Byte | Form::ByteText) => out.push(self.size as u8),
                Some(Form::Short | Form::Chunks) => out.extend_from_slice(&(self.size as u16).to_le_bytes()),
                Some(Form::Pointer | Form::Variant) => out.extend_from_slice(&self.size.to_le_bytes()),
                Some(Form::Fixed(_)) | None => {}
            },
        }
        match self.id {
            id::DECIMALN | id::NUMERICN => out.extend_from_slice(&[self.precision, self.scale]),
            id::NVARCHAR | id::NCHAR | id::BIGVARCHAR | id::BIGCHAR => out.extend_from_slice(&self.collation),
            _ => {}
        }
    }
}

/// Appends a value of this type. A value that the type cannot hold is sent as null: whoever makes columns and values
/// makes them fit.
pub fn write_value(out: &mut Vec<u8>, ty: &TypeInfo, value: &Value) {
    let bytes = bytes_of(ty, value);
    match (ty.form(), bytes) {
        (Some(Form::Fixed(size)), bytes) => {
            let mut bytes = bytes.unwrap_or_default();
            bytes.resize(size, 0);
            out.extend_from_slice(&bytes);
        }
        (Some(Form::Byte), bytes) => write::b_bytes(out, &bytes.unwrap_or_default()),
        (Some(Form::Short), Some(bytes)) => {
            let fits = bytes.len().min(ty.size as usize);
            out.extend_from_slice(&(fits as u16).to_le_bytes());
            out.extend_from_slice(&bytes[..fits]);
        }
        (Some(Form::Short), None) => out.extend_from_slice(&u16::MAX.to_le_bytes()),
        (Some(Form::Chunks), Some(bytes)) => {
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            if !bytes.is_empty() {
                out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                out.extend_from_slice(&bytes);
            }
            out.extend_from_slice(&0u32.to_le_bytes());
        }
        (Some(Form::Chunks), None) => out.extend_from_slice(&u64::MAX.to_le_bytes()),
        (Some(Form::ByteText), _) => out.push(0xff),
        (Some(Form::Variant), _) => out.extend_from_slice(&0u32.to_le_bytes()),
        (Some(Form::Pointer), _) => out.push(0),
        (None, _) => {}
    }
}

fn bytes_of(ty: &TypeInfo, value: &Value) -> Option<Vec<u8>> {
    match (ty.id, value) {
        (id::BIT | id::BITN, _) => Some(vec![u8::from(value.as_i64()? != 0)]),
        (id::INT1 | id::INT2 | id::INT4 | id::INT8 | id::INTN, _) => {
            Some(value.as_i64()?.to_le_bytes()[..(ty.size as usize).min(8)].to_vec())
        }
        (id::FLT8 | id::FLTN, Value::Float(number)) if ty.size == 8 => Some(number.to_le_bytes().to_vec()),
        (id::NVARCHAR | id::NCHAR, Value::Text(text)) => {
            let mut bytes = Vec::with_capacity(text.len() * 2);
            write::utf16(&mut bytes, text);
            Some(bytes)
        }
        (id::BIGVARCHAR | id::BIGCHAR, Value::Text(text)) => Some(text.as_bytes().to_vec()),
        (id::BIGVARBINARY | id::BIGBINARY, Value::Binary(bytes)) => Some(bytes.clone()),
        (id::GUID, Value::Guid(bytes)) => Some(bytes.to_vec()),
        (id::DATETIME | id::DATETIMEN, Value::DateTime(us)) => Some(datetime(*us)),
        (id::DATETIME2N, Value::DateTime(us)) if ty.scale == 7 => Some(datetime2(*us)),
        _ => None,
    }
}

fn datetime(us: i64) -> Vec<u8> {
    let days = (us.div_euclid(DAY_US) + DAYS_1900).clamp(-53_690, 2_958_463) as i32;
    // Rounded, as the server does; a value that was read is written back as it was.
    let ticks = ((us.rem_euclid(DAY_US) * 3 + 5_000) / 10_000).min(25_919_999) as u32;
    [days.to_le_bytes(), ticks.to_le_bytes()].concat()
}

fn datetime2(us: i64) -> Vec<u8> {
    let days = (us.div_euclid(DAY_US) + DAYS_0001).clamp(0, 0x00ff_ffff) as u32;
    let units = us.rem_euclid(DAY_US) * 10;
    [&units.to_le_bytes()[..5], &days.to_le_bytes()[..3]].concat()
}
