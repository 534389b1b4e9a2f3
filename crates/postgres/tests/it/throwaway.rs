//! The throwaway server, for real: what it leaves behind is nothing, however its owner ends.
//!
//! PostgreSQL 15 and 18 have to be installed; without one of them its tests fail and say so.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Postgres, on_each_version};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{
    CertificateState, ServerKeyKind, ThrowawayAuth, ThrowawayCluster, ThrowawayError, ThrowawayOptions,
};

/// Longer than the guard needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn runs(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

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

fn wait_until_gone(folder: &Path, pid: u32) -> Duration {
    let started = Instant::now();
    while folder.exists() || runs(pid) || !processes_of(folder).is_empty() {
        assert!(started.elapsed() < PATIENCE, "{} left: {:?}", folder.display(), processes_of(folder));
        std::thread::sleep(Duration::from_millis(20));
    }
    started.elapsed()
}

fn nothing_is_left_after_a_stop(pg: &Postgres) {
    let server = pg.start(&ThrowawayOptions::default());
    let (folder, pid) = (server.folder().to_owned(), server.postmaster_pid());
    assert!(server.port() < 32_768);
    assert!(runs(pid) && folder.join("data/PG_VERSION").exists());
    assert!(!folder.join("password").exists(), "the superuser's password file is gone");
    assert!(server.log_tail().contains("ready to accept connections"), "{}", server.log_tail());
    server.stop().expect("it stops");
    assert!(!folder.exists() && !runs(pid));
    assert_eq!(processes_of(&folder), Vec::<String>::new());
    assert_eq!(zombies(), 0);
}

fn nothing_is_left_after_a_drop_with_sessions_open(pg: &Postgres) {
    let server = pg.start(&ThrowawayOptions::default());
    let (folder, pid) = (server.folder().to_owned(), server.postmaster_pid());
    let mut sessions: Vec<Child> = (0..3).map(|_| psql(&server, ThrowawayAuth::Trust, "select pg_sleep(60)")).collect();
    wait_for_sessions(&server, 3);
    drop(server);
    assert!(!folder.exists() && !runs(pid));
    for session in &mut sessions {
        assert!(!session.wait().expect("psql ends").success());
    }
}

fn nothing_is_left_after_a_panic(pg: &Postgres) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let options = pg.options();
    let thread = std::thread::spawn(move || {
        let server = ThrowawayCluster::start(&options).expect("the server starts");
        sender.send((server.folder().to_owned(), server.postmaster_pid())).expect("received below");
        panic!("as intended");
    });
    assert!(thread.join().is_err());
    let (folder, pid) = receiver.recv().expect("sent above");
    assert!(!folder.exists() && !runs(pid));
}

/// Set in the process that is killed: the test below then plays the victim.
const VICTIM: &str = "PEAJE_TEST_VICTIM";

/// Starts this test again as another process, which starts a server and waits.
fn victim(pg: &Postgres, test: &str) -> (Child, PathBuf, u32) {
    let mut child = Command::new(std::env::current_exe().expect("the test's own path"))
        .args(["--exact", &format!("throwaway::{}::{test}", pg.module), "--nocapture"])
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

fn play_the_victim(pg: &Postgres) {
    let server = pg.start(&ThrowawayOptions::default());
    writeln!(std::io::stdout(), "\nSTARTED {} {}", server.postmaster_pid(), server.folder().display()).expect("piped");
    std::io::stdout().flush().expect("piped");
    // Waits for the end of a pipe that its parent holds.
    let _ = std::io::stdin().lines().next();
    std::process::abort();
}

fn nothing_is_left_after_kill_9(pg: &Postgres) {
    if std::env::var_os(VICTIM).is_some() {
        return play_the_victim(pg);
    }
    let (mut child, folder, pid) = victim(pg, "nothing_is_left_after_kill_9");
    assert!(runs(pid) && folder.exists());
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    let took = wait_until_gone(&folder, pid);
    assert!(took < Duration::from_secs(15), "{took:?}");
}

fn the_guard_survives_the_terminals_signals(pg: &Postgres) {
    if std::env::var_os(VICTIM).is_some() {
        return play_the_victim(pg);
    }
    let (mut child, folder, pid) = victim(pg, "the_guard_survives_the_terminals_signals");
    let guard = parent_of(pid);
    for signal in ["INT", "HUP", "TERM", "QUIT"] {
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &guard.to_string()]).status().expect("kill").success()
        );
    }
    // A signal that kills does so at once; the server would follow.
    std::thread::sleep(Duration::from_millis(200));
    assert!(runs(guard) && runs(pid) && folder.exists());
    // Ctrl-C kills the victim alone: the guard is in another process group.
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    child.wait().expect("it is dead");
    wait_until_gone(&folder, pid);
    wait_until_gone(&folder, guard);
}

