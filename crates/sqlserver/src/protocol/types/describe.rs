//! Descriptions of types, as they stand in front of values: how long a value is follows from them.

use super::{Form, MAX, Place, TypeInfo, id};
use crate::protocol::DecodeError;
use crate::protocol::read::Body;

impl TypeInfo {
    /// The length of its values; `None` = the type is not known.
    pub(super) fn form(&self) -> Option<Form> {
        Some(match self.id {
            id::NULL => Form::Fixed(0),
            id::INT1 | id::BIT => Form::Fixed(1),
            id::INT2 => Form::Fixed(2),
            id::INT4 | id::DATETIME4 | id::FLT4 | id::MONEY4 => Form::Fixed(4),
            id::MONEY | id::DATETIME | id::FLT8 | id::INT8 => Form::Fixed(8),
            id::GUID | id::INTN | id::DECIMAL | id::NUMERIC | id::BITN | id::DECIMALN | id::NUMERICN | id::FLTN => {
                Form::Byte
            }
            id::MONEYN | id::DATETIMEN | id::DATEN | id::TIMEN | id::DATETIME2N | id::DATETIMEOFFSETN => Form::Byte,
            id::CHAR | id::VARCHAR | id::BINARY | id::VARBINARY => Form::ByteText,
            id::BIGVARBINARY | id::BIGVARCHAR | id::NVARCHAR if self.size == MAX => Form::Chunks,
            id::BIGVARBINARY | id::BIGVARCHAR | id::BIGBINARY | id::BIGCHAR | id::NVARCHAR | id::NCHAR => Form::Short,
            id::VARIANT => Form::Variant,
            id::TEXT | id::NTEXT | id::IMAGE => Form::Pointer,
            id::XML | id::UDT | id::JSON => Form::Chunks,
            _ => return None,
        })
    }

    /// Reads a type's description.
    pub(in crate::protocol) fn read(body: &mut Body<'_>, place: Place) -> Result<Self, DecodeError> {
        let mut ty = Self::of(body.u8("a type")?, 0);
        let form = ty.form().ok_or(DecodeError::UnknownType(ty.id))?;
        ty.size = match (ty.id, form) {
            (_, Form::Fixed(size)) => size as u32,
            (id::DATEN, _) => 3,
            (id::XML | id::UDT | id::JSON, _) => MAX,
            (id::TIMEN | id::DATETIME2N | id::DATETIMEOFFSETN, _) => 0,
            (_, Form::Byte | Form::ByteText) => u32::from(body.u8("a type's size")?),
            (_, Form::Short | Form::Chunks) => u32::from(body.u16("a type's size")?),
            (_, Form::Variant | Form::Pointer) => body.u32("a type's size")?,
        };
        ty.read_details(body, place)?;
        Ok(ty)
    }

    fn read_details(&mut self, body: &mut Body<'_>, place: Place) -> Result<(), DecodeError> {
        match self.id {
            id::DECIMAL | id::NUMERIC | id::DECIMALN | id::NUMERICN => {
                self.precision = body.u8("a type's precision")?;
                self.scale = body.u8("a type's scale")?;
            }
            id::TIMEN | id::DATETIME2N | id::DATETIMEOFFSETN => {
                self.scale = body.u8("a type's scale")?;
                if self.scale > 7 {
                    return Err(DecodeError::Malformed("a time with more than seven digits"));
                }
            }
            id::BIGVARCHAR | id::BIGCHAR | id::NVARCHAR | id::NCHAR | id::TEXT | id::NTEXT => {
                self.collation = body.array("a collation")?;
            }
            id::XML => read_xml_schema(body)?,
            id::UDT => {
                if place == Place::Column {
                    body.u16("the size of a user-defined type")?;
                }
                for _ in 0..3 {
                    body.b_text("the name of a user-defined type")?;
                }
                if place == Place::Column {
                    body.us_text("the assembly of a user-defined type")?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads what stands behind a column's type: the table of texts of old.
    pub(in crate::protocol) fn read_table_name(self, body: &mut Body<'_>) -> Result<(), DecodeError> {
        if matches!(self.id, id::TEXT | id::NTEXT | id::IMAGE) {
            for _ in 0..body.u8("the parts of a table's name")? {
                body.us_text("a table's name")?;
            }
        }
        Ok(())
    }
}

fn read_xml_schema(body: &mut Body<'_>) -> Result<(), DecodeError> {
    if body.u8("whether XML has a schema")? != 0 {
        body.b_text("an XML schema")?;
        body.b_text("an XML schema")?;
        body.us_text("an XML schema")?;
    }
    Ok(())
}
