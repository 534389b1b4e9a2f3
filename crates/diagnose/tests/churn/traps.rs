//! Series that look like a fault and are none, or like another fault than they are.

use peaje_diagnose::churn::{DeclaredPool, Judging, judge};
use peaje_model::{Grade, Pattern, Verdict, WatchGroup};
use rand::Rng;

use crate::made::{HOUR_S, application, codes, instance, resting, seeded, seen, verdicts, world};
use crate::simulator::{Class, Demand, Eviction, Failure, Lifetime, PoolPlan, Session, World, run_pool};

/// Beyond the end of every watch here.
const FOREVER_S: f64 = 5.0 * HOUR_S;

/// A pool of fixed size that is used now and then.
fn fixed(app: usize, process: u64, size: usize, from: f64, until: f64) -> Vec<Session> {
    let plan = PoolPlan {
        app,
        process,
        pool: 0,
        min: size,
        max: size,
        eviction: Eviction::Never,
        below_min: false,
        lifetime: None,
        from,
        until,
    };
    let every = (0..((until - from) / 4.0) as usize).map(|i| Demand { at: from + 4.0 * i as f64, takes: 3.0 });
    let mut sessions = run_pool(plan, &every.collect::<Vec<_>>(), &mut seeded(process));
    for session in &mut sessions {
        session.closed = session.closed.min(until);
    }
    sessions
}

fn pools(app: usize, processes: std::ops::Range<u64>, size: usize, until: f64) -> Vec<Session> {
    processes.flat_map(|process| fixed(app, process, size, -600.0 - process as f64, until)).collect()
}

#[test]
fn a_check_every_ten_seconds_is_a_script_and_not_an_application_without_a_pool() {
    let mut sessions = pools(0, 0..6, 8, FOREVER_S);
    let checks = (0..(2.0 * HOUR_S / 10.0) as u64).map(|i| {
        let at = 3.0 + 10.0 * i as f64;
        Session::at_work(1, 1000 + i, at, at + 0.3)
    });
    sessions.extend(checks);
    let judged = verdicts(&world(&["shop", "monitor"], sessions, 2.0 * HOUR_S));
    assert_eq!(codes(application(&judged, "monitor")), ["short-scripts"]);
    assert_eq!(application(&judged, "shop").verdict, Verdict::Healthy);
    let of_all = application(&judged, "monitor").statistics.logins / instance(&judged).statistics.logins;
    assert!(of_all > 0.95, "all the logins are its: {of_all}");
}

#[test]
fn port_checks_are_no_failed_logins() {
    let mut world = world(&["shop"], pools(0, 0..6, 8, FOREVER_S), HOUR_S);
    world.failures = (0..3600).map(|at| Failure { at: f64::from(at), probe: true }).collect();
    let judged = verdicts(&world);
    assert_eq!(instance(&judged).verdict, Verdict::Healthy, "{:?}", instance(&judged));
    let failed = instance(&judged).statistics.failed.unwrap();
    assert!(failed.total < 1.0 && failed.probe.unwrap() > 3500.0);
    for failure in &mut world.failures {
        failure.probe = false;
    }
    assert_eq!(codes(instance(&verdicts(&world))), ["failed-login-storm"]);
}

/// A collector that reads at :05 of every ten seconds never meets a script that runs at :00.
#[test]
fn sessions_that_no_reading_met_have_no_life_of_zero() {
    let minute = |i: u32| {
        (0..6).map(move |n| Session::at_work(0, u64::from(6 * i + n), f64::from(60 * i), f64::from(60 * i) + 0.5))
    };
    let mut groups = seen(&world(&["nightly"], (0..60).flat_map(minute).collect(), HOUR_S));
    groups.truncate(1);
    groups[0].lives.clear();
    groups[0].bins.iter_mut().for_each(|bin| (bin.sessions, bin.active) = (Some(0.0), Some(0.0)));
    let judged = judge(&groups, &Judging::default());
    assert_eq!(judged[0].mean_session_life_s, None);
    assert_eq!(judged[0].statistics.replaced_per_h, None);
    assert_eq!(codes(&judged[0]), ["short-scripts"]);
}