fn parent_of(pid: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)).and_then(|p| p.parse().ok()).expect("its parent")
}

fn two_servers_stand_side_by_side(pg: &Postgres) {
    let (a, b) = std::thread::scope(|scope| {
        let start = || pg.start(&ThrowawayOptions::default());
        let (a, b) = (scope.spawn(start), scope.spawn(start));
        (a.join().expect("the first"), b.join().expect("the second"))
    });
    assert_ne!(a.port(), b.port());
    assert_ne!(a.folder(), b.folder());
    for server in [&a, &b] {
        let shown = output(psql(server, ThrowawayAuth::Admin, "show data_directory"));
        assert_eq!(Path::new(shown.trim()), server.folder().join("data"));
    }
}

fn every_login_works_over_tcp_tls_and_socket(pg: &Postgres) {
    let server = pg.start(&ThrowawayOptions::default());
    for auth in ThrowawayAuth::LOGINS.into_iter().chain([ThrowawayAuth::Admin]) {
        for mode in [SslMode::Disable, SslMode::Require, SslMode::VerifyFull] {
            let text = "select current_user, ssl from pg_stat_ssl where pid = pg_backend_pid()";
            let answer = output(run_psql(server.connection_string(auth, mode).expose(), text));
            let encrypted = if mode == SslMode::Disable { "f" } else { "t" };
            assert_eq!(answer.trim(), format!("{}|{encrypted}", auth.user()), "{mode:?}");
        }
        assert_eq!(output(run_psql(server.socket_string(auth).expose(), "select 1")).trim(), "1");
    }
    let stored = output(psql(
        &server,
        ThrowawayAuth::Admin,
        "select string_agg(rolname || '=' || left(coalesce(rolpassword, 'none'), 3), ' ' order by rolname) \
         from pg_authid where rolname like 'peaje%'",
    ));
    assert_eq!(stored.trim(), "peaje_admin=SCR peaje_md5=md5 peaje_password=SCR peaje_scram=SCR peaje_trust=non");
}

fn keys_and_certificates_are_as_asked_for(pg: &Postgres) {
    for (server_key, certificate, verifies) in [
        (ServerKeyKind::EcdsaP256, CertificateState::Valid, true),
        (ServerKeyKind::EcdsaP256, CertificateState::Expired, false),
        (ServerKeyKind::EcdsaP256, CertificateState::OtherHost, false),
    ] {
        let options = ThrowawayOptions { server_key, certificate, max_connections: 20, ..Default::default() };
        let server = pg.start(&options);
        let strict = server.connection_string(ThrowawayAuth::Trust, SslMode::VerifyFull);
        let ended = run_psql(strict.expose(), "show max_connections").wait_with_output().expect("psql ends");
        assert_eq!(ended.status.success(), verifies, "{certificate:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

fn a_server_that_dies_at_start_is_told_with_its_log_and_leaves_nothing(pg: &Postgres) {
    let options = ThrowawayOptions { settings: vec![("no_such_setting".to_owned(), "1".to_owned())], ..pg.options() };
    let error = ThrowawayCluster::start(&options).expect_err("an unknown setting");
    let ThrowawayError::Exited { status, log } = &error else { panic!("{error}") };
    assert_eq!(*status, 1);
    assert!(log.contains("no_such_setting"), "{log}");
    assert_eq!(zombies(), 0);
}

fn psql(server: &ThrowawayCluster, auth: ThrowawayAuth, sql: &str) -> Child {
    run_psql(server.connection_string(auth, SslMode::Disable).expose(), sql)
}

fn run_psql(connection: &str, sql: &str) -> Child {
    Command::new("psql")
        .args(["--no-psqlrc", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, connection])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("psql is installed (package postgresql-client)")
}

fn output(psql: Child) -> String {
    let ended = psql.wait_with_output().expect("psql ends");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).expect("UTF-8")
}

fn wait_for_sessions(server: &ThrowawayCluster, wanted: usize) {
    let sql = "select count(*) from pg_stat_activity where usename = 'peaje_trust' and state = 'active'";
    let started = Instant::now();
    while output(psql(server, ThrowawayAuth::Admin, sql)).trim() != wanted.to_string() {
        assert!(started.elapsed() < PATIENCE, "the sessions do not open");
    }
}

on_each_version! {
    nothing_is_left_after_a_stop, nothing_is_left_after_a_drop_with_sessions_open, nothing_is_left_after_a_panic, nothing_is_left_after_kill_9, the_guard_survives_the_terminals_signals, two_servers_stand_side_by_side, every_login_works_over_tcp_tls_and_socket, keys_and_certificates_are_as_asked_for, a_server_that_dies_at_start_is_told_with_its_log_and_leaves_nothing
}
