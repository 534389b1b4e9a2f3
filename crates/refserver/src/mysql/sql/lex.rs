//! Words, numbers, strings and signs of SQL, each with its place in the text.
//!
//! A newcomer would throw comments away. What stands in `/*! … */` is a comment for other databases only.

use std::ops::Range;

use super::super::reply::SqlError;

/// A token of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// Keyword or plain name, in lower case.
    Word(String),
    /// Name in backticks, as written.
    Name(String),
    /// Digits, perhaps with a point.
    Number(String),
    /// String literal, quotes and escapes removed.
    Text(String),
    /// `@`.
    At,
    /// `@@`.
    AtAt,
    /// Any other sign.
    Sign(char),
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) place: Range<usize>,
}

/// Splits into statements, each a list of tokens; at least one, perhaps empty.
pub(crate) fn statements(sql: &str) -> Result<Vec<Vec<Lexeme>>, SqlError> {
    let mut lexer = Lexer { sql, at: 0, inside: Inside::Nothing };
    let mut all = vec![Vec::new()];
    while let Some(lexeme) = lexer.next()? {
        match lexeme.token {
            Token::Sign(';') => all.push(Vec::new()),
            _ => all.last_mut().expect("there is always one").push(lexeme),
        }
    }
    all.retain(|tokens| !tokens.is_empty());
    if all.is_empty() {
        all.push(Vec::new());
    }
    Ok(all)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    /// `/*! … */`
    ForUs,
}

struct Lexer<'a> {
    sql: &'a str,
    at: usize,
    inside: Inside,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.sql[self.at..]
    }

    fn next(&mut self) -> Result<Option<Lexeme>, SqlError> {
        self.skip_blanks()?;
        let (start, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let token = match first {
            '\'' | '"' => Token::Text(self.quoted(first)?),
            '`' => Token::Name(self.quoted('`')?),
            '@' if rest.starts_with("@@") => self.skip(2, Token::AtAt),
            '@' => self.skip(1, Token::At),
            c if c.is_ascii_digit() => Token::Number(self.take(|c| c.is_ascii_digit() || c == '.').to_owned()),
            c if is_name(c) => Token::Word(self.take(is_name).to_lowercase()),
            c => self.skip(c.len_utf8(), Token::Sign(c)),
        };
        Ok(Some(Lexeme { token, place: start..self.at }))
    }

    fn skip(&mut self, n: usize, token: Token) -> Token {
        self.at += n;
        token
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn skip_blanks(&mut self) -> Result<(), SqlError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let rest = trimmed;
            if rest.starts_with('#') || is_line_comment(rest) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/*!").filter(|_| self.inside == Inside::Nothing) {
                self.inside = Inside::ForUs;
                self.at += 3 + body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
            } else if rest.starts_with("*/") && self.inside == Inside::ForUs {
                self.inside = Inside::Nothing;
                self.at += 2;
            } else if let Some(body) = rest.strip_prefix("/*") {
                self.at += 4 + body.find("*/").ok_or_else(|| SqlError::syntax("unterminated comment"))?;
            } else {
                return Ok(());
            }
        }
    }

    /// Backslashes escape in strings, not in names; a doubled quote is one.
    fn quoted(&mut self, quote: char) -> Result<String, SqlError> {
        let mut text = String::new();
        let mut chars = self.rest()[1..].chars();
        loop {
            match chars.next() {
                None => return Err(SqlError::syntax("unterminated quoted string")),
                Some('\\') if quote != '`' => text.extend(chars.next().map(unescape)),
                Some(c) if c == quote => {
                    let Some(doubled) = chars.as_str().strip_prefix(quote) else {
                        self.at = self.sql.len() - chars.as_str().len();
                        return Ok(text);
                    };
                    text.push(quote);
                    chars = doubled.chars();
                }
                Some(c) => text.push(c),
            }
        }
    }
}

/// Two dashes and a blank: `select 5--1` is arithmetic.
fn is_line_comment(rest: &str) -> bool {
    rest.strip_prefix("--").is_some_and(|after| after.is_empty() || after.starts_with(|c: char| c.is_whitespace()))
}

fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'b' => '\u{8}',
        'Z' => '\u{1a}',
        other => other,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(sql: &str) -> Vec<Vec<Token>> {
        statements(sql).unwrap().into_iter().map(|all| all.into_iter().map(|l| l.token).collect()).collect()
    }

    fn word(text: &str) -> Token {
        Token::Word(text.into())
    }

    #[test]
    fn semicolons_inside_do_not_split() {
        let found = tokens("SELECT 'a;''b\\'', \"c;d\", `e;``f` /* ; */; # ;\n -- ;\nselect 5--1");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0][1], Token::Text("a;'b'".into()));
        assert_eq!(found[0][3], Token::Text("c;d".into()));
        assert_eq!(found[0][5], Token::Name("e;`f".into()));
        assert_eq!(found[1].len(), 5);
    }

    #[test]
    fn comments_for_this_database_are_read() {
        let set = [word("set"), Token::AtAt, word("session"), Token::Sign('.'), word("x"), Token::Sign('=')];
        let found = tokens("/*!40101 SET @@session.x = 1 */;");
        assert_eq!(found[0][..6], set);
        assert_eq!(
            tokens("/* mysql-connector: 5 */select /*!80000 1*/"),
            [[word("select"), Token::Number("1".into())]]
        );
    }

    #[test]
    fn unfinished_text_is_a_syntax_error() {
        for sql in ["'", "\"x", "`", "/*", "'\\", "/*! select '", "select 'x\\'"] {
            assert_eq!(statements(sql).unwrap_err().code, 1064, "{sql:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_split_or_refused(sql in "[ -~é]{0,60}") {
            if let Ok(all) = statements(&sql) {
                let mut end = 0;
                for lexeme in all.iter().flatten() {
                    prop_assert!(lexeme.place.start >= end && lexeme.place.end > lexeme.place.start);
                    prop_assert!(sql.get(lexeme.place.clone()).is_some());
                    end = lexeme.place.end;
                }
            }
        }
    }
}
