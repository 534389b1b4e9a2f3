//! The observer against a real server: its figures have to agree with what the `mariadb` client did, to the login.
//!
//! MariaDB has to be installed, server and client; without it the tests fail and say so.

use std::net::TcpStream;
use std::process::Child;
use std::time::Instant;

use crate::common::{By, Client, PATIENCE, leave, start, start_with};
use peaje_engine::{Connector, Covers, Observer, SessionCounters, Trace};
use peaje_model::{Fact, FactValue, OutcomeKind, Segment, TlsMode};
use peaje_mysql::config::{Config, SslMode};
use peaje_mysql::counters::{
    MysqlObserver, OBSERVER_NAME, ObserverOptions, PASSWORD_TO_CHOOSE, STATEMENTS, grants, log_plan, quote_account,
    quote_literal,
};
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};

/// What the `mariadb` client calls itself in its connection attributes.
const CLIENT_NAME: &str = "mysql";
/// Program name of a run.
const RUN_NAME: &str = "peaje CHG0012345";

fn options(ssl_mode: SslMode, name: &str) -> ObserverOptions {
    ObserverOptions { ssl_mode, program_name: name.to_owned(), endpoint: None, skip: Vec::new() }
}

async fn observe(server: &ThrowawayMariadb, auth: ThrowawayAuth, mode: SslMode) -> MysqlObserver {
    let config = server.config(auth, mode);
    MysqlObserver::connect(&config, &options(mode, CLIENT_NAME)).await.expect("the observer logs in")
}

