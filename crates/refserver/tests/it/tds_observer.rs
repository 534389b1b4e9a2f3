//! peaje's own observer sees this server as it sees a SQL Server.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::in_models::in_every_model;
use crate::tds_common::{PASSWORD, USER, block_on, checking, listen, start, wait_for, with_tls};
use peaje_engine::{Connector, Observer, Trace};
use peaje_model::{Fact, FactValue, OutcomeKind, Secret, Segment, TlsMode};
use peaje_refserver::{RefServer, ServerOptions, ServerState, SqlServerOptions};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::counters::{ObserverOptions, SqlServerObserver, gap_of, log_plan};
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector, SqlServerSession};

fn config(server: &RefServer, more: &str) -> Config {
    let port = server.address().port();
    let text =
        format!("Server=tcp:127.0.0.1,{port};User ID={USER};Password={PASSWORD};TrustServerCertificate=yes;{more}");
    Config::parse(&text, &BareSurroundings).unwrap()
}

fn options(tls: TlsMode) -> ObserverOptions {
    ObserverOptions { tls, program_name: "it's me".into(), skip: Vec::new(), access_token: None }
}

async fn observe(config: &Config, tls: TlsMode) -> SqlServerObserver {
    SqlServerObserver::connect(config, &options(tls)).await.unwrap()
}

/// A session of the run.
async fn log_in(config: &Config, tls: TlsMode, program_name: &str) -> SqlServerSession {
    let options = LoginOptions { tls, program_name: program_name.into(), ..LoginOptions::default() };
    let connector = SqlServerConnector::new(config, options).unwrap();
    connector.log_in(0, &mut Trace::start()).await.unwrap()
}

fn value<'a>(facts: &'a [Fact], name: &str) -> &'a FactValue {
    &facts.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name}: {facts:?}")).value
}

#[test]
fn logins_sessions_encryption_and_limits() {
    in_every_model(&ServerOptions { max_sessions: Some(30), ..with_tls() }, logins_sessions_encryption_and_limits_of);
}

fn logins_sessions_encryption_and_limits_of(server: &RefServer) {
    block_on(async {
        let target = config(server, "Encrypt=yes");
        let mut observer = observe(&target, TlsMode::AsUrl).await;
        let before = observer.counters().await.unwrap();
        assert_eq!((before.logins_total, before.own_sessions), (Some(1), 0));
        let secret = log_in(&target, TlsMode::AsUrl, "it's me").await;
        let plain = log_in(&config(server, "Encrypt=optional"), TlsMode::AsUrl, "it's me").await;
        let other = log_in(&target, TlsMode::AsUrl, "somebody else").await;
        assert!(secret.is_encrypted() && !plain.is_encrypted());
        let during = observer.counters().await.unwrap();
        assert_eq!((during.logins_total, during.own_sessions, during.origin), (Some(4), 2, before.origin));
        let sample = observer.sample().await.unwrap();
        assert_eq!((sample.sessions, sample.encrypted), (2, 1));
        let limits = observer.limits().await.unwrap();
        assert_eq!((limits.limit, limits.in_use, limits.reserved), (30, 4, 0));
        drop((secret, plain, other));
        wait_for(server, |c| c.sessions_now == 1);
        let after = observer.counters().await.unwrap();
        assert_eq!((after.logins_total, after.own_sessions), (Some(4), 0));
        assert!(observer.source().contains("Logins/sec"));
        observer.close().await;
        wait_for(server, |c| c.sessions_now == 0);
    });
}

