//! Runs of `peaje sessions` for found, healthy and cannot say of each of its diagnoses.

use peaje_diagnose::held::analyse;
use peaje_model::{
    Architecture, DroppedSessions, Experiment, Fact, Interval, LimitRead, LoginGrowth, MemorySource, Run,
    SessionsResult, Settings, WallKind, WhatAnswered,
};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{answered, fact, nothing, with};
use crate::held::{MIB, Machine, PROCESS, STORY, THREAD, settings};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [memory(), walls(), knees(), kinds(), growth(), dropped(), unused(), pooler()].into_iter().flatten().collect()
}

/// A run of a ladder that has been analysed.
pub(crate) fn of(result: SessionsResult) -> Run {
    let mut result = result;
    analyse(&mut result, &settings());
    result.beside.iter_mut().for_each(|one| analyse(one, &settings()));
    with(nothing(), |run| {
        run.experiment = Experiment::Sessions;
        run.settings = Settings::Sessions(settings());
        run.sessions = Some(result);
    })
}

fn limited(mut result: SessionsResult, kind: WallKind, name: &str, limit: u64, taken: u64) -> SessionsResult {
    result.limits.push(LimitRead { kind, name: name.to_owned(), limit, taken, per_session: 1.0 });
    result
}

fn unread(mut result: SessionsResult) -> SessionsResult {
    for step in std::iter::once(&mut result.baseline).chain(&mut result.steps) {
        (step.memory, step.pss_bytes, step.memory_available_bytes) = (None, None, None);
    }
    result.memory_source = MemorySource::None;
    result
}

/// A ladder on a machine without a limited group.
fn roomy() -> SessionsResult {
    Machine { limit: 24_000.0, ..PROCESS }.ladder("postgres:", &STORY)
}

fn memory() -> Vec<Case> {
    const CODE: &str = "memory-per-session";
    let allowed = |n| limited(roomy(), WallKind::ServerLimit, "max_connections", n, 0);
    vec![
        case(CODE, Warning, "idle", of(allowed(20_000))).count("allowed", 20_000).absent("idle_bytes"),
        case(CODE, Info, "idle", of(allowed(8_000))),
        case(CODE, Healthy, "idle", of(allowed(100))).count("allowed", 100),
        case(CODE, Info, "idle", of(roomy())).absent("allowed").absent("times"),
        case(
            CODE,
            Info,
            "worked",
            with(of(roomy()), |run| {
                let result = run.sessions.as_mut().expect("a result");
                (result.idle_and_worked.idle, result.idle_and_worked.worked) = (Some(MIB), Some(1.8 * MIB));
            }),
        )
        .bytes("idle_bytes", MIB),
        case(CODE, Healthy, "worked", {
            with(of(allowed(100)), |run| {
                run.sessions.as_mut().expect("a result").idle_and_worked.worked = Some(1.8 * MIB);
            })
        }),
        case(CODE, CannotSay, "not-read", of(unread(roomy()))),
        case(CODE, CannotSay, "too-few-steps", of(PROCESS.ladder("postgres:", &STORY[..1])))
            .count("steps", 1)
            .count("needed", 2),
    ]
}

fn walls() -> Vec<Case> {
    const CODE: &str = "first-wall";
    let wall = |kind, name, limit, taken| of(limited(PROCESS.ladder("postgres:", &STORY), kind, name, limit, taken));
    vec![
        case(CODE, Warning, "cgroup-memory", wall(WallKind::ServerLimit, "max_connections", 1_000, 10))
            .text("bound", "upper-bound")
            .count("allowed", 990)
            .bytes("memory", 768.0 * MIB)
            .absent("measured"),
        case(CODE, Warning, "memory", of(roomy())).count("measured", 400).absent("allowed"),
        case(CODE, Healthy, "own-limit", wall(WallKind::ServerLimit, "max_connections", 103, 3))
            .count("sessions", 100)
            .text("name", "max_connections")
            .count("limit", 103)
            .count("taken", 3),
        case(CODE, Healthy, "own-limit", of(limited(unread(roomy()), WallKind::AccountLimit, "rolconnlimit", 50, 0)))
            .absent("memory_sessions"),
        case(CODE, Warning, "system", wall(WallKind::Processes, "pids.max", 120, 20)).count("sessions", 100),
        case(CODE, Info, "client", wall(WallKind::ClientFiles, "RLIMIT_NOFILE", 120, 20)).count("limit", 120),
        case(CODE, CannotSay, "unknown", of(unread(roomy()))),
    ]
}

