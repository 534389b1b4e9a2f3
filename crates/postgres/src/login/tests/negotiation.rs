//! The question for TLS, and what each `sslmode` makes of the answer.

use peaje_model::{OutcomeKind as K, Phase};

use super::server::{Peer, Server, play, tls_config};
use super::{LoginOptions, connector, connector_with, fails, gist, succeeds};
use crate::protocol::backend;
use peaje_engine::conformance::identity::self_signed;
use peaje_model::TlsMode;

const NO_ENTRY: &str = "no pg_hba.conf entry for host \"127.0.0.1\", user \"alice\", database \"shop\", no encryption";

#[tokio::test]
async fn disable_never_asks() {
    for (settings, tls) in [("sslmode=disable", TlsMode::AsUrl), ("sslmode=verify-full sslrootcert=/x", TlsMode::Off)] {
        let server = Server::one(|peer| {
            peer.parameters();
            peer.welcome();
        });
        let options = LoginOptions { tls, ..LoginOptions::default() };
        let (_, trace) = succeeds(&connector_with(server.port, settings, options)).await;
        assert_eq!(trace.laps()[Phase::Negotiate], std::time::Duration::ZERO);
        server.done();
    }
}

#[tokio::test]
async fn prefer_takes_what_it_gets() {
    let identity = self_signed(&["localhost"]);
    let config = tls_config(&identity);
    let server = Server::start(vec![
        play(|peer| {
            peer.ssl_request(b"N");
            peer.parameters();
            peer.welcome();
        }),
        play(move |peer| {
            peer.ssl_request(b"S");
            peer.tls(&config);
            peer.parameters();
            peer.welcome();
        }),
    ]);
    let connector = connector(server.port, "");
    let (session, trace) = succeeds(&connector).await;
    assert!(!session.is_encrypted() && trace.tls.is_none());
    assert_eq!(trace.round_trips()[Phase::Negotiate], 1);
    let (session, trace) = succeeds(&connector).await;
    assert!(session.is_encrypted() && trace.tls.is_some());
    // The start-up message travels with the last flight of the handshake.
    assert_eq!((trace.round_trips()[Phase::Tls], trace.round_trips()[Phase::Authenticate]), (1, 1));
    server.done();
}

/// libpq would log in again without TLS: a second failed login with the same wrong password.
#[tokio::test]
async fn prefer_does_not_repeat_a_rejected_login() {
    let config = tls_config(&self_signed(&["localhost"]));
    let server = Server::one(move |peer| {
        peer.ssl_request(b"S");
        peer.tls(&config);
        peer.parameters();
        peer.say(backend::authentication_cleartext);
        peer.password();
        peer.error("28P01", "password authentication failed for user \"alice\"");
    });
    let failure = fails(&connector(server.port, "sslmode=prefer password=secret")).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("28P01"), Some(Phase::Authenticate)));
    server.done();
}

/// pg_hba.conf may hold `hostnossl` lines only; nothing was asked of the client before it said no.
#[tokio::test]
async fn prefer_goes_without_tls_where_pg_hba_wants_it() {
    let config = tls_config(&self_signed(&["localhost"]));
    let refused = move |peer: &mut Peer| {
        peer.ssl_request(b"S");
        peer.tls(&config);
        peer.parameters();
        peer.error("28000", "no pg_hba.conf entry for host \"127.0.0.1\", SSL encryption");
    };
    let server = Server::start(vec![
        play(refused.clone()),
        play(|peer| {
            peer.parameters();
            peer.welcome();
        }),
        play(refused),
        play(|peer| {
            peer.parameters();
            peer.error("28000", NO_ENTRY);
        }),
    ]);
    let connector = connector(server.port, "sslmode=prefer");
    let (session, trace) = succeeds(&connector).await;
    assert!(!session.is_encrypted() && trace.tls.is_none());
    let failure = fails(&connector).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("28000"), Some(Phase::Authenticate)));
    assert!(failure.message.contains("SSL encryption"), "{failure}");
    server.done();
}

#[tokio::test]
async fn prefer_goes_without_tls_when_the_handshake_fails() {
    let server = Server::start(vec![
        play(|peer| peer.ssl_request(b"S")),
        play(|peer| {
            peer.parameters();
            peer.welcome();
        }),
    ]);
    let (session, trace) = succeeds(&connector(server.port, "sslmode=prefer")).await;
    assert!(!session.is_encrypted());
    assert!(trace.laps()[Phase::Tls] > std::time::Duration::ZERO);
    server.done();
}

