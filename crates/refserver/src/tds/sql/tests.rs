//! What is understood, and what is not.

use proptest::prelude::*;

use std::time::Duration;

use peaje_sqlserver::protocol::types::TypeInfo;

use super::*;

fn one(text: &str) -> Option<Statement> {
    let mut statements = parse(text)?;
    assert_eq!(statements.len(), 1, "{text}");
    statements.pop()
}

#[test]
fn what_drivers_send() {
    let set = "set ansi_nulls on\nset datefirst 7\nset transaction isolation level read committed\nset xact_abort off";
    assert_eq!(parse(set), Some(vec![Statement::Nothing; 4]));
    assert_eq!(parse("SET NOCOUNT ON; select 1").unwrap().len(), 2);
    assert_eq!(parse("").unwrap(), []);
    assert_eq!(one("USE [my db]"), Some(Statement::Use("my db".into())));
    assert_eq!(one("begin tran"), Some(Statement::Transaction(Transaction::Begin)));
    assert_eq!(one("COMMIT"), Some(Statement::Transaction(Transaction::Commit)));
    assert_eq!(one("rollback transaction t;"), Some(Statement::Transaction(Transaction::Rollback)));
    let conditional = Statement::IfInTransaction(Box::new(Statement::Transaction(Transaction::Rollback)));
    assert_eq!(one("IF @@TRANCOUNT > 0 ROLLBACK TRAN"), Some(conditional));
    assert_eq!(one("waitfor delay '00:00:01.5'"), Some(Statement::Wait(Duration::from_millis(1500))));
}

#[test]
fn selects() {
    let Some(Statement::Select(items)) = one("select 1, -2 as n, N'x' [t], @p, @@SPID, db_name() d, null;") else {
        panic!("it is one");
    };
    let names: Vec<&str> = items.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["", "n", "t", "", "", "d", ""]);
    assert_eq!(items[1].value, Expression::Int(-2));
    assert_eq!(items[4].value, Expression::Function("@@spid".into(), Vec::new()));
    let cast = one("select cast(@p as bigint), convert(nvarchar(20), 'x')");
    assert!(matches!(cast, Some(Statement::Select(items)) if items.len() == 2));
}

#[test]
fn everything_else_is_unknown() {
    for text in [
        "select * from sys.objects",
        "select 1 from t",
        "insert into t values (1)",
        "exec sp_who",
        "select 1 +",
        "select",
        "set @x = 1",
        "begin try select 1 end try",
        "waitfor delay '99:00:00'",
        "waitfor delay 'x'",
        "select 'open",
        "declare @x int",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn declared_parameters() {
    let declared = declarations("@P1 tinyint, @P2 nvarchar(4000) output,@h as datetime2(7)").unwrap();
    let names: Vec<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["@P1", "@P2", "@h"]);
    assert_eq!(declared[1].1, TypeInfo::nvarchar(4000));
    assert_eq!(declarations(""), Some(Vec::new()));
    assert_eq!(declarations("@p geography"), None);
    assert_eq!(declarations("@p varbinary(max)").unwrap()[0].1, TypeInfo::varbinary(u32::MAX));
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in any::<String>()) {
        let _ = (parse(&text), declarations(&text));
    }

    #[test]
    fn nor_do_its_own_words_in_any_order(words in proptest::collection::vec(0usize..WORDS.len(), 0..20)) {
        let text: Vec<&str> = words.into_iter().map(|n| WORDS[n]).collect();
        let _ = (parse(&text.concat()), parse(&text.join(" ")), declarations(&text.join(" ")));
    }
}

const WORDS: [&str; 30] = [
    "select",
    "set",
    "use",
    "begin",
    "tran",
    "commit",
    "if",
    "@@trancount",
    ">",
    "0",
    "waitfor",
    "delay",
    "'1'",
    "N'",
    "'",
    "[",
    "]",
    "\"",
    "cast",
    "convert",
    "(",
    ")",
    "as",
    "int",
    ",",
    ";",
    "-",
    "--",
    "/*",
    "é",
];

#[test]
fn the_observers_questions_are_known_by_their_text() {
    for statement in peaje_sqlserver::counters::STATEMENTS {
        let text = statement.text("it's");
        assert!(matches!(one(&text), Some(Statement::Question(found, _)) if found == statement), "{text}");
    }
}
