//! The login against a real PostgreSQL, which each test starts for itself and which is gone afterwards.
//!
//! PostgreSQL 15 and 18 have to be installed; without one of them its tests fail and say so.

use std::time::Duration;

use crate::common::{Postgres, on_each_version};
use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{CloseMode, OutcomeKind, Phase, ScramCache, TlsMode};
use peaje_postgres::config::{AuthMethod, BareSurroundings, ChannelBindingMode, Config, SslMode};
use peaje_postgres::login::{LoginOptions, PostgresConnector};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};

fn options() -> LoginOptions {
    LoginOptions { query: "select 1".to_owned(), scram_cache: ScramCache::On, ..LoginOptions::default() }
}

/// A whole operation: login, query, close.
async fn operate(connector: &PostgresConnector) -> Result<Trace, Failure> {
    let mut trace = Trace::start();
    let whole = async {
        let mut session = connector.log_in(0, &mut trace).await?;
        trace.enter(Phase::FirstQuery);
        connector.query(&mut session, &mut trace).await?;
        connector.close(session, &mut trace).await
    };
    tokio::time::timeout(Duration::from_secs(30), whole).await.expect("the login hangs")?;
    trace.stop();
    Ok(trace)
}

fn connector(config: &Config, options: LoginOptions) -> PostgresConnector {
    PostgresConnector::new(config, options).expect("the settings are sound")
}

fn log_of(cluster: &ThrowawayCluster) -> String {
    std::fs::read_to_string(cluster.folder().join("log")).expect("the server writes a log")
}

async fn every_method_with_and_without_tls(pg: &Postgres) {
    let cluster = pg.start(&ThrowawayOptions::default());
    let methods = [
        (ThrowawayAuth::Trust, AuthMethod::Trust, AuthMethod::Trust),
        (ThrowawayAuth::Password, AuthMethod::Password, AuthMethod::Password),
        (ThrowawayAuth::Md5, AuthMethod::Md5, AuthMethod::Md5),
        (ThrowawayAuth::Scram, AuthMethod::ScramSha256, AuthMethod::ScramSha256Plus),
    ];
    for (login, plain, encrypted) in methods {
        for close in [CloseMode::Polite, CloseMode::Quick, CloseMode::Reset] {
            let options = LoginOptions { close, ..options() };
            let trace = operate(&connector(&cluster.config(login, SslMode::Disable), options.clone())).await;
            let trace = trace.expect("a login without TLS");
            assert_eq!((trace.auth.map(|a| a.method), trace.tls), (Some(plain.name()), None));
            let trace = operate(&connector(&cluster.config(login, SslMode::VerifyFull), options)).await;
            let trace = trace.expect("a login over TLS");
            assert_eq!(trace.auth.map(|a| a.method), Some(encrypted.name()));
            assert!(trace.tls.is_some_and(|tls| !tls.resumed));
        }
    }
    cluster.stop().expect("it stops");
}

async fn scram_bound_to_the_channel_or_not(pg: &Postgres) {
    let cluster = pg.start(&ThrowawayOptions::default());
    let mut config = cluster.config(ThrowawayAuth::Scram, SslMode::VerifyCa);
    for (mode, method) in [
        (ChannelBindingMode::Require, AuthMethod::ScramSha256Plus),
        (ChannelBindingMode::Disable, AuthMethod::ScramSha256),
    ] {
        config.channel_binding = mode;
        let connector = connector(&config, options());
        for cached in [false, true] {
            let auth = operate(&connector).await.expect("a login").auth.expect("authenticated");
            assert_eq!((auth.method, auth.iterations, auth.cached), (method.name(), Some(4096), cached));
        }
    }
    // PostgreSQL never resumes a session: asked for, not given, and said.
    let resumed = connector(&config, LoginOptions { tls: TlsMode::Resumed, ..options() });
    for _ in 0..2 {
        assert!(operate(&resumed).await.expect("a login").tls.is_some_and(|tls| !tls.resumed));
    }
    cluster.stop().expect("it stops");
}

async fn over_the_unix_socket(pg: &Postgres) {
    let cluster = pg.start(&ThrowawayOptions::default());
    for login in ThrowawayAuth::LOGINS {
        let config = Config::parse(cluster.socket_string(login).expose(), &BareSurroundings).expect("well formed");
        let trace = operate(&connector(&config, options())).await.expect("a login");
        assert_eq!((trace.tls, trace.round_trips()[Phase::Connect]), (None, 0));
    }
    cluster.stop().expect("it stops");
}

async fn rejected_once_and_counted_once(pg: &Postgres) {
    let cluster = pg.start(&ThrowawayOptions::default());
    for login in [ThrowawayAuth::Scram, ThrowawayAuth::Md5, ThrowawayAuth::Password] {
        for mode in [SslMode::Allow, SslMode::Prefer, SslMode::Require] {
            let mut config = cluster.config(login, mode);
            config.password = Some(peaje_model::Secret::new("not the password"));
            let failure = operate(&connector(&config, options())).await.expect_err("rejected");
            assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("28P01")));
        }
    }
    assert_eq!(log_of(&cluster).matches("FATAL:  password authentication failed").count(), 9);

    let mut config = cluster.config(ThrowawayAuth::Trust, SslMode::Prefer);
    "no_such_database".clone_into(&mut config.database);
    let failure = operate(&connector(&config, options())).await.expect_err("rejected");
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("3D000")));

    let mut config = cluster.config(ThrowawayAuth::Trust, SslMode::Prefer);
    "nobody_at_all".clone_into(&mut config.user);
    let failure = operate(&connector(&config, options())).await.expect_err("rejected");
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("28000")));
    assert!(failure.hint.is_some_and(|hint| hint.contains("pg_hba.conf")));
    cluster.stop().expect("it stops");
}

async fn a_full_server_and_one_that_goes_away(pg: &Postgres) {
    let settings = vec![("superuser_reserved_connections".to_owned(), "2".to_owned())];
    let cluster = pg.start(&ThrowawayOptions { max_connections: 5, settings, ..ThrowawayOptions::default() });
    let connector = connector(&cluster.config(ThrowawayAuth::Trust, SslMode::Disable), options());
    let mut sessions = Vec::new();
    let failure = loop {
        assert!(sessions.len() < 5, "the limit does not hold");
        match connector.log_in(0, &mut Trace::start()).await {
            Ok(session) => sessions.push(session),
            Err(failure) => break failure,
        }
    };
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::ServerFull, Some("53300")));

    let mut session = sessions.pop().expect("some sessions fit");
    cluster.stop().expect("it stops");
    let lost = connector.query(&mut session, &mut Trace::start()).await.expect_err("the server is gone");
    assert!(matches!(lost.kind, OutcomeKind::Rejected | OutcomeKind::Reset), "{lost:?}");
    let refused = connector.log_in(0, &mut Trace::start()).await.expect_err("nobody listens");
    assert_eq!((refused.kind, refused.phase), (OutcomeKind::Refused, Some(Phase::Connect)));
}

on_each_version! {
    ; async every_method_with_and_without_tls, scram_bound_to_the_channel_or_not, over_the_unix_socket, rejected_once_and_counted_once, a_full_server_and_one_that_goes_away
}
