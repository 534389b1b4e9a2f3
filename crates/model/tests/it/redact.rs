//! Redaction: nothing that identifies survives, the same name has the same alias everywhere, twice is as once.

use std::collections::BTreeMap;

use crate::common::sample_run;
use peaje_model::{
    Architecture, CgroupMemory, DroppedSessions, Ended, ExcludedSessions, FactValue, Grade, GroupKind, GroupStatistics,
    MemorySample, MemorySource, Param, Run, SessionStep, SessionsResult, Settings, Verdict, WatchGap, WatchGroup,
    WatchResult, WatchSettings, json_schema, redact,
};
use proptest::prelude::*;

/// Names that must not survive a redaction, anywhere.
const ORIGINALS: [&str; 19] = [
    "acme-billing",
    "app-host-3",
    "orders-db7",
    "orders-db8",
    "corp.example",
    "10.20.30.40",
    "10.20.30.41",
    "2001:db8::40",
    "/run/acme",
    "acme_app",
    "ledger",
    "/home/mgarcia",
    "acme-run.json",
    "dba-laptop",
    "CHG0012345",
    "192.0.2.77",
    "/srv/acme",
    "mgarcia",
    "C:\\Acme",
];

fn redacted() -> Run {
    let mut run = sample_run();
    redact(&mut run);
    run
}

/// The run as a reader of the file sees it, escapes of JSON undone.
fn text(run: &Run) -> String {
    serde_json::to_string(run).expect("a run is plain data").replace("\\\\", "\\").to_lowercase()
}

#[test]
fn the_sample_holds_every_original() {
    let text = text(&sample_run());
    for original in ORIGINALS {
        assert!(text.contains(&original.to_lowercase()), "{original} is missing: the other tests would prove nothing");
    }
}

#[test]
fn no_original_survives_anywhere() {
    let text = text(&redacted());
    for original in ORIGINALS {
        let at = text.find(&original.to_lowercase());
        let around = at.map(|at| &text[at.saturating_sub(60)..(at + 60).min(text.len())]);
        assert_eq!(around, None, "{original} survives");
    }
}

#[test]
fn the_same_original_has_the_same_alias_everywhere() {
    let run = redacted();
    assert_eq!(run.target.hosts, ["host-1", "address-1", "path-1", "localhost"]);
    assert_eq!(run.target.user.as_deref(), Some("login-1"));
    assert_eq!(run.target.database.as_deref(), Some("database-1"));
    assert_eq!(run.environment.command_line[2], "postgresql://login-1@host-1/database-1");
    assert_eq!(run.environment.command_line[5], "tag-1");
    assert_eq!(run.target.addresses[3].address, "path-1/.s.PGSQL.5432");
    assert_eq!(run.target.addresses[4].address, "127.0.0.1:5432");
    assert!(run.target.url.starts_with("postgresql://login-1@host-1:5432,[address-1]:5433,path-1/database-1?sslmode="));

    let dead = &run.target.addresses[1].address;
    assert!(dead.starts_with("address-") && dead.ends_with(":5432"), "{dead}");
    assert_eq!(run.findings[0].params["address"], Param::Text(dead.clone()));
    assert_eq!(run.findings[0].evidence[0].value, Param::Text(dead.clone()));
    assert_eq!(run.findings[0].params["host"], Param::Text("host-1".to_owned()));

    let Ended::Stopped { message, .. } = &run.ended else { panic!("{:?}", run.ended) };
    let live = run.target.addresses[0].address.clone();
    assert_eq!(*message, format!("password authentication failed for user \"login-1\" at host-1 ({live})"));
    assert_eq!(run.gaps[0].next_step.as_deref(), Some("grant pg_monitor to login-1"));
}

#[test]
fn what_identifies_nobody_stays() {
    let (before, after) = (sample_run(), redacted());
    assert_eq!(after.what_answered, before.what_answered);
    assert_eq!(after.environment.kernel, before.environment.kernel);
    assert_eq!(after.findings[0].code, before.findings[0].code);
    assert_eq!(after.findings[0].evidence[0].path, before.findings[0].evidence[0].path);
    for key in ["variant", "series", "lost"] {
        assert_eq!(after.findings[0].params[key], before.findings[0].params[key]);
    }
    assert!(after.gaps[0].why.ends_with("/proc/77/stat"), "{}", after.gaps[0].why);
    let (before, after) = (before.login.unwrap(), after.login.unwrap());
    assert_eq!(after.first_login, before.first_login);
    assert_eq!(after.series[0].histograms, before.series[0].histograms);
    assert_eq!(after.series[0].server, before.series[0].server);
    assert_eq!(after.series[0].counts, before.series[0].counts);
}

