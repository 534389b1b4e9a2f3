//! The login against a real MariaDB, which each test starts for itself and which is gone afterwards.
//!
//! MariaDB has to be installed, server and client; without it the tests fail and say so.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::{Client, start, start_with};
use peaje_engine::{Connector, Endpoint, Failure, Trace};
use peaje_model::{CloseMode, OutcomeKind, Phase, Secret, TlsMode};
use peaje_mysql::config::{BareSurroundings, Config, SslMode, TlsVersion};
use peaje_mysql::login::{AwaitInit, LoginOptions, MysqlConnector, MysqlSession};
use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};

fn options() -> LoginOptions {
    LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() }
}

fn connector(config: &Config, options: LoginOptions) -> MysqlConnector {
    MysqlConnector::new(config, options).expect("the settings are sound")
}

async fn log_in(connector: &MysqlConnector, trace: &mut Trace) -> Result<MysqlSession, Failure> {
    let limit = Duration::from_secs(30);
    tokio::time::timeout(limit, connector.log_in(0, trace)).await.expect("the login hangs")
}

/// A whole operation: login, query, close.
async fn operate(connector: &MysqlConnector) -> Result<Trace, Failure> {
    let mut trace = Trace::start();
    let mut session = log_in(connector, &mut trace).await?;
    trace.enter(Phase::FirstQuery);
    connector.query(&mut session, &mut trace).await?;
    connector.close(session, &mut trace).await?;
    trace.stop();
    Ok(trace)
}

/// The server's counter of refused credentials.
fn denied(server: &ThrowawayMariadb) -> u64 {
    let shown = Client::admin(server).run("show global status like 'Access_denied_errors'").expect("it is counted");
    shown.split_whitespace().last().and_then(|n| n.parse().ok()).expect("a number")
}

/// The same login, as this account with the password of all.
fn as_user(server: &ThrowawayMariadb, user: &str, ssl_mode: SslMode) -> Config {
    let mut config = server.config(ThrowawayAuth::Native, ssl_mode);
    user.clone_into(&mut config.user);
    config
}

#[tokio::test]
async fn every_method_with_and_without_tls() {
    let server = start(&[]);
    let methods = [
        (ThrowawayAuth::None, "no-password", 1),
        (ThrowawayAuth::Native, "mysql-native-password", 1),
        // The server names the plugin only then: another round trip.
        (ThrowawayAuth::Ed25519, "ed25519", 2),
    ];
    for (auth, method, trips) in methods {
        for close in [CloseMode::Polite, CloseMode::Quick, CloseMode::Reset] {
            for mode in
                [SslMode::Disabled, SslMode::Preferred, SslMode::Required, SslMode::VerifyCa, SslMode::VerifyIdentity]
            {
                let connector = connector(&server.config(auth, mode), LoginOptions { close, ..options() });
                let trace =
                    operate(&connector).await.unwrap_or_else(|failure| panic!("{auth:?} {mode:?}: {failure:?}"));
                assert_eq!(trace.auth.map(|a| a.method), Some(method));
                assert_eq!(trace.tls.map(|tls| tls.resumed), (mode != SslMode::Disabled).then_some(false));
                let of = |phase| trace.round_trips()[phase];
                assert_eq!((of(Phase::Connect), of(Phase::Negotiate), of(Phase::Authenticate)), (1, 1, trips));
                assert_eq!((of(Phase::Session), of(Phase::FirstQuery)), (0, 1));
            }
        }
    }
    server.stop().expect("it stops");
}

#[tokio::test]
async fn resumed_sessions_and_full_ones() {
    let server = start(&[]);
    let mut config = server.config(ThrowawayAuth::Native, SslMode::VerifyIdentity);
    for version in [TlsVersion::Tls12, TlsVersion::Tls13] {
        config.tls_versions = vec![version];
        for (tls, resumed) in [(TlsMode::Resumed, true), (TlsMode::Full, false), (TlsMode::AsUrl, false)] {
            let connector = connector(&config, LoginOptions { tls, ..options() });
            let first = operate(&connector).await.expect("a login").tls.expect("encrypted");
            assert!(!first.resumed);
            for _ in 0..3 {
                let next = operate(&connector).await.expect("a login").tls.expect("encrypted");
                assert_eq!((next.resumed, next.version), (resumed, first.version), "{tls:?} {version:?}");
            }
        }
    }
    server.stop().expect("it stops");
}

