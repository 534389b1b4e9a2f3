//! The watching session against a real server: its figures have to agree with what clients did, to the login.
//!
//! MariaDB has to be installed, server and client; without it the tests fail and say so.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{By, Client, PATIENCE, leave, start, start_with, until};
use peaje_engine::{
    Apart, Failure, SessionRow, SessionState, Snapshot, WatchCounters, WatchOptions, WatchReading, Watcher,
};
use peaje_model::{Gap, Secret};
use peaje_mysql::config::{Config, SslMode};
use peaje_mysql::counters::{PASSWORD_TO_CHOOSE, grants, open_watcher};
use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};

/// What the `mariadb` client calls itself.
const CLIENT_NAME: &str = "mysql";

fn options(sessions: Snapshot) -> WatchOptions {
    WatchOptions { program_name: "peaje watch".to_owned(), sessions }
}

async fn try_watch(config: &Config) -> Result<Box<dyn Watcher>, Failure> {
    open_watcher(config, &options(Snapshot::Sessions)).await
}

async fn watch(server: &ThrowawayMariadb, auth: ThrowawayAuth, mode: SslMode) -> Box<dyn Watcher> {
    try_watch(&server.config(auth, mode)).await.expect("it logs in")
}

async fn watch_as_admin(server: &ThrowawayMariadb) -> Box<dyn Watcher> {
    watch(server, ThrowawayAuth::Admin, SslMode::Disabled).await
}

/// Reads until something holds.
async fn when(watcher: &mut Box<dyn Watcher>, what: &str, holds: impl Fn(&WatchReading) -> bool) -> WatchReading {
    let started = Instant::now();
    loop {
        let reading = watcher.read().await.expect("readable");
        if holds(&reading) {
            return reading;
        }
        assert!(started.elapsed() < PATIENCE, "{what}: {reading:#?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Reads until there are so many sessions, and once more: the counters are read first, and who logs in then is in the
/// list alone.
async fn with_sessions(watcher: &mut Box<dyn Watcher>, wanted: u64) -> WatchReading {
    let holds = |reading: &WatchReading| reading.counters.sessions == Some(wanted);
    when(watcher, "sessions", holds).await;
    when(watcher, "sessions", holds).await
}

/// What has been counted between two readings of the same origin.
fn grown(before: &WatchReading, after: &WatchReading, of: fn(&WatchCounters) -> Option<u64>) -> u64 {
    assert_eq!(before.identity, after.identity, "they can be compared");
    let (before, after) = (of(&before.counters).expect("counted"), of(&after.counters).expect("counted"));
    after.checked_sub(before).expect("it does not fall")
}

fn logins(counters: &WatchCounters) -> Option<u64> {
    counters.logins_total
}

fn sessions(reading: &WatchReading) -> &[SessionRow] {
    reading.sessions.as_deref().expect("they can be seen")
}

/// A port check: it connects, and leaves without a word.
fn probe(server: &ThrowawayMariadb) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port())).expect("it listens")
}

fn wrong_password(server: &ThrowawayMariadb, by: By) {
    let client = Client { password: "wrong".to_owned(), ..Client::new(server, ThrowawayAuth::Native, by) };
    client.run("select 1").expect_err("a wrong password");
}

fn status(server: &ThrowawayMariadb, name: &str) -> u64 {
    let shown = Client::admin(server).run(&format!("show global status like '{name}'")).expect("readable");
    shown.rsplit('\t').next().and_then(|n| n.parse().ok()).expect("a number")
}

fn say(client: &mut Child, sql: &str) {
    let input = client.stdin.as_mut().expect("piped");
    input.write_all(sql.as_bytes()).and_then(|()| input.flush()).expect("the client reads");
}

