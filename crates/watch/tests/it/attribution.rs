//! Whose logins they are: births and deaths of sessions, coverage, groups.
#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::time::Duration;

use crate::common::{Fake, START_US, WINDOW, pass, plan, session, watch};
use peaje_diagnose::churn::{GroupSeries, Judging};
use peaje_engine::Apart;
use peaje_model::{GroupKind, Verdict};
use peaje_watch::{Analysis, Collector, Record, result};

fn group<'a>(all: &'a [GroupSeries], name: &str) -> &'a GroupSeries {
    all.iter()
        .find(|series| series.name == name)
        .unwrap_or_else(|| panic!("{name} is none of {:?}", all.iter().map(|series| &series.name).collect::<Vec<_>>()))
}

#[tokio::test(start_paused = true)]
async fn a_life_is_known_as_exactly_as_it_can_be() {
    let fake = Fake::new(1.0);
    let collector = watch(&fake);
    pass(&collector, 100, |_| {}).await;
    let opened_us = fake.clock_us();
    let mut row = session(1, opened_us, "app");
    row.since_us = Some(opened_us + 40_000_000);
    row.used = Some(false);
    fake.world().sessions.push(row);
    pass(&collector, 100, |_| {}).await;
    let closed_us = fake.clock_us();
    fake.world().sessions.clear();
    pass(&collector, 100, |_| {}).await;
    let all = collector.handle().series(&Analysis::default());
    let app = group(&all, "app @ 10.0.0.1");
    let start_us = collector.handle().record(|record| record.end_us().unwrap()) - WINDOW.as_micros() as i64;
    let seconds = |at_us: i64| (at_us - start_us) as f64 / 1e6;
    let [life] = app.lives.as_slice() else { panic!("{:?}", app.lives) };
    assert!((life.opened_s - seconds(opened_us)).abs() < 0.01, "{life:?}");
    let closed_s = life.closed_s.unwrap();
    assert!((closed_s - seconds(closed_us)).abs() <= life.closed_within_s / 2.0 + 0.01, "{life:?}");
    assert!(life.closed_within_s <= 21.0 && life.used == Some(false) && life.process == Some(1));
    assert!((life.idle_s.unwrap() - (closed_s - life.opened_s - 40.0)).abs() < 0.01, "{life:?}");
    let logins: f64 = app.bins.iter().map(|bin| bin.logins).sum();
    let logouts: f64 = app.bins.iter().map(|bin| bin.logouts).sum();
    assert_eq!((logins, logouts), (1.0, 1.0));
    let open = app.bins.iter().filter(|bin| bin.sessions == Some(1.0)).count();
    assert!((9..=11).contains(&open), "{open}");
}

#[tokio::test(start_paused = true)]
async fn sessions_found_open_are_no_logins() {
    let fake = Fake::new(0.1);
    for id in 0..40 {
        fake.world().sessions.push(session(id, START_US - 500_000_000 + id as i64, "old"));
    }
    let collector = watch(&fake);
    pass(&collector, 900, |_| {}).await;
    let all = collector.handle().series(&Analysis::default());
    let old = group(&all, "old @ 10.0.0.1");
    assert!(old.bins.iter().all(|bin| bin.logins <= 0.0));
    assert!(old.bins.iter().all(|bin| bin.sessions == Some(40.0)));
    assert_eq!(old.lives.len(), 40);
    assert!(old.lives.iter().all(|life| life.closed_s.is_none() && life.opened_s < 3600.0));
    assert_eq!(all[0].coverage, Some(0.0), "nobody saw a login");
    // No session of this group is short: what was not seen was not theirs.
    assert_eq!(old.coverage, Some(1.0));
    let snapshot = collector.snapshots().borrow().servers[0].clone();
    assert_eq!((snapshot.groups[0].logins_total, snapshot.groups[0].sessions), (0, 40));
}