#[test]
fn people_who_come_in_the_morning_are_no_leak() {
    let mut rng = seeded(4);
    let (mut sessions, mut at) = (Vec::new(), 0.0);
    while at < 4.0 * HOUR_S {
        let stays = rng.random_range(0.5..6.0) * HOUR_S;
        let busy = (0..(stays / 120.0) as u32).map(|i| (at + 120.0 * f64::from(i), at + 120.0 * f64::from(i) + 2.0));
        let process = sessions.len() as u64;
        sessions.push(Session { busy: busy.collect(), ..Session::at_work(0, process, at, at + stays) });
        at += rng.random_range(10.0..50.0);
    }
    let judged = verdicts(&world(&["desktop"], sessions, 4.0 * HOUR_S));
    let group = application(&judged, "desktop");
    assert!(group.statistics.growth_per_h.unwrap() > 0.2, "it does grow");
    assert!(group.statistics.logouts < 0.8 * group.statistics.logins);
    assert_ne!(group.verdict, Verdict::Found, "{group:?}");
}

#[test]
fn a_leak_with_few_logins_is_neither_found_nor_called_healthy() {
    let kept: Vec<Session> = (0..40).map(|i| resting(0, 1, 80.0 * f64::from(i), f64::INFINITY)).collect();
    let mut sessions = pools(0, 0..4, 10, FOREVER_S);
    sessions.extend(kept);
    let judged = verdicts(&world(&["shop"], sessions, HOUR_S));
    assert_eq!(application(&judged, "shop").verdict, Verdict::CannotSay, "{judged:#?}");
}

#[test]
fn a_client_that_never_says_goodbye_abandons_nothing() {
    let mut rng = seeded(5);
    let mut at = 0.0;
    let mut sessions = Vec::new();
    while at < HOUR_S {
        sessions.push(Session { abandoned: true, ..Session::at_work(0, 1, at, at + 0.2) });
        at += rng.random_range(0.5..1.5);
    }
    let judged = verdicts(&world(&["web"], sessions, HOUR_S));
    assert!(instance(&judged).statistics.abandoned.unwrap() > 0.95);
    assert_eq!(codes(instance(&judged)), ["no-pooling"]);
}

#[test]
fn workers_of_a_batch_show_a_lag_and_are_no_pool() {
    let mut rng = seeded(6);
    let mut sessions = Vec::new();
    let mut start = 0.0;
    for job in 0..12_u64 {
        for worker in 0..20 {
            let at = start + rng.random_range(0.0..10.0);
            sessions.push(Session::at_work(0, job * 100 + worker, at, at + rng.random_range(290.0..310.0)));
        }
        start += rng.random_range(700.0..1700.0);
    }
    let judged = verdicts(&world(&["etl"], sessions, 4.0 * HOUR_S));
    let group = application(&judged, "etl");
    assert!(group.statistics.logout_lag_s.is_some_and(|lag_s| (270.0..330.0).contains(&lag_s)), "{group:?}");
    assert_eq!((group.verdict, group.pattern), (Verdict::Healthy, Some(Pattern::BatchWorkers)));
}

#[test]
fn a_rolling_deployment_is_no_churn() {
    let mut sessions = Vec::new();
    for replica in 0..8 {
        let stop = 1800.0 + 700.0 * replica as f64;
        sessions.extend(fixed(0, replica, 25, -900.0 - replica as f64, stop));
        sessions.extend(fixed(0, 100 + replica, 25, stop + 5.0, FOREVER_S));
    }
    let judged = verdicts(&world(&["shop"], sessions, 2.5 * HOUR_S));
    let group = application(&judged, "shop");
    assert!(group.verdict_codes.iter().all(|code| code == "restart-or-failover"), "{group:?}");
}