#[tokio::test]
async fn every_figure_agrees_with_what_clients_did() {
    let server = start(&[]);
    for (auth, mode, by) in [
        (ThrowawayAuth::Admin, SslMode::Disabled, By::Tcp),
        (ThrowawayAuth::Admin, SslMode::VerifyIdentity, By::Tls),
        (ThrowawayAuth::Admin, SslMode::Disabled, By::Socket),
    ] {
        // A goodbye is counted a moment before its session is gone.
        until("nobody else is there", || status(&server, "Threads_connected") == 1);
        let mut watcher = watch(&server, auth, mode).await;
        let before = with_sessions(&mut watcher, 0).await;
        for auth in [ThrowawayAuth::None, ThrowawayAuth::Native, ThrowawayAuth::Ed25519] {
            for _ in 0..3 {
                Client::new(&server, auth, by).run("select 1").expect("it logs in");
                wrong_password(&server, by);
                drop(probe(&server));
            }
        }
        let open = vec![Client::new(&server, ThrowawayAuth::Native, by).stay()];
        let during = with_sessions(&mut watcher, 1).await;
        let done = |of, expected| assert_eq!(grown(&before, &during, of), expected, "{mode:?} {by:?}");
        done(logins, 10);
        done(|c| c.logouts_total, 9);
        done(|c| c.failed_total, 9);
        done(|c| c.failed_credentials_total, 9);
        done(|c| c.failed_limit_total, 0);
        done(|c| c.probes_total, 9);
        done(|c| c.abandoned_total, 0);
        done(|c| c.requests_total, 9);
        // A handshake is paid for by those who fail, too.
        done(|c| c.tls_logins_total, if by == By::Tls { 19 } else { 0 });
        leave(open);
        let after = with_sessions(&mut watcher, 0).await;
        assert_eq!(grown(&before, &after, |c| c.logouts_total), 10);
        assert_eq!((sessions(&after), after.counters.active), (&[][..], Some(0)));
        assert_eq!(after.gaps, []);
        watcher.close().await;
    }
}

#[tokio::test]
async fn an_idle_server_shows_nothing_of_the_watching_session() {
    let server = start(&[]);
    for mode in [SslMode::Disabled, SslMode::Required] {
        let mut watcher = watch(&server, ThrowawayAuth::Admin, mode).await;
        let first = with_sessions(&mut watcher, 0).await;
        let WatchCounters { logins_total, logouts_total, .. } = first.counters;
        assert_eq!(logins_total, logouts_total, "nobody else is logged in");
        for _ in 0..20 {
            let reading = watcher.read().await.expect("readable");
            assert_eq!((reading.counters, &reading.identity), (first.counters, &first.identity));
            assert_eq!(reading.sessions.as_deref(), Some(&[][..]));
            assert!(reading.server_clock_us >= first.server_clock_us);
        }
        assert_eq!(first.counters.since_us, first.identity.started_us);
        let age_us = first.server_clock_us - first.identity.started_us.expect("known");
        assert!((0..120_000_000).contains(&age_us), "{age_us}");
        watcher.close().await;
    }
}

#[tokio::test]
async fn attempts_under_way_are_neither_logins_nor_sessions() {
    let server = start(&[]);
    let mut watcher = watch_as_admin(&server).await;
    let before = with_sessions(&mut watcher, 0).await;
    let silent: Vec<TcpStream> = (0..7).map(|_| probe(&server)).collect();
    until("the server has them", || status(&server, "Threads_connected") >= 9);
    let during = with_sessions(&mut watcher, 0).await;
    // The administrator's own logins meanwhile have come and gone.
    let gone = |reading: &WatchReading| grown(&before, reading, logins) == grown(&before, reading, |c| c.logouts_total);
    assert!(gone(&during), "{during:?}");
    drop(silent);
    let after = when(&mut watcher, "probes", |reading| grown(&before, reading, |c| c.probes_total) == 7).await;
    assert!(gone(&after));
    assert_eq!(grown(&during, &after, logins), 0);
    assert_eq!(grown(&before, &after, |c| c.failed_total), 0);
}

#[tokio::test]
async fn a_storm_of_failures_makes_no_login() {
    let server = start(&[("max-connect-errors", "1000000")]);
    let mut watcher = watch_as_admin(&server).await;
    let before = with_sessions(&mut watcher, 0).await;
    let port = server.port();
    let storm = move || {
        for _ in 0..100 {
            drop(TcpStream::connect(("127.0.0.1", port)).expect("it listens"));
        }
    };
    let storms: Vec<_> = (0..4).map(|_| std::thread::spawn(storm)).collect();
    while storms.iter().any(|storm| !storm.is_finished()) {
        let reading = watcher.read().await.expect("readable");
        assert_eq!(grown(&before, &reading, logins), 0, "{reading:?}");
    }
    // An attempt is counted as failed a moment before it is known that it never spoke: some may be in both.
    let after = when(&mut watcher, "all of them", |reading| {
        grown(&before, reading, |c| c.probes_total) + grown(&before, reading, |c| c.failed_total) >= 400
    })
    .await;
    assert_eq!(grown(&before, &after, logins), 0);
}

