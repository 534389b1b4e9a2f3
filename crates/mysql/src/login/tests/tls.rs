//! TLS against a server in this process: all modes, certificates good and bad, client certificates, resumption.

use std::path::Path;
use std::sync::Arc;

use peaje_engine::{Connector, PemError, Trace, provider};
use peaje_model::{CloseMode, OutcomeKind as K, Phase, TlsMode};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use super::server::{Peer, Server, play, tls_config};
use super::{LoginOptions, config, connector, connector_with, fails, gist, succeeds};
use crate::config::TlsFileError;
use crate::login::{MysqlConnector, SetupError};
use crate::protocol::{capability, plugin};
use peaje_engine::conformance::identity::{Identity, authority, issued, issued_with, self_signed};

fn encrypted(config: &Arc<ServerConfig>) -> impl FnOnce(&mut Peer) + Send + Clone + 'static {
    let config = config.clone();
    move |peer| {
        peer.greet_and_encrypt(&config);
        if peer.is_encrypted() {
            peer.login();
            peer.ok();
            peer.rest();
        }
    }
}

#[tokio::test]
async fn modes_with_and_without_an_offer() {
    let identity = self_signed(&["127.0.0.1"]);
    let config = tls_config(&identity);
    for (mode, tls) in [("PREFERRED", true), ("REQUIRED", true), ("DISABLED", false)] {
        let config = config.clone();
        let server = Server::one(move |peer| {
            if tls {
                encrypted(&config)(peer);
            } else {
                peer.greet_with(capability::SSL, plugin::NATIVE);
                peer.login();
                peer.ok();
                peer.rest();
            }
        });
        let (session, trace) = succeeds(&connector(server.port, &format!("ssl-mode={mode}"))).await;
        assert_eq!((session.is_encrypted(), trace.tls.is_some()), (tls, tls), "{mode}");
        // The request for TLS has no answer of its own: it travels with the handshake.
        assert_eq!(trace.round_trips()[Phase::Negotiate], 1);
        assert_eq!(trace.round_trips()[Phase::Tls], u32::from(tls));
        assert_eq!(trace.round_trips()[Phase::Authenticate], 1);
        drop(session);
        server.done();
    }
    let without = |peer: &mut Peer| {
        peer.greet();
        let rest = peer.rest();
        assert!(rest.is_empty() || rest.len() > 40);
    };
    let server = Server::one(Peer::welcome);
    succeeds(&connector(server.port, "ssl-mode=PREFERRED")).await;
    server.done();
    for mode in ["REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"] {
        let folder = tempfile::tempdir().unwrap();
        let ca = identity.write_certificate(folder.path(), "ca.pem");
        let server = Server::one(without);
        let failure = fails(&connector(server.port, &format!("ssl-mode={mode}&ssl-ca={}", ca.display()))).await;
        assert_eq!(gist(&failure), (K::TlsNotOffered, None, Some(Phase::Negotiate)), "{mode}");
        server.done();
    }
    // `--tls full` makes a mere preference a demand.
    let server = Server::one(without);
    let options = LoginOptions { tls: TlsMode::Full, ..LoginOptions::default() };
    assert_eq!(fails(&connector_with(server.port, "alice:secret", "", options)).await.kind, K::TlsNotOffered);
    server.done();
}

