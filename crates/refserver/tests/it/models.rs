//! Sessions that are threads, processes, and tasks in several processes: clients do not notice, and counts are right.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Command;

use crate::common::{
    PASSWORD, USER, assert_identity, block_on, client_tls, code, config, connect, connect_tls, eventually, raw,
    raw_login, scram, until_closed, until_ready, wait_for,
};
use crate::in_models::{apart, in_every_model, launch};
use crate::{mysql_support, tds_common};
use peaje_engine::Resume;
use peaje_postgres::protocol::frontend;
use peaje_refserver::{Home, KeyKind, Model, Protocol, RefServer, RefServerError, ServerOptions, TlsSetting};

fn with_tls(options: ServerOptions) -> ServerOptions {
    ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..options }
}

/// What a client installed here says.
fn told(command: &mut Command) -> String {
    let output = command.env("HOME", "/nonexistent").output().unwrap_or_else(|e| panic!("{e}: run scripts/setup"));
    [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
}

fn assert_two_of_three(server: &RefServer) {
    let counters = wait_for(server, |c| c.sessions_now == 0 && c.logging_in == 0);
    assert_eq!((counters.logins, counters.failed, counters.encrypted_now), (2, 1, 0), "{counters:?}");
    assert_identity(&counters);
}

#[test]
fn psql_logs_in() {
    in_every_model(&with_tls(ServerOptions { auth: scram(), ..ServerOptions::default() }), |server| {
        let psql = |password: &str, mode: &str| {
            let target = format!("host=127.0.0.1 port={} user={USER} dbname=shop", server.address().port());
            let mut command = Command::new("psql");
            command.args(["-X", "-At", "-c", "select current_user, 1", &target]);
            told(command.env("PGPASSWORD", password).env("PGSSLMODE", mode))
        };
        assert_eq!(psql(PASSWORD, "require"), "ana|1\n");
        assert_eq!(psql(PASSWORD, "disable"), "ana|1\n");
        assert!(psql("pen", "disable").contains("password authentication failed"));
        assert_two_of_three(server);
        assert_eq!(server.counters().tls_full, 1);
    });
}

#[test]
fn mariadb_logs_in_and_is_known_to_all_processes_then() {
    let options = with_tls(ServerOptions { auth: mysql_support::caching_sha2(), ..mysql_support::options() });
    in_every_model(&options, |server| {
        let mariadb = |password: &str| {
            let mut command = Command::new("mariadb");
            command.args([
                "--no-defaults",
                "--protocol=tcp",
                "--host=127.0.0.1",
                "--skip-ssl",
                "-BNe",
                "select user()",
            ]);
            command.args([format!("--port={}", server.address().port()), format!("--user={}", mysql_support::USER)]);
            told(command.env("MYSQL_PWD", password))
        };
        assert_eq!(mariadb(mysql_support::PASSWORD), "ana@127.0.0.1\n");
        assert_eq!(mariadb(mysql_support::PASSWORD), "ana@127.0.0.1\n");
        assert!(mariadb("pen").contains("ERROR 1045"));
        assert_two_of_three(server);
        let counters = server.counters();
        // The wrong password goes through a full authentication, and is not counted.
        assert_eq!(counters.auth_cached, 1, "the second login is answered from the cache: {counters:?}");
    });
}

#[test]
fn freetds_logs_in() {
    in_every_model(&tds_common::with_tls(), |server| {
        let query = "select 1 as one\ngo\nquit\n";
        for encryption in ["require", "off"] {
            let answer = tds_common::tsql(server, tds_common::PASSWORD, encryption, query);
            assert!(answer.text.contains("one\n1"), "{}", answer.text);
        }
        assert!(tds_common::tsql(server, "wrong", "off", query).text.contains("Login failed for user 'sa'."));
        assert_two_of_three(server);
    });
}

#[test]
fn a_request_in_tds_can_be_cancelled_where_a_session_has_a_thread() {
    use crate::tds_common::raw::{login, session};
    use peaje_sqlserver::protocol::packet::PacketKind;
    use peaje_sqlserver::protocol::request::batch;
    use peaje_sqlserver::protocol::token::{Token, done};

    for model in [Model::Thread, Model::Process] {
        let server = apart(model, &tds_common::checking());
        let mut raw = session(&server, &login());
        let mut payload = Vec::new();
        batch(&mut payload, "waitfor delay '00:00:20'");
        raw.send(PacketKind::Batch, &payload);
        raw.send(PacketKind::Attention, &[]);
        // The request's end, then the attention's own.
        raw.tokens();
        let attention = raw.tokens();
        let acknowledged = attention.iter().any(|t| matches!(t, Token::Done(d) if d.status & done::ATTENTION != 0));
        assert!(acknowledged, "{model:?} {attention:?}");
        raw.row("select 1");
    }
}

#[test]
fn the_last_place_is_told_to_be_the_last_by_each_engine() {
    let three = |options: ServerOptions| ServerOptions { max_sessions: Some(3), ..options };
    in_every_model(&three(ServerOptions::default()), |server| {
        block_on(async {
            let mut held = Vec::new();
            for _ in 0..3 {
                held.push(connect(&config(server)).await.unwrap());
            }
            assert_eq!(code(&connect(&config(server)).await.unwrap_err()), "53300");
            drop(held.pop());
            eventually(server, |c| c.sessions_now == 2).await;
            held.push(connect(&config(server)).await.unwrap());
        });
        assert_identity(&wait_for(server, |c| c.sessions_now == 0 && c.failed == 1));
    });
    in_every_model(&three(mysql_support::options()), |server| {
        mysql_support::block_on(async {
            let mut held = Vec::new();
            for _ in 0..3 {
                held.push(mysql_support::connect(mysql_support::config(server)).await.unwrap());
            }
            let full = mysql_support::connect(mysql_support::config(server)).await.map(drop).unwrap_err();
            assert_eq!(mysql_support::code(&full).0, 1040);
        });
    });
    in_every_model(&three(tds_common::checking()), |server| {
        use crate::tds_common::raw::{Raw, errors, login, session};
        let _held: Vec<Raw> = std::iter::repeat_with(|| session(server, &login())).take(3).collect();
        assert_eq!(errors(&Raw::to(server).log_in(&login())), [17809]);
    });
}

#[test]
fn sql_servers_own_limit_is_not_to_be_raised() {
    use crate::tds_common::raw::{login, session};
    use peaje_sqlserver::protocol::types::Value;

    let server = apart(Model::Event, &ServerOptions { max_sessions: Some(100_000), ..tds_common::checking() });
    let limit = session(&server, &login()).row("select @@max_connections");
    assert!(matches!(limit[..], [Value::Int(32_767)]), "{limit:?}");
    assert_eq!(Protocol::SqlServer.most_sessions(), 32_767);
}

#[test]
fn event_loops_in_several_processes_share_one_port_and_one_count() {
    let server = apart(Model::Event, &ServerOptions { max_sessions: Some(40_000), ..ServerOptions::default() });
    let processes = server.processes();
    assert!(processes.len() >= 3 && processes[0] == server.top_process(), "{processes:?}");
    let mut held: Vec<_> = std::iter::repeat_with(|| raw(&server)).take(60).collect();
    for stream in &mut held {
        raw_login(stream, &[("user", "ana")]);
    }
    assert_eq!(server.counters().sessions_now, 60);
    // Each has some of them: none of 60 to one of three has a chance of less than 10^-9.
    let sockets = |pid: u32| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
        files.filter(|f| f.path().read_link().is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))).count()
    };
    assert!(processes[1..].iter().all(|pid| sockets(*pid) > 2), "{processes:?}");
    drop(held);
    assert_eq!(wait_for(&server, |c| c.sessions_now == 0).logins, 60);
}

