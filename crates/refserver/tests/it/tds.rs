//! Logins and requests over TDS, byte by byte.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use peaje_model::Secret;
use peaje_refserver::{
    Delays, DropAfter, Faults, RefServer, Refusal, RefuseHow, ServerOptions, SqlServerOptions, Step,
};
use peaje_sqlserver::counters::{COUNTERS, PEER, SAMPLE};
use peaje_sqlserver::protocol::login7::{Feature, INTEGRATED_SECURITY, Login7, feature};
use peaje_sqlserver::protocol::packet::{PacketKind, Reset};
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::request::batch;
use peaje_sqlserver::protocol::token::{DoneKind, EnvChange, Token, done};
use peaje_sqlserver::protocol::types::Value;

use crate::tds_common::raw::{Raw, errors, login, session};
use crate::tds_common::recorder::from_text;
use crate::tds_common::{PASSWORD, checking, start, wait_for, with_tls};
use proptest::prelude::*;

const EVERY: NonZeroU64 = NonZeroU64::MIN;

fn assert_identity(server: &RefServer) {
    let c = server.counters();
    assert_eq!(c.accepted, c.logins + c.failed + c.abandoned + c.cancels + c.logging_in, "{c:?}");
}

#[test]
fn every_word_on_encryption_has_its_answer() {
    use Encryption::{LoginOnly, NotSupported, On, Required};
    let forced = SqlServerOptions { force_encryption: true, ..SqlServerOptions::default() };
    for (options, table) in [
        (
            checking(),
            [(LoginOnly, NotSupported), (On, NotSupported), (NotSupported, NotSupported), (Required, NotSupported)],
        ),
        (with_tls(), [(LoginOnly, LoginOnly), (On, On), (NotSupported, NotSupported), (Required, On)]),
        (
            ServerOptions { sql_server: forced, ..with_tls() },
            [(LoginOnly, Required), (On, On), (NotSupported, Required), (Required, On)],
        ),
    ] {
        let server = start(options);
        for (client, expected) in table {
            assert_eq!(Raw::to(&server).prelogin(client), Some(expected), "{client:?}");
        }
        wait_for(&server, |c| c.logging_in == 0);
        assert_identity(&server);
    }
}

#[test]
fn a_login_is_told_everything_in_the_order_of_the_real_server() {
    let server = start(checking());
    let mut raw = Raw::to(&server);
    let asked = Login7 { packet_size: 8000, database: "shop".into(), features: vec![Feature::Utf8Support], ..login() };
    let tokens = raw.log_in(&asked);
    let words: Vec<String> = tokens
        .iter()
        .map(|token| match token {
            Token::EnvChange(EnvChange::Database { new, old }) => format!("database {old} {new}"),
            Token::EnvChange(EnvChange::Language { new, .. }) => format!("language {new}"),
            Token::EnvChange(EnvChange::PacketSize { new, old }) => format!("packet {old} {new}"),
            Token::EnvChange(EnvChange::Collation(_)) => "collation".to_owned(),
            Token::Info(info) => format!("info {}", info.number),
            Token::LoginAck(ack) => format!("{} {:x} {}", ack.program, ack.tds_version, ack.version[0]),
            Token::FeatureExtAck(features) => format!("features {features:?}"),
            Token::Done(done) => format!("done {}", done.status),
            other => format!("{other:?}"),
        })
        .collect();
    let expected = [
        "database master shop",
        "info 5701",
        "collation",
        "language us_english",
        "info 5703",
        "Microsoft SQL Server 74000004 16",
        "packet 4096 8000",
        "features [(10, [1])]",
        "done 0",
    ];
    assert_eq!(words, expected);
    assert_eq!(
        raw.row("select db_name(), app_name(), host_name(), suser_sname()"),
        ["shop", "raw", "here", "sa"].map(|t| Value::Text(t.into()))
    );
    let counters = server.counters();
    assert_eq!((counters.logins, counters.sessions_now, counters.encrypted_now), (1, 1, 0));
    drop(raw);
    wait_for(&server, |c| c.sessions_now == 0);
    assert_identity(&server);
}

