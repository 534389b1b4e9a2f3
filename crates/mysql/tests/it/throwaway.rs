//! The throwaway server, for real: what it leaves behind is nothing, however its owner ends.
//!
//! MariaDB has to be installed, server and client; without it the tests fail and say so.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{By, Client, runs, start, start_with, until};
use peaje_mysql::throwaway::{
    CertificateState, Options, ServerKeyKind, ThrowawayAuth, ThrowawayError, ThrowawayMariadb,
};

/// Processes that name the folder in their command line or work in it.
fn processes_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let cmdline = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        let cmdline = String::from_utf8_lossy(&cmdline).replace('\0', " ");
        if cmdline.contains(&*folder.display().to_string()) || cwd.starts_with(folder) {
            found.push(format!("{}: {}", entry.file_name().display(), cmdline.chars().take(80).collect::<String>()));
        }
    }
    found
}

/// Children of this process that have ended and were not waited for.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let after_name: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
            after_name.first() == Some(&"Z") && after_name.get(1) == Some(&own.as_str())
        })
        .count()
}

fn is_gone(folder: &Path, pid: u32) -> bool {
    !folder.exists() && !runs(pid) && processes_of(folder).is_empty()
}

fn pid_of(server: &ThrowawayMariadb) -> u32 {
    server.server_pid().expect("it runs here")
}

#[test]
fn it_is_there_soon_and_gone_sooner() {
    let started = Instant::now();
    let server = start(&[]);
    let start_took = started.elapsed();
    let (folder, pid) = (server.folder().to_owned(), pid_of(&server));
    assert!(server.port() < 32_768 && runs(pid));
    for name in ["bootstrap.sql", "init.sql"] {
        assert!(!folder.join(name).exists(), "{name} is gone: it held the password");
    }
    assert!(server.log_tail().contains("ready for connections"), "{}", server.log_tail());
    let stopped = Instant::now();
    server.stop().expect("it stops");
    let stop_took = stopped.elapsed();
    assert!(is_gone(&folder, pid));
    assert_eq!(zombies(), 0);
    // An idle machine of two cores takes 1.5 s and 0.3 s; the system's own script alone takes 3 s.
    assert!(start_took < Duration::from_secs(12), "{start_took:?}");
    assert!(stop_took < Duration::from_secs(6), "{stop_took:?}");
}

#[test]
fn nothing_is_left_after_a_drop_with_sessions_open() {
    let server = start(&[]);
    let (folder, pid) = (server.folder().to_owned(), pid_of(&server));
    let client = Client::new(&server, ThrowawayAuth::None, By::Tcp);
    let mut sessions: Vec<Child> = (0..3)
        .map(|_| {
            let mut child = client.stay();
            child.stdin.as_mut().expect("piped").write_all(b"select sleep(60);\n").expect("it reads");
            child
        })
        .collect();
    let sleeping = "select count(*) from information_schema.processlist where info like 'select sleep(60)%'";
    until("three sessions", || Client::admin(&server).run(sleeping).expect("readable") == "3");
    drop(server);
    assert!(is_gone(&folder, pid));
    for session in &mut sessions {
        drop(session.stdin.take());
        assert!(!session.wait().expect("it ends").success());
    }
}

#[test]
fn nothing_is_left_after_a_panic() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let server = start(&[]);
        sender.send((server.folder().to_owned(), pid_of(&server))).expect("received below");
        panic!("as intended");
    });
    assert!(thread.join().is_err());
    let (folder, pid) = receiver.recv().expect("sent above");
    assert!(is_gone(&folder, pid));
}

#[test]
fn a_server_that_somebody_kills_leaves_nothing_either() {
    let server = start(&[]);
    let (folder, pid) = (server.folder().to_owned(), pid_of(&server));
    kill("KILL", pid);
    until("its end", || !runs(pid));
    assert!(folder.exists() && server.log_tail().contains("ready for connections"), "its log may still be read");
    server.stop().expect("it stops");
    assert!(is_gone(&folder, pid));
}

/// Set in the process that is killed: the test below then plays the victim.
const VICTIM: &str = "PEAJE_TEST_VICTIM";

