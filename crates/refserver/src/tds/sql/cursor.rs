//! The words that are left of a text, taken one by one.

use super::lex::Lexeme;

/// Words that begin a statement: a `set` without a semicolon ends before them.
const BEGINNINGS: [&str; 12] =
    ["set", "select", "use", "begin", "commit", "rollback", "save", "if", "exec", "execute", "waitfor", "declare"];

/// The words that are left.
pub(super) struct Cursor<'a> {
    pub(super) words: &'a [Lexeme],
}

impl Cursor<'_> {
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.words.first(), Some(Lexeme::Word(w)) if w.eq_ignore_ascii_case(word));
        self.words = &self.words[usize::from(found)..];
        found
    }

    pub(super) fn symbol(&mut self, symbol: char) -> bool {
        let found = self.words.first() == Some(&Lexeme::Symbol(symbol));
        self.words = &self.words[usize::from(found)..];
        found
    }

    pub(super) fn next(&mut self) -> Option<Lexeme> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first.clone())
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        match self.next()? {
            Lexeme::Number(n) => Some(n),
            _ => None,
        }
    }

    pub(super) fn variable(&mut self) -> Option<String> {
        match self.next()? {
            Lexeme::Variable(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn name(&mut self) -> Option<String> {
        match self.next()? {
            Lexeme::Word(name) | Lexeme::Quoted(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn at_end_of_statement(&self) -> bool {
        match self.words.first() {
            None | Some(Lexeme::Symbol(';')) => true,
            Some(Lexeme::Word(word)) => BEGINNINGS.contains(&word.to_ascii_lowercase().as_str()),
            Some(_) => false,
        }
    }
}
