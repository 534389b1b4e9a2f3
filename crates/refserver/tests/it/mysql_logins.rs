//! MySQL's protocol: credentials, TLS, queries and limits, against a driver not written here (`mysql_async`).
#![allow(clippy::unwrap_used, missing_docs)]

use crate::mysql_support::{
    PASSWORD, USER, assert_identity, block_on, caching_sha2, code, config, config_tls, connect, counted, eventually,
    every_auth, one, options, root_file, start, wait_for, with_auth, with_tls,
};
use mysql_async::prelude::Queryable;
use mysql_async::{ChangeUserOpts, Conn};
use peaje_model::Secret;
use peaje_refserver::{Auth, AuthCache, MISSING_DATABASE, RefServer, RefServerError, ServerOptions};

async fn select_one(conn: &mut Conn) {
    assert_eq!(conn.query_first::<i64, _>("select 1").await.unwrap(), Some(1));
}

#[test]
fn right_and_wrong_credentials() {
    for auth in every_auth() {
        let server = with_auth(auth.clone());
        block_on(async {
            let mut conn = connect(config(&server)).await.unwrap_or_else(|e| panic!("{auth:?}: {e}"));
            select_one(&mut conn).await;
            conn.disconnect().await.unwrap();
            for wrong in [config(&server).pass(Some("pen")), config(&server).user(Some("eve"))] {
                let error = connect(wrong).await.map(drop).unwrap_err();
                assert_eq!(code(&error), (1045, "28000".to_owned()), "{auth:?}");
                assert!(error.to_string().contains("(using password: YES)"), "{error}");
            }
            let error = connect(config(&server).pass(None::<String>)).await.map(drop).unwrap_err();
            assert_eq!(code(&error).0, 1045, "{auth:?}");
            let expected = format!("Access denied for user '{USER}'@'127.0.0.1' (using password: NO)");
            assert!(error.to_string().contains(&expected), "{error}");
        });
        let counters = wait_for(&server, |c| c.sessions_now == 0);
        assert_eq!((counters.accepted, counters.logins, counters.failed), (4, 1, 3), "{auth:?}");
        assert_identity(&counters);
    }
}

#[test]
fn right_and_wrong_credentials_over_tls() {
    for auth in every_auth() {
        let server = with_tls(auth.clone());
        let root = root_file(&server);
        block_on(async {
            let mut conn = connect(config_tls(&server, &root)).await.unwrap_or_else(|e| panic!("{auth:?}: {e}"));
            select_one(&mut conn).await;
            assert_eq!(server.counters().encrypted_now, 1);
            let cipher: Option<(String, String)> = conn.query_first("show status like 'Ssl_cipher'").await.unwrap();
            assert!(cipher.unwrap().1.starts_with("TLS_"), "the session knows its cipher");
            let error = connect(config_tls(&server, &root).pass(Some("pen"))).await.map(drop).unwrap_err();
            assert_eq!(code(&error).0, 1045, "{auth:?}");
        });
        assert_eq!(server.counters().tls_full + server.counters().tls_resumed, 2);
    }
}

#[test]
fn everybody_is_trusted_when_the_options_say_so() {
    let server = start(options());
    block_on(async {
        for (user, password) in [("ana", Some("x")), ("eve", None), ("usuario con espacios", Some(""))] {
            let mut conn = connect(config(&server).user(Some(user)).pass(password).db_name(Some("any"))).await.unwrap();
            assert_eq!(one(&mut conn, "select user()").await, format!("{user}@127.0.0.1"));
            assert_eq!(one(&mut conn, "select database()").await, "any");
        }
    });
    assert_eq!(server.counters().logins, 3);
}