async fn when_own_sessions_are(observer: &mut MysqlObserver, wanted: u64) -> SessionCounters {
    let started = Instant::now();
    loop {
        let counters = observer.counters().await.expect("the counters can be read");
        if counters.own_sessions == wanted {
            return counters;
        }
        assert!(started.elapsed() < PATIENCE, "{counters:?}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

fn logins(before: &SessionCounters, after: &SessionCounters) -> u64 {
    let (before, after) = (before.logins_total.expect("counted"), after.logins_total.expect("counted"));
    after.checked_sub(before).expect("it does not fall")
}

fn value<'a>(facts: &'a [Fact], name: &str) -> Option<&'a FactValue> {
    facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

/// A port check: it connects, and leaves without a word.
fn probe(server: &ThrowawayMariadb) {
    drop(TcpStream::connect(("127.0.0.1", server.port())).expect("it listens"));
}

fn wrong_password(server: &ThrowawayMariadb, by: By) {
    let client = Client { password: "wrong".to_owned(), ..Client::new(server, ThrowawayAuth::Native, by) };
    client.run("select 1").expect_err("a wrong password");
}

#[tokio::test]
async fn the_servers_counter_agrees_to_the_login_with_failures_between() {
    let server = start(&[]);
    for (auth, mode, by) in [
        (ThrowawayAuth::Admin, SslMode::Disabled, By::Tcp),
        (ThrowawayAuth::Native, SslMode::VerifyIdentity, By::Tls),
        (ThrowawayAuth::Ed25519, SslMode::Preferred, By::Socket),
    ] {
        let mut observer = observe(&server, auth, mode).await;
        let before = when_own_sessions_are(&mut observer, 0).await;
        let troubles = observer.troubles().await.expect("they are counted").total;
        for auth in [ThrowawayAuth::None, ThrowawayAuth::Native, ThrowawayAuth::Ed25519] {
            for _ in 0..4 {
                Client::new(&server, auth, by).run("select 1").expect("it logs in");
                wrong_password(&server, by);
                probe(&server);
            }
        }
        let denied = Client { user: "nobody".to_owned(), ..Client::new(&server, ThrowawayAuth::None, by) };
        denied.run("select 1").expect_err("no such user");
        // A session that is counted as a login may fail afterwards.
        Client::new(&server, ThrowawayAuth::Native, by).run("select nonsense").expect_err("no such column");
        let after = when_own_sessions_are(&mut observer, 0).await;
        assert_eq!(logins(&before, &after), 13, "{auth:?} {mode:?}");
        let grown = observer.troubles().await.expect("they are counted").total - troubles;
        assert_eq!(grown, 25, "twelve wrong passwords, as many probes, and nobody");
        assert_eq!(after.origin, before.origin);
        observer.close().await;
    }
}

/// Logs in and out as fast as it can, `concurrency` at a time; returns how many logins succeeded.
async fn load(config: &Config, tls: TlsMode, concurrency: usize, times: u64) -> u64 {
    let login = LoginOptions { tls, program_name: RUN_NAME.to_owned(), ..LoginOptions::default() };
    let connector = MysqlConnector::new(config, login).expect("it can be prepared");
    let workers = (0..concurrency).map(|_| {
        let connector = connector.clone();
        tokio::spawn(async move {
            let mut ok = 0;
            for attempt in 0..times {
                let mut trace = Trace::start();
                if let Ok(session) = connector.log_in(attempt, &mut trace).await {
                    ok += 1;
                    connector.close(session, &mut trace).await.expect("it closes");
                }
            }
            ok
        })
    });
    let mut ok = 0;
    for worker in workers.collect::<Vec<_>>() {
        ok += worker.await.expect("no panic");
    }
    ok
}

#[tokio::test]
async fn the_count_is_exact_under_load_right_after_its_last_session() {
    let server = start(&[("max-connect-errors", "1000000")]);
    let admin = server.config(ThrowawayAuth::Admin, SslMode::Disabled);
    let mut observer =
        MysqlObserver::connect(&admin, &options(SslMode::Disabled, RUN_NAME)).await.expect("the observer logs in");
    let native = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    let wrong = Config { password: Some(peaje_model::Secret::new("wrong".to_owned())), ..native.clone() };
    for (config, tls, expected) in [
        (&native, TlsMode::Off, 320),
        (&native, TlsMode::Full, 320),
        (&wrong, TlsMode::Full, 0),
        (&server.config(ThrowawayAuth::Ed25519, SslMode::Disabled), TlsMode::Resumed, 320),
        (&server.socket_config(ThrowawayAuth::Socket), TlsMode::Off, 320),
    ] {
        let before = when_own_sessions_are(&mut observer, 0).await;
        assert_eq!(load(config, tls, 16, 20).await, expected, "{tls:?}");
        let after = when_own_sessions_are(&mut observer, 0).await;
        assert_eq!((logins(&before, &after), after.origin), (expected, before.origin), "{tls:?}");
    }
    // More sessions than there are: what is refused is no login, at whichever of the two places it happens.
    let before = when_own_sessions_are(&mut observer, 0).await;
    let ok = load(&native, TlsMode::Full, 60, 10).await;
    assert!(ok > 0 && ok < 600, "{ok} of 600: some were refused");
    let after = when_own_sessions_are(&mut observer, 0).await;
    assert_eq!(logins(&before, &after), ok);
}

#[tokio::test]
async fn a_failure_is_no_login_in_the_very_next_reading() {
    let server = start(&[]);
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    let before = observer.counters().await.expect("readable");
    let right = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    let wrong = Config { password: Some(peaje_model::Secret::new("wrong".to_owned())), ..right };
    for _ in 0..50 {
        // In this process: another one's end would take longer than the server needs to count.
        assert_eq!(load(&wrong, TlsMode::Off, 1, 1).await, 0);
        let after = observer.counters().await.expect("readable");
        assert_eq!(logins(&before, &after), 0);
    }
    for _ in 0..20 {
        probe(&server);
        assert_eq!(logins(&before, &observer.counters().await.expect("readable")), 0);
    }
}

#[tokio::test]
async fn logins_refused_by_a_full_server_are_no_logins() {
    let server = start_with(&Options { max_connections: 12, ..Options::default() });
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    let before = when_own_sessions_are(&mut observer, 0).await;
    let client = Client::new(&server, ThrowawayAuth::None, By::Tcp);
    let full: Vec<Child> = (0..11).map(|_| client.stay()).collect();
    when_own_sessions_are(&mut observer, 11).await;
    let refused = |client: &Client<'_>| {
        let error = client.run("select 1").expect_err("there is no session left");
        assert!(error.contains("1040"), "{error}");
    };
    // One session is left, for an administrator: others are turned away at the end of their login, and before the
    // greeting once he is there.
    for _ in 0..3 {
        refused(&client);
    }
    let admin = vec![Client::new(&server, ThrowawayAuth::Admin, By::Tcp).stay()];
    when_own_sessions_are(&mut observer, 12).await;
    for _ in 0..3 {
        refused(&client);
    }
    leave(full);
    leave(admin);
    let after = when_own_sessions_are(&mut observer, 0).await;
    assert_eq!(logins(&before, &after), 12);
    assert_eq!(after.origin, before.origin);
}

#[tokio::test]
async fn a_flush_and_a_restart_are_other_origins() {
    let server = start(&[]);
    let admin = Client::admin(&server);
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    wrong_password(&server, By::Tcp);
    admin.run("select 1").expect("it logs in");
    let before = when_own_sessions_are(&mut observer, 0).await;
    // At once: the flush may fall into the second in which the server was started.
    admin.run("flush status").expect("the administrator may");
    let flushed = when_own_sessions_are(&mut observer, 0).await;
    assert_ne!(flushed.origin, before.origin);
    // Later: nothing has failed since, so that only the time tells.
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    admin.run("flush status").expect("the administrator may");
    let again = when_own_sessions_are(&mut observer, 0).await;
    assert_ne!(again.origin, flushed.origin);
    admin.run("select 1").expect("it logs in");
    let later = when_own_sessions_are(&mut observer, 0).await;
    assert_eq!((later.origin, logins(&again, &later)), (again.origin, 1));

    let other = start(&[]);
    let mut elsewhere = observe(&other, ThrowawayAuth::Admin, SslMode::Disabled).await;
    assert_ne!(when_own_sessions_are(&mut elsewhere, 0).await.origin, later.origin);
}

#[tokio::test]
async fn the_server_sees_which_sessions_are_encrypted() {
    let server = start(&[]);
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Required).await;
    let stay = |by| Client::new(&server, ThrowawayAuth::Native, by).stay();
    let open = vec![stay(By::Tls), stay(By::VerifiedTls), stay(By::Tcp), stay(By::Socket)];
    when_own_sessions_are(&mut observer, 4).await;
    let sample = observer.sample().await.expect("readable");
    assert_eq!((sample.sessions, sample.encrypted), (4, 2));
    // Another program's sessions are not ours.
    let config = server.config(ThrowawayAuth::Admin, SslMode::Required);
    let mut other =
        MysqlObserver::connect(&config, &options(SslMode::Required, "it's \\ odd")).await.expect("it logs in");
    let sample = other.sample().await.expect("readable");
    assert_eq!((sample.sessions, sample.encrypted), (0, 0));
    let mut observers =
        MysqlObserver::connect(&config, &options(SslMode::Required, OBSERVER_NAME)).await.expect("it logs in");
    let sample = observers.sample().await.expect("readable");
    assert_eq!((sample.sessions, sample.encrypted), (2, 2), "the other two observers");
    leave(open);
}

