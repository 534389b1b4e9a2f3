//! A value as peaje reads it: little is needed of a server, and what is not needed says its type.

/// Days from 1900-01-01 to 1970-01-01.
pub(super) const DAYS_1900: i64 = 25_567;
/// Days from 0001-01-01 to 1970-01-01.
pub(super) const DAYS_0001: i64 = 719_162;
/// Microseconds of a day.
pub(super) const DAY_US: i64 = 86_400_000_000;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// `bit`.
    Bit(bool),
    /// `tinyint` to `bigint`.
    Int(i64),
    /// `real`, `float`.
    Float(f64),
    /// `decimal`, `numeric`, `money`: `digits` divided by 10 to the power `scale`.
    Decimal {
        /// All digits.
        digits: i128,
        /// How many of them stand behind the point.
        scale: u8,
    },
    /// Texts of all kinds.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// `uniqueidentifier`, as it travels.
    Guid([u8; 16]),
    /// `datetime`, `smalldatetime`, `datetime2`, `date`; `datetimeoffset` in UTC: microseconds since 1970-01-01.
    DateTime(i64),
    /// A value of a type that is not read further (`sql_variant`, `xml`, …): the number of the type.
    Other(u8),
}

impl Value {
    /// As a whole number: integers, bits and decimals without a fraction.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Bit(bit) => Some(i64::from(*bit)),
            Value::Decimal { digits, scale } => {
                let divisor = 10i128.checked_pow(u32::from(*scale))?;
                (digits % divisor == 0).then(|| i64::try_from(digits / divisor).ok())?
            }
            _ => None,
        }
    }

    /// As a text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As a moment: microseconds since 1970-01-01.
    pub fn as_datetime_us(&self) -> Option<i64> {
        match self {
            Value::DateTime(us) => Some(*us),
            _ => None,
        }
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}
