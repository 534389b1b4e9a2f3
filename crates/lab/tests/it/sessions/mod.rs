//! Held sessions against the reference server: in this process, and in workers of their own.
//!
//! A worker is this test program again, told by a variable that it is one.

mod ends;
mod ladder;
mod memory;
mod workers;

use std::io::BufRead;
use std::process::Command;
use std::time::{Duration, Instant};

use peaje_lab::Stop;
use peaje_lab::sessions::{Held, HoldNumbers, HoldPlan};
use peaje_model::{CloseMode, Secret, TlsMode};
use peaje_postgres::config::{BareSurroundings, Config};
use peaje_postgres::login::{LoginOptions, PostgresConnector};
use peaje_refserver::{RefServer, ServerOptions};

/// The variable that makes a test of this program another program.
const ROLE: &str = "PEAJE_LAB_TEST_ROLE";

fn server(options: ServerOptions) -> RefServer {
    peaje_host::this_host().raise_open_files_limit();
    RefServer::start(options).expect("a free port")
}

fn url(server: &RefServer) -> String {
    format!("postgresql://ana@{}/peaje?sslmode=disable", server.address())
}

fn connector(url: &str, query: &str, close: CloseMode) -> PostgresConnector {
    let config = Config::parse(url, &BareSurroundings).expect("well formed");
    let options = LoginOptions { tls: TlsMode::AsUrl, query: query.to_owned(), close, ..LoginOptions::default() };
    PostgresConnector::new(&config, options).expect("sound settings")
}

fn numbers(concurrency: u32) -> HoldNumbers {
    HoldNumbers { concurrency, threads: 2, login_timeout_s: 10.0, expect_rejects: false }
}

/// Sessions in this process.
fn here(server: &RefServer, concurrency: u32, stop: &Stop) -> Held {
    let connector = connector(&url(server), "select 1", CloseMode::Polite);
    Held::here(HoldPlan { connector, warm: Vec::new(), numbers: numbers(concurrency) }, stop).expect("threads")
}

/// Sessions in so many worker processes.
fn spread(url: &str, workers: u32, concurrency: u32, stop: &Stop) -> Held {
    let command = || again("sessions::becomes_a_worker", "worker");
    Held::spread(workers, numbers(concurrency), &Secret::new(url), &command, stop).expect("workers")
}

/// This program again, for one test in another role. Its channel 3 goes where standard output would: that of a test
/// program has other words on it.
fn again(test: &str, role: &str) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().expect("its file");
    command.arg("-c").arg("exec \"$0\" --exact \"$1\" --nocapture --test-threads 1 3>&1 1>/dev/null");
    command.arg(program).arg(test).env(ROLE, role);
    command
}

/// Whether this process has been started for a role.
fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Where the words of a role go.
fn words_out() -> std::fs::File {
    std::fs::File::options().write(true).open("/dev/fd/3").expect("it was opened for this process")
}

/// Not a test of its own: what the workers of other tests run.
#[test]
fn becomes_a_worker() {
    if role().as_deref() != Some("worker") {
        return;
    }
    let mut input = std::io::BufReader::new(std::io::stdin());
    let mut hello = String::new();
    input.read_line(&mut hello).expect("the first line");
    let url = hello.trim();
    if url == "refuse" {
        peaje_lab::sessions::refuse("it does not want to", words_out());
        return;
    }
    let connector = connector(url, "select 1", CloseMode::Polite);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(peaje_lab::sessions::work(connector, Vec::new(), input, words_out())).expect("orders");
}

/// Waits, not for long, until this holds.
#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn sessions_of(server: &RefServer) -> u64 {
    server.counters().sessions_now
}

fn process_is_there(pid: u32) -> bool {
    // A process that has ended and was not waited for is no longer there.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z')))
}
