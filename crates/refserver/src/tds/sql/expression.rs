//! Select items: constants, parameters, functions, conversions.

use peaje_sqlserver::protocol::types::{TypeInfo, id};

use super::cursor::Cursor;
use super::lex::Lexeme;
use super::{Expression, Item};

impl Cursor<'_> {
    pub(super) fn item(&mut self) -> Option<Item> {
        let value = self.expression()?;
        let named = self.keyword("as") || (!self.at_end_of_statement() && !self.begins_next());
        let name = if named { self.alias()? } else { String::new() };
        Some(Item { name, value })
    }

    fn begins_next(&self) -> bool {
        matches!(self.words.first(), Some(Lexeme::Symbol(',')))
    }

    fn alias(&mut self) -> Option<String> {
        match self.next()? {
            Lexeme::Word(name) | Lexeme::Quoted(name) | Lexeme::Text(name) => Some(name),
            _ => None,
        }
    }

    fn expression(&mut self) -> Option<Expression> {
        if self.symbol('-') {
            return self.number().map(|n| Expression::Int(-n));
        }
        if self.symbol('(') {
            let inner = self.expression()?;
            return self.symbol(')').then_some(inner);
        }
        match self.next()? {
            Lexeme::Number(n) => Some(Expression::Int(n)),
            Lexeme::Text(text) => Some(Expression::Text(text)),
            Lexeme::Variable(name) if name.starts_with("@@") => {
                Some(Expression::Function(name.to_ascii_lowercase(), Vec::new()))
            }
            Lexeme::Variable(name) => Some(Expression::Variable(name)),
            Lexeme::Word(word) => self.function(&word.to_ascii_lowercase()),
            Lexeme::Quoted(_) | Lexeme::Symbol(_) => None,
        }
    }

    fn function(&mut self, name: &str) -> Option<Expression> {
        match name {
            "null" => return Some(Expression::Null),
            // Functions without parentheses.
            "system_user" | "session_user" | "current_user" | "user" | "current_timestamp" => {
                return Some(Expression::Function(name.to_owned(), Vec::new()));
            }
            _ => {}
        }
        if !self.symbol('(') {
            return None;
        }
        match name {
            "cast" => {
                let value = self.expression()?;
                let ty = self.keyword("as").then(|| self.data_type()).flatten()?;
                self.symbol(')').then(|| Expression::Cast(Box::new(value), ty))
            }
            "convert" => {
                let ty = self.data_type()?;
                let value = self.symbol(',').then(|| self.expression()).flatten()?;
                self.symbol(')').then(|| Expression::Cast(Box::new(value), ty))
            }
            _ => {
                let mut arguments = Vec::new();
                while !self.symbol(')') {
                    arguments.push(self.expression()?);
                    if !self.symbol(',') && self.words.first() != Some(&Lexeme::Symbol(')')) {
                        return None;
                    }
                }
                Some(Expression::Function(name.to_owned(), arguments))
            }
        }
    }

    pub(super) fn data_type(&mut self) -> Option<TypeInfo> {
        let name = self.name()?.to_ascii_lowercase();
        let mut size = None;
        if self.symbol('(') {
            size = Some(if self.keyword("max") { u32::MAX } else { u32::try_from(self.number()?).ok()? });
            while self.symbol(',') {
                self.number()?;
            }
            if !self.symbol(')') {
                return None;
            }
        }
        Some(match name.as_str() {
            "bit" => TypeInfo::bit(),
            "tinyint" => TypeInfo::tiny_int(),
            "smallint" => TypeInfo::small_int(),
            "int" | "integer" => TypeInfo::int(),
            "bigint" => TypeInfo::big_int(),
            "float" => TypeInfo::float(),
            "datetime" => TypeInfo::datetime(),
            "datetime2" => TypeInfo::datetime2(),
            "uniqueidentifier" => TypeInfo { id: id::GUID, size: 16, ..TypeInfo::int() },
            "nvarchar" | "varchar" | "nchar" | "char" | "sysname" => TypeInfo::nvarchar(size.unwrap_or(30)),
            "ntext" | "text" => TypeInfo::nvarchar(u32::MAX),
            "varbinary" | "binary" => TypeInfo::varbinary(size.unwrap_or(30)),
            _ => return None,
        })
    }
}
