//! Percent-encoded text, as URLs of every engine have it.

/// What a `+` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plus {
    /// Itself.
    Kept,
    /// A space, as in forms and in JDBC's URLs.
    Space,
}

/// Whether `%00` may stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// It may not: the protocol's texts end there.
    Refused,
    /// It may.
    Taken,
}

/// Why a text cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecodable {
    /// A `%00`, at this byte.
    Zero(usize),
    /// A `%` without two hexadecimal digits, at this byte.
    Digits(usize),
    /// What comes out is not UTF-8.
    NotUtf8,
}

/// Decodes a text; the positions of an error count from its start.
pub fn percent_decode(text: &str, plus: Plus, zero: Zero) -> Result<String, Undecodable> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        at += match bytes[at] {
            b'%' => {
                let (high, low) = (digit(bytes.get(at + 1)), digit(bytes.get(at + 2)));
                let byte = high.zip(low).map(|(h, l)| h << 4 | l).ok_or(Undecodable::Digits(at))?;
                if byte == 0 && zero == Zero::Refused {
                    return Err(Undecodable::Zero(at));
                }
                out.push(byte);
                3
            }
            b'+' if plus == Plus::Space => {
                out.push(b' ');
                1
            }
            byte => {
                out.push(byte);
                1
            }
        };
    }
    String::from_utf8(out).map_err(|_| Undecodable::NotUtf8)
}

fn digit(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let kept = |text| percent_decode(text, Plus::Kept, Zero::Refused);
        for (text, expected) in [
            ("", Ok("")),
            ("a+b", Ok("a+b")),
            ("%41%c3%b1", Ok("Añ")),
            ("añ%40", Ok("añ@")),
            ("%2500", Ok("%00")),
            ("a%00", Err(Undecodable::Zero(1))),
            ("ab%", Err(Undecodable::Digits(2))),
            ("ab%4", Err(Undecodable::Digits(2))),
            ("%4g", Err(Undecodable::Digits(0))),
            ("%+1", Err(Undecodable::Digits(0))),
            ("%é1", Err(Undecodable::Digits(0))),
            ("%c3", Err(Undecodable::NotUtf8)),
        ] {
            assert_eq!(kept(text), expected.map(str::to_owned), "{text}");
        }
        assert_eq!(percent_decode("a+%2B", Plus::Space, Zero::Refused).as_deref(), Ok("a +"));
        assert_eq!(percent_decode("a%00", Plus::Kept, Zero::Taken).as_deref(), Ok("a\0"));
    }
}
