//! A scripted server: each connection is a closure that plays it. Blocking, on its own thread.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use peaje_engine::conformance::{self, Scripted};
use peaje_engine::provider;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::protocol::greeting::Greeting;
use crate::protocol::reply::{AuthReply, Done, ServerError};
use crate::protocol::request::First;
use crate::protocol::{NONCE, UTF8MB4, capability, packet, plugin};

/// The challenge of every scripted greeting.
pub(super) const CHALLENGE: &[u8; NONCE] = b"abcdefghijklmnopqrst";

/// One scripted connection.
pub(super) type Play = conformance::Play<Peer>;

pub(super) fn play(script: impl FnOnce(&mut Peer) + Send + 'static) -> Play {
    Box::new(script)
}

/// A running script.
pub(super) type Server = Scripted<Peer>;

/// One connection over a Unix socket; the thread has to be joined.
pub(super) fn over_socket(path: &Path, script: impl FnOnce(&mut Peer) + Send + 'static) -> JoinHandle<()> {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        script(&mut Peer::new(Stream::Unix(stream)));
    })
}

enum Stream {
    Plain(TcpStream),
    Unix(UnixStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
    UnixTls(Box<StreamOwned<ServerConnection, UnixStream>>),
    Gone,
}

/// The server's end of one connection.
pub(super) struct Peer {
    stream: Stream,
    received: Vec<u8>,
    /// Number of the next packet.
    pub(super) sequence: u8,
}

impl From<TcpStream> for Peer {
    fn from(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self::new(Stream::Plain(stream))
    }
}

impl Peer {
    fn new(stream: Stream) -> Self {
        Self { stream, received: Vec::new(), sequence: 0 }
    }

    /// More bytes; 0 = the client has closed.
    fn read(&mut self) -> usize {
        let mut buffer = [0; 4096];
        let got = match &mut self.stream {
            Stream::Plain(s) => s.read(&mut buffer),
            Stream::Unix(s) => s.read(&mut buffer),
            Stream::Tls(s) => s.read(&mut buffer),
            Stream::UnixTls(s) => s.read(&mut buffer),
            Stream::Gone => Ok(0),
        };
        // A client that closes without TLS's goodbye, or resets, has closed as well.
        let got = got.unwrap_or(0);
        self.received.extend_from_slice(&buffer[..got]);
        got
    }

    /// The payload of the next packet.
    pub(super) fn packet(&mut self) -> Vec<u8> {
        loop {
            if let Some((header, payload)) = packet::decode(&self.received) {
                let payload = payload.to_vec();
                self.received.drain(..packet::HEADER + header.length);
                self.sequence = header.sequence.wrapping_add(1);
                return payload;
            }
            assert_ne!(self.read(), 0, "the client left before its packet");
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).unwrap();
    }

    /// Sends to a client that may have left.
    pub(super) fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match &mut self.stream {
            Stream::Plain(s) => s.write_all(bytes),
            Stream::Unix(s) => s.write_all(bytes),
            Stream::Tls(s) => s.write_all(bytes).and_then(|()| s.flush()),
            Stream::UnixTls(s) => s.write_all(bytes).and_then(|()| s.flush()),
            Stream::Gone => panic!("the connection is closed"),
        }
    }

    /// Sends what `write` makes of the number of the next packet.
    pub(super) fn say(&mut self, write: impl FnOnce(&mut Vec<u8>, u8)) {
        let mut out = Vec::new();
        write(&mut out, self.sequence);
        self.sequence = self.sequence.wrapping_add(1);
        self.send(&out);
    }

    /// The greeting of a server of today with these capabilities besides, and this plugin.
    pub(super) fn greet_with(&mut self, more: u32, auth_plugin: &str) {
        let greeting = Greeting {
            server_version: b"5.5.5-10.11.19-MariaDB",
            connection_id: 4711,
            nonce: *CHALLENGE,
            capabilities: capability::SERVER | more,
            mariadb_capabilities: 0,
            collation: UTF8MB4,
            status: 2,
            auth_plugin: auth_plugin.as_bytes(),
        };
        self.say(|out, _| greeting.encode(out));
    }