#[tokio::test(start_paused = true)]
async fn short_sessions_lower_the_coverage_of_their_own_group_only() {
    let fake = Fake::new(0.5);
    // One every two seconds that stays for one second; readings are 10 s apart.
    fake.world().passing = Some((2_000_000, 1_000_000));
    for id in 0..10 {
        fake.world().sessions.push(session(id, START_US - 500_000_000, "pool"));
    }
    let collector = watch(&fake);
    pass(&collector, 3000, |_| {}).await;
    let all = collector.handle().series(&Analysis::default());
    let (instance, pool, short) = (&all[0], group(&all, "pool @ 10.0.0.1"), group(&all, "passing @ 10.0.0.1"));
    assert!((0.05..0.2).contains(&instance.coverage.unwrap()), "{:?}", instance.coverage);
    assert_eq!(pool.coverage, Some(1.0));
    assert!(short.coverage.unwrap() < 0.2, "{:?}", short.coverage);
    // What was not seen is apportioned to whom it belongs.
    let rate = |series: &GroupSeries| {
        series.bins.iter().map(|bin| bin.logins).sum::<f64>() / (series.bins.len() as f64 * 10.0)
    };
    assert!((rate(short) - 0.5).abs() < 0.05, "{}", rate(short));
    assert!(rate(pool) < 0.01 && (rate(instance) - 0.5).abs() < 0.01);
}