#[tokio::test]
async fn what_a_full_server_refuses_is_told_by_its_class() {
    let server = start_with(&Options { max_connections: 12, ..Options::default() });
    let mut watcher = watch_as_admin(&server).await;
    let before = with_sessions(&mut watcher, 0).await;
    let client = Client::new(&server, ThrowawayAuth::None, By::Tcp);
    let full: Vec<Child> = (0..11).map(|_| client.stay()).collect();
    with_sessions(&mut watcher, 11).await;
    let admin = vec![Client::new(&server, ThrowawayAuth::Admin, By::Tcp).stay()];
    with_sessions(&mut watcher, 12).await;
    for _ in 0..3 {
        let error = client.run("select 1").expect_err("there is no session left");
        assert!(error.contains("1040"), "{error}");
    }
    let during = watcher.read().await.expect("readable");
    let limits = watcher.limits().await.expect("readable");
    assert_eq!((limits.limit, limits.in_use, limits.reserved), (13, 13, 1));
    leave(full);
    leave(admin);
    let after = with_sessions(&mut watcher, 0).await;
    assert_eq!((grown(&before, &after, logins), grown(&before, &after, |c| c.logouts_total)), (12, 12));
    assert_eq!(grown(&before, &during, |c| c.failed_limit_total), 3);
    assert_eq!((grown(&before, &during, |c| c.failed_total), grown(&before, &after, |c| c.probes_total)), (3, 0));
    assert_eq!(after.counters.peak_sessions, Some(13));
}

#[tokio::test]
async fn a_client_that_is_killed_is_an_abandoned_session() {
    let server = start(&[]);
    let mut watcher = watch_as_admin(&server).await;
    let before = with_sessions(&mut watcher, 0).await;
    let mut client = Client::new(&server, ThrowawayAuth::Native, By::Tcp).stay();
    say(&mut client, "select sleep(0.3);\n");
    let busy = when(&mut watcher, "a busy session", |reading| {
        reading.counters.active == Some(1) && sessions(reading).iter().any(|s| s.state == SessionState::Active)
    })
    .await;
    assert_eq!(sessions(&busy)[0].used, Some(true));
    client.kill().and_then(|()| client.wait()).expect("it can be killed");
    let after = with_sessions(&mut watcher, 0).await;
    assert_eq!((grown(&before, &after, logins), grown(&before, &after, |c| c.logouts_total)), (1, 1));
    assert_eq!(grown(&before, &after, |c| c.abandoned_total), 1);
    assert_eq!(grown(&before, &after, |c| c.failed_total), 0);
}

#[tokio::test]
async fn a_flush_is_another_origin_and_never_a_rate() {
    let server = start(&[]);
    let admin = Client::admin(&server);
    let mut watcher = watch(&server, ThrowawayAuth::Admin, SslMode::Required).await;
    wrong_password(&server, By::Tls);
    let before = with_sessions(&mut watcher, 0).await;
    admin.run("flush status").expect("the administrator may");
    let flushed = with_sessions(&mut watcher, 0).await;
    assert_ne!(flushed.identity.origin, before.identity.origin);
    assert_eq!(
        (&flushed.identity.name, flushed.identity.started_us),
        (&before.identity.name, before.identity.started_us)
    );
    assert_eq!((flushed.counters.failed_total, flushed.counters.failed_credentials_total), (Some(0), Some(0)));
    assert_eq!(flushed.counters.tls_logins_total, Some(0), "its own handshake was before");
    // Nothing has failed since, so that only the time tells.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    admin.run("flush status").expect("the administrator may");
    let again = with_sessions(&mut watcher, 0).await;
    assert_ne!(again.identity.origin, flushed.identity.origin);
    assert!(again.gaps.iter().any(|gap| gap.what == "logins since the start"), "{:?}", again.gaps);
    Client::new(&server, ThrowawayAuth::Native, By::Tls).run("select 1").expect("it logs in");
    wrong_password(&server, By::Tls);
    let later = with_sessions(&mut watcher, 0).await;
    assert_eq!((grown(&again, &later, logins), grown(&again, &later, |c| c.failed_credentials_total)), (1, 1));
    assert_eq!(grown(&again, &later, |c| c.tls_logins_total), 2);
}