    pub(super) fn greet(&mut self) {
        self.greet_with(0, plugin::NATIVE);
    }

    /// Waits for the login and gives user, answer, and plugin.
    pub(super) fn login(&mut self) -> (String, Vec<u8>, String) {
        let payload = self.packet();
        match First::decode(&payload).unwrap() {
            First::Login(login) => (
                String::from_utf8(login.user.to_vec()).unwrap(),
                login.answer.to_vec(),
                String::from_utf8(login.auth_plugin.to_vec()).unwrap(),
            ),
            First::Ssl(_) => panic!("a request for TLS in the place of a login"),
        }
    }

    pub(super) fn ok(&mut self) {
        self.say(|out, n| Done { status: 2, ..Done::default() }.encode(out, n));
    }

    pub(super) fn error(&mut self, code: u16, text: &str) {
        self.say(|out, n| ServerError { code, sqlstate: Some(*b"HY000"), message: text.as_bytes() }.encode(out, n));
    }

    pub(super) fn switch(&mut self, plugin: &str, data: &[u8]) {
        self.say(|out, n| AuthReply::Switch { plugin: plugin.as_bytes(), data }.encode(out, n));
    }

    pub(super) fn more(&mut self, data: &[u8]) {
        self.say(|out, n| AuthReply::More(data).encode(out, n));
    }

    /// A whole login that is accepted.
    pub(super) fn welcome(&mut self) {
        self.greet();
        self.login();
        self.ok();
    }

    /// Greets with TLS on offer, and takes the request for it.
    pub(super) fn greet_and_encrypt(&mut self, config: &Arc<ServerConfig>) {
        self.greet_with(capability::SSL, plugin::NATIVE);
        let request = self.packet();
        assert!(matches!(First::decode(&request), Ok(First::Ssl(_))), "no request for TLS");
        self.tls(config);
    }

    fn tls(&mut self, config: &Arc<ServerConfig>) {
        let mut connection = ServerConnection::new(config.clone()).unwrap();
        // The client's first flight came in the same packet as the request.
        let mut early = std::mem::take(&mut self.received);
        while !early.is_empty() {
            let taken = connection.read_tls(&mut early.as_slice()).unwrap();
            early.drain(..taken);
            let _ = connection.process_new_packets();
        }
        match std::mem::replace(&mut self.stream, Stream::Gone) {
            Stream::Plain(mut stream) => {
                if shake_hands(&mut connection, &mut stream) {
                    self.stream = Stream::Tls(Box::new(StreamOwned::new(connection, stream)));
                }
            }
            Stream::Unix(mut stream) => {
                if shake_hands(&mut connection, &mut stream) {
                    self.stream = Stream::UnixTls(Box::new(StreamOwned::new(connection, stream)));
                }
            }
            _ => panic!("TLS within TLS"),
        }
    }

    /// Whether the handshake was completed.
    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self.stream, Stream::Tls(_) | Stream::UnixTls(_))
    }

    /// Everything the client still sends, until it closes.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        while self.read() > 0 {}
        std::mem::take(&mut self.received)
    }

    /// Closes by TCP reset.
    pub(super) fn reset(&mut self) {
        if let Stream::Plain(stream) = &self.stream {
            rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO)).unwrap();
        }
        self.stream = Stream::Gone;
    }
}

/// Whether it came to an end; else the client does not like us, or left.
fn shake_hands(connection: &mut ServerConnection, stream: &mut (impl Read + Write)) -> bool {
    while connection.is_handshaking() {
        if connection.complete_io(stream).is_err() {
            return false;
        }
    }
    true
}

/// A server configuration with this certificate.
pub(super) fn tls_config(identity: &conformance::identity::Identity) -> Arc<ServerConfig> {
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate.clone()], identity.key())
        .unwrap();
    Arc::new(config)
}
