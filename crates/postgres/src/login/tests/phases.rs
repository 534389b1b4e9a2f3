//! What can happen in each phase: errors, closed connections, strangers on the port.

use peaje_engine::conformance::free_listener;
use peaje_engine::{Connector, Trace};
use peaje_model::{CloseMode, OutcomeKind as K, Phase};

use super::server::{Peer, Server};
use super::{LoginOptions, connector, connector_with, fails, gist, succeeds};
use crate::protocol::backend::{self, TransactionStatus};
use crate::protocol::tests::recorded::{NO_CONNECT, NO_DATABASE, NO_ENTRY, ROLE_FULL, WELCOME};

#[tokio::test]
async fn errors_instead_of_a_welcome() {
    let table = [
        ("28P01", "password authentication failed for user \"alice\"", K::Rejected),
        ("28000", "role \"alice\" does not exist", K::Rejected),
        ("42501", "permission denied for database \"shop\"", K::Rejected),
        ("53300", "sorry, too many clients already", K::ServerFull),
        ("57P03", "the database system is starting up", K::Refused),
        ("08P01", "no more connections allowed (max_client_conn)", K::ServerFull),
    ];
    for (code, text, kind) in table {
        let server = Server::one(move |peer| {
            peer.parameters();
            peer.error(code, text);
        });
        let failure = fails(&connector(server.port, "sslmode=disable")).await;
        assert_eq!(gist(&failure), (kind, Some(code), Some(Phase::Authenticate)));
        assert_eq!(failure.message, text);
        server.done();
    }
}

/// As PostgreSQL 15 has sent them, byte for byte.
#[tokio::test]
async fn recorded_errors() {
    type Case<'a> = (&'static [u8], K, &'a str, Phase, &'a str, &'a str);
    let table: [Case<'_>; 4] = [
        (NO_DATABASE, K::Rejected, "3D000", Phase::Session, "database \"shop\" does not exist", "psql -l"),
        (
            NO_CONNECT,
            K::Rejected,
            "42501",
            Phase::Session,
            "permission denied for database \"noconn\" (User does not have CONNECT privilege.)",
            "GRANT CONNECT",
        ),
        (ROLE_FULL, K::ServerFull, "53300", Phase::Session, "too many connections for role \"cap\"", "pooler"),
        (
            NO_ENTRY,
            K::Rejected,
            "28000",
            Phase::Authenticate,
            "no pg_hba.conf entry for host \"127.0.0.1\", user \"ghost\", database \"postgres\", no encryption",
            "pg_hba.conf on the server",
        ),
    ];
    for (bytes, kind, code, phase, message, hint) in table {
        let server = Server::one(|peer| {
            peer.parameters();
            peer.send(bytes);
        });
        let failure = fails(&connector(server.port, "sslmode=disable")).await;
        assert_eq!(gist(&failure), (kind, Some(code), Some(phase)));
        assert_eq!(failure.message, message);
        assert!(failure.hint.as_deref().is_some_and(|h| h.contains(hint)), "{failure:?}");
        server.done();
    }
}

#[tokio::test]
async fn a_recorded_welcome() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.send(WELCOME);
    });
    let (session, trace) = succeeds(&connector(server.port, "sslmode=disable target_session_attrs=read-write")).await;
    assert!(session.process_id().is_some());
    // One packet brought it all: the phase is there, and has no round trip of its own.
    assert_eq!(trace.round_trips()[Phase::Session], 0);
    server.done();
}

#[tokio::test]
async fn connections_closed_in_each_phase() {
    type Leave = fn(&mut Peer);
    let table: [(&str, Phase, Leave); 6] = [
        ("sslmode=require", Phase::Negotiate, |peer| {
            peer.startup();
        }),
        ("sslmode=require", Phase::Tls, |peer| peer.ssl_request(b"S")),
        ("sslmode=disable", Phase::Authenticate, |peer| {
            peer.parameters();
        }),
        ("sslmode=disable password=secret", Phase::Authenticate, |peer| {
            peer.parameters();
            peer.say(|out| backend::authentication_md5(out, [0; 4]));
            peer.password();
        }),
        ("sslmode=disable", Phase::Session, |peer| {
            peer.parameters();
            peer.say(backend::authentication_ok);
        }),
        ("sslmode=disable", Phase::Session, |peer| {
            peer.parameters();
            peer.say(backend::authentication_ok);
            // In the middle of a message.
            peer.send(b"S\0\0\0\x20server_ver");
        }),
    ];
    for (settings, phase, leave) in table {
        for reset in [false, true] {
            let server = Server::one(move |peer| {
                leave(peer);
                if reset {
                    peer.reset();
                }
            });
            let failure = fails(&connector(server.port, settings)).await;
            assert_eq!((failure.kind, failure.phase), (K::Reset, Some(phase)), "{settings} {reset} {failure:?}");
            assert!(failure.hint.is_some() || failure.code.is_some(), "{failure:?}");
            server.done();
        }
    }
}

