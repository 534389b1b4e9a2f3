//! What a reading takes, and what else a watcher tells.

use std::time::{Duration, Instant};

use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster};

use super::support::{read, start, until_open, watch, watch_as_admin};
use crate::common::{Postgres, on_each_version};

async fn limits_and_what_answered_are_the_observers(pg: &Postgres) {
    let server = start(pg);
    let mut watcher = watch_as_admin(&server).await;
    assert_eq!(watcher.limits().await.expect("readable").limit, 230);
    assert_eq!(watcher.what_answered().await.expect("it answers").product, "PostgreSQL");
    let (facts, gaps) = watcher.facts().await;
    assert!(facts.iter().any(|fact| fact.name == "max_connections") && gaps.is_empty(), "{gaps:?}");
    assert_eq!(watcher.accounts().await, Ok(Vec::new()));
}

/// What a reading takes: a bound far above what it takes, so that a change that makes it dear is noticed.
#[allow(clippy::print_stderr, reason = "what it takes is worth reading")]
async fn a_reading_is_cheap(pg: &Postgres) {
    let server = start(pg);
    let (config, mut sent) = counted(&server).await;
    let mut watcher = watch(&config).await;
    let url = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let mut clients = Vec::new();
    for open in [1, 200] {
        while clients.len() < open {
            let (client, connection) =
                tokio_postgres::connect(url.expose(), tokio_postgres::NoTls).await.expect("a login");
            tokio::spawn(connection);
            clients.push(client);
        }
        until_open(&mut watcher, open as u64).await;
        let (before, started) = (sent.total(), Instant::now());
        for _ in 0..50 {
            read(&mut watcher).await;
        }
        let took = started.elapsed() / 50;
        let bytes = (sent.total() - before) / 50;
        eprintln!("{} with {open} sessions: {took:?}, {bytes} bytes from the server", pg.module);
        assert!(bytes < 1_500 + 200 * open as u64, "{bytes} bytes for {open} sessions");
        assert!(took < Duration::from_millis(250), "{took:?} for {open} sessions");
    }
}

/// Bytes that came from the server through a relay.
struct Sent(tokio::sync::watch::Receiver<u64>);

impl Sent {
    fn total(&mut self) -> u64 {
        *self.0.borrow_and_update()
    }
}

/// A relay in front of the server that counts.
async fn counted(server: &ThrowawayCluster) -> (Config, Sent) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let relay = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let (port, behind) = (relay.local_addr().expect("bound").port(), server.port());
    let (count, counted) = tokio::sync::watch::channel(0);
    tokio::spawn(async move {
        let (client, _) = relay.accept().await.expect("the watcher comes");
        let upstream = tokio::net::TcpStream::connect(("127.0.0.1", behind)).await.expect("the server runs");
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = upstream.into_split();
        tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n @ 1..) = from_server.read(&mut buffer).await {
            count.send_modify(|total| *total += n as u64);
            if to_client.write_all(&buffer[..n]).await.is_err() {
                break;
            }
        }
    });
    let through = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let through = through.expose().replace(&format!("port={behind}"), &format!("port={port}"));
    (Config::parse(&through, &BareSurroundings).expect("well formed"), Sent(counted))
}

on_each_version! {
    ; async limits_and_what_answered_are_the_observers, a_reading_is_cheap
}
