//! Types and values, in the text and the binary format of the protocol.

use std::time::{SystemTime, UNIX_EPOCH};

use peaje_engine::civil_from_days;

use super::reply::SqlError;

/// A type, by its object identifier in `pg_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type(pub(crate) u32);

impl Type {
    pub(crate) const BOOL: Type = Type(16);
    pub(crate) const NAME: Type = Type(19);
    pub(crate) const INT8: Type = Type(20);
    pub(crate) const INT2: Type = Type(21);
    pub(crate) const INT4: Type = Type(23);
    pub(crate) const TEXT: Type = Type(25);
    pub(crate) const OID: Type = Type(26);
    pub(crate) const FLOAT4: Type = Type(700);
    pub(crate) const FLOAT8: Type = Type(701);
    pub(crate) const UNKNOWN: Type = Type(705);
    pub(crate) const VARCHAR: Type = Type(1043);
    pub(crate) const TIMESTAMPTZ: Type = Type(1184);
    pub(crate) const VOID: Type = Type(2278);

    /// The type with this name in SQL, and the name a column cast to it gets.
    pub(crate) fn named(name: &str) -> Option<(Type, &'static str)> {
        Some(match name {
            "bool" | "boolean" => (Self::BOOL, "bool"),
            "int2" | "smallint" => (Self::INT2, "int2"),
            "int4" | "int" | "integer" => (Self::INT4, "int4"),
            "int8" | "bigint" => (Self::INT8, "int8"),
            "text" => (Self::TEXT, "text"),
            "name" => (Self::NAME, "name"),
            "oid" => (Self::OID, "oid"),
            "varchar" | "character varying" => (Self::VARCHAR, "varchar"),
            "float4" | "real" => (Self::FLOAT4, "float4"),
            "float8" | "double precision" => (Self::FLOAT8, "float8"),
            "timestamptz" | "timestamp with time zone" => (Self::TIMESTAMPTZ, "timestamptz"),
            _ => return None,
        })
    }

    /// Bytes of a value; negative = variable.
    pub(crate) fn size(self) -> i16 {
        match self {
            Self::BOOL => 1,
            Self::INT2 => 2,
            Self::INT4 | Self::OID | Self::FLOAT4 | Self::VOID => 4,
            Self::INT8 | Self::FLOAT8 | Self::TIMESTAMPTZ => 8,
            Self::NAME => 64,
            Self::UNKNOWN => -2,
            _ => -1,
        }
    }
}

/// A value of a result or of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// Microseconds since 2000-01-01 00:00 UTC, PostgreSQL's own count.
    Time(i64),
    /// A value of a type this server knows nothing of, in binary: it can only be given back as it came.
    Opaque(Vec<u8>),
}

/// The two formats of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Binary,
}

impl Format {
    pub(crate) fn of_code(code: i16) -> Result<Self, SqlError> {
        match code {
            0 => Ok(Self::Text),
            1 => Ok(Self::Binary),
            other => Err(SqlError::new("22023", format!("invalid format code: {other}"))),
        }
    }

    pub(crate) fn code(self) -> i16 {
        match self {
            Format::Text => 0,
            Format::Binary => 1,
        }
    }

    /// The format of item `n` when none, one for all, or one each is given.
    pub(crate) fn choose(codes: &[i16], n: usize) -> Result<Self, SqlError> {
        match codes {
            [] => Ok(Self::Text),
            [all] => Self::of_code(*all),
            each => each.get(n).copied().map_or(Ok(Self::Text), Self::of_code),
        }
    }
}

impl Value {
    /// Reads a parameter.
    pub(crate) fn decode(kind: Type, format: Format, bytes: &[u8]) -> Result<Self, SqlError> {
        match format {
            Format::Text => {
                let text = std::str::from_utf8(bytes)
                    .map_err(|_| SqlError::new("22021", "invalid byte sequence for encoding \"UTF8\""))?;
                Value::Text(text.to_owned()).cast(kind)
            }
            Format::Binary => Self::decode_binary(kind, bytes),
        }
    }

