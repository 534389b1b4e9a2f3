//! The grammar of option files (`my.cnf`).
//!
//! A newcomer would think that `password=a#b` holds the password `a#b`. Outside of quotes a `#` begins a comment
//! wherever it stands: the password is `a`.

/// One thing an option file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// `key`, `key=`, `key=value`, within a group.
    Setting {
        group: String,
        key: String,
        /// `None` = the key alone.
        value: Option<String>,
        /// Line, from 1.
        line: usize,
    },
    /// `!include PATH`.
    Include(String),
    /// `!includedir FOLDER`.
    IncludeFolder(String),
}

/// Reads a file; the error is a line and what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Vec<Item>, (usize, &'static str)> {
    let mut items = Vec::new();
    let mut group: Option<String> = None;
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(directive) = line.strip_prefix('!') {
            items.extend(directive_of(directive).map_err(|problem| (number, problem))?);
        } else if let Some(rest) = line.strip_prefix('[') {
            let (name, _) = rest.split_once(']').ok_or((number, "the `]` of a group is missing"))?;
            group = Some(name.trim_end().to_owned());
        } else {
            let group = group.clone().ok_or((number, "a setting stands before the first [group]"))?;
            let line = without_comment(line).trim_end();
            let (key, value) = match line.split_once('=') {
                Some((key, value)) => (key.trim_end(), Some(unescape(unquote(value.trim())))),
                None => (line, None),
            };
            items.push(Item::Setting { group, key: key.to_owned(), value, line: number });
        }
    }
    Ok(items)
}

/// What stands behind a `!`; other words than these two are passed over.
fn directive_of(text: &str) -> Result<Option<Item>, &'static str> {
    let (word, path) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let item = match word {
        "includedir" => Item::IncludeFolder,
        "include" => Item::Include,
        _ => return Ok(None),
    };
    match path.trim() {
        "" => Err("a path is missing"),
        path => Ok(Some(item(path.to_owned()))),
    }
}

/// Up to a `#` outside of quotes. A backslash protects a quote within quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return &line[..i],
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && c == '\\' && !escaped;
    }
    line
}

fn unquote(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value
}

/// The escapes of option files; a backslash before anything else stays.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('s') => out.push(' '),
            Some(c @ ('\\' | '"' | '\'')) => out.push(c),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings(text: &str) -> Vec<(String, String, Option<String>)> {
        let items = parse(text).unwrap();
        let kept = items.into_iter().filter_map(|item| match item {
            Item::Setting { group, key, value, .. } => Some((group, key, value)),
            _ => None,
        });
        kept.collect()
    }

    fn value(line: &str) -> Option<String> {
        settings(&format!("[client]\n{line}\n")).pop().unwrap().2
    }

    #[test]
    fn values() {
        let table = [
            ("password=secret", "secret"),
            ("password = secret  ", "secret"),
            ("password=", ""),
            ("password=a b", "a b"),
            ("password=a#b", "a"),
            ("password='a#b'", "a#b"),
            ("password=\"a#b\" # note", "a#b"),
            ("password=\"it's\"", "it's"),
            ("password=\"a\\\"#b\"", "a\"#b"),
            (r"password=a\sb\tc\\d\qe", "a b\tc\\d\\qe"),
            (r"password='\s'", " "),
            ("password=a=b", "a=b"),
            ("password='open", "'open"),
            (r"password=end\", r"end\"),
        ];
        for (line, expected) in table {
            assert_eq!(value(line).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(value("skip-ssl"), None);
        assert_eq!(value("skip-ssl # no TLS"), None);
    }

    #[test]
    fn groups_comments_and_directives() {
        let text = "# first\n; second\n\n[client]\nuser=app\n  [peaje ] words\n user = dba\r\n!include /etc/a.cnf\n\
                    !exclude /etc/c.cnf\n!includedir /etc/b.d/\n";
        let items = parse(text).unwrap();
        let setting = |group: &str, value: &str, line| Item::Setting {
            group: group.to_owned(),
            key: "user".to_owned(),
            value: Some(value.to_owned()),
            line,
        };
        let expected = [
            setting("client", "app", 5),
            setting("peaje", "dba", 7),
            Item::Include("/etc/a.cnf".to_owned()),
            Item::IncludeFolder("/etc/b.d/".to_owned()),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn what_is_wrong_and_where() {
        assert_eq!(parse("\nuser=x\n").unwrap_err().0, 2);
        assert_eq!(parse("[client\n").unwrap_err().0, 1);
        assert_eq!(parse("[client]\n!includedir\n").unwrap_err().0, 2);
        assert_eq!(parse("!include\n").unwrap_err().0, 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*|([\\[\\]!=#'\"\\\\a\n ]{0,40})") {
            let _ = parse(&text);
        }

        #[test]
        fn a_quoted_and_escaped_value_comes_back(secret in "[ -~]{0,20}") {
            let escaped = secret.replace('\\', "\\\\").replace('"', "\\\"");
            let read = value(&format!("password=\"{escaped}\""));
            prop_assert_eq!(read.as_deref(), Some(secret.as_str()));
        }
    }
}
