//! A place in the tokens of one statement.

use super::super::reply::SqlError;
use super::lex::{Lexeme, Token};

/// A place in the tokens of one statement, and the text they come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    sql: &'a str,
    tokens: &'a [Lexeme],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(sql: &'a str, tokens: &'a [Lexeme]) -> Self {
        Self { sql, tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|l| &l.token)
    }

    pub(super) fn peek_second(&self) -> Option<&'a Token> {
        self.tokens.get(self.at + 1).map(|l| &l.token)
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The text from an earlier place to here: what MySQL calls a column without an alias.
    pub(super) fn text_since(&self, place: usize) -> &'a str {
        match (self.tokens.get(place), self.at.checked_sub(1).and_then(|n| self.tokens.get(n))) {
            (Some(first), Some(last)) => self.sql.get(first.place.start..last.place.end).unwrap_or_default(),
            _ => "",
        }
    }

    pub(super) fn peek_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    /// Takes the words if all of them come next.
    pub(super) fn take_words(&mut self, words: &[&str]) -> bool {
        let before = self.at;
        let found = words.iter().all(|word| self.take_word(word));
        if !found {
            self.at = before;
        }
        found
    }

    pub(super) fn take(&mut self, sign: char) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), SqlError> {
        if self.take(sign) { Ok(()) } else { Err(SqlError::unknown()) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), SqlError> {
        if self.take_word(word) { Ok(()) } else { Err(SqlError::unknown()) }
    }

    pub(super) fn expect_end(&self) -> Result<(), SqlError> {
        if self.at_end() { Ok(()) } else { Err(SqlError::unknown()) }
    }

    /// A name, in backticks or not.
    pub(super) fn name(&mut self) -> Result<String, SqlError> {
        match self.next() {
            Some(Token::Word(name) | Token::Name(name)) => Ok(name.clone()),
            _ => Err(SqlError::unknown()),
        }
    }

    /// A string literal.
    pub(super) fn text(&mut self) -> Result<String, SqlError> {
        match self.next() {
            Some(Token::Text(text)) => Ok(text.clone()),
            _ => Err(SqlError::unknown()),
        }
    }
}
