//! Access tokens in place of a password.

use peaje_model::{Secret, TlsMode};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::login::{LoginOptions, SetupError, SqlServerConnector};
use peaje_sqlserver::protocol::login7::Feature;
use peaje_sqlserver::protocol::prelogin::Encryption;
use rustls::version::TLS12;

use super::server::{Server, tls_config};
use super::succeeds;

fn options() -> LoginOptions {
    LoginOptions { access_token: Some(Secret::new("eyJ0".repeat(1_000))), ..LoginOptions::default() }
}

fn config(text: &str) -> Config {
    Config::parse(text, &BareSurroundings).unwrap()
}

#[tokio::test]
async fn a_token_is_sent_with_the_login() {
    for nonce in [None, Some([7; 32])] {
        let tls = tls_config(&TLS12);
        let server = Server::one(move |peer| {
            let asked = peer.prelogin_with(|answer| {
                answer.encryption = Some(Encryption::On);
                answer.fed_auth_required = Some(true);
                answer.nonce = nonce;
            });
            assert_eq!(asked.fed_auth_required, Some(true));
            peer.tls_within(&tls);
            // 8,000 bytes of token: the login takes more than one packet.
            let login = peer.login();
            assert_eq!((login.user.as_str(), login.password.expose()), ("", ""));
            let expected = Feature::AccessToken { echo: true, token: Secret::new("eyJ0".repeat(1_000)), nonce };
            assert_eq!(login.features, [expected, Feature::Utf8Support]);
            assert!(!format!("{login:?}").contains("eyJ0"));
            peer.welcome();
            peer.rest();
        });
        // A user and a password, which a variable may have brought in, are not sent.
        let text = format!("Server=127.0.0.1,{};UID=alice;PWD=secret;TrustServerCertificate=yes", server.port);
        let connector = SqlServerConnector::new(&config(&text), options()).unwrap();
        assert!(!format!("{connector:?}").contains("eyJ0"));
        let (session, trace) = succeeds(&connector).await;
        assert_eq!(trace.auth.unwrap().method, "access-token");
        assert!(session.is_encrypted());
        drop(session);
        server.done();
    }
}

#[test]
fn a_token_is_never_sent_in_clear() {
    let optional = config("Server=a;Encrypt=optional");
    assert!(matches!(SqlServerConnector::new(&optional, options()), Err(SetupError::TokenInClear)));
    let off = LoginOptions { tls: TlsMode::Off, ..options() };
    assert!(matches!(SqlServerConnector::new(&config("Server=a"), off), Err(SetupError::TokenInClear)));
}
