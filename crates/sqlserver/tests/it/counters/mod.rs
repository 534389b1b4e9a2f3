//! The observer against servers of many kinds, which answer from a table.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod server;
mod watcher;

use peaje_engine::Observer;
use peaje_model::{Fact, FactValue, Segment, TlsMode};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::counters::{ObserverOptions, SqlServerObserver, log_plan};

use server::{Answer, Server, Table, row, rows};

async fn observe(server: &Server) -> SqlServerObserver {
    let text = format!("Server=tcp:127.0.0.1,{};User ID=ann;Password=secret", server.port);
    let config = Config::parse(&text, &BareSurroundings).unwrap();
    let options =
        ObserverOptions { tls: TlsMode::Off, program_name: "peaje".into(), skip: Vec::new(), access_token: None };
    SqlServerObserver::connect(&config, &options).await.unwrap()
}

fn value<'a>(facts: &'a [Fact], name: &str) -> Option<&'a FactValue> {
    facts.iter().find(|f| f.name == name).map(|f| &f.value)
}

fn text(text: &str) -> FactValue {
    FactValue::Text(text.to_owned())
}

const ALL_RIGHTS: [(&str, &str); 3] =
    [("view_server_state", "1"), ("view_any_definition", "1"), ("view_database_state", "1")];

/// A table in which these answers take the place of others.
fn with(mut table: Table, more: Table) -> Table {
    table.retain(|(name, _)| more.iter().all(|(other, _)| name != other));
    table.extend(more);
    table
}

/// A busy SQL Server 2019 behind a listener, with everything that can run at a login.
fn version_2019() -> Table {
    let server = [
        ("version", "Microsoft SQL Server 2019 (RTM-CU27) (KB5037331) - 15.0.4375.4 (X64)"),
        ("product_version", "15.0.4375.4"),
        ("product_level", "RTM"),
        ("product_update_level", "CU27"),
        ("edition", "Enterprise Edition (64-bit)"),
        ("engine_edition", "3"),
        ("hadr_enabled", "1"),
        ("server_name", "SQL01"),
        ("password_hash_algorithm", "2"),
        ("client_net_address", "127.0.0.1"),
        ("local_net_address", "10.0.0.50"),
    ];
    vec![
        ("guard", vec![rows(&[])]),
        ("server", vec![row(&server)]),
        ("rights", vec![row(&ALL_RIGHTS)]),
        ("peer", vec![row(&[("client_net_address", "127.0.0.1"), ("client_tcp_port", "1")])]),
        ("listener", vec![row(&[("dns_name", "sales-ag"), ("ip_address", "10.0.0.50"), ("port", "1433")])]),
        ("machine", vec![row(&[("started_at", "2026-01-01"), ("cpu_count", "16"), ("max_workers_count", "704")])]),
        ("settings", vec![row(&[("name", "user connections"), ("value_in_use", "500")])]),
        ("logon_triggers", vec![rows(&[&[("name", "limit_hosts")], &[("name", "audit_logins")]])]),
        (
            "login_audits",
            vec![rows(&[
                &[("name", "compliance"), ("audit_action_name", "SUCCESSFUL_LOGIN_GROUP")],
                &[("name", "compliance"), ("audit_action_name", "LOGOUT_GROUP")],
            ])],
        ),
        ("login_events", vec![row(&[("name", "who_logs_in"), ("event_name", "login")])]),
        ("login_audit_level", vec![row(&[("Value", "AuditLevel"), ("Data", "3")])]),
        ("forced_encryption", vec![row(&[("Value", "ForceEncryption"), ("Data", "1")])]),
        ("classifier", vec![row(&[("is_enabled", "1"), ("classifier_function_id", "77"), ("name", "dbo.classify")])]),
        ("limits", vec![row(&[("max_connections", "500"), ("in_use", "321")])]),
        ("counters", vec![counters("2026-01-01", 1000, 900, 5000, 100, 0)]),
        ("sample", vec![row(&[("sessions", "7"), ("encrypted", "5")])]),
        (
            "session_memory",
            vec![row(&[
                ("sessions", "321"),
                ("session_pages", "1284"),
                ("connections_kb", "9000"),
                ("packets_kb", "5136"),
            ])],
        ),
    ]
}