/// Starts this test again as another process, which starts a server and waits.
fn victim(test: &str) -> (Child, PathBuf, u32) {
    let mut child = Command::new(std::env::current_exe().expect("the test's own path"))
        .args(["--exact", &format!("throwaway::{test}"), "--nocapture"])
        .env(VICTIM, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test runs again");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let line =
        output.lines().map_while(Result::ok).find_map(|line| line.split_once("STARTED ").map(|l| l.1.to_owned()));
    let line = line.expect("the victim starts a server");
    let (pid, folder) = line.split_once(' ').expect("two words");
    (child, PathBuf::from(folder), pid.parse().expect("a process id"))
}

fn play_the_victim() {
    let server = start(&[]);
    writeln!(std::io::stdout(), "\nSTARTED {} {}", pid_of(&server), server.folder().display()).expect("piped");
    std::io::stdout().flush().expect("piped");
    // Waits for the end of a pipe that its parent holds.
    let _ = std::io::stdin().lines().next();
    std::process::abort();
}

#[test]
fn nothing_is_left_after_kill_9() {
    if std::env::var_os(VICTIM).is_some() {
        return play_the_victim();
    }
    let (mut child, folder, pid) = victim("nothing_is_left_after_kill_9");
    assert!(runs(pid) && folder.exists());
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    until("the end of everything", || is_gone(&folder, pid));
}

#[test]
fn ctrl_c_ends_the_owner_and_the_guard_cleans_up() {
    if std::env::var_os(VICTIM).is_some() {
        return play_the_victim();
    }
    let (mut child, folder, pid) = victim("ctrl_c_ends_the_owner_and_the_guard_cleans_up");
    kill("INT", child.id());
    child.wait().expect("it is dead");
    until("the end of everything", || is_gone(&folder, pid));
}

fn kill(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status().expect("kill");
    assert!(sent.success());
}

#[test]
fn every_login_works_the_way_it_is_meant_to() {
    let server = start(&[]);
    for auth in [ThrowawayAuth::None, ThrowawayAuth::Native, ThrowawayAuth::Ed25519, ThrowawayAuth::Admin] {
        for by in [By::Tcp, By::Tls, By::VerifiedTls, By::Socket] {
            let client = Client::new(&server, auth, by);
            let sql = "select substring_index(user(), '@', 1); show status like 'Ssl_version'";
            let answer = client.run(sql).unwrap_or_else(|error| panic!("{auth:?} {by:?}: {error}"));
            let encrypted = matches!(by, By::Tls | By::VerifiedTls);
            assert!(answer.starts_with(&auth.user()), "{answer}");
            assert_eq!(answer.contains("TLSv1.3"), encrypted, "{auth:?} {by:?}: {answer}");
        }
    }
    let own = Client::new(&server, ThrowawayAuth::Socket, By::Socket);
    assert!(own.run("select current_user()").expect("it is our account").ends_with("@localhost"));
    Client::new(&server, ThrowawayAuth::Socket, By::Tcp).run("select 1").expect_err("only over the socket");

    let accounts = "select concat(user, '=', plugin) from mysql.user where user <> 'mariadb.sys' order by user";
    let mut expected: Vec<String> = [
        (ThrowawayAuth::None, "mysql_native_password"),
        (ThrowawayAuth::Native, "mysql_native_password"),
        (ThrowawayAuth::Ed25519, "ed25519"),
        (ThrowawayAuth::Socket, "unix_socket"),
        (ThrowawayAuth::Admin, "mysql_native_password"),
    ]
    .iter()
    .map(|(auth, plugin)| format!("{}={plugin}", auth.user()))
    .collect();
    expected.sort();
    assert_eq!(Client::admin(&server).run(accounts).expect("readable"), expected.join("\n"), "and nobody else");
    for nobody in ["root", "", "mariadb.sys"] {
        let client = Client { user: nobody.to_owned(), password: String::new(), server: &server, by: By::Tcp };
        client.run("select 1").expect_err(nobody);
    }
}

#[test]
fn files_of_the_machine_have_no_say_and_the_callers_settings_have() {
    let server = start(&[("connect-timeout", "7"), ("general-log", "ON")]);
    let variable = |name: &str| {
        Client::admin(&server).run(&format!("select @@global.{name}")).unwrap_or_else(|error| panic!("{error}"))
    };
    for (name, expected) in [
        ("connect_timeout", "7"),
        ("general_log", "1"),
        ("max_connections", "40"),
        ("skip_name_resolve", "1"),
        ("performance_schema", "1"),
        ("bind_address", "127.0.0.1"),
    ] {
        assert_eq!(variable(name), expected, "{name}");
    }
    let folder = server.folder().display().to_string();
    for name in ["datadir", "tmpdir", "socket", "pid_file", "general_log_file"] {
        let value = variable(name);
        assert!(value.starts_with(&folder) || !value.contains('/'), "{name}: {value}");
    }
    let uid = std::fs::metadata(format!("/proc/{}", pid_of(&server))).expect("it runs");
    assert_ne!(std::os::unix::fs::MetadataExt::uid(&uid), 0, "never root");
}

#[test]
fn keys_and_certificates_are_as_asked_for() {
    for (server_key, certificate, verifies) in [
        (ServerKeyKind::EcdsaP256, CertificateState::Valid, true),
        (ServerKeyKind::EcdsaP256, CertificateState::Expired, false),
        (ServerKeyKind::EcdsaP256, CertificateState::OtherHost, false),
    ] {
        let server = start_with(&Options { server_key, certificate, max_connections: 20, ..Options::default() });
        let ended = Client::new(&server, ThrowawayAuth::Native, By::VerifiedTls).run("select @@max_connections");
        assert_eq!(ended.is_ok(), verifies, "{certificate:?}: {ended:?}");
        assert_eq!(Client::new(&server, ThrowawayAuth::Native, By::Tls).run("select 1").as_deref(), Ok("1"));
    }
}

#[test]
fn a_server_that_dies_at_start_is_told_with_its_log_and_leaves_nothing() {
    let settings = vec![("no-such-setting".to_owned(), "1".to_owned())];
    let error = ThrowawayMariadb::start(&Options { settings, ..Options::default() }).expect_err("an unknown setting");
    let ThrowawayError::Exited { log, .. } = &error else { panic!("{error}") };
    assert!(log.contains("no-such-setting"), "{log}");
    assert_eq!(zombies(), 0);
}

#[test]
fn two_servers_stand_side_by_side() {
    let (a, b) = std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| start(&[])), scope.spawn(|| start(&[])));
        (a.join().expect("the first"), b.join().expect("the second"))
    });
    assert_ne!(a.port(), b.port());
    for server in [&a, &b] {
        let data = Client::new(server, ThrowawayAuth::Admin, By::Tcp).run("select @@datadir").expect("readable");
        assert_eq!(Path::new(&data), server.folder().join("data"));
    }
}
