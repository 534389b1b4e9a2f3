//! The TLS handshake within a protocol's own messages, against a server that insists on every envelope.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use peaje_engine::{ClientTls, DialPlan, Endpoint, Envelope, Opened, Resume, TlsOptions, Trace, provider};
use peaje_model::{OutcomeKind, Phase, TlsScope};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, SupportedProtocolVersion};

/// `E`, length in two bytes, records: at most 500 bytes of them.
#[derive(Debug)]
struct Letters;

const MOST: usize = 500;

impl Envelope for Letters {
    fn wrap(&self, records: &[u8], out: &mut Vec<u8>) {
        for piece in records.chunks(MOST) {
            out.push(b'E');
            out.extend_from_slice(&(piece.len() as u16).to_be_bytes());
            out.extend_from_slice(piece);
        }
    }

    fn open<'a>(&self, bytes: &'a [u8]) -> Result<Opened<'a>, String> {
        match bytes {
            [b'E', a, b, rest @ ..] => {
                let length = usize::from(u16::from_be_bytes([*a, *b]));
                let records = rest.get(..length);
                Ok(records.map_or(Opened::More, |records| Opened::Envelope { records, length: length + 3 }))
            }
            [b'E', ..] => Ok(Opened::More),
            [0x14..=0x17, ..] => Ok(Opened::Bare),
            _ => Err("not an envelope".to_owned()),
        }
    }
}

fn server_config(version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    let key = KeyPair::generate().expect("a key");
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).expect("valid").self_signed(&key).expect("signed");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("PKCS#8");
    let config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("key and certificate belong together");
    Arc::new(config)
}

/// The server's end: handshake in envelopes (tickets too), then bare records, or no TLS after the first message.
struct Server {
    socket: TcpStream,
    tls: ServerConnection,
}

impl Server {
    fn accept(listener: &TcpListener, config: Arc<ServerConfig>) -> Self {
        let (socket, _) = listener.accept().expect("a connection");
        socket.set_nodelay(true).expect("an option");
        let mut server = Self { socket, tls: ServerConnection::new(config).expect("a connection") };
        while server.tls.is_handshaking() {
            let mut records = server.letter();
            while !records.is_empty() {
                server.tls.read_tls(&mut records.as_slice()).expect("memory");
                server.tls.process_new_packets().expect("a sane client");
                records.clear();
            }
            server.answer(true);
        }
        server
    }

    fn answer(&mut self, within: bool) {
        let mut out = Vec::new();
        while self.tls.wants_write() {
            self.tls.write_tls(&mut out).expect("memory");
        }
        let mut sent = Vec::new();
        if within {
            Letters.wrap(&out, &mut sent);
        } else {
            sent = out;
        }
        self.socket.write_all(&sent).expect("the client reads");
    }

    fn letter(&mut self) -> Vec<u8> {
        let mut head = [0; 3];
        self.socket.read_exact(&mut head).expect("an envelope");
        assert_eq!(head[0], b'E', "a record of the handshake without envelope");
        let mut records = vec![0; usize::from(u16::from_be_bytes([head[1], head[2]]))];
        self.socket.read_exact(&mut records).expect("an envelope");
        records
    }

    /// Reads five encrypted bytes, bare.
    fn hello(&mut self) {
        let mut plain = [0; 5];
        let mut read = 0;
        while read < plain.len() {
            let mut bytes = [0; 4096];
            let got = self.socket.read(&mut bytes).expect("a record");
            assert!(got > 0 && bytes[0] == 0x17, "application data, bare");
            self.tls.read_tls(&mut &bytes[..got]).expect("memory");
            self.tls.process_new_packets().expect("a sane client");
            read += self.tls.reader().read(&mut plain[read..]).unwrap_or(0);
        }
        assert_eq!(&plain, b"hello");
    }

    fn echo_encrypted(&mut self) {
        self.hello();
        self.tls.writer().write_all(b"hello").expect("memory");
        self.answer(false);
    }

    fn echo_in_clear(&mut self) {
        self.hello();
        self.socket.write_all(b"hello").expect("the client reads");
        let mut plain = [0; 5];
        self.socket.read_exact(&mut plain).expect("the second message, in clear");
        assert_eq!(&plain, b"again");
    }
}

