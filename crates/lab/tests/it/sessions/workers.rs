//! Sessions in worker processes: the same experiment, and no process that outlives its purpose.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use peaje_lab::sessions::{Held, ProbePlan};
use peaje_lab::{Stop, StopRule};
use peaje_model::Secret;
use peaje_refserver::{Auth, Delays, ServerOptions};
use rustix::process::{Pid, Signal, kill_process};

use super::{again, eventually, numbers, process_is_there, role, server, sessions_of, spread, url};

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).expect("not 0"), Signal::KILL).expect("it is there");
}

#[tokio::test]
async fn one_experiment_over_several_processes() {
    let server = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = spread(&url(&server), 3, 6, &stop);
    let pids = held.pids();
    assert!(pids.len() == 3 && pids.iter().all(|pid| process_is_there(*pid) && *pid != std::process::id()));
    let opened = held.open(100).await;
    assert_eq!((opened.sessions, opened.opened, sessions_of(&server)), (100, 100, 100));
    assert!(opened.counts.balance() && opened.counts.completed == 100);
    let mean = opened.login_us.mean.expect("100 logins");
    let phases: f64 = opened.phases_us.values().filter_map(|phase| phase.mean).sum();
    assert!((mean - phases).abs() < 1e-3 * mean, "times arrive exactly: {phases} of {mean}");
    assert!(opened.seconds > 0.0 && opened.seconds < 30.0, "clocks of processes agree: {}", opened.seconds);
    let probed = held.probe(ProbePlan { logins: 2, queries: 12, active: 0.05, active_s: 0.01 }).await;
    assert_eq!(probed.failed, 0);
    assert!(probed.probe.active_per_s.is_some());
    assert_eq!(held.churn(100.0, 0.1).await.failed, 0);
    assert_eq!(held.look().await.held, 100);
    let closed = held.close(None).await;
    assert_eq!((closed.sessions, closed.cut_off, sessions_of(&server)), (100, 0, 0));
    assert_eq!((held.dropped(), stop.rule()), (vec![], None));
    drop(held);
    assert!(!pids.iter().any(|pid| process_is_there(*pid)));
}

#[tokio::test]
async fn a_rejected_login_in_one_worker_stops_all() {
    let auth = Auth::Password { user: "ana".to_owned(), password: Secret::new("right") };
    let delays = Delays { authenticate: Duration::from_millis(50), ..Delays::default() };
    let server = server(ServerOptions { auth, delays, ..ServerOptions::default() });
    let stop = Stop::new();
    let opened = spread(&url(&server).replace("ana@", "ana:wrong@"), 2, 1, &stop).open(1000).await;
    assert_eq!(opened.failed, 1);
    assert_eq!(stop.rule().map(|rule| rule.name()), Some("rejected"));
    assert_eq!(server.counters().failed, 1);
}

