//! Words, numbers, strings and signs of SQL; and where one statement ends and the next begins.
//!
//! A newcomer would split at every semicolon. Strings, quoted names, dollar quotes and comments may hold one.

use super::super::reply::SqlError;

/// A token of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// Keyword or plain name, in lower case.
    Word(String),
    /// Name in double quotes, as written.
    Name(String),
    /// Digits, perhaps with a point.
    Number(String),
    /// String literal, quotes and escapes removed.
    Text(String),
    /// `$1`.
    Parameter(u16),
    /// `::`.
    Cast,
    /// Any other sign.
    Sign(char),
}

/// Splits into statements, each a list of tokens. Empty statements are kept: an empty query is answered as one.
pub(crate) fn statements(sql: &str) -> Result<Vec<Vec<Token>>, SqlError> {
    let mut lexer = Lexer { rest: sql };
    let mut all = vec![Vec::new()];
    while let Some(token) = lexer.next()? {
        match token {
            Token::Sign(';') => all.push(Vec::new()),
            token => all.last_mut().expect("there is always one").push(token),
        }
    }
    // Nothing between semicolons is no statement; nothing at all is one, the empty one.
    all.retain(|tokens| !tokens.is_empty());
    if all.is_empty() {
        all.push(Vec::new());
    }
    Ok(all)
}

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Token>, SqlError> {
        self.skip_blanks()?;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        Ok(Some(match first {
            'e' | 'E' if self.rest[1..].starts_with('\'') => {
                self.rest = &self.rest[1..];
                Token::Text(self.quoted('\'', Escapes::Backslash)?)
            }
            '\'' => Token::Text(self.quoted('\'', Escapes::None)?),
            '"' => Token::Name(self.quoted('"', Escapes::None)?),
            '$' => self.dollar()?,
            c if c.is_ascii_digit() => Token::Number(self.take(|c| c.is_ascii_digit() || c == '.').to_owned()),
            c if c.is_alphabetic() || c == '_' => Token::Word(self.take(is_name).to_lowercase()),
            ':' if self.rest.starts_with("::") => {
                self.rest = &self.rest[2..];
                Token::Cast
            }
            c => {
                self.rest = &self.rest[c.len_utf8()..];
                Token::Sign(c)
            }
        }))
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Result<(), SqlError> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("--") {
                self.rest = comment.split_once(['\n', '\r']).map_or("", |(_, rest)| rest);
            } else if self.rest.starts_with("/*") {
                self.skip_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Comments nest.
    fn skip_comment(&mut self) -> Result<(), SqlError> {
        let bytes = self.rest.as_bytes();
        let (mut depth, mut at) = (0u32, 0);
        while at + 1 < bytes.len() {
            match &bytes[at..at + 2] {
                b"/*" => (depth, at) = (depth + 1, at + 2),
                b"*/" => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                self.rest = &self.rest[at..];
                return Ok(());
            }
        }
        Err(syntax("unterminated /* comment"))
    }

    fn quoted(&mut self, quote: char, escapes: Escapes) -> Result<String, SqlError> {
        let mut text = String::new();
        let mut chars = self.rest[1..].chars();
        loop {
            match chars.next() {
                None => return Err(syntax("unterminated quoted string")),
                Some('\\') if escapes == Escapes::Backslash => text.extend(chars.next().map(unescape)),
                Some(c) if c == quote => {
                    let rest = chars.as_str();
                    let Some(doubled) = rest.strip_prefix(quote) else {
                        self.rest = rest;
                        return Ok(text);
                    };
                    text.push(quote);
                    chars = doubled.chars();
                }
                Some(c) => text.push(c),
            }
        }
    }

    /// `$1`, or `$tag$ text $tag$`.
    fn dollar(&mut self) -> Result<Token, SqlError> {
        let after = &self.rest[1..];
        if after.starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = after;
            let digits = self.take(|c| c.is_ascii_digit());
            return digits.parse().map(Token::Parameter).map_err(|_| syntax("parameter number too large"));
        }
        let tag_end = after.find(|c| !is_name(c) || c == '$').unwrap_or(after.len());
        if !after[tag_end..].starts_with('$') {
            self.rest = after;
            return Ok(Token::Sign('$'));
        }
        let tag = &self.rest[..tag_end + 2];
        let body = &self.rest[tag.len()..];
        let (text, rest) = body.split_once(tag).ok_or_else(|| syntax("unterminated dollar-quoted string"))?;
        self.rest = rest;
        Ok(Token::Text(text.to_owned()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Backslash,
}

fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        other => other,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn syntax(what: &str) -> SqlError {
    SqlError::new("42601", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sql: &str) -> Vec<Vec<Token>> {
        statements(sql).unwrap()
    }

    #[test]
    fn semicolons_inside_do_not_split() {
        let sql = "select 'a;''b', \"c;d\", $x$;$x$ /* ; /* ; */ */; -- ;\n SELECT E'\\'\\n'";
        let found = words(sql);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0][1], Token::Text("a;'b".into()));
        assert_eq!(found[0][3], Token::Name("c;d".into()));
        assert_eq!(found[0][5], Token::Text(";".into()));
        assert_eq!(found[1], [Token::Word("select".into()), Token::Text("'\n".into())]);
    }

    #[test]
    fn empty_statements() {
        for (sql, count) in [("", 1), (";", 1), (" -- ping", 1), ("select 1;", 1), ("select 1;;select 2", 2)] {
            assert_eq!(words(sql).len(), count, "{sql:?}");
        }
    }

    #[test]
    fn parameters_and_casts() {
        let found = words("select $1::int4, -2.5");
        let expected = [
            Token::Word("select".into()),
            Token::Parameter(1),
            Token::Cast,
            Token::Word("int4".into()),
            Token::Sign(','),
            Token::Sign('-'),
            Token::Number("2.5".into()),
        ];
        assert_eq!(found[0], expected);
    }

    #[test]
    fn unfinished_text_is_a_syntax_error() {
        for sql in ["'", "\"x", "/*", "/* /* */", "$a$ $b$", "E'\\", "$99999", "select 'x"] {
            assert_eq!(statements(sql).unwrap_err().code, "42601", "{sql:?}");
        }
    }
}
