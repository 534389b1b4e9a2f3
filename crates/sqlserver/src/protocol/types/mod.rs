//! Types of columns and parameters, and their values.
//!
//! A newcomer would look for the difference between `int` and a nullable `int` in a flag. They are different types on
//! the wire (`0x38` and `0x26`), with different lengths.

mod describe;
mod read;
mod value;
mod write;

pub use read::read_value;
pub(super) use read::read_whole;
pub(super) use read::{Head, value_head, value_of};
pub use value::Value;
pub use write::{write_column, write_value};

/// Numbers of the types (MS-TDS, section 2.2.5.4).
pub mod id {
    #![allow(missing_docs)]
    pub const NULL: u8 = 0x1f;
    pub const INT1: u8 = 0x30;
    pub const BIT: u8 = 0x32;
    pub const INT2: u8 = 0x34;
    pub const INT4: u8 = 0x38;
    pub const DATETIME4: u8 = 0x3a;
    pub const FLT4: u8 = 0x3b;
    pub const MONEY: u8 = 0x3c;
    pub const DATETIME: u8 = 0x3d;
    pub const FLT8: u8 = 0x3e;
    pub const MONEY4: u8 = 0x7a;
    pub const INT8: u8 = 0x7f;
    pub const GUID: u8 = 0x24;
    pub const INTN: u8 = 0x26;
    pub const DECIMAL: u8 = 0x37;
    pub const NUMERIC: u8 = 0x3f;
    pub const BITN: u8 = 0x68;
    pub const DECIMALN: u8 = 0x6a;
    pub const NUMERICN: u8 = 0x6c;
    pub const FLTN: u8 = 0x6d;
    pub const MONEYN: u8 = 0x6e;
    pub const DATETIMEN: u8 = 0x6f;
    pub const DATEN: u8 = 0x28;
    pub const TIMEN: u8 = 0x29;
    pub const DATETIME2N: u8 = 0x2a;
    pub const DATETIMEOFFSETN: u8 = 0x2b;
    pub const CHAR: u8 = 0x2f;
    pub const VARCHAR: u8 = 0x27;
    pub const BINARY: u8 = 0x2d;
    pub const VARBINARY: u8 = 0x25;
    pub const BIGVARBINARY: u8 = 0xa5;
    pub const BIGVARCHAR: u8 = 0xa7;
    pub const BIGBINARY: u8 = 0xad;
    pub const BIGCHAR: u8 = 0xaf;
    pub const NVARCHAR: u8 = 0xe7;
    pub const NCHAR: u8 = 0xef;
    pub const TEXT: u8 = 0x23;
    pub const IMAGE: u8 = 0x22;
    pub const NTEXT: u8 = 0x63;
    pub const VARIANT: u8 = 0x62;
    pub const XML: u8 = 0xf1;
    pub const UDT: u8 = 0xf0;
    pub const JSON: u8 = 0xf4;
}

/// SQL Server's usual collation (`SQL_Latin1_General_CP1_CI_AS`).
pub const LATIN1: [u8; 5] = [0x09, 0x04, 0xd0, 0x00, 0x34];

/// The size that stands for `(max)`.
const MAX: u32 = 0xffff;
const LONGEST: u32 = 8000;

/// Type of a column or parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeInfo {
    /// Number of the type.
    pub id: u8,
    /// Longest value, bytes; 65,535 = `(max)` for the types with a length in two bytes.
    pub size: u32,
    /// Digits (decimals).
    pub precision: u8,
    /// Digits behind the point (decimals, times).
    pub scale: u8,
    /// Collation (texts).
    pub collation: [u8; 5],
}

/// Column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeInfo,
}

impl Column {
    /// A column.
    pub fn new(name: impl Into<String>, ty: TypeInfo) -> Self {
        Self { name: name.into(), ty }
    }
}

/// Where a type stands: a column's says more of its origin than a parameter's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In COLMETADATA.
    Column,
    /// In a parameter or RETURNVALUE.
    Parameter,
}

/// How long a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Always so many bytes.
    Fixed(usize),
    /// Length in one byte, 0 = null.
    Byte,
    /// Length in one byte, 255 = null (texts of old).
    ByteText,
    /// Length in two bytes, 65,535 = null.
    Short,
    /// Length in four bytes, 0 = null.
    Variant,
    /// A pointer and a time stamp in front of the length in four bytes.
    Pointer,
    /// In chunks.
    Chunks,
}

impl TypeInfo {
    fn of(id: u8, size: u32) -> Self {
        Self { id, size, precision: 0, scale: 0, collation: [0; 5] }
    }

    /// `bit`, nullable.
    pub fn bit() -> Self {
        Self::of(id::BITN, 1)
    }

    /// `tinyint`, nullable.
    pub fn tiny_int() -> Self {
        Self::of(id::INTN, 1)
    }

    /// `smallint`, nullable.
    pub fn small_int() -> Self {
        Self::of(id::INTN, 2)
    }

    /// `int`, nullable.
    pub fn int() -> Self {
        Self::of(id::INTN, 4)
    }

    /// `bigint`, nullable.
    pub fn big_int() -> Self {
        Self::of(id::INTN, 8)
    }

    /// `float`, nullable.
    pub fn float() -> Self {
        Self::of(id::FLTN, 8)
    }

    /// `datetime`, nullable: 1/300 s.
    pub fn datetime() -> Self {
        Self::of(id::DATETIMEN, 8)
    }

    /// `datetime2(7)`, nullable: 100 ns.
    pub fn datetime2() -> Self {
        Self { scale: 7, ..Self::of(id::DATETIME2N, 8) }
    }

    /// `nvarchar` of so many characters; more than 4,000 = `nvarchar(max)`.
    pub fn nvarchar(characters: u32) -> Self {
        let size = characters.saturating_mul(2);
        Self { collation: LATIN1, ..Self::of(id::NVARCHAR, if size > LONGEST { MAX } else { size }) }
    }

    /// `varbinary` of so many bytes; more than 8,000 = `varbinary(max)`.
    pub fn varbinary(bytes: u32) -> Self {
        Self::of(id::BIGVARBINARY, if bytes > LONGEST { MAX } else { bytes })
    }
}
