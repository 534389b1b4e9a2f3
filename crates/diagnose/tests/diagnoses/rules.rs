//! What holds for every diagnosis and every finding.

use peaje_diagnose::{DIAGNOSES, Language, diagnose, page};
use peaje_model::{Evidence, Experiment, Finding, Mode, Param, Phase, Run, Severity, TlsMode, Verdict};
use serde_json::Value;

use crate::build::{Made, nothing, run, series, unpooled};
use crate::{Case, case, cases};

/// Codes whose subject may be absent from a run: they say nothing then.
const MAY_BE_SILENT: [&str; 40] = [
    "certificate-expires",
    "distance-dominates",
    "failed-login-storm",
    "first-wall",
    "full-authentication-each-time",
    "idle-in-transaction",
    "idle-sessions-cost",
    "idle-timeout-churn",
    "late-greeting",
    "late-starts",
    "lifetime-wave",
    "listen-backlog-too-small",
    "login-hooks",
    "login-timeout-too-short",
    "logins-slow-down",
    "many-failed-logins",
    "memory-per-session",
    "name-resolution-dominates",
    "never-used-sessions",
    "no-pooling",
    "pool-below-min",
    "pool-max-too-small",
    "pool-min-too-big",
    "pool-per-user",
    "pooler-saves",
    "process-or-thread",
    "redirected-login",
    "restart-or-failover",
    "resumption-not-happening",
    "room-for-sessions",
    "scram-derivation-dominates",
    "serial-client",
    "session-leak",
    "sessions-dropped",
    "sessions-knee",
    "sessions-live-short",
    "short-scripts",
    "slow-logins-recorded",
    "thread-cache-too-small",
    "unencrypted-applications",
];

/// Codes that judge a load: they say nothing of a check.
const OF_A_LOAD: [&str; 8] = [
    "counts-disagree",
    "generator-bound",
    "late-starts",
    "listen-queue-overflows",
    "pooling-pays",
    "resumption-not-happening",
    "serial-client",
    "tls-multiplies-login",
];

/// Of these, the codes that speak of a run against PostgreSQL over a Unix socket all the same.
const SPEAKS_ON_A_SOCKET: [&str; 3] = ["login-hooks", "scram-derivation-dominates", "serial-client"];

fn finding_of(case: &Case) -> Finding {
    let findings = diagnose(&case.run);
    let found = findings.iter().find(|finding| finding.code == case.code && variant(finding) == case.variant);
    found.cloned().unwrap_or_else(|| {
        let said: Vec<&Finding> = findings.iter().filter(|finding| finding.code == case.code).collect();
        panic!("{} should say `{}` but says {said:#?}", case.code, case.variant)
    })
}

fn variant(finding: &Finding) -> &str {
    match &finding.params["variant"] {
        Param::Text(variant) => variant,
        other => panic!("variant is {other:?}"),
    }
}

fn number(param: &Param) -> Option<f64> {
    match param {
        Param::Count(n) => Some(*n as f64),
        Param::Ratio(x)
        | Param::Share(x)
        | Param::Us(x)
        | Param::PerS(x)
        | Param::Cores(x)
        | Param::CpuS(x)
        | Param::Bytes(x) => Some(*x),
        Param::Text(_) => None,
    }
}