#[test]
fn twice_is_as_once_and_the_schema_still_holds() {
    let once = redacted();
    let mut twice = once.clone();
    redact(&mut twice);
    assert_eq!(twice, once);
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    assert!(validator.is_valid(&serde_json::to_value(&once).unwrap()));
}

#[test]
fn a_password_left_in_a_url_is_dropped() {
    let mut run = sample_run();
    run.target.url = "postgres://acme_app:hunter2@orders-db7.prod.corp.example/ledger".to_owned();
    redact(&mut run);
    assert_eq!(run.target.url, "postgres://login-1@host-1/database-1");
}

#[test]
fn a_login_named_like_the_engine_or_a_mode_breaks_nothing() {
    for name in ["postgres", "unpooled", "full", "login", "ok", "select", "host-1"] {
        let mut run = sample_run();
        run.target.user = Some(name.to_owned());
        run.target.database = Some(name.to_owned());
        run.target.url = format!("postgres://{name}@orders-db7.prod.corp.example/{name}");
        run.gaps[0].why = format!("role \"{name}\" may not read database \"{name}\"");
        redact(&mut run);
        assert_eq!(run.target.engine, "postgres");
        if name == "host-1" {
            assert!(run.target.url.contains("@host-2/"), "an alias that is taken is not given: {}", run.target.url);
        } else {
            assert_eq!(run.target.url, "postgres://login-1@host-1/database-1", "{name}");
            assert_eq!(run.gaps[0].why, "role \"login-1\" may not read database \"database-1\"");
        }
    }
}

