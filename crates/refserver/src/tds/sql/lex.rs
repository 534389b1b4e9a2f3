//! Words of T-SQL.

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// A name or keyword, as written; brackets and double quotes are gone.
    Word(String),
    /// A name in brackets or double quotes: never a keyword.
    Quoted(String),
    /// A whole number.
    Number(i64),
    /// A string.
    Text(String),
    /// `@name` or `@@name`, as written.
    Variable(String),
    /// Anything else.
    Symbol(char),
}

/// Splits a text; `None` = it cannot be split (an open string, a number that is no integer, …).
pub(super) fn lex(text: &str) -> Option<Vec<Lexeme>> {
    let mut rest = text;
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = comment(rest)?;
        } else {
            let (word, used) = one(rest, first)?;
            words.push(word);
            rest = &rest[used..];
        }
    }
    Some(words)
}

/// What follows a comment; comments nest.
fn comment(text: &str) -> Option<&str> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += rest.chars().next()?.len_utf8();
        }
        if depth == 0 {
            return text.get(at..);
        }
    }
}

fn one(rest: &str, first: char) -> Option<(Lexeme, usize)> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$');
    let length = |of: &str| of.find(|c| !is_name(c)).unwrap_or(of.len());
    match first {
        'N' | 'n' if rest[1..].starts_with('\'') => {
            let (text, used) = quoted(&rest[1..], '\'')?;
            Some((Lexeme::Text(text), used + 1))
        }
        '\'' => quoted(rest, '\'').map(|(text, used)| (Lexeme::Text(text), used)),
        '"' => quoted(rest, '"').map(|(text, used)| (Lexeme::Quoted(text), used)),
        '[' => quoted(rest, ']').map(|(text, used)| (Lexeme::Quoted(text), used)),
        '@' => Some((Lexeme::Variable(rest[..length(rest)].to_owned()), length(rest))),
        c if c.is_ascii_digit() => {
            let used = length(rest);
            let whole = !rest[used..].starts_with('.');
            let number = rest[..used].parse().ok().filter(|_| whole)?;
            Some((Lexeme::Number(number), used))
        }
        c if is_name(c) => Some((Lexeme::Word(rest[..length(rest)].to_owned()), length(rest))),
        c => Some((Lexeme::Symbol(c), c.len_utf8())),
    }
}

/// A text between its first character and `end`, which is doubled inside. Also gives how many bytes it took.
fn quoted(rest: &str, end: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != end {
            text.push(c);
        } else if chars.next_if(|(_, next)| *next == end).is_some() {
            text.push(end);
        } else {
            return Some((text, at + c.len_utf8()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        use Lexeme as L;
        let word = |w: &str| L::Word(w.to_owned());
        for (text, expected) in [
            ("select 1", vec![word("select"), L::Number(1)]),
            (
                "-- x\nselect/* a /* b */ c */@@spid;",
                vec![word("select"), L::Variable("@@spid".into()), L::Symbol(';')],
            ),
            ("N'it''s' 'é'", vec![L::Text("it's".into()), L::Text("é".into())]),
            ("[a]]b] \"c\"", vec![L::Quoted("a]b".into()), L::Quoted("c".into())]),
            ("nchar(10)", vec![word("nchar"), L::Symbol('('), L::Number(10), L::Symbol(')')]),
            ("", vec![]),
        ] {
            assert_eq!(lex(text), Some(expected), "{text}");
        }
        for bad in ["'open", "[open", "/* open", "1.5", "1e5", "99999999999999999999"] {
            assert_eq!(lex(bad), None, "{bad}");
        }
    }
}