#[test]
fn everything_restarted_at_once_is_a_restart_with_its_ramp() {
    let mut sessions = Vec::new();
    for replica in 0..8 {
        sessions.extend(fixed(0, replica, 25, -900.0 - replica as f64, 1800.0));
        sessions.extend(fixed(0, 100 + replica, 25, 1830.0 + 10.0 * replica as f64, 2.0 * HOUR_S));
    }
    let judged = verdicts(&world(&["shop"], sessions, 2.0 * HOUR_S - 600.0));
    let group = application(&judged, "shop");
    assert_eq!(codes(group), ["restart-or-failover"]);
    let figures = &group.statistics;
    assert_eq!((figures.replacements, figures.new_processes), (1, Some(1.0)));
    // the last of the replicas that makes 90 % of 200 sessions starts 70 s after the first one
    assert!(figures.ramp_s.is_some_and(|ramp_s| (80.0..140.0).contains(&ramp_s)), "{:?}", figures.ramp_s);
}

#[test]
fn the_turnover_of_a_maximum_lifetime_is_healthy() {
    let mut rng = seeded(8);
    let mut sessions = Vec::new();
    for process in 0..12 {
        let plan = PoolPlan {
            app: 0,
            process,
            pool: 0,
            min: 10,
            max: 10,
            eviction: Eviction::Never,
            below_min: false,
            lifetime: Some(Lifetime { s: 1800.0, jitter: 0.025 }),
            from: -rng.random_range(0.0..1800.0),
            until: 4.0 * HOUR_S,
        };
        let often: Vec<Demand> = (0..3600).map(|i| Demand { at: 4.0 * f64::from(i), takes: 1.0 }).collect();
        sessions.extend(run_pool(plan, &often, &mut rng));
    }
    let judged = verdicts(&world(&["shop"], sessions, 4.0 * HOUR_S));
    let group = application(&judged, "shop");
    assert!((1.7..2.4).contains(&group.statistics.replaced_per_h.unwrap()), "twice an hour: {group:?}");
    assert_eq!((group.verdict, group.pattern), (Verdict::Healthy, Some(Pattern::MaximumLifetime)));
}

#[test]
fn a_pool_for_each_token_is_no_leak() {
    let mut sessions = Vec::new();
    for hour in 0..4_u64 {
        for user in 0..60_u64 {
            let at = HOUR_S * hour as f64 + 30.0 + user as f64;
            let pool = 1000 * hour + user;
            sessions.push(Session { pool, ..resting(0, user % 3, at, f64::INFINITY) });
        }
    }
    let judged = verdicts(&world(&["portal"], sessions, 4.0 * HOUR_S));
    assert_eq!(codes(application(&judged, "portal")), ["pool-per-user"]);
}

/// A firewall forgets idle connections after 350 s; the server notices at its keep-alive, an hour later.
#[test]
fn sessions_that_a_firewall_dropped_are_abandoned_and_no_idle_timeout() {
    let mut rng = seeded(9);
    let (mut sessions, mut at) = (Vec::new(), -2.0 * HOUR_S);
    while at < 4.0 * HOUR_S {
        let closed = at + 350.0 + rng.random_range(600.0..800.0);
        sessions.push(Session { abandoned: true, ..resting(0, 1, at, closed) });
        at += rng.random_range(10.0..40.0);
    }
    let judged = verdicts(&world(&["batch"], sessions, 4.0 * HOUR_S));
    assert_eq!(codes(instance(&judged)), ["session-leak"], "{:?}", instance(&judged));
}

#[test]
fn few_logins_are_not_judged_however_often_sessions_are_replaced() {
    let sessions: Vec<Session> = (0..20).map(|i| resting(0, i, 720.0 * i as f64, 720.0 * i as f64 + 180.0)).collect();
    let judged = verdicts(&world(&["report"], sessions, 4.0 * HOUR_S));
    let group = application(&judged, "report");
    assert!(group.statistics.replaced_per_h.unwrap() > 15.0 && group.statistics.logins < 21.0);
    assert_eq!((group.verdict, group.verdict_codes.len(), group.grade), (Verdict::CannotSay, 0, None));
}