/// The same server once more, by the command line of the first.
fn start_again(server: &ThrowawayMariadb) -> Child {
    let pid = server.server_pid().expect("it runs");
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).expect("readable");
    let words: Vec<String> = line
        .split(|b| *b == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .filter(|w| !w.is_empty())
        .collect();
    Client::admin(server).run("shutdown").expect("the administrator may");
    until("it stops", || TcpStream::connect(("127.0.0.1", server.port())).is_err());
    let owner = std::fs::metadata(server.folder().join("data")).expect("it is there");
    until("it is gone", || std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |s| s.contains(" Z ")));
    // What makes the accounts has been run.
    let arguments = words[1..].iter().filter(|word| !word.starts_with("--init-file"));
    let mut command = Command::new(&words[0]);
    command
        .args(arguments)
        .uid(owner.uid())
        .gid(owner.gid())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = command.spawn().expect("it starts");
    until("it listens", || TcpStream::connect(("127.0.0.1", server.port())).is_ok());
    child
}

#[tokio::test]
async fn after_a_restart_the_session_is_lost_and_the_next_one_tells_another_start() {
    let server = start(&[]);
    let mut watcher = watch_as_admin(&server).await;
    let before = with_sessions(&mut watcher, 0).await;
    let config = server.config(ThrowawayAuth::Admin, SslMode::Disabled);
    // Two starts within a second could not be told apart by whole seconds.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let mut again = start_again(&server);
    watcher.read().await.expect_err("the session is lost");
    watcher.read().await.expect_err("and stays lost");
    let mut watcher = try_watch(&config).await.expect("it logs in");
    let after = watcher.read().await.expect("readable");
    again.kill().and_then(|()| again.wait()).expect("it can be killed");
    assert_eq!(after.identity.name, before.identity.name);
    assert!(after.identity.started_us > before.identity.started_us, "{after:?}");
}

#[tokio::test]
async fn another_server_has_another_name() {
    let (one, other) = (start(&[]), start(&[]));
    let mut names = Vec::new();
    for server in [&one, &other] {
        names.push(watch_as_admin(server).await.read().await.expect("readable").identity.name);
    }
    assert_ne!(names[0], names[1]);
}

#[tokio::test]
async fn a_session_that_is_killed_is_lost_and_the_next_one_goes_on_from_what_it_knew() {
    let server = start(&[]);
    let mut watcher = watch_as_admin(&server).await;
    let open: Vec<Child> = (0..3).map(|_| Client::new(&server, ThrowawayAuth::Native, By::Tcp).stay()).collect();
    let before = with_sessions(&mut watcher, 3).await;
    let own = "select id from information_schema.processlist where user = 'peaje_admin' and id <> connection_id()";
    let id = Client::admin(&server).run(own).expect("readable");
    Client::admin(&server).run(&format!("kill {id}")).expect("the administrator may");
    let failure = watcher.read().await.expect_err("the session is lost");
    assert!(!format!("{failure:?}").contains(server.password().expose()));
    drop(watcher);
    let mut watcher = watch_as_admin(&server).await;
    let after = with_sessions(&mut watcher, 3).await;
    let named = |reading: &WatchReading| -> Vec<(u64, i64)> {
        sessions(reading).iter().map(|session| (session.id, session.opened_us)).collect()
    };
    assert_eq!(named(&after), named(&before), "they are the same sessions, as old as before");
    leave(open);
}