fn counters(started: &str, logins: u64, logouts: u64, resets: u64, connections: u64, own: u64) -> Answer {
    let numbers = [own, logins, logouts, resets, connections].map(|n| n.to_string());
    row(&[
        ("started_at", started),
        ("own_sessions", &numbers[0]),
        ("logins_total", &numbers[1]),
        ("logouts_total", &numbers[2]),
        ("resets_total", &numbers[3]),
        ("user_connections", &numbers[4]),
    ])
}

#[tokio::test]
async fn everything_that_runs_at_a_login_is_found() {
    let server = Server::start(version_2019());
    let mut observer = observe(&server).await;
    let answered = observer.what_answered().await.unwrap();
    assert_eq!(answered.product, "SQL Server (availability-group listener sales-ag)");
    assert_eq!(answered.version.as_deref(), Some("15.0.4375.4 RTM CU27, Enterprise Edition (64-bit)"));
    assert_eq!(answered.segment, Segment::SomethingBetween, "the server sees another port than ours");
    let (facts, gaps) = observer.facts().await;
    assert_eq!(gaps, []);
    for (name, expected) in [
        ("logon_triggers", text("audit_logins; limit_hosts")),
        ("login_audits", text("compliance: LOGOUT_GROUP, SUCCESSFUL_LOGIN_GROUP")),
        ("login_event_sessions", text("who_logs_in")),
        ("login_audit_level", text("both")),
        ("forced_encryption", FactValue::Bool(true)),
        ("resource_governor_classifier", text("dbo.classify")),
        ("max_workers_count", FactValue::Number(704.0)),
        ("user_connections", FactValue::Number(500.0)),
    ] {
        assert_eq!(value(&facts, name), Some(&expected), "{name}");
    }
    assert_eq!(log_plan(&facts).sentences().len(), 5);
    let limits = observer.limits().await.unwrap();
    assert_eq!((limits.limit, limits.in_use, limits.allowed()), (500, 321, 89));
    let sample = observer.sample().await.unwrap();
    assert_eq!((sample.sessions, sample.encrypted), (7, 5));
    let memory = observer.session_memory().await.unwrap();
    assert_eq!((memory.bytes, memory.open), (1284 * 8192 + 5136 * 1024, 321), "the larger of both, and the packets");
    assert!(!server.asked().contains(&"azure_limits"));
    observer.close().await;
}

#[tokio::test]
async fn azure_sql_database_is_asked_only_what_it_has() {
    let server = [
        ("version", "Microsoft SQL Azure (RTM) - 12.0.2000.8"),
        ("product_version", "12.0.2000.8"),
        ("edition", "SQL Azure"),
        ("engine_edition", "5"),
        ("client_net_address", "203.0.113.9"),
    ];
    let server = Server::start(vec![
        ("guard", vec![rows(&[])]),
        ("server", vec![row(&server)]),
        ("rights", vec![row(&[("view_database_state", "1")])]),
        ("peer", vec![row(&[("client_net_address", "203.0.113.9"), ("client_tcp_port", "40000")])]),
        ("machine", vec![row(&[("started_at", "2026-01-01"), ("cpu_count", "2")])]),
        ("azure_limits", vec![row(&[("max_connections", "30000"), ("in_use", "12")])]),
        ("counters", vec![counters("2026-01-01", 10, 9, 0, 1, 0)]),
    ]);
    let mut observer = observe(&server).await;
    let answered = observer.what_answered().await.unwrap();
    assert_eq!((answered.product.as_str(), answered.segment), ("Azure SQL Database", Segment::SomethingBetween));
    let (facts, gaps) = observer.facts().await;
    assert_eq!(gaps, []);
    assert!(log_plan(&facts).is_silent());
    assert_eq!(observer.limits().await.unwrap().limit, 30_000);
    assert!(observer.session_memory().await.is_err(), "it is not even asked");
    let asked = server.asked();
    assert!(!asked.iter().any(|name| ["settings", "logon_triggers", "login_audit_level", "limits"].contains(name)));
}

