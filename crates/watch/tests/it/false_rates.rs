//! Whatever breaks, no rate is false: a gap is a gap, never 0, never negative, never a jump.
#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::time::Duration;

use crate::common::{Fake, START_US, gone, pass, plan, watch};
use peaje_model::{Gap, GroupKind, WatchResult};
use peaje_watch::{Analysis, Collector, Record, ServerState, Snapshot};

const RATE: f64 = 5.0;

/// Every rate there is must be the true one, but for the login that a count rounds away.
fn true_rate(snapshot: &Snapshot, seen: &mut u32) {
    for server in &snapshot.servers {
        let Some(rates) = server.rates else { continue };
        let logins = rates.logins_per_s.unwrap();
        assert!((logins - RATE).abs() <= 1.0 / rates.length_s + 0.01, "{logins} over {} s", rates.length_s);
        assert_eq!(rates.failed_per_s, Some(0.0));
        *seen += 1;
    }
}

fn reasons(result: &WatchResult) -> Vec<&str> {
    result.gaps.iter().map(|gap| gap.reason.as_str()).collect()
}

/// The instance's bins hold no false rate either, and what is missing from them is the gap alone.
fn check_bins(collector: &Collector, most_missing: usize) {
    let series = collector.handle().series(&Analysis::default());
    let instance = series.iter().find(|series| series.kind == GroupKind::Instance).unwrap();
    assert!(instance.bins.len() > 20, "{}", instance.bins.len());
    for bin in &instance.bins {
        assert!((bin.logins - RATE * 10.0).abs() < 2.5, "{bin:?}");
        assert!((bin.logouts - RATE * 10.0).abs() < 2.5, "{bin:?}");
        assert!(bin.sessions.is_some_and(|sessions| (8.9..11.1).contains(&sessions)), "{bin:?}");
    }
    let (first, last) = (instance.bins[0].at_s, instance.bins[instance.bins.len() - 1].at_s);
    let missing = ((last - first) / 10.0).round() as usize + 1 - instance.bins.len();
    assert!(missing <= most_missing, "{missing} bins are missing");
}

/// Watches for five minutes, breaks something, and watches for five more.
async fn around(spoil: impl FnOnce(&Fake)) -> (Collector, WatchResult) {
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    assert!(seen > 25);
    spoil(&fake);
    seen = 0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    assert!(seen > 20, "{seen}");
    let result = collector.result(&Analysis::default());
    check_bins(&collector, 5);
    (collector, result)
}

#[tokio::test(start_paused = true)]
async fn nothing_breaks() {
    let (_, result) = around(|_| {}).await;
    assert!(result.gaps.is_empty(), "{:?}", result.gaps);
    assert!((50..=75).contains(&result.readings));
    assert!((8.0..12.0).contains(&result.interval_s));
    let rate = result.groups[0].logins_per_s.unwrap();
    assert!((rate - RATE).abs() < 0.05, "{rate}");
}

/// A server that is stopped (SIGSTOP, a suspended machine) for some seconds while it is asked, before or after it looked
/// at its clock.
#[tokio::test(start_paused = true)]
async fn a_reading_that_takes_long_is_no_clock_that_was_set() {
    for still in [Duration::ZERO, Duration::from_millis(4_500)] {
        let fake = Fake::new(RATE);
        let collector = watch(&fake);
        let mut seen = 0;
        pass(&collector, 30, |snapshot| true_rate(snapshot, &mut seen)).await;
        for round in 0..6 {
            if still.is_zero() {
                fake.world().answers_within = Duration::from_millis(if round % 2 == 0 { 3 } else { 4_500 });
            }
            fake.world().stands_still = still;
            pass(&collector, 61, |snapshot| true_rate(snapshot, &mut seen)).await;
        }
        let result = collector.result(&Analysis::default());
        assert!(seen > 20 && result.gaps.is_empty(), "{still:?}: {seen} {:?}", result.gaps);
        check_bins(&collector, 2);
    }
}

/// Nothing tells how late the first reading was: what follows it must allow for that.
#[tokio::test(start_paused = true)]
async fn a_first_reading_that_takes_long_is_no_clock_that_was_set() {
    let fake = Fake::new(RATE);
    fake.world().stands_still = Duration::from_millis(4_900);
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 120, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert!(seen > 8 && result.gaps.is_empty(), "{seen} {:?}", result.gaps);
}

