//! Credentials, TLS and resumption, against a driver not written here.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{
    PASSWORD, USER, assert_identity, block_on, client_tls, code, config, connect, connect_tls, scram, start, wait_for,
};
use peaje_engine::Resume;
use peaje_model::Secret;
use peaje_refserver::{Auth, KeyKind, Resumption, ServerOptions, TlsSetting};
use tokio_postgres::config::{ChannelBinding, SslNegotiation};

fn every_auth() -> Vec<Auth> {
    let (user, password) = (USER.to_owned(), Secret::new(PASSWORD));
    vec![
        Auth::Password { user: user.clone(), password: password.clone() },
        Auth::Md5 { user: user.clone(), password: password.clone() },
        Auth::Scram { user, password },
    ]
}

#[test]
fn right_and_wrong_credentials() {
    for auth in every_auth() {
        let server = start(ServerOptions { auth: auth.clone(), ..ServerOptions::default() });
        block_on(async {
            let client = connect(&config(&server)).await.unwrap();
            client.simple_query("select 1").await.unwrap();
            let wrong = connect(config(&server).password("pen")).await.map(drop).unwrap_err();
            assert_eq!(code(&wrong), "28P01", "{auth:?}");
            let unknown = connect(config(&server).user("eve")).await.map(drop).unwrap_err();
            assert_eq!(code(&unknown), "28P01", "{auth:?}");
            assert_eq!(
                unknown.as_db_error().unwrap().message(),
                "password authentication failed for user \"eve\"",
                "as the real server says it"
            );
        });
        let counters = wait_for(&server, |c| c.sessions_now == 0);
        assert_eq!((counters.accepted, counters.logins, counters.failed), (3, 1, 2), "{auth:?}");
        assert_identity(&counters);
    }
}

#[test]
fn everybody_is_trusted_when_the_options_say_so() {
    let server = start(ServerOptions::default());
    block_on(async {
        for user in ["ana", "eve", "usuario con espacios"] {
            connect(config(&server).user(user).dbname("no such database")).await.unwrap();
        }
    });
    assert_eq!(server.counters().logins, 3);
}

#[test]
fn tls_is_refused_when_it_is_off() {
    let (plain, tls) = (
        start(ServerOptions::default()),
        start(ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..ServerOptions::default() }),
    );
    block_on(async {
        let trust = client_tls(&tls, Resume::Never);
        let error = connect_tls(&config(&plain), &trust).await.map(drop).unwrap_err();
        assert!(format!("{error:?}").contains("does not support TLS"), "{error:?}");
        let mut prefer = config(&plain);
        prefer.ssl_mode(tokio_postgres::config::SslMode::Prefer);
        connect_tls(&prefer, &trust).await.unwrap();
    });
}

#[test]
fn tls_with_every_key_and_every_authentication() {
    for kind in [KeyKind::EcdsaP256, KeyKind::Rsa2048] {
        for auth in every_auth().into_iter().chain([Auth::Trust]) {
            let server = start(ServerOptions { auth, tls: TlsSetting::SelfMade(kind), ..ServerOptions::default() });
            block_on(async {
                let client = connect_tls(&config(&server), &client_tls(&server, Resume::Never)).await.unwrap();
                client.simple_query("select 1").await.unwrap();
                let counters = server.counters();
                assert_eq!((counters.tls_full, counters.tls_resumed, counters.encrypted_now), (1, 0, 1));
            });
        }
    }
}

#[test]
fn channel_binding_is_done_over_tls() {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let server = start(ServerOptions { auth: scram(), tls, ..ServerOptions::default() });
    block_on(async {
        let tls = client_tls(&server, Resume::Never);
        for binding in [ChannelBinding::Require, ChannelBinding::Prefer, ChannelBinding::Disable] {
            connect_tls(config(&server).channel_binding(binding), &tls).await.unwrap();
            let wrong = connect_tls(config(&server).channel_binding(binding).password("x"), &tls).await.map(drop);
            assert_eq!(code(&wrong.unwrap_err()), "28P01");
        }
    });
}

#[test]
fn tls_without_a_request_needs_the_protocols_name() {
    let server = start(ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..ServerOptions::default() });
    block_on(async {
        let mut direct = config(&server);
        direct.ssl_negotiation(SslNegotiation::Direct).ssl_mode(tokio_postgres::config::SslMode::Require);
        let tls = client_tls(&server, Resume::Never);
        connect_tls(&direct, &tls).await.unwrap().simple_query("select 1").await.unwrap();
    });
    assert_eq!(server.counters().tls_full, 1);
}

#[test]
fn sessions_are_resumed_unless_the_options_say_no() {
    for (resumption, expected) in [(Resumption::Tickets, (1, 9)), (Resumption::Off, (10, 0))] {
        let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
        let server = start(ServerOptions { tls, resumption, ..ServerOptions::default() });
        block_on(async {
            let tls = client_tls(&server, Resume::WhenOffered);
            for _ in 0..10 {
                let client = connect_tls(&config(&server), &tls).await.unwrap();
                client.simple_query("select 1").await.unwrap();
            }
        });
        let counters = server.counters();
        assert_eq!((counters.tls_full, counters.tls_resumed), expected, "{resumption:?}");
    }
}

#[test]
fn tls_1_2_full_and_resumed() {
    use peaje_engine::{ClientTls, TlsOptions};

    let server = start(ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..ServerOptions::default() });
    block_on(async {
        let versions = vec![&rustls::version::TLS12];
        let resume = Resume::WhenOffered;
        let tls = ClientTls::new(TlsOptions { versions, resume, ..TlsOptions::default() }).unwrap();
        for _ in 0..3 {
            connect_tls(&config(&server), &tls).await.unwrap().simple_query("select 1").await.unwrap();
        }
    });
    let counters = server.counters();
    assert_eq!((counters.tls_full, counters.tls_resumed), (1, 2));
}

#[test]
fn a_database_is_missing_by_its_name() {
    let server = start(ServerOptions { auth: scram(), ..ServerOptions::default() });
    block_on(async {
        let error = connect(config(&server).dbname("missing_shop")).await.map(drop).unwrap_err();
        assert_eq!(code(&error), "3D000");
        assert_eq!(error.as_db_error().unwrap().message(), "database \"missing_shop\" does not exist");
        connect(config(&server).dbname("missing")).await.unwrap();
    });
}