#[tokio::test]
async fn a_server_that_knows_only_its_version_is_named_all_the_same() {
    let unknown = || vec![Answer::Error(195, "'LOGINPROPERTY' is not a recognized built-in function name.")];
    let more = vec![
        ("server", unknown()),
        ("rights", unknown()),
        ("version", vec![row(&[("version", "Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8")])]),
        ("counters", unknown()),
        ("login_audit_level", vec![Answer::Error(229, "The EXECUTE permission was denied")]),
        ("forced_encryption", vec![rows(&[])]),
    ];
    let server = Server::start(with(version_2019(), more));
    let mut observer = observe(&server).await;
    assert_eq!(observer.what_answered().await.unwrap().product, "Babelfish for PostgreSQL");
    let gap = observer.counters().await.unwrap_err();
    assert!(gap.why.ends_with("(195)"), "{gap:?}");
    let (facts, gaps) = observer.facts().await;
    let mend = |what: &str| gaps.iter().find(|g| g.what == what).unwrap().next_step.clone();
    let grant = "grant execute on master.dbo.xp_instance_regread to [ann]";
    assert_eq!(mend("login_audit_level").as_deref(), Some(grant));
    assert!(mend("forced_encryption").unwrap().contains("Configuration Manager"));
    assert!(value(&facts, "logon_triggers").is_some(), "the rest is read all the same");
}

#[tokio::test]
async fn logins_that_include_reuses_are_told_apart_and_a_restart_is_another_origin() {
    let readings = vec![
        counters("2026-01-01", 1000, 900, 5000, 100, 1),
        // 300 resets, 40 logins of which 10 are open: the counter has moved by 340.
        counters("2026-01-01", 1340, 930, 5300, 110, 1),
        counters("2026-01-02", 3, 1, 0, 2, 1),
    ];
    let server = Server::start(with(version_2019(), vec![("counters", readings)]));
    let mut observer = observe(&server).await;
    let first = observer.counters().await.unwrap();
    assert_eq!(first.logins_total, Some(1000));
    let second = observer.counters().await.unwrap();
    assert_eq!((second.logins_total, second.origin), (Some(1040), first.origin));
    assert!(observer.source().contains("re-uses"), "{}", observer.source());
    let third = observer.counters().await.unwrap();
    assert_eq!(third.logins_total, Some(3));
    assert_ne!(third.origin, first.origin);
    assert!(!observer.source().contains("re-uses"));
}

#[tokio::test]
async fn counters_that_failed_to_register_are_a_gap_and_not_nothing() {
    let empty =
        row(&[("started_at", "2026-01-01"), ("own_sessions", "4"), ("logins_total", ""), ("logouts_total", "")]);
    let server = Server::start(with(version_2019(), vec![("counters", vec![empty])]));
    let mut observer = observe(&server).await;
    let counters = observer.counters().await.unwrap();
    assert_eq!((counters.logins_total, counters.own_sessions), (None, 4));
    let (_, gaps) = observer.facts().await;
    assert!(gaps[0].next_step.as_deref().unwrap().contains("3409"), "{gaps:?}");
}

#[tokio::test]
async fn what_another_session_locks_is_a_gap_and_the_session_goes_on() {
    let locked = Answer::Error(1222, "Lock request time out period exceeded.");
    let more = vec![("logon_triggers", vec![locked.clone()]), ("counters", vec![locked, counters("x", 1, 0, 0, 1, 1)])];
    let server = Server::start(with(version_2019(), more));
    let mut observer = observe(&server).await;
    assert!(observer.counters().await.unwrap_err().why.ends_with("(1222)"));
    assert_eq!(observer.counters().await.unwrap().logins_total, Some(1));
    let (facts, gaps) = observer.facts().await;
    assert_eq!(gaps.iter().map(|g| g.what.as_str()).collect::<Vec<_>>(), ["sys.server_triggers"]);
    assert_eq!(log_plan(&facts).unknown, ["logon_triggers"]);
}
