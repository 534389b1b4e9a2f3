//! Round trips of the TLS handshake, against a server that writes its flight in parts.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use peaje_engine::{ClientTls, DialPlan, Endpoint, Resume, TlsOptions, Trace, provider};
use peaje_model::Phase;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};

fn server_config() -> Arc<ServerConfig> {
    let key = KeyPair::generate().expect("a key");
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).expect("valid").self_signed(&key).expect("signed");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("PKCS#8");
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("key and certificate belong together");
    Arc::new(config)
}

/// Accepts one connection, shakes hands in parts of `part` bytes with a pause between, then echoes one message.
fn serve(listener: &TcpListener, config: Arc<ServerConfig>, part: usize) {
    let (mut socket, _) = listener.accept().expect("a connection");
    socket.set_nodelay(true).expect("an option");
    let mut tls = ServerConnection::new(config).expect("a connection");
    let mut plain = [0; 64];
    loop {
        let mut out = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut out).expect("memory");
        }
        for piece in out.chunks(part) {
            socket.write_all(piece).expect("the client reads");
            if piece.len() < out.len() {
                std::thread::sleep(Duration::from_millis(30));
            }
        }
        match tls.reader().read(&mut plain) {
            Ok(n) if n > 0 => tls.writer().write_all(&plain[..n]).expect("memory"),
            _ => {
                let mut incoming = [0; 4096];
                let n = socket.read(&mut incoming).unwrap_or(0);
                if n == 0 {
                    return;
                }
                let mut rest = &incoming[..n];
                while !rest.is_empty() {
                    tls.read_tls(&mut rest).expect("memory");
                    tls.process_new_packets().expect("a sane client");
                }
            }
        }
    }
}

async fn round_trips(part: usize, version: &'static rustls::SupportedProtocolVersion) -> (u32, u32) {
    let listener = (20_000..32_000).find_map(|p| TcpListener::bind(("127.0.0.1", p)).ok()).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let config = server_config();
    let server = std::thread::spawn(move || serve(&listener, config, part));
    let options = TlsOptions { versions: vec![version], resume: Resume::Never, ..TlsOptions::default() };
    let tls = ClientTls::new(options).expect("a configuration");
    let plan = DialPlan::new(vec![Endpoint::Tcp { host: "127.0.0.1".into(), address: None, port }]);
    let mut trace = Trace::start();
    let mut wire = plan.dial(0, 0, &mut trace).await.expect("the server listens");
    trace.enter(Phase::Tls);
    wire.handshake(&tls, "localhost", &mut trace).await.expect("a handshake");
    trace.enter(Phase::FirstQuery);
    wire.queue(b"hello", &mut trace);
    while wire.buffered().len() < 5 {
        wire.fill(&mut trace).await.expect("an echo");
    }
    assert_eq!(wire.buffered(), b"hello");
    trace.stop();
    drop(wire);
    server.join().expect("the server ends");
    (trace.round_trips()[Phase::Tls], trace.round_trips()[Phase::FirstQuery])
}

#[tokio::test]
async fn a_flight_in_many_parts_is_one_round_trip() {
    for part in [100_000, 400, 150] {
        assert_eq!(round_trips(part, &rustls::version::TLS13).await, (1, 1), "TLS 1.3 in parts of {part}");
        assert_eq!(round_trips(part, &rustls::version::TLS12).await, (2, 1), "TLS 1.2 in parts of {part}");
    }
}