    fn decode_binary(kind: Type, bytes: &[u8]) -> Result<Self, SqlError> {
        let wrong = || SqlError::new("22P03", "incorrect binary data format in bind parameter");
        let fixed = |value: Option<Value>| value.ok_or_else(wrong);
        match kind {
            Type::BOOL => fixed(bytes.try_into().ok().map(|[b]: [u8; 1]| Value::Bool(b != 0))),
            Type::INT2 => fixed(bytes.try_into().ok().map(|b| Value::Int(i16::from_be_bytes(b).into()))),
            Type::INT4 => fixed(bytes.try_into().ok().map(|b| Value::Int(i32::from_be_bytes(b).into()))),
            Type::OID => fixed(bytes.try_into().ok().map(|b| Value::Int(u32::from_be_bytes(b).into()))),
            Type::INT8 => fixed(bytes.try_into().ok().map(|b| Value::Int(i64::from_be_bytes(b)))),
            Type::FLOAT4 => fixed(bytes.try_into().ok().map(|b| Value::Float(f32::from_be_bytes(b).into()))),
            Type::FLOAT8 => fixed(bytes.try_into().ok().map(|b| Value::Float(f64::from_be_bytes(b)))),
            Type::TIMESTAMPTZ => fixed(bytes.try_into().ok().map(|b| Value::Time(i64::from_be_bytes(b)))),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => Self::decode(Type::TEXT, Format::Text, bytes),
            _ => Ok(Value::Opaque(bytes.to_vec())),
        }
    }

    /// Writes the value; `None` = null.
    pub(crate) fn encode(&self, kind: Type, format: Format) -> Result<Option<Vec<u8>>, SqlError> {
        let text = format == Format::Text;
        Ok(Some(match self {
            Value::Null => return Ok(None),
            _ if kind == Type::VOID => Vec::new(),
            Value::Opaque(bytes) if !text => bytes.clone(),
            Value::Opaque(_) => return Err(SqlError::unknown()),
            Value::Text(s) => s.clone().into_bytes(),
            _ if text => self.to_text().into_bytes(),
            Value::Bool(b) => vec![u8::from(*b)],
            Value::Int(n) => match kind {
                Type::INT2 => (*n as i16).to_be_bytes().to_vec(),
                Type::INT8 => n.to_be_bytes().to_vec(),
                Type::OID => (*n as u32).to_be_bytes().to_vec(),
                _ => (*n as i32).to_be_bytes().to_vec(),
            },
            Value::Float(x) if kind == Type::FLOAT4 => (*x as f32).to_be_bytes().to_vec(),
            Value::Float(x) => x.to_be_bytes().to_vec(),
            Value::Time(t) => t.to_be_bytes().to_vec(),
        }))
    }

    /// The value in the text format.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Value::Null | Value::Opaque(_) => String::new(),
            Value::Bool(b) => if *b { "t" } else { "f" }.to_owned(),
            Value::Int(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Text(s) => s.clone(),
            Value::Time(t) => time_text(*t),
        }
    }

    /// Converts to a type.
    pub(crate) fn cast(self, kind: Type) -> Result<Self, SqlError> {
        Ok(match (kind, self) {
            (_, Value::Null) => Value::Null,
            (Type::INT2, value) => value.into_integer("smallint", i16::MIN.into(), i16::MAX.into())?,
            (Type::INT4, value) => value.into_integer("integer", i32::MIN.into(), i32::MAX.into())?,
            (Type::OID, value) => value.into_integer("oid", 0, u32::MAX.into())?,
            (Type::INT8, value) => value.into_integer("bigint", i64::MIN, i64::MAX)?,
            (Type::BOOL, Value::Text(s)) => Value::Bool(parse_bool(&s).ok_or_else(|| bad_input("boolean", &s))?),
            (Type::BOOL, Value::Int(n)) => Value::Bool(n != 0),
            (Type::FLOAT4 | Type::FLOAT8, Value::Text(s)) => {
                Value::Float(s.trim().parse().map_err(|_| bad_input("double precision", &s))?)
            }
            (Type::FLOAT4 | Type::FLOAT8, Value::Int(n)) => Value::Float(n as f64),
            (Type::TEXT | Type::VARCHAR | Type::NAME, Value::Bool(b)) => Value::Text(b.to_string()),
            (Type::TEXT | Type::VARCHAR | Type::NAME, Value::Opaque(_)) => return Err(SqlError::unknown()),
            (Type::TEXT | Type::VARCHAR | Type::NAME, value) => Value::Text(value.to_text()),
            (_, value) => value,
        })
    }

    fn into_integer(self, name: &str, least: i64, most: i64) -> Result<Self, SqlError> {
        let n = match &self {
            Value::Int(n) => *n,
            Value::Bool(b) => (*b).into(),
            Value::Float(x) => x.round_ties_even() as i64,
            Value::Text(s) => s.trim().parse().map_err(|_| bad_input(name, s))?,
            _ => return Err(SqlError::unknown()),
        };
        if !(least..=most).contains(&n) {
            return Err(SqlError::new("22003", format!("{name} out of range")));
        }
        Ok(Value::Int(n))
    }
}