fn knees() -> Vec<Case> {
    const CODE: &str = "sessions-knee";
    let cause = |result: SessionsResult| {
        let mut result = result;
        for step in &mut result.steps[5..] {
            step.seconds *= 3.0;
        }
        result
    };
    let waiting = |result: SessionsResult| {
        let mut result = cause(result);
        for (i, step) in result.steps.iter_mut().enumerate() {
            let memory = step.memory.as_mut().expect("it was read");
            memory.host.cpu_stall_us = Some([40, 80, 120, 160, 200, 440, 690, 930][i] * 1_000);
        }
        result.baseline.memory.as_mut().expect("it was read").host.cpu_stall_us = Some(0);
        result
    };
    let swaps = |result: SessionsResult| {
        let mut result = cause(result);
        for step in &mut result.steps[5..] {
            step.memory.as_mut().expect("it was read").host.swap_used = Some(64 << 20);
        }
        result
    };
    vec![
        case(CODE, Critical, "cgroup-memory", of(PROCESS.ladder("postgres:", &STORY))).count("predicted_at", 200),
        case(CODE, Critical, "memory", of(swaps(roomy()))),
        case(CODE, Warning, "scheduler", of(waiting(roomy()))),
        case(CODE, Info, "unknown", of(cause(unread(roomy())))).absent("predicted"),
        case(CODE, Healthy, "straight", of(THREAD.ladder("mariadb:", &STORY))).count("sessions", 400),
        case(CODE, CannotSay, "too-few-steps", of(PROCESS.ladder("postgres:", &STORY[..3]))).count("needed", 5),
    ]
}

fn kinds() -> Vec<Case> {
    const CODE: &str = "process-or-thread";
    let both = |process: SessionsResult, thread: SessionsResult| of(SessionsResult { beside: vec![thread], ..process });
    let process = || PROCESS.ladder("serve:process", &STORY);
    let thread = |session| Machine { session, ..THREAD }.ladder("serve:thread", &STORY);
    vec![
        case(CODE, Info, "compared", both(process(), thread(0.7)))
            .text("process", "serve:process")
            .count("sessions", 400)
            .absent("thread_knee"),
        case(CODE, Healthy, "compared", both(process(), thread(1.6))),
        case(CODE, CannotSay, "not-read", both(process(), unread(thread(0.7)))),
    ]
}

fn growth() -> Vec<Case> {
    const CODE: &str = "logins-slow-down";
    let grows = |low, last_us| {
        with(of(THREAD.ladder("mariadb:", &STORY)), |run| {
            let exponent = Interval { value: Some(0.5), low: Some(low), high: Some(0.6) };
            let growth = LoginGrowth { exponent, first_us: 1_000.0, last_us };
            run.sessions.as_mut().expect("a result").login_growth = Some(growth);
        })
    };
    vec![
        case(CODE, Warning, "power", grows(0.4, 3_000.0)).ratio("ratio", 3.0).ratio("exponent", 0.5),
        case(CODE, Info, "power", grows(0.4, 1_500.0)),
        case(CODE, Healthy, "power", grows(0.4, 1_400.0)),
        case(CODE, Healthy, "power", grows(-0.1, 9_000.0)),
        case(CODE, CannotSay, "too-few-steps", of(THREAD.ladder("mariadb:", &STORY[..2]))).count("steps", 2),
    ]
}

