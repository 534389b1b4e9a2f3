//! What a DBA tells: clients that look alike from outside and are not.

use peaje_model::{Grade, Verdict};
use rand::Rng;

use crate::made::{HOUR_S, application, codes, instance, seeded, verdicts, world};
use crate::simulator::{Demand, Eviction, PoolPlan, Session, WATCHED_S, run_pool};

/// Bursts of requests of one process: so many at once, a pause between, at moments of its own.
fn demands(rng: &mut impl Rng, most: usize, pause_s: std::ops::Range<f64>) -> Vec<Demand> {
    let (mut at, mut all) = (rng.random_range(-900.0..-600.0), Vec::new());
    while at < WATCHED_S {
        all.extend((0..rng.random_range(1..=most)).map(|i| Demand { at: at + 0.01 * i as f64, takes: 0.5 }));
        at += rng.random_range(pause_s.clone());
    }
    all
}

fn oscillating(process: u64, max: usize) -> PoolPlan {
    PoolPlan {
        app: 0,
        process,
        pool: 0,
        min: 0,
        max,
        eviction: Eviction::Sweep { idle_s: 60.0, every_s: 5.0 },
        below_min: false,
        lifetime: None,
        from: -900.0,
        until: WATCHED_S,
    }
}

#[test]
fn forty_clients_whose_pools_oscillate_and_three_that_do_not_pool_are_told_apart() {
    let mut rng = seeded(1);
    let mut sessions: Vec<Session> = Vec::new();
    for process in 0..40 {
        let demands = demands(&mut rng, 8, 90.0..300.0);
        sessions.extend(run_pool(oscillating(process, 10), &demands, &mut rng));
    }
    for process in 100..103 {
        let mut at = rng.random_range(0.0..1.0);
        while at < 2.0 * HOUR_S {
            sessions.push(Session::at_work(1, process, at, at + rng.random_range(0.02..0.1)));
            at += rng.random_range(0.2..0.6);
        }
    }
    let judged = verdicts(&world(&["orders", "billing"], sessions, 2.0 * HOUR_S));
    assert_eq!(codes(application(&judged, "orders")), ["idle-timeout-churn"]);
    assert_eq!(codes(application(&judged, "billing")), ["no-pooling"]);
    assert_eq!(codes(instance(&judged)), ["no-pooling", "idle-timeout-churn"], "more logins first");
    assert_eq!(instance(&judged).verdict, Verdict::Found);
}

#[test]
fn three_hundred_clients_with_phases_of_their_own_churn_at_a_constant_rate() {
    let mut rng = seeded(2);
    let mut sessions: Vec<Session> = Vec::new();
    for process in 0..300 {
        let most = rng.random_range(1..=5);
        let demands = demands(&mut rng, most, 70.0..260.0);
        sessions.extend(run_pool(oscillating(process, most), &demands, &mut rng));
    }
    let judged = verdicts(&world(&["orders"], sessions, HOUR_S));
    let orders = application(&judged, "orders");
    let figures = &orders.statistics;
    assert!(figures.amplitude.unwrap() < 0.3, "the sessions hardly swing: {figures:?}");
    assert!(figures.spikes == 0 && figures.refill.unwrap() < 0.5, "and the rate is constant: {figures:?}");
    assert_eq!(codes(orders), ["idle-timeout-churn"]);
    assert_eq!(orders.grade, Some(Grade::Confirmed), "by the lives, not by the series");
    // readings know a logout to five seconds
    assert!(figures.life_p10_s.unwrap() >= 55.0 && figures.idle_at_logout_p10_s.unwrap() >= 55.0, "{figures:?}");
}