fn alike(a: &Param, b: &Param) -> bool {
    let same_kind = std::mem::discriminant(a) == std::mem::discriminant(b);
    same_kind
        && match (number(a), number(b)) {
            (Some(a), Some(b)) => near(a, b),
            _ => a == b,
        }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[test]
fn every_case_comes_out_as_computed_by_hand() {
    for case in cases() {
        let finding = finding_of(&case);
        let place = format!("{} {}", case.code, case.variant);
        assert_eq!(finding.verdict, case.expect.verdict(), "{place}");
        assert_eq!(finding.severity, case.expect.severity(), "{place}");
        for (key, expected) in &case.params {
            let actual = finding.params.get(*key).unwrap_or_else(|| panic!("{place}: no `{key}` in {finding:#?}"));
            assert!(alike(actual, expected), "{place}: `{key}` is {actual:?}, expected {expected:?}");
        }
        for key in &case.absent {
            assert!(!finding.params.contains_key(*key), "{place}: `{key}` stands in {finding:#?}");
        }
    }
}

#[test]
fn every_diagnosis_has_a_run_for_each_verdict() {
    let cases = cases();
    for diagnosis in DIAGNOSES {
        for verdict in [Verdict::Found, Verdict::Healthy, Verdict::CannotSay] {
            let has = cases.iter().any(|case| case.code == diagnosis.code && case.expect.verdict() == verdict);
            assert!(has, "{} has no run for {verdict:?}", diagnosis.code);
        }
    }
    let known = |case: &Case| DIAGNOSES.iter().any(|diagnosis| diagnosis.code == case.code);
    assert!(cases.iter().all(known));
}

#[test]
fn evidence_points_to_what_stands_in_the_run() {
    for case in cases() {
        let json = serde_json::to_value(&case.run).expect("a run is JSON");
        for finding in diagnose(&case.run) {
            for evidence in &finding.evidence {
                let seen = json.pointer(&evidence.path);
                let seen = seen.unwrap_or_else(|| panic!("{}: nothing at {}", finding.code, evidence.path));
                assert!(agrees(evidence, seen), "{}: {evidence:?} but the run says {seen}", finding.code);
            }
        }
    }
}

/// Whether an observation is what stands there. Times of fields in seconds are given in microseconds.
fn agrees(evidence: &Evidence, seen: &Value) -> bool {
    let unit = if evidence.path.ends_with("_s") && matches!(evidence.value, Param::Us(_)) { 1e6 } else { 1.0 };
    match (&evidence.value, number(&evidence.value)) {
        (Param::Text(text), _) if seen.is_boolean() => text.parse() == Ok(seen == true),
        (Param::Text(text), _) => seen.as_str() == Some(text),
        (_, Some(value)) => seen.as_f64().is_some_and(|seen| near(value, seen * unit)),
        (_, None) => false,
    }
}

#[test]
fn what_is_found_or_healthy_has_evidence_and_finite_numbers() {
    for case in cases() {
        for finding in diagnose(&case.run) {
            let place = format!("{} in a case of {} {}", finding.code, case.code, case.variant);
            assert!(finding.verdict == Verdict::CannotSay || !finding.evidence.is_empty(), "{place}");
            assert!(finding.verdict == Verdict::Found || finding.severity == Severity::Info, "{place}");
            for (key, param) in &finding.params {
                assert!(number(param).is_none_or(f64::is_finite), "{place}: {key} is {param:?}");
                if let Param::Share(share) = param {
                    assert!(
                        (0.0..=1.0).contains(share) || key == "timeout_share" || key == "worst_share",
                        "{place}: {key} {share}"
                    );
                }
            }
        }
    }
}

/// A run that was stopped at once: every figure is there, and zero.
#[test]
fn zeros_neither_panic_nor_divide() {
    let zeros = |made: Made| {
        let phases = Phase::ALL.map(|phase| (phase, 0.0, 0.0));
        made.phases(&phases)
            .query(0.0)
            .logins(0)
            .rate(0.0, 0.0, 0.0)
            .elapsed(0.0)
            .server_cpu(0.0, 0.0)
            .client_cpu(0.0, 0.0)
    };
    for (mode, logins) in [Mode::Unpooled, Mode::Pooled, Mode::Persistent].into_iter().flat_map(|m| [(m, 0), (m, 5000)])
    {
        let made = [TlsMode::Off, TlsMode::Full].map(|tls| {
            let made = zeros(series(mode, tls)).logins(logins).tls(Some("RSA-2048"), false, logins);
            made.auth("scram-sha-256", Some(4096), false, logins).serial()
        });
        let mut run = run(made);
        run.target.resolve_us = Some(0.0);
        for finding in diagnose(&run) {
            assert_ne!(finding.verdict, Verdict::Found, "{finding:#?}");
            assert!(finding.params.values().filter_map(number).all(f64::is_finite), "{finding:#?}");
        }
    }
}

#[test]
fn a_saved_run_gives_the_same_findings() {
    for case in cases() {
        let saved = serde_json::to_string(&case.run).expect("a run is JSON");
        let read: Run = serde_json::from_str(&saved).expect("a run file is a run");
        assert_eq!(diagnose(&read), diagnose(&case.run));
    }
}

#[test]
fn every_diagnosis_speaks_unless_its_subject_is_absent() {
    for case in cases().into_iter().chain([case("", crate::Expect::CannotSay, "", nothing())]) {
        // A check and a watch ask what is theirs to ask.
        if case.run.experiment != Experiment::Login {
            continue;
        }
        let findings = diagnose(&case.run);
        for diagnosis in DIAGNOSES {
            let speaks = findings.iter().any(|finding| finding.code == diagnosis.code);
            let of_a_load = case.run.experiment == Experiment::Check && OF_A_LOAD.contains(&diagnosis.code);
            assert!(!(speaks && of_a_load), "{} speaks of a check", diagnosis.code);
            assert!(speaks || of_a_load || MAY_BE_SILENT.contains(&diagnosis.code), "{} is silent", diagnosis.code);
        }
    }
}

#[test]
fn a_unix_socket_has_no_distance_and_an_address_has_no_name() {
    let mut run = run([unpooled(TlsMode::Off)]);
    run.target.hosts = vec!["/var/run/postgresql".to_owned()];
    let codes: Vec<String> = diagnose(&run).into_iter().map(|finding| finding.code).collect();
    for silent in MAY_BE_SILENT.into_iter().filter(|code| !SPEAKS_ON_A_SOCKET.contains(code)) {
        assert!(!codes.iter().any(|code| code == silent), "{silent}");
    }
}

#[test]
fn the_worst_comes_first_and_what_cannot_be_said_last() {
    for case in cases() {
        let rank = |finding: &Finding| match finding.verdict {
            Verdict::Found => 3 - finding.severity as u8,
            Verdict::Healthy => 4,
            Verdict::CannotSay => 5,
        };
        let findings = diagnose(&case.run);
        assert!(findings.is_sorted_by_key(rank));
        assert_eq!(findings, diagnose(&case.run));
    }
}

#[test]
fn codes_are_unique_and_words_with_hyphens() {
    let mut codes: Vec<&str> = DIAGNOSES.iter().map(|diagnosis| diagnosis.code).collect();
    assert!(codes.iter().all(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{codes:?}");
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), DIAGNOSES.len());
}

const HEADINGS_EN: [&str; 5] =
    ["## What it means", "## How it is measured", "## What to do", "## When it is wrong", "## When it cannot say"];
const HEADINGS_ES: [&str; 5] =
    ["## Qué significa", "## Cómo se mide", "## Qué hacer", "## Cuándo se equivoca", "## Cuándo no puede decirlo"];

#[test]
fn every_page_is_complete_in_both_languages() {
    for diagnosis in DIAGNOSES {
        for (text, headings) in [(diagnosis.page_en, HEADINGS_EN), (diagnosis.page_es, HEADINGS_ES)] {
            let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
            assert!(title.is_some_and(|title| title.contains(' ')), "{}: a title in words", diagnosis.code);
            assert!(text.contains(&format!(": `{}`\n", diagnosis.code)), "{}: its code", diagnosis.code);
            let places: Vec<Option<usize>> = headings.iter().map(|heading| text.find(heading)).collect();
            assert!(places.iter().all(Option::is_some), "{}: headings {places:?}", diagnosis.code);
            assert!(places.is_sorted(), "{}: order of headings", diagnosis.code);
            assert_eq!(text.matches("\n## ").count(), headings.len(), "{}: other headings", diagnosis.code);
            let lines = text.lines().count();
            assert!((25..=100).contains(&lines), "{}: {lines} lines", diagnosis.code);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= 90, "{}: a line of {widest}", diagnosis.code);
        }
        let fences = |text: &str| text.matches("```").count();
        assert_eq!(fences(diagnosis.page_en), fences(diagnosis.page_es), "{}: commands", diagnosis.code);
        assert_eq!(code_blocks(diagnosis.page_en), code_blocks(diagnosis.page_es), "{}: commands", diagnosis.code);
    }
}

/// The commands of a page: they are the same in both languages.
fn code_blocks(page: &str) -> Vec<&str> {
    page.split("```").skip(1).step_by(2).collect()
}

#[test]
fn pages_are_found_by_code() {
    assert!(page("server-full", Language::Spanish).is_some_and(|text| text.contains("## Qué hacer")));
    assert!(page("server-full", Language::English).is_some_and(|text| text.contains("## What to do")));
    assert_eq!(page("no-such-code", Language::English), None);
}
