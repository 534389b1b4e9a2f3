//! Predictions from settings, computed by hand; and one of them held against the simulator.

use peaje_diagnose::churn::predict::{
    Room, USUAL_SURGE, baseline_turnover, idle_turnover, opened_within_timeout, ramp_s, refill_turnover,
    sum_of_minimums,
};
use peaje_diagnose::churn::{DeclaredPool, Judging, judge};

use crate::made::{HOUR_S, application, seeded, seen, world};
use crate::simulator::{Eviction, PoolPlan, run_pool};

fn pool(text: &str) -> DeclaredPool {
    text.parse().expect("a declaration")
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

#[test]
fn the_turnover_of_healthy_pools() {
    // 10 sessions in 1800 s
    let fixed = baseline_turnover(&pool("app=min:10,max:10,lifetime:30m"));
    assert!(near(fixed.least_per_s, 10.0 / 1800.0) && near(fixed.most_per_s, 10.0 / 1800.0));
    let growing = baseline_turnover(&pool("app=min:10,max:50,lifetime:30m,clients:36"));
    assert!(near(growing.least_per_s, 0.2) && near(growing.most_per_s, 1.0));
    assert_eq!(baseline_turnover(&pool("app=min:10,max:50")).most_per_s, None);
    assert!(near(baseline_turnover(&pool("app=max:50,lifetime:0")).least_per_s, 0.0));
}

#[test]
fn the_turnover_of_an_idle_timeout() {
    assert!(near(idle_turnover(&pool("app=min:10,max:50,idle:60s,sweep:40s,clients:8")), 8.0 * 40.0 / 80.0));
    assert!(near(refill_turnover(&pool("app=min:2,idle:30s,clients:300")), 20.0));
    assert_eq!(idle_turnover(&pool("app=min:10,idle:60s")), None);
    assert_eq!(refill_turnover(&pool("app=min:10,idle:0")), None);
}

#[test]
fn the_ramp_is_that_of_the_slower_side() {
    // a client opens 100 sessions of 150 ms one after the other; 330 clients at 1000 a second take 33 s
    assert!(near(Some(ramp_s(330, 100, 0.15, Some(1000.0))), 33.0));
    assert!(near(Some(ramp_s(330, 100, 0.5, Some(1000.0))), 50.0));
    assert!(near(Some(ramp_s(330, 100, 0.15, None)), 15.0));
}

#[test]
fn a_hundred_times_three_hundred_and_thirty_exhausts_the_limit() {
    let all = sum_of_minimums(330, 100, 32_767, 0.0);
    assert_eq!((all.sessions, all.room), (33_000, Room::Refused));
    let at_rest = sum_of_minimums(250, 100, 32_767, 0.0);
    assert_eq!((at_rest.sessions, at_rest.room), (25_000, Room::Tight));
    // 63 more clients while the deployment lasts
    let deployed = sum_of_minimums(250, 100, 32_767, USUAL_SURGE);
    assert_eq!((deployed.in_deployment, deployed.room), (31_300, Room::Serious));
    assert!((deployed.share - 25_000.0 / 32_767.0).abs() < 1e-12);
    assert_eq!(sum_of_minimums(20, 25, 1000, 0.1).room, Room::Fits);
    assert_eq!(sum_of_minimums(1, 1, 0, 0.0).room, Room::Refused);
}

#[test]
fn a_slow_login_leaves_room_for_few_within_the_timeout() {
    assert_eq!(opened_within_timeout(15.0, 3.0), Some(5));
    assert_eq!(opened_within_timeout(15.0, 0.1), Some(150));
    assert_eq!(opened_within_timeout(15.0, 0.0), None);
}

#[test]
fn the_refill_rate_that_is_predicted_is_the_one_that_comes() {
    let declared = pool("orders=min:4,max:8,idle:60s,sweep:20s,clients:15");
    let mut sessions = Vec::new();
    for process in 0..15 {
        let plan = PoolPlan {
            app: 0,
            process,
            pool: 0,
            min: 4,
            max: 8,
            eviction: Eviction::Sweep { idle_s: 60.0, every_s: 20.0 },
            below_min: true,
            lifetime: None,
            from: -40.0 * process as f64,
            until: HOUR_S,
        };
        sessions.extend(run_pool(plan, &[], &mut seeded(process)));
    }
    let judged = judge(&seen(&world(&["orders"], sessions, HOUR_S)), &Judging::default());
    let seen = application(&judged, "orders").logins_per_s.unwrap();
    let predicted = refill_turnover(&declared).unwrap();
    assert!((seen / predicted - 1.0).abs() < 0.25, "{seen} seen, {predicted} predicted");
}
