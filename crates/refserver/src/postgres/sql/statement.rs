//! From tokens to statements.

use super::super::reply::SqlError;
use super::cursor::Cursor;
use super::expression::Expression;
use super::lex::{Token, statements};
use super::own::own_question;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    /// Nothing, or only a comment.
    Empty,
    /// `select` without a table.
    Select(Vec<Item>),
    /// One of peaje's own questions to `pg_stat_*`; the name is that of the sessions it asks for.
    Statistics(&'static str, String),
    /// `show NAME`.
    Show(String),
    /// `show all`.
    ShowAll,
    /// `set NAME = VALUE`; no value = the default. `set local` outlives only its transaction: here, nothing.
    Set { name: String, value: Option<String>, scope: Scope },
    /// `reset all`.
    ResetAll,
    /// Begin, end, savepoints.
    Transaction(Transaction),
    /// `discard all`.
    DiscardAll,
    /// `deallocate NAME`; no name = all.
    Deallocate(Option<String>),
    /// Something that changes nothing here, with its command tag.
    Nothing(&'static str),
}

/// How long a setting lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Session,
    Transaction,
}

/// What happens to the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transaction {
    Begin(&'static str),
    Commit,
    Rollback,
    Savepoint,
    Release,
    RollbackTo,
}

/// An item of a select list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) value: Expression,
    pub(crate) name: String,
}

/// Longest query string read: the few statements known here are short, and tokens take more memory than their text.
const LONGEST: usize = 16 * 1024;

/// All statements of a query string.
pub(crate) fn parse(sql: &str) -> Result<Vec<Statement>, SqlError> {
    if let Some(own) = own_question(sql) {
        return Ok(vec![own]);
    }
    split(sql)?.into_iter().map(|tokens| statement(&tokens)).collect()
}

/// The only statement of a string, as the extended protocol wants it.
pub(crate) fn parse_one(sql: &str) -> Result<Statement, SqlError> {
    if let Some(own) = own_question(sql) {
        return Ok(own);
    }
    let all = split(sql)?;
    match all.as_slice() {
        [tokens] => statement(tokens),
        _ => Err(SqlError::new("42601", "cannot insert multiple commands into a prepared statement")),
    }
}

fn split(sql: &str) -> Result<Vec<Vec<Token>>, SqlError> {
    if sql.len() > LONGEST { Err(SqlError::unknown()) } else { statements(sql) }
}

fn statement(tokens: &[Token]) -> Result<Statement, SqlError> {
    let mut cursor = Cursor::new(tokens);
    let Some(verb) = cursor.any_word() else {
        return if tokens.is_empty() { Ok(Statement::Empty) } else { Err(SqlError::unknown()) };
    };
    let rest: Vec<&str> = tokens[1..].iter().map_while(word).collect();
    let only_words = rest.len() + 1 == tokens.len();
    let found = match (verb, rest.as_slice()) {
        ("select", _) => return select(&mut cursor),
        ("show", _) => return show(&mut cursor),
        ("set", _) => return set(&mut cursor),
        ("reset", ["all"]) => Statement::ResetAll,
        ("reset", [name]) => Statement::Set { name: (*name).to_owned(), value: None, scope: Scope::Session },
        // Its options (isolation level, read only) make no difference to a server without data.
        ("begin", _) => return Ok(Statement::Transaction(Transaction::Begin("BEGIN"))),
        ("start", ["transaction", ..]) => {
            return Ok(Statement::Transaction(Transaction::Begin("START TRANSACTION")));
        }
        ("commit" | "end", [] | ["work" | "transaction"]) => Statement::Transaction(Transaction::Commit),
        ("rollback" | "abort", [] | ["work" | "transaction"]) => Statement::Transaction(Transaction::Rollback),
        ("rollback", ["to", ..]) => return Ok(Statement::Transaction(Transaction::RollbackTo)),
        ("savepoint", _) => return Ok(Statement::Transaction(Transaction::Savepoint)),
        ("release", _) => return Ok(Statement::Transaction(Transaction::Release)),
        ("discard", ["all"]) => Statement::DiscardAll,
        ("discard", ["plans" | "sequences" | "temp" | "temporary"]) => Statement::Nothing("DISCARD"),
        ("deallocate", ["all"] | ["prepare", "all"]) => Statement::Deallocate(None),
        ("deallocate", _) => return deallocate(&mut cursor),
        ("close", ["all"]) => Statement::Nothing("CLOSE CURSOR ALL"),
        ("unlisten", _) => return Ok(Statement::Nothing("UNLISTEN")),
        _ => return Err(SqlError::unknown()),
    };
    if only_words { Ok(found) } else { Err(SqlError::unknown()) }
}