#[tokio::test]
async fn strangers_on_the_port() {
    let table: [(&[u8], &str); 5] = [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "bytes"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "bytes"),
        (b"R\0\0\0\x02", "impossible length"),
        (b"R\0\0\0\x08\0\0\0\x05", "MD5 salt"),
        (b"Z\0\0\0\x05I", "unexpected message"),
    ];
    for (bytes, text) in table {
        let server = Server::one(move |peer| {
            peer.parameters();
            peer.send(bytes);
            peer.rest();
        });
        let failure = fails(&connector(server.port, "sslmode=disable")).await;
        assert_eq!(gist(&failure), (K::Protocol, None, Some(Phase::Authenticate)));
        assert!(failure.message.contains(text), "{failure} / {text}");
        server.done();
    }
}

/// A length that would make the client buffer gigabytes is refused at its header.
#[tokio::test]
async fn messages_without_end_are_refused() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(backend::authentication_ok);
        peer.send(b"S\x7f\xff\xff\xff");
        peer.rest();
    });
    let failure = fails(&connector(server.port, "sslmode=disable")).await;
    assert_eq!(gist(&failure), (K::Protocol, None, Some(Phase::Session)));
    server.done();
}

#[tokio::test]
async fn notices_and_unknown_settings_do_not_disturb() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.say(|out| {
            backend::negotiate_protocol_version(out, 0, &["_pq_.x"]);
            backend::authentication_ok(out);
            backend::notice(out, "WARNING", "01000", "the password expires tomorrow", None);
            // A value in Latin-1.
            out.extend_from_slice(b"S\0\0\0\x0bx\0caf\xe9\0");
            backend::ready_for_query(out, TransactionStatus::Idle);
        });
    });
    let (session, _) = succeeds(&connector(server.port, "sslmode=disable")).await;
    assert_eq!(session.process_id(), None);
    server.done();
}

/// Bytes may come one at a time.
#[tokio::test]
async fn a_trickle_is_put_together() {
    let server = Server::one(|peer| {
        peer.parameters();
        let mut out = Vec::new();
        backend::authentication_ok(&mut out);
        backend::parameter_status(&mut out, "server_version", "15.0");
        backend::ready_for_query(&mut out, TransactionStatus::Idle);
        for byte in out {
            peer.send(&[byte]);
        }
    });
    succeeds(&connector(server.port, "sslmode=disable")).await;
    server.done();
}

#[tokio::test]
async fn refused_connections() {
    let port = free_listener().local_addr().unwrap().port();
    let failure = fails(&connector(port, "sslmode=disable")).await;
    assert_eq!(gist(&failure), (K::Refused, Some("ECONNREFUSED"), Some(Phase::Connect)));
}

#[tokio::test]
async fn three_ways_to_close() {
    for (mode, goodbye) in
        [(CloseMode::Polite, b"X\0\0\0\x04".as_slice()), (CloseMode::Quick, b"X\0\0\0\x04"), (CloseMode::Reset, b"")]
    {
        let server = Server::one(move |peer| {
            peer.parameters();
            peer.welcome();
            let rest = if mode == CloseMode::Polite {
                // Polite: the client waits for our end, so its goodbye is all that comes.
                peer.message(|m| assert_eq!(*m, crate::protocol::frontend::FrontendMessage::Terminate));
                b"X\0\0\0\x04".to_vec()
            } else {
                peer.rest()
            };
            assert_eq!(rest, goodbye);
        });
        let options = LoginOptions { close: mode, ..LoginOptions::default() };
        let connector = connector_with(server.port, "sslmode=disable", options);
        let (session, _) = succeeds(&connector).await;
        let mut trace = Trace::start();
        connector.close(session, &mut trace).await.unwrap();
        assert_eq!(trace.current(), Some(Phase::Close));
        let trips = u32::from(mode == CloseMode::Polite);
        assert_eq!(trace.round_trips()[Phase::Close], trips);
        server.done();
    }
}
