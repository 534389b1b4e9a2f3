//! What a watch finds: groups as the rules judged them, and one finding for each that is accused.

use peaje_model::{
    Experiment, FailedLogins, Grade, GroupCost, GroupKind, GroupStatistics, Run, Segment, Verdict, WatchGroup,
    WatchResult,
};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{nothing, with};
use crate::{Case, case};

/// The codes of a watch.
pub(crate) const CODES: [&str; 11] = [
    "failed-login-storm",
    "idle-timeout-churn",
    "lifetime-wave",
    "no-pooling",
    "pool-below-min",
    "pool-max-too-small",
    "pool-min-too-big",
    "pool-per-user",
    "restart-or-failover",
    "session-leak",
    "short-scripts",
];

pub(crate) fn cases() -> Vec<Case> {
    [without_a_pool(), pools(), sizes(), leaks(), failures(), events(), nobody()].into_iter().flatten().collect()
}

/// A group with an hour of figures: 20 sessions, half a login a second.
fn group(kind: GroupKind, name: &str, codes: &[&str], alter: impl FnOnce(&mut GroupStatistics)) -> WatchGroup {
    let mut statistics = GroupStatistics {
        window_s: 3600.0,
        bin_s: 10.0,
        bins: 360,
        logins: 1800.0,
        logouts: 1800.0,
        replaced_per_h: Some(90.0),
        ..GroupStatistics::default()
    };
    alter(&mut statistics);
    WatchGroup {
        server: "db:5432".to_owned(),
        name: name.to_owned(),
        kind,
        verdict: if codes.is_empty() { Verdict::Healthy } else { Verdict::Found },
        verdict_codes: codes.iter().map(|code| (*code).to_owned()).collect(),
        pattern: None,
        grade: (!codes.is_empty()).then_some(Grade::Likely),
        mean_session_life_s: Some(40.0),
        life_since_start: false,
        logins_per_s: Some(0.5),
        logouts_per_s: Some(0.5),
        sessions: Some(20.0),
        limit: None,
        encrypted: None,
        cost: None,
        statistics,
    }
}

/// A run that watched one server with these groups, after the instance's own with 7200 logins.
fn watch(groups: Vec<WatchGroup>) -> Run {
    let whole = group(GroupKind::Instance, "db:5432", &[], |f| f.logins = 7200.0);
    let groups = std::iter::once(whole).chain(groups).collect();
    with(nothing(), |run| {
        run.experiment = Experiment::Watch;
        run.watch = Some(WatchResult { interval_s: 10.0, time_scale: 1.0, groups, ..WatchResult::default() });
    })
}

/// One application that is accused.
fn accused(code: &'static str, alter: impl FnOnce(&mut GroupStatistics)) -> Run {
    watch(vec![group(GroupKind::Application, "orders @ 10.0.0.9", &[code], alter)])
}

fn alter_group(run: Run, alter: impl FnOnce(&mut WatchGroup)) -> Run {
    with(run, |run| {
        let groups = run.watch.iter_mut().flat_map(|watch| watch.groups.iter_mut());
        alter(groups.last().expect("there is a group"));
    })
}

fn costing(run: Run, in_progress: f64, cpu_share: Option<f64>) -> Run {
    alter_group(run, |group| {
        let server_cores = cpu_share.map(|share| share * 8.0);
        group.cost = Some(GroupCost { logins_in_progress: Some(in_progress), server_cores, cpu_share });
    })
}

fn without_a_pool() -> Vec<Case> {
    const CODE: &str = "no-pooling";
    let plain = || accused(CODE, |f| f.requests_per_login = Some(3.0));
    let between = with(plain(), |run| {
        if let Some(what) = &mut run.what_answered {
            what.segment = Segment::Pooler;
        }
    });
    let whole = with(watch(Vec::new()), |run| {
        if let Some(watch) = &mut run.watch {
            watch.groups = vec![group(GroupKind::Instance, "db:5432", &[CODE], |_| ())];
        }
    });
    vec![
        case(CODE, Warning, "group", plain())
            .text("group", "orders @ 10.0.0.9")
            .text("group_kind", "application")
            .text("grade", "likely")
            .per_s("logins_per_s", 0.5)
            .us("life_us", 40e6)
            .ratio("replaced_per_h", 90.0)
            .ratio("requests_per_login", 3.0)
            .share("share_of_all", 0.25)
            .text("cost_unknown", "peaje login")
            .absent("between")
            .absent("in_progress"),
        case(CODE, Warning, "group", between).text("between", "between"),
        // the CPU decides where it is known: below 1 % of it is only worth knowing
        case(CODE, Info, "group", costing(plain(), 0.01, Some(0.004))).share("cpu_share", 0.004).absent("cost_unknown"),
        case(CODE, Warning, "group", costing(plain(), 0.01, Some(0.02))).cores_of(0.16),
        case(CODE, Critical, "group", costing(plain(), 3.0, Some(0.05))).ratio("in_progress", 3.0),
        case(CODE, Warning, "group", costing(plain(), 1.0, None)).absent("cpu_share"),
        case(CODE, Info, "group", alter_group(plain(), |group| group.logins_per_s = Some(0.05))),
        case(CODE, Warning, "group", whole).text("group_kind", "instance").absent("share_of_all"),
        // 1.5 under way at 0.5 a second: three seconds each
        case("slow-logins", Warning, "watched", costing(accused("slow-logins", |_| ()), 1.5, None)).us("login_us", 3e6),
        case("short-scripts", Warning, "group", accused("short-scripts", |f| f.bins_without_login = 0.8))
            .share("pauses", 0.8),
    ]
}

