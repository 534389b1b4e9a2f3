//! What can happen in each phase: errors, closed connections, strangers on the port.

use peaje_engine::conformance::free_listener;
use peaje_engine::{Connector, Trace};
use peaje_model::{CloseMode, OutcomeKind as K, Phase};

use super::server::{Peer, Server};
use super::{LoginOptions, connector, connector_with, fails, gist, succeeds};
use crate::login::AwaitInit;
use crate::protocol::reply::Done;
use crate::protocol::request::{self, First};
use crate::protocol::tests::recorded;
use crate::protocol::{command, plugin};

#[tokio::test]
async fn a_login_and_its_round_trips() {
    let server = Server::one(|peer| {
        peer.greet();
        let payload = peer.packet();
        let Ok(First::Login(login)) = First::decode(&payload) else { panic!("no login") };
        assert_eq!((login.user, login.database), (&b"alice"[..], &b"shop"[..]));
        let attributes = request::attributes(login.attributes).unwrap();
        let value = |name: &[u8]| attributes.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_vec());
        assert_eq!(value(b"program_name").as_deref(), Some(&b"peaje CHG0012345"[..]));
        assert_eq!(value(b"_client_name").as_deref(), Some(&b"peaje"[..]));
        assert_eq!(value(b"_pid"), Some(std::process::id().to_string().into_bytes()));
        peer.ok();
        peer.rest();
    });
    let options = LoginOptions { program_name: "peaje CHG0012345".to_owned(), ..LoginOptions::default() };
    let (session, trace) = succeeds(&connector_with(server.port, "alice:secret", "", options)).await;
    assert_eq!((session.connection_id(), session.server_version()), (4711, "10.11.19-MariaDB"));
    assert!(!session.is_encrypted());
    drop(session);
    let trips = |phase| trace.round_trips()[phase];
    assert_eq!((trips(Phase::Connect), trips(Phase::Negotiate), trips(Phase::Tls)), (1, 1, 0));
    assert_eq!((trips(Phase::Authenticate), trips(Phase::Session)), (1, 0));
    assert_eq!(trace.auth.map(|a| (a.method, a.cached)), Some(("mysql-native-password", false)));
    server.done();
}

/// As MariaDB has sent them, byte for byte: in the place of the greeting, and after the login.
#[tokio::test]
async fn recorded_errors() {
    type Case<'a> = (&'static [u8], K, &'a str, &'a str, &'a str);
    let table: [Case<'_>; 5] = [
        (
            recorded::WRONG_PASSWORD,
            K::Rejected,
            "1045",
            "(using password: YES) (SQLSTATE 28000)",
            "password in the connection string",
        ),
        (recorded::WRONG_SYSTEM_USER, K::Rejected, "1698", "'root2'@'localhost'", "operating-system user"),
        (recorded::NO_RIGHTS, K::Rejected, "1044", "to database 'shop'", "GRANT"),
        (recorded::LOCKED, K::Rejected, "4151", "this account is locked", "UNLOCK"),
        (recorded::CAPPED, K::ServerFull, "1226", "max_user_connections", "limit of this account"),
    ];
    for (bytes, kind, code, message, hint) in table {
        let server = Server::one(|peer| {
            peer.greet();
            peer.login();
            peer.send(bytes);
        });
        let failure = fails(&connector(server.port, "")).await;
        assert_eq!(gist(&failure), (kind, Some(code), Some(Phase::Authenticate)));
        assert!(failure.message.contains(message), "{failure}");
        assert!(failure.hint.as_deref().is_some_and(|h| h.contains(hint)), "{failure:?}");
        server.done();
    }
    let server = Server::one(|peer| peer.send(recorded::TOO_MANY));
    let failure = fails(&connector(server.port, "")).await;
    assert_eq!(gist(&failure), (K::ServerFull, Some("1040"), Some(Phase::Negotiate)));
    assert_eq!(failure.message, "Too many connections");
    server.done();
}

#[tokio::test]
async fn errors_in_the_place_of_the_greeting() {
    for (code, kind) in [(1129, K::Rejected), (1130, K::Rejected), (1040, K::ServerFull), (1053, K::Refused)] {
        let server = Server::one(move |peer| peer.error(code, "no"));
        let failure = fails(&connector(server.port, "")).await;
        assert_eq!(gist(&failure), (kind, Some(code.to_string().as_str()), Some(Phase::Negotiate)));
        assert!(failure.hint.is_some());
        server.done();
    }
}

#[tokio::test]
async fn connections_closed_in_each_phase() {
    type Leave = fn(&mut Peer);
    let table: [(&str, Phase, Leave); 5] = [
        ("", Phase::Negotiate, |_| {}),
        ("", Phase::Negotiate, |peer| peer.send(&recorded::GREETING[..30])),
        ("ssl-mode=DISABLED", Phase::Authenticate, |peer| {
            peer.greet();
            peer.login();
        }),
        ("ssl-mode=DISABLED", Phase::Authenticate, |peer| {
            peer.greet();
            peer.login();
            peer.switch(plugin::NATIVE, b"ABCDEFGHIJKLMNOPQRST\0");
            peer.packet();
        }),
        ("init-command=SET%20a=1", Phase::Session, |peer| {
            peer.welcome();
            peer.packet();
        }),
    ];
    for (query, phase, leave) in table {
        for reset in [false, true] {
            let server = Server::one(move |peer| {
                leave(peer);
                if reset {
                    peer.reset();
                }
            });
            let failure = fails(&connector(server.port, query)).await;
            // A reset that follows the accept at once may arrive before the client has seen its connect succeed.
            let overtaken = reset && phase == Phase::Negotiate && failure.phase == Some(Phase::Connect);
            let fits = failure.phase == Some(phase) || overtaken;
            assert!(failure.kind == K::Reset && fits, "{query} {reset} {failure:?}");
            assert!(failure.hint.is_some() || failure.code.is_some(), "{failure:?}");
            server.done();
        }
    }
}