#[test]
fn sessions_of_a_server_of_processes_are_the_top_ones_children_with_secrets_of_their_own() {
    let server = apart(Model::Process, &ServerOptions::default());
    let mut told = BTreeSet::new();
    let mut held = Vec::new();
    for _ in 0..4 {
        let mut stream = raw(&server);
        let welcome = raw_login(&mut stream, &[("user", "ana")]);
        // BackendKeyData: the process, and a key.
        let at = welcome.windows(5).position(|w| w == b"K\0\0\0\x0c").unwrap() + 5;
        let word = |at: usize| u32::from_be_bytes(welcome[at..at + 4].try_into().unwrap());
        told.insert((word(at), word(at + 4)));
        held.push(stream);
    }
    let processes: BTreeSet<u32> = server.processes()[1..].iter().copied().collect();
    assert_eq!(told.iter().map(|(process, _)| *process).collect::<BTreeSet<_>>(), processes);
    assert_eq!(told.iter().map(|(_, key)| *key).collect::<BTreeSet<_>>().len(), 4, "{told:?}");
    for process in processes {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        assert!(status.contains(&format!("PPid:\t{}\n", server.top_process())), "{status}");
        assert!(status.contains("Threads:\t1\n"), "{status}");
    }
}

#[test]
fn a_server_of_threads_has_one_for_each_session() {
    let server = apart(Model::Thread, &ServerOptions::default());
    let threads = || std::fs::read_dir(format!("/proc/{}/task", server.top_process())).unwrap().count();
    assert_eq!((threads(), server.processes().len()), (1, 1));
    let mut held: Vec<_> = std::iter::repeat_with(|| raw(&server)).take(5).collect();
    for stream in &mut held {
        raw_login(stream, &[("user", "ana")]);
    }
    assert_eq!(threads(), 6);
}