/// Reads go to one server, writes to another: half of each pool is idle on each.
#[test]
fn a_pool_spread_over_two_servers_is_summed_before_it_is_called_too_big() {
    let busy = world(&["shop"], pools(0, 0..12, 6, FOREVER_S), HOUR_S);
    let idle = world(&["shop"], pools(0, 0..12, 20, FOREVER_S), HOUR_S);
    let strip = |mut world: World| {
        for session in &mut world.sessions {
            session.busy.clear();
        }
        world
    };
    let used = seen(&busy);
    let mut unused = seen(&strip(idle));
    for group in &mut unused {
        "replica:5432".clone_into(&mut group.server);
    }
    unused[0].name = "replica:5432".to_owned();
    let alone = judge(&unused, &Judging::default());
    assert_eq!(codes(application(&alone, "shop")), ["pool-min-too-big"]);
    let both: Vec<_> = used.into_iter().chain(unused).collect();
    let judged = judge(&both, &Judging::default());
    assert!(judged.iter().all(|group| group.verdict_codes.is_empty()), "{judged:#?}");
}

#[test]
fn a_gap_is_neither_a_rate_of_zero_nor_an_event() {
    let mut rng = seeded(10);
    let whole = seen(&Class::NoPooling.world(&mut rng));
    let mut with_gap = whole.clone();
    for group in &mut with_gap {
        group.bins.retain(|bin| !(3000.0..6000.0).contains(&bin.at_s));
    }
    let (whole, judged) = (judge(&whole, &Judging::default()), judge(&with_gap, &Judging::default()));
    assert_eq!(codes(instance(&judged)), ["no-pooling"]);
    let rate = |groups: &[WatchGroup]| instance(groups).logins_per_s.unwrap();
    assert!((rate(&judged) / rate(&whole) - 1.0).abs() < 0.25, "{} {}", rate(&judged), rate(&whole));
    assert!((instance(&judged).statistics.window_s - 14_380.0 + 3000.0).abs() < 1.0);
}

#[test]
fn a_reset_or_a_counter_that_does_not_add_up_forbids_a_verdict() {
    let mut rng = seeded(11);
    let groups = seen(&Class::NoPooling.world(&mut rng));
    let mut reset = groups.clone();
    reset[0].resets = 1;
    assert_eq!(instance(&judge(&reset[..1], &Judging::default())).verdict, Verdict::CannotSay);
    let mut wrong = groups;
    // re-uses counted as logins: sessions do not change by them
    wrong[0].bins.iter_mut().for_each(|bin| bin.logins *= 1.5);
    let judged = judge(&wrong[..1], &Judging::default());
    assert_eq!((judged[0].verdict, judged[0].verdict_codes.len()), (Verdict::CannotSay, 0));
    assert!(judged[0].statistics.residual.unwrap() > 0.3);
}

#[test]
fn declared_settings_that_predict_the_rate_confirm_the_verdict() {
    let mut rng = seeded(12);
    let mut sessions = Vec::new();
    for process in 0..20 {
        let plan = PoolPlan {
            app: 0,
            process,
            pool: 0,
            min: 4,
            max: 8,
            eviction: Eviction::Sweep { idle_s: 60.0, every_s: 10.0 },
            below_min: true,
            lifetime: None,
            from: -rng.random_range(0.0..600.0),
            until: 2.0 * HOUR_S,
        };
        sessions.extend(run_pool(plan, &[], &mut rng));
    }
    let mut groups = seen(&world(&["orders"], sessions, 2.0 * HOUR_S));
    for group in &mut groups {
        group.lives.clear();
    }
    let grade = |judging: &Judging| {
        let judged = judge(&groups, judging);
        let group = application(&judged, "orders").clone();
        assert_eq!(codes(&group), ["pool-below-min"]);
        group.grade
    };
    let declared = |text: &str| Judging { pools: vec![text.parse::<DeclaredPool>().unwrap()], ..Judging::default() };
    assert_eq!(grade(&Judging::default()), Some(Grade::Likely));
    assert_eq!(grade(&declared("orders=min:4,idle:60s,sweep:10s")), Some(Grade::Confirmed));
    assert_eq!(grade(&declared("orders=min:4,idle:10m")), Some(Grade::Likely));
    assert_eq!(grade(&declared("other=min:4,idle:60s")), Some(Grade::Likely));
}
