//! TLS against a server in this process: certificates good and bad, client certificates, resumption, channel binding.

use std::path::Path;
use std::sync::Arc;

use peaje_engine::{Connector, Trace, provider};
use peaje_model::{OutcomeKind as K, Phase};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use sha2::{Digest, Sha256};

use super::server::{Peer, Server, play, tls_config, tls_config_with};
use super::{LoginOptions, connector, connector_with, fails, gist, succeeds};
use crate::config::{ALPN, AuthMethod};
use crate::protocol::scram::{SCRAM_SHA_256, SCRAM_SHA_256_PLUS};
use peaje_engine::conformance::identity::{Identity, authority, issued, issued_with, self_signed};
use peaje_model::TlsMode;

fn encrypted(config: &Arc<ServerConfig>) -> impl FnOnce(&mut Peer) + Send + Clone + 'static {
    let config = config.clone();
    move |peer| {
        peer.ssl_request(b"S");
        peer.tls(&config);
        if peer.is_encrypted() {
            peer.parameters();
            peer.welcome();
            peer.rest();
        }
    }
}

/// A certificate, the roots the client trusts, the mode, and the code of the failure.
#[tokio::test]
async fn certificates_good_and_bad() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other, anew) = (authority("ours"), authority("other"), authority("ours"));
    let good = issued(&ours, &["127.0.0.1", "localhost"]);
    let wrong_host = issued(&ours, &["db.example"]);
    let expired = issued_with(&ours, &["127.0.0.1"], |p| {
        p.not_before = rcgen::date_time_ymd(2019, 1, 1);
        p.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    let alone = self_signed(&["127.0.0.1"]);
    let alone_wrong_host = self_signed(&["db.example"]);
    let ours_file = ours.write_certificate(folder.path(), "ours.pem");
    let other_file = other.write_certificate(folder.path(), "other.pem");
    let anew_file = anew.write_certificate(folder.path(), "anew.pem");
    let alone_file = alone.write_certificate(folder.path(), "alone.pem");
    let alone_wrong_file = alone_wrong_host.write_certificate(folder.path(), "alone-wrong.pem");
    type Case<'a> = (&'a str, &'a Identity, Option<&'a Path>, &'a str, Option<&'a str>);
    let table: [Case<'_>; 17] = [
        ("good", &good, Some(&ours_file), "verify-full", None),
        ("good", &good, Some(&ours_file), "verify-ca", None),
        ("wrong host", &wrong_host, Some(&ours_file), "verify-full", Some("certificate-wrong-host")),
        ("wrong host", &wrong_host, Some(&ours_file), "verify-ca", None),
        ("expired", &expired, Some(&ours_file), "verify-full", Some("certificate-expired")),
        ("expired", &expired, Some(&ours_file), "verify-ca", Some("certificate-expired")),
        ("expired", &expired, None, "require", None),
        ("unknown issuer", &good, Some(&other_file), "verify-full", Some("certificate-unknown-issuer")),
        ("unknown issuer", &good, Some(&other_file), "verify-ca", Some("certificate-unknown-issuer")),
        ("same name, other key", &good, Some(&anew_file), "verify-full", Some("certificate-unknown-issuer")),
        ("unknown issuer", &good, None, "require", None),
        // With a root file, `require` means verify-ca.
        ("unknown issuer", &good, Some(&other_file), "require", Some("certificate-unknown-issuer")),
        ("self-signed", &alone, Some(&alone_file), "verify-full", None),
        ("self-signed", &alone, Some(&alone_file), "verify-ca", None),
        ("self-signed", &alone, Some(&ours_file), "verify-ca", Some("certificate-unknown-issuer")),
        ("self-signed", &alone_wrong_host, Some(&alone_wrong_file), "verify-full", Some("certificate-wrong-host")),
        ("self-signed", &alone_wrong_host, Some(&alone_wrong_file), "verify-ca", None),
    ];
    for (name, identity, roots, mode, code) in table {
        let server = Server::one(encrypted(&tls_config(identity)));
        let roots = roots.map(|r| format!("sslrootcert={}", r.display())).unwrap_or_default();
        let connector = connector(server.port, &format!("sslmode={mode} {roots}"));
        match code {
            None => {
                let (_, trace) = succeeds(&connector).await;
                let facts = trace.tls.unwrap();
                assert_eq!((facts.version, facts.resumed), (rustls::ProtocolVersion::TLSv1_3, false), "{name} {mode}");
                assert!(trace.crypto() > std::time::Duration::ZERO);
            }
            Some(code) => {
                let failure = fails(&connector).await;
                assert_eq!(gist(&failure), (K::TlsFailed, Some(code), Some(Phase::Tls)), "{name} {mode} {failure}");
                let hint = failure.hint.expect("a hint");
                let own = code == "certificate-expired" || hint.contains("sslmode=");
                assert!(own, "{hint}");
            }
        }
        server.done();
    }
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
        "sslcert={} sslkey={}",
        client.write_certificate(folder.path(), "client.pem").display(),
        client.write_key(folder.path(), "client.key").display()
    );
    succeeds(&connector(server.port, &format!("sslmode=require {files}"))).await;
    let failure = fails(&connector(server.port, "sslmode=require")).await;
    assert_eq!((failure.kind, failure.code.as_deref()), (K::TlsFailed, Some("tls-alert")), "{failure:?}");
    server.done();
}

