//! Reads the version of the TLS library from the lock file, so that every run can name it.

use std::path::Path;

fn main() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).unwrap_or_default();
    let version = text
        .split("[[package]]")
        .find(|package| package.contains("\nname = \"rustls\"\n"))
        .and_then(|package| package.split("version = \"").nth(1)?.split('"').next())
        .unwrap_or("unknown");
    println!("cargo::rustc-env=PEAJE_RUSTLS_VERSION={version}");
}
