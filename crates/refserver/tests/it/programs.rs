//! psql and pgbench, as they are installed.
#![allow(clippy::unwrap_used, missing_docs)]

use std::process::{Command, Output};

use crate::common::{PASSWORD, scram, start, trusting};
use peaje_refserver::{KeyKind, RefServer, ServerOptions, TlsSetting};

fn run(program: &str, server: &RefServer, arguments: &[&str], ssl_mode: &str) -> Output {
    let output = Command::new(program)
        .args(["-h", "127.0.0.1", "-p", &server.address().port().to_string(), "-U", "ana"])
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("PGPASSWORD", PASSWORD)
        .env("PGSSLMODE", ssl_mode)
        .env("PGCONNECT_TIMEOUT", "20")
        .output();
    output.unwrap_or_else(|e| {
        panic!("{program}: {e} (install Debian's package postgresql-client, and postgresql for pgbench)")
    })
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

#[test]
fn psql() {
    let server = trusting();
    let answer = run("psql", &server, &["-X", "-At", "-c", "select 1", "shop"], "disable");
    assert_eq!(text(&answer), "1\n");
    let answer = run("psql", &server, &["-X", "-At", "-c", "\\conninfo", "-c", "select 2", "shop"], "prefer");
    assert!(
        text(&answer).starts_with("You are connected to database \"shop\" as user \"ana\" on host"),
        "{}",
        text(&answer)
    );
    let answer = run("psql", &server, &["-X", "-c", "select count(*) from pg_class", "shop"], "disable");
    assert!(!answer.status.success());
    let told = text(&answer);
    assert!(told.contains("the reference server does not know this statement") && told.contains("HINT"), "{told}");
}

#[test]
fn psql_over_tls_with_scram_and_channel_binding() {
    let tls = TlsSetting::SelfMade(KeyKind::Rsa2048);
    let server = start(ServerOptions { auth: scram(), tls, ..ServerOptions::default() });
    let database = "dbname=shop channel_binding=require";
    let answer = run("psql", &server, &["-X", "-At", "-c", "select current_user", database], "require");
    assert_eq!(text(&answer), "ana\n");
    assert_eq!(server.counters().tls_full, 1);
}

#[test]
fn pgbench_connecting_for_each_transaction() {
    let server = start(ServerOptions { auth: scram(), ..ServerOptions::default() });
    let script = std::env::temp_dir().join(format!("peaje-refserver-{}.sql", std::process::id()));
    std::fs::write(&script, "select 1;\n").unwrap();
    for protocol in ["simple", "extended", "prepared"] {
        let before = server.counters().logins;
        let arguments =
            ["-n", "-C", "-c", "4", "-j", "2", "-t", "10", "-M", protocol, "-f", script.to_str().unwrap(), "x"];
        let answer = run("pgbench", &server, &arguments, "disable");
        let told = text(&answer);
        assert!(answer.status.success() && told.contains("processed: 40/40"), "{protocol}: {told}");
        // One more than transactions: pgbench looks first whether it can log in.
        assert_eq!(server.counters().logins - before, 41, "{protocol}");
    }
    std::fs::remove_file(script).unwrap();
}
