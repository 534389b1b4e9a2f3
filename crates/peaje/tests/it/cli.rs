//! The command without a server: words, wrong words, wrong files.

use crate::common::{login, run};
use peaje_model::OutcomeKind;

#[test]
fn alone_it_prints_its_questions_and_what_to_try() {
    let done = run(&[]);
    assert_eq!(done.code, Some(0));
    for words in ["peaje check", "peaje login", "peaje serve", "peaje report", "peaje explain", "Try first"] {
        assert!(done.stdout.contains(words), "{words}: {}", done.stdout);
    }
}

#[test]
fn every_finding_has_a_page() {
    let list = run(&["explain"]);
    assert_eq!(list.code, Some(0));
    let codes: Vec<&str> = list.stdout.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(codes.contains(&"rsa-key-dominates"), "{codes:?}");
    for code in codes {
        for lang in ["en", "es"] {
            let page = run(&["explain", code, "--lang", lang]);
            assert!(page.code == Some(0) && page.stdout.lines().count() > 15, "{code} {lang}");
        }
    }
    let unknown = run(&["explain", "no-such-thing"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("rsa-key-dominates"), "{}", unknown.stderr);
}

#[test]
fn wrong_words_are_errors_with_a_next_step() {
    let table: [(&[&str], &str); 9] = [
        (&["login", "oracle://app:hunter2@db/x"], "postgresql://"),
        (&["login", "postgresql://db/x?sslmodus=require"], "sslmode"),
        (&["login", "--rate", "0"], "rate"),
        (&["login", "postgresql://db/x", "--auth-delay", "1s"], "reference server"),
        (&["login", "postgresql://db/x", "--expect-rejects"], "servers that peaje started"),
        (&["login", "--grants", "oracle"], "postgres"),
        (&["login", "postgresql://db/x", "--reset-every", "2"], "reference server"),
        (
            &["login", "--mode", "pooled", "--pool-min", "5", "--pool-max", "4"],
            "--pool-min 5 is more than --pool-max 4",
        ),
        (&["login", "--iterations", "3", "--logins", "3"], "cannot be used with"),
    ];
    for (args, words) in table {
        let done = run(args);
        assert_eq!(done.code, Some(2), "{args:?}");
        assert!(done.stderr.contains(words), "{args:?}: {}", done.stderr);
        assert!(!done.stderr.contains("hunter2"), "{args:?}");
    }
}

#[test]
fn statements_and_grants_are_printed_and_nothing_is_sent() {
    let sql = run(&["login", "postgresql://nowhere.invalid/x", "--show-sql"]);
    assert_eq!(sql.code, Some(0), "{}", sql.stderr);
    assert!(sql.stdout.contains("pg_stat_database") && sql.stdout.contains("pg_stat_ssl"), "{}", sql.stdout);
    let grants = run(&["login", "--grants", "postgres"]);
    assert!(grants.stdout.contains("grant connect on database \"postgres\" to \"peaje\""), "{}", grants.stdout);
    for (target, words) in [
        ("postgresql://app:hunter2@db/shop", "grant connect on database \"shop\" to \"app\""),
        ("host=db user=postgres dbname=shop", "grant connect on database \"shop\" to \"peaje\""),
        ("postgres:", "grant connect on database \"postgres\" to \"peaje\""),
    ] {
        let grants = run(&["login", target, "--grants", "postgres"]);
        assert_eq!(grants.code, Some(0), "{}", grants.stderr);
        assert!(grants.stdout.contains(words) && !grants.stdout.contains("hunter2"), "{}", grants.stdout);
    }
}

#[test]
fn run_files_that_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let table: [(&[u8], &str); 6] = [
        (b"", "ends too early"),
        (b"{\"schema\": \"peaje.run/1\", ", "ends too early"),
        (b"hello", "not JSON"),
        (b"\xff\xfe{\x00}\x00", "UTF-8"),
        (b"{\"schema\": \"peaje.run/9\"}", "peaje.run/9"),
        (b"{\"schema\": \"peaje.run/1\"}", "schema"),
    ];
    for (bytes, words) in table {
        std::fs::write(&path, bytes).expect("writable");
        let done = run(&["report", &path.display().to_string()]);
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
    let missing = run(&["report", "/nowhere/run.json"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("/nowhere/run.json"), "{}", missing.stderr);
}

#[test]
fn nothing_listens_there() {
    let url = format!("postgresql://app@127.0.0.1:{}/shop", crate::common::closed_port());
    let (done, run) = login(&[&url]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("ECONNREFUSED") && done.stderr.contains("next:"), "{}", done.stderr);
    assert_eq!(run.login.expect("a login run").first_login.expect("tried").outcome, OutcomeKind::Refused);
}

#[test]
fn a_full_disk_is_an_error_that_says_where() {
    let done = run(&["login", "--mode", "unpooled", "--tls", "off", "--logins", "20", "--json", "/dev/full"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("/dev/full"), "{}", done.stderr);
    assert!(done.stdout.contains("unpooled"), "what was measured is still shown: {}", done.stdout);
}

#[test]
fn results_that_cannot_be_kept_are_refused_before_the_load() {
    let started = std::time::Instant::now();
    let done = run(&["login", "--duration", "60s", "--json", "/nowhere/run.json"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("/nowhere/run.json") && !done.stderr.contains(".peaje-"), "{}", done.stderr);
    let done = run(&["login", "--duration", "60s", "--json", "-", "--csv", "-"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("only one of"), "{}", done.stderr);
    assert!(started.elapsed().as_secs() < 20, "nothing was measured");
}

#[test]
fn more_sessions_than_open_files_are_refused_before_the_load() {
    let command = "ulimit -n 200; exec \"$PEAJE\" login --concurrency 300 --mode unpooled --tls off --duration 60s";
    let output = std::process::Command::new("sh")
        .args(["-c", command])
        .env("PEAJE", env!("CARGO_BIN_EXE_peaje"))
        .output()
        .expect("a shell");
    let done = crate::common::Done::from(output);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("ulimit -n"), "{}", done.stderr);
}
