//! Which names are wanted: `like 'x%'`, `where variable_name in (…)`.

use super::super::reply::SqlError;
use super::cursor::Cursor;

/// Names wanted at most.
const MOST_TESTS: usize = 200;

/// Which names are wanted; one test that holds suffices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Filter {
    All,
    Any(Vec<Test>),
}

/// A test of a name, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    Equal(String),
    Like(String),
}

impl Filter {
    /// Reads `like '…'` or `where …`; neither = all.
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, SqlError> {
        if cursor.take_word("like") {
            return Ok(Self::Any(vec![Test::Like(cursor.text()?.to_lowercase())]));
        }
        if !cursor.take_word("where") {
            return Ok(Self::All);
        }
        let mut tests = Vec::new();
        loop {
            if !cursor.name()?.eq_ignore_ascii_case("variable_name") {
                return Err(SqlError::unknown());
            }
            Self::parse_test(cursor, &mut tests)?;
            if !cursor.take_word("or") {
                return Ok(Self::Any(tests));
            }
        }
    }

    fn parse_test(cursor: &mut Cursor<'_>, tests: &mut Vec<Test>) -> Result<(), SqlError> {
        if cursor.take('=') {
            tests.push(Test::Equal(cursor.text()?.to_lowercase()));
        } else if cursor.take_word("like") {
            tests.push(Test::Like(cursor.text()?.to_lowercase()));
        } else {
            cursor.expect_word("in")?;
            cursor.expect('(')?;
            loop {
                tests.push(Test::Equal(cursor.text()?.to_lowercase()));
                if cursor.take(')') {
                    break;
                }
                cursor.expect(',')?;
            }
        }
        if tests.len() > MOST_TESTS { Err(SqlError::unknown()) } else { Ok(()) }
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        match self {
            Self::All => true,
            Self::Any(tests) => tests.iter().any(|test| match test {
                Test::Equal(wanted) => *wanted == name,
                Test::Like(pattern) => like(pattern.as_bytes(), name.as_bytes()),
            }),
        }
    }
}

/// `%` is anything, `_` one byte, a backslash takes the next one as it is. Without recursion: a star is tried again
/// only from the last one seen, so that the time is bounded by the product of the lengths.
fn like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        let (literal, step) = match pattern.get(p) {
            Some(b'\\') => (pattern.get(p + 1), 2),
            Some(b'%') => {
                star = Some((p + 1, t));
                p += 1;
                continue;
            }
            other => (other, 1),
        };
        let any = step == 1 && literal == Some(&b'_');
        if any || literal == Some(&text[t]) {
            (p, t) = (p + step, t + 1);
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|c| *c == b'%')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("ssl%", "ssl_accepts", true),
            ("ssl\\_%", "ssl_accepts", true),
            ("ssl\\_%", "sslx", false),
            ("%conn%", "max_used_connections", true),
            ("_ptime", "uptime", true),
            ("", "", true),
            ("", "x", false),
            ("%", "", true),
            ("a%b%c", "aXbXbXc", true),
            ("a%b%c", "aXbXbX", false),
            ("x\\", "x", false),
        ] {
            assert_eq!(like(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    /// The definition, word for word.
    fn slow(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            ([b'%', rest @ ..], _) => (0..=text.len()).any(|n| slow(rest, &text[n..])),
            ([b'_', rest @ ..], [_, more @ ..]) => slow(rest, more),
            ([a, rest @ ..], [b, more @ ..]) => a == b && slow(rest, more),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn as_the_definition_says(pattern in "[ab%_]{0,8}", text in "[ab_]{0,8}") {
            prop_assert_eq!(like(pattern.as_bytes(), text.as_bytes()), slow(pattern.as_bytes(), text.as_bytes()));
        }
    }
}
