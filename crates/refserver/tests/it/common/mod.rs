//! A server and its clients. Each test starts its own server, on a free port.
#![allow(unreachable_pub, clippy::unwrap_used, missing_docs)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use peaje_engine::{ClientTls, Resume, Roots, TlsOptions, Verify};
use peaje_model::Secret;
use peaje_postgres::protocol::backend::{BackendMessage, decode_backend};
use peaje_postgres::protocol::frontend;
use peaje_refserver::{Auth, RefCounters, RefServer, ServerOptions};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::Client;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

pub const USER: &str = "ana";
pub const PASSWORD: &str = "pencil";

/// Runs a client.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub fn start(options: ServerOptions) -> RefServer {
    RefServer::start(options).unwrap()
}

pub fn trusting() -> RefServer {
    start(ServerOptions::default())
}

pub fn scram() -> Auth {
    Auth::Scram { user: USER.into(), password: Secret::new(PASSWORD) }
}

/// A client's configuration for this server.
pub fn config(server: &RefServer) -> tokio_postgres::Config {
    let mut config = tokio_postgres::Config::new();
    config.host("127.0.0.1").port(server.address().port()).user(USER).password(PASSWORD).application_name("test");
    config.ssl_mode(SslMode::Disable);
    config
}

/// Logs in without TLS.
pub async fn connect(config: &tokio_postgres::Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// TLS of a client that verifies the server down to its name.
pub fn client_tls(server: &RefServer, resume: Resume) -> ClientTls {
    let root = server.root_certificate_pem().expect("the server made its certificate itself");
    let root = CertificateDer::from_pem_slice(root.as_bytes()).unwrap();
    let alpn = vec![b"postgresql".to_vec()];
    let roots = Roots::Given(vec![root]);
    ClientTls::new(TlsOptions { verify: Verify::Full, roots, alpn, resume, ..TlsOptions::default() }).unwrap()
}

/// Logs in over TLS.
pub async fn connect_tls(config: &tokio_postgres::Config, tls: &ClientTls) -> Result<Client, tokio_postgres::Error> {
    let mut config = config.clone();
    if config.get_ssl_mode() == SslMode::Disable {
        config.ssl_mode(SslMode::Require);
    }
    let (client, connection) = config.connect(MakeRustlsConnect::new((**tls.config()).clone())).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// SQLSTATE of a failure that the server told.
pub fn code(error: &tokio_postgres::Error) -> String {
    error.code().map_or_else(|| format!("no code: {error:?}"), |code| code.code().to_owned())
}

/// A connection without a driver.
pub fn raw(server: &RefServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Logs in without a driver; what the server sent up to "ready for a query".
pub fn raw_login(stream: &mut TcpStream, parameters: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    frontend::startup(&mut out, parameters);
    stream.write_all(&out).unwrap();
    until_ready(stream)
}

/// Everything up to "ready for a query".
pub fn until_ready(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let got = stream.read(&mut buffer).unwrap();
        assert!(got > 0, "closed after {}", bytes.escape_ascii());
        bytes.extend_from_slice(&buffer[..got]);
        let mut rest = bytes.as_slice();
        while let Some((message, used)) = decode_backend(rest).unwrap() {
            if matches!(message, BackendMessage::ReadyForQuery(_)) {
                return bytes;
            }
            rest = &rest[used..];
        }
    }
}

/// Everything until the server closes; a reset counts as closed.
pub fn until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => panic!("still open after 20 s"),
        _ => bytes,
    }
}

/// Waits until the counters say so: the server counts on its own thread.
pub fn wait_for(server: &RefServer, what: impl Fn(&RefCounters) -> bool) -> RefCounters {
    let start = Instant::now();
    loop {
        let counters = server.counters();
        if what(&counters) {
            return counters;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{counters:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The same, while clients of this thread go on.
pub async fn eventually(server: &RefServer, what: impl Fn(&RefCounters) -> bool) -> RefCounters {
    let start = Instant::now();
    loop {
        let counters = server.counters();
        if what(&counters) {
            return counters;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{counters:?}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Every connection ended in exactly one way.
pub fn assert_identity(c: &RefCounters) {
    assert_eq!(c.accepted, c.logins + c.failed + c.abandoned + c.cancels + c.logging_in, "{c:?}");
}