#[tokio::test]
async fn allow_uses_tls_only_when_the_server_insists() {
    let config = tls_config(&self_signed(&["localhost"]));
    let server = Server::start(vec![
        play(|peer| {
            peer.parameters();
            peer.error("28000", NO_ENTRY);
        }),
        play(move |peer| {
            peer.ssl_request(b"S");
            peer.tls(&config);
            peer.parameters();
            peer.welcome();
        }),
        play(|peer| {
            peer.parameters();
            peer.error("28000", NO_ENTRY);
        }),
        play(|peer| peer.ssl_request(b"N")),
        play(|peer| {
            peer.parameters();
            peer.say(backend::authentication_cleartext);
            peer.password();
            peer.error("28P01", "password authentication failed for user \"alice\"");
        }),
        play(|peer| {
            peer.parameters();
            peer.welcome();
        }),
    ]);
    let connector = connector(server.port, "sslmode=allow password=secret");
    let (session, trace) = succeeds(&connector).await;
    assert!(session.is_encrypted());
    assert_eq!(trace.round_trips()[Phase::Connect], 2);
    let failure = fails(&connector).await;
    assert_eq!((failure.code.as_deref(), failure.message.as_str()), (Some("28000"), NO_ENTRY));
    // A wrong password is not tried again with TLS.
    assert_eq!(fails(&connector).await.code.as_deref(), Some("28P01"));
    let (session, _) = succeeds(&connector).await;
    assert!(!session.is_encrypted());
    server.done();
}

#[tokio::test]
async fn tls_that_is_required_and_not_offered() {
    let table = [("sslmode=require", TlsMode::AsUrl), ("sslmode=prefer", TlsMode::Full), ("", TlsMode::Resumed)];
    for (settings, tls) in table {
        let server = Server::one(|peer| {
            peer.ssl_request(b"N");
            assert_eq!(peer.rest(), b"");
        });
        let options = LoginOptions { tls, ..LoginOptions::default() };
        let failure = fails(&connector_with(server.port, settings, options)).await;
        assert_eq!(gist(&failure), (K::TlsNotOffered, None, Some(Phase::Negotiate)));
        assert!(failure.hint.is_some());
        server.done();
    }
}

#[tokio::test]
async fn other_answers_to_the_question() {
    let old: &[u8] = b"Ecould not fork new process for connection: Resource temporarily unavailable\n\0";
    for (answer, kind) in [(old, K::Rejected), (b"Q", K::Protocol), (b"HTTP/1.1 400", K::Protocol)] {
        for mode in ["prefer", "require"] {
            let server = Server::one(move |peer| peer.ssl_request(answer));
            let failure = fails(&connector(server.port, &format!("sslmode={mode}"))).await;
            assert_eq!((failure.kind, failure.phase), (kind, Some(Phase::Negotiate)), "{failure:?}");
            // Nobody vouches for that text.
            assert!(!failure.message.contains("fork"), "{failure}");
            server.done();
        }
    }
}

/// The lengths 69, 78 and 83 of a greeting are the letters E, N and S.
#[tokio::test]
async fn a_greeting_of_mysql_is_no_answer() {
    let greetings: [&[u8]; 4] =
        [b"J\0\0\0\x0a8.0.36\0", b"E\0\0\0\x0a8.4.0\0", b"N\0\0\0\x0a9.1.0\0", b"S\0\0\0\x0a5.5.5-10.11\0"];
    for greeting in greetings {
        for mode in ["prefer", "disable"] {
            let server = Server::one(move |peer| {
                peer.send(greeting);
                peer.rest();
            });
            let failure = fails(&connector(server.port, &format!("sslmode={mode}"))).await;
            assert_eq!(failure.kind, K::Protocol, "{failure:?}");
            assert!(failure.hint.as_deref().is_some_and(|h| h.contains("MySQL")), "{failure:?}");
            server.done();
        }
    }
}

/// Bytes behind the `S` would be taken for encrypted ones: somebody in between may have put them there.
#[tokio::test]
async fn bytes_stuffed_behind_the_answer_are_refused() {
    for mode in ["prefer", "require"] {
        let server = Server::one(|peer| {
            let mut stuffed = b"S".to_vec();
            backend::authentication_ok(&mut stuffed);
            peer.ssl_request(&stuffed);
            peer.rest();
        });
        let failure = fails(&connector(server.port, &format!("sslmode={mode}"))).await;
        assert_eq!(gist(&failure), (K::Protocol, None, Some(Phase::Tls)));
        server.done();
    }
}
