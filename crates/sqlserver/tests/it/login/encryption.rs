//! Servers that want more or less encryption than the client: never a quiet fallback, never a password in clear.

use peaje_model::{OutcomeKind as K, Phase, TlsMode, TlsScope};
use peaje_sqlserver::login::LoginOptions;
use peaje_sqlserver::protocol::prelogin::Encryption;
use rustls::version::TLS12;

use super::server::{Server, tls_config};
use super::{connector, connector_with, fails, gist, succeeds};

#[tokio::test]
async fn tls_that_is_not_offered_is_a_failure_before_any_credentials() {
    let table = [
        ("Encrypt=mandatory", Some(Encryption::NotSupported)),
        ("Encrypt=mandatory", Some(Encryption::LoginOnly)),
        ("Encrypt=optional", Some(Encryption::NotSupported)),
        ("Encrypt=optional", None),
    ];
    for (settings, word) in table {
        let server = Server::one(move |peer| {
            peer.prelogin_with(|answer| answer.encryption = word);
            assert_eq!(peer.rest(), b"", "nothing else is sent");
        });
        let failure = fails(&connector(server.port, settings)).await;
        assert_eq!(gist(&failure), (K::TlsNotOffered, None, Some(Phase::Negotiate)), "{settings} {word:?}");
        assert!(failure.hint.is_some_and(|h| h.contains("--tls off")));
        server.done();
    }
}

#[tokio::test]
async fn a_server_that_insists_on_encryption() {
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::Required);
        assert_eq!(peer.rest(), b"", "nothing else is sent");
    });
    let options = LoginOptions { tls: TlsMode::Off, ..LoginOptions::default() };
    let failure = fails(&connector_with(server.port, "", options)).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("encryption-required"), Some(Phase::Negotiate)));
    server.done();

    let config = tls_config(&TLS12);
    let server = Server::one(move |peer| {
        peer.prelogin(Encryption::Required);
        peer.tls_within(&config);
        peer.login();
        peer.welcome();
        peer.rest();
    });
    let (session, trace) = succeeds(&connector(server.port, "Encrypt=optional")).await;
    assert!(session.is_encrypted(), "everything is");
    assert_eq!(trace.tls.unwrap().scope, TlsScope::Session);
    drop(session);
    server.done();
}

#[tokio::test]
async fn the_option_tls_asks_for_the_whole_session() {
    let config = tls_config(&TLS12);
    let server = Server::one(move |peer| {
        assert_eq!(peer.prelogin(Encryption::On).encryption, Some(Encryption::On));
        peer.tls_within(&config);
        peer.login();
        peer.welcome();
        peer.rest();
    });
    let options = LoginOptions { tls: TlsMode::Full, ..LoginOptions::default() };
    let connector = connector_with(server.port, "Encrypt=optional;TrustServerCertificate=yes", options);
    assert!(succeeds(&connector).await.0.is_encrypted());
    server.done();
}