fn bad_input(kind: &str, text: &str) -> SqlError {
    SqlError::new("22P02", format!("invalid input syntax for type {kind}: \"{text}\""))
}

/// `true`, `yes`, `on`, `1` and their beginnings, as PostgreSQL reads them.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "t" | "tr" | "tru" | "true" | "y" | "ye" | "yes" | "on" | "1" => Some(true),
        "f" | "fa" | "fal" | "fals" | "false" | "n" | "no" | "of" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Seconds from 1970 to 2000, where PostgreSQL's timestamps begin.
const EPOCH_2000_S: i64 = 946_684_800;

/// A moment as PostgreSQL counts it.
pub(crate) fn micros(time: SystemTime) -> i64 {
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX).saturating_sub(EPOCH_2000_S * 1_000_000)
}

/// `2026-01-31 12:00:00.123456+00`, always UTC.
fn time_text(micros: i64) -> String {
    const DAY: i64 = 86_400_000_000;
    let (year, month, day) = civil_from_days(micros.div_euclid(DAY).saturating_add(10_957));
    let rest = micros.rem_euclid(DAY);
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}.{fraction:06}+00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let table = [
            (Value::Int(7), Type::INT4, "7", &[0, 0, 0, 7][..]),
            (Value::Int(-1), Type::INT8, "-1", &[255; 8]),
            (Value::Int(7), Type::INT2, "7", &[0, 7]),
            (Value::Bool(true), Type::BOOL, "t", &[1]),
            (Value::Text("é".into()), Type::TEXT, "é", "é".as_bytes()),
            (Value::Float(1.5), Type::FLOAT8, "1.5", &1.5f64.to_be_bytes()),
        ];
        for (value, kind, text, binary) in table {
            assert_eq!(value.encode(kind, Format::Text).unwrap().unwrap(), text.as_bytes());
            assert_eq!(value.encode(kind, Format::Binary).unwrap().unwrap(), binary);
            assert_eq!(Value::decode(kind, Format::Text, text.as_bytes()).unwrap(), value);
            assert_eq!(Value::decode(kind, Format::Binary, binary).unwrap(), value);
        }
        assert_eq!(Value::Null.encode(Type::INT4, Format::Binary).unwrap(), None);
    }

    #[test]
    fn bad_values_are_errors() {
        let code = |kind, format, bytes: &[u8]| Value::decode(kind, format, bytes).unwrap_err().code;
        assert_eq!(code(Type::INT4, Format::Text, b"x"), "22P02");
        assert_eq!(code(Type::INT4, Format::Text, b"3000000000"), "22003");
        assert_eq!(code(Type::INT4, Format::Binary, b"123"), "22P03");
        assert_eq!(code(Type::TEXT, Format::Text, b"\xff"), "22021");
        assert_eq!(code(Type::BOOL, Format::Text, b"maybe"), "22P02");
    }

    #[test]
    fn times() {
        assert_eq!(time_text(0), "2000-01-01 00:00:00.000000+00");
        assert_eq!(time_text(-1), "1999-12-31 23:59:59.999999+00");
        // 2024-02-29 is day 8825 since 2000-01-01.
        assert_eq!(time_text(8825 * 86_400_000_000 + 3_723_000_001), "2024-02-29 01:02:03.000001+00");
        time_text(i64::MIN);
        time_text(i64::MAX);
    }

    #[test]
    fn unknown_types_go_back_as_they_came() {
        let value = Value::decode(Type(2950), Format::Binary, b"0123456789abcdef").unwrap();
        assert_eq!(value.encode(Type(2950), Format::Binary).unwrap().unwrap(), b"0123456789abcdef");
        assert_eq!(value.encode(Type(2950), Format::Text).unwrap_err().code, "0A000");
    }
}
