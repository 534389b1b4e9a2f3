//! Servers that send without end: the login neither ends in memory nor keeps the thread for itself.

use std::io::Write;
use std::time::Duration;

use peaje_engine::{Connector, Trace};
use peaje_sqlserver::protocol::packet::{Framing, PacketKind};
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::token::{ServerMessage, write};
use peaje_sqlserver::protocol::types::{Column, TypeInfo};

use super::connector;
use super::server::{Peer, Server};

/// Sends this over and over until the client leaves.
fn flood(peer: &mut Peer, bytes: &[u8]) {
    peer.socket.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let block = bytes.repeat((1 << 16) / bytes.len() + 1);
    while peer.socket.write_all(&block).is_ok() {}
}

/// A packet that is not the last one.
fn unfinished(payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    Framing::new(PacketKind::Response).packet_size(32_767).write(&mut packet, payload);
    packet[1] = 0;
    packet
}

/// The most memory this process has held, KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

async fn survives(name: &str, script: impl FnOnce(&mut Peer) + Send + 'static) {
    let server = Server::one(script);
    let connector = connector(server.port, "Encrypt=disable");
    let before = peak_kib();
    let mut trace = Trace::start();
    let limit = Duration::from_millis(700);
    let login = tokio::time::timeout(limit, connector.log_in(0, &mut trace)).await;
    assert!(!matches!(login, Ok(Ok(_))), "{name}: that was no login");
    assert!(trace.started().elapsed() < Duration::from_secs(5), "{name}: the timeout comes in time");
    let grown = peak_kib().saturating_sub(before) / 1024;
    assert!(grown < 64, "{name}: memory has grown by {grown} MiB");
    server.done();
}

#[tokio::test]
async fn answers_without_end() {
    survives("empty packets instead of PRELOGIN", |peer| {
        peer.message();
        flood(peer, &[4, 0, 0, 8, 0, 0, 1, 0]);
    })
    .await;
    survives("a PRELOGIN without end", |peer| {
        peer.message();
        flood(peer, &unfinished(&[0; 1000]));
    })
    .await;
    survives("messages without end", |peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        let mut tokens = Vec::new();
        let message = ServerMessage { number: 1, message: "x".repeat(1000), ..ServerMessage::default() };
        write::info(&mut tokens, &message);
        flood(peer, &unfinished(&tokens));
    })
    .await;
    survives("rows without end", |peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        let columns = [Column::new("x", TypeInfo::varbinary(u32::MAX))];
        let mut tokens = Vec::new();
        write::col_metadata(&mut tokens, &columns);
        // The beginning of a row whose value has no end.
        tokens.push(0xd1);
        tokens.extend_from_slice(&0xffff_ffff_ffff_fffe_u64.to_le_bytes());
        peer.socket.write_all(&unfinished(&tokens)).unwrap();
        let mut chunk = 1000u32.to_le_bytes().to_vec();
        chunk.resize(1004, 1);
        flood(peer, &unfinished(&chunk));
    })
    .await;
    survives("columns without end", |peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        let column = [Column::new("x".repeat(255), TypeInfo::int())];
        let mut tokens = Vec::new();
        write::col_metadata(&mut tokens, &column);
        tokens[1..3].copy_from_slice(&4096u16.to_le_bytes());
        flood(peer, &unfinished(&tokens));
    })
    .await;
}