#[tokio::test]
async fn sessions_have_a_client_a_state_and_a_time() {
    let server = start(&[]);
    Client::admin(&server).run("create table peaje.t (a int) engine = innodb").expect("created");
    let mut watcher = watch(&server, ThrowawayAuth::Admin, SslMode::Required).await;
    let empty = with_sessions(&mut watcher, 0).await;
    let mut open: Vec<Child> = [By::Tls, By::Tcp, By::Socket]
        .map(|by| Client::new(&server, ThrowawayAuth::Native, by).stay())
        .into_iter()
        .collect();
    let seen = with_sessions(&mut watcher, 3).await;
    for session in sessions(&seen) {
        let at = open.iter().position(|child| session.process == Some(child.id().into())).expect("one of them");
        assert_eq!((session.application.as_str(), session.user.as_str()), (CLIENT_NAME, "peaje_native"));
        assert_eq!((session.encrypted, session.state), (Some(at == 0), SessionState::Idle));
        assert_eq!(session.host, if at == 2 { "" } else { "127.0.0.1" });
        assert_eq!((session.database.as_str(), session.apart), ("", None));
        assert!((empty.server_clock_us..=seen.server_clock_us).contains(&session.opened_us), "{session:?}");
        assert!(session.since_us >= Some(session.opened_us), "{session:?}");
    }
    let second = watcher.read().await.expect("readable");
    assert_eq!(second.sessions, seen.sessions, "nothing has happened");

    say(&mut open[0], "use peaje; start transaction; select * from t; select 1;\n");
    say(&mut open[1], "select sleep(20);\n");
    // The server looks at its transactions anew only when nobody has for a tenth of a second.
    until("the transaction shows", || {
        std::thread::sleep(Duration::from_millis(150));
        Client::admin(&server).run("select count(*) from information_schema.innodb_trx") == Ok("1".to_owned())
    });
    let moved = when(&mut watcher, "a transaction and a statement", |reading| {
        let has = |state| reading.sessions.iter().flatten().any(|session| session.state == state);
        has(SessionState::IdleInTransaction) && has(SessionState::Active)
    })
    .await;
    for session in sessions(&moved) {
        let first = sessions(&seen).iter().find(|other| other.id == session.id).expect("the same session");
        assert_eq!(session.opened_us, first.opened_us);
        let (used, database) = match session.state {
            SessionState::Idle => (None, ""),
            SessionState::Active => (Some(true), ""),
            SessionState::IdleInTransaction => (Some(true), "peaje"),
        };
        assert_eq!((session.used, session.database.as_str()), (used, database), "{session:?}");
    }
    let mut sleeper = open.remove(1);
    sleeper.kill().and_then(|()| sleeper.wait()).expect("it can be killed");
    leave(open);
}