/// Where readings are close together, it is a stretch that nobody could watch.
#[tokio::test(start_paused = true)]
async fn a_long_reading_among_close_ones_is_a_gap() {
    let fake = Fake::new(RATE);
    let collector = Collector::spawn(
        plan(vec![fake.server("alpha:1")], Duration::from_secs(1)),
        Record::new(crate::common::WINDOW),
        None,
    );
    let mut seen = 0;
    for late_ms in [3_000, 4_500, 4_900] {
        pass(&collector, 60, |snapshot| true_rate(snapshot, &mut seen)).await;
        fake.world().stands_still = Duration::from_millis(late_ms);
    }
    pass(&collector, 60, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert!(seen > 200 && !result.gaps.is_empty(), "{seen}");
    assert!(reasons(&result).iter().all(|reason| *reason == "not-sampled"), "{:?}", result.gaps);
}

#[tokio::test(start_paused = true)]
async fn a_time_that_cannot_be_is_no_reading_and_spoils_no_recording() {
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    pass(&collector, 60, |_| {}).await;
    fake.world().clock_ahead_us = i64::MAX / 4;
    pass(&collector, 60, |_| {}).await;
    let snapshot = collector.snapshots().borrow().clone();
    let ServerState::Lost { message, .. } = &snapshot.servers[0].state else { panic!("{snapshot:#?}") };
    assert!(message.contains("clock"), "{message}");
    assert!(fake.world().logged_in < 30, "it is not asked without a pause");
}

#[tokio::test(start_paused = true)]
async fn a_restart() {
    let (_, result) = around(|fake| {
        let now_us = fake.clock_us();
        let mut world = fake.world();
        world.started_us = now_us;
        world.logins = 0.0;
        world.since = tokio::time::Instant::now();
        world.open_at_start = 10;
    })
    .await;
    // Fewer logouts than sessions were subtracted at first: the counter starts at 0 and stays there for two seconds.
    assert_eq!(reasons(&result)[0], "restarted");
    assert!(result.groups[0].statistics.resets >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_restart_after_which_the_counter_is_higher() {
    let (_, result) = around(|fake| {
        let now_us = fake.clock_us();
        let mut world = fake.world();
        world.started_us = now_us;
        world.logins += 1e9;
    })
    .await;
    assert_eq!(reasons(&result), ["restarted"]);
}

#[tokio::test(start_paused = true)]
async fn counters_reset_by_hand() {
    let (_, result) = around(|fake| {
        let mut world = fake.world();
        world.origin = "2".to_owned();
        world.logins += 5_000.0;
    })
    .await;
    assert_eq!(reasons(&result), ["counters-reset"]);
}

#[tokio::test(start_paused = true)]
async fn a_counter_that_falls_without_a_word() {
    let (_, result) = around(|fake| fake.world().logins -= 500_000.0).await;
    assert_eq!(reasons(&result), ["counters-reset"]);
}

#[tokio::test(start_paused = true)]
async fn a_counter_that_wraps_at_32_bits() {
    let fake = Fake::new(RATE);
    fake.world().logins = f64::from(u32::MAX) - 1500.0;
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 290, |snapshot| true_rate(snapshot, &mut seen)).await;
    let before = fake.world().logins_now();
    assert!(before < u64::from(u32::MAX));
    fake.world().logins -= f64::from(u32::MAX) - 1500.0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    assert_eq!(reasons(&collector.result(&Analysis::default())), ["counters-reset"]);
    check_bins(&collector, 5);
}

#[tokio::test(start_paused = true)]
async fn a_counter_that_wobbles_is_no_reset() {
    let fake = Fake::new(0.0);
    let collector = watch(&fake);
    pass(&collector, 1, |_| {}).await;
    for step in 0..30 {
        // Two numbers read a moment apart: now and then one too few.
        fake.world().logins += if step % 2 == 0 { -1.0 } else { 1.0 };
        pass(&collector, 10, |snapshot| {
            let logins = snapshot.servers[0].rates.and_then(|rates| rates.logins_per_s);
            assert!(logins.is_none_or(|logins| logins <= 0.0), "{logins:?}");
        })
        .await;
    }
    assert!(collector.result(&Analysis::default()).gaps.is_empty());
}

#[tokio::test(start_paused = true)]
async fn another_server_behind_the_same_address() {
    let (_, result) = around(|fake| {
        let mut world = fake.world();
        world.name = "beta".to_owned();
        world.logins += 7_000_000.0;
    })
    .await;
    assert_eq!(reasons(&result), ["another-server"]);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_steps() {
    for step_us in [3_600_000_000, -3_600_000_000, 12_000_000] {
        let (_, result) = around(|fake| fake.world().clock_ahead_us = step_us).await;
        assert_eq!(reasons(&result), ["clock-step"], "{step_us}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_step_of_a_server_that_reckons_its_start_from_its_uptime() {
    let (_, result) = around(|fake| {
        let mut world = fake.world();
        world.clock_ahead_us = 600_000_000;
        world.started_us += 600_000_000;
    })
    .await;
    assert_eq!(reasons(&result), ["clock-step"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_lost_and_a_server_that_stays_away() {
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    fake.world().broken = Some(gone());
    pass(&collector, 120, |snapshot| true_rate(snapshot, &mut seen)).await;
    let state = collector.snapshots().borrow().servers[0].state.clone();
    assert!(matches!(state, ServerState::Lost { since_us, .. } if since_us < START_US + 330_000_000), "{state:?}");
    let lasting = collector.result(&Analysis::default());
    assert_eq!((reasons(&lasting)[0], lasting.gaps[0].until.clone()), ("unreachable", None));
    assert!(lasting.gaps[0].message.contains("closed the connection"));
    fake.world().broken = None;
    pass(&collector, 400, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert_eq!(reasons(&result), ["unreachable"]);
    assert!(result.gaps[0].until.is_some());
    assert_eq!(fake.world().logged_in, 2);
    check_bins(&collector, 20);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_in_time() {
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    fake.world().answers_within = Duration::from_secs(30);
    pass(&collector, 60, |snapshot| true_rate(snapshot, &mut seen)).await;
    fake.world().answers_within = Duration::from_millis(3);
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert!(!result.gaps.is_empty() && reasons(&result).iter().all(|reason| *reason == "unreachable"));
}

#[tokio::test(start_paused = true)]
async fn readings_never_overlap_and_a_slow_server_is_read_less_often() {
    let fake = Fake::new(RATE);
    fake.world().answers_within = Duration::from_secs(4);
    let servers = vec![fake.server("alpha:1")];
    let collector = Collector::spawn(plan(servers, Duration::from_secs(1)), Record::new(crate::common::WINDOW), None);
    pass(&collector, 100, |_| {}).await;
    assert_eq!(fake.world().busy.1, 1);
    assert!((18..=26).contains(&fake.world().readings), "{}", fake.world().readings);
}

#[tokio::test(start_paused = true)]
async fn a_privilege_that_is_taken_away() {
    let gap = Gap { what: "sessions".to_owned(), why: "permission denied".to_owned(), next_step: None };
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    let mut seen = 0;
    pass(&collector, 300, |snapshot| true_rate(snapshot, &mut seen)).await;
    {
        let mut world = fake.world();
        world.can_list = false;
        world.missing = vec![gap];
    }
    pass(&collector, 100, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert_eq!((reasons(&result), result.gaps[0].until.clone()), (vec!["no-privilege"], None));
    assert!(result.gaps[0].message.contains("permission denied"));
    {
        let mut world = fake.world();
        world.can_list = true;
        world.missing.clear();
    }
    pass(&collector, 200, |snapshot| true_rate(snapshot, &mut seen)).await;
    let result = collector.result(&Analysis::default());
    assert!(reasons(&result) == ["no-privilege"] && result.gaps[0].until.is_some());
    check_bins(&collector, 0);
}

#[tokio::test(start_paused = true)]
async fn a_password_that_no_longer_works_is_not_tried_for_ever() {
    let fake = Fake::new(RATE);
    let collector = watch(&fake);
    pass(&collector, 60, |_| {}).await;
    {
        let mut world = fake.world();
        world.broken = Some(gone());
        world.rejects = true;
    }
    pass(&collector, 3600, |_| {}).await;
    let state = collector.snapshots().borrow().servers[0].state.clone();
    assert!(matches!(&state, ServerState::GivenUp { message, .. } if message.contains("wrong password")), "{state:?}");
    assert_eq!(fake.world().logged_in, 1);
}