fn word(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

fn select(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    let mut items = Vec::new();
    loop {
        let value = Expression::parse(cursor)?;
        let name = match cursor.alias() {
            Some(alias) => alias,
            None => value.name().to_owned(),
        };
        items.push(Item { value, name });
        if cursor.at_end() {
            return Ok(Statement::Select(items));
        }
        cursor.expect(',')?;
    }
}

fn show(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    let name = setting_name(cursor)?;
    cursor.expect_end()?;
    Ok(if name == "all" { Statement::ShowAll } else { Statement::Show(name) })
}

/// A name with dots; and the spellings of the standard that are two or three words.
fn setting_name(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    let mut name = cursor.any_name().ok_or_else(SqlError::unknown)?;
    while cursor.take('.') {
        name.push('.');
        name.push_str(&cursor.any_name().ok_or_else(SqlError::unknown)?);
    }
    let rest = match name.as_str() {
        "time" => ("zone", "timezone"),
        "session" => ("authorization", "session_authorization"),
        "transaction" => ("isolation", "transaction_isolation"),
        _ => return Ok(name),
    };
    if !cursor.take_word(rest.0) {
        return Ok(name);
    }
    cursor.take_word("level");
    Ok(rest.1.to_owned())
}

fn set(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    let scope = if cursor.take_word("local") { Scope::Transaction } else { Scope::Session };
    if cursor.take_word("session") {
        if cursor.take_word("characteristics") {
            return Ok(Statement::Nothing("SET"));
        }
        if cursor.take_word("authorization") {
            // There is only one user in a session.
            return Ok(Statement::Nothing("SET"));
        }
    }
    if cursor.take_word("transaction") || cursor.take_word("constraints") {
        return Ok(Statement::Nothing("SET"));
    }
    if cursor.take_word("names") {
        let value = cursor.setting_value()?;
        return Ok(Statement::Set { name: "client_encoding".to_owned(), value, scope });
    }
    let name = setting_name(cursor)?;
    // `set time zone 'UTC'` has no sign between.
    if name != "timezone" || cursor.peek_sign('=') || cursor.peek_word("to") {
        let separated = cursor.take('=') || cursor.take_word("to");
        if !separated {
            return Err(SqlError::unknown());
        }
    }
    let value = cursor.setting_value()?;
    Ok(Statement::Set { name, value, scope })
}

fn deallocate(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    cursor.take_word("prepare");
    let name = cursor.any_name().ok_or_else(SqlError::unknown)?;
    cursor.expect_end()?;
    Ok(Statement::Deallocate(Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(sql: &str) -> Statement {
        parse_one(sql).unwrap_or_else(|e| panic!("{sql}: {e:?}"))
    }

    fn set_to(name: &str, value: &str) -> Statement {
        Statement::Set { name: name.into(), value: Some(value.into()), scope: Scope::Session }
    }

    #[test]
    fn what_drivers_send() {
        let table = [
            ("", Statement::Empty),
            ("-- ping", Statement::Empty),
            ("SET extra_float_digits = 3", set_to("extra_float_digits", "3")),
            ("SET application_name = 'PostgreSQL JDBC Driver'", set_to("application_name", "PostgreSQL JDBC Driver")),
            ("set datestyle to iso, mdy", set_to("datestyle", "iso, mdy")),
            ("SET TIME ZONE 'UTC'", set_to("timezone", "UTC")),
            ("SET SESSION timezone TO 'UTC'", set_to("timezone", "UTC")),
            ("SET NAMES 'utf8'", set_to("client_encoding", "utf8")),
            ("SET client_min_messages TO warning;", set_to("client_min_messages", "warning")),
            ("set peaje.x = -1", set_to("peaje.x", "-1")),
            ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", Statement::Nothing("SET")),
            ("show standard_conforming_strings", Statement::Show("standard_conforming_strings".into())),
            ("SHOW TRANSACTION ISOLATION LEVEL", Statement::Show("transaction_isolation".into())),
            ("show time zone", Statement::Show("timezone".into())),
            ("show all", Statement::ShowAll),
            ("BEGIN ISOLATION LEVEL READ COMMITTED", Statement::Transaction(Transaction::Begin("BEGIN"))),
            ("start transaction read only", Statement::Transaction(Transaction::Begin("START TRANSACTION"))),
            ("COMMIT", Statement::Transaction(Transaction::Commit)),
            ("rollback work", Statement::Transaction(Transaction::Rollback)),
            ("ROLLBACK TO SAVEPOINT a", Statement::Transaction(Transaction::RollbackTo)),
            ("DISCARD ALL", Statement::DiscardAll),
            ("DEALLOCATE ALL", Statement::Deallocate(None)),
            ("deallocate \"S_1\"", Statement::Deallocate(Some("S_1".into()))),
            ("RESET ALL", Statement::ResetAll),
            ("UNLISTEN *", Statement::Nothing("UNLISTEN")),
            ("CLOSE ALL", Statement::Nothing("CLOSE CURSOR ALL")),
        ];
        for (sql, expected) in table {
            assert_eq!(one(sql), expected, "{sql}");
        }
        assert_eq!(
            one("set local lock_timeout to default"),
            Statement::Set { name: "lock_timeout".into(), value: None, scope: Scope::Transaction }
        );
    }

    #[test]
    fn the_rest_is_an_error_that_says_so() {
        for sql in [
            "selec 1",
            "select",
            "select 1 from t",
            "select 1 +",
            "select count(*) from pg_class",
            "create table t()",
            "set x",
            "show",
            "commit prepared 'x'",
            "reset all now",
            "1",
            "select (((",
            "insert into t values (1)",
        ] {
            assert_eq!(parse_one(sql).unwrap_err().code, "0A000", "{sql}");
        }
        assert_eq!(parse_one("select 1; select 2").unwrap_err().code, "42601");
    }
}
