//! Clients not written here log in to `peaje serve`: psql, pgbench -C, node-postgres.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Done, Serve};

const PASSWORD: &str = "served-horse";

fn output(mut command: Command, package: &str) -> Done {
    command.env("PGPASSWORD", PASSWORD).stdin(std::process::Stdio::null());
    command.output().unwrap_or_else(|e| panic!("{package} is missing ({e}): run scripts/setup")).into()
}

/// A server with SCRAM and a certificate that clients can check.
fn served(folder: &Path) -> (Serve, PathBuf) {
    let root = folder.join("root.crt");
    let serve = Serve::start(&["--password", PASSWORD, "--write-root-cert", &root.display().to_string()]);
    (serve, root)
}

#[test]
fn psql_logs_in_over_verified_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serve, root) = served(folder.path());
    let mut psql = Command::new("psql");
    let target = format!("host=localhost port={} user=peaje dbname=peaje sslmode=verify-full", serve.address().port());
    psql.arg(format!("{target} sslrootcert={}", root.display())).args(["-Atc", "select 1"]);
    let done = output(psql, "Debian package postgresql-client");
    assert_eq!((done.code, done.stdout.trim()), (Some(0), "1"), "{}", done.stderr);
}

#[test]
fn pgbench_connects_for_each_transaction() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serve, _) = served(folder.path());
    let script = folder.path().join("one.sql");
    std::fs::write(&script, "select 1;\n").expect("writable");
    let pgbench =
        ["/usr/lib/postgresql/15/bin/pgbench", "/usr/bin/pgbench"].into_iter().find(|p| Path::new(p).exists());
    let mut command = Command::new(pgbench.unwrap_or("pgbench"));
    command.args(["-n", "-C", "-c", "4", "-j", "2", "-t", "10", "-h", "127.0.0.1", "-U", "peaje", "-f"]).arg(&script);
    command.args(["-p", &serve.address().port().to_string(), "peaje"]);
    let done = output(command, "Debian package postgresql-contrib (pgbench)");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("transactions actually processed: 40/40"), "{}", done.stdout);
}

#[test]
fn node_postgres_logs_in_and_queries() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serve, root) = served(folder.path());
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let modules = top.join(".cache/node/node_modules");
    assert!(modules.join("pg").exists(), "node-postgres (npm package pg) is missing: run scripts/setup");
    let mut node = Command::new("node");
    node.env("NODE_PATH", &modules).arg(top.join("crates/refserver/tests/clients/node_pg.js"));
    node.args([&serve.address().port().to_string(), "peaje", PASSWORD]).arg(&root);
    let done = output(node, "Debian package nodejs");
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
}
