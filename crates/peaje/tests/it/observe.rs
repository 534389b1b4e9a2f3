//! `peaje sessions --observe`: what it prints of a real server's machine agrees with sums that this test makes itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use peaje_model::MemorySample;
use peaje_mysql::config::SslMode as MysqlSsl;
use peaje_mysql::throwaway::{Options as MariadbOptions, ThrowawayAuth as MysqlAuth, ThrowawayMariadb};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};

use crate::common::{cluster, peaje, run, signal};

/// A running observer, with its lines.
struct Observer {
    child: Child,
    lines: Option<std::io::Lines<BufReader<std::process::ChildStdout>>>,
}

impl Observer {
    fn start(args: &[&str]) -> Self {
        let mut command = peaje();
        command.args(["sessions", "--observe"]).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command runs");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, lines: Some(lines) }
    }

    fn next(&mut self) -> MemorySample {
        let line = self.lines.as_mut().and_then(Iterator::next).expect("there are more").expect("text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// A sample that begins after this call.
    fn later(&mut self) -> MemorySample {
        let now = jiff::Timestamp::now().as_microsecond();
        loop {
            let sample = self.next();
            if sample.clock_us >= now {
                return sample;
            }
        }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Proportional and private bytes of a process and its children, added up by `awk`.
fn by_awk(root: u32) -> (u64, u64) {
    let script = format!(
        "for p in {root} $(cat /proc/{root}/task/*/children); do cat /proc/$p/smaps_rollup 2>/dev/null; done | \
         awk '/^Pss:/ {{ pss += $2 }} /^Private_(Clean|Dirty):/ {{ own += $2 }} END {{ print pss * 1024, own * 1024 }}'"
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell runs");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().expect("a number") as u64);
    (numbers.next().expect("the first"), numbers.next().expect("the second"))
}

fn near(a: u64, b: u64, share: f64) -> bool {
    a.abs_diff(b) as f64 <= share * b as f64
}

/// Grown from one sample to the next, by session.
fn each(of: impl Fn(&MemorySample) -> u64, before: &MemorySample, after: &MemorySample, sessions: u64) -> u64 {
    of(after).saturating_sub(of(before)) / sessions
}

fn pss(sample: &MemorySample) -> u64 {
    sample.server.as_ref().expect("it is observed").pss.expect("Linux tells")
}

#[tokio::test]
async fn a_hundred_sessions_of_postgresql() {
    const SESSIONS: u64 = 100;
    let server = cluster(&ThrowawayOptions { max_connections: 130, ..ThrowawayOptions::default() });
    let postmaster = server.postmaster_pid();
    let pid = postmaster.to_string();
    let mut observer = Observer::start(&["--server-pid", &pid, "--interval", "100ms"]);
    let before = observer.next();
    assert!(before.server.expect("it is there").processes >= 5, "{before:?}");
    let text = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable).expose().to_owned();
    let config: tokio_postgres::Config = text.parse().expect("it is one of theirs too");
    let (mut held, mut tasks) = (Vec::new(), Vec::new());
    for _ in 0..SESSIONS {
        let (client, connection) = config.connect(tokio_postgres::NoTls).await.expect("it logs in");
        tasks.push(tokio::spawn(connection));
        client.simple_query("select 1").await.expect("it answers");
        held.push(client);
    }
    let after = observer.later();
    let (expected, own) = by_awk(postmaster);
    let seen = after.server.expect("it is there");
    assert!(near(pss(&after), expected, 0.1), "{seen:?} and {expected}");
    assert!(near(seen.private.expect("Linux tells"), own, 0.1), "{seen:?} and {own}");
    // Workers of autovacuum come and go.
    let usual = before.server.expect("it is there").processes;
    assert!((usual + SESSIONS).abs_diff(seen.processes) <= 2, "{usual} {seen:?}");
    // PostgreSQL 15 on Debian was seen with 1.14 MB for an idle session.
    let session = each(pss, &before, &after, SESSIONS);
    assert!((300_000..4_000_000).contains(&session), "{session}");
    let stacks = |sample: &MemorySample| sample.server.expect("it is there").thread_stacks.expect("Linux tells");
    let stack = each(stacks, &before, &after, SESSIONS);
    assert!((4_096..200_000).contains(&stack), "{stack}");
    drop(held);
    for task in tasks {
        // It says goodbye when nobody holds its client any more.
        task.await.expect("it does not panic").expect("the server lives");
    }
    let end = Instant::now() + Duration::from_secs(20);
    while observer.later().server.expect("it is there").processes > usual + 2 {
        assert!(Instant::now() < end, "sessions do not leave");
    }
    // The server's end does not end the observer: the machine is still seen.
    drop(server);
    let alone = observer.later();
    assert!(alone.server.is_none() && alone.host.available.is_some(), "{alone:?}");
    signal(&observer.child, rustix::process::Signal::INT);
    assert_eq!(observer.child.wait().expect("it ends").code(), Some(0));
}

#[tokio::test]
async fn threads_of_mariadb_found_by_its_port() {
    const SESSIONS: u64 = 100;
    let options = MariadbOptions { max_connections: 130, ..MariadbOptions::default() };
    let server = ThrowawayMariadb::start(&options).unwrap_or_else(|error| panic!("{error} (package mariadb-server)"));
    let port = server.port().to_string();
    let mut observer = Observer::start(&["--server-port", &port, "--interval", "100ms"]);
    let before = observer.next();
    let config = server.config(MysqlAuth::Native, MysqlSsl::Disabled);
    let login = peaje_mysql::login::LoginOptions::default();
    let connector = peaje_mysql::login::MysqlConnector::new(&config, login).expect("sound");
    let mut held = Vec::new();
    for attempt in 0..SESSIONS {
        let mut trace = peaje_engine::Trace::start();
        held.push(peaje_engine::Connector::log_in(&connector, attempt, &mut trace).await.expect("it logs in"));
    }
    let after = observer.later();
    let seen = after.server.expect("it is there");
    let was = before.server.expect("it was there");
    assert_eq!((seen.processes, was.processes), (1, 1));
    assert!((SESSIONS - 10..=SESSIONS + 10).contains(&(seen.threads - was.threads)), "{was:?} {seen:?}");
    let (_, own) = by_awk(mariadb_pid(&server));
    assert!(near(seen.private.expect("Linux tells"), own, 0.1), "{seen:?} and {own}");
    // Each thread has touched some pages of its stack, and no thread more than its stack.
    let stack = (seen.thread_stacks.expect("Linux tells") - was.thread_stacks.expect("Linux tells")) / SESSIONS;
    assert!((8_192..400_000).contains(&stack), "{stack}");
    assert!(seen.context_switches > was.context_switches, "{was:?} {seen:?}");
    drop(held);
}

fn mariadb_pid(server: &ThrowawayMariadb) -> u32 {
    peaje_host::this_host().port_pid(server.port()).expect("it listens")
}

#[test]
fn without_a_reader_it_ends_and_what_is_not_there_is_said() {
    let mut observer = Observer::start(&["--interval", "50ms"]);
    assert!(observer.next().server.is_none());
    // Its next line meets a closed pipe.
    observer.lines = None;
    assert_eq!(observer.child.wait().expect("it ends").code(), Some(0));

    let done = run(&["sessions", "--observe", "--server-pid", "4194303"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("no process 4194303") && done.stderr.contains("next:"), "{}", done.stderr);
    let done = run(&["sessions", "--observe", "--server-port", "1"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("port 1") && done.stderr.contains("--server-pid"), "{}", done.stderr);
}