#[tokio::test]
async fn other_sessions_of_peaje_are_set_apart() {
    let server = start(&[]);
    let mut first = watch_as_admin(&server).await;
    let second = watch(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let seen = with_sessions(&mut first, 1).await;
    let other = &sessions(&seen)[0];
    assert_eq!((other.application.as_str(), other.apart), ("peaje watch", Some(Apart::Peaje)));
    assert_eq!(other.process, Some(std::process::id().into()));
    second.close().await;
    let after = with_sessions(&mut first, 0).await;
    assert_eq!(after.counters.abandoned_total, Some(0), "it left politely");
}

#[tokio::test]
async fn the_servers_own_events_are_no_logins() {
    let server = start(&[("event-scheduler", "ON")]);
    let mut watcher = watch_as_admin(&server).await;
    Client::admin(&server).run("create event peaje.e on schedule every 1 second do do 1").expect("created");
    let before = with_sessions(&mut watcher, 0).await;
    let mut looks = 1;
    let runs = status(&server, "Executed_events");
    until("it runs three times", || {
        looks += 1;
        status(&server, "Executed_events") >= runs + 3
    });
    Client::admin(&server).run("drop event peaje.e").expect("dropped");
    looks += 1;
    let after = with_sessions(&mut watcher, 0).await;
    assert_eq!((grown(&before, &after, logins), grown(&before, &after, |c| c.logouts_total)), (looks, looks));
    let scheduler = sessions(&after).iter().find(|session| session.user == "event_scheduler").expect("it is listed");
    assert_eq!(scheduler.apart, Some(Apart::ServerAgent));
}

fn steps(gaps: &[Gap]) -> Vec<(&str, &str)> {
    gaps.iter().map(|gap| (gap.what.as_str(), gap.next_step.as_deref().unwrap_or_default())).collect()
}

#[tokio::test]
async fn each_missing_right_is_a_gap_by_name_and_nothing_is_asked_in_vain() {
    let server = start(&[]);
    let denied = status(&server, "Access_denied_errors");
    let mut poor = watch(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let before = with_sessions(&mut poor, 0).await;
    assert_eq!(before.sessions, None);
    let (_, gaps) = poor.facts().await;
    assert_eq!(gaps, []);
    assert_eq!(
        steps(&before.gaps),
        [("sessions of other accounts", "grant process on *.* to `peaje_native`@`%`")],
        "what a list without sessions would lack is not asked for"
    );
    let gap = poor.accounts().await.expect_err("it may not read them");
    assert_eq!(gap.next_step.as_deref(), Some("grant select on performance_schema.accounts to `peaje_native`@`%`"));
    assert_eq!(status(&server, "Access_denied_errors"), denied, "it would look like a failed login");
    for _ in 0..5 {
        Client::new(&server, ThrowawayAuth::None, By::Tcp).run("select 1").expect("it logs in");
    }
    wrong_password(&server, By::Tcp);
    let after = with_sessions(&mut poor, 0).await;
    // With the administrator's looks.
    assert_eq!((grown(&before, &after, logins), grown(&before, &after, |c| c.failed_credentials_total)), (6, 1));

    let admin = Client::admin(&server);
    admin.run("grant process on *.* to peaje_native").expect("granted");
    let mut seeing = watch(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let open = vec![Client::new(&server, ThrowawayAuth::None, By::Tls).stay()];
    let seen = with_sessions(&mut seeing, 2).await;
    let view = |view: &str| format!("grant select on performance_schema.{view} to `peaje_native`@`%`");
    let (attributes, threads) = (view("session_connect_attrs"), view("threads"));
    assert_eq!(
        steps(&seen.gaps),
        [
            ("performance_schema.session_connect_attrs", attributes.as_str()),
            ("performance_schema.threads", threads.as_str())
        ]
    );
    let session = sessions(&seen).iter().find(|session| session.user == "peaje_none").expect("it is listed");
    assert_eq!((session.application.as_str(), session.process, session.encrypted), ("", None, None));

    // Without PROCESS the list of threads serves; by a role, as rights often come.
    admin.run("revoke process on *.* from peaje_native").expect("revoked");
    let role = "create role watchers; grant select on performance_schema.* to watchers; \
                grant watchers to peaje_native; set default role watchers for peaje_native";
    admin.run(role).expect("granted");
    let mut roled = watch(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let seen = with_sessions(&mut roled, 3).await;
    assert_eq!(steps(&seen.gaps), [("open transactions", "grant process on *.* to `peaje_native`@`%`")]);
    let session = sessions(&seen).iter().find(|session| session.user == "peaje_none").expect("it is listed");
    assert_eq!((session.application.as_str(), session.encrypted), (CLIENT_NAME, Some(true)));
    assert_eq!(status(&server, "Access_denied_errors"), denied + 1, "the wrong password alone");
    leave(open);
}

#[tokio::test]
async fn the_grants_are_enough() {
    let server = start(&[]);
    let account = "pe`a' je@127.0.0.1";
    let script = grants(account).replace(PASSWORD_TO_CHOOSE, server.password().expose());
    Client::admin(&server).run(&script).expect("the script runs");
    let mut config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    "pe`a' je".clone_into(&mut config.user);
    config.database = None;
    let mut watcher = try_watch(&config).await.expect("it logs in");
    let reading = with_sessions(&mut watcher, 0).await;
    assert_eq!((reading.sessions.as_deref(), reading.gaps.as_slice()), (Some(&[][..]), &[][..]));
    for _ in 0..3 {
        Client::new(&server, ThrowawayAuth::None, By::Tcp).run("select 1").expect("it logs in");
    }
    with_sessions(&mut watcher, 0).await;
    let accounts = watcher.accounts().await.expect("readable");
    let of = |user: &str| accounts.iter().find(|account| account.user == user).expect("it is counted");
    assert_eq!((of("peaje_none").logins_total, of("peaje_none").host.as_deref()), (3, Some("127.0.0.1")));
    assert_eq!(of("pe`a' je").logins_total, 0, "its own login is not counted");
    assert!(watcher.what_answered().await.expect("it answers").product.contains("MariaDB"));
}

#[tokio::test]
async fn without_the_performance_schema_sessions_are_seen_and_what_is_missing_is_said() {
    let server = start(&[("performance-schema", "OFF")]);
    let mut watcher = watch_as_admin(&server).await;
    let open: Vec<Child> = (0..3).map(|_| Client::new(&server, ThrowawayAuth::Native, By::Tls).stay()).collect();
    let seen = with_sessions(&mut watcher, 3).await;
    assert_eq!(sessions(&seen).len(), 3);
    let on = "start the server with performance_schema=ON";
    assert_eq!(
        steps(&seen.gaps),
        [("performance_schema.session_connect_attrs", on), ("performance_schema.threads", on)]
    );
    assert_eq!(watcher.accounts().await, Ok(Vec::new()));
    leave(open);
    let mut poor = watch(&server, ThrowawayAuth::Native, SslMode::Disabled).await;
    let reading = poor.read().await.expect("readable");
    assert_eq!(steps(&reading.gaps), [("sessions of other accounts", "grant process on *.* to `peaje_native`@`%`")]);
    assert_eq!(reading.sessions, None);
}

#[tokio::test]
async fn the_server_counts_logins_of_users_itself_where_it_is_told_to() {
    let server = start(&[("userstat", "ON")]);
    let mut watcher = watch_as_admin(&server).await;
    for _ in 0..4 {
        Client::new(&server, ThrowawayAuth::Native, By::Tcp).run("select sleep(0.3)").expect("it logs in");
    }
    let started = Instant::now();
    let user = loop {
        let accounts = watcher.accounts().await.expect("readable");
        let found = accounts.into_iter().find(|account| account.user == "peaje_native");
        if let Some(user) = found.filter(|user| user.logins_total == 4) {
            break user;
        }
        assert!(started.elapsed() < PATIENCE);
    };
    assert_eq!(user.host, None);
    assert!(user.connected_us_total.is_some_and(|us| us <= 8_000_000), "{user:?}");
}

#[tokio::test]
async fn counters_alone_list_nothing_and_miss_nothing() {
    let server = start(&[]);
    let config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    let mut watcher = open_watcher(&config, &options(Snapshot::CountersOnly)).await.expect("it logs in");
    let before = with_sessions(&mut watcher, 0).await;
    Client::new(&server, ThrowawayAuth::None, By::Tcp).run("select 1").expect("it logs in");
    let after = with_sessions(&mut watcher, 0).await;
    assert_eq!((grown(&before, &after, logins), after.sessions, after.gaps), (1, None, Vec::new()));
}

#[tokio::test]
async fn a_login_that_fails_says_how() {
    let server = start(&[]);
    let mut config = server.config(ThrowawayAuth::Native, SslMode::Disabled);
    config.password = Some(Secret::new("wrong"));
    let failure = try_watch(&config).await.map(drop).expect_err("a wrong password");
    assert_eq!(failure.code.as_deref(), Some("1045"));
    assert!(!format!("{failure:?}").contains("wrong"));
}

#[tokio::test]
async fn a_reading_is_three_statements_however_many_sessions_there_are() {
    let server = start(&[]);
    let mut watcher = watch_as_admin(&server).await;
    let mut open: Vec<Child> = Vec::new();
    for wanted in [0, 20] {
        open.extend((0..wanted).map(|_| Client::new(&server, ThrowawayAuth::Native, By::Tcp).stay()));
        with_sessions(&mut watcher, wanted).await;
        // What new clients tell once has been asked for.
        watcher.read().await.expect("readable");
        let before = status(&server, "Questions");
        for _ in 0..10 {
            watcher.read().await.expect("readable");
        }
        // Three each; the goodbye of the first look and the statement of the second; and the failures once more, because
        // the look is a login.
        let asked = status(&server, "Questions") - before;
        assert!((32..=33).contains(&asked), "{asked}");
    }
    leave(open);
}