fn pools() -> Vec<Case> {
    let idle = |f: &mut GroupStatistics| {
        (f.idle_at_logout_p10_s, f.idle_at_logout_p50_s) = (Some(60.0), Some(75.0));
        (f.sweep_period_s, f.sweep_strength, f.mean_use) = (Some(190.0), Some(0.97), Some(0.04));
    };
    let scaled = with(accused("idle-timeout-churn", idle), |run| {
        if let Some(watch) = &mut run.watch {
            watch.time_scale = 30.0;
        }
    });
    let wave = |f: &mut GroupStatistics| {
        (f.spikes, f.spike_gap_s, f.spike_gap_cv, f.most_logouts) = (4, Some(1800.0), Some(0.01), 17.6);
    };
    let users = |f: &mut GroupStatistics| {
        (f.pools_per_process, f.sessions_per_pool, f.processes) = (Some(40), Some(1.0), Some(3));
    };
    vec![
        case("pool-below-min", Warning, "group", accused("pool-below-min", |f| f.life_p50_s = Some(65.0)))
            .us("closed_after_us", 65e6),
        case("idle-timeout-churn", Warning, "group", accused("idle-timeout-churn", idle))
            .us("idle_us", 75e6)
            .us("sweep_us", 190e6)
            .share("mean_use", 0.04),
        // half a minute of analysis for each second of the clock
        case("idle-timeout-churn", Warning, "group", scaled).us("idle_us", 2.5e6).ratio("replaced_per_h", 2700.0),
        case("idle-timeout-churn", Warning, "group", accused("idle-timeout-churn", |f| f.sweep_strength = Some(0.5)))
            .absent("sweep_us")
            .absent("idle_us"),
        case("lifetime-wave", Warning, "group", accused("lifetime-wave", wave))
            .us("every_us", 1800e6)
            .count("waves", 4)
            .count("at_once", 18),
        case("pool-per-user", Warning, "group", accused("pool-per-user", users))
            .count("pools", 40)
            .ratio("each", 1.0)
            .count("processes", 3),
    ]
}

fn sizes() -> Vec<Case> {
    const MIN: &str = "pool-min-too-big";
    const MAX: &str = "pool-max-too-small";
    let idle = |f: &mut GroupStatistics| {
        (f.peak_use, f.usual_sessions_per_process, f.processes) = (Some(0.01), Some(100), Some(250));
        f.never_used = Some(0.6);
    };
    let of = |sessions: f64, limit: Option<u64>| {
        alter_group(accused(MIN, idle), |group| (group.sessions, group.limit) = (Some(sessions), limit))
    };
    let full = |f: &mut GroupStatistics| {
        (f.median_use, f.at_maximum, f.mean_waiting) = (Some(1.0), Some(0.98), Some(12.0));
    };
    vec![
        case(MIN, Critical, "group", of(28_000.0, Some(32_767)))
            .count("sessions", 28_000)
            .share("peak_use", 0.01)
            .count("each", 100)
            .count("processes", 250)
            .share("never_used", 0.6)
            .share("of_limit", 28_000.0 / 32_767.0),
        case(MIN, Warning, "group", of(25_000.0, Some(32_767))),
        case(MIN, Info, "group", of(10_000.0, Some(32_767))),
        case(MIN, Warning, "group", of(500.0, None)).absent("of_limit"),
        case(MAX, Warning, "group", accused(MAX, full)).share("at_work", 1.0).ratio("waiting", 12.0),
    ]
}

fn leaks() -> Vec<Case> {
    const CODE: &str = "session-leak";
    let grows = |f: &mut GroupStatistics| {
        (f.growth_per_h, f.kept_idle, f.logouts) = (Some(0.5), Some(0.9), 100.0);
    };
    let with_limit = |limit| alter_group(accused(CODE, grows), |group| group.limit = Some(limit));
    let left = |f: &mut GroupStatistics| {
        (f.abandoned, f.idle_at_logout_p50_s) = (Some(0.95), Some(700.0));
    };
    vec![
        // 10 sessions more an hour: 80 to go
        case(CODE, Critical, "grows", with_limit(100))
            .share("growth_per_h", 0.5)
            .share("kept_idle", 0.9)
            .us("full_in_us", 8.0 * 3600e6),
        case(CODE, Warning, "grows", with_limit(1000)).us("full_in_us", 98.0 * 3600e6),
        case(CODE, Warning, "grows", accused(CODE, grows)).absent("full_in_us"),
        case(CODE, Warning, "abandoned", accused(CODE, left)).share("abandoned", 0.95).us("idle_us", 700e6),
    ]
}

