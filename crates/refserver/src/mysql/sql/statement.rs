//! From tokens to statements.

use peaje_mysql::counters::Statement as Question;

use super::super::reply::SqlError;
use super::cursor::Cursor;
use super::expression::{Expression, Scope};
use super::filter::Filter;
use super::lex::{Lexeme, Token, statements};
use super::own::own_question;
use super::set::{self, Assignment};
use super::table::{self, Table, TableColumn};

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    /// Nothing, or only a comment.
    Empty,
    /// `select` without a table.
    Select(Vec<Item>),
    /// `select` of names and values from one of the tables that hold them.
    FromTable {
        columns: Vec<TableColumn>,
        table: Table,
        filter: Filter,
    },
    /// One of peaje's own questions, and the name of the sessions it asks for if it gives it itself.
    Statistics(&'static Question, Option<String>),
    Show(Shown),
    Set(Vec<Assignment>),
    Use(String),
    Transaction(Transaction),
    /// `do`: computed, not answered.
    Do(Vec<Expression>),
    FlushStatus,
    FlushPrivileges,
    /// Something that changes nothing here.
    Nothing,
}

/// What `show` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown {
    Table(Table, Filter),
    Processlist,
    Databases,
    Tables,
    Warnings,
}

/// What happens to the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transaction {
    Begin,
    End,
    /// Savepoints: nothing to save.
    Inside,
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
    split(sql)?.into_iter().map(|tokens| statement(sql, &tokens, &mut 0)).collect()
}

/// The only statement of a string that is prepared, and the number of its parameters.
pub(crate) fn parse_one(sql: &str) -> Result<(Statement, usize), SqlError> {
    if let Some(own) = own_question(sql) {
        return Ok((own, 0));
    }
    match split(sql)?.as_slice() {
        [tokens] => {
            let mut parameters = 0;
            Ok((statement(sql, tokens, &mut parameters)?, parameters))
        }
        _ => Err(SqlError::syntax("more than one statement cannot be prepared at once")),
    }
}

fn split(sql: &str) -> Result<Vec<Vec<Lexeme>>, SqlError> {
    if sql.len() > LONGEST { Err(SqlError::unknown()) } else { statements(sql) }
}

fn statement(sql: &str, tokens: &[Lexeme], parameters: &mut usize) -> Result<Statement, SqlError> {
    let mut cursor = Cursor::new(sql, tokens);
    let verb = match cursor.next() {
        None => return Ok(Statement::Empty),
        Some(Token::Word(verb)) => verb.as_str(),
        Some(_) => return Err(SqlError::unknown()),
    };
    let c = &mut cursor;
    let found = match verb {
        "select" => return select(c, parameters),
        "show" => return show(c),
        "set" => return set::parse(c, parameters),
        "use" => Statement::Use(c.name()?),
        "do" => return Ok(Statement::Do(expressions(c, parameters)?)),
        // Options (isolation, read only) make no difference to a server without data.
        "begin" => return Ok(Statement::Transaction(Transaction::Begin)),
        "start" if c.take_word("transaction") => return Ok(Statement::Transaction(Transaction::Begin)),
        "rollback" if c.take_word("to") => return Ok(Statement::Transaction(Transaction::Inside)),
        "savepoint" | "release" => return Ok(Statement::Transaction(Transaction::Inside)),
        "commit" | "rollback" => {
            let _ = c.take_word("work");
            Statement::Transaction(Transaction::End)
        }
        "flush" => {
            let _ = c.take_word("local") || c.take_word("no_write_to_binlog");
            match c.name()?.as_str() {
                "status" => Statement::FlushStatus,
                "privileges" => Statement::FlushPrivileges,
                "hosts" | "logs" | "tables" => Statement::Nothing,
                _ => return Err(SqlError::unknown()),
            }
        }
        "unlock" if c.take_word("tables") => Statement::Nothing,
        _ => return Err(SqlError::unknown()),
    };
    cursor.expect_end()?;
    Ok(found)
}