fn listener() -> (TcpListener, DialPlan) {
    let start = 20_000 + (std::process::id() % 9_000) as u16;
    let listener = (start..32_000).find_map(|p| TcpListener::bind(("127.0.0.1", p)).ok()).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    (listener, DialPlan::new(vec![Endpoint::Tcp { host: "127.0.0.1".into(), address: None, port }]))
}

const VERSIONS: [(&SupportedProtocolVersion, u32); 2] = [(&rustls::version::TLS12, 2), (&rustls::version::TLS13, 1)];

#[tokio::test]
async fn the_handshake_travels_in_envelopes_and_nothing_else() {
    for (version, flights) in VERSIONS {
        for resume in [Resume::Never, Resume::WhenOffered] {
            let (listener, plan) = listener();
            let config = server_config(version);
            let server = std::thread::spawn(move || {
                for _ in 0..2 {
                    Server::accept(&listener, config.clone()).echo_encrypted();
                }
            });
            let tls = ClientTls::new(TlsOptions { resume, ..TlsOptions::default() }).expect("a configuration");
            for login in 0..2 {
                let mut trace = Trace::start();
                let mut wire = plan.dial(0, 0, &mut trace).await.expect("the server listens");
                trace.enter(Phase::Tls);
                let facts = wire.handshake_within(&Letters, &tls, "localhost", &mut trace).await.expect("a handshake");
                let resumed = login == 1 && resume == Resume::WhenOffered;
                assert_eq!((facts.resumed, facts.scope), (resumed, TlsScope::Session), "{version:?}");
                assert!(wire.is_encrypted());
                wire.queue(b"hello", &mut trace);
                while wire.buffered().len() < 5 {
                    assert!(wire.fill(&mut trace).await.expect("an echo") > 0);
                }
                assert_eq!(wire.buffered(), b"hello");
                let expected = if resumed { 1 } else { flights };
                assert_eq!(trace.round_trips()[Phase::Tls], expected + 1, "the echo is one more");
            }
            server.join().expect("the server ends");
        }
    }
}

#[tokio::test]
async fn tls_is_left_after_the_first_message() {
    let (listener, plan) = listener();
    let config = server_config(&rustls::version::TLS12);
    let server = std::thread::spawn(move || Server::accept(&listener, config).echo_in_clear());
    let tls = ClientTls::new(TlsOptions::default()).expect("a configuration");
    let mut trace = Trace::start();
    let mut wire = plan.dial(0, 0, &mut trace).await.expect("the server listens");
    trace.enter(Phase::Tls);
    wire.handshake_within(&Letters, &tls, "localhost", &mut trace).await.expect("a handshake");
    wire.queue(b"hello", &mut trace);
    wire.leave_tls(&mut trace);
    assert!(!wire.is_encrypted());
    assert_eq!(trace.tls.expect("there was TLS").scope, TlsScope::LoginOnly);
    while wire.buffered().len() < 5 {
        assert!(wire.fill(&mut trace).await.expect("an echo") > 0);
    }
    assert_eq!(wire.buffered(), b"hello");
    wire.consume(5);
    wire.queue(b"again", &mut trace);
    wire.close_this_side(&mut trace).await.expect("the server closes");
    server.join().expect("the server ends");
}

#[tokio::test]
async fn a_stranger_in_the_handshake() {
    let (listener, plan) = listener();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a connection");
        socket.read_exact(&mut [0; 3]).expect("an envelope");
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("the client reads");
        // Read to the end: closing with unread bytes would reset the connection.
        let _ = socket.read_to_end(&mut Vec::new());
    });
    let tls = ClientTls::new(TlsOptions::default()).expect("a configuration");
    let mut trace = Trace::start();
    let mut wire = plan.dial(0, 0, &mut trace).await.expect("the server listens");
    trace.enter(Phase::Tls);
    let failure = wire.handshake_within(&Letters, &tls, "localhost", &mut trace).await.expect_err("a stranger");
    assert_eq!((failure.kind, failure.phase), (OutcomeKind::Protocol, Some(Phase::Tls)));
    assert_eq!(failure.message, "not an envelope");
    drop(wire);
    server.join().expect("the server ends");
}