#[test]
fn tls_sessions_are_resumed_whichever_process_answers() {
    in_every_model(&with_tls(ServerOptions::default()), |server| {
        let tls = client_tls(server, Resume::WhenOffered);
        block_on(async {
            for _ in 0..6 {
                let client = connect_tls(&config(server), &tls).await.unwrap();
                client.simple_query("select 1").await.unwrap();
            }
        });
        let counters = wait_for(server, |c| c.sessions_now == 0);
        assert_eq!((counters.tls_full, counters.tls_resumed), (1, 5));
    });
}

#[test]
fn a_slow_stranger_is_shown_out_and_a_silent_session_is_not() {
    // Seen through the end of what it sends: the time limit itself is a minute.
    for model in [Model::Thread, Model::Process] {
        let server = apart(model, &ServerOptions::default());
        let mut stranger = raw(&server);
        stranger.write_all(b"\0\0").unwrap();
        wait_for(&server, |c| c.logging_in == 1);
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        until_closed(&mut stranger);
        let counters = wait_for(&server, |c| c.logging_in == 0);
        assert_eq!((counters.abandoned, counters.failed), (1, 0), "{model:?}");

        let mut silent = raw(&server);
        raw_login(&mut silent, &[("user", "ana")]);
        let mut query = Vec::new();
        frontend::query(&mut query, "select 1");
        silent.write_all(&query).unwrap();
        until_ready(&mut silent);
        assert_eq!(server.counters().sessions_now, 1);
    }
}

#[test]
fn what_cannot_start_says_why() {
    let taken = apart(Model::Process, &ServerOptions::default());
    let home = || Home::Apart(launch());
    let start = |options: ServerOptions| RefServer::start(options).map(drop).unwrap_err();
    let error = start(ServerOptions { listen: taken.address(), home: home(), ..ServerOptions::default() });
    assert!(matches!(error, RefServerError::Told(_)), "{error:?}");
    assert!(error.to_string().contains("choose another address or port"), "{error}");
    let error = start(ServerOptions { model: Model::Thread, ..ServerOptions::default() });
    assert!(matches!(error, RefServerError::Home), "{error:?}");
    let nobody = Home::Apart(peaje_refserver::Launch::new("/nonexistent/peaje", ["x"]));
    let error = start(ServerOptions { home: nobody, ..ServerOptions::default() });
    assert!(matches!(error, RefServerError::Launch { .. }), "{error:?}");
    let other = Home::Apart(peaje_refserver::Launch::new("true", [""; 0]));
    let error = start(ServerOptions { home: other, ..ServerOptions::default() });
    assert!(matches!(error, RefServerError::Silent(_)), "{error:?}");
}
