//! What servers say instead of a welcome, and what can happen in each phase.

use peaje_model::{OutcomeKind as K, Phase};
use peaje_sqlserver::login::{LoginOptions, SetupError, SqlServerConnector};
use peaje_sqlserver::protocol::login7;
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::token::{LoginAck, write};

use super::server::{Peer, Server, ack, error, finish};
use super::{config, connector, fails, gist};

const OFF: &str = "Encrypt=disable";

#[tokio::test]
async fn errors_by_number() {
    let table = [
        (18456, K::Rejected, "error log has the real one"),
        (18452, K::Rejected, "Windows logins only"),
        (18470, K::Rejected, "ENABLE"),
        (18486, K::Rejected, "UNLOCK"),
        (18487, K::Rejected, "expired"),
        (18488, K::Rejected, "changed"),
        (4060, K::Rejected, "database"),
        (4064, K::Rejected, "DEFAULT_DATABASE"),
        (17892, K::Rejected, "trigger"),
        (40615, K::Rejected, "firewall"),
        (17809, K::ServerFull, "pool sizes"),
        (10928, K::ServerFull, "limit"),
        (10929, K::ServerFull, "limit"),
        (40197, K::Refused, "wait"),
        (40501, K::Refused, "wait"),
        (40613, K::Refused, "wait"),
        (49918, K::Refused, "wait"),
        (18461, K::Refused, "wait"),
        (17830, K::Reset, "error log"),
    ];
    for (number, kind, hint) in table {
        let server = Server::one(move |peer| {
            peer.prelogin(Encryption::NotSupported);
            peer.login();
            peer.error(number, "No.");
        });
        let failure = fails(&connector(server.port, OFF)).await;
        let code = number.to_string();
        assert_eq!(gist(&failure), (kind, Some(code.as_str()), Some(Phase::Authenticate)));
        assert_eq!(failure.message, "No. (severity 14, state 1)");
        assert!(failure.hint.as_deref().is_some_and(|h| h.contains(hint)), "{failure:?}");
        server.done();
    }
}

#[tokio::test]
async fn the_first_error_is_the_reason() {
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.say(|out| {
            error(out, 4060, 11, "Cannot open database \"shop\" requested by the login. The login failed.");
            error(out, 18456, 14, "Login failed for user 'alice'.");
            finish(out, 2);
        });
    });
    let failure = fails(&connector(server.port, OFF)).await;
    assert_eq!(failure.code.as_deref(), Some("4060"));
    server.done();
}

#[tokio::test]
async fn an_error_without_an_end_still_counts() {
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.say(|out| error(out, 17809, 20, "Too many\x1b[2J connections."));
        peer.rest();
    });
    let failure = fails(&connector(server.port, OFF)).await;
    assert_eq!(gist(&failure), (K::ServerFull, Some("17809"), Some(Phase::Authenticate)));
    assert!(!failure.message.contains('\x1b'), "a text cannot control the terminal");
    server.done();
}

type Leaves = (fn(&mut Peer), Phase, &'static str);

#[tokio::test]
async fn a_server_that_leaves() {
    let table: [Leaves; 3] = [
        (|_| {}, Phase::Negotiate, "before it speaks"),
        (
            |peer| {
                peer.message();
            },
            Phase::Negotiate,
            "before it speaks",
        ),
        (
            |peer| {
                peer.prelogin(Encryption::NotSupported);
                peer.login();
            },
            Phase::Authenticate,
            "error 233",
        ),
    ];
    for (script, phase, hint) in table {
        let server = Server::one(script);
        let failure = fails(&connector(server.port, OFF)).await;
        assert_eq!((failure.kind, failure.phase), (K::Reset, Some(phase)));
        assert!(failure.hint.as_deref().is_some_and(|h| h.contains(hint)), "{failure:?}");
        server.done();
    }
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::On);
        peer.message();
    });
    let failure = fails(&connector(server.port, "TrustServerCertificate=yes")).await;
    assert_eq!((failure.kind, failure.phase), (K::Reset, Some(Phase::Tls)));
    server.done();
    let server = Server::one(|_| {});
    let failure = fails(&connector(server.port, "Encrypt=strict")).await;
    assert_eq!((failure.kind, failure.phase), (K::Reset, Some(Phase::Tls)));
    assert!(failure.hint.is_some_and(|h| h.contains("SQL Server 2022")));
    server.done();
}

