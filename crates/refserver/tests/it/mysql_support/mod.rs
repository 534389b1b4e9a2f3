//! A server that speaks MySQL's protocol, and its clients. Each test starts its own server, on a free port.
#![allow(unreachable_pub, clippy::unwrap_used, missing_docs)]

pub use crate::common::until_closed;
pub use crate::common::wait_for;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, SslOpts};
use peaje_model::Secret;
use peaje_refserver::{Auth, KeyKind, Protocol, RefCounters, RefServer, ServerOptions, TlsSetting};

pub const USER: &str = "ana";
pub const PASSWORD: &str = "pencil";

/// Runs a client.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub fn options() -> ServerOptions {
    ServerOptions { protocol: Protocol::Mysql, ..ServerOptions::default() }
}

pub fn start(options: ServerOptions) -> RefServer {
    RefServer::start(options).unwrap()
}

pub fn with_auth(auth: Auth) -> RefServer {
    start(ServerOptions { auth, ..options() })
}

pub fn with_tls(auth: Auth) -> RefServer {
    start(ServerOptions { auth, tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..options() })
}

pub fn caching_sha2() -> Auth {
    Auth::CachingSha2 { user: USER.into(), password: Secret::new(PASSWORD) }
}

pub fn every_auth() -> Vec<Auth> {
    let (user, password) = (USER.to_owned(), Secret::new(PASSWORD));
    vec![
        Auth::MysqlNative { user: user.clone(), password: password.clone() },
        Auth::CachingSha2 { user: user.clone(), password: password.clone() },
        Auth::Ed25519 { user: user.clone(), password: password.clone() },
        Auth::Password { user, password },
    ]
}

/// A file that is removed with it.
pub struct RootFile {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

/// The certificate that clients verify this server's own against, in a file.
pub fn root_file(server: &RefServer) -> RootFile {
    let folder = tempfile::Builder::new().prefix("peaje-refserver-").tempdir().unwrap();
    let path = folder.path().join("root.pem");
    std::fs::write(&path, server.root_certificate_pem().unwrap()).unwrap();
    RootFile { _folder: folder, path }
}

/// A client's configuration for this server.
pub fn config(server: &RefServer) -> OptsBuilder {
    OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(server.address().port())
        .user(Some(USER))
        .pass(Some(PASSWORD))
        .enable_cleartext_plugin(true)
        .prefer_socket(false)
}

/// The same over TLS, verified down to the name.
pub fn config_tls(server: &RefServer, root: &RootFile) -> OptsBuilder {
    config(server).ssl_opts(SslOpts::default().with_root_certs(vec![root.path.clone().into()]))
}

pub async fn connect(config: OptsBuilder) -> Result<Conn, mysql_async::Error> {
    Conn::new(Opts::from(config)).await
}

/// Number and state of a failure that the server told.
pub fn code(error: &mysql_async::Error) -> (u16, String) {
    match error {
        mysql_async::Error::Server(told) => (told.code, told.state.clone()),
        other => (0, format!("{other:?}")),
    }
}

/// The first column of the first row.
pub async fn one(conn: &mut Conn, sql: &str) -> String {
    let value: Option<mysql_async::Value> = conn.query_first(sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    match value {
        None | Some(mysql_async::Value::NULL) => "NULL".to_owned(),
        Some(value) => mysql_async::from_value(value),
    }
}

/// One of the server's own counters.
pub async fn counted(conn: &mut Conn, name: &str) -> u64 {
    let sql = format!("select variable_value from performance_schema.global_status where variable_name = '{name}'");
    one(conn, &sql).await.parse().unwrap()
}

/// A connection without a driver.
pub fn raw(server: &RefServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// The next packet: its number and its body.
pub fn packet(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut header = [0; 4];
    stream.read_exact(&mut header).unwrap();
    let mut body = vec![0; usize::from(header[0]) | usize::from(header[1]) << 8];
    stream.read_exact(&mut body).unwrap();
    (header[3], body)
}

/// Sends a packet.
pub fn send(stream: &mut TcpStream, number: u8, body: &[u8]) {
    let mut bytes = (body.len() as u32).to_le_bytes()[..3].to_vec();
    bytes.push(number);
    bytes.extend_from_slice(body);
    stream.write_all(&bytes).unwrap();
}

/// The body of an answer to the greeting: no plugins, and so `mysql_native_password`, without a password.
pub fn bare_login(user: &str) -> Vec<u8> {
    // Protocol 4.1 with its passwords; longest packet, character set, zeros.
    let mut body = (1u32 << 9 | 1 << 15).to_le_bytes().to_vec();
    body.extend_from_slice(&[0, 0, 0, 1, 45]);
    body.extend_from_slice(&[0; 23]);
    body.extend_from_slice(user.as_bytes());
    body.extend_from_slice(&[0, 0]);
    body
}

/// Logs in without a driver.
pub fn raw_login(stream: &mut TcpStream, user: &str) {
    let (number, greeting) = packet(stream);
    assert_eq!((number, greeting[0]), (0, 10));
    send(stream, 1, &bare_login(user));
    let (number, answer) = packet(stream);
    assert_eq!((number, answer[0]), (2, 0), "{}", answer.escape_ascii());
}

/// The same for clients on this thread.
pub async fn eventually(server: &RefServer, what: impl Fn(&RefCounters) -> bool) {
    let start = Instant::now();
    while !what(&server.counters()) {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", server.counters());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Every connection ends in exactly one of the counters.
pub fn assert_identity(counters: &RefCounters) {
    let RefCounters { accepted, logins, failed, abandoned, cancels, logging_in, .. } = *counters;
    assert_eq!(accepted, logins + failed + abandoned + cancels + logging_in, "{counters:?}");
}