/// A certificate, the roots the client trusts, the mode, and the code of the failure.
#[tokio::test]
async fn certificates_good_and_bad() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (authority("ours"), authority("other"));
    let good = issued(&ours, &["127.0.0.1", "localhost"]);
    let wrong_host = issued(&ours, &["db.example"]);
    let expired = issued_with(&ours, &["127.0.0.1"], |p| {
        p.not_before = rcgen::date_time_ymd(2019, 1, 1);
        p.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    let alone = self_signed(&["127.0.0.1"]);
    let ours_file = ours.write_certificate(folder.path(), "ours.pem");
    let other_file = other.write_certificate(folder.path(), "other.pem");
    let alone_file = alone.write_certificate(folder.path(), "alone.pem");
    type Case<'a> = (&'a Identity, &'a Path, &'a str, Option<&'a str>);
    let table: [Case<'_>; 11] = [
        (&good, &ours_file, "VERIFY_IDENTITY", None),
        (&good, &ours_file, "VERIFY_CA", None),
        (&wrong_host, &ours_file, "VERIFY_IDENTITY", Some("certificate-wrong-host")),
        (&wrong_host, &ours_file, "VERIFY_CA", None),
        (&expired, &ours_file, "VERIFY_CA", Some("certificate-expired")),
        (&expired, &ours_file, "REQUIRED", None),
        (&good, &other_file, "VERIFY_IDENTITY", Some("certificate-unknown-issuer")),
        (&good, &other_file, "VERIFY_CA", Some("certificate-unknown-issuer")),
        (&good, &other_file, "REQUIRED", None),
        // A handshake that fails is a failure, not a reason to go on in clear.
        (&good, &other_file, "", Some("certificate-unknown-issuer")),
        (&alone, &alone_file, "VERIFY_IDENTITY", None),
    ];
    for (identity, roots, mode, code) in table {
        let server = Server::one(encrypted(&tls_config(identity)));
        let mode = if mode.is_empty() { String::new() } else { format!("&ssl-mode={mode}") };
        let connector = connector(server.port, &format!("ssl-ca={}{mode}", roots.display()));
        match code {
            None => {
                let (_, trace) = succeeds(&connector).await;
                let facts = trace.tls.unwrap();
                assert_eq!((facts.version, facts.resumed), (rustls::ProtocolVersion::TLSv1_3, false), "{mode}");
                assert!(trace.crypto() > std::time::Duration::ZERO);
            }
            Some(code) => {
                let failure = fails(&connector).await;
                assert_eq!(gist(&failure), (K::TlsFailed, Some(code), Some(Phase::Tls)), "{mode} {failure}");
                let hint = failure.hint.expect("a hint");
                let own = code == "certificate-expired" || hint.contains("ssl-ca=") || hint.contains("ssl-mode=");
                assert!(own && !hint.contains("sslmode"), "{hint}");
            }
        }
        server.done();
    }
}

#[tokio::test]
async fn passwords_in_clear_over_tls() {
    type Ask = fn(&mut Peer);
    let table: [(&str, &str, Ask); 3] = [
        ("", "caching-sha2-password-full", |peer| {
            peer.switch(plugin::CACHING_SHA2, b"ABCDEFGHIJKLMNOPQRST\0");
            peer.packet();
            peer.more(&[plugin::FULL]);
        }),
        ("", "sha256-password", |peer| peer.switch(plugin::SHA256, b"ABCDEFGHIJKLMNOPQRST\0")),
        ("&enable-cleartext-plugin=1", "cleartext", |peer| peer.switch(plugin::CLEARTEXT, b"")),
    ];
    let config = tls_config(&self_signed(&["127.0.0.1"]));
    for (query, method, ask) in table {
        let config = config.clone();
        let server = Server::one(move |peer| {
            peer.greet_and_encrypt(&config);
            peer.login();
            ask(peer);
            assert_eq!(peer.packet(), b"secret\0");
            peer.ok();
            peer.rest();
        });
        let (session, trace) = succeeds(&connector(server.port, &format!("ssl-mode=REQUIRED{query}"))).await;
        assert_eq!(trace.auth.map(|a| a.method), Some(method));
        drop(session);
        server.done();
    }
}

/// Text in clear behind the greeting would be taken for a part of the encrypted dialogue.
#[tokio::test]
async fn bytes_smuggled_in_before_the_handshake() {
    let server = Server::one(|peer| {
        let mut out = Vec::new();
        out.extend_from_slice(crate::protocol::tests::recorded::GREETING);
        out.extend_from_slice(crate::protocol::tests::recorded::OK);
        peer.send(&out);
        peer.rest();
    });
    let failure = fails(&connector(server.port, "ssl-mode=REQUIRED")).await;
    assert_eq!(gist(&failure), (K::Protocol, None, Some(Phase::Tls)));
    server.done();
}

#[tokio::test]
async fn client_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority("ours");
    let (identity, client) = (issued(&authority, &["127.0.0.1"]), issued(&authority, &["alice"]));
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate.clone()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider()).build().unwrap();
    let config = Arc::new(
        ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![identity.certificate.clone()], identity.key())
            .unwrap(),
    );
    let server = Server::start(vec![play(encrypted(&config)), play(encrypted(&config))]);
    let files = format!(
        "ssl-cert={}&ssl-key={}",
        client.write_certificate(folder.path(), "client.pem").display(),
        client.write_key(folder.path(), "client.key").display()
    );
    succeeds(&connector(server.port, &format!("ssl-mode=REQUIRED&{files}"))).await;
    let failure = fails(&connector(server.port, "ssl-mode=REQUIRED")).await;
    assert_eq!((failure.kind, failure.code.as_deref()), (K::TlsFailed, Some("tls-alert")), "{failure:?}");
    server.done();
}