fn dropped() -> Vec<Case> {
    const CODE: &str = "sessions-dropped";
    let with_dropped = |dropped| of(SessionsResult { dropped, ..THREAD.ladder("mariadb:", &STORY) });
    let one = |reason: &str, message: Option<&str>, count| DroppedSessions {
        reason: reason.to_owned(),
        message: message.map(str::to_owned),
        count,
    };
    vec![
        case(CODE, Warning, "dropped", with_dropped(vec![one("57P01", Some("terminating connection"), 3)]))
            .text("reason", "57P01")
            .count("dropped", 3)
            .share("share", 3.0 / 400.0),
        case(CODE, Warning, "dropped", with_dropped(vec![one("closed", None, 7), one("4031", Some("idle"), 1)]))
            .count("dropped", 8)
            .absent("message"),
        case(CODE, Healthy, "none", with_dropped(Vec::new())).count("held", 400),
        case(CODE, CannotSay, "not-held", of(THREAD.ladder("mariadb:", &[]))),
    ]
}

fn facts(result: SessionsResult, facts: Vec<Fact>) -> Run {
    with(of(result), |run| run.facts = facts)
}

fn unused() -> Vec<Case> {
    const CODE: &str = "idle-sessions-cost";
    let seen = |n| facts(roomy(), vec![fact("never_used_sessions", n), fact("other_sessions", 300.0)]);
    let reference = with(seen(200.0), |run| {
        run.what_answered = Some(WhatAnswered { reference_server: true, ..answered("peaje reference server") });
    });
    assert!(peaje_diagnose::diagnose(&reference).iter().all(|finding| finding.code != CODE));
    vec![
        case(CODE, Warning, "unused", seen(200.0)).count("unused", 200).count("sessions", 300),
        case(CODE, Info, "unused", seen(10.0)),
        case(CODE, Healthy, "unused", facts(roomy(), vec![fact("never_used_sessions", 9.0)])).absent("sessions"),
        case(CODE, CannotSay, "unseen", of(roomy())),
        case(CODE, CannotSay, "not-read", facts(unread(roomy()), vec![fact("never_used_sessions", 9.0)])),
    ]
}

fn pooler() -> Vec<Case> {
    const CODE: &str = "pooler-saves";
    let open = |n, active| facts(roomy(), vec![fact("other_sessions", n), fact("other_sessions_active", active)]);
    vec![
        case(CODE, Info, "open-now", open(1_000.0, 10.0)).count("pool", 20).count("sessions", 1_000),
        case(CODE, Healthy, "open-now", open(30.0, 1.0)).count("pool", 4),
        case(CODE, Info, "ladder", of(PROCESS.ladder("postgres:", &STORY))).count("sessions", 400).count("pool", 4),
        case(CODE, Healthy, "ladder", of(roomy())),
        case(CODE, CannotSay, "not-read", of(unread(roomy()))),
    ]
}

#[test]
fn a_sessions_run_is_asked_its_own_questions_and_no_other_run_is() {
    let ours = [
        "first-wall",
        "idle-sessions-cost",
        "logins-slow-down",
        "memory-per-session",
        "pooler-saves",
        "process-or-thread",
        "sessions-dropped",
        "sessions-knee",
    ];
    let codes = |run: &Run| peaje_diagnose::diagnose(run).into_iter().map(|finding| finding.code).collect::<Vec<_>>();
    assert!(codes(&of(roomy())).iter().all(|code| ours.contains(&code.as_str())));
    assert!(codes(&nothing()).iter().all(|code| !ours.contains(&code.as_str())));
}

#[test]
fn findings_name_their_target_only_where_there_are_several() {
    let one = of(PROCESS.ladder("serve:process", &STORY));
    assert!(peaje_diagnose::diagnose(&one).iter().all(|finding| !finding.params.contains_key("target")));
    let thread = THREAD.ladder("serve:thread", &STORY);
    assert!(matches!(thread.architecture, Some(Architecture::Thread)));
    let two = of(SessionsResult { beside: vec![thread], ..PROCESS.ladder("serve:process", &STORY) });
    let knees = peaje_diagnose::diagnose(&two).into_iter().filter(|finding| finding.code == "sessions-knee");
    let named: Vec<_> = knees.map(|finding| finding.params["target"].clone()).collect();
    let label = |text: &str| peaje_model::Param::Text(text.to_owned());
    assert_eq!(named, [label("serve:process"), label("serve:thread")]);
}
