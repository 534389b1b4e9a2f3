//! MySQL's protocol: queries and prepared statements, asked by a driver not written here (`mysql_async`).
#![allow(clippy::unwrap_used, missing_docs)]

use crate::mysql_support::{block_on, code, config, connect, one, options, start};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};

async fn select_one(conn: &mut Conn) {
    assert_eq!(conn.query_first::<i64, _>("select 1").await.unwrap(), Some(1));
}

#[test]
fn queries_in_text() {
    let server = start(options());
    let version = "8.0.99-peaje-reference-server";
    block_on(async {
        let mut conn = connect(config(&server).db_name(Some("shop"))).await.unwrap();
        assert_eq!(conn.server_version(), (8, 0, 99));
        let table: &[(&str, &str)] = &[
            ("select 1", "1"),
            ("/* ping */ SELECT 1;", "1"),
            ("select version()", version),
            ("select @@version", version),
            ("select @@version_comment limit 1", "peaje reference server: not a database"),
            ("select @@global.peaje_reference_server", "1"),
            ("select @@autocommit", "1"),
            ("select @@session.sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
            ("select current_user", "ana@127.0.0.1"),
            ("select concat(database(), '-', 'x', 5)", "shop-x5"),
            ("select ifnull(null, -3)", "-3"),
            ("select @never_set", "NULL"),
            ("select 'it''s \\'é\\''", "it's 'é'"),
        ];
        for (sql, expected) in table {
            assert_eq!(one(&mut conn, sql).await, *expected, "{sql}");
        }
        let id: u32 = one(&mut conn, "select connection_id()").await.parse().unwrap();
        assert_eq!(id, conn.id());
        conn.query_drop("set names utf8mb4, @x = 'kept', @@session.wait_timeout = 7, autocommit = off").await.unwrap();
        assert_eq!(one(&mut conn, "select concat(@x, @@wait_timeout, @@autocommit)").await, "kept70");
        let shown: Vec<(String, String)> =
            conn.query("show variables where variable_name in ('autocommit', 'PORT')").await.unwrap();
        let port = server.address().port().to_string();
        assert_eq!(shown, [("autocommit".into(), "OFF".into()), ("port".to_owned(), port)]);
        conn.reset().await.unwrap();
        assert_eq!(one(&mut conn, "select @x").await, "NULL");
        assert_eq!(one(&mut conn, "select @@wait_timeout").await, "28800");
    });
}

/// What drivers and frameworks of several languages send before their application does.
#[test]
fn what_drivers_send_at_their_start() {
    let server = start(options());
    let java = "/* mysql-connector-j-8.4.0 */SELECT  @@session.auto_increment_increment AS auto_increment_increment, \
        @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, \
        @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, \
        @@collation_server AS collation_server, @@collation_connection AS collation_connection, \
        @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, \
        @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, \
        @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, \
        @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, \
        @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout";
    block_on(async {
        let mut conn = connect(config(&server)).await.unwrap();
        for sql in [
            java,
            "SET character_set_results = NULL",
            "SET sql_mode='STRICT_TRANS_TABLES'",
            "SET SESSION TRANSACTION READ ONLY",
            "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_0900_ai_ci'",
            "SET @@session.autocommit = OFF",
            "SET AUTOCOMMIT = 0",
            "set autocommit=1, session_track_schema=1",
            "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), NAMES utf8mb4",
            "SET time_zone='+00:00'",
            "SELECT VERSION() as `version`",
            "SELECT @@version, @@version_comment, @@sql_mode, @@lower_case_table_names",
            "SELECT @@max_allowed_packet,@@wait_timeout",
            "select @@tx_isolation, @@session.transaction_read_only",
            "SHOW VARIABLES LIKE 'lower_case_%'",
            "SHOW VARIABLES WHERE Variable_name ='language' OR Variable_name = 'net_write_timeout'",
            "SHOW WARNINGS",
            "use `shop`;",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT",
            "SAVEPOINT a; RELEASE SAVEPOINT a",
            "COMMIT",
            "/*!40101 SET NAMES utf8mb4 */",
            "DO 1",
        ] {
            conn.query_drop(sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
        }
    });
}

#[test]
fn unknown_statements_are_errors_and_the_session_goes_on() {
    let server = start(options());
    block_on(async {
        let mut conn = connect(config(&server)).await.unwrap();
        for (sql, expected) in [
            ("select * from t", 1235),
            ("drop table x", 1235),
            ("select 'x", 1064),
            ("select @@nope", 1193),
            ("set version = '5'", 1238),
            ("set global wait_timeout = 5", 1227),
            ("", 1065),
        ] {
            let error = conn.query_drop(sql).await.unwrap_err();
            assert_eq!(code(&error).0, expected, "{sql}");
            select_one(&mut conn).await;
        }
        let error = conn.query_drop("select a from b").await.unwrap_err();
        assert!(error.to_string().contains("is not a database"), "{error}");
    });
}

#[test]
fn several_statements_at_once() {
    let server = start(options());
    block_on(async {
        let mut conn = connect(config(&server)).await.unwrap();
        let error = conn.query_drop("select 1; nonsense; select 2").await.unwrap_err();
        assert_eq!(code(&error).0, 1235, "found before any of them runs");
        let mut result = conn.query_iter("select 1; begin; select 2; commit").await.unwrap();
        assert_eq!(result.collect::<i64>().await.unwrap(), [1]);
        assert_eq!(result.collect::<i64>().await.unwrap(), Vec::<i64>::new());
        assert_eq!(result.collect::<i64>().await.unwrap(), [2]);
        drop(result);
        select_one(&mut conn).await;
    });
}

#[test]
fn prepared_statements_in_binary() {
    let server = start(options());
    block_on(async {
        let mut conn = connect(config(&server)).await.unwrap();
        let row: Option<(i64, String, Option<String>)> = conn.exec_first("select 1, 'x', null", ()).await.unwrap();
        assert_eq!(row, Some((1, "x".into(), None)));
        let statement = conn.prep("select ? as n, ? as t, ?").await.unwrap();
        assert_eq!((statement.num_params(), statement.columns().len()), (3, 3));
        for n in [0i64, -1, i64::MAX] {
            let row: Option<(i64, String, Option<f64>)> =
                conn.exec_first(&statement, (n, "é".repeat(200), Value::NULL)).await.unwrap();
            assert_eq!(row, Some((n, "é".repeat(200), None)));
        }
        let row: Option<(f64, u64, Vec<u8>)> =
            conn.exec_first(&statement, (1.5, 7u64, b"bytes".to_vec())).await.unwrap();
        assert_eq!(row, Some((1.5, 7, b"bytes".to_vec())));
        conn.close(statement).await.unwrap();
        assert_eq!(code(&conn.prep("select * from t").await.unwrap_err()).0, 1235);
        let now: Option<Value> = conn.exec_first("select now()", ()).await.unwrap();
        assert!(matches!(now, Some(Value::Date(2020.., ..))), "{now:?}");
        assert_eq!(conn.exec_first::<u8, _, _>("do 1", ()).await.unwrap(), None);
    });
}

#[test]
fn sessions_are_listed() {
    let server = start(options());
    block_on(async {
        let mut conn = connect(config(&server).db_name(Some("shop"))).await.unwrap();
        let other = connect(config(&server).user(Some("eve"))).await.unwrap();
        type Row = (u64, String, String, Option<String>, String, u64, String, Option<String>);
        let rows: Vec<Row> = conn.query("show full processlist").await.unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].0, rows[0].1.as_str(), rows[0].3.as_deref()), (conn.id().into(), "ana", Some("shop")));
        assert_eq!((rows[1].0, rows[1].1.as_str(), rows[1].4.as_str()), (other.id().into(), "eve", "Sleep"));
        assert!(rows[1].2.starts_with("127.0.0.1:"), "{}", rows[1].2);
    });
}
