//! The items of a select list: literals, parameters, casts, and the functions that drivers call when they start.

use super::super::reply::SqlError;
use super::super::value::{Type, Value};
use super::cursor::Cursor;
use super::function::{Context, Function, call};
use super::lex::Token;

/// Parentheses and casts inside each other at most.
const MOST_NESTED: u32 = 16;
/// Parameters at most: each costs memory for as long as its statement is prepared.
const MOST_PARAMETERS: u16 = 1000;

/// A value to be computed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Literal(Value, Type),
    /// `$1`, counted from 1.
    Parameter(u16),
    Cast(Box<Expression>, Type, &'static str),
    Call(Function, Vec<Expression>),
}

impl Expression {
    /// Reads one expression.
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, SqlError> {
        Self::nested(cursor, 0)
    }

    fn nested(cursor: &mut Cursor<'_>, depth: u32) -> Result<Self, SqlError> {
        if depth > MOST_NESTED {
            return Err(SqlError::unknown());
        }
        let mut value = Self::primary(cursor, depth)?;
        for _ in 0..MOST_NESTED {
            if !cursor.take_cast() {
                return Ok(value);
            }
            let (kind, name) = cursor.type_name()?;
            value = Self::Cast(Box::new(value), kind, name);
        }
        Err(SqlError::unknown())
    }

    fn primary(cursor: &mut Cursor<'_>, depth: u32) -> Result<Self, SqlError> {
        match cursor.next() {
            Some(Token::Number(digits)) => number(digits),
            Some(Token::Text(text)) => Ok(Self::Literal(Value::Text(text.clone()), Type::TEXT)),
            Some(Token::Parameter(n)) if (1..=MOST_PARAMETERS).contains(n) => Ok(Self::Parameter(*n)),
            Some(Token::Sign('-')) => match cursor.next() {
                Some(Token::Number(digits)) => number(&format!("-{digits}")),
                _ => Err(SqlError::unknown()),
            },
            Some(Token::Sign('(')) => {
                let inner = Self::nested(cursor, depth + 1)?;
                cursor.expect(')')?;
                Ok(inner)
            }
            Some(Token::Word(word)) => Self::from_word(cursor, word, depth),
            _ => Err(SqlError::unknown()),
        }
    }

    fn from_word(cursor: &mut Cursor<'_>, word: &str, depth: u32) -> Result<Self, SqlError> {
        match word {
            "true" | "false" => return Ok(Self::Literal(Value::Bool(word == "true"), Type::BOOL)),
            "null" => return Ok(Self::Literal(Value::Null, Type::TEXT)),
            "cast" => {
                cursor.expect('(')?;
                let inner = Self::nested(cursor, depth + 1)?;
                if !cursor.take_word("as") {
                    return Err(SqlError::unknown());
                }
                let (kind, name) = cursor.type_name()?;
                cursor.expect(')')?;
                return Ok(Self::Cast(Box::new(inner), kind, name));
            }
            _ => {}
        }
        let mut name = word;
        if name == "pg_catalog" && cursor.take('.') {
            name = cursor.any_word().ok_or_else(SqlError::unknown)?;
        }
        let function = Function::named(name).ok_or_else(SqlError::unknown)?;
        if !cursor.take('(') {
            return if Function::may_stand_alone(name) {
                Ok(Self::Call(function, Vec::new()))
            } else {
                Err(SqlError::unknown())
            };
        }
        let mut arguments = Vec::new();
        while !cursor.take(')') {
            if !arguments.is_empty() {
                cursor.expect(',')?;
            }
            arguments.push(Self::nested(cursor, depth + 1)?);
        }
        let (types, optional) = function.arguments();
        if arguments.len() > types.len() || arguments.len() + optional < types.len() {
            return Err(SqlError::new("42883", format!("function {name} does not take these arguments")));
        }
        Ok(Self::Call(function, arguments))
    }

    /// The name its column gets when none is given.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Literal(_, Type::BOOL) => "bool",
            Self::Literal(..) | Self::Parameter(_) => "?column?",
            Self::Cast(inner, _, name) => match inner.name() {
                "?column?" | "bool" => name,
                inner => inner,
            },
            Self::Call(function, _) => function.name(),
        }
    }

    /// Collects the types of the parameters used, as far as the place they stand at says; `expected` is that place's.
    pub(crate) fn infer(&self, expected: Type, types: &mut Vec<Type>) {
        match self {
            Self::Literal(..) => {}
            Self::Parameter(n) => {
                let n = usize::from(*n);
                if types.len() < n {
                    types.resize(n, Type(0));
                }
                if types[n - 1] == Type(0) {
                    types[n - 1] = expected;
                }
            }
            Self::Cast(inner, kind, _) => inner.infer(*kind, types),
            Self::Call(function, arguments) => {
                let expected = function.arguments().0;
                arguments.iter().zip(expected).for_each(|(a, kind)| a.infer(*kind, types));
            }
        }
    }

    /// The type of the result.
    pub(crate) fn kind(&self, parameters: &[Type]) -> Type {
        match self {
            Self::Literal(_, kind) | Self::Cast(_, kind, _) => *kind,
            Self::Parameter(n) => match parameters.get(usize::from(*n) - 1) {
                None | Some(&(Type(0) | Type::UNKNOWN)) => Type::TEXT,
                Some(kind) => *kind,
            },
            Self::Call(function, _) => function.result(),
        }
    }

    /// Computes the value.
    pub(crate) fn evaluate(&self, context: &mut impl Context) -> Result<Value, SqlError> {
        match self {
            Self::Literal(value, _) => Ok(value.clone()),
            Self::Parameter(n) => match context.parameter(*n) {
                Some(value) => Ok(value.clone()),
                None => Err(SqlError::new("42P02", format!("there is no parameter ${n}"))),
            },
            Self::Cast(inner, kind, _) => inner.evaluate(context)?.cast(*kind),
            Self::Call(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for (argument, kind) in arguments.iter().zip(function.arguments().0) {
                    values.push(argument.evaluate(context)?.cast(*kind)?);
                }
                call(*function, &values, context)
            }
        }
    }
}

/// Whole numbers are int4, or int8 when they need it.
fn number(digits: &str) -> Result<Expression, SqlError> {
    if let Ok(n) = digits.parse::<i64>() {
        let kind = if i32::try_from(n).is_ok() { Type::INT4 } else { Type::INT8 };
        return Ok(Expression::Literal(Value::Int(n), kind));
    }
    let value = digits.parse().map_err(|_| SqlError::unknown())?;
    Ok(Expression::Literal(Value::Float(value), Type::FLOAT8))
}