#[tokio::test]
async fn over_the_unix_socket() {
    let server = start(&[]);
    let methods = [
        (ThrowawayAuth::Socket, "unix-socket"),
        (ThrowawayAuth::None, "no-password"),
        (ThrowawayAuth::Native, "mysql-native-password"),
        (ThrowawayAuth::Ed25519, "ed25519"),
    ];
    for (auth, method) in methods {
        let mut config = server.socket_config(auth);
        for (mode, encrypted) in [(SslMode::Disabled, false), (SslMode::Preferred, false), (SslMode::Required, true)] {
            config.ssl_mode = mode;
            let trace = operate(&connector(&config, options())).await.expect("a login");
            assert_eq!(trace.auth.map(|a| a.method), Some(method));
            assert_eq!((trace.tls.is_some(), trace.round_trips()[Phase::Connect]), (encrypted, 0));
        }
    }
    // Somebody else's account, for which this user of the operating system is nobody.
    Client::admin(&server).run("create user stranger@'%' identified via unix_socket").expect("it is created");
    let mut config = server.socket_config(ThrowawayAuth::None);
    "stranger".clone_into(&mut config.user);
    let failure = operate(&connector(&config, options())).await.expect_err("rejected");
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("1698")));
    server.stop().expect("it stops");
}

#[tokio::test]
async fn rejected_once_and_counted_once() {
    let server = start(&[]);
    let mut expected = denied(&server);
    for auth in [ThrowawayAuth::None, ThrowawayAuth::Native, ThrowawayAuth::Ed25519] {
        for mode in [SslMode::Disabled, SslMode::Preferred, SslMode::VerifyIdentity] {
            let mut config = server.config(auth, mode);
            config.password = Some(Secret::new("not the password"));
            let failure = operate(&connector(&config, options())).await.expect_err("rejected");
            assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("1045")));
            assert_eq!(failure.phase, Some(Phase::Authenticate));
            assert!(failure.message.contains("SQLSTATE 28000") && failure.hint.is_some(), "{failure:?}");
            expected += 1;
            assert_eq!(denied(&server), expected, "{auth:?} {mode:?}");
        }
    }
    let failure = operate(&connector(&as_user(&server, "nobody_at_all", SslMode::Preferred), options())).await;
    assert_eq!(failure.expect_err("rejected").code.as_deref(), Some("1045"));
    assert_eq!(denied(&server), expected + 1);

    // A password that is missing is told before the server can count it, where the plugin allows it.
    let mut config = server.config(ThrowawayAuth::Ed25519, SslMode::Preferred);
    config.password = None;
    let failure = operate(&connector(&config, options())).await.expect_err("none was given");
    assert_eq!((failure.kind, failure.code), (OutcomeKind::Rejected, None));
    server.stop().expect("it stops");
}

#[tokio::test]
async fn unknown_databases_and_rights() {
    let server = start(&[]);
    for (auth, code) in [(ThrowawayAuth::Admin, "1049"), (ThrowawayAuth::Native, "1044")] {
        let mut config = server.config(auth, SslMode::Preferred);
        config.database = Some("no_such_database".to_owned());
        let failure = operate(&connector(&config, options())).await.expect_err("rejected");
        assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some(code)));
        assert!(failure.message.contains("no_such_database") && failure.hint.is_some(), "{failure:?}");
    }
    let mut config = server.config(ThrowawayAuth::Native, SslMode::Preferred);
    config.database = None;
    operate(&connector(&config, options())).await.expect("no database is needed");
    server.stop().expect("it stops");
}

