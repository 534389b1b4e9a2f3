//! Expressions without tables: literals, variables, parameters, and a few functions.

use std::time::SystemTime;

use super::super::reply::SqlError;
use super::super::value::{Type, Value};
use super::cursor::Cursor;
use super::lex::Token;

/// Brackets inside brackets at most.
const DEEPEST: u32 = 20;
/// Parameters of a statement at most.
const MOST_PARAMETERS: usize = 1000;

/// Whose value of a variable is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Session,
    Global,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Literal(Value),
    /// `?`, counted from 0.
    Parameter(usize),
    /// `@@name`.
    Variable(Scope, String),
    /// `@name`.
    UserVariable(String),
    Call(Function, Vec<Expression>),
}

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Version,
    Database,
    User,
    CurrentUser,
    ConnectionId,
    Now,
    UnixTimestamp,
    Sleep,
    Concat,
    Coalesce,
    /// Last id, rows affected, rows found: there are none.
    Zero,
}

/// What an expression is computed in.
pub(crate) trait Context {
    fn parameter(&self, n: usize) -> Option<&Value>;
    fn variable(&self, scope: Scope, name: &str) -> Result<Value, SqlError>;
    fn variable_kind(&self, name: &str) -> Type;
    fn user_variable(&self, name: &str) -> Value;
    fn version(&self) -> String;
    fn database(&self) -> &str;
    /// User and host, as in `ana@127.0.0.1`.
    fn user(&self) -> String;
    fn connection_id(&self) -> i64;
    /// The answer is held back for so many seconds.
    fn sleep(&mut self, seconds: f64);
}

impl Expression {
    /// Reads one; `parameters` counts the `?` seen so far.
    pub(super) fn parse(cursor: &mut Cursor<'_>, parameters: &mut usize) -> Result<Self, SqlError> {
        Self::parse_inside(cursor, parameters, 0)
    }

    fn parse_inside(cursor: &mut Cursor<'_>, parameters: &mut usize, depth: u32) -> Result<Self, SqlError> {
        if depth > DEEPEST {
            return Err(SqlError::unknown());
        }
        match cursor.next().ok_or_else(SqlError::unknown)? {
            Token::Number(digits) => number(digits),
            Token::Text(text) => {
                let mut text = text.clone();
                // Strings that stand side by side are one.
                while let Some(Token::Text(more)) = cursor.peek() {
                    text.push_str(more);
                    cursor.next();
                }
                Ok(Self::Literal(Value::Text(text)))
            }
            Token::Sign('?') if *parameters < MOST_PARAMETERS => {
                *parameters += 1;
                Ok(Self::Parameter(*parameters - 1))
            }
            Token::Sign('-') => match Self::parse_inside(cursor, parameters, depth + 1)? {
                Self::Literal(Value::Int(n)) => Ok(Self::Literal(Value::Int(n.wrapping_neg()))),
                Self::Literal(Value::Double(n)) => Ok(Self::Literal(Value::Double(-n))),
                _ => Err(SqlError::unknown()),
            },
            Token::Sign('(') => {
                let inner = Self::parse_inside(cursor, parameters, depth + 1)?;
                cursor.expect(')')?;
                Ok(inner)
            }
            Token::AtAt => {
                let (scope, name) = variable_name(cursor)?;
                Ok(Self::Variable(scope, name))
            }
            Token::At => match cursor.next() {
                Some(Token::Word(name) | Token::Name(name) | Token::Text(name)) => {
                    Ok(Self::UserVariable(name.to_lowercase()))
                }
                _ => Err(SqlError::unknown()),
            },
            Token::Word(word) => Self::word(word, cursor, parameters, depth),
            Token::Name(_) | Token::Sign(_) => Err(SqlError::unknown()),
        }
    }

    fn word(word: &str, cursor: &mut Cursor<'_>, parameters: &mut usize, depth: u32) -> Result<Self, SqlError> {
        match word {
            "null" => return Ok(Self::Literal(Value::Null)),
            "true" => return Ok(Self::Literal(Value::Int(1))),
            "false" => return Ok(Self::Literal(Value::Int(0))),
            _ => {}
        }
        let bracket = cursor.take('(');
        let function = Function::named(word).ok_or_else(SqlError::unknown)?;
        if !bracket {
            return match function {
                Function::CurrentUser | Function::Now if word.starts_with("current") => {
                    Ok(Self::Call(function, Vec::new()))
                }
                _ => Err(SqlError::unknown()),
            };
        }
        let mut arguments = Vec::new();
        while !cursor.take(')') {
            if !arguments.is_empty() {
                cursor.expect(',')?;
            }
            arguments.push(Self::parse_inside(cursor, parameters, depth + 1)?);
        }
        let right = match function {
            Function::Sleep => arguments.len() == 1,
            Function::Concat | Function::Coalesce => !arguments.is_empty(),
            // Digits of a second.
            Function::Now => arguments.len() <= 1,
            _ => arguments.is_empty(),
        };
        if right { Ok(Self::Call(function, arguments)) } else { Err(SqlError::unknown()) }
    }

