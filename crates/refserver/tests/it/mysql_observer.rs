//! peaje's own login and observer see this server as they see a MySQL.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;

use crate::in_models::in_every_model;
use crate::mysql_support::{
    PASSWORD, USER, block_on, caching_sha2, config, config_tls, connect, eventually, every_auth, options, root_file,
    wait_for, with_auth, with_tls,
};
use peaje_engine::{Connector, Observer, Trace};
use peaje_model::{OutcomeKind, Secret};
use peaje_mysql::config::{BareSurroundings, Config, SslMode};
use peaje_mysql::counters::{MysqlObserver, ObserverOptions};
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_refserver::{Auth, KeyKind, RefServer, ServerOptions, TlsSetting};

fn target(server: &RefServer, more: &str) -> Config {
    let mut url = format!("mysql://{USER}:{PASSWORD}@{}/shop", server.address());
    let _ = write!(url, "?ssl-mode=DISABLED{more}");
    Config::parse(&url, &BareSurroundings).unwrap()
}

async fn observe(server: &RefServer, program_name: &str) -> MysqlObserver {
    let options = ObserverOptions {
        ssl_mode: SslMode::Disabled,
        program_name: program_name.to_owned(),
        endpoint: None,
        skip: Vec::new(),
    };
    MysqlObserver::connect(&target(server, ""), &options).await.unwrap()
}

#[test]
fn logins_sessions_limits_and_facts() {
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let auth = Auth::MysqlNative { user: USER.into(), password: Secret::new(PASSWORD) };
    in_every_model(
        &ServerOptions { tls, auth, max_sessions: Some(5), ..options() },
        logins_sessions_limits_and_facts_of,
    );
}

fn logins_sessions_limits_and_facts_of(server: &RefServer) {
    let root = root_file(server);
    block_on(async {
        // Drivers that do not name their program are known by the empty name.
        let mut observer = observe(server, "").await;
        let before = observer.counters().await.unwrap();
        assert_eq!((before.logins_total, before.own_sessions), (Some(1), 0));

        let plain = connect(config(server)).await.unwrap();
        let _secret = connect(config_tls(server, &root)).await.unwrap();
        let sample = observer.sample().await.unwrap();
        assert_eq!((sample.sessions, sample.encrypted), (2, 1));
        let limits = observer.limits().await.unwrap();
        assert_eq!((limits.limit - limits.reserved, limits.in_use), (5, 3));
        connect(config(server).pass(Some("pen"))).await.map(drop).unwrap_err();
        let _held = (connect(config(server)).await.unwrap(), connect(config(server)).await.unwrap());
        connect(config(server)).await.map(drop).unwrap_err();
        let during = observer.counters().await.unwrap();
        assert_eq!((during.logins_total, during.own_sessions), (Some(5), 4), "failures and a full server aside");
        assert_eq!(during.origin, before.origin);
        plain.disconnect().await.unwrap();
        eventually(server, |c| c.sessions_now == 4).await;
        assert_eq!(observer.counters().await.unwrap().own_sessions, 3);

        let answered = observer.what_answered().await.unwrap();
        assert!(answered.reference_server, "{answered:?}");
        assert_eq!(
            (answered.product.as_str(), answered.version.as_deref()),
            ("peaje reference server", Some("8.0.99"))
        );
        let (facts, gaps) = observer.facts().await;
        assert!(facts.iter().any(|f| f.name == "max_connections"), "{facts:?}");
        assert!(gaps.is_empty(), "{gaps:?}");
        observer.close().await;
    });
}

/// The start that the observer computes from clock and uptime may not tremble: it would look like a restart.
#[test]
fn the_origin_of_the_counters_stays_until_they_are_cleared() {
    let auth = Auth::MysqlNative { user: USER.into(), password: Secret::new(PASSWORD) };
    let server = with_auth(auth);
    block_on(async {
        let mut observer = observe(&server, "x").await;
        let first = observer.counters().await.unwrap().origin;
        let begun = std::time::Instant::now();
        while begun.elapsed() < std::time::Duration::from_millis(1200) {
            assert_eq!(observer.counters().await.unwrap().origin, first);
        }
    });
}

#[test]
fn peajes_own_login_with_every_authentication() {
    let mut all = every_auth();
    all.push(Auth::Sha256 { user: USER.into(), password: Secret::new(PASSWORD) });
    for auth in all {
        let clear = matches!(auth, Auth::Password { .. });
        let server = with_tls(auth.clone());
        let more = if clear { "&enable-cleartext-plugin=true" } else { "&get-server-public-key=true" };
        block_on(async {
            for mode in [SslMode::Disabled, SslMode::Required] {
                // The password in clear leaves only over TLS.
                if clear && mode == SslMode::Disabled {
                    continue;
                }
                let mut config = target(&server, more);
                config.ssl_mode = mode;
                for (password, expected) in [(PASSWORD, None), (PASSWORD, None), ("pen", Some(OutcomeKind::Rejected))] {
                    config.password = Some(Secret::new(password));
                    let login = LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() };
                    let connector = MysqlConnector::new(&config, login).unwrap();
                    let mut trace = Trace::start();
                    let outcome = match connector.log_in(0, &mut trace).await {
                        Ok(mut session) => {
                            connector.query(&mut session, &mut trace).await.unwrap();
                            connector.close(session, &mut trace).await.unwrap();
                            None
                        }
                        Err(failure) => Some(failure.kind),
                    };
                    assert_eq!(outcome, expected, "{auth:?} {mode:?} {password}");
                }
            }
        });
        let counters = wait_for(&server, |c| c.sessions_now == 0 && c.logging_in == 0);
        assert_eq!((counters.logins, counters.failed), if clear { (2, 1) } else { (4, 2) }, "{auth:?}");
    }
}

#[test]
fn peaje_does_not_ask_for_the_key_unless_it_may() {
    let server = with_auth(caching_sha2());
    block_on(async {
        let connector = MysqlConnector::new(&target(&server, ""), LoginOptions::default()).unwrap();
        connector.log_in(0, &mut Trace::start()).await.map(drop).unwrap_err();
    });
    assert_eq!(wait_for(&server, |c| c.logging_in == 0).logins, 0);
}
