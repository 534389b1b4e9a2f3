//! From refusals of the server to gaps.

use peaje_engine::Failure;
use peaje_model::Gap;

use super::quote_account;

/// Errors that say that a privilege is missing: on a database, an account's right, a table, a column.
const DENIED: [&str; 4] = ["1044", "1142", "1143", "1227"];

/// Views that need a grant, as the server's refusal names them.
const VIEWS: [&str; 2] = ["session_connect_attrs", "threads"];

/// An error of a statement.
pub(super) fn gap(what: &str, failure: &Failure, user: &str) -> Gap {
    let code = failure.code.as_deref();
    let denied = code.is_some_and(|code| DENIED.contains(&code));
    let next_step = denied.then(|| grant(&failure.message, user)).flatten().or_else(|| failure.hint.clone());
    Gap { what: what.to_owned(), why: failure.words(), next_step }
}

/// The statement that gives an account what it lacks, when the refusal names it.
fn grant(refusal: &str, user: &str) -> Option<String> {
    let view = VIEWS.iter().find(|view| refusal.contains(*view))?;
    Some(format!("grant select on performance_schema.{view} to {}", quote_account(user)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use peaje_model::OutcomeKind;

    #[test]
    fn a_missing_privilege_is_named_with_the_statement_that_gives_it() {
        let words = "SELECT command denied to user 'ann'@'localhost' for table `performance_schema`.`threads`";
        let gap = gap("threads", &Failure::new(OutcomeKind::Rejected, words).code("1142"), "ann@localhost");
        assert_eq!(gap.next_step.as_deref(), Some("grant select on performance_schema.threads to `ann`@`localhost`"));
        assert_eq!(gap.why, format!("{words} (1142)"));
    }

    #[test]
    fn another_error_keeps_its_words_and_its_hint() {
        let failure = Failure::new(OutcomeKind::Rejected, "no such threads").code("1146").hint("look");
        let gap = gap("x", &failure, "ann");
        assert_eq!((gap.why.as_str(), gap.next_step.as_deref()), ("no such threads (1146)", Some("look")));
    }
}
