//! The three ways to close. TDS has no goodbye.

use std::io::Read;
use std::time::Duration;

use peaje_engine::{Connector, Trace};
use peaje_model::{CloseMode, Phase};
use peaje_sqlserver::login::LoginOptions;
use peaje_sqlserver::protocol::prelogin::Encryption;
use rustls::version::{TLS12, TLS13};

use super::server::{Server, tls_config};
use super::{connector_with, succeeds};

async fn close(port: u16, close: CloseMode, settings: &str) -> Trace {
    let options = LoginOptions { close, ..LoginOptions::default() };
    let connector = connector_with(port, settings, options);
    let (session, _) = succeeds(&connector).await;
    let mut trace = Trace::start();
    connector.close(session, &mut trace).await.expect("a close");
    assert_eq!(trace.current(), Some(Phase::Close));
    trace.stop();
    trace
}

#[tokio::test]
async fn a_polite_close_waits_for_the_server() {
    let pause = Duration::from_millis(100);
    let server = Server::one(move |peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.welcome();
        assert_eq!(peer.rest(), b"", "this side is closed, without a word");
        std::thread::sleep(pause);
    });
    let trace = close(server.port, CloseMode::Polite, "Encrypt=disable").await;
    assert!(trace.laps()[Phase::Close] >= pause);
    assert_eq!(trace.round_trips()[Phase::Close], 1);
    server.done();
}

#[tokio::test]
async fn a_polite_close_of_an_encrypted_session() {
    for version in [&TLS12, &TLS13] {
        let config = tls_config(version);
        let server = Server::one(move |peer| {
            peer.prelogin(Encryption::On);
            peer.tls_within(&config);
            peer.login();
            peer.welcome();
            assert_eq!(peer.rest(), b"");
        });
        let trace = close(server.port, CloseMode::Polite, "TrustServerCertificate=yes").await;
        assert_eq!(trace.round_trips()[Phase::Close], 1);
        server.done();
    }
}

#[tokio::test]
async fn a_quick_close_and_a_reset() {
    for (mode, reset) in [(CloseMode::Quick, false), (CloseMode::Reset, true)] {
        let server = Server::one(move |peer| {
            peer.prelogin(Encryption::NotSupported);
            peer.login();
            peer.welcome();
            let end = peer.socket.read(&mut [0; 16]);
            assert_eq!(end.is_err(), reset, "{mode:?}: {end:?}");
        });
        let trace = close(server.port, mode, "Encrypt=disable").await;
        assert_eq!(trace.round_trips()[Phase::Close], 0);
        server.done();
    }
}
