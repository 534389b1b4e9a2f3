//! `set`: what is assigned to what.

use super::super::reply::SqlError;
use super::super::value::Value;
use super::cursor::Cursor;
use super::expression::{Expression, Scope, variable_name};
use super::lex::Token;
use super::statement::Statement;

/// One assignment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) target: Target,
    /// `None` = the default.
    pub(crate) value: Option<Expression>,
}

/// What is assigned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A system variable.
    System(Scope, String),
    /// `@name`.
    User(String),
}

/// Reads everything after `set`.
pub(super) fn parse(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Statement, SqlError> {
    if is_transaction(cursor) {
        return Ok(Statement::Nothing);
    }
    let mut all = Vec::new();
    loop {
        all.extend(assignment(cursor, parameters)?);
        if cursor.at_end() {
            return Ok(Statement::Set(all));
        }
        cursor.expect(',')?;
    }
}

/// `set transaction …`: isolation makes no difference to a server without data.
fn is_transaction(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    let _ = ahead.take_word("session") || ahead.take_word("local");
    ahead.take_word("transaction")
}

fn assignment(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Vec<Assignment>, SqlError> {
    if cursor.take_word("names") {
        return names(cursor);
    }
    if cursor.take_words(&["character", "set"]) || cursor.take_word("charset") {
        let value = value(cursor, parameters)?;
        return Ok(["character_set_client", "character_set_results"]
            .map(|name| Assignment { target: session(name), value: value.clone() })
            .to_vec());
    }
    let target = target(cursor)?;
    cursor.take(':');
    cursor.expect('=')?;
    Ok(vec![Assignment { target, value: value(cursor, parameters)? }])
}

fn session(name: &str) -> Target {
    Target::System(Scope::Session, name.to_owned())
}

fn target(cursor: &mut Cursor<'_>) -> Result<Target, SqlError> {
    match cursor.peek() {
        Some(Token::AtAt) => {
            cursor.next();
            let (scope, name) = variable_name(cursor)?;
            Ok(Target::System(scope, name))
        }
        Some(Token::At) => {
            cursor.next();
            match cursor.next() {
                Some(Token::Word(name) | Token::Name(name) | Token::Text(name)) => {
                    Ok(Target::User(name.to_lowercase()))
                }
                _ => Err(SqlError::unknown()),
            }
        }
        _ => {
            let scope = if cursor.take_word("global") || cursor.take_word("persist") {
                Scope::Global
            } else {
                let _ = cursor.take_word("session") || cursor.take_word("local");
                Scope::Session
            };
            Ok(Target::System(scope, cursor.name()?.to_lowercase()))
        }
    }
}

/// `set names utf8mb4 collate …`.
fn names(cursor: &mut Cursor<'_>) -> Result<Vec<Assignment>, SqlError> {
    let Some(charset) = value(cursor, &mut 0)? else { return Ok(Vec::new()) };
    let mut all: Vec<Assignment> = ["character_set_client", "character_set_connection", "character_set_results"]
        .map(|name| Assignment { target: session(name), value: Some(charset.clone()) })
        .to_vec();
    if cursor.take_word("collate") {
        all.push(Assignment { target: session("collation_connection"), value: value(cursor, &mut 0)? });
    }
    Ok(all)
}

/// An expression, or a word that is meant as one: `on`, `utf8mb4`. `None` = the default.
fn value(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Option<Expression>, SqlError> {
    let bare = !matches!(cursor.peek_second(), Some(Token::Sign('(')));
    match cursor.peek() {
        Some(Token::Word(word)) if bare => {
            let word = word.clone();
            cursor.next();
            Ok(match word.as_str() {
                "default" => None,
                "null" => Some(Expression::Literal(Value::Null)),
                "true" => Some(Expression::Literal(Value::Int(1))),
                "false" => Some(Expression::Literal(Value::Int(0))),
                _ => Some(Expression::Literal(Value::Text(word))),
            })
        }
        _ => Expression::parse(cursor, parameters).map(Some),
    }
}
