//! peaje's own questions to a server's counters: the only statements about more than names and values known here.

use super::super::statistics::questions;
use super::lex::{Token, statements};
use super::statement::Statement;

/// Where a question names the sessions it asks for: a variable of the session, or the name itself in its place.
const PROGRAM: &str = "@program_name";

/// Recognises peaje's own questions by their exact text, comments aside.
pub(super) fn own_question(sql: &str) -> Option<Statement> {
    let text = without_comments(sql);
    questions().find_map(|question| {
        let expected = without_comments(question.sql);
        if expected == text {
            return Some(Statement::Statistics(question, None));
        }
        name_in(expected, text).map(|name| Statement::Statistics(question, Some(name)))
    })
}

/// The program's name where the question gives it instead of the variable.
fn name_in(expected: &str, text: &str) -> Option<String> {
    let (before, after) = expected.split_once(PROGRAM)?;
    let literal = text.strip_prefix(before)?.strip_suffix(after)?;
    // A name with a backslash comes in hexadecimal digits: what a backslash means depends on a setting.
    if let Some(digits) = literal.strip_prefix("convert(x'").and_then(|rest| rest.strip_suffix("' using utf8mb4)")) {
        return unhex(digits);
    }
    match statements(literal).ok()?.concat().as_slice() {
        [lexeme] => match &lexeme.token {
            Token::Text(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn unhex(digits: &str) -> Option<String> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    let bytes: Option<Vec<u8>> = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

/// The text without the comment lines before it, and without what ends it.
fn without_comments(sql: &str) -> &str {
    let mut rest = sql.trim();
    while rest.starts_with("-- ") {
        rest = rest.split_once('\n').map_or("", |(_, after)| after.trim_start());
    }
    rest.trim_end_matches(|c: char| c == ';' || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn every_question_that_peaje_asks_a_mysql_is_known() {
        for question in peaje_mysql::counters::STATEMENTS {
            parse(&question.text("peaje")).unwrap_or_else(|e| panic!("{}: {e:?}", question.name));
        }
    }

    #[test]
    fn questions_are_known_with_and_without_their_comments_and_with_the_name_in_its_place() {
        for question in questions() {
            for text in [question.sql.to_owned(), format!("{};", without_comments(question.sql))] {
                assert_eq!(parse(&text), Ok(vec![Statement::Statistics(question, None)]), "{}", question.name);
            }
            if question.sql.contains(PROGRAM) {
                for name in ["peaje", "it's odd", "it's \\ odd", ""] {
                    let found = Statement::Statistics(question, Some(name.into()));
                    assert_eq!(parse(&question.text(name)), Ok(vec![found]), "{}", question.name);
                }
            }
            assert!(parse(&format!("{} and 1 = 1", question.sql)).is_err(), "{}", question.name);
        }
    }
}