#[tokio::test]
async fn a_guard_stops_the_workers_in_the_middle_of_a_step() {
    let delays = Delays { authenticate: Duration::from_millis(5), ..Delays::default() };
    let server = server(ServerOptions { delays, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = spread(&url(&server), 2, 4, &stop);
    let gauge = held.gauge();
    let (opened, ()) = tokio::join!(held.open(100_000), async {
        while gauge.read().held < 20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.stop(StopRule::Swap("it swaps".to_owned()));
    });
    assert!((20..2000).contains(&opened.sessions), "{}", opened.sessions);
    assert!(opened.counts.balance() && opened.counts.in_flight == 0);
    assert_eq!(sessions_of(&server), opened.sessions);
    stop.stop(StopRule::Interrupted);
    let closed = held.close(None).await;
    assert_eq!((closed.sessions, closed.cut_off, sessions_of(&server)), (opened.sessions, 0, 0));
}

#[tokio::test]
async fn an_interruption_reaches_the_workers_in_the_middle_of_a_login() {
    let delays = Delays { authenticate: Duration::from_secs(3), ..Delays::default() };
    let server = server(ServerOptions { delays, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = spread(&url(&server), 2, 4, &stop);
    let (opened, interrupted) = tokio::join!(held.open(10), async {
        while server.counters().logging_in < 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.stop(StopRule::Interrupted);
        Instant::now()
    });
    assert!(interrupted.elapsed() < Duration::from_secs(2), "{:?}", interrupted.elapsed());
    assert_eq!((opened.counts.in_flight, opened.counts.skipped, opened.opened), (4, 6, 0));
    assert_eq!(held.close(None).await.sessions, 0);
}

#[tokio::test]
async fn a_killed_server_and_a_killed_worker_are_told_apart() {
    let first = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = spread(&url(&first), 2, 4, &stop);
    held.open(40).await;
    drop(first);
    stop.stopped().await;
    assert_eq!(stop.rule().map(|rule| rule.name()), Some("server-gone"));
    assert_eq!(held.look().await.held, 0);
    let reasons = |held: &Held| held.dropped().into_iter().map(|d| (d.reason, d.count)).collect::<Vec<_>>();
    assert_eq!(reasons(&held), [("closed".to_owned(), 40)]);

    let server = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = spread(&url(&server), 2, 4, &stop);
    held.open(40).await;
    kill(held.pids()[0]);
    eventually("its sessions are gone", || sessions_of(&server) == 20);
    assert_eq!(held.open(40).await.sessions, 20, "the rest is held, and nothing more is opened");
    assert_eq!(stop.rule().map(|rule| rule.name()), Some("generator"));
    assert_eq!(reasons(&held), [("worker-lost".to_owned(), 20)]);
    assert_eq!(held.close(None).await.sessions, 20);
}

#[tokio::test]
async fn a_worker_that_cannot_begin_says_why() {
    let command = || again("sessions::becomes_a_worker", "worker");
    let refused = Held::spread(1, numbers(1), &Secret::new("refuse"), &command, &Stop::new()).map(drop);
    let words = refused.expect_err("it refuses").to_string();
    assert!(words.contains("it does not want to"), "{words}");
    let silent = || std::process::Command::new("true");
    let words = Held::spread(1, numbers(1), &Secret::new(""), &silent, &Stop::new()).map(drop).expect_err("silent");
    assert!(words.to_string().contains("ended before it began"), "{words}");
}

#[tokio::test]
async fn held_sessions_cost_no_cpu() {
    let server = server(ServerOptions::default());
    let mut held = spread(&url(&server), 1, 8, &Stop::new());
    held.open(500).await;
    let pid = held.pids()[0];
    let cpu = || peaje_host::this_host().process_cpu(pid).expect("it is there").total();
    let before = cpu();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // The kernel counts in steps of 10 ms.
    let used = cpu().saturating_sub(before);
    assert!(used <= Duration::from_millis(10), "{used:?}");
}

/// Killed itself, it cannot say goodbye to anybody: its workers have to see that it is gone.
#[test]
fn nothing_outlives_a_killed_peaje() {
    if role().as_deref() == Some("killed") {
        return hold_until_killed();
    }
    let server = server(ServerOptions::default());
    let mut child = again("sessions::workers::nothing_outlives_a_killed_peaje", "killed");
    let mut child = child.env("PEAJE_LAB_TEST_URL", url(&server)).stdout(Stdio::piped()).spawn().expect("sh");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("asked for")).read_line(&mut line).expect("its workers");
    let pids: Vec<u32> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert_eq!((pids.len(), sessions_of(&server)), (2, 30));
    child.kill().expect("it is there");
    child.wait().expect("it was killed");
    eventually("its sessions are gone", || sessions_of(&server) == 0);
    eventually("its workers are gone", || !pids.iter().any(|pid| process_is_there(*pid)));
    assert_eq!(server.counters().sessions_ended, 0, "the workers said goodbye");
}

fn hold_until_killed() {
    use std::io::Write;
    let url = std::env::var("PEAJE_LAB_TEST_URL").expect("it was given");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut held = spread(&url, 2, 4, &Stop::new());
        held.open(30).await;
        let pids: Vec<String> = held.pids().iter().map(u32::to_string).collect();
        writeln!(super::words_out(), "{}", pids.join(" ")).expect("somebody reads");
        // The test kills this process long before.
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}
