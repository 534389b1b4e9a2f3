//! A login without and with TLS: what is sent, in which phase, in how many round trips.

use peaje_model::{Phase, ResolveMode, TlsMode, TlsScope};
use peaje_sqlserver::login::LoginOptions;
use peaje_sqlserver::protocol::login7::{Feature, READ_ONLY_INTENT};
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::{TDS_7_4, TDS_8_0};
use rustls::version::{TLS12, TLS13};

use super::server::{Server, play, tls_config};
use super::{connector, connector_with, round_trips, succeeds};

#[tokio::test]
async fn without_tls() {
    let server = Server::one(|peer| {
        let asked = peer.prelogin(Encryption::NotSupported);
        assert_eq!(
            (asked.encryption, asked.mars, asked.fed_auth_required),
            (Some(Encryption::NotSupported), Some(false), None)
        );
        assert!(asked.trace_id.is_some_and(|id| id.connection != [0; 16] && id.sequence == 0));
        let login = peer.login();
        assert_eq!((login.user.as_str(), login.password.expose()), ("alice", "secret"));
        assert_eq!(
            (login.database.as_str(), login.program.as_str(), login.library.as_str()),
            ("shop", "peaje", "peaje")
        );
        assert_eq!((login.server.as_str(), login.host_name.as_str()), ("127.0.0.1", "web7"));
        assert_eq!((login.tds_version, login.packet_size, login.type_flags), (TDS_7_4, 8000, 0));
        assert_eq!((login.process_id, login.features), (std::process::id(), vec![Feature::Utf8Support]));
        peer.welcome();
        peer.rest();
    });
    let options = LoginOptions { tls: TlsMode::Off, ..LoginOptions::default() };
    let connector = connector_with(server.port, "Workstation ID=web7", options);
    assert!(connector.warnings()[0].contains("password"), "{:?}", connector.warnings());
    let (session, trace) = succeeds(&connector).await;
    assert_eq!(round_trips(&trace), [1, 0, 1, 0], "LOGINACK and the rest come together");
    assert_eq!((session.session_id(), session.is_encrypted()), (51, false));
    assert_eq!((session.server_version(), session.database()), ([16, 0, 0x10, 0x36], Some("shop")));
    assert_eq!((session.packet_size(), session.tds_version()), (4096, TDS_7_4));
    let auth = trace.auth.unwrap();
    assert_eq!((auth.method, auth.iterations, auth.cached), ("sql-login", None, false));
    assert!(trace.tls.is_none() && trace.crypto().is_zero() && !trace.redirected);
    drop(session);
    server.done();
}

#[tokio::test]
async fn the_whole_session_encrypted() {
    for (version, flights) in [(&TLS12, 2), (&TLS13, 1)] {
        let config = tls_config(version);
        let server = Server::one(move |peer| {
            assert_eq!(peer.prelogin(Encryption::On).encryption, Some(Encryption::On));
            peer.tls_within(&config);
            assert_eq!(peer.login().password.expose(), "secret");
            assert!(peer.is_encrypted());
            peer.welcome();
            peer.rest();
        });
        let (session, trace) = succeeds(&connector(server.port, "TrustServerCertificate=yes")).await;
        assert_eq!(round_trips(&trace), [1, flights, 1, 0], "{version:?}");
        let tls = trace.tls.unwrap();
        assert_eq!((tls.version, tls.scope, tls.resumed), (version.version, TlsScope::Session, false));
        assert!(session.is_encrypted() && !trace.crypto().is_zero());
        drop(session);
        server.done();
    }
}

#[tokio::test]
async fn only_the_login_encrypted() {
    for version in [&TLS12, &TLS13] {
        let config = tls_config(version);
        let server = Server::one(move |peer| {
            assert_eq!(peer.prelogin(Encryption::LoginOnly).encryption, Some(Encryption::LoginOnly));
            // TLS 1.3 sends its tickets behind the handshake, in packets that the client must pass over.
            peer.tls_within(&config);
            assert_eq!(peer.login().password.expose(), "secret");
            peer.leave_tls();
            peer.welcome();
            assert_eq!(peer.batch(), "select 1", "in clear");
            peer.say(|out| super::server::finish(out, 0));
            peer.rest();
        });
        let connector = connector(server.port, "Encrypt=optional");
        assert!(connector.warnings()[0].contains("login message only"));
        let (mut session, trace) = succeeds(&connector).await;
        assert_eq!(trace.tls.unwrap().scope, TlsScope::LoginOnly);
        assert!(!session.is_encrypted());
        assert!(trace.round_trips()[Phase::Tls] >= 1, "the handshake is paid");
        assert_eq!(session.query_rows("select 1").await, Ok(Vec::new()));
        drop(session);
        server.done();
    }
}

#[tokio::test]
async fn strict_encryption_begins_with_tls() {
    let identity = super::server::Identity::new("localhost");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.pem");
    std::fs::write(&file, identity.pem()).unwrap();
    let config = identity.config(&TLS13);
    let server = Server::one(move |peer| {
        peer.tls(&config);
        assert_eq!(peer.alpn(), Some(&b"tds/8.0"[..]));
        assert_eq!(peer.prelogin(Encryption::NotSupported).encryption, Some(Encryption::NotSupported));
        assert_eq!(peer.login().tds_version, TDS_8_0);
        assert!(peer.is_encrypted());
        peer.welcome();
        peer.rest();
    });
    let settings = format!("Encrypt=strict;ServerCertificate={}", file.display());
    let (session, trace) = succeeds(&connector(server.port, &settings)).await;
    assert_eq!(round_trips(&trace), [1, 1, 1, 0]);
    assert_eq!(trace.tls.unwrap().scope, TlsScope::Session);
    assert!(session.is_encrypted());
    drop(session);
    server.done();
}

#[tokio::test]
async fn sessions_are_resumed_within_tds() {
    for version in [&TLS12, &TLS13] {
        let config = tls_config(version);
        let script = move || {
            let config = config.clone();
            play(move |peer| {
                peer.prelogin(Encryption::On);
                peer.tls_within(&config);
                peer.login();
                peer.welcome();
                peer.rest();
            })
        };
        let server = Server::start(vec![script(), script()]);
        let options = LoginOptions { tls: TlsMode::Resumed, ..LoginOptions::default() };
        let connector = connector_with(server.port, "TrustServerCertificate=yes", options);
        for expected in [false, true] {
            let (session, trace) = succeeds(&connector).await;
            assert_eq!(trace.tls.unwrap().resumed, expected, "{version:?}");
            assert_eq!(trace.round_trips()[Phase::Authenticate], 1);
            drop(session);
        }
        server.done();
    }
}

#[tokio::test]
async fn what_the_string_and_the_options_ask_for() {
    let server = Server::one(|peer| {
        peer.prelogin(Encryption::NotSupported);
        let login = peer.login();
        assert_eq!(login.type_flags, READ_ONLY_INTENT);
        assert_eq!((login.program.as_str(), login.packet_size), ("peaje CHG1", 16_384));
        assert_eq!(login.language, "Deutsch");
        peer.welcome();
        peer.rest();
    });
    let options = LoginOptions {
        program_name: "peaje CHG1".into(),
        tls: TlsMode::Off,
        resolve: ResolveMode::Once,
        ..LoginOptions::default()
    };
    let settings =
        "Application Name=app;ApplicationIntent=ReadOnly;Packet Size=16384;Language=Deutsch;MultiSubnetFailover=yes";
    let connector = connector_with(server.port, settings, options);
    peaje_engine::Connector::prepare(&connector).await;
    drop(succeeds(&connector).await);
    server.done();
}