#[tokio::test(start_paused = true)]
async fn the_balance_holds_in_every_bin() {
    let fake = Fake::new(0.3);
    let collector = watch(&fake);
    for round in 0..40_u64 {
        fake.world().open_at_start = 10 + round % 13;
        fake.world().logins += (round % 5) as f64;
        pass(&collector, 37, |_| {}).await;
    }
    let all = collector.handle().series(&Analysis::default());
    for pair in all[0].bins.windows(2).filter(|pair| pair[1].at_s - pair[0].at_s < 10.5) {
        let change = pair[1].sessions.unwrap() - pair[0].sessions.unwrap();
        assert!((change - (pair[1].logins - pair[1].logouts)).abs() < 1e-6, "{pair:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_apart_is_counted_apart() {
    let fake = Fake::new(0.1);
    {
        let mut world = fake.world();
        for (id, apart) in [(1, Some(Apart::Replication)), (2, Some(Apart::Peaje)), (3, None)] {
            let mut row = session(id, START_US - 5_000_000, if apart.is_some() { "walreceiver" } else { "app" });
            row.apart = apart;
            world.sessions.push(row);
        }
    }
    let collector = watch(&fake);
    pass(&collector, 100, |_| {}).await;
    let said = collector.result(&Analysis::default());
    let apart: Vec<(&str, &str, u64)> = said
        .excluded
        .iter()
        .map(|excluded| (excluded.name.as_str(), excluded.reason.as_str(), excluded.sessions))
        .collect();
    assert_eq!(apart, [("walreceiver", "own", 1), ("walreceiver", "replication", 1)]);
    let names: Vec<&str> = said.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["alpha:1", "app @ 10.0.0.1"]);
}

#[tokio::test(start_paused = true)]
async fn from_the_first_sample_on_the_mean_life_since_start_is_known() {
    let fake = Fake::new(0.0);
    fake.world().open_at_start = 100;
    let collector = watch(&fake);
    pass(&collector, 1, |_| {}).await;
    let said = collector.result(&Analysis::default());
    let instance = &said.groups[0];
    // A day × 100 sessions / 1,000,000 logins.
    let life_s = instance.mean_session_life_s.unwrap();
    assert!(instance.life_since_start && (life_s - 8.64).abs() < 0.01, "{life_s}");
    assert_eq!((instance.verdict, said.readings), (Verdict::CannotSay, 1));
    assert_eq!((instance.limit, instance.logins_per_s), (Some(100), None));
}

#[tokio::test(start_paused = true)]
async fn a_missing_application_name_is_replaced_by_the_user_and_small_groups_by_other() {
    let fake = Fake::new(0.1);
    for id in 0..150 {
        let mut row = session(id, START_US - 5_000_000, "");
        row.user = format!("user{id:03}");
        if id == 7 {
            row.host.clear();
        }
        fake.world().sessions.push(row);
    }
    let collector = watch(&fake);
    pass(&collector, 100, |_| {}).await;
    let said = collector.result(&Analysis::default());
    assert_eq!(said.groups.len(), 1 + 100 + 1);
    assert!(said.groups.iter().any(|group| group.name == "user007 @ local"));
    let other = said.groups.iter().find(|group| group.name == "other").unwrap();
    assert_eq!((other.verdict, other.sessions), (Verdict::CannotSay, Some(50.0)));
    let snapshot = collector.snapshots().borrow().servers[0].clone();
    assert_eq!(snapshot.groups.len(), 21);
    assert_eq!((snapshot.groups[20].name.as_str(), snapshot.groups[20].sessions), ("other", 130));
}

#[tokio::test(start_paused = true)]
async fn a_time_scale_scales_the_series_and_nothing_else() {
    let run = |scale: f64| async move {
        let fake = Fake::new(0.5 * scale);
        fake.world().passing = Some(((2e6 / scale) as i64, (60e6 / scale) as i64));
        let mut plan = plan(vec![fake.server("alpha:1")], Duration::from_secs_f64(10.0 / scale));
        plan.window = Duration::from_secs_f64(3600.0 / scale);
        let window = plan.window;
        let collector = Collector::spawn(plan, Record::new(window), None);
        tokio::time::sleep(Duration::from_secs_f64(3700.0 / scale)).await;
        let analysis = Analysis { window, judging: Judging { time_scale: scale, ..Judging::default() } };
        let (record, _) = collector.stop().await;
        (peaje_watch::series(&record, &analysis), result(&record, &analysis))
    };
    let (at_once, said_at_once) = run(30.0).await;
    let (in_time, said_in_time) = run(1.0).await;
    for (fast, slow) in at_once.iter().zip(&in_time) {
        assert_eq!((&fast.name, fast.kind, fast.bin_s), (&slow.name, slow.kind, slow.bin_s));
        assert!(fast.bins.len().abs_diff(slow.bins.len()) <= 1);
        let logins = |series: &GroupSeries| series.bins.iter().map(|bin| bin.logins).sum::<f64>();
        assert!((logins(fast) - logins(slow)).abs() < 20.0, "{} {}", logins(fast), logins(slow));
    }
    // Rates are of the clock on the wall, lives too.
    let (fast, slow) = (&said_at_once.groups[1], &said_in_time.groups[1]);
    assert!((fast.logins_per_s.unwrap() / slow.logins_per_s.unwrap() - 30.0).abs() < 1.0);
    assert!((slow.mean_session_life_s.unwrap() - 60.0).abs() < 5.0, "{:?}", slow.mean_session_life_s);
    assert!((fast.mean_session_life_s.unwrap() - 2.0).abs() < 0.2, "{:?}", fast.mean_session_life_s);
    assert_eq!((said_at_once.time_scale, said_at_once.groups[0].kind), (30.0, GroupKind::Instance));
}

#[tokio::test(start_paused = true)]
async fn several_servers_are_watched_side_by_side() {
    let fakes = [Fake::new(1.0), Fake::new(7.0), Fake::new(3.0)];
    let servers = fakes.iter().zip(["a:1", "b:1", "c:1"]).map(|(fake, label)| fake.server(label)).collect();
    let collector = Collector::spawn(plan(servers, Duration::from_secs(10)), Record::new(WINDOW), None);
    pass(&collector, 300, |_| {}).await;
    fakes[1].world().broken = Some(crate::common::gone());
    pass(&collector, 300, |_| {}).await;
    let said = collector.result(&Analysis::default());
    let mut rates: Vec<(&str, f64)> =
        said.groups.iter().map(|group| (group.server.as_str(), group.logins_per_s.unwrap().round())).collect();
    rates.sort_by_key(|rate| rate.0);
    assert_eq!(rates, [("a:1", 1.0), ("b:1", 7.0), ("c:1", 3.0)]);
    assert_eq!(said.gaps.len(), 1);
    assert_eq!((said.gaps[0].server.as_str(), said.gaps[0].until.as_ref()), ("b:1", None));
}
