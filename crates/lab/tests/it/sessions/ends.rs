//! Whatever ends a ladder early: what was measured is there, and nothing is left open.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use peaje_lab::sessions::{Held, HoldPlan, ProbePlan};
use peaje_lab::{Stop, StopRule};
use peaje_model::{CloseMode, OutcomeKind, Secret};
use peaje_refserver::{Auth, Delays, DropAfter, Faults, ServerOptions, Step};

use super::{again, connector, eventually, here, numbers, role, server, sessions_of, url};

#[tokio::test]
async fn a_server_that_goes_away_is_seen_at_once() {
    let server = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = here(&server, 4, &stop);
    held.open(30).await;
    let killed = Instant::now();
    drop(server);
    stop.stopped().await;
    assert!(killed.elapsed() < Duration::from_secs(2));
    assert_eq!(held.look().await.held, 0);
    let dropped = held.dropped();
    assert_eq!((dropped.len(), dropped[0].reason.as_str(), dropped[0].count), (1, "closed", 30));
    let rule = stop.rule().expect("stopped");
    assert_eq!(rule, StopRule::ServerGone("the server has ended every session, 30 in all".to_owned()));
    assert_eq!(held.close(None).await.sessions, 0);
}

#[tokio::test]
async fn single_sessions_that_the_server_ends_are_counted_and_opened_again() {
    let every = NonZeroU64::new(3).expect("three");
    let faults = Faults { drop: Some(DropAfter { step: Step::Query, every }), ..Faults::default() };
    let server = server(ServerOptions { faults, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = here(&server, 1, &stop);
    held.open(30).await;
    held.probe(ProbePlan { logins: 0, queries: 30, active: 0.0, active_s: 0.0 }).await;
    eventually("the server has ended a third", || held.gauge().read().dropped == 10);
    assert_eq!(held.look().await.held, 20);
    assert_eq!(stop.rule(), None, "others live");
    let again = held.open(30).await;
    assert_eq!((again.opened, again.sessions, again.dropped), (10, 30, 10));
    assert_eq!(held.dropped().iter().map(|d| (d.reason.as_str(), d.count)).collect::<Vec<_>>(), [("closed", 10)]);
}

#[tokio::test]
async fn a_guard_stops_in_the_middle_of_a_step() {
    let delays = Delays { authenticate: Duration::from_millis(5), ..Delays::default() };
    let server = server(ServerOptions { delays, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = here(&server, 2, &stop);
    let gauge = held.gauge();
    let guard = async {
        while gauge.read().held < 20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.stop(StopRule::MemoryFloor("too little is left".to_owned()));
    };
    let (opened, ()) = tokio::join!(held.open(10_000), guard);
    assert!((20..1000).contains(&opened.opened), "{opened:?}");
    assert_eq!(opened.sessions, opened.opened, "those in flight end");
    assert!(opened.counts.balance() && opened.counts.in_flight == 0, "{:?}", opened.counts);
    assert_eq!(opened.counts.scheduled, 10_000);
    assert_eq!(sessions_of(&server), opened.sessions, "they are held until they are closed");
    assert_eq!(held.open(20_000).await.opened, 0);
    assert_eq!(held.close(None).await.sessions, opened.sessions);
    assert_eq!(sessions_of(&server), 0);
}

#[tokio::test]
async fn an_interruption_aborts_logins_and_says_goodbye() {
    // The server sees the end of a login when its delay is over.
    let delays = Delays { authenticate: Duration::from_secs(2), ..Delays::default() };
    let slow = server(ServerOptions { delays, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = here(&slow, 3, &stop);
    let (opened, ()) = tokio::join!(held.open(10), async {
        eventually_async(|| slow.counters().logging_in == 3).await;
        stop.stop(StopRule::Interrupted);
    });
    assert_eq!((opened.counts.in_flight, opened.counts.skipped, opened.opened), (3, 7, 0));
    assert!(opened.outcomes.iter().any(|o| o.kind == OutcomeKind::Aborted && o.count == 3));
    eventually("no login is left", || slow.counters().logging_in == 0);

    let server = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = here(&server, 4, &stop);
    held.open(50).await;
    stop.stop(StopRule::Interrupted);
    let closed = held.close(None).await;
    assert_eq!((closed.sessions, closed.cut_off), (50, 0));
    assert_eq!(sessions_of(&server), 0);
}

async fn eventually_async(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn dropping_says_goodbye() {
    let server = server(ServerOptions::default());
    let mut held = here(&server, 4, &Stop::new());
    held.open(100).await;
    drop(held);
    assert_eq!(sessions_of(&server), 0);
    assert_eq!(server.counters().sessions_ended, 0, "they left by themselves");
}

#[tokio::test]
async fn a_limit_of_time_cuts_off_what_does_not_leave() {
    let server = server(ServerOptions::default());
    let mut held = here(&server, 2, &Stop::new());
    held.open(10).await;
    let closed = held.close(Some(Duration::ZERO)).await;
    assert_eq!(closed.sessions + closed.failed + closed.cut_off, 10);
    eventually("they are gone in any case", || sessions_of(&server) == 0);
}

#[tokio::test]
async fn the_first_rejected_login_stops() {
    let auth = Auth::Password { user: "ana".to_owned(), password: Secret::new("right") };
    let server = server(ServerOptions { auth, ..ServerOptions::default() });
    let stop = Stop::new();
    let url = url(&server).replace("ana@", "ana:wrong@");
    let connector = connector(&url, "", CloseMode::Polite);
    let plan = HoldPlan { connector, warm: Vec::new(), numbers: numbers(1) };
    let opened = Held::here(plan, &stop).expect("threads").open(50).await;
    assert_eq!((opened.failed, opened.opened, opened.counts.skipped), (1, 0, 49));
    assert_eq!(stop.rule().map(|rule| rule.name()), Some("rejected"));
    assert_eq!(server.counters().failed, 1);
}

#[tokio::test]
async fn a_full_server_is_the_end_and_keeps_what_it_has() {
    let server = server(ServerOptions { max_sessions: Some(10), ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = here(&server, 1, &stop);
    let opened = held.open(50).await;
    assert_eq!((opened.sessions, opened.failed), (10, 1));
    let rule = stop.rule().expect("stopped");
    assert_eq!(rule.name(), "server-full");
    assert!(rule.message().contains("53300"), "{}", rule.message());
}

/// The limit of open files belongs to a whole process: this test runs in one of its own.
#[test]
fn the_limit_of_open_files_is_a_clear_stop() {
    if role().as_deref() == Some("few files") {
        return with_few_files();
    }
    let server = server(ServerOptions::default());
    let mut child = again("sessions::ends::the_limit_of_open_files_is_a_clear_stop", "few files");
    let status = child.env("PEAJE_LAB_TEST_URL", url(&server)).status().expect("sh");
    assert!(status.success());
    let counters = server.counters();
    assert!((50..100).contains(&counters.logins), "{counters:?}");
    eventually("nothing is left open", || sessions_of(&server) == 0);
}

fn with_few_files() {
    let few = rustix::process::Rlimit { current: Some(100), maximum: Some(100) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, few).expect("a lower limit is always allowed");
    let url = std::env::var("PEAJE_LAB_TEST_URL").expect("it was given");
    let connector = connector(&url, "", CloseMode::Polite);
    let stop = Stop::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let plan = HoldPlan { connector, warm: Vec::new(), numbers: numbers(4) };
        let mut held = Held::here(plan, &stop).expect("threads");
        let opened = held.open(500).await;
        assert!((50..100).contains(&opened.sessions), "{opened:?}");
        let rule = stop.rule().expect("stopped");
        assert_eq!(rule.name(), "generator");
        assert!(rule.message().contains("EMFILE") && rule.message().contains("ulimit -n"), "{}", rule.message());
        assert_eq!(held.close(None).await.sessions, opened.sessions);
    });
}
