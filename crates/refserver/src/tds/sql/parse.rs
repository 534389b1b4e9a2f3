//! From words to statements. Whatever is not understood as a whole is not understood at all.

use std::time::Duration;

use peaje_sqlserver::counters::recognise;
use peaje_sqlserver::protocol::types::TypeInfo;

use super::cursor::Cursor;
use super::lex::{Lexeme, lex};
use super::{Statement, Transaction};

/// Longest `waitfor delay`.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The statements of a text; `None` = this server does not know them.
pub(in crate::tds) fn parse(text: &str) -> Option<Vec<Statement>> {
    if let Some((question, name)) = recognise(text) {
        return Some(vec![Statement::Question(question, name)]);
    }
    let words = lex(text)?;
    let mut cursor = Cursor { words: &words };
    let mut statements = Vec::new();
    loop {
        while cursor.symbol(';') {}
        if cursor.words.is_empty() {
            return Some(statements);
        }
        statements.push(cursor.statement()?);
    }
}

/// The variables of `@a int, @b nvarchar(10) output`: names and types.
pub(in crate::tds) fn declarations(text: &str) -> Option<Vec<(String, TypeInfo)>> {
    let words = lex(text)?;
    let mut cursor = Cursor { words: &words };
    let mut declared = Vec::new();
    while !cursor.words.is_empty() {
        let name = cursor.variable()?;
        cursor.keyword("as");
        declared.push((name, cursor.data_type()?));
        let _ = cursor.keyword("output") || cursor.keyword("out") || cursor.keyword("readonly");
        if !cursor.words.is_empty() && !cursor.symbol(',') {
            return None;
        }
    }
    Some(declared)
}

impl Cursor<'_> {
    fn statement(&mut self) -> Option<Statement> {
        if self.keyword("select") {
            return self.select();
        }
        if self.keyword("set") {
            return self.set();
        }
        if self.keyword("use") {
            return self.name().map(Statement::Use);
        }
        if self.keyword("if") {
            let condition = [self.next()?, self.next()?, self.next()?];
            let expected = [Lexeme::Symbol('>'), Lexeme::Number(0)];
            let counts = matches!(&condition[0], Lexeme::Variable(v) if v.eq_ignore_ascii_case("@@trancount"));
            return (counts && condition[1..] == expected)
                .then(|| self.statement())
                .flatten()
                .map(|statement| Statement::IfInTransaction(Box::new(statement)));
        }
        if self.keyword("waitfor") {
            return self.wait();
        }
        self.transaction().map(Statement::Transaction)
    }

    fn set(&mut self) -> Option<Statement> {
        // At least a name and a value; a variable's value would be asked for later.
        if matches!(self.words.first(), Some(Lexeme::Variable(_))) {
            return None;
        }
        let before = self.words.len();
        while !self.at_end_of_statement() {
            self.next()?;
        }
        (before - self.words.len() >= 2).then_some(Statement::Nothing)
    }

    fn transaction(&mut self) -> Option<Transaction> {
        let (what, word_needed) = match () {
            () if self.keyword("begin") => (Transaction::Begin, true),
            () if self.keyword("commit") => (Transaction::Commit, false),
            () if self.keyword("rollback") => (Transaction::Rollback, false),
            () if self.keyword("save") => (Transaction::Save, true),
            () => return None,
        };
        let word = self.keyword("tran") || self.keyword("transaction") || (!word_needed && self.keyword("work"));
        if word_needed && !word {
            return None;
        }
        // A name.
        if word && !self.at_end_of_statement() {
            self.next()?;
        }
        self.at_end_of_statement().then_some(what)
    }

    fn wait(&mut self) -> Option<Statement> {
        if !self.keyword("delay") {
            return None;
        }
        let Lexeme::Text(text) = self.next()? else { return None };
        let mut seconds = 0.0;
        let parts: Vec<&str> = text.split(':').collect();
        if parts.len() > 3 {
            return None;
        }
        for part in parts {
            seconds = seconds * 60.0 + part.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)?;
        }
        Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= LONGEST_WAIT).map(Statement::Wait)
    }

    fn select(&mut self) -> Option<Statement> {
        let mut items = Vec::new();
        loop {
            items.push(self.item()?);
            if !self.symbol(',') {
                break;
            }
        }
        self.at_end_of_statement().then_some(Statement::Select(items))
    }
}
