//! Authentication methods, good and bad.

use peaje_engine::AuthFacts;

use crate::config::AuthMethod;
use peaje_model::{OutcomeKind as K, Phase, ScramCache};

use super::server::{Peer, Server, play};
use super::{LoginOptions, connector, connector_with, fails, gist, log_in, succeeds};
use crate::protocol::backend;
use crate::protocol::scram::SCRAM_SHA_256;

const AUTHENTICATE: Option<Phase> = Some(Phase::Authenticate);

#[tokio::test]
async fn trust() {
    let server = Server::one(|peer| {
        let parameters = peer.parameters();
        let expected = [
            ("user", "alice"),
            ("database", "shop"),
            ("application_name", "peaje CHG1"),
            ("options", "-c geqo=off"),
            ("client_encoding", "UTF8"),
        ];
        assert_eq!(parameters, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
        peer.welcome();
    });
    let options = LoginOptions { application_name: "peaje CHG1".to_owned(), ..LoginOptions::default() };
    let connector = connector_with(server.port, "sslmode=disable options='-c geqo=off'", options);
    let (session, trace) = succeeds(&connector).await;
    assert_eq!(session.process_id(), Some(4711));
    assert_eq!(trace.auth, Some(AuthFacts { method: AuthMethod::Trust.name(), iterations: None, cached: false }));
    assert_eq!(trace.tls, None);
    let trips = trace.round_trips();
    assert_eq!((trips[Phase::Connect], trips[Phase::Negotiate], trips[Phase::Authenticate]), (1, 0, 1));
    assert_eq!(trips.iter().map(|(_, n)| n).sum::<u32>(), 2);
    server.done();
}

#[tokio::test]
async fn cleartext_password() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(backend::authentication_cleartext);
        assert_eq!(peer.password(), b"secret\0");
        peer.welcome();
    });
    let (_, trace) = succeeds(&connector(server.port, "sslmode=disable password=secret")).await;
    assert_eq!(trace.auth.map(|a| a.method), Some(AuthMethod::Password.name()));
    server.done();
}

#[tokio::test]
async fn md5_password() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(|out| backend::authentication_md5(out, [1, 2, 3, 4]));
        assert_eq!(peer.password(), b"md598a0412b9c31436fc53776e863350083\0");
        peer.welcome();
    });
    let (_, trace) = succeeds(&connector(server.port, "sslmode=disable password=secret")).await;
    assert_eq!(trace.auth.map(|a| a.method), Some(AuthMethod::Md5.name()));
    assert!(trace.crypto() > std::time::Duration::ZERO);
    server.done();
}

fn scram_login(peer: &mut Peer) {
    peer.parameters();
    peer.scram("secret", &[SCRAM_SHA_256], None);
    peer.welcome();
}

#[tokio::test]
async fn scram_derives_each_time_or_keeps_the_key() {
    for (cache, second_cached) in [(ScramCache::Off, false), (ScramCache::On, true)] {
        let server = Server::start(vec![play(scram_login), play(scram_login)]);
        let options = LoginOptions { scram_cache: cache, ..LoginOptions::default() };
        let connector = connector_with(server.port, "sslmode=disable password=secret", options);
        for cached in [false, second_cached] {
            let (_, trace) = succeeds(&connector).await;
            let expected = AuthFacts { method: AuthMethod::ScramSha256.name(), iterations: Some(4096), cached };
            assert_eq!(trace.auth, Some(expected));
            assert_eq!(trace.round_trips()[Phase::Authenticate], 3);
        }
        server.done();
    }
}

#[tokio::test]
async fn scram_with_a_wrong_password_is_one_rejected_login() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.scram("something else", &[SCRAM_SHA_256], None);
        assert_eq!(peer.rest(), b"");
    });
    let failure = fails(&connector(server.port, "password=secret sslmode=disable")).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("28P01"), AUTHENTICATE));
    assert!(failure.hint.is_some_and(|h| h.contains("the password in the connection string")));
    server.done();
}

