//! Lists `key=value;key=value`, as applications on ADO.NET and ODBC have them, for every engine.
//!
//! A newcomer would split at each `;`. A quoted value may hold one, and each family quotes in its own way.

/// Whose quotes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// Values in `'…'` or `"…"`; the last of equal keys wins.
    AdoNet,
    /// Values in `{…}`; the first of equal keys wins.
    Odbc,
    /// Values in `{…}`; the last of equal keys wins.
    Jdbc,
}

impl Grammar {
    /// The grammar of a string: a driver or a data source is named in ODBC's only.
    pub fn of(text: &str) -> Self {
        let names_driver = |key: &str| matches!(folded(key).as_str(), "driver" | "dsn" | "filedsn");
        let is_odbc = text.split(';').filter_map(|pair| pair.split_once('=')).any(|(key, _)| names_driver(key));
        if is_odbc { Grammar::Odbc } else { Grammar::AdoNet }
    }
}

/// A key with its value. The value may be a password: there is no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// As it was written, without the spaces around it.
    pub key: String,
    /// Without its quotes.
    pub value: String,
    /// The character the key starts at, from 1.
    pub at: usize,
    /// The character at which braces were taken for quotes, where the grammar has other ones.
    pub braces_at: Option<usize>,
}

/// What is wrong with a list. It never repeats the text: that could be a part of a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at character {at} of the connection string: {problem}; {next_step}")]
pub struct PairError {
    /// The character it begins at, from 1.
    pub at: usize,
    /// What is wrong.
    pub problem: &'static str,
    /// What to do.
    pub next_step: &'static str,
}

/// Reads the list that begins behind `before` bytes of the text; characters are counted from the text's beginning.
pub fn pairs(text: &str, before: usize, grammar: Grammar) -> Result<Vec<Pair>, PairError> {
    let mut reader = Reader { text, at: before, grammar };
    let mut list = Vec::new();
    while let Some((key, at)) = reader.key()? {
        let (value, braces_at) = reader.value()?;
        list.push(Pair { key, value, at, braces_at });
    }
    Ok(list)
}

/// A key as it is compared: without spaces, in lower case.
pub fn folded(written: &str) -> String {
    written.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

struct Reader<'a> {
    text: &'a str,
    /// Byte.
    at: usize,
    grammar: Grammar,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn position(&self, byte: usize) -> usize {
        self.text[..byte].chars().count() + 1
    }

    fn syntax(&self, byte: usize, problem: &'static str, next_step: &'static str) -> PairError {
        PairError { at: self.position(byte), problem, next_step }
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at += self.rest().len() - self.rest().trim_start_matches(skipped).len();
    }

    /// The next key and the character it starts at.
    fn key(&mut self) -> Result<Option<(String, usize)>, PairError> {
        self.skip(|c| c.is_whitespace() || c == ';' || c == '\0');
        let start = self.at;
        let mut key = String::new();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            self.at += c.len_utf8();
            match c {
                // ADO.NET writes an equals sign within a key twice.
                '=' if self.grammar == Grammar::AdoNet && self.rest().starts_with('=') => {
                    self.at += 1;
                    key.push('=');
                }
                '=' => return Ok(Some((key.trim().to_owned(), self.position(start)))),
                ';' => break,
                c => key.push(c),
            }
        }
        if key.trim().is_empty() {
            return Ok(None);
        }
        Err(self.syntax(start, "a key without `=`", "write key=value; a value that contains `;` needs quotes"))
    }

    /// The value, and where braces were taken for quotes in a grammar that has none.
    fn value(&mut self) -> Result<(String, Option<usize>), PairError> {
        self.skip(char::is_whitespace);
        let start = self.at;
        match (self.rest().chars().next(), self.grammar) {
            (Some(quote @ ('\'' | '"')), Grammar::AdoNet) => Ok((self.quoted(quote, quote)?, None)),
            (Some('{'), Grammar::AdoNet) => {
                // ADO.NET takes braces as they are; strings for mssql-python have no Driver and quote with them.
                if let Ok(value) = self.quoted('{', '}') {
                    return Ok((value, Some(self.position(start))));
                }
                self.at = start;
                Ok((self.bare(), None))
            }
            (Some('{'), Grammar::Odbc | Grammar::Jdbc) => Ok((self.quoted('{', '}')?, None)),
            _ => Ok((self.bare(), None)),
        }
    }

    fn bare(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(';').unwrap_or(rest.len());
        let value = rest[..end].trim_end().to_owned();
        self.at += end;
        value
    }

    /// A closing quote that is written twice stands for itself.
    fn quoted(&mut self, open: char, close: char) -> Result<String, PairError> {
        let start = self.at;
        self.at += open.len_utf8();
        let mut value = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.syntax(start, "a quote that is not closed", "close it, or write it twice"));
            };
            self.at += c.len_utf8();
            if c != close {
                value.push(c);
            } else if self.rest().starts_with(close) {
                self.at += close.len_utf8();
                value.push(close);
            } else {
                break;
            }
        }
        self.skip(char::is_whitespace);
        if self.rest().is_empty() || self.rest().starts_with(';') {
            return Ok(value);
        }
        Err(self.syntax(self.at, "text behind a closing quote", "write a quote within quotes twice"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, grammar: Grammar) -> Vec<(String, String)> {
        let list = pairs(text, 0, grammar).unwrap_or_else(|e| panic!("{text}: {e}"));
        list.into_iter().map(|pair| (pair.key, pair.value)).collect()
    }

    #[test]
    fn quotes_of_each_family() {
        use Grammar::{AdoNet, Jdbc, Odbc};
        let table = [
            ("Key = plain ;", AdoNet, "plain"),
            ("Key='a;b'", AdoNet, "a;b"),
            ("Key=\"a\"\"b\"", AdoNet, "a\"b"),
            ("Key={a;b}", AdoNet, "a;b"),
            ("Key={a", AdoNet, "{a"),
            ("Key={a;}}b}", Odbc, "a;}b"),
            ("Key='a'", Odbc, "'a'"),
            ("Key={a;b}", Jdbc, "a;b"),
            ("Key=", AdoNet, ""),
        ];
        for (text, grammar, value) in table {
            assert_eq!(read(text, grammar), [("Key".to_owned(), value.to_owned())], "{text}");
        }
    }

    #[test]
    fn errors_tell_the_place_and_not_the_text() {
        for (text, at) in [("a=1;swordfish", 5), ("a='swordfish", 3), ("a='x'swordfish", 6)] {
            let error = pairs(text, 0, Grammar::AdoNet).err().expect(text);
            assert_eq!(error.at, at, "{text}");
            assert!(!error.to_string().contains("swordfish"), "{error}");
        }
    }
}