#[test]
fn the_first_login_is_authenticated_in_full_and_later_ones_from_the_cache() {
    for tls in [false, true] {
        for (cache, expected) in [(AuthCache::Kept, (1, 4)), (AuthCache::Off, (5, 0))] {
            let base = if tls {
                with_tls_and(cache)
            } else {
                start(ServerOptions { auth: caching_sha2(), auth_cache: cache, ..options() })
            };
            let server = base;
            let root = tls.then(|| root_file(&server));
            let config = || root.as_ref().map_or_else(|| config(&server), |root| config_tls(&server, root));
            block_on(async {
                let wrong = connect(config().pass(Some("pen"))).await.map(drop).unwrap_err();
                assert_eq!(code(&wrong).0, 1045);
                for _ in 0..5 {
                    select_one(&mut connect(config()).await.unwrap()).await;
                }
                let counters = server.counters();
                assert_eq!((counters.auth_full, counters.auth_cached), expected, "{cache:?}, TLS {tls}");
                let wrong = connect(config().pass(Some("pen"))).await.map(drop).unwrap_err();
                assert_eq!(code(&wrong).0, 1045, "nor does the cache let a wrong password in");
                let mut conn = connect(config()).await.unwrap();
                conn.query_drop("flush privileges").await.unwrap();
                connect(config()).await.unwrap();
                assert_eq!(server.counters().auth_full, if cache == AuthCache::Kept { 2 } else { 7 });
            });
        }
    }
}

fn with_tls_and(auth_cache: AuthCache) -> RefServer {
    let tls = peaje_refserver::TlsSetting::SelfMade(peaje_refserver::KeyKind::EcdsaP256);
    start(ServerOptions { auth: caching_sha2(), auth_cache, tls, ..options() })
}

#[test]
fn an_authentication_of_another_engine_is_refused_at_the_start() {
    let auth = Auth::Scram { user: USER.into(), password: Secret::new(PASSWORD) };
    let error = RefServer::start(ServerOptions { auth, ..options() }).unwrap_err();
    assert!(matches!(error, RefServerError::Auth { .. }), "{error}");
    assert_eq!(error.to_string(), "MySQL has no authentication scram-sha-256 (leave it to the engine's default)");
    let error = RefServer::start(ServerOptions { auth: caching_sha2(), ..ServerOptions::default() }).unwrap_err();
    assert!(error.to_string().starts_with("PostgreSQL has no authentication caching_sha2_password"), "{error}");
}

#[test]
fn the_server_is_full_beyond_its_places() {
    let server = start(ServerOptions { max_sessions: Some(2), ..options() });
    block_on(async {
        let first = connect(config(&server)).await.unwrap();
        let mut second = connect(config(&server)).await.unwrap();
        let error = connect(config(&server)).await.map(drop).unwrap_err();
        assert_eq!(code(&error).0, 1040, "{error:?}");
        assert!(error.to_string().contains("Too many connections"), "{error}");
        assert_eq!(one(&mut second, "select @@max_connections").await, "2");
        first.disconnect().await.unwrap();
        // The place is free as soon as the server has read the goodbye.
        eventually(&server, |c| c.sessions_now == 1).await;
        connect(config(&server)).await.unwrap();
    });
    assert_eq!(server.counters().failed, 1);
}

#[test]
fn a_database_is_missing_by_its_name() {
    let server = with_auth(caching_sha2());
    let missing = format!("{MISSING_DATABASE}shop");
    block_on(async {
        let error = connect(config(&server).db_name(Some(&missing))).await.map(drop).unwrap_err();
        assert_eq!(code(&error), (1049, "42000".to_owned()));
        assert!(error.to_string().contains("Unknown database 'missing_shop'"), "{error}");
        let mut conn = connect(config(&server)).await.unwrap();
        assert_eq!(one(&mut conn, "select database()").await, "NULL");
        assert_eq!(code(&conn.query_drop(format!("use {missing}")).await.unwrap_err()).0, 1049);
        conn.query_drop("use shop").await.unwrap();
        assert_eq!(one(&mut conn, "select schema()").await, "shop");
    });
}

