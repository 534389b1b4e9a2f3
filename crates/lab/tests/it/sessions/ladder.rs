//! The way up and down when nothing goes wrong: counts are exact, and the server agrees.

use std::time::Duration;

use peaje_lab::Stop;
use peaje_lab::sessions::{Held, HoldPlan, ProbePlan};
use peaje_model::{CloseMode, Phase};
use peaje_refserver::{Delays, ServerOptions};

use super::{connector, eventually, here, numbers, server, sessions_of, url};

#[tokio::test]
async fn each_step_opens_what_is_missing_and_close_leaves_nothing() {
    let server = server(ServerOptions::default());
    let stop = Stop::new();
    let mut held = here(&server, 5, &stop);
    let first = held.open(50).await;
    assert_eq!((first.sessions, first.wanted, first.opened, first.failed, first.dropped), (50, 50, 50, 0, 0));
    assert!(first.counts.balance() && first.counts.completed == 50, "{:?}", first.counts);
    assert_eq!(sessions_of(&server), 50);
    let second = held.open(120).await;
    assert_eq!((second.sessions, second.opened), (120, 70));
    assert_eq!(sessions_of(&server), 120);
    assert_eq!(held.open(120).await.opened, 0, "nothing is missing");

    let mean = second.login_us.mean.expect("70 logins");
    let phases: f64 = second.phases_us.values().filter_map(|phase| phase.mean).sum();
    assert!((mean - phases).abs() < 1e-3 * mean, "phases add up: {phases} of {mean}");
    assert!(second.phases_us.contains_key(&Phase::Authenticate) && !second.phases_us.contains_key(&Phase::Close));
    assert!(second.seconds > 0.0 && second.seconds * 1e6 < mean * 70.0 + 1e6);
    assert_eq!(second.auth_seen.iter().map(|auth| auth.count).sum::<u64>(), 70);
    assert_eq!(held.gauge().read().held, 120);
    assert_eq!(held.pids(), [std::process::id()]);

    let closed = held.close(None).await;
    assert_eq!((closed.sessions, closed.failed, closed.cut_off), (120, 0, 0));
    assert!(closed.seconds > 0.0 && closed.close_us.mean.is_some());
    assert_eq!(sessions_of(&server), 0, "a polite close waits for the server");
    assert_eq!((held.dropped(), stop.rule()), (vec![], None));
    assert_eq!(server.counters().logins, 120);
}

#[tokio::test]
async fn concurrency_one_is_strictly_one_after_the_other() {
    const DELAY: Duration = Duration::from_millis(5);
    let delays = Delays { authenticate: DELAY, ..Delays::default() };
    let server = server(ServerOptions { delays, ..ServerOptions::default() });
    let mut held = here(&server, 1, &Stop::new());
    let opened = held.open(20).await;
    assert_eq!(opened.sessions, 20);
    let sum = opened.login_us.mean.expect("20 logins") * 20.0 / 1e6;
    assert!(opened.seconds >= sum, "no two at a time: {} s for logins of {sum} s in all", opened.seconds);
    assert!(opened.seconds >= 20.0 * DELAY.as_secs_f64());
    let mut four = here(&server, 4, &Stop::new());
    let opened = four.open(20).await;
    let sum = opened.login_us.mean.expect("20 logins") * 20.0 / 1e6;
    assert!(opened.seconds < sum, "four at a time: {} s", opened.seconds);
}

#[tokio::test]
async fn probes_work_and_churn_leave_the_sessions_as_they_were() {
    let server = server(ServerOptions { threads: 2, ..ServerOptions::default() });
    let stop = Stop::new();
    let mut held = here(&server, 4, &stop);
    held.open(40).await;
    let plan = ProbePlan { logins: 5, queries: 20, active: 0.1, active_s: 0.05 };
    let probed = held.probe(plan).await;
    assert_eq!((probed.failed, probed.last_failure), (0, None));
    assert!(probed.probe.login_us.mean.is_some() && probed.probe.query_us.mean.is_some());
    assert!(probed.probe.query_beside_active_us.is_some_and(|us| us.mean.is_some()));
    assert!(probed.probe.active_per_s.is_some_and(|rate| rate > 10.0), "{:?}", probed.probe);
    assert_eq!(server.counters().logins, 45);
    assert_eq!(held.look().await.held, 40);
    eventually("the probe's sessions have left", || sessions_of(&server) == 40);

    let alone = held.probe(ProbePlan { active: 0.0, ..plan }).await.probe;
    assert_eq!((alone.query_beside_active_us, alone.active_per_s), (None, None));

    let before = server.counters().logins;
    let churned = held.churn(200.0, 0.25).await;
    assert_eq!(churned.failed, 0);
    assert_eq!(server.counters().logins - before, churned.logins);
    assert!((10..=50).contains(&churned.logins), "{churned:?}");
    assert!(churned.churn.per_s > 0.0 && churned.churn.per_s <= 210.0, "{churned:?}");
    assert_eq!(held.look().await.held, 40);
    assert_eq!((held.dropped(), stop.rule()), (vec![], None));
    held.close(None).await;
    assert_eq!(sessions_of(&server), 0);
}

#[tokio::test]
async fn the_warm_statement_runs_once_in_each_session() {
    const DELAY: Duration = Duration::from_millis(20);
    let delays = Delays { query: DELAY, ..Delays::default() };
    let server = server(ServerOptions { delays, ..ServerOptions::default() });
    let with = |query| connector(&url(&server), query, CloseMode::Reset);
    let plan = HoldPlan { connector: with("select 1"), warm: vec![with("select 2")], numbers: numbers(10) };
    let mut held = Held::here(plan, &Stop::new()).expect("threads");
    held.open(10).await;
    let warmed = held.warm().await;
    assert_eq!((warmed.sessions, warmed.failed), (10, 0));
    assert!(warmed.warm_us.mean.is_some_and(|us| us >= DELAY.as_secs_f64() * 1e6), "{warmed:?}");
    let opened = held.open(15).await;
    assert!(opened.login_us.max.is_some_and(|us| us < DELAY.as_secs_f64() * 1e6), "its time stands apart: {opened:?}");
    assert_eq!(held.warm().await.sessions, 5, "only the new ones");
    assert_eq!(held.warm().await.sessions, 0);
    let closed = held.close(None).await;
    assert_eq!((closed.sessions, closed.cut_off), (15, 0));
    eventually("resets are noticed", || sessions_of(&server) == 0);
}