/// A server that does not know the password must not pass for one that does.
#[tokio::test]
async fn scram_servers_that_cheat_are_found_out() {
    type Cheat = fn(&mut Peer);
    let challenge = |peer: &mut Peer, text: &str| {
        peer.parameters();
        peer.say(|out| backend::authentication_sasl(out, &[SCRAM_SHA_256]));
        let first = String::from_utf8(peer.password()).unwrap();
        let nonce = first.rsplit_once("r=").unwrap().1.to_owned();
        let text = text.replace("NONCE", &nonce);
        peer.say(|out| backend::authentication_sasl_continue(out, text.as_bytes()));
    };
    let table: [(&str, &str, Cheat); 8] = [
        ("r=NONCEx,s=QUJD,i=4096", "wrong server signature", |peer| {
            peer.password();
            let signature = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
            peer.say(|out| backend::authentication_sasl_final(out, signature));
        }),
        ("r=NONCEx,s=QUJD,i=4096", "without proving", |peer| {
            peer.password();
            peer.welcome();
        }),
        ("r=NONCEx,s=QUJD,i=4096", "order", |peer| {
            peer.password();
            peer.say(backend::authentication_cleartext);
        }),
        ("r=another,s=QUJD,i=4096", "nonce", |_| {}),
        ("r=NONCE,s=QUJD,i=4096", "nonce", |_| {}),
        ("r=NONCEx,s=QUJD,i=4000000000", "4000000000 iterations", |_| {}),
        ("r=NONCEx,s=QUJD,i=0", "0 iterations", |_| {}),
        ("r=NONCEx,s=?,i=1", "salt", |_| {}),
    ];
    for (first, expected, cheat) in table {
        let server = Server::one(move |peer| {
            challenge(peer, first);
            cheat(peer);
            peer.rest();
        });
        let failure = fails(&connector(server.port, "password=secret sslmode=disable")).await;
        assert_eq!((failure.kind, failure.phase), (K::Protocol, AUTHENTICATE), "{failure:?}");
        assert!(failure.message.contains(expected), "{failure} / {expected}");
        server.done();
    }
}

#[tokio::test]
async fn methods_that_are_not_spoken() {
    let mut no_mechanism = Vec::new();
    backend::authentication_sasl(&mut no_mechanism, &["OAUTHBEARER"]);
    let mut table = vec![(no_mechanism, "OAUTHBEARER")];
    for (request, text) in [(2, "Kerberos V5"), (7, "GSSAPI"), (9, "SSPI"), (99, "unknown authentication method")] {
        let mut message = Vec::new();
        backend::authentication_unsupported(&mut message, request);
        table.push((message, text));
    }
    for (request, text) in table {
        let server = Server::one(move |peer| {
            peer.parameters();
            peer.send(&request);
            assert_eq!(peer.rest(), b"");
        });
        let failure = fails(&connector(server.port, "password=secret sslmode=disable")).await;
        assert_eq!(gist(&failure), (K::Unsupported, None, AUTHENTICATE));
        assert!(failure.message.contains(text), "{failure}");
        server.done();
    }
}

#[tokio::test]
async fn a_password_that_nobody_gave() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(backend::authentication_cleartext);
        assert_eq!(peer.rest(), b"");
    });
    let failure = fails(&connector(server.port, "sslmode=disable")).await;
    assert_eq!(gist(&failure), (K::Rejected, None, AUTHENTICATE));
    assert!(failure.message.contains("none was given"));
    server.done();
}

/// require_auth is held against what the server asks for, before anything is sent.
#[tokio::test]
async fn require_auth() {
    type Ask = fn(&mut Peer);
    let cleartext: Ask = |peer| peer.say(backend::authentication_cleartext);
    let md5: Ask = |peer| peer.say(|out| backend::authentication_md5(out, [0; 4]));
    let scram: Ask = |peer| peer.say(|out| backend::authentication_sasl(out, &[SCRAM_SHA_256]));
    let trust: Ask = |peer| peer.say(backend::authentication_ok);
    let table =
        [("scram-sha-256", cleartext), ("scram-sha-256,md5", trust), ("!md5", md5), ("none", scram), ("!none", trust)];
    for (required, ask) in table {
        let server = Server::one(move |peer| {
            peer.parameters();
            ask(peer);
            assert_eq!(peer.rest(), b"");
        });
        let settings = format!("password=secret sslmode=disable require_auth={required}");
        let failure = fails(&connector(server.port, &settings)).await;
        assert_eq!(gist(&failure), (K::Unsupported, None, AUTHENTICATE), "{required}");
        assert!(failure.message.contains("require_auth"), "{failure}");
        server.done();
    }
}

#[tokio::test]
async fn channel_binding_that_is_required_needs_tls() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(|out| backend::authentication_sasl(out, &[SCRAM_SHA_256]));
        assert_eq!(peer.rest(), b"");
    });
    let settings = "password=secret sslmode=disable channel_binding=require";
    let (result, _) = log_in(&connector(server.port, settings)).await;
    let failure = result.unwrap_err();
    assert_eq!(gist(&failure), (K::Unsupported, None, AUTHENTICATE));
    assert!(failure.message.contains("needs TLS"), "{failure}");
    server.done();
}
