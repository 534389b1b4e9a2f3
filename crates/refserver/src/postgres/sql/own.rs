//! peaje's own questions to a server's statistics: the only statements about tables that are known here.

use peaje_postgres::counters::recognise;

use super::super::statistics::ANSWERED;
use super::lex::{Token, statements};
use super::statement::Statement;

/// How all of peaje's own questions begin.
const OWN_BEGINNING: &str = "-- peaje: ";
/// Where they name the sessions they ask for.
const OWN_NAME: &str = ":'application_name'";

/// Recognises peaje's own questions by their exact text. Those that read no table are statements like others.
pub(super) fn own_question(sql: &str) -> Option<Statement> {
    if !sql.starts_with(OWN_BEGINNING) {
        return None;
    }
    let found = recognise(sql).filter(|s| ANSWERED.contains(&s.name))?;
    let name = match found.sql.split_once(OWN_NAME) {
        None => String::new(),
        Some((before, after)) => {
            let literal = sql.strip_prefix(before)?.strip_suffix(after)?;
            match statements(literal).ok()?.concat().as_slice() {
                [Token::Text(name)] => name.clone(),
                _ => return None,
            }
        }
    };
    Some(Statement::Statistics(found.name, name))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn every_question_that_peaje_asks_a_postgresql_15_is_known() {
        for question in peaje_postgres::counters::STATEMENTS.iter().filter(|s| (1..=150_000).contains(&s.since_version))
        {
            let found = parse(&question.text("it's \\ odd")).unwrap_or_else(|e| panic!("{}: {e:?}", question.name));
            match found.as_slice() {
                [Statement::Statistics(_, name)] => assert!(name.is_empty() || name == "it's \\ odd"),
                [Statement::Select(_)] => {}
                other => panic!("{}: {other:?}", question.name),
            }
        }
    }
}