#[test]
fn logins_that_fail_say_why_and_each_is_counted_once() {
    let server = start(checking());
    let wrong = Login7 { password: Secret::new("nope"), ..login() };
    let nobody = Login7 { user: "nobody".into(), ..login() };
    let missing = Login7 { database: "missing_shop".into(), ..login() };
    let windows = Login7 { option_flags_2: INTEGRATED_SECURITY, ..login() };
    let old = Login7 { tds_version: 0x7100_0001, ..login() };
    for (n, (login, expected)) in [
        (wrong, vec![18456]),
        (nobody, vec![18456]),
        (missing, vec![4060, 18456]),
        (windows, vec![18452]),
        (old, vec![50000]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut raw = Raw::to(&server);
        let tokens = raw.log_in(&login);
        assert_eq!(errors(&tokens), expected);
        assert!(matches!(tokens.last(), Some(Token::Done(end)) if end.status == done::ERROR), "{tokens:?}");
        assert!(raw.receive().is_none(), "it is closed");
        let counters = wait_for(&server, |c| c.logging_in == 0);
        assert_eq!((counters.failed, counters.logins), (n as u64 + 1, 0));
    }
    assert_identity(&server);
}

#[test]
fn a_full_server_says_so_and_room_comes_back() {
    let server = start(ServerOptions { max_sessions: Some(1), ..checking() });
    let first = session(&server, &login());
    assert_eq!(errors(&Raw::to(&server).log_in(&login())), [17809]);
    drop(first);
    wait_for(&server, |c| c.sessions_now == 0);
    session(&server, &login());
}

#[test]
fn an_access_token_is_as_good_as_the_password_that_it_equals() {
    let server = start(checking());
    let with = |token: &str| {
        let nonce = Some([7; 32]);
        let token = Feature::AccessToken { echo: true, token: Secret::new(token), nonce };
        Login7 { user: String::new(), password: Secret::default(), features: vec![token], ..login() }
    };
    let tokens = Raw::to(&server).log_in(&with(PASSWORD));
    let acknowledged = Token::FeatureExtAck(vec![(feature::FED_AUTH, vec![7; 32])]);
    assert!(tokens.contains(&acknowledged), "{tokens:?}");
    assert_eq!(errors(&Raw::to(&server).log_in(&with("another"))), [18456]);
}

#[test]
fn every_login_is_sent_on_when_the_options_want_it() {
    let sql_server = SqlServerOptions { route_to: Some(("other.example".into(), 1444)), ..SqlServerOptions::default() };
    let server = start(ServerOptions { sql_server, ..checking() });
    let tokens = Raw::to(&server).log_in(&login());
    let routing = Token::EnvChange(EnvChange::Routing { server: "other.example".into(), port: 1444 });
    assert!(tokens.contains(&routing), "{tokens:?}");
    assert_eq!(wait_for(&server, |c| c.sessions_now == 0).logins, 1);
}

#[test]
fn what_is_counted_is_what_happened() {
    let server = start(checking());
    let mut observer = session(&server, &Login7 { program: "observer".into(), ..login() });
    let mut pooled = session(&server, &login());
    let another = session(&server, &Login7 { program: "raw 2".into(), ..login() });
    let mut text = Vec::new();
    batch(&mut text, "select 1");
    for _ in 0..3 {
        pooled.send_with(PacketKind::Batch, &text, Reset::Session);
        let tokens = pooled.tokens();
        assert_eq!(tokens.first(), Some(&Token::EnvChange(EnvChange::ResetDone)));
    }
    let ints = |row: Vec<Value>| row.iter().map(|v| v.as_i64().unwrap_or(-1)).collect::<Vec<i64>>();
    // Started, own sessions, logins, logouts, resets, connections.
    assert_eq!(ints(observer.row(&COUNTERS.text("raw")))[1..], [1, 3, 0, 3, 3]);
    assert_eq!(ints(observer.row(&SAMPLE.text("raw"))), [1, 0]);
    assert_eq!(ints(observer.row(&SAMPLE.text("observer"))), [0, 0], "who asks does not count itself");
    drop((pooled, another));
    wait_for(&server, |c| c.sessions_now == 1);
    assert_eq!(ints(observer.row(&COUNTERS.text("raw")))[1..], [0, 3, 2, 3, 1]);
    let port = i64::from(observer.stream.local_addr().unwrap().port());
    assert_eq!(observer.row(PEER.sql)[1].as_i64(), Some(port));
}

#[test]
fn a_reset_forgets_database_and_transaction() {
    let server = start(checking());
    let mut raw = session(&server, &Login7 { database: "shop".into(), ..login() });
    raw.query("use other");
    raw.query("begin tran");
    assert_eq!(raw.row("select db_name(), @@trancount"), [Value::Text("other".into()), Value::Int(1)]);
    let mut text = Vec::new();
    batch(&mut text, "select db_name(), @@trancount");
    raw.send_with(PacketKind::Batch, &text, Reset::KeepTransaction);
    assert!(raw.tokens().contains(&Token::Row(vec![Value::Text("shop".into()), Value::Int(1)])));
    raw.send_with(PacketKind::Batch, &text, Reset::Session);
    let tokens = raw.tokens();
    assert!(matches!(tokens[0], Token::EnvChange(EnvChange::RollbackTransaction(_))), "{tokens:?}");
    assert!(tokens.contains(&Token::Row(vec![Value::Text("shop".into()), Value::Int(0)])), "{tokens:?}");
}

#[test]
fn batches_end_as_drivers_expect() {
    let server = start(checking());
    let mut raw = session(&server, &login());
    let ends = |tokens: &[Token]| {
        let status = |t: &Token| if let Token::Done(end) = t { Some((end.kind, end.status)) } else { None };
        tokens.iter().filter_map(status).collect::<Vec<_>>()
    };
    use DoneKind::Statement;
    assert_eq!(ends(&raw.query("set nocount on set datefirst 7")), [(Statement, 0)]);
    assert_eq!(
        ends(&raw.query("select 1; select 2")),
        [(Statement, done::COUNT | done::MORE), (Statement, done::COUNT)]
    );
    assert_eq!(ends(&raw.query("begin tran")), [(Statement, done::IN_TRANSACTION)]);
    assert_eq!(ends(&raw.query("select 1")), [(Statement, done::COUNT | done::IN_TRANSACTION)]);
    assert_eq!(ends(&raw.query("commit")), [(Statement, 0)]);
    for (sql, number) in [("commit", 3902), ("rollback", 3903), ("use missing_x", 911), ("select @x", 137)] {
        let tokens = raw.query(sql);
        assert_eq!((errors(&tokens), ends(&tokens)), (vec![number], vec![(Statement, done::ERROR)]), "{sql}");
    }
    let tokens = raw.query("select * from orders");
    let Some(Token::Error(error)) = tokens.first() else { panic!("{tokens:?}") };
    assert!(error.message.contains("not a database") && error.server.contains("REFERENCE"), "{error:?}");
    assert_eq!(raw.row("select 1"), [Value::Int(1)]);
}

#[test]
fn long_answers_come_in_packets_of_the_size_agreed_on() {
    let server = start(checking());
    let mut raw = session(&server, &Login7 { packet_size: 512, ..login() });
    let long = "x".repeat(3000);
    assert_eq!(raw.row(&format!("select '{long}'")), [Value::Text(long)]);
    assert!(raw.packets.len() > 10 && raw.packets.iter().all(|length| *length <= 512), "{:?}", raw.packets);
}

#[test]
fn an_attention_ends_what_is_waited_for() {
    let server = start(checking());
    let mut raw = session(&server, &login());
    let mut text = Vec::new();
    batch(&mut text, "waitfor delay '00:00:30'");
    let started = Instant::now();
    raw.send(PacketKind::Batch, &text);
    raw.send(PacketKind::Attention, &[]);
    assert!(matches!(raw.tokens()[..], [Token::Done(end)] if end.status == done::ERROR));
    assert!(matches!(raw.tokens()[..], [Token::Done(end)] if end.status == done::ATTENTION));
    assert!(started.elapsed() < Duration::from_secs(20));
    // One that comes too late is answered all the same.
    raw.send(PacketKind::Attention, &[]);
    assert!(matches!(raw.tokens()[..], [Token::Done(end)] if end.status == done::ATTENTION));
    assert_eq!(raw.row("select 1"), [Value::Int(1)]);
}

#[test]
fn faults_end_a_login_after_each_step() {
    for (step, answers) in
        [(Step::Connect, 0), (Step::Negotiate, 1), (Step::Authenticate, 1), (Step::Session, 2), (Step::Query, 3)]
    {
        let faults = Faults { drop: Some(DropAfter { step, every: EVERY }), ..Faults::default() };
        let server = start(ServerOptions { faults, ..checking() });
        let mut raw = Raw::to(&server);
        let mut got = 0;
        if raw.prelogin(Encryption::NotSupported).is_some() {
            got += 1;
            let mut payload = Vec::new();
            login().encode(&mut payload);
            raw.send(PacketKind::Login7, &payload);
            got += u32::from(!raw.tokens().is_empty());
            if got == 2 {
                got += u32::from(!raw.query("select 1").is_empty());
            }
        }
        assert_eq!(got, answers, "{step:?}");
        let counters = wait_for(&server, |c| c.logging_in == 0 && c.sessions_now == 0);
        assert_eq!(counters.logins, u64::from(step == Step::Query), "{step:?}");
        assert_identity(&server);
    }
}

#[test]
fn logins_are_refused_and_reset_as_wanted() {
    for (how, expected) in [(RefuseHow::ServerFull, vec![17809]), (RefuseHow::Close, vec![])] {
        let faults = Faults { refuse: Some(Refusal { every: EVERY, how }), ..Faults::default() };
        let server = start(ServerOptions { faults, ..checking() });
        assert_eq!(errors(&Raw::to(&server).log_in(&login())), expected);
        assert_eq!(wait_for(&server, |c| c.logging_in == 0).failed, 1);
    }
    let faults = Faults { reset_every: Some(EVERY), ..Faults::default() };
    let server = start(ServerOptions { faults, ..checking() });
    assert!(Raw::to(&server).log_in(&login()).is_empty());
    assert_eq!(wait_for(&server, |c| c.logging_in == 0).failed, 1);
}

#[test]
fn delays_come_before_the_answer_of_their_step() {
    let pause = Duration::from_millis(60);
    let no = Delays::default();
    for (delays, least) in [
        (Delays { negotiate: pause, ..no }, [1, 0, 0]),
        (Delays { authenticate: pause, ..no }, [0, 1, 0]),
        (Delays { authenticate: pause, session: pause, ..no }, [0, 2, 0]),
        (Delays { query: pause, ..no }, [0, 0, 1]),
    ] {
        let server = start(ServerOptions { delays, ..checking() });
        let mut raw = Raw::to(&server);
        let mut last = Instant::now();
        let mut lap = || std::mem::replace(&mut last, Instant::now()).elapsed();
        raw.prelogin(Encryption::NotSupported).unwrap();
        let negotiated = lap();
        let mut payload = Vec::new();
        login().encode(&mut payload);
        raw.send(PacketKind::Login7, &payload);
        assert!(!raw.tokens().is_empty());
        let logged_in = lap();
        raw.row("select 1");
        for (took, least) in [negotiated, logged_in, lap()].into_iter().zip(least) {
            assert!(took >= pause * least, "{delays:?}: {took:?}");
        }
    }
}

#[test]
fn strangers_are_let_go_without_a_word_and_the_server_goes_on() {
    let server = start(checking());
    let http = b"GET / HTTP/1.1\r\n\r\n".to_vec();
    let endless = [vec![0x12, 0x00, 0xff, 0xff], vec![0; 70_000]].concat().repeat(3);
    let tiny = vec![0x12, 0x01, 0x00, 0x03, 0, 0, 0, 0];
    let lying = vec![0x12, 0x01, 0x00, 0x0e, 0, 0, 1, 0, 0, 0, 6, 0xff, 0xff, 0xff];
    for bytes in [http, endless, tiny, lying, vec![0x16, 3, 1, 0, 0]] {
        let mut raw = Raw::to(&server);
        // The server may have closed before everything is written.
        let _ = raw.stream.write_all(&bytes);
        assert!(raw.receive().is_none());
    }
    wait_for(&server, |c| c.logging_in == 0);
    assert_identity(&server);
    let mut raw = session(&server, &login());
    raw.send(PacketKind::Batch, &[200, 0, 0, 0, 1]);
    assert_eq!(errors(&raw.tokens()), [4002]);
    assert!(raw.receive().is_none());
}

/// What real clients were recorded to send, message by message.
#[test]
fn recorded_clients_are_answered_without_an_error() {
    let server = start(checking());
    for name in ["tsql", "freetds-odbc", "microsoft-odbc", "microsoft-odbc-strict", "mssql-python", "tedious"] {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/tds/{name}.txt"));
        let messages = from_text(&std::fs::read_to_string(file).unwrap());
        let mut raw = Raw::to(&server);
        for (n, message) in messages.iter().enumerate() {
            raw.send_with(message.kind, &message.payload, message.reset);
            if n == 0 {
                assert!(raw.receive().is_some(), "{name}");
                continue;
            }
            let tokens = raw.tokens();
            assert!(errors(&tokens).is_empty(), "{name}, message {n}: {tokens:?}");
            assert!(
                matches!(tokens.last(), Some(Token::Done(end)) if end.is_last()),
                "{name}, message {n}: {tokens:?}"
            );
        }
    }
    assert_eq!(server.counters().logins, 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn whatever_a_session_sends_it_is_answered_or_let_go(
        requests in proptest::collection::vec((0usize..4, proptest::collection::vec(any::<u8>(), 0..120), any::<bool>()), 1..5)
    ) {
        let server = server_of_garbage();
        let mut raw = session(server, &login());
        for (kind, bytes, with_headers) in requests {
            let kind = [PacketKind::Batch, PacketKind::Rpc, PacketKind::TransactionManager, PacketKind::Attention][kind];
            let mut payload = Vec::new();
            if with_headers {
                batch(&mut payload, "");
            }
            payload.extend_from_slice(&bytes);
            raw.send(kind, &payload);
            let tokens = raw.tokens();
            prop_assert!(matches!(tokens.last(), Some(Token::Done(_)) | None), "{tokens:?}");
            if errors(&tokens).contains(&4002) {
                break;
            }
        }
        prop_assert_eq!(session(server, &login()).row("select 1"), [Value::Int(1)]);
    }

    #[test]
    fn whatever_a_stranger_sends_the_server_goes_on(bytes in proptest::collection::vec(any::<u8>(), 0..300), prelogin in any::<bool>()) {
        let server = server_of_garbage();
        let mut raw = Raw::to(server);
        if prelogin {
            raw.prelogin(Encryption::NotSupported);
            raw.send(PacketKind::Login7, &bytes);
        } else {
            let _ = raw.stream.write_all(&bytes);
        }
        let _ = raw.stream.shutdown(std::net::Shutdown::Write);
        while raw.receive().is_some() {}
        session(server, &login());
    }
}

/// One server for all cases: it has to live through them.
fn server_of_garbage() -> &'static RefServer {
    static SERVER: std::sync::OnceLock<RefServer> = std::sync::OnceLock::new();
    SERVER.get_or_init(|| start(checking()))
}
