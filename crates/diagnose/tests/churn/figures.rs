//! Statistics of small series, computed by hand; and the time until a verdict.

use peaje_diagnose::churn::{Bin, GroupSeries, Judging, Life, LoginCost, SinceStart, judge, statistics, verdict_in};
use peaje_model::{FailedLogins, GroupKind, Verdict};

/// A series of an instance with these logins and sessions in bins of ten seconds; as many log out as log in.
fn series(bins: impl IntoIterator<Item = (f64, f64)>) -> GroupSeries {
    let bin = |(i, (logins, sessions)): (usize, (f64, f64))| Bin {
        at_s: 10.0 * i as f64,
        logins,
        logouts: logins,
        sessions: Some(sessions),
        ..Bin::default()
    };
    GroupSeries {
        server: "db:5432".to_owned(),
        name: "db:5432".to_owned(),
        kind: GroupKind::Instance,
        bin_s: 10.0,
        bins: bins.into_iter().enumerate().map(bin).collect(),
        lives: Vec::new(),
        coverage: None,
        resets: 0,
        limit: None,
    }
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

#[test]
fn the_mean_life_is_sessions_over_rate() {
    // 20 sessions, 0.5 logins a second: 40 s, 90 times an hour; 1 / sqrt(180 logins)
    let figures = statistics(&series((0..36).map(|_| (5.0, 20.0))));
    assert!(near(figures.mean_life_s, 40.0) && near(figures.replaced_per_h, 90.0), "{figures:?}");
    assert!(near(figures.mean_life_error, (1.0_f64 / 180.0).sqrt()));
    assert!(near(figures.login_dispersion, 0.0) && near(figures.amplitude, 0.0) && near(figures.at_maximum, 1.0));
    assert!(near(Some(figures.bins_without_login), 0.0) && near(figures.residual, 0.0));
}

#[test]
fn a_mean_below_one_session_has_the_error_of_its_readings() {
    // seen in 4 of 40 bins: mean 0.1; 80 logins in 400 s
    let figures = statistics(&series((0..40).map(|i| (2.0, if i % 10 == 0 { 1.0 } else { 0.0 }))));
    assert!(near(figures.mean_life_s, 0.5), "{figures:?}");
    assert!(near(figures.mean_life_error, (1.0_f64 / 80.0 + 1.0 / 4.0).sqrt()));
}

#[test]
fn no_mean_life_while_sessions_grow() {
    let figures = statistics(&series((0..60).map(|i| (1.0, f64::from(i)))));
    assert_eq!((figures.mean_life_s, figures.replaced_per_h), (None, None));
    // one session more every 10 s, 360 an hour, over the median of 29.5
    assert!(near(figures.growth_per_h, 360.0 / 29.5), "{:?}", figures.growth_per_h);
}

#[test]
fn spikes_and_their_distances() {
    let figures = statistics(&series((0..360).map(|i| (if i % 90 == 30 { 20.0 } else { 0.0 }, 20.0))));
    assert_eq!(figures.spikes, 4);
    assert!(near(figures.spike_gap_s, 900.0) && near(figures.spike_gap_cv, 0.0));
    assert!(near(figures.refill, 1.0) && near(Some(figures.most_logouts), 20.0));
}

#[test]
fn failures_are_counted_where_they_last() {
    let mut group = series((0..360).map(|_| (1.0, 20.0)));
    for (i, bin) in group.bins.iter_mut().enumerate() {
        let total = if (100..130).contains(&i) { 4.0 } else { 0.0 };
        bin.failed = Some(FailedLogins { total, credentials: Some(total), ..FailedLogins::default() });
    }
    let figures = statistics(&group);
    assert!(near(figures.most_failed_in_5min, 120.0));
    // two minutes with 12 failures begin 9 bins before and end 9 bins after: 3 of 12 bins with 4 failures suffice
    assert!(near(figures.failing_for_s, 480.0), "{figures:?}");
    assert!(near(figures.failing_share, 120.0 / 168.0));
    assert_eq!(judge(&[group], &Judging::default())[0].verdict_codes, ["failed-login-storm"]);
}

#[test]
fn unusual_failures_are_found_against_what_is_usual() {
    let mut group = series((0..360).map(|_| (10.0, 20.0)));
    group.bins.iter_mut().for_each(|bin| bin.failed = Some(FailedLogins::default()));
    for bin in &mut group.bins[200..209] {
        bin.failed = Some(FailedLogins { total: 5.0, ..FailedLogins::default() });
    }
    let verdict = |usual: Option<f64>| {
        let usual_failures_per_s = usual.map(|per_s| ("db:5432".to_owned(), per_s)).into_iter().collect();
        let judged = judge(std::slice::from_ref(&group), &Judging { usual_failures_per_s, ..Judging::default() });
        judged[0].verdict_codes.contains(&"failed-login-storm".to_owned())
    };
    // 45 in five minutes; too short and too small a part to be a storm by itself; 3 are usual, or 30
    assert_eq!([verdict(None), verdict(Some(0.01)), verdict(Some(0.1))], [false, true, false]);
}

#[test]
fn lives_and_idle_times() {
    let mut group = series((0..360).map(|_| (1.0, 10.0)));
    let life = |opened_s: f64, closed_s: Option<f64>, idle_s: f64| Life {
        opened_s,
        closed_s,
        closed_within_s: 10.0,
        idle_s: Some(idle_s),
        used: Some(idle_s < 2000.0),
        process: Some(1),
        pool: 0,
    };
    group.lives.extend((0..11).map(|i| life(100.0 * f64::from(i), Some(100.0 * f64::from(i) + 60.0), 55.0)));
    group.lives.extend([
        life(-50.0, None, 3500.0),
        life(400.0, None, 2500.0),
        life(500.0, None, 5.0),
        life(3000.0, None, 1.0),
    ]);
    let figures = statistics(&group);
    assert_eq!(figures.lives, 11);
    assert!(near(figures.life_p10_s, 60.0) && near(figures.life_p50_s, 60.0) && near(figures.life_cv, 0.0));
    assert!(near(figures.idle_at_logout_p10_s, 55.0) && near(figures.idle_at_logout_p90_s, 55.0));
    assert!(near(figures.never_used, 0.5) && near(figures.oldest_idle, 1.0) && near(figures.kept_idle, 0.5));
    assert_eq!((figures.processes, figures.processes_logging_in_again), (Some(1), Some(1)));
    assert_eq!((figures.usual_sessions_per_process, figures.pools_per_process), (Some(4), Some(1)));
}

#[test]
fn a_sweep_is_seen_in_the_logouts_of_one_process() {
    let mut group = series((0..1440).map(|_| (1.0, 10.0)));
    let sweep = |i: u32| Life {
        opened_s: 190.0 * f64::from(i),
        closed_s: Some(190.0 * f64::from(i + 2) + f64::from(i % 3)),
        closed_within_s: 10.0,
        idle_s: None,
        used: None,
        process: Some(5),
        pool: 0,
    };
    group.lives.extend((0..70).step_by(3).map(sweep));
    let figures = statistics(&group);
    assert!(near(figures.sweep_period_s, 190.0) && figures.sweep_strength.unwrap() > 0.99, "{figures:?}");
}

#[test]
fn the_time_until_a_verdict_is_that_of_logins_or_of_the_window() {
    let judging = Judging::default();
    // no logins in ten minutes: twenty are missing for the window
    assert_eq!(verdict_in(&series((0..60).map(|_| (0.0, 5.0))), &judging), Some(1200.0));
    // 6 logins in half an hour, and sessions that would be replaced ten times an hour: 60 logins take five hours
    let few = series((0..180).map(|i| (if i % 30 == 0 { 1.0 } else { 0.0 }, 1.0)));
    assert_eq!(verdict_in(&few, &judging), Some(54.0 * 300.0));
    assert_eq!(verdict_in(&few, &Judging { time_scale: 30.0, ..judging.clone() }), Some(54.0 * 10.0));
    // decided already: nobody pools here
    assert_eq!(verdict_in(&series((0..30).map(|_| (20.0, 1.0))), &judging), None);
    assert_eq!(verdict_in(&series([]), &judging), None);
}

#[test]
fn an_average_since_the_start_stands_in_until_the_window_is_full() {
    let since = SinceStart { uptime_s: 36_000.0, logins: 9000, sessions: 10.0 };
    let judging = Judging { since_start: [("db:5432".to_owned(), since)].into_iter().collect(), ..Judging::default() };
    let young = &judge(&[series((0..6).map(|_| (0.0, 10.0)))], &judging)[0];
    assert_eq!((young.mean_session_life_s, young.life_since_start), (Some(40.0), true));
    assert_eq!(young.verdict, Verdict::CannotSay);
    let full = &judge(&[series((0..360).map(|_| (1.0, 10.0)))], &judging)[0];
    assert_eq!((full.mean_session_life_s, full.life_since_start), (Some(100.0), false));
}

#[test]
fn the_scale_of_time_changes_rates_and_lives_but_no_verdict() {
    let group = [series((0..360).map(|_| (5.0, 20.0)))];
    let scaled = &judge(&group, &Judging { time_scale: 20.0, ..Judging::default() })[0];
    let real = &judge(&group, &Judging::default())[0];
    assert_eq!(scaled.verdict_codes, real.verdict_codes);
    assert_eq!((real.mean_session_life_s, scaled.mean_session_life_s), (Some(40.0), Some(2.0)));
    assert_eq!((real.logins_per_s, scaled.logins_per_s), (Some(0.5), Some(10.0)));
}

#[test]
fn what_logins_cost_comes_from_a_measured_login() {
    let group = [series((0..360).map(|_| (200.0, 20.0)))];
    let login = LoginCost {
        latency_s: 0.1,
        p50_s: Some(0.09),
        p99_s: Some(0.3),
        round_trips_s: Some(0.002),
        server_cpu_s: Some(0.02),
        cores: Some(8),
    };
    let judged = &judge(&group, &Judging { login_cost: Some(login), ..Judging::default() })[0];
    let cost = judged.cost.clone().unwrap();
    assert!(near(cost.logins_in_progress, 2.0) && near(cost.server_cores, 0.4) && near(cost.cpu_share, 0.05));
    assert_eq!(judged.verdict_codes, ["no-pooling", "slow-logins"]);
    let unmeasured = judge(&group, &Judging::default());
    assert_eq!((unmeasured[0].cost.clone(), unmeasured[0].verdict_codes.len()), (None, 1));
}