#[tokio::test]
async fn strangers_on_the_port() {
    let table: [(&[u8], &str); 6] = [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "packet"),
        (b"220 mail.example ESMTP\r\n", "packet"),
        // The X protocol's first notice.
        (b"\x05\0\0\0\x0b\x08\x05\x1a\0", "protocol version"),
        (b"\x02\0\0\0\x09x", "protocol version 9"),
        (b"\x02\0\0\0\x0ax", "the packet ends"),
        (b"\x07\0\0\x02\0\0\0\x02\0\0\0", "packet number 2"),
    ];
    for (bytes, text) in table {
        let server = Server::one(move |peer| {
            peer.send(bytes);
            peer.rest();
        });
        let failure = fails(&connector(server.port, "")).await;
        assert_eq!(gist(&failure), (K::Protocol, None, Some(Phase::Negotiate)), "{failure}");
        assert!(failure.message.contains(text), "{failure} / {text}");
        assert!(failure.hint.is_some_and(|h| h.contains("33060")));
        server.done();
    }
}

/// A server that looks up the client's name first: its time is neither the connect's nor the authentication's.
#[tokio::test]
async fn a_late_greeting() {
    let pause = std::time::Duration::from_millis(500);
    let server = Server::one(move |peer| {
        std::thread::sleep(pause);
        peer.welcome();
    });
    let (_, trace) = succeeds(&connector(server.port, "")).await;
    let laps = trace.laps();
    // The pause begins when the server has accepted, which this side may learn a little later: a busy machine moves that
    // part of it into `connect`, and never out of the two.
    assert!(laps[Phase::Connect] + laps[Phase::Negotiate] >= pause, "{laps:?}");
    assert!(laps[Phase::Negotiate] > laps[Phase::Connect] + laps[Phase::Authenticate], "{laps:?}");
    server.done();
}

#[tokio::test]
async fn refused_connections() {
    let port = free_listener().local_addr().unwrap().port();
    let failure = fails(&connector(port, "")).await;
    assert_eq!(gist(&failure), (K::Refused, Some("ECONNREFUSED"), Some(Phase::Connect)));
}

/// What runs at the end of a login is its phase `session`, with a round trip for each statement.
#[tokio::test]
async fn init_connect_and_statements_of_the_settings() {
    let server = Server::one(|peer| {
        peer.welcome();
        assert_eq!(peer.packet(), [command::PING]);
        peer.ok();
        for sql in ["SET b=2", "SET a=1"] {
            assert_eq!(peer.packet(), [&[command::QUERY], sql.as_bytes()].concat());
            peer.ok();
        }
        peer.rest();
    });
    let options = LoginOptions { await_init: AwaitInit::Ping, ..LoginOptions::default() };
    let settings = "sessionVariables=b=2&init-command=SET%20a=1";
    let (session, trace) = succeeds(&connector_with(server.port, "alice:secret", settings, options)).await;
    assert_eq!(trace.round_trips()[Phase::Session], 3);
    drop(session);
    server.done();
}

#[tokio::test]
async fn a_statement_of_the_settings_that_fails_is_a_failed_login() {
    let server = Server::one(|peer| {
        peer.welcome();
        peer.packet();
        peer.error(1193, "Unknown system variable 'a'");
    });
    let failure = fails(&connector(server.port, "init-command=SET%20a=1")).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("1193"), Some(Phase::Session)));
    server.done();
}

/// Bytes may come one at a time.
#[tokio::test]
async fn a_trickle_is_put_together() {
    let server = Server::one(|peer| {
        for byte in recorded::GREETING {
            peer.send(&[*byte]);
        }
        peer.login();
        let mut out = Vec::new();
        Done { status: 2, ..Done::default() }.encode(&mut out, 2);
        for byte in out {
            peer.send(&[byte]);
        }
    });
    succeeds(&connector(server.port, "ssl-mode=DISABLED")).await;
    server.done();
}

#[tokio::test]
async fn three_ways_to_close() {
    const QUIT: &[u8] = &[1, 0, 0, 0, 1];
    for (mode, goodbye) in [(CloseMode::Polite, QUIT), (CloseMode::Quick, QUIT), (CloseMode::Reset, b"")] {
        let server = Server::one(move |peer| {
            peer.welcome();
            if mode == CloseMode::Polite {
                // The client waits for our end, so its goodbye is all that comes.
                assert_eq!(peer.packet(), [command::QUIT]);
            } else {
                assert_eq!(peer.rest(), goodbye);
            }
        });
        let options = LoginOptions { close: mode, ..LoginOptions::default() };
        let connector = connector_with(server.port, "alice:secret", "", options);
        let (session, _) = succeeds(&connector).await;
        let mut trace = Trace::start();
        connector.close(session, &mut trace).await.unwrap();
        assert_eq!(trace.current(), Some(Phase::Close));
        assert_eq!(trace.round_trips()[Phase::Close], u32::from(mode == CloseMode::Polite));
        server.done();
    }
}