#[tokio::test]
async fn accounts_with_conditions() {
    let server = start(&[]);
    let password = server.password().expose();
    let script = format!(
        "create user tlsonly@'%' identified by '{password}' require ssl;
         create user locked@'%' identified by '{password}' account lock;
         create user capped@'%' identified by '{password}' with max_user_connections 1;
         create user several@'%' identified via ed25519 using password('other') or mysql_native_password using \
         password('{password}');
         grant all on peaje.* to tlsonly@'%', locked@'%', capped@'%', several@'%'"
    );
    Client::admin(&server).run(&script).expect("they are created");
    let result = |user, mode| {
        let connector = connector(&as_user(&server, user, mode), options());
        async move { operate(&connector).await }
    };
    assert_eq!(result("tlsonly", SslMode::Disabled).await.expect_err("needs TLS").code.as_deref(), Some("1045"));
    result("tlsonly", SslMode::Preferred).await.expect("encrypted");
    assert_eq!(result("locked", SslMode::Preferred).await.expect_err("locked").code.as_deref(), Some("4151"));
    let trace = result("several", SslMode::Preferred).await.expect("the second plugin will do");
    assert_eq!(trace.auth.map(|a| a.method), Some("mysql-native-password"));

    let capped = connector(&as_user(&server, "capped", SslMode::Preferred), options());
    let first = log_in(&capped, &mut Trace::start()).await.expect("one fits");
    let failure = operate(&capped).await.expect_err("no more");
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::ServerFull, Some("1226")));
    drop(first);

    Client::admin(&server).run("set global require_secure_transport = on").expect("it is set");
    let failure = result("several", SslMode::Disabled).await.expect_err("needs TLS");
    // MariaDB has no words of its own for it.
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("1045")), "{failure:?}");
    assert!(failure.hint.is_some_and(|hint| hint.contains("requires TLS")));
    result("several", SslMode::Preferred).await.expect("encrypted");
    server.stop().expect("it stops");
}

#[tokio::test]
async fn what_the_server_learns_of_the_client() {
    let server = start(&[]);
    let name = LoginOptions { program_name: "peaje CHG0012345".to_owned(), ..options() };
    let connector = connector(&server.config(ThrowawayAuth::Admin, SslMode::Preferred), name);
    let mut session = log_in(&connector, &mut Trace::start()).await.expect("a login");
    let sql = "select attr_value, connection_id(), @@version, @@character_set_client, database() \
               from performance_schema.session_connect_attrs \
               where processlist_id = connection_id() and attr_name = 'program_name'";
    let found = session.rows(sql, &mut Trace::start()).await.expect("an answer");
    let id = session.connection_id().to_string();
    let expected = ["peaje CHG0012345", id.as_str(), session.server_version(), "utf8mb4", "peaje"];
    assert_eq!(found.rows, [expected.map(|value| Some(value.to_owned())).to_vec()]);
    assert_eq!(found.columns[1], "connection_id()");

    // An error leaves the session good for the next statement.
    let failure = session.rows("select nonsense", &mut Trace::start()).await.expect_err("no such column");
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("1054")));
    let row = vec![Some("é".to_owned()), None];
    assert_eq!(session.rows("select 'é', null", &mut Trace::start()).await.expect("an answer").rows, [row]);
    connector.close(session, &mut Trace::start()).await.expect("closed");
    server.stop().expect("it stops");
}

/// Rows of more than a packet, and answers of several results.
#[tokio::test]
async fn long_answers() {
    let server = start(&[("max-allowed-packet", "64M")]);
    let config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    for query in [
        "select repeat('x', 40000000) union all select repeat(char(255), 100)",
        "select seq from seq_1_to_20000",
        "select repeat(char(254), 16777300)",
        "call several_results()",
        "do 1",
    ] {
        if query.starts_with("call") {
            let script = "create procedure peaje.several_results() begin select 1; select 2, 3; end";
            Client::admin(&server).run(&format!("delimiter //\n{script} //")).expect("it is created");
        }
        let trace = operate(&connector(&config, LoginOptions { query: query.to_owned(), ..options() })).await;
        trace.unwrap_or_else(|failure| panic!("{query}: {failure:?}"));
    }
    server.stop().expect("it stops");
}