#[tokio::test]
async fn the_least_limit_holds() {
    let server = start(&[]);
    let admin = Client::admin(&server);
    let mut observer = observe(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let whole = observer.limits().await.expect("readable");
    assert_eq!((whole.limit, whole.in_use, whole.reserved), (41, 1, 1));
    let open: Vec<Child> = (0..3).map(|_| Client::new(&server, ThrowawayAuth::None, By::Tcp).stay()).collect();
    let started = Instant::now();
    while observer.limits().await.expect("readable").in_use != 4 {
        assert!(started.elapsed() < PATIENCE, "the sessions do not open");
    }
    leave(open);
    admin.run("alter user peaje_native with max_user_connections 12").expect("altered");
    // The limit of an account is fixed for a session when it begins.
    let mut limited = observe(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let account = limited.limits().await.expect("readable");
    assert_eq!((account.limit, account.in_use, account.reserved), (12, 2, 0));
}

#[tokio::test]
async fn the_grants_are_enough_and_without_them_each_gap_names_the_privilege() {
    let server = start(&[("general-log", "ON"), ("init-connect", "set @x = 1")]);
    let denied = || Client::admin(&server).run("show global status like 'Access_denied_errors'").expect("readable");
    let denied_before = denied();
    let mut poor = observe(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let (facts, gaps) = poor.facts().await;
    let missing: Vec<(&str, &str)> =
        gaps.iter().map(|gap| (gap.what.as_str(), gap.next_step.as_deref().unwrap_or_default())).collect();
    let grant = |view: &str| format!("grant select on performance_schema.{view} to `peaje_native`@`%`");
    let (attributes, threads) = (grant("session_connect_attrs"), grant("threads"));
    assert_eq!(
        missing,
        [
            ("performance_schema.session_connect_attrs", attributes.as_str()),
            ("performance_schema.threads", threads.as_str())
        ]
    );
    assert_eq!(value(&facts, "max_connections"), Some(&FactValue::Number(40.0)), "the rest is read all the same");
    // It tells sessions apart by its own name then.
    let before = when_own_sessions_are(&mut poor, 0).await;
    let open = vec![
        Client::new(&server, ThrowawayAuth::Native, By::Tcp).stay(),
        Client::new(&server, ThrowawayAuth::None, By::Tcp).stay(),
    ];
    when_own_sessions_are(&mut poor, 1).await;
    leave(open);
    let gap = poor.sample().await.expect_err("it cannot be told");
    assert_eq!(gap.next_step.as_deref(), Some(attributes.as_str()));
    let after = when_own_sessions_are(&mut poor, 0).await;
    assert_eq!(logins(&before, &after), 2);
    assert_eq!(denied(), denied_before, "nothing is asked in vain: it would look like a failed login");
    assert!(poor.source().ends_with("information_schema.processlist"), "{}", poor.source());

    let account = "pe`a' je@127.0.0.1";
    let script = grants(account).replace(PASSWORD_TO_CHOOSE, server.password().expose());
    Client::admin(&server).run(&script).expect("the script runs");
    let mut config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    "pe`a' je".clone_into(&mut config.user);
    config.database = None;
    let mut granted =
        MysqlObserver::connect(&config, &options(SslMode::Disabled, CLIENT_NAME)).await.expect("it logs in");
    let (facts, gaps) = granted.facts().await;
    assert_eq!(gaps, []);
    granted.counters().await.expect("readable");
    granted.limits().await.expect("readable");
    granted.sample().await.expect("readable");
    assert!(granted.source().ends_with("performance_schema.session_connect_attrs"), "{}", granted.source());
    let plan = log_plan(&facts);
    for word in ["init_connect", "general log", "error log"] {
        assert!(plan.iter().any(|sentence| sentence.contains(word)), "{word}: {plan:?}");
    }
    let rights = Client::admin(&server).run(&format!("show grants for {}", quote_account(account))).expect("readable");
    assert!(rights.contains("GRANT PROCESS ON *.* TO"), "nothing more on everything: {rights}");
}

#[tokio::test]
async fn what_the_server_says_of_itself_becomes_facts() {
    let server = start(&[]);
    let mut observer = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    let (facts, gaps) = observer.facts().await;
    assert_eq!(gaps, []);
    let admin = Client::admin(&server);
    for (name, expected) in [
        ("max_connections", FactValue::Number(40.0)),
        ("skip_name_resolve", FactValue::Bool(true)),
        ("performance_schema", FactValue::Bool(true)),
        ("require_secure_transport", FactValue::Bool(false)),
        ("general_log", FactValue::Bool(false)),
        ("init_connect", FactValue::Text(String::new())),
        ("thread_handling", FactValue::Text("one-thread-per-connection".to_owned())),
        ("extra_port", FactValue::Number(0.0)),
        ("audit_plugins", FactValue::Text(String::new())),
        ("version", FactValue::Text(admin.run("select version()").expect("readable"))),
    ] {
        assert_eq!(value(&facts, name), Some(&expected), "{name}");
    }
    let plugins = value(&facts, "authentication_plugins");
    let Some(FactValue::Text(plugins)) = plugins else { panic!("{plugins:?}") };
    for plugin in ["ed25519", "mysql_native_password", "unix_socket"] {
        assert!(plugins.contains(plugin), "{plugins}");
    }
    let Some(FactValue::Number(started)) = value(&facts, "server_start_time") else { panic!("it is a number") };
    let age = admin.run("select unix_timestamp()").expect("readable").parse::<f64>().expect("a number") - started;
    assert!((0.0..60.0).contains(&age), "{age}");
}

#[tokio::test]
async fn what_answers_is_named_with_what_stands_between() {
    let server = start(&[]);
    for config in [
        server.config(ThrowawayAuth::Native, SslMode::Disabled),
        server.config(ThrowawayAuth::Native, SslMode::VerifyIdentity),
        server.socket_config(ThrowawayAuth::Native),
        server.config(ThrowawayAuth::Socket, SslMode::Disabled),
    ] {
        let mut direct =
            MysqlObserver::connect(&config, &options(config.ssl_mode, CLIENT_NAME)).await.expect("it logs in");
        let seen = direct.what_answered().await.expect("it answers");
        assert_eq!((seen.product.as_str(), seen.segment, seen.reference_server), ("MariaDB", Segment::Server, false));
        assert!(seen.version.as_deref().is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit())), "{seen:?}");
    }
    let relay = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = relay.local_addr().expect("bound").port();
    let behind = server.port();
    tokio::spawn(async move {
        let (mut client, _) = relay.accept().await.expect("the observer comes");
        let mut backend = tokio::net::TcpStream::connect(("127.0.0.1", behind)).await.expect("the server runs");
        let _ = tokio::io::copy_bidirectional(&mut client, &mut backend).await;
    });
    let mut config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    move_to(&mut config, port);
    let mut relayed =
        MysqlObserver::connect(&config, &options(SslMode::Disabled, CLIENT_NAME)).await.expect("it logs in");
    assert_eq!(relayed.what_answered().await.expect("it answers").segment, Segment::SomethingBetween);
}

fn move_to(config: &mut Config, port: u16) {
    let host = "127.0.0.1".to_owned();
    config.endpoints = vec![peaje_engine::Endpoint::Tcp { host, address: None, port }];
}

#[tokio::test]
async fn without_the_performance_schema_what_is_missing_is_said() {
    let server = start(&[("performance-schema", "OFF")]);
    let mut observer = observe(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let before = when_own_sessions_are(&mut observer, 0).await;
    let open: Vec<Child> = (0..3).map(|_| Client::new(&server, ThrowawayAuth::Native, By::Tls).stay()).collect();
    when_own_sessions_are(&mut observer, 3).await;
    let gap = observer.sample().await.expect_err("there is no such view");
    assert!(gap.why.contains("performance_schema is off"), "{gap:?}");
    leave(open);
    let after = when_own_sessions_are(&mut observer, 0).await;
    assert_eq!(logins(&before, &after), 3);
    let (_, gaps) = observer.facts().await;
    assert_eq!(gaps, [gap]);
}

#[tokio::test]
async fn the_observer_leaves_politely_and_is_no_login_of_the_run() {
    let server = start(&[]);
    let mut first = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    let before = when_own_sessions_are(&mut first, 0).await;
    let second = observe(&server, ThrowawayAuth::Native, SslMode::Required).await;
    assert_eq!(when_own_sessions_are(&mut first, 0).await.own_sessions, 0);
    second.close().await;
    let after = when_own_sessions_are(&mut first, 0).await;
    assert_eq!(logins(&before, &after), 1);
    let aborted = Client::admin(&server).run("show global status like 'Aborted_clients'").expect("readable");
    assert!(aborted.ends_with("\t0"), "{aborted}");
    let limits = "select @@session.max_statement_time, @@session.lock_wait_timeout, @@session.tx_read_only";
    let elsewhere = Client::admin(&server).run(limits).expect("readable");
    assert_eq!(elsewhere, "0.000000\t86400\t0", "the guard holds for the observer alone");
}

#[tokio::test]
async fn the_observer_may_not_write_nor_wait() {
    // The text that would be sent, in one session, as the observer sends it.
    let server = start(&[]);
    let sent = STATEMENTS.iter().filter(|statement| ["guard_mariadb", "read_only"].contains(&statement.name));
    let script = sent.fold(String::new(), |script, statement| script + statement.sql.trim_end() + ";\n");
    let client = Client::new(&server, ThrowawayAuth::Native, By::Tcp);
    let shown = client
        .run(&format!("{script} select @@session.max_statement_time, @@session.lock_wait_timeout"))
        .expect("readable");
    assert_eq!(shown, "5.000000\t1");
    let error = client.run(&format!("{script} use peaje; create table t (a int)")).expect_err("read only");
    assert!(error.contains("1792"), "{error}");
}

#[tokio::test]
async fn a_login_that_fails_says_how_and_fails_once() {
    let server = start(&[]);
    let mut watcher = observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await;
    let base = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    let wrong = Config { password: Some(peaje_model::Secret::new("wrong".to_owned())), ..base.clone() };
    let nowhere = Config { database: Some("nowhere".to_owned()), ..base.clone() };
    let mut closed = base.clone();
    move_to(&mut closed, 1);
    for (config, kind, code) in [
        (wrong, OutcomeKind::Rejected, "1045"),
        (nowhere, OutcomeKind::Rejected, "1044"),
        (closed, OutcomeKind::Refused, "ECONNREFUSED"),
    ] {
        let failed = || Client::admin(&server).run("show global status like 'Aborted_connects'").expect("readable");
        let before = failed();
        let failure =
            MysqlObserver::connect(&config, &options(SslMode::Disabled, CLIENT_NAME)).await.expect_err("it fails");
        assert_eq!((failure.kind, failure.code.as_deref()), (kind, Some(code)), "{failure}");
        assert!(!format!("{failure:?}").contains(server.password().expose()));
        let number = |text: &str| text.rsplit('\t').next().and_then(|n| n.parse::<u64>().ok()).expect("a number");
        watcher.counters().await.expect("readable");
        let expected = u64::from(kind == OutcomeKind::Rejected);
        assert_eq!(number(&failed()) - number(&before), expected, "{code}");
    }
    let mut strict = base;
    strict.ssl_mode = SslMode::VerifyIdentity;
    strict.ssl_ca = None;
    let failure = MysqlObserver::connect(&strict, &options(SslMode::VerifyIdentity, CLIENT_NAME)).await;
    assert_eq!(failure.expect_err("nobody trusts it").kind, OutcomeKind::TlsFailed);
}

#[tokio::test]
async fn what_sessions_have_allocated_is_told_of_those_that_the_account_sees() {
    const SESSIONS: u64 = 20;
    let server = start(&[]);
    let login = LoginOptions { program_name: RUN_NAME.to_owned(), ..LoginOptions::default() };
    let connector =
        MysqlConnector::new(&server.config(ThrowawayAuth::Native, SslMode::Disabled), login).expect("sound");
    let mut observers = [
        observe(&server, ThrowawayAuth::Admin, SslMode::Disabled).await,
        observe(&server, ThrowawayAuth::Native, SslMode::Disabled).await,
    ];
    let mut before = Vec::new();
    for observer in &mut observers {
        before.push(observer.session_memory().await.expect("it is told"));
    }
    assert_eq!((before[0].sessions, before[0].open, before[0].covers), (2, 2, Covers::EverySession));
    assert_eq!((before[1].sessions, before[1].open), (1, 2), "without PROCESS only its own account's");
    let mut held = Vec::new();
    for attempt in 0..SESSIONS {
        held.push(connector.log_in(attempt, &mut Trace::start()).await.expect("it logs in"));
    }
    for (observer, before) in observers.iter_mut().zip(&before) {
        let told = observer.session_memory().await.expect("it is told");
        assert_eq!((told.sessions, told.open), (before.sessions + SESSIONS, 2 + SESSIONS));
        let each = (told.bytes - before.bytes) / SESSIONS;
        // Connection memory of an idle MariaDB session: some tens of kilobytes (its documentation, of 10.6: 85 KiB).
        assert!((30 << 10..400 << 10).contains(&each), "{each}");
    }
    for session in held {
        connector.close(session, &mut Trace::start()).await.expect("it closes");
    }
    for observer in observers {
        observer.close().await;
    }
}

#[test]
fn every_statement_runs_as_it_is_shown() {
    let server = start(&[]);
    for statement in STATEMENTS {
        let shown = format!("set @program_name = 'peaje';\n{};\n", statement.sql.trim_end());
        let ended = Client::admin(&server).run(&shown);
        match statement.name {
            // Another product's: the server must not know it, or it were of no use.
            "maxscale" | "guard_mysql" | "watch_counters_mysql" => {
                assert!(ended.is_err(), "{}: {ended:?}", statement.name);
            }
            name => assert!(ended.is_ok(), "{name}: {ended:?}"),
        }
        // And as it is sent, with a name that needs quoting.
        let sent = Client::admin(&server).run(&statement.text("it's \\ odd"));
        assert_eq!(sent.is_ok(), ended.is_ok(), "{}: {sent:?}", statement.name);
    }
    assert_eq!(quote_literal("it's"), "'it''s'");
}
