//! What a held session takes in peaje: in a process of its own, as the kernel accounts for it.

use peaje_lab::Stop;
use peaje_refserver::{KeyKind, ServerOptions, TlsSetting};

use super::{server, spread, url};

/// The proportional set size of a process, bytes.
fn pss(pid: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("it is there");
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).expect("a line");
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    kib * 1024
}

/// Bytes for each session between a first and a second step.
async fn bytes_per_session(url: &str, first: u64, second: u64) -> u64 {
    let mut held = spread(url, 1, 8, &Stop::new());
    let pid = held.pids()[0];
    assert_eq!(held.open(first).await.sessions, first);
    let before = pss(pid);
    assert_eq!(held.open(second).await.sessions, second);
    let after = pss(pid);
    after.saturating_sub(before) / (second - first)
}

#[tokio::test]
async fn a_plain_session_takes_little() {
    let server = server(ServerOptions::default());
    let bytes = bytes_per_session(&url(&server), 500, 3500).await;
    assert!((100..=8192).contains(&bytes), "{bytes} bytes");
}

#[tokio::test]
async fn an_encrypted_session_takes_not_much_more() {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let server = server(ServerOptions { tls, ..ServerOptions::default() });
    let url = url(&server).replace("sslmode=disable", "sslmode=require");
    let bytes = bytes_per_session(&url, 200, 1200).await;
    assert!((500..=40 * 1024).contains(&bytes), "{bytes} bytes");
}
