//! The listener over real sockets.

use std::net::SocketAddr;

use peaje_watch::listen::{Reach, bind};
use peaje_watch::metrics::Published;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::sample;

async fn start(reach: Reach) -> SocketAddr {
    let listener = bind("127.0.0.1:0".parse().unwrap(), reach).await.unwrap();
    let address = listener.address();
    let published = Published::default();
    published.put(sample::exposition());
    tokio::spawn(listener.serve(published));
    address
}

/// Everything that comes until the end.
async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is reset has said what it had to say.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8(bytes).unwrap()
}

async fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(request.as_bytes()).await;
    rest(stream).await
}

async fn get(address: SocketAddr, path: &str, headers: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n")).await
}

#[tokio::test]
async fn the_accept_header_chooses_the_format() {
    let address = start(Reach::LoopbackOnly).await;
    let text = get(address, "/metrics", "").await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{text}");
    assert!(text.contains("\r\nconnection: close\r\n"), "one request for each connection: {text}");
    assert!(text.contains("\npeaje_session_logins_total{") && !text.contains("# EOF"), "{text}");
    // What Prometheus 2.42 sends.
    let accept = "Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                  text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n";
    let text = get(address, "/metrics", accept).await;
    assert!(text.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test]
async fn other_paths_methods_and_names() {
    let address = start(Reach::LoopbackOnly).await;
    let table = [
        ("GET /-/healthy HTTP/1.1\r\nHost: localhost", "HTTP/1.1 200 OK", "peaje watch runs"),
        ("GET / HTTP/1.1\r\nHost: localhost", "HTTP/1.1 200 OK", "/metrics"),
        ("GET /metrics?x=1 HTTP/1.1\r\nHost: [::1]:1", "HTTP/1.1 200 OK", "peaje_watch_up"),
        ("GET /metrics HTTP/1.0", "HTTP/1.0 200 OK", "peaje_watch_up"),
        ("GET /else HTTP/1.1\r\nHost: localhost", "HTTP/1.1 404 Not Found", "see /metrics"),
        ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0", "HTTP/1.1 405", "GET and HEAD only"),
        ("GET /metrics HTTP/1.1\r\nHost: evil.example", "HTTP/1.1 403 Forbidden", "ask for it as localhost"),
        ("HEAD /metrics HTTP/1.1\r\nHost: localhost", "HTTP/1.1 200 OK", "content-length: "),
    ];
    for (request, status, words) in table {
        let answer = ask(address, &format!("{request}\r\n\r\n")).await;
        assert!(answer.starts_with(status) && answer.contains(words), "{request}: {answer}");
    }
    let head = ask(address, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(head.ends_with("\r\n\r\n"), "no body: {head}");
}

#[tokio::test]
async fn whoever_listens_for_all_answers_to_every_name() {
    let address = start(Reach::Anywhere).await;
    let answer = ask(address, "GET /metrics HTTP/1.1\r\nHost: metrics.example.com\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

#[tokio::test]
async fn rubbish_and_endless_heads_are_refused() {
    let address = start(Reach::LoopbackOnly).await;
    let many = "X: 1\r\n".repeat(200);
    let table = [
        format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(100_000)),
        format!("GET /{} HTTP/1.1\r\n\r\n", "y".repeat(100_000)),
        format!("GET /metrics HTTP/1.1\r\n{many}\r\n"),
        "\u{16}\u{3}\u{1} not http at all\r\n\r\n".to_owned(),
    ];
    for request in table {
        let answer = ask(address, &request).await;
        assert!(!answer.contains("200 OK") && !answer.contains("peaje_"), "{answer}");
    }
    assert!(get(address, "/-/healthy", "").await.contains("peaje watch runs"), "it goes on");
}

/// The clock is tokio's: it runs ahead whenever everybody waits.
#[tokio::test(start_paused = true)]
async fn slow_clients_lose_their_place() {
    let address = start(Reach::LoopbackOnly).await;
    let mut slow = Vec::new();
    for n in 0..40 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if n % 2 == 0 {
            stream.write_all(b"GET /metrics HT").await.unwrap();
        }
        slow.push(stream);
    }
    let answer = get(address, "/-/healthy", "").await;
    assert!(answer.contains("peaje watch runs"), "behind forty clients that say nothing: {answer}");
    for stream in slow {
        assert!(!rest(stream).await.contains("200 OK"));
    }
}

/// A scraper asks at once, so it keeps its place, whatever others hold open.
#[tokio::test]
async fn clients_that_say_nothing_keep_nobody_waiting() {
    let address = start(Reach::LoopbackOnly).await;
    let mut silent = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if n % 2 == 0 {
            stream.write_all(b"GET /metrics HT").await.unwrap();
        }
        silent.push(stream);
    }
    let began = std::time::Instant::now();
    for _ in 0..20 {
        let answer = get(address, "/metrics", "").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    }
    // Their own time to ask is five seconds.
    assert!(began.elapsed() < std::time::Duration::from_secs(3), "{:?}", began.elapsed());
    let first = rest(silent.remove(0)).await;
    assert!(!first.contains("200 OK"), "the oldest gave its place: {first}");
}
