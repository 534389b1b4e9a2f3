//! What a driver not written here gets for its queries.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{block_on, code, config, connect, trusting};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::types::Type;

/// Runs a query string and returns its rows, values joined by `|`.
async fn simple(client: &tokio_postgres::Client, sql: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|i| row.get(i).unwrap_or("null").to_owned()).collect::<Vec<_>>().join("|"))
        }
        _ => None,
    };
    Ok(client.simple_query(sql).await?.into_iter().filter_map(row).collect())
}

#[test]
fn simple_queries() {
    let server = trusting();
    block_on(async {
        let client = connect(config(&server).dbname("shop")).await.unwrap();
        let version =
            format!("peaje reference server {} (PostgreSQL protocol): not a database", env!("CARGO_PKG_VERSION"));
        let table: &[(&str, &[&str])] = &[
            ("select 1", &["1"]),
            ("SELECT 1;", &["1"]),
            ("", &[]),
            (";", &[]),
            ("-- ping", &[]),
            ("select version()", &[&version]),
            ("select pg_catalog.version()", &[&version]),
            ("show server_version", &["15.0 (peaje reference server)"]),
            ("show peaje.reference_server", &["on"]),
            ("select current_database(), current_user, session_user, current_schema()", &["shop|ana|ana|public"]),
            ("show transaction isolation level", &["read committed"]),
            ("select 1 as a, 'x'::text b, null, true, -3000000000, 1.5", &["1|x|null|t|-3000000000|1.5"]),
            ("select 1; select 2;; select 3", &["1", "2", "3"]),
            ("set timezone to 'Europe/Madrid'; show timezone", &["Europe/Madrid"]),
            ("reset timezone", &[]),
            ("show timezone", &["UTC"]),
            ("select pg_catalog.set_config('search_path', '', false)", &[""]),
            ("select current_setting('nope', true), current_setting('integer_datetimes')::bool", &["null|t"]),
            ("begin; set statement_timeout = 7; rollback", &[]),
            ("show statement_timeout", &["0"]),
            ("discard all", &[]),
            ("SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;", &[""]),
            ("select pg_is_in_recovery()", &["f"]),
        ];
        for (sql, expected) in table {
            assert_eq!(simple(&client, sql).await.unwrap(), *expected, "{sql}");
        }
    });
}

#[test]
fn an_unknown_statement_is_an_error_and_the_session_goes_on() {
    let server = trusting();
    block_on(async {
        let client = connect(&config(&server)).await.unwrap();
        for sql in ["select * from pg_class", "drop table x", "copy t from stdin", "select 1; nonsense; select 2"] {
            let error = client.simple_query(sql).await.unwrap_err();
            let told = error.as_db_error().unwrap();
            assert_eq!(told.code().code(), "0A000", "{sql}");
            assert_eq!(told.message(), "the reference server does not know this statement");
            assert!(told.hint().unwrap().contains("not a database"));
            assert_eq!(code(&client.query("select * from t", &[]).await.unwrap_err()), "0A000");
            assert_eq!(simple(&client, "select 1").await.unwrap(), ["1"]);
        }
    });
}

#[test]
fn a_failed_transaction_stays_failed_until_its_end() {
    let server = trusting();
    block_on(async {
        let client = connect(&config(&server)).await.unwrap();
        client.simple_query("begin").await.unwrap();
        assert_eq!(code(&client.simple_query("show nope").await.unwrap_err()), "42704");
        assert_eq!(code(&client.simple_query("select 1").await.unwrap_err()), "25P02");
        assert_eq!(code(&client.query("select 2", &[]).await.unwrap_err()), "25P02");
        client.simple_query("commit").await.unwrap();
        assert_eq!(simple(&client, "select 1").await.unwrap(), ["1"]);
        assert_eq!(code(&client.simple_query("savepoint a").await.unwrap_err()), "25P01");
    });
}

#[test]
fn extended_queries_in_binary() {
    let server = trusting();
    block_on(async {
        let client = connect(&config(&server)).await.unwrap();
        let row = client.query_one("select 1, 5000000000, 'x', true, null::text", &[]).await.unwrap();
        assert_eq!((row.get::<_, i32>(0), row.get::<_, i64>(1)), (1, 5_000_000_000));
        assert_eq!((row.get::<_, &str>(2), row.get::<_, bool>(3)), ("x", true));
        assert_eq!(row.get::<_, Option<&str>>(4), None);
        let row = client.query_one("select $1::int4 as n, $2 as t, $3::bool, $4::int8", &[&7, &"é", &true, &-1i64]);
        let row = row.await.unwrap();
        assert_eq!((row.get::<_, i32>("n"), row.get::<_, &str>("t")), (7, "é"));
        assert_eq!((row.get::<_, bool>(2), row.get::<_, i64>(3)), (true, -1));
        let statement = client.prepare_typed("select $1", &[Type::INT8]).await.unwrap();
        for n in 0..100i64 {
            assert_eq!(client.query_one(&statement, &[&n]).await.unwrap().get::<_, i64>(0), n);
        }
        let started = client.query_one("select now() as t", &[]).await.unwrap();
        assert_eq!(started.columns()[0].type_(), &Type::TIMESTAMPTZ);
        assert_eq!(client.execute("set application_name = 'other'", &[]).await.unwrap(), 0);
        assert_eq!(simple(&client, "show application_name").await.unwrap(), ["other"]);
    });
}

#[test]
fn many_clients_pipeline_at_once() {
    let server = trusting();
    block_on(async {
        let client = connect(&config(&server)).await.unwrap();
        let statement = client.prepare("select $1::int4").await.unwrap();
        let (one, two, three) =
            tokio::join!(client.query_one(&statement, &[&1]), client.query_one(&statement, &[&2]), async {
                client.query_one("select nope()", &[]).await
            });
        assert_eq!(one.unwrap().get::<_, i32>(0), 1);
        assert_eq!(two.unwrap().get::<_, i32>(0), 2);
        assert_eq!(code(&three.unwrap_err()), "0A000");
    });
}

#[test]
fn sleeping_holds_back_only_the_sleeper() {
    let server = trusting();
    block_on(async {
        let (a, b) = (connect(&config(&server)).await.unwrap(), connect(&config(&server)).await.unwrap());
        let start = std::time::Instant::now();
        let sleeper = tokio::spawn(async move { a.simple_query("select pg_sleep(1)").await.map(|_| start.elapsed()) });
        b.simple_query("select 1").await.unwrap();
        assert!(start.elapsed() < std::time::Duration::from_millis(900), "{:?}", start.elapsed());
        assert!(sleeper.await.unwrap().unwrap() >= std::time::Duration::from_secs(1));
    });
}