fn expressions(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Vec<Expression>, SqlError> {
    let mut all = Vec::new();
    loop {
        all.push(Expression::parse(cursor, parameters)?);
        if cursor.at_end() {
            return Ok(all);
        }
        cursor.expect(',')?;
    }
}

fn select(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Statement, SqlError> {
    let mut ahead = *cursor;
    if let Some(found) = table::select(&mut ahead)? {
        return Ok(found);
    }
    let mut items = Vec::new();
    loop {
        let start = cursor.place();
        let value = Expression::parse(cursor, parameters)?;
        let text = cursor.text_since(start).to_owned();
        items.push(Item { value, name: alias(cursor)?.unwrap_or(text) });
        if !cursor.take(',') {
            break;
        }
    }
    let _ = cursor.take_words(&["from", "dual"]);
    if cursor.take_word("limit") {
        cursor.next();
    }
    cursor.expect_end()?;
    Ok(Statement::Select(items))
}

pub(super) fn alias(cursor: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    let named = cursor.take_word("as");
    match cursor.peek() {
        Some(Token::Word(word)) if !named && matches!(word.as_str(), "from" | "limit" | "where") => Ok(None),
        Some(Token::Word(name) | Token::Name(name) | Token::Text(name)) => {
            cursor.next();
            Ok(Some(name.clone()))
        }
        _ if named => Err(SqlError::unknown()),
        _ => Ok(None),
    }
}

fn show(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    let global = cursor.take_word("global");
    let session = !global && (cursor.take_word("session") || cursor.take_word("local"));
    let scope = if global { Scope::Global } else { Scope::Session };
    let full = !global && !session && cursor.take_word("full");
    let shown = match cursor.name()?.as_str() {
        "variables" if !full => Shown::Table(Table::Variables(scope), Filter::parse(cursor)?),
        "status" if !full => Shown::Table(Table::Status(scope), Filter::parse(cursor)?),
        "processlist" => Shown::Processlist,
        "databases" | "schemas" => Shown::Databases,
        "tables" => Shown::Tables,
        "warnings" | "errors" => Shown::Warnings,
        _ => return Err(SqlError::unknown()),
    };
    cursor.expect_end()?;
    Ok(Statement::Show(shown))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::value::Value;
    use super::super::{Filter, Target};
    use super::*;

    fn one(sql: &str) -> Statement {
        let mut all = parse(sql).unwrap_or_else(|e| panic!("{sql}: {e:?}"));
        assert_eq!(all.len(), 1, "{sql}");
        all.remove(0)
    }

    #[test]
    fn columns_are_named_as_they_are_written() {
        for (sql, name) in [
            ("select 1", "1"),
            ("SELECT  @@Version ;", "@@Version"),
            ("select @@session.sql_mode from dual", "@@session.sql_mode"),
            ("select VERSION( ) as v", "v"),
            ("select 'x' `my name`", "my name"),
            ("select concat(user(), '-', 5) limit 1", "concat(user(), '-', 5)"),
            ("/* ping */ select current_user", "current_user"),
        ] {
            let Statement::Select(items) = one(sql) else { panic!("{sql}") };
            assert_eq!(items[0].name, name);
        }
    }

    #[test]
    fn tables_of_names_and_values() {
        let sql = "SELECT VARIABLE_NAME, variable_value AS v FROM performance_schema.global_status \
                   WHERE VARIABLE_NAME IN ('Uptime', 'connections') or variable_name like 'ssl%'";
        let Statement::FromTable { columns, table, filter } = one(sql) else { panic!() };
        assert_eq!(columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["VARIABLE_NAME", "v"]);
        assert_eq!(table, Table::Status(Scope::Global));
        assert!(filter.wants("Uptime") && filter.wants("Connections") && filter.wants("Ssl_accepts"));
        assert!(!filter.wants("Questions"));
        let shown = Shown::Table(Table::Variables(Scope::Session), Filter::All);
        assert_eq!(one("show variables"), Statement::Show(shown));
    }

    #[test]
    fn assignments() {
        let Statement::Set(all) = one("SET NAMES utf8mb4 COLLATE 'x', @@session.a = DEFAULT, @u := 5, global b = on")
        else {
            panic!()
        };
        let targets: Vec<String> = all
            .iter()
            .map(|a| match &a.target {
                Target::System(Scope::Session, name) => name.clone(),
                Target::System(Scope::Global, name) => format!("global {name}"),
                Target::User(name) => format!("@{name}"),
            })
            .collect();
        let names = ["character_set_client", "character_set_connection", "character_set_results"];
        assert_eq!(targets[..3], names);
        assert_eq!(targets[3..], ["collation_connection", "a", "@u", "global b"]);
        assert_eq!(all[4].value, None);
        assert_eq!(all[6].value, Some(Expression::Literal(Value::text("on"))));
        assert_eq!(one("set session transaction isolation level read committed"), Statement::Nothing);
    }

    #[test]
    fn the_rest_is_an_error_that_says_so() {
        for sql in [
            "select * from t",
            "select a from t",
            "drop table x",
            "kill 5",
            "select nope()",
            "set password = 'x'(",
            "show",
            "select 1 1",
            "select sleep()",
            "select now",
            "use",
            "show full status",
            "begin; nonsense",
        ] {
            let error = parse(sql).unwrap_err();
            assert!([1235, 1064].contains(&error.code), "{sql} {error:?}");
        }
        assert!(parse(&format!("select {}1{}", "(".repeat(5000), ")".repeat(5000))).is_err());
        assert!(parse(&"select 1;".repeat(5000)).is_err());
    }

    #[test]
    fn parameters_are_counted() {
        assert_eq!(parse_one("select ?, concat(?, 'x?'), 1").unwrap().1, 2);
        assert_eq!(parse_one("select 1; select 2").unwrap_err().code, 1064);
    }

    proptest! {
        #[test]
        fn any_text_is_a_statement_or_refused(sql in "(select |show |set |@@|[a-z]{1,5}| |,|\\(|\\)|'x'|5|=|\\.|\\?|;){0,20}") {
            let _ = parse(&sql);
            let _ = parse_one(&sql);
        }
    }
}