#[tokio::test]
async fn sessions_are_resumed_only_when_asked_for() {
    let config = tls_config(&self_signed(&["127.0.0.1"]));
    for (tls, second_resumed) in [(TlsMode::Full, false), (TlsMode::Resumed, true), (TlsMode::AsUrl, false)] {
        let server = Server::start(vec![play(encrypted(&config)), play(encrypted(&config))]);
        let options = LoginOptions { tls, close: CloseMode::Quick, ..LoginOptions::default() };
        let connector = connector_with(server.port, "alice:secret", "", options);
        for resumed in [false, second_resumed] {
            let (session, trace) = succeeds(&connector).await;
            assert_eq!(trace.tls.map(|t| t.resumed), Some(resumed), "{tls:?}");
            connector.close(session, &mut Trace::start()).await.unwrap();
        }
        server.done();
    }
}

#[tokio::test]
async fn versions_can_be_limited() {
    let server = Server::one(encrypted(&tls_config(&self_signed(&["127.0.0.1"]))));
    let (_, trace) = succeeds(&connector(server.port, "ssl-mode=REQUIRED&tls-version=TLSv1.2")).await;
    assert_eq!(trace.tls.map(|t| t.version), Some(rustls::ProtocolVersion::TLSv1_2));
    server.done();
}

#[tokio::test]
async fn a_folder_of_roots() {
    let folder = tempfile::tempdir().unwrap();
    let ours = authority("ours");
    ours.write_certificate(folder.path(), "ours.pem");
    ours.write_certificate(folder.path(), "5ed36f99.0");
    std::fs::write(folder.path().join("README"), "no certificate").unwrap();
    let server = Server::one(encrypted(&tls_config(&issued(&ours, &["127.0.0.1"]))));
    let query = format!("ssl-mode=VERIFY_IDENTITY&ssl-capath={}", folder.path().display());
    succeeds(&connector(server.port, &query)).await;
    server.done();
}

#[test]
fn files_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(folder.path().join("empty"), "").unwrap();
    std::fs::write(folder.path().join("locked"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n").unwrap();
    let identity = self_signed(&["h"]);
    identity.write_certificate(folder.path(), "cert");
    let setup = |query: String| {
        let config = config(&format!("mysql://alice@h?ssl-mode=VERIFY_CA&{query}"));
        MysqlConnector::new(&config, LoginOptions::default()).map(|_| ()).unwrap_err()
    };
    use TlsFileError as T;
    assert!(matches!(setup(format!("ssl-ca={}", path("none"))), SetupError::Tls(T::Pem(PemError::Read { .. }))));
    assert!(matches!(setup(format!("ssl-ca={}", path("empty"))), SetupError::Tls(T::Pem(PemError::Read { .. }))));
    std::fs::create_dir(folder.path().join("dir")).unwrap();
    assert!(matches!(setup(format!("ssl-capath={}", path("dir"))), SetupError::Tls(T::NoRoots(_))));
    let cert = format!("ssl-ca={0}&ssl-cert={0}", path("cert"));
    assert!(matches!(setup(cert.clone()), SetupError::Tls(T::Incomplete { missing: "ssl-key" })));
    let locked = setup(format!("{cert}&ssl-key={}", path("locked")));
    assert!(matches!(locked, SetupError::Tls(T::Pem(PemError::EncryptedKey { .. }))));
    let key = setup(format!("ssl-ca={}&server-public-key-path={}", path("cert"), path("empty")));
    assert!(matches!(key, SetupError::PublicKey { .. }), "{key}");
    // Files of TLS that is not used are not read.
    let off = config("mysql://alice@h?ssl-mode=DISABLED&ssl-ca=/none");
    assert!(MysqlConnector::new(&off, LoginOptions::default()).is_ok());
}