    /// Type of the value, as far as it is known before it is computed.
    pub(crate) fn kind(&self, context: &impl Context) -> Type {
        match self {
            Self::Literal(value) => value.kind(),
            Self::Parameter(n) => context.parameter(*n).map_or(Type::Text, Value::kind),
            Self::Variable(_, name) => context.variable_kind(name),
            Self::Call(Function::Now, _) => Type::Time,
            Self::Call(Function::ConnectionId | Function::UnixTimestamp | Function::Sleep | Function::Zero, _) => {
                Type::Int
            }
            Self::UserVariable(_) | Self::Call(..) => Type::Text,
        }
    }

    pub(crate) fn evaluate(&self, context: &mut impl Context) -> Result<Value, SqlError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Parameter(n) => {
                let missing = || SqlError::new(1210, "HY000", "Incorrect arguments to EXECUTE");
                context.parameter(*n).cloned().ok_or_else(missing)
            }
            Self::Variable(scope, name) => context.variable(*scope, name),
            Self::UserVariable(name) => Ok(context.user_variable(name)),
            Self::Call(function, arguments) => {
                let values: Result<Vec<Value>, SqlError> = arguments.iter().map(|a| a.evaluate(context)).collect();
                Ok(function.call(&values?, context))
            }
        }
    }
}

impl Function {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "version" => Self::Version,
            "database" | "schema" => Self::Database,
            "user" | "session_user" | "system_user" => Self::User,
            "current_user" => Self::CurrentUser,
            "connection_id" => Self::ConnectionId,
            "now" | "current_timestamp" | "sysdate" | "localtime" | "localtimestamp" | "utc_timestamp" => Self::Now,
            "unix_timestamp" => Self::UnixTimestamp,
            "sleep" => Self::Sleep,
            "concat" => Self::Concat,
            "coalesce" | "ifnull" => Self::Coalesce,
            "last_insert_id" | "row_count" | "found_rows" => Self::Zero,
            _ => return None,
        })
    }

    fn call(self, values: &[Value], context: &mut impl Context) -> Value {
        match self {
            Self::Version => Value::Text(context.version()),
            Self::Database => match context.database() {
                "" => Value::Null,
                name => Value::text(name),
            },
            Self::User | Self::CurrentUser => Value::Text(context.user()),
            Self::ConnectionId => Value::Int(context.connection_id()),
            Self::Now => Value::time(SystemTime::now()),
            Self::UnixTimestamp => match Value::time(SystemTime::now()) {
                Value::Time(seconds) => Value::count(seconds),
                other => other,
            },
            Self::Sleep => {
                let seconds = values[0].show().and_then(|text| text.parse().ok()).unwrap_or(0.0);
                context.sleep(seconds);
                Value::Int(0)
            }
            Self::Concat => {
                let parts: Option<Vec<_>> = values.iter().map(Value::show).collect();
                parts.map_or(Value::Null, |parts| Value::Text(parts.concat()))
            }
            Self::Coalesce => values.iter().find(|v| **v != Value::Null).cloned().unwrap_or(Value::Null),
            Self::Zero => Value::Int(0),
        }
    }
}

/// What follows `@@`: a scope, if any, and a name.
pub(super) fn variable_name(cursor: &mut Cursor<'_>) -> Result<(Scope, String), SqlError> {
    let first = cursor.name()?.to_lowercase();
    let scope = match first.as_str() {
        "global" => Scope::Global,
        "session" | "local" => Scope::Session,
        _ => return Ok((Scope::Session, first)),
    };
    cursor.expect('.')?;
    Ok((scope, cursor.name()?.to_lowercase()))
}

fn number(digits: &str) -> Result<Expression, SqlError> {
    let value = match digits.parse::<i64>() {
        Ok(n) => Value::Int(n),
        Err(_) if digits.contains('.') => Value::Double(digits.parse().map_err(|_| SqlError::syntax("number"))?),
        Err(_) => Value::text(digits),
    };
    Ok(Expression::Literal(value))
}