#[test]
fn another_user_on_the_same_connection() {
    for auth in every_auth() {
        let server = with_auth(auth.clone());
        block_on(async {
            let mut conn = connect(config(&server)).await.unwrap();
            conn.query_drop("set @x = 1").await.unwrap();
            let other = ChangeUserOpts::default().with_db_name(Some("other".into()));
            conn.change_user(other.clone()).await.unwrap_or_else(|e| panic!("{auth:?}: {e}"));
            assert_eq!(one(&mut conn, "select concat(database(), ifnull(@x, '?'))").await, "other?");
            assert_eq!(
                one(
                    &mut conn,
                    "select count(*) as own_sessions\nfrom information_schema.processlist\n\
                where user = substring_index(user(), '@', 1) and id > connection_id()"
                )
                .await,
                "0"
            );
            let error = conn.change_user(other.with_pass(Some("pen".into()))).await.unwrap_err();
            assert_eq!(code(&error).0, 1045, "{auth:?}");
        });
        wait_for(&server, |c| c.sessions_now == 0);
    }
}

/// As MySQL counts each event: these counters are how logins are reconciled.
#[test]
fn the_counters_are_true() {
    let auth = Auth::MysqlNative { user: USER.into(), password: Secret::new(PASSWORD) };
    let server = start(ServerOptions { max_sessions: Some(3), auth, ..options() });
    block_on(async {
        let mut observer = connect(config(&server)).await.unwrap();
        let names = [
            "Connections",
            "Aborted_connects",
            "Aborted_connects_preauth",
            "Access_denied_errors",
            "Connection_errors_max_connections",
            "Aborted_clients",
            "Threads_connected",
        ];
        async fn read<const N: usize>(conn: &mut Conn, names: [&str; N]) -> [u64; N] {
            let mut all = [0; N];
            for (place, name) in all.iter_mut().zip(names) {
                *place = counted(conn, name).await;
            }
            all
        }
        assert_eq!(read(&mut observer, names).await, [1, 0, 0, 0, 0, 0, 1], "the observer itself");

        let polite = connect(config(&server)).await.unwrap();
        polite.disconnect().await.unwrap();
        eventually(&server, |c| c.sessions_now == 1).await;
        assert_eq!(read(&mut observer, names).await, [2, 0, 0, 0, 0, 0, 1], "a login and a goodbye");

        connect(config(&server).pass(Some("pen"))).await.map(drop).unwrap_err();
        eventually(&server, |c| c.sessions_now == 1).await;
        assert_eq!(read(&mut observer, names).await, [3, 1, 0, 1, 0, 0, 1], "a wrong password");

        drop(tokio::net::TcpStream::connect(server.address()).await.unwrap());
        eventually(&server, |c| c.abandoned == 1).await;
        assert_eq!(read(&mut observer, names).await, [4, 2, 1, 1, 0, 0, 1], "a health check");

        let (a, b) = (connect(config(&server)).await.unwrap(), connect(config(&server)).await.unwrap());
        connect(config(&server)).await.map(drop).unwrap_err();
        assert_eq!(read(&mut observer, names).await, [6, 2, 1, 1, 1, 0, 3], "a full server counts no connection");
        let text = peaje_mysql::counters::COUNTERS_MARIADB.text("");
        let row: Option<mysql_async::Row> = observer.query_first(text).await.unwrap();
        assert_eq!(row.unwrap().get::<u64, _>("aborted"), Some(3), "but an aborted connect where MariaDB is asked");
        a.disconnect().await.unwrap();
        b.disconnect().await.unwrap();
        eventually(&server, |c| c.sessions_now == 1).await;
        assert_eq!(counted(&mut observer, "Max_used_connections").await, 3);

        observer.query_drop("flush status").await.unwrap();
        assert_eq!(read(&mut observer, names).await, [6, 0, 0, 1, 0, 0, 1], "clears some, not all");
        assert_eq!(counted(&mut observer, "Max_used_connections").await, 1);
    });
    assert_identity(&server.counters());
}