#[tokio::test]
async fn strangers_on_the_port() {
    let table: [(&[u8], &str); 4] = [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a web server"),
        (b"J\0\0\0\x0a8.0.36\0", "a MySQL or MariaDB server"),
        (b"E\0\0\0\x0bSFATAL\0\0", "a PostgreSQL server"),
        (b"\x04\x01\0\x07\0\0\x01\0", "check that SQL Server listens"),
    ];
    for (text, who) in table {
        let server = Server::one(move |peer| {
            peer.message();
            peer.send(text);
            peer.rest();
        });
        let failure = fails(&connector(server.port, OFF)).await;
        assert_eq!((failure.kind, failure.phase), (K::Protocol, Some(Phase::Negotiate)));
        assert!(failure.hint.as_deref().is_some_and(|h| h.contains(who)), "{failure:?}");
        server.done();
    }
    // Neither a welcome nor an error.
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.say(|out| finish(out, 0));
        peer.rest();
    });
    assert_eq!(fails(&connector(server.port, OFF)).await.kind, K::Protocol);
    server.done();
    // SQL Server 2000, and another instance than the one that was asked for.
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.say(|out| write::login_ack(out, &LoginAck { tds_version: 0x7100_0001, ..ack() }));
        peer.rest();
    });
    assert_eq!(fails(&connector(server.port, OFF)).await.kind, K::Unsupported);
    server.done();
    let server = Server::one(|peer| {
        peer.prelogin_with(|answer| answer.instance = Some(vec![1]));
        assert_eq!(peer.rest(), b"");
    });
    let failure = fails(&connector(server.port, OFF)).await;
    assert_eq!(gist(&failure), (K::Rejected, Some("instance"), Some(Phase::Negotiate)));
    server.done();
    // An answer that ends within a token, and Windows authentication.
    for (tokens, kind) in [(&[0xfd, 0, 0][..], K::Protocol), (&[0xed, 1, 0, 7], K::Unsupported)] {
        let server = Server::one(move |peer| {
            peer.prelogin(Encryption::NotSupported);
            peer.login();
            peer.say(|out| out.extend_from_slice(tokens));
            peer.rest();
        });
        assert_eq!(fails(&connector(server.port, OFF)).await.kind, kind);
        server.done();
    }
}

#[test]
fn no_secret_is_shown() {
    let connector = connector(1, "TrustServerCertificate=yes;Password=hunter2");
    let shown = format!("{connector:?}");
    // As text, and as the bytes of the login message.
    let mut bytes: Vec<u8> = "hunter2".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let clear = format!("{bytes:?}");
    login7::obscure(&mut bytes);
    let obscured = format!("{bytes:?}");
    for secret in ["hunter2", clear.trim_matches(['[', ']']), obscured.trim_matches(['[', ']'])] {
        assert!(!shown.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn without_a_password_nothing_is_sent() {
    let server = Server::start(Vec::new());
    let mut config = config(server.port, OFF);
    config.password = None;
    let failure = fails(&SqlServerConnector::new(&config, LoginOptions::default()).unwrap()).await;
    assert_eq!(gist(&failure), (K::Rejected, None, Some(Phase::Authenticate)));
    assert!(failure.hint.is_some_and(|h| h.contains("SQLCMDPASSWORD")));
    server.done();
    // An empty password is one.
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        assert!(peer.login().password.is_empty());
        peer.welcome();
    });
    drop(super::succeeds(&connector(server.port, "Encrypt=disable;Password=")).await);
    server.done();
}

#[test]
fn what_cannot_be_sent() {
    let long = "x".repeat(129);
    for (settings, field) in [
        (format!("User ID={long}"), "user name"),
        (format!("Password={long}"), "password"),
        (format!("Database={long}"), "database name"),
        (format!("Application Name={long}"), "program name"),
    ] {
        let error = SqlServerConnector::new(&config(1, &settings), LoginOptions::default()).unwrap_err();
        assert!(matches!(error, SetupError::TooLong(_)) && error.to_string().contains(field), "{error}");
    }
    let nobody = config(1, "User ID=");
    assert!(matches!(SqlServerConnector::new(&nobody, LoginOptions::default()), Err(SetupError::NoUser)));
}
