//! Debian's `mariadb` client and node's `mysql2`, as they are installed.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::mysql_support::{
    PASSWORD, RootFile, USER, caching_sha2, every_auth, options, raw, raw_login, root_file, start, wait_for, with_auth,
    with_tls,
};
use peaje_model::Secret;
use peaje_refserver::{Auth, KeyKind, RefServer, ServerOptions, TlsSetting};

/// Without it, this client asks for TLS where it is offered; and where it is not, it behaves as if it were inside TLS and
/// sends the password in clear when `caching_sha2_password` wants a full authentication.
const PLAIN: &str = "--skip-ssl";

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

fn mariadb(server: &RefServer, password: &str, more: &[&str]) -> Output {
    let output = Command::new("mariadb")
        .args(["--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--batch", "--skip-column-names"])
        .args([format!("--port={}", server.address().port()), format!("--user={USER}")])
        .args(more)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("MYSQL_PWD", password)
        .stdin(Stdio::null())
        .output();
    output.unwrap_or_else(|e| panic!("mariadb: {e} (install Debian's package mariadb-client, or run scripts/setup)"))
}

fn ssl_arguments(root: &RootFile) -> [String; 2] {
    ["--ssl-verify-server-cert".to_owned(), format!("--ssl-ca={}", root.path.display())]
}

fn every_auth_of_mysql() -> Vec<Auth> {
    let mut all = every_auth();
    all.push(Auth::Sha256 { user: USER.into(), password: Secret::new(PASSWORD) });
    all
}

#[test]
fn mariadb_logs_in_without_tls_with_every_authentication() {
    for auth in every_auth_of_mysql() {
        let server = with_auth(auth.clone());
        for _ in 0..2 {
            let answer = mariadb(&server, PASSWORD, &[PLAIN, "--execute=select 1; select user(), database()", "shop"]);
            assert_eq!(text(&answer), format!("1\n{USER}@127.0.0.1\tshop\n"), "{auth:?}");
        }
        let answer = mariadb(&server, "pen", &[PLAIN, "--execute=select 1"]);
        assert!(!answer.status.success());
        let expected = format!("ERROR 1045 (28000): Access denied for user '{USER}'@'127.0.0.1' (using password: YES)");
        assert!(text(&answer).starts_with(&expected), "{auth:?}: {}", text(&answer));
        let counters = wait_for(&server, |c| c.sessions_now == 0);
        assert_eq!((counters.logins, counters.failed), (2, 1), "{auth:?}");
        if matches!(auth, Auth::CachingSha2 { .. }) {
            assert_eq!((counters.auth_full, counters.auth_cached), (1, 1), "by RSA, then from the cache");
        }
    }
}

#[test]
fn mariadb_logs_in_over_verified_tls_with_every_authentication() {
    for auth in every_auth_of_mysql() {
        let server = with_tls(auth.clone());
        let root = root_file(&server);
        let [verify, ca] = ssl_arguments(&root);
        for _ in 0..2 {
            let sql = "--execute=show status like 'Ssl_version'";
            let answer = mariadb(&server, PASSWORD, &[&verify, &ca, sql]);
            assert_eq!(text(&answer), "Ssl_version\tTLSv1.3\n", "{auth:?}");
        }
        let answer = mariadb(&server, "pen", &[&verify, &ca, "--execute=select 1"]);
        assert!(text(&answer).starts_with("ERROR 1045 (28000): Access denied"), "{auth:?}: {}", text(&answer));
        assert_eq!(server.counters().tls_full, 3);
    }
}

#[test]
fn mariadb_reads_status_and_lists() {
    let server = start(ServerOptions { tls: TlsSetting::SelfMade(KeyKind::Rsa2048), ..options() });
    let sql = "--execute=select @@version_comment; show global status like 'Connections'; show variables like 'port'; \
               begin; select 1; rollback; show databases; show processlist";
    let answer = mariadb(&server, PASSWORD, &[sql, "shop"]);
    let told = text(&answer);
    let port = server.address().port();
    let expected = format!(
        "peaje reference server: not a database\nConnections\t1\nport\t{port}\n1\ninformation_schema\nshop\n1\t{USER}\t"
    );
    assert!(told.starts_with(&expected), "{told}");
    let answer = mariadb(&server, PASSWORD, &["--execute=select count(*) from t"]);
    assert!(!answer.status.success() && text(&answer).contains("ERROR 1235 (42000)"), "{}", text(&answer));
}

#[test]
fn mariadb_is_told_that_the_server_is_full_and_that_a_database_is_missing() {
    let server = start(ServerOptions { max_sessions: Some(1), ..options() });
    let mut held = raw(&server);
    raw_login(&mut held, "eve");
    let answer = mariadb(&server, PASSWORD, &[PLAIN, "--execute=select 1"]);
    let told = text(&answer);
    assert!(told.starts_with("ERROR 1040 (") && told.contains("Too many connections"), "{told}");
    drop(held);
    wait_for(&server, |c| c.sessions_now == 0);
    let answer = mariadb(&server, PASSWORD, &[PLAIN, "--execute=select 1", "missing_shop"]);
    assert!(text(&answer).starts_with("ERROR 1049 (42000): Unknown database 'missing_shop'"), "{}", text(&answer));
}

fn mysql2(server: &RefServer, root: Option<&RootFile>) -> Output {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = here.join("../../.cache/node/node_modules");
    assert!(modules.join("mysql2").exists(), "the npm package mysql2 is missing: run scripts/setup");
    let output = Command::new("node")
        .env("NODE_PATH", modules)
        .arg(here.join("tests/clients/node_mysql2.js"))
        .args([server.address().port().to_string().as_str(), USER, PASSWORD])
        .args(root.map(|root| &root.path))
        .stdin(Stdio::null())
        .output();
    output.unwrap_or_else(|e| panic!("node: {e} (install Debian's package nodejs)"))
}

#[test]
fn mysql2_takes_both_paths_of_caching_sha2_by_rsa() {
    let server = start(ServerOptions { auth: caching_sha2(), max_sessions: Some(20), ..options() });
    let answer = mysql2(&server, None);
    assert_eq!(text(&answer), "ok\n");
    let counters = server.counters();
    assert!(counters.auth_cached > 20, "{counters:?}");
    // The first login, and perhaps some more that were begun before it was decided; and wrong passwords are not counted.
    assert!((1..10).contains(&counters.auth_full), "{counters:?}");
}

#[test]
fn mysql2_takes_both_paths_of_caching_sha2_over_tls() {
    let tls = TlsSetting::SelfMade(KeyKind::Rsa2048);
    let server = start(ServerOptions { auth: caching_sha2(), tls, max_sessions: Some(20), ..options() });
    let root = root_file(&server);
    let answer = mysql2(&server, Some(&root));
    assert_eq!(text(&answer), "ok\n");
    let counters = server.counters();
    assert!(counters.auth_cached > 20 && counters.auth_full >= 1, "{counters:?}");
    assert!(counters.tls_full + counters.tls_resumed >= counters.logins, "{counters:?}");
}

#[test]
fn mysql2_with_the_native_password() {
    let auth = Auth::MysqlNative { user: USER.into(), password: Secret::new(PASSWORD) };
    let server = start(ServerOptions { auth, max_sessions: Some(20), ..options() });
    assert_eq!(text(&mysql2(&server, None)), "ok\n");
}
