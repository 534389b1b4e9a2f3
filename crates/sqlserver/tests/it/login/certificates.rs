//! The server's certificate: checked by default, and what to do when it does not fit.

use peaje_model::{OutcomeKind as K, Phase};
use peaje_sqlserver::login::{LoginOptions, SetupError, SqlServerConnector};
use peaje_sqlserver::protocol::prelogin::Encryption;
use rustls::version::{TLS12, TLS13};

use super::server::{Identity, Server};
use super::{config, connector, fails, gist, succeeds};

fn welcoming(identity: &Identity) -> Server {
    let config = identity.config(&TLS12);
    Server::one(move |peer| {
        peer.prelogin(Encryption::On);
        peer.tls_within(&config);
        if peer.is_encrypted() {
            peer.login();
            peer.welcome();
        }
        peer.rest();
    })
}

#[tokio::test]
async fn a_named_certificate_is_trusted_whatever_its_name() {
    let identity = Identity::new("other.example.net");
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.pem", identity.pem().into_bytes()), ("a.cer", identity.der())] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let server = welcoming(&identity);
        let settings = format!("ServerCertificate={}", file.display());
        drop(succeeds(&connector(server.port, &settings)).await);
        server.done();

        let server = welcoming(&identity);
        let settings = format!("{settings};HostNameInCertificate=wrong.example.net");
        let failure = fails(&connector(server.port, &settings)).await;
        assert_eq!(gist(&failure), (K::TlsFailed, Some("certificate-wrong-host"), Some(Phase::Tls)));
        assert!(failure.hint.is_some_and(|h| h.contains("HostNameInCertificate")));
        server.done();

        let server = welcoming(&identity);
        let settings = settings.replace("wrong.", "other.");
        drop(succeeds(&connector(server.port, &settings)).await);
        server.done();
    }
}

#[tokio::test]
async fn an_unknown_issuer_is_refused_with_the_next_step() {
    let mine = Identity::new("localhost");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.pem");
    std::fs::write(&file, mine.pem()).unwrap();
    let server = welcoming(&Identity::new("localhost"));
    let failure = fails(&connector(server.port, &format!("ServerCertificate={}", file.display()))).await;
    assert_eq!(gist(&failure), (K::TlsFailed, Some("certificate-unknown-issuer"), Some(Phase::Tls)));
    let hint = failure.hint.unwrap();
    assert!(hint.contains("TrustServerCertificate") && !hint.contains("sslmode"), "{hint}");
    server.done();
    // Under strict encryption that key has no effect.
    let server = {
        let config = Identity::new("localhost").config(&TLS13);
        Server::one(move |peer| {
            peer.tls(&config);
            peer.rest();
        })
    };
    let settings = format!("Encrypt=strict;ServerCertificate={}", file.display());
    let failure = fails(&connector(server.port, &settings)).await;
    assert_eq!(failure.code.as_deref(), Some("certificate-unknown-issuer"));
    let hint = failure.hint.unwrap();
    assert!(hint.contains("ServerCertificate=FILE") && !hint.contains("TrustServerCertificate"), "{hint}");
    server.done();
}

#[test]
fn files_that_are_no_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.pem");
    std::fs::write(&file, "nothing").unwrap();
    for path in [file, folder.path().join("missing.pem")] {
        let config = config(1, &format!("ServerCertificate={}", path.display()));
        let error = SqlServerConnector::new(&config, LoginOptions::default()).unwrap_err();
        assert!(matches!(error, SetupError::Tls(_)));
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}
