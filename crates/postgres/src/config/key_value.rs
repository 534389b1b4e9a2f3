//! The form `key=value key='quoted value'`.
//!
//! What follows an unquoted space may be the rest of a password: errors tell the position, never the text.

use std::iter::Peekable;
use std::str::Chars;

use super::settings::Settings;
use super::{ConfigError, Place};

const QUOTE_IT: &str =
    "write key=value pairs separated by spaces, and quote a value that contains spaces: key='a value'";

/// Reads the pairs.
pub(super) fn parse(text: &str) -> Result<Settings, ConfigError> {
    let mut settings = Settings::default();
    let mut reader = Reader { chars: text.chars().peekable(), at: 1 };
    reader.skip_spaces();
    while reader.chars.peek().is_some() {
        let start = reader.at;
        let key = reader.key();
        reader.skip_spaces();
        if reader.next() != Some('=') {
            return Err(syntax(start, "`=` is missing after a key", QUOTE_IT));
        }
        reader.skip_spaces();
        let value = reader.value()?;
        settings.set(&key, value, Place::Text { at: start })?;
        reader.skip_spaces();
    }
    Ok(settings)
}

fn syntax(at: usize, problem: &str, next_step: &'static str) -> ConfigError {
    ConfigError::Syntax { place: Place::Text { at }, problem: problem.to_owned(), next_step }
}

/// Characters with their position, from 1.
struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.chars.next();
        self.at += usize::from(next.is_some());
        next
    }

    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let next = self.chars.next_if(|&c| wanted(c));
        self.at += usize::from(next.is_some());
        next
    }

    fn skip_spaces(&mut self) {
        while self.next_if(is_space).is_some() {}
    }

    fn key(&mut self) -> String {
        let mut key = String::new();
        while let Some(c) = self.next_if(|c| c != '=' && !is_space(c)) {
            key.push(c);
        }
        key
    }

    fn value(&mut self) -> Result<String, ConfigError> {
        if self.chars.peek() == Some(&'\'') { self.quoted() } else { Ok(self.unquoted()) }
    }

    /// Up to a space; a backslash takes the next character as it is.
    fn unquoted(&mut self) -> String {
        let mut value = String::new();
        while let Some(c) = self.next_if(|c| !is_space(c)) {
            if c != '\\' {
                value.push(c);
            } else if let Some(escaped) = self.next() {
                value.push(escaped);
            }
        }
        value
    }

    fn quoted(&mut self) -> Result<String, ConfigError> {
        let start = self.at;
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                Some('\'') => return Ok(value),
                Some('\\') => value.extend(self.next()),
                Some(c) => value.push(c),
                None => {
                    return Err(syntax(
                        start,
                        "the quote is not closed",
                        "end the value with `'`; inside, write \\' and \\\\",
                    ));
                }
            }
        }
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}
