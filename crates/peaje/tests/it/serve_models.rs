//! `peaje serve --model …`: threads and processes of its own, with memory, and nothing left when it is killed.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use tokio_postgres::NoTls;

use crate::common::{Serve, run};

/// The processes that come from one.
fn tree(top: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{top}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect();
    [top].into_iter().chain(children.into_iter().flat_map(tree)).collect()
}

/// Whether a process is there and no zombie.
fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
}

fn pss(processes: &[u32]) -> u64 {
    let of = |process: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("Pss:")).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) << 10
    };
    processes.iter().map(of).sum()
}

async fn hold(url: &str, sessions: usize) -> Vec<tokio_postgres::Client> {
    let mut held = Vec::new();
    for _ in 0..sessions {
        let url = format!("{url}?sslmode=disable").replace("??", "?");
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a session");
        tokio::spawn(connection);
        client.simple_query("select 1").await.expect("an answer");
        held.push(client);
    }
    held
}

#[test]
fn a_process_for_each_session_has_the_memory_asked_for_and_dies_with_a_killed_peaje() {
    let arguments = ["--model", "process", "--session-memory", "3MiB", "--shared-memory", "40MiB", "--no-tls"];
    let mut serve = Serve::start(&arguments);
    let peaje = serve.child.id();
    let before = tree(peaje);
    assert_eq!(before.len(), 2, "peaje, and the server's top process");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (processes, taken) = runtime.block_on(async {
        let url = serve.url.split('?').next().expect("an address").to_owned();
        let empty = pss(&tree(peaje)[1..]);
        assert!(empty > 40 << 20 && empty < 60 << 20, "{empty}");
        let _held = hold(&url, 8).await;
        let processes = tree(peaje);
        let taken = pss(&processes[1..]) - empty;
        (processes, taken)
    });
    assert_eq!(processes.len(), 10);
    let each = taken / 8;
    assert!(each > 3 << 20 && each < 4 << 20, "{each} bytes a session");

    serve.child.kill().expect("it runs");
    serve.child.wait().expect("it has ended");
    let start = Instant::now();
    while processes[1..].iter().any(|process| lives(*process)) {
        assert!(start.elapsed() < Duration::from_secs(10), "{processes:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_model_speaks_every_protocol() {
    for model in ["thread", "process", "event"] {
        for protocol in ["postgres", "mysql", "sqlserver"] {
            let serve = Serve::start(&["--model", model, "--protocol", protocol]);
            let done = run(&["login", &serve.url]);
            assert_eq!(done.code, Some(0), "{model} {protocol}: {done:#?}");
            assert!(done.stdout.contains("reference server"), "{model} {protocol}: {done:#?}");
        }
    }
}

#[test]
fn more_sessions_than_one_process_may_open_files() {
    let serve = Serve::start(&["--max-sessions", "250000", "--no-tls"]);
    drop(TcpStream::connect(serve.address()).expect("it listens"));
    let limit: u64 = std::fs::read_to_string("/proc/self/limits")
        .expect("limits")
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .and_then(|line| line.split_whitespace().nth(4)?.parse().ok())
        .unwrap_or(u64::MAX);
    let needed = if limit > 250_064 { 1 } else { 250_000_u64.div_ceil(limit) };
    assert!(tree(serve.child.id()).len() as u64 >= needed, "{:?} for {limit} files each", tree(serve.child.id()));
}
