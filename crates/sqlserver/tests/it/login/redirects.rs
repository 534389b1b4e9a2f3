//! Logins that a server sends on: two logins' worth of phases.

use peaje_model::{OutcomeKind as K, Phase, ResolveMode};
use peaje_sqlserver::login::LoginOptions;
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::token::{EnvChange, write};
use rustls::version::TLS12;

use super::server::{Play, Server, play, tls_config};
use super::{connector, connector_with, fails, round_trips, succeeds};

/// Welcomes, and sends to this port.
fn sends_on(port: u16, host: &'static str) -> Play {
    play(move |peer| {
        peer.prelogin(Encryption::NotSupported);
        assert_eq!(peer.login().server, "127.0.0.1");
        peer.welcome_with(|out| write::env_change(out, &EnvChange::Routing { server: host.into(), port }));
        peer.rest();
    })
}

fn welcomes(as_server: &'static str) -> Play {
    play(move |peer| {
        peer.prelogin(Encryption::NotSupported);
        let login = peer.login();
        assert_eq!((login.server.as_str(), login.password.expose()), (as_server, "secret"));
        peer.welcome();
        peer.rest();
    })
}

#[tokio::test]
async fn a_redirected_login_is_two_logins() {
    for resolve in [ResolveMode::Each, ResolveMode::Once] {
        let second = Server::start(vec![welcomes("localhost"), welcomes("localhost")]);
        let first = Server::start(vec![sends_on(second.port, "localhost"), sends_on(second.port, "localhost")]);
        let options = LoginOptions { resolve, ..LoginOptions::default() };
        let connector = connector_with(first.port, "Encrypt=disable", options);
        for _ in 0..2 {
            let (session, trace) = succeeds(&connector).await;
            assert!(trace.redirected);
            assert_eq!(round_trips(&trace), [2, 0, 2, 0]);
            assert_eq!(trace.round_trips()[Phase::Connect], 2);
            drop(session);
        }
        first.done();
        second.done();
    }
}

#[tokio::test]
async fn with_tls_both_handshakes_are_paid() {
    let (one, two) = (tls_config(&TLS12), tls_config(&TLS12));
    let second = Server::one(move |peer| {
        peer.prelogin(Encryption::On);
        peer.tls_within(&two);
        assert_eq!(peer.login().server, r"localhost\RO");
        peer.welcome();
        peer.rest();
    });
    let port = second.port;
    let first = Server::one(move |peer| {
        peer.prelogin(Encryption::On);
        peer.tls_within(&one);
        peer.login();
        peer.welcome_with(|out| write::env_change(out, &EnvChange::Routing { server: r"localhost\RO".into(), port }));
        peer.rest();
    });
    let (session, trace) = succeeds(&connector(first.port, "TrustServerCertificate=yes")).await;
    assert_eq!(round_trips(&trace), [2, 4, 2, 0]);
    assert!(session.is_encrypted());
    drop(session);
    first.done();
    second.done();
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    // Five connections: the first, and four hops; the fifth redirect is not followed.
    let server = Server::start((0..5).map(|_| circle()).collect());
    let failure = fails(&connector(server.port, "Encrypt=disable")).await;
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Protocol, Some("redirects")));
    server.done();
}

fn circle() -> Play {
    play(|peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        let port = peer.socket.local_addr().unwrap().port();
        peer.welcome_with(|out| write::env_change(out, &EnvChange::Routing { server: "127.0.0.1".into(), port }));
        peer.rest();
    })
}

#[tokio::test]
async fn a_redirect_to_nowhere() {
    let server = Server::start(vec![sends_on(0, "localhost")]);
    assert_eq!(fails(&connector(server.port, "Encrypt=disable")).await.kind, K::Protocol);
    server.done();
    let server = Server::start(vec![sends_on(1433, "no-such-host.invalid")]);
    let failure = fails(&connector(server.port, "Encrypt=disable")).await;
    assert_eq!((failure.kind, failure.phase), (K::NotResolved, Some(Phase::Resolve)));
    server.done();
}
