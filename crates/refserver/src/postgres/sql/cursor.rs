//! Tokens of one statement, read from the left.

use super::super::reply::SqlError;
use super::super::value::Type;
use super::lex::Token;

/// Tokens of one statement, read from the left.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [Token],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tokens: &'a [Token]) -> Self {
        Self { rest: tokens }
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take_if(&mut self, wanted: impl Fn(&Token) -> bool) -> bool {
        let found = self.rest.first().is_some_and(wanted);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    pub(crate) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn expect_end(&self) -> Result<(), SqlError> {
        if self.at_end() { Ok(()) } else { Err(SqlError::unknown()) }
    }

    pub(crate) fn peek_sign(&self, sign: char) -> bool {
        self.rest.first() == Some(&Token::Sign(sign))
    }

    pub(crate) fn peek_word(&self, word: &str) -> bool {
        matches!(self.rest.first(), Some(Token::Word(w)) if w == word)
    }

    pub(crate) fn take(&mut self, sign: char) -> bool {
        self.take_if(|t| *t == Token::Sign(sign))
    }

    pub(super) fn take_cast(&mut self) -> bool {
        self.take_if(|t| *t == Token::Cast)
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        self.take_if(|t| matches!(t, Token::Word(w) if w == word))
    }

    pub(crate) fn expect(&mut self, sign: char) -> Result<(), SqlError> {
        if self.take(sign) { Ok(()) } else { Err(SqlError::unknown()) }
    }

    pub(crate) fn any_word(&mut self) -> Option<&'a str> {
        let Some(Token::Word(word)) = self.rest.first() else { return None };
        self.rest = &self.rest[1..];
        Some(word)
    }

    /// A name, quoted or not.
    pub(crate) fn any_name(&mut self) -> Option<String> {
        let (Token::Word(name) | Token::Name(name)) = self.rest.first()? else { return None };
        self.rest = &self.rest[1..];
        Some(name.clone())
    }

    /// `as NAME`, or just a name.
    pub(crate) fn alias(&mut self) -> Option<String> {
        let before = self.rest;
        self.take_word("as");
        if self.peek_word("from") {
            self.rest = before;
            return None;
        }
        self.any_name()
    }

    pub(super) fn type_name(&mut self) -> Result<(Type, &'static str), SqlError> {
        if self.peek_word("pg_catalog") {
            self.next();
            self.expect('.')?;
        }
        let mut name = self.any_name().ok_or_else(SqlError::unknown)?;
        for (first, rest) in
            [("character", &["varying"][..]), ("double", &["precision"]), ("timestamp", &["with", "time", "zone"])]
        {
            if name == first {
                for word in rest {
                    if !self.take_word(word) {
                        return Err(SqlError::unknown());
                    }
                    name.push(' ');
                    name.push_str(word);
                }
            }
        }
        if self.take('(') {
            // A length: values here are never longer.
            self.next();
            self.expect(')')?;
        }
        Type::named(&name).ok_or_else(SqlError::unknown)
    }

    /// The value of `set`: literals and words, a list of them joined by commas; `default` = none.
    pub(crate) fn setting_value(&mut self) -> Result<Option<String>, SqlError> {
        if self.take_word("default") {
            self.expect_end()?;
            return Ok(None);
        }
        let mut value = String::new();
        loop {
            match self.next() {
                Some(Token::Word(text) | Token::Name(text) | Token::Number(text) | Token::Text(text)) => {
                    value.push_str(text);
                }
                Some(Token::Sign('-')) if self.rest.first().is_some_and(|t| matches!(t, Token::Number(_))) => {
                    value.push('-');
                    continue;
                }
                _ => return Err(SqlError::unknown()),
            }
            if self.at_end() {
                return Ok(Some(value));
            }
            self.expect(',')?;
            value.push_str(", ");
        }
    }
}