fn failures() -> Vec<Case> {
    const CODE: &str = "failed-login-storm";
    let failed = |failed: FailedLogins, lasting: bool| {
        with(watch(Vec::new()), |run| {
            let storm = group(GroupKind::Instance, "db:5432", &[CODE], |f| {
                f.failed = Some(failed);
                f.failing_for_s = Some(if lasting { 600.0 } else { 60.0 });
                (f.failing_share, f.most_failed_in_5min) = (Some(0.7), Some(80.0));
            });
            if let Some(watch) = &mut run.watch {
                watch.groups = vec![storm];
            }
        })
    };
    let wrong = FailedLogins { total: 240.0, credentials: Some(240.0), limit: Some(0.0), probe: None };
    let refused = FailedLogins { total: 90.0, credentials: None, limit: Some(90.0), probe: Some(5.0) };
    let known = with(watch(Vec::new()), |run| {
        let groups = run.watch.iter_mut().flat_map(|watch| watch.groups.iter_mut());
        groups.for_each(|group| group.statistics.failed = Some(FailedLogins::default()));
    });
    vec![
        case(CODE, Warning, "lasting", failed(wrong, true))
            .count("failed", 240)
            .count("credentials", 240)
            .us("for_us", 600e6)
            .share("of_attempts", 0.7)
            .absent("refused")
            .absent("most"),
        case(CODE, Critical, "unusual", failed(refused, false)).count("refused", 90).count("most", 80).absent("for_us"),
        case(CODE, Healthy, "watched", known).count("groups", 1),
        case(CODE, CannotSay, "not-known", watch(Vec::new())),
    ]
}

fn events() -> Vec<Case> {
    const CODE: &str = "restart-or-failover";
    let event = |new: Option<f64>| {
        move |f: &mut GroupStatistics| {
            (f.replaced_at_once, f.replacements, f.ramp_s, f.new_processes) = (Some(0.98), 1, Some(85.0), new);
        }
    };
    vec![
        case(CODE, Info, "restart", accused(CODE, event(Some(1.0))))
            .share("replaced", 0.98)
            .count("times", 1)
            .us("ramp_us", 85e6),
        case(CODE, Info, "failover", accused(CODE, event(Some(0.0)))),
        case(CODE, Info, "failover", accused(CODE, event(None))),
    ]
}

fn nobody() -> Vec<Case> {
    let young = || {
        with(watch(Vec::new()), |run| {
            if let Some(watch) = &mut run.watch {
                watch.verdict_at = Some("2026-03-01T10:42:00Z".to_owned());
                watch.groups[0].verdict = Verdict::CannotSay;
                watch.groups[0].statistics.logins = 7.4;
            }
        })
    };
    let seen = |f: &mut GroupStatistics| {
        (f.median_use, f.peak_use, f.processes, f.failed) =
            (Some(0.3), Some(0.6), Some(3), Some(FailedLogins::default()));
    };
    let healthy = || watch(vec![group(GroupKind::Application, "shop @ 10.0.0.8", &[], seen)]);
    let known = |code: &'static str| {
        ["failed-login-storm", "pool-max-too-small", "pool-min-too-big", "pool-per-user"].contains(&code)
    };
    let mut cases: Vec<Case> = CODES
        .into_iter()
        .map(|code| case(code, Healthy, "watched", healthy()).count("groups", if known(code) { 1 } else { 2 }))
        .collect();
    cases.extend(
        CODES.into_iter().map(|code| case(code, CannotSay, "not-yet", young()).count("logins", 7).count("needed", 60)),
    );
    let unknown =
        CODES.into_iter().filter(|code| known(code)).map(|code| case(code, CannotSay, "not-known", watch(Vec::new())));
    cases.extend(unknown);
    cases
}

#[test]
fn a_watch_says_nothing_of_what_was_not_measured() {
    for finding in peaje_diagnose::diagnose(&watch(Vec::new())) {
        assert!(CODES.contains(&finding.code.as_str()), "{finding:#?}");
    }
}

#[test]
fn a_run_without_a_watch_says_nothing_of_pools() {
    let findings = peaje_diagnose::diagnose(&nothing());
    assert!(!findings.iter().any(|finding| CODES.contains(&finding.code.as_str())), "{findings:#?}");
}

#[test]
fn an_application_stands_for_its_instance_and_its_processes() {
    let code = "idle-timeout-churn";
    let run = with(watch(Vec::new()), |run| {
        let of = |kind, name: &str| group(kind, name, &[code], |_| ());
        if let Some(watch) = &mut run.watch {
            watch.groups = vec![
                of(GroupKind::Instance, "db:5432"),
                of(GroupKind::Application, "orders @ 10.0.0.9"),
                of(GroupKind::Application, "billing @ 10.0.0.9"),
                of(GroupKind::Process, "orders @ 10.0.0.9 # 77"),
            ];
        }
    });
    let named: Vec<String> = peaje_diagnose::diagnose(&run)
        .into_iter()
        .filter(|finding| finding.code == code)
        .filter_map(|finding| match &finding.params["group"] {
            peaje_model::Param::Text(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(named, ["orders @ 10.0.0.9", "billing @ 10.0.0.9"]);
}