/// The server runs it after its OK, so that its cost shows in whatever comes next.
#[tokio::test]
async fn init_connect_is_paid_by_what_follows() {
    let server = start(&[("init-connect", "do sleep(0.3)")]);
    let config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    // The client may hear of the OK a little late: some of the pause is over by then.
    let pause = Duration::from_millis(200);
    let trace = operate(&connector(&config, options())).await.expect("a login");
    assert!(trace.laps()[Phase::FirstQuery] >= pause && trace.laps()[Phase::Session] < pause);
    let waits = LoginOptions { await_init: AwaitInit::Ping, ..options() };
    let trace = operate(&connector(&config, waits)).await.expect("a login");
    assert!(trace.laps()[Phase::Session] >= pause && trace.laps()[Phase::FirstQuery] < pause);
    assert_eq!(trace.round_trips()[Phase::Session], 1);

    // Statements of our own settings are a part of the login.
    let mut config = server.config(ThrowawayAuth::Admin, SslMode::Disabled);
    config.init_commands = vec!["set @peaje = 7".to_owned()];
    let mut session = log_in(&connector(&config, options()), &mut Trace::start()).await.expect("a login");
    let found = session.rows("select @peaje", &mut Trace::start()).await.expect("an answer");
    assert_eq!(found.rows, [vec![Some("7".to_owned())]]);
    drop(session);
    server.stop().expect("it stops");
}

#[tokio::test]
async fn a_full_server() {
    let server = start_with(&Options { max_connections: 10, ..Options::default() });
    let connector = connector(&server.config(ThrowawayAuth::Native, SslMode::Disabled), options());
    let mut sessions = Vec::new();
    let failure = loop {
        assert!(sessions.len() < 12, "the limit does not hold");
        match log_in(&connector, &mut Trace::start()).await {
            Ok(session) => sessions.push(session),
            Err(failure) => break failure,
        }
    };
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::ServerFull, Some("1040")));
    assert!(failure.hint.is_some_and(|hint| hint.contains("max_connections")));
    drop(sessions);
    server.stop().expect("it stops");
}

#[tokio::test]
async fn killed_sessions_and_servers() {
    let server = start(&[]);
    let connector = connector(&server.config(ThrowawayAuth::Native, SslMode::Preferred), options());
    let mut killed = log_in(&connector, &mut Trace::start()).await.expect("a login");
    Client::admin(&server).run(&format!("kill {}", killed.connection_id())).expect("it is killed");
    let lost = connector.query(&mut killed, &mut Trace::start()).await.expect_err("it was killed");
    assert_eq!(lost.kind, OutcomeKind::Reset, "{lost:?}");
    assert!(connector.close(killed, &mut Trace::start()).await.is_ok(), "what is gone is closed");

    let mut orphan = log_in(&connector, &mut Trace::start()).await.expect("a login");
    let pid = server.server_pid().expect("it runs here");
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("not 0");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it is ours");
    let lost = connector.query(&mut orphan, &mut Trace::start()).await.expect_err("the server is gone");
    assert_eq!(lost.kind, OutcomeKind::Reset, "{lost:?}");
    let since = Instant::now();
    let refused = loop {
        match log_in(&connector, &mut Trace::start()).await {
            Err(failure) if failure.kind == OutcomeKind::Refused => break failure,
            other => assert!(since.elapsed() < Duration::from_secs(10), "somebody answers: {other:?}"),
        }
    };
    assert_eq!((refused.code.as_deref(), refused.phase), (Some("ECONNREFUSED"), Some(Phase::Connect)));
}

/// The URL as a person writes it, with a host that is dead before the one that serves.
#[tokio::test]
async fn urls_and_several_hosts() {
    let server = start(&[]);
    let password = server.password().expose();
    let dead = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let dead = if dead < 32_768 { dead } else { 1 };
    let ca: PathBuf = server.root_certificate();
    for (text, encrypted) in [
        (format!("mysql://peaje_native:{password}@127.0.0.1:{}/peaje", server.port()), true),
        (format!("mariadb://peaje_native:{password}@127.0.0.1:{dead},127.0.0.1:{}/?ssl=0", server.port()), false),
        (
            format!(
                "jdbc:mysql://localhost:{}/peaje?user=peaje_native&password={password}&sslMode=VERIFY_CA&ssl-ca={}",
                server.port(),
                ca.display()
            ),
            true,
        ),
        (format!("mysql://peaje_native:{password}@({})/peaje", server.socket().display()), false),
    ] {
        let config = Config::parse(&text, &BareSurroundings).expect("well formed");
        let trace = operate(&connector(&config, options())).await.unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(trace.tls.is_some(), encrypted);
        assert!(!config.display_url().contains(password));
    }
    assert!(matches!(server.socket_config(ThrowawayAuth::Socket).endpoints[0], Endpoint::Unix { .. }));
    server.stop().expect("it stops");
}