/// One text, redacted as a fact of the sample run.
fn redact_text(text: &str) -> String {
    let mut run = sample_run();
    run.facts[2].value = FactValue::Text(text.to_owned());
    redact(&mut run);
    match &run.facts[2].value {
        FactValue::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn free_text() {
    // `#` stands for any number.
    let table = [
        ("lookup of orders-db7 took 5 s", "lookup of host-# took 5 s"),
        ("ORDERS-DB7.PROD.CORP.EXAMPLE.", "host-#."),
        ("standby9.prod.corp.example:5432 refused", "host-#:5432 refused"),
        ("valid for DnsName(\"other.test\")", "valid for DnsName(\"host-#\")"),
        ("peaje-CHG0012345", "peaje-tag-#"),
        ("from 198.51.100.9:40123 and 198.51.100.9", "from address-#:40123 and address-#"),
        ("dial [2001:DB8:0::40]:5433", "dial [address-#]:5433"),
        ("fe80::1%eth0 unreachable", "address-# unreachable"),
        (
            "allow 10.9.0.0/16, 127.0.0.1/32, ::1/128 and 0.0.0.0",
            "allow address-#/16, 127.0.0.1/32, ::1/128 and 0.0.0.0",
        ),
        ("could not open \"/home/Ana Ruiz/x y.pem\": denied", "could not open \"path-#\": denied"),
        ("/var/lib/pg/server.key: mode 0644", "path-#: mode 0644"),
        ("see C:\\Users\\ana\\run.json", "see path-#"),
        ("share \\\\nas\\acme", "share path-#"),
        ("~/runs/a.json", "path-#"),
        ("dir=/opt/acme;x", "dir=path-#;x"),
        ("450 logins/s (/s), TCP/IP, and/or, 1/2", "450 logins/s (/s), TCP/IP, and/or, 1/2"),
        ("PostgreSQL 15.4, TLSv1.3, 12:30:45, std::io", "PostgreSQL 15.4, TLSv1.3, 12:30:45, std::io"),
        ("ledger_archive and xacme_app", "ledger_archive and xacme_app"),
        ("pg_hba.conf, pg_stat_database.sessions", "pg_hba.conf, pg_stat_database.sessions"),
        ("año 2026: está señalado", "año 2026: está señalado"),
        ("", ""),
    ];
    for (before, after) in table {
        let got = redact_text(before);
        assert_eq!(mask_numbers(&got, after), after, "{before} became {got}");
    }
}

/// Replaces the number of each alias by `#`, where the expected text has one.
fn mask_numbers(got: &str, expected: &str) -> String {
    if !expected.contains('#') {
        return got.to_owned();
    }
    let mut out = got.to_owned();
    for word in ["host-", "address-", "login-", "database-", "path-", "tag-"] {
        for number in (1..40).rev() {
            out = out.replace(&format!("{word}{number}"), &format!("{word}#"));
        }
    }
    out
}

/// Found by the property below.
#[test]
fn a_known_path_behind_a_slash_is_redacted_once() {
    for text in ["//run/acme", "//run/acme/x", "///run/acme"] {
        let once = redact_text(text);
        assert_eq!(redact_text_of(&once), once, "{text}");
        assert!(!once.contains("acme"), "{once}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text: no panic, no known name is left as a word. (That a second redaction changes nothing holds for the texts
    /// of a run, tested above; among random slashes and tildes the aliases themselves can make up a new path.)
    #[test]
    fn any_text(text in "([a-z0-9/:.\"' @=%~\\\\é-]{0,12}(ledger|acme_app|10\\.20\\.30\\.40|/run/acme|orders-db7)?){0,4}") {
        let once = redact_text(&text);
        let twice = redact_text_of(&once);
        let words = |text: &str| text.split(' ').fold(BTreeMap::new(), |mut words, word| {
            *words.entry(word.to_owned()).or_insert(0) += 1;
            words
        });
        for name in ["ledger", "acme_app", "10.20.30.40", "/run/acme", "orders-db7"] {
            prop_assert!(!words(&once).contains_key(name), "{} in {}", name, once);
            prop_assert!(!words(&twice).contains_key(name), "{} in {}", name, twice);
        }
    }
}

/// A second redaction of a text in a run that is redacted already.
fn redact_text_of(text: &str) -> String {
    let mut run = redacted();
    run.facts[2].value = FactValue::Text(text.to_owned());
    redact(&mut run);
    match &run.facts[2].value {
        FactValue::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// In whichever form an application writes them, within whatever text.
#[test]
fn connection_strings_of_every_engine() {
    let table = [
        (
            "postgresql://bob:pen@erp9.corp.test:5432/wages?user=eve",
            "postgresql://login-1@host-1:5432/database-1?user=",
        ),
        ("mysql://bob@erp9.corp.test/wages?ssl-mode=REQUIRED", "mysql://login-1@host-1/database-1?ssl-mode=REQUIRED"),
        (
            "jdbc:mysql://erp9.corp.test:3306/wages?user=bob&password=pen",
            "jdbc:mysql://host-1:3306/database-1?user=login-1&",
        ),
        ("jdbc:mariadb://erp9.corp.test/wages?user=bob", "jdbc:mariadb://host-1/database-1?user=login-1"),
        (
            "jdbc:sqlserver://erp9.corp.test:1433;databaseName=wages;user=bob;password=pen;encrypt=true",
            "jdbc:sqlserver://host-1:1433;databaseName=database-1;user=login-1;password=***;encrypt=true",
        ),
        ("mssql://bob@erp9.corp.test/wages", "mssql://login-1@host-1/database-1"),
    ];
    for (text, start) in table {
        let mut run = sample_run();
        run.gaps.clear();
        run.findings.clear();
        let (why, next_step) = (format!("see \"{text}\" there"), None);
        run.gaps.push(peaje_model::Gap { what: "limits".to_owned(), why, next_step });
        redact(&mut run);
        let shown = &run.gaps[0].why;
        for secret in ["erp9", "corp.test", "bob", "wages", "pen"] {
            assert!(!shown.contains(secret), "{text}: {shown}");
        }
        // Other names of the run have the first numbers.
        let numbers = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        assert!(numbers(shown).contains(&numbers(start)), "{text}: {shown}");
    }
}

#[test]
fn groups_of_a_watch_lose_their_names_and_keep_their_verdicts() {
    let group = |kind, name: &str| WatchGroup {
        server: "orders-db9.corp.example:5432".to_owned(),
        name: name.to_owned(),
        kind,
        verdict: Verdict::Found,
        verdict_codes: vec!["no-pooling".to_owned()],
        pattern: None,
        grade: Some(Grade::Likely),
        mean_session_life_s: Some(0.5),
        life_since_start: false,
        logins_per_s: Some(20.0),
        logouts_per_s: Some(20.0),
        sessions: Some(10.0),
        limit: Some(100),
        encrypted: None,
        cost: None,
        statistics: GroupStatistics::default(),
    };
    let gap = WatchGap {
        server: "orders-db9.corp.example:5432".to_owned(),
        from: "2026-01-02T03:04:05Z".to_owned(),
        until: None,
        reason: "unreachable".to_owned(),
        message: "orders-db9.corp.example refused".to_owned(),
    };
    let mut run = sample_run();
    run.settings = Settings::Watch(WatchSettings {
        interval_s: 10.0,
        window_s: 3_600.0,
        time_scale: 1.0,
        replayed: Some("/srv/acme/watch.db".to_owned()),
        declared_pools: vec!["acme-shop=min:10,max:50".to_owned()],
    });
    run.watch = Some(WatchResult {
        groups: vec![
            group(GroupKind::Instance, "orders-db9.corp.example:5432"),
            group(GroupKind::Application, "acme-shop @ web7.corp.example"),
            group(GroupKind::Process, "acme-shop @ web7.corp.example # 4711"),
        ],
        gaps: vec![gap],
        excluded: vec![ExcludedSessions {
            server: "orders-db9.corp.example:5432".to_owned(),
            name: "acme-replica".to_owned(),
            reason: "replication".to_owned(),
            sessions: 1,
        }],
        ..WatchResult::default()
    });
    redact(&mut run);
    let text = text(&run);
    for original in ["orders-db9", "acme-shop", "web7", "acme-replica", "/srv/acme"] {
        assert!(!text.contains(original), "{original} survives: {text}");
    }
    let watch = run.watch.expect("a watch");
    let names: Vec<&str> = watch.groups.iter().map(|group| group.name.as_str()).collect();
    assert!(names[2].starts_with(names[1]) && names[2].ends_with("# 4711"), "{names:?}");
    assert!(watch.groups.iter().all(|group| group.verdict_codes == ["no-pooling"] && group.server.ends_with(":5432")));
    assert_eq!((watch.gaps[0].reason.as_str(), watch.excluded[0].reason.as_str()), ("unreachable", "replication"));
}

/// What comes line by line keeps its aliases, whatever comes later.
#[test]
fn a_redactor_gives_a_name_the_same_alias_every_time() {
    let mut redactor = peaje_model::Redactor::default();
    redactor.learn_argument("mysql://ana@db1.acme.example:3306/orders");
    redactor.learn_application("zebra");
    let first = redactor.text("zebra @ 10.1.2.3 on db1.acme.example:3306");
    assert_eq!(first, "application-1 @ address-1 on host-1:3306");
    redactor.learn_application("yak");
    assert_eq!(redactor.text("zebra @ 10.1.2.3 on db1.acme.example:3306"), first);
    assert_eq!(redactor.text("yak"), "application-2");
    let mut run = sample_run();
    redactor.run(&mut run);
    assert_eq!(redactor.text("zebra @ 10.1.2.3"), "application-1 @ address-1");
    let again = run.clone();
    redactor.run(&mut run);
    assert_eq!(run, again, "redacting twice changes nothing");
}

/// Each server quotes names in its own way.
#[test]
fn names_in_messages_of_every_server() {
    let table = [
        ("password authentication failed for user \"ana\"", "ana"),
        ("Access denied for user 'ana'@'web7' (using password: YES)", "web7"),
        ("Access denied for user 'ana'@'web7' (using password: YES)", "ana"),
        ("it isn't so: Login failed for user 'ana'.", "ana"),
        ("database \"orders\" does not exist", "orders"),
        ("Unknown database 'orders'", "orders"),
    ];
    for (message, name) in table {
        let text = peaje_model::Redactor::default().text(message);
        assert!(!text.contains(name), "{text}");
    }
}

#[test]
fn held_sessions_lose_servers_and_control_groups_and_keep_their_figures() {
    let look = |path: &str| MemorySample {
        cgroup: Some(CgroupMemory { path: path.to_owned(), version: 2, ..CgroupMemory::default() }),
        ..MemorySample::default()
    };
    let step = |path: &str| SessionStep { sessions: 50, memory: Some(look(path)), ..SessionStep::default() };
    let target = |label: &str, path: &str| SessionsResult {
        label: label.to_owned(),
        architecture: Some(Architecture::Process),
        memory_source: MemorySource::Processes,
        baseline: step(path),
        steps: vec![step(path)],
        stopped_by: Some("memory-floor".to_owned()),
        ..SessionsResult::default()
    };
    let mut run = sample_run();
    let acme = "postgresql://acme_app@orders-db9.corp.example:5432/acme";
    run.sessions = Some(SessionsResult {
        dropped: vec![DroppedSessions {
            reason: "57P01".to_owned(),
            message: Some("closed by orders-db9.corp.example".to_owned()),
            count: 1,
        }],
        beside: vec![target("serve:process", "/")],
        ..target(acme, "/system.slice/acme-postgres.service")
    });
    redact(&mut run);
    let text = text(&run);
    for original in ["orders-db9", "acme"] {
        assert!(!text.contains(original), "{original} survives: {text}");
    }
    let sessions = run.sessions.clone().expect("a result");
    assert!(sessions.label.starts_with("postgresql://login-"), "{}", sessions.label);
    assert_eq!((sessions.beside[0].label.as_str(), sessions.steps[0].sessions), ("serve:process", 50));
    let path = |result: &SessionsResult| result.steps[0].memory.clone().unwrap().cgroup.unwrap().path;
    assert!(path(&sessions).starts_with("path-"), "{}", path(&sessions));
    assert_eq!(path(&sessions.beside[0]), "/");
    assert_eq!(sessions.stopped_by.as_deref(), Some("memory-floor"));
    let once = run.clone();
    redact(&mut run);
    assert_eq!(run, once, "twice changes nothing");
}