#[test]
fn what_answered_and_its_facts() {
    let server = start(with_tls());
    block_on(async {
        for more in ["Encrypt=yes", "Encrypt=optional"] {
            let mut observer = observe(&config(&server, more), TlsMode::AsUrl).await;
            let answered = observer.what_answered().await.unwrap();
            assert_eq!((answered.product.as_str(), answered.reference_server), ("peaje reference server", true));
            assert_eq!(answered.segment, Segment::Server);
            assert!(answered.version.unwrap().starts_with("16.0.1000.6"));
            let (facts, gaps) = observer.facts().await;
            assert!(gaps.is_empty(), "{gaps:?}");
            for (name, expected) in [
                ("network_packet_size", FactValue::Number(4096.0)),
                ("user_connections", FactValue::Number(0.0)),
                ("login_audit_level", FactValue::Text("none".into())),
                ("forced_encryption", FactValue::Bool(false)),
                ("logon_triggers", FactValue::Text(String::new())),
                ("resource_governor_classifier", FactValue::Text(String::new())),
                ("engine_edition", FactValue::Number(3.0)),
            ] {
                assert_eq!(value(&facts, name), &expected, "{name}");
            }
            assert!(log_plan(&facts).is_silent(), "{:?}", log_plan(&facts));
        }
    });
}

#[test]
fn something_between_is_seen() {
    let server = start(checking());
    block_on(async {
        let proxy = listen();
        proxy.set_nonblocking(true).unwrap();
        let proxy = tokio::net::TcpListener::from_std(proxy).unwrap();
        let port = proxy.local_addr().unwrap().port();
        let behind = server.address();
        tokio::spawn(async move {
            let (mut client, _) = proxy.accept().await.unwrap();
            let mut backend = tokio::net::TcpStream::connect(behind).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut client, &mut backend).await;
        });
        let text = format!("Server=127.0.0.1,{port};User ID={USER};Password={PASSWORD};Encrypt=optional");
        let target = Config::parse(&text, &BareSurroundings).unwrap();
        let mut observer = observe(&target, TlsMode::Off).await;
        assert_eq!(observer.what_answered().await.unwrap().segment, Segment::SomethingBetween);
    });
}

#[test]
fn an_observer_that_may_not_come_in_costs_one_failed_login() {
    let server = start(checking());
    block_on(async {
        let mut target = config(&server, "Encrypt=optional");
        target.password = Some(Secret::new("nope"));
        let failure = SqlServerObserver::connect(&target, &options(TlsMode::Off)).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("18456")));
        assert!(gap_of(&failure).why.contains("Login failed for user 'sa'."));
        assert!(!format!("{failure:?}").contains("nope"));
        assert_eq!(wait_for(&server, |c| c.logging_in == 0).failed, 1);
    });
}

#[test]
fn each_missing_right_is_named_and_the_rest_is_read_all_the_same() {
    let sql_server = SqlServerOptions { server_state: ServerState::Hidden, ..SqlServerOptions::default() };
    let server = start(ServerOptions { sql_server, ..checking() });
    block_on(async {
        let mut observer = observe(&config(&server, "Encrypt=optional"), TlsMode::Off).await;
        // Without a right the server's view of our port is hidden, and the address alone proves nothing.
        assert_eq!(observer.what_answered().await.unwrap().segment, Segment::Unknown);
        let (performance, security) =
            ("grant view server performance state to [sa]", "grant view server security state to [sa]");
        for (gap, grant) in [
            (observer.counters().await.unwrap_err(), performance),
            (observer.limits().await.unwrap_err(), performance),
            (observer.sample().await.unwrap_err(), security),
        ] {
            assert_eq!(gap.next_step.as_deref(), Some(grant), "{gap:?}");
        }
        let (facts, gaps) = observer.facts().await;
        assert_eq!(value(&facts, "network_packet_size"), &FactValue::Number(4096.0));
        let missing: Vec<&str> = gaps.iter().map(|gap| gap.what.as_str()).collect();
        let expected = [
            "sys.dm_os_sys_info",
            "sys.server_triggers",
            "sys.server_audit_specifications",
            "sys.dm_xe_sessions",
            "sys.resource_governor_configuration",
            "sys.dm_exec_connections.encrypt_option",
        ];
        assert_eq!(missing, expected);
        assert!(gaps.iter().all(|gap| gap.next_step.as_deref().is_some_and(|step| step.starts_with("grant view"))));
        let unknown = ["login_audits", "login_event_sessions", "logon_triggers", "resource_governor_classifier"];
        assert_eq!(log_plan(&facts).unknown, unknown);
    });
}