#[tokio::test]
async fn sessions_are_resumed_only_when_asked_for() {
    let config = tls_config(&self_signed(&["127.0.0.1"]));
    for (tls, second_resumed) in [(TlsMode::Full, false), (TlsMode::Resumed, true), (TlsMode::AsUrl, false)] {
        let server = Server::start(vec![play(encrypted(&config)), play(encrypted(&config))]);
        let options = LoginOptions { tls, close: peaje_model::CloseMode::Quick, ..LoginOptions::default() };
        let connector = connector_with(server.port, "sslmode=require", options);
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
    let config = tls_config(&self_signed(&["127.0.0.1"]));
    let server = Server::one(encrypted(&config));
    let settings = "sslmode=require ssl_max_protocol_version=TLSv1.2";
    let (_, trace) = succeeds(&connector(server.port, settings)).await;
    assert_eq!(trace.tls.map(|t| t.version), Some(rustls::ProtocolVersion::TLSv1_2));
    server.done();
}

#[tokio::test]
async fn direct_negotiation_needs_its_name_confirmed() {
    let identity = self_signed(&["127.0.0.1"]);
    let knows = tls_config_with(&identity, |c| c.alpn_protocols = vec![ALPN.to_vec()]);
    let silent = tls_config(&identity);
    let server = Server::start(vec![
        play(move |peer| {
            peer.tls(&knows);
            peer.parameters();
            peer.welcome();
        }),
        play(move |peer| {
            peer.tls(&silent);
            peer.rest();
        }),
        // An old server takes the handshake for a start-up packet of an impossible length.
        play(|_| {}),
    ]);
    let connector = connector(server.port, "sslmode=require sslnegotiation=direct");
    let (session, trace) = succeeds(&connector).await;
    assert!(session.is_encrypted());
    assert_eq!(trace.round_trips()[Phase::Negotiate], 0);
    assert_eq!(gist(&fails(&connector).await), (K::TlsFailed, Some("tls-alpn"), Some(Phase::Tls)));
    let failure = fails(&connector).await;
    assert_eq!((failure.kind, failure.phase), (K::Reset, Some(Phase::Tls)), "{failure:?}");
    server.done();
}

/// Mechanisms offered over TLS, channel_binding, and the method that comes of it (`None` = refused by the client).
#[tokio::test]
async fn channel_binding() {
    let identity = self_signed(&["127.0.0.1"]);
    let config = tls_config(&identity);
    let hash = Sha256::digest(&identity.certificate).to_vec();
    let both: &[&str] = &[SCRAM_SHA_256_PLUS, SCRAM_SHA_256];
    let plain: &[&str] = &[SCRAM_SHA_256];
    let plus: &[&str] = &[SCRAM_SHA_256_PLUS];
    let table = [
        (both, "prefer", Some(AuthMethod::ScramSha256Plus)),
        (both, "require", Some(AuthMethod::ScramSha256Plus)),
        (both, "disable", Some(AuthMethod::ScramSha256)),
        (plain, "prefer", Some(AuthMethod::ScramSha256)),
        (plain, "require", None),
        (plus, "disable", None),
    ];
    for (mechanisms, mode, method) in table {
        let (config, hash) = (config.clone(), hash.clone());
        let server = Server::one(move |peer| {
            peer.ssl_request(b"S");
            peer.tls(&config);
            peer.parameters();
            if method.is_some() {
                peer.scram("secret", mechanisms, Some(&hash));
                peer.welcome();
            } else {
                peer.say(|out| crate::protocol::backend::authentication_sasl(out, mechanisms));
                assert_eq!(peer.rest(), b"");
            }
        });
        let connector = connector(server.port, &format!("sslmode=require password=secret channel_binding={mode}"));
        match method {
            Some(method) => assert_eq!(succeeds(&connector).await.1.auth.map(|a| a.method), Some(method.name())),
            None => assert_eq!(fails(&connector).await.kind, K::Unsupported, "{mechanisms:?} {mode}"),
        }
        server.done();
    }
}

/// Somebody between client and server shows the server's password dialogue over a TLS connection of his own.
#[tokio::test]
async fn a_man_in_the_middle_does_not_get_through_channel_binding() {
    let config = tls_config(&self_signed(&["127.0.0.1"]));
    let real = Sha256::digest(&self_signed(&["127.0.0.1"]).certificate).to_vec();
    let server = Server::one(move |peer| {
        peer.ssl_request(b"S");
        peer.tls(&config);
        peer.parameters();
        peer.scram("secret", &[SCRAM_SHA_256_PLUS, SCRAM_SHA_256], Some(&real));
    });
    let failure = fails(&connector(server.port, "sslmode=require password=secret")).await;
    assert_eq!(failure.code.as_deref(), Some("28P01"));
    server.done();
}
