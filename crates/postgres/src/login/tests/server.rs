//! A scripted server: each connection is a closure that plays it. Blocking, on its own thread.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use peaje_engine::conformance::{self, Scripted};
use peaje_engine::provider;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::protocol::backend::{self, TransactionStatus};
use crate::protocol::frontend::{self, FrontendMessage, StartupRequest};
use crate::protocol::scram::{ScramServer, ScramVerifier};

/// One scripted connection.
pub(super) type Play = conformance::Play<Peer>;

pub(super) fn play(script: impl FnOnce(&mut Peer) + Send + 'static) -> Play {
    Box::new(script)
}

/// A running script.
pub(super) type Server = Scripted<Peer>;

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
    Gone,
}

/// The server's end of one connection.
pub(super) struct Peer {
    stream: Stream,
    received: Vec<u8>,
}

impl From<TcpStream> for Peer {
    fn from(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: Stream::Plain(stream), received: Vec::new() }
    }
}

impl Peer {
    /// More bytes; 0 = the client has closed.
    fn read(&mut self) -> usize {
        let mut buffer = [0; 4096];
        let got = match &mut self.stream {
            Stream::Plain(s) => s.read(&mut buffer),
            Stream::Tls(s) => s.read(&mut buffer),
            Stream::Gone => Ok(0),
        };
        // A client that closes without TLS's goodbye, or resets, has closed as well.
        let got = got.unwrap_or(0);
        self.received.extend_from_slice(&buffer[..got]);
        got
    }

    pub(super) fn startup(&mut self) -> StartupRequest {
        loop {
            if let Some((request, length)) = frontend::decode_startup(&self.received).unwrap() {
                self.received.drain(..length);
                return request;
            }
            assert_ne!(self.read(), 0, "the client left before its start-up packet");
        }
    }

    /// Waits for the start-up message and returns its parameters.
    pub(super) fn parameters(&mut self) -> Vec<(String, String)> {
        match self.startup() {
            StartupRequest::Startup { major: 3, minor: 0, parameters } => parameters,
            other => panic!("not a start-up message: {other:?}"),
        }
    }

    /// Waits for the question for TLS and answers it.
    pub(super) fn ssl_request(&mut self, answer: &[u8]) {
        assert_eq!(self.startup(), StartupRequest::Ssl);
        self.send(answer);
    }

    /// The next message, given to `look`.
    pub(super) fn message<T>(&mut self, look: impl FnOnce(&FrontendMessage<'_>) -> T) -> T {
        loop {
            if let Some((message, length)) = frontend::decode_frontend(&self.received).unwrap() {
                let seen = look(&message);
                self.received.drain(..length);
                return seen;
            }
            assert_ne!(self.read(), 0, "the client left before its message");
        }
    }

    /// The body of the next message, which has to be a password or a SASL answer.
    pub(super) fn password(&mut self) -> Vec<u8> {
        self.message(|m| match m {
            FrontendMessage::Password(body) => body.to_vec(),
            other => panic!("not a password: {other:?}"),
        })
    }

    pub(super) fn send(&mut self, bytes: &[u8]) {
        match &mut self.stream {
            Stream::Plain(s) => s.write_all(bytes).unwrap(),
            Stream::Tls(s) => {
                s.write_all(bytes).unwrap();
                s.flush().unwrap();
            }
            Stream::Gone => panic!("the connection is closed"),
        }
    }

    pub(super) fn say(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut out = Vec::new();
        write(&mut out);
        self.send(&out);
    }

    /// Accepts the credentials and gets ready.
    pub(super) fn welcome(&mut self) {
        self.welcome_with(&[("server_version", "15.0"), ("in_hot_standby", "off")]);
    }

    pub(super) fn welcome_with(&mut self, settings: &[(&str, &str)]) {
        self.say(|out| {
            backend::authentication_ok(out);
            for (name, value) in settings {
                backend::parameter_status(out, name, value);
            }
            backend::backend_key_data(out, 4711, &[1, 2, 3, 4]);
            backend::ready_for_query(out, TransactionStatus::Idle);
        });
    }

    pub(super) fn error(&mut self, sqlstate: &str, text: &str) {
        self.say(|out| backend::error(out, "FATAL", sqlstate, text, None));
    }

    /// Handshake, from the client's first bytes on.
    pub(super) fn tls(&mut self, config: &Arc<ServerConfig>) {
        let Stream::Plain(mut stream) = std::mem::replace(&mut self.stream, Stream::Gone) else {
            panic!("TLS within TLS")
        };
        let mut connection = ServerConnection::new(config.clone()).unwrap();
        assert!(self.received.is_empty());
        while connection.is_handshaking() {
            if connection.complete_io(&mut stream).is_err() {
                // The client does not like us, or left: the script goes on with a closed connection.
                return;
            }
        }
        self.stream = Stream::Tls(Box::new(StreamOwned::new(connection, stream)));
    }

    /// Whether the handshake was completed.
    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self.stream, Stream::Tls(_))
    }

    /// The server's side of SCRAM, up to its signature.
    pub(super) fn scram(&mut self, password: &str, mechanisms: &[&str], end_point: Option<&[u8]>) {
        self.say(|out| backend::authentication_sasl(out, mechanisms));
        let verifier = ScramVerifier::from_password(password, b"0123456789abcdef", 4096);
        let initial = self.password();
        let (mechanism, data) = frontend::decode_sasl_initial(&initial).unwrap();
        let end_point = end_point.filter(|_| mechanism.ends_with("-PLUS"));
        let server = ScramServer::begin(&verifier, data.unwrap(), "c2VydmVyLW5vbmNl", end_point).unwrap();
        self.say(|out| backend::authentication_sasl_continue(out, server.challenge()));
        let last = self.password();
        match server.finish(&last) {
            Ok(signature) => self.say(|out| backend::authentication_sasl_final(out, &signature)),
            Err(_) => self.error("28P01", "password authentication failed for user \"alice\""),
        }
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

/// A server configuration with this certificate.
pub(super) fn tls_config(identity: &conformance::identity::Identity) -> Arc<ServerConfig> {
    tls_config_with(identity, |_| {})
}

pub(super) fn tls_config_with(
    identity: &conformance::identity::Identity,
    change: impl FnOnce(&mut ServerConfig),
) -> Arc<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate.clone()], identity.key())
        .unwrap();
    change(&mut config);
    Arc::new(config)
}
