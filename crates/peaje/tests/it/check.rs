//! `peaje check` on real servers in throwaway folders, on the reference server of every protocol, behind PgBouncer, and
//! where nothing can be done.

#[path = "../../../postgres/tests/it/common/bouncer.rs"]
#[allow(dead_code, reason = "the engine's own tests use all of it")]
mod bouncer;

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Done, Postgres, Serve, closed_port, on_each_version, peaje, read_run, run, signal, wait_for};
use peaje_model::{CheckResult, Experiment, HostUnknown, Run, Severity, Verdict};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{CertificateState, ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};

/// Runs `peaje check` and reads the run file that it wrote.
fn check(args: &[&str]) -> (Done, Run) {
    check_by(peaje(), args)
}

fn check_by(mut command: std::process::Command, args: &[&str]) -> (Done, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let done: Done =
        command.arg("check").args(args).arg("--json").arg(&path).output().expect("the command runs").into();
    let run = read_run(&path).unwrap_or_else(|| panic!("no run file was written: {done:#?}"));
    (done, run)
}

fn result(run: &Run) -> &CheckResult {
    run.check.as_ref().expect("a check was made")
}

fn verdict(run: &Run, code: &str) -> Option<Verdict> {
    run.findings.iter().find(|finding| finding.code == code).map(|finding| finding.verdict)
}

fn serious(run: &Run) -> Vec<&str> {
    let found = run.findings.iter().filter(|f| f.verdict == Verdict::Found && f.severity >= Severity::Warning);
    found.map(|finding| finding.code.as_str()).collect()
}

fn url(server: &ThrowawayCluster, auth: ThrowawayAuth, ssl_mode: SslMode) -> String {
    server.connection_string(auth, ssl_mode).expose().to_owned()
}

fn a_quiet_server_is_healthy(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let started = Instant::now();
    let (done, run) = check_by(pg.peaje(), &[&url(&server, ThrowawayAuth::Admin, SslMode::Require)]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(serious(&run).is_empty(), "{:?}", serious(&run));
    assert_eq!(run.experiment, Experiment::Check);
    assert!(run.what_answered.as_ref().and_then(|w| w.version.as_deref()).is_some_and(|v| v.starts_with(pg.major)));
    let found = result(&run);
    assert_eq!((found.sessions, found.applications.as_deref()), (Some(0), Some(&[][..])), "peaje's own are left out");
    assert_eq!(found.room.map(|room| room.in_use), Some(0));
    assert!(found.certificate.as_ref().is_some_and(|c| c.days_left > 365.0), "{:?}", found.certificate);
    assert!(found.host.as_ref().is_some_and(|h| h.listen_backlog.is_some_and(|n| n > 0)), "{:?}", found.host);
    assert!(found.since_start.is_some_and(|view| view.counters.logins.is_some_and(|n| n > 0)));
    let probe = &run.login.as_ref().expect("probed").series[0];
    assert_eq!((probe.counts.completed, probe.logins), (20, 20));
    assert_eq!(verdict(&run, "certificate-expires"), Some(Verdict::Healthy));
    assert_eq!(verdict(&run, "idle-in-transaction"), Some(Verdict::Healthy));
    assert_eq!(verdict(&run, "serial-client"), None, "a probe is no load");
    // One screen, and what a slow moment of the machine adds: notes on what a login costs.
    let notes = run.findings.iter().filter(|f| f.verdict == Verdict::Found && f.severity == Severity::Info).count();
    let lines = done.stdout.lines().count();
    assert!(lines <= 50 + 5 * notes, "{lines} lines:\n{}", done.stdout);
}

/// A client of the server's own kind that stays until it is dropped.
struct Client(std::process::Child);

impl Client {
    fn psql(url: &str, application: &str, sql: &str) -> Self {
        let child = std::process::Command::new("psql")
            .args(["-X", "-d", url, "-v", "ON_ERROR_STOP=1"])
            .env("PGAPPNAME", application)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("psql is installed (Debian package postgresql-client)");
        let input = child.stdin.as_mut().expect("piped");
        std::io::Write::write_all(input, format!("{sql}\n").as_bytes()).expect("psql listens");
        Self(child)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn clients_are_told_apart_and_little_room_is_serious(pg: &Postgres) {
    let options = ThrowawayOptions { max_connections: 12, ..ThrowawayOptions::default() };
    let server = pg.cluster(&options);
    let admin = url(&server, ThrowawayAuth::Admin, SslMode::Require);
    let _billing: Vec<Client> = (0..6).map(|_| Client::psql(&admin, "billing", "select 1;")).collect();
    let _open = Client::psql(&admin, "forgetful", "begin; select 1;");
    let mut last = None;
    wait_for("seven sessions of clients", Duration::from_secs(20), || {
        let (done, run) = check_by(pg.peaje(), &[&admin, "--probe", "0"]);
        // Room and sessions are read a moment apart.
        let (sessions, taken) = (result(&run).sessions, result(&run).room.map(|room| room.in_use));
        last = Some((done, run));
        (sessions, taken) == (Some(7), Some(7))
    });
    let (done, run) = last.expect("checked");
    assert_eq!(done.code, Some(1), "{}", done.stdout);
    let found = result(&run);
    let of = |name: &str| {
        let group = found.seen_applications().iter().find(|group| group.application == name);
        group.unwrap_or_else(|| panic!("{name}: {found:#?}"))
    };
    assert_eq!((of("billing").sessions, of("billing").encrypted), (6, Some(6)));
    assert_eq!(of("forgetful").idle_in_transaction, 1);
    assert_eq!(verdict(&run, "room-for-sessions"), Some(Verdict::Found), "7 of 9 are taken");
    assert!(run.login.as_ref().is_some_and(|login| login.series.is_empty()), "--probe 0");
    assert!(done.stdout.contains("billing @") && done.stdout.contains("peaje explain room-for-sessions"));
    let relaxed = check_by(pg.peaje(), &[&admin, "--probe", "0", "--fail-on", "critical"]);
    assert_eq!(relaxed.0.code, Some(1), "two free sessions are critical: {}", relaxed.0.stdout);
}

fn two_visits_are_compared(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let admin = url(&server, ThrowawayAuth::Admin, SslMode::Disable);
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("first.json");
    let path = first.to_str().expect("UTF-8");
    let done: Done = pg.peaje().args(["check", &admin, "--json", path]).output().expect("runs").into();
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    let (done, run) = check_by(pg.peaje(), &[&admin, "--since", path]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    let since = result(&run).since.as_ref().expect("compared");
    let interval = since.interval.unwrap_or_else(|| panic!("{since:?}"));
    // The first probe's twenty, and what read; all of them since its reading.
    assert!(interval.counters.logins.is_some_and(|n| (20..30).contains(&n)), "{interval:?}");
    assert!(interval.time_s.is_some_and(|s| s > 0.0 && s < 60.0));
    assert!(done.stdout.contains("Since the visit of"), "{}", done.stdout);
    let other = pg.cluster(&ThrowawayOptions::default());
    let (done, run) =
        check_by(pg.peaje(), &[&url(&other, ThrowawayAuth::Admin, SslMode::Disable), "--since", path, "--probe", "0"]);
    let since = result(&run).since.as_ref().expect("looked at");
    assert!(since.interval.is_none() && since.no_comparison.is_some(), "{since:?}");
    assert!(done.stdout.contains("cannot be compared: another server answered"), "{}", done.stdout);
}

fn a_login_without_rights_names_what_it_lacks(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let (done, run) = check_by(pg.peaje(), &[&url(&server, ThrowawayAuth::Scram, SslMode::Require), "--probe", "2"]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    let grants: Vec<&str> = run.gaps.iter().filter_map(|gap| gap.next_step.as_deref()).collect();
    assert!(grants.iter().any(|step| step.contains("pg_hba_file_rules")), "{grants:?}");
    assert!(grants.iter().any(|step| step.contains("pg_read_all_s")), "{grants:?}");
    assert!(done.stdout.contains("--grants postgres"), "{}", done.stdout);
    let password = server.password().expose().to_owned();
    assert!(!done.stdout.contains(&password) && !serde_json::to_string(&run).expect("JSON").contains(&password));
}

fn a_wrong_password_costs_one_login_and_is_no_finding(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let right = server.password().expose().to_owned();
    let bad = url(&server, ThrowawayAuth::Scram, SslMode::Prefer).replace(&right, "wrong-horse");
    let (done, _) = check_by(pg.peaje(), &[&bad]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("28P01") && !done.stderr.contains("wrong-horse"), "{}", done.stderr);
    let log = std::fs::read_to_string(server.folder().join("log")).expect("the server writes a log");
    assert_eq!(log.matches("FATAL:  password authentication failed").count(), 1, "{log}");
}

fn an_ended_certificate_is_critical_where_nobody_checks_it(pg: &Postgres) {
    let options = ThrowawayOptions { certificate: CertificateState::Expired, ..ThrowawayOptions::default() };
    let server = pg.cluster(&options);
    let (done, run) = check_by(pg.peaje(), &[&url(&server, ThrowawayAuth::Admin, SslMode::Require), "--probe", "0"]);
    assert_eq!(done.code, Some(1), "{} {}", done.stdout, done.stderr);
    assert_eq!(serious(&run), ["certificate-expires"]);
    assert!(done.stdout.contains("ENDED"), "{}", done.stdout);
}

fn a_pooler_and_its_console(pg: &Postgres) {
    let server = pg.cluster(&ThrowawayOptions::default());
    let bouncer = bouncer::Bouncer::start(&server);
    wait_for("PgBouncer", Duration::from_secs(10), || {
        std::net::TcpStream::connect(("127.0.0.1", bouncer.port)).is_ok()
    });
    let through = bouncer.connection_string("peaje").expose().to_owned();
    let (done, run) = check_by(pg.peaje(), &[&through, "--probe", "3"]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    assert!(run.what_answered.as_ref().is_some_and(|what| what.segment.has_something_between()), "{run:?}");
    assert_eq!(result(&run).host_unknown, Some(HostUnknown::NotItsProcess), "the pooler listens there");
    let console = bouncer.connection_string("pgbouncer").expose().to_owned();
    let (done, run) = check_by(pg.peaje(), &[&console, "--probe", "3"]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("PgBouncer "), "{}", done.stdout);
    assert!(result(&run).since_start.is_some(), "{:?} {:?}", run.check, run.gaps);
}

on_each_version!(
    a_pooler_and_its_console,
    an_ended_certificate_is_critical_where_nobody_checks_it,
    a_quiet_server_is_healthy,
    clients_are_told_apart_and_little_room_is_serious,
    two_visits_are_compared,
    a_login_without_rights_names_what_it_lacks,
    a_wrong_password_costs_one_login_and_is_no_finding,
);

#[test]
fn a_throwaway_mariadb() {
    let (done, run) = check(&["mariadb:"]);
    assert_eq!(done.code, Some(0), "{} {}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("MariaDB "), "{}", done.stdout);
    let found = result(&run);
    assert!(found.peak_sessions.is_some() && found.room.is_some_and(|room| room.limit > 100), "{found:?}");
    assert!(run.facts.iter().any(|fact| fact.name == "threads_created"), "{:?}", run.facts);
    assert!(done.stdout.contains("wait_timeout") && done.stdout.contains("peaje watch URL"), "{}", done.stdout);
}

/// Without its performance schema it does not tell programs apart: peaje's own session looked like a client's.
#[test]
fn a_check_of_mariadb_without_a_probe_lists_nobody() {
    use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};
    let server = ThrowawayMariadb::start(&Options::default()).expect("MariaDB (Debian package mariadb-server)");
    let (user, password) = (ThrowawayAuth::Admin.user(), server.password().expose());
    let url = format!("mysql://{user}:{password}@127.0.0.1:{}/peaje", server.port());
    let (_, run) = check(&[&url, "--probe", "0"]);
    let found = result(&run);
    assert_eq!((found.sessions, found.applications.as_deref()), (Some(0), Some(&[][..])), "{found:#?}");
}

/// The watcher's login has a limit of its own: where a directory takes seconds, sessions were a gap.
#[test]
fn a_slow_login_costs_no_sessions_and_counters() {
    let serve = Serve::start(&["--auth-delay", "6500ms"]);
    let (done, run) = check(&[&serve.url, "--probe", "0"]);
    assert!(run.gaps.iter().all(|gap| gap.what != "sessions and counters"), "{:?} {}", run.gaps, done.stderr);
    assert!(result(&run).sessions.is_some(), "{:#?}", run.check);
}

#[test]
fn the_reference_server_of_every_protocol() {
    for protocol in ["postgres", "mysql", "sqlserver"] {
        let serve = Serve::start(&["--protocol", protocol]);
        let (done, run) = check(&[&serve.url, "--probe", "3"]);
        assert_eq!(done.code, Some(0), "{protocol}: {} {}", done.stdout, done.stderr);
        assert!(done.stdout.contains("reference server: these numbers describe this machine"), "{}", done.stdout);
        assert!(run.check.is_some() && serious(&run).is_empty(), "{protocol}: {:?}", serious(&run));
        assert_eq!(run.login.as_ref().map(|login| login.series[0].logins), Some(3), "{protocol}");
        let alone: Done = peaje().args([&serve.url, "--probe", "0"]).output().expect("runs").into();
        assert_eq!(alone.code, Some(0), "peaje URL is peaje check URL: {}", alone.stderr);
        assert!(alone.stdout.contains("Findings") && alone.stdout.contains("\nNext\n"), "{}", alone.stdout);
    }
}

#[test]
fn several_servers_one_after_the_other() {
    let (one, two) = (Serve::start(&[]), Serve::start(&["--protocol", "mysql"]));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.json");
    let nowhere = format!("postgresql://peaje@127.0.0.1:{}/x", closed_port());
    let args = ["check", &one.url, &nowhere, &two.url, "--probe", "0", "--json", path.to_str().expect("UTF-8")];
    let done = run(&args);
    assert_eq!(done.code, Some(2), "the worst counts: {}", done.stderr);
    assert!(done.stderr.contains("refused"), "{}", done.stderr);
    for (number, engine, checked) in [(1, "postgres", true), (2, "postgres", false), (3, "mysql", true)] {
        let run = read_run(&folder.path().join(format!("all-{number}.json"))).expect("a file for each server");
        assert_eq!((run.target.engine.as_str(), run.check.is_some()), (engine, checked));
    }
    assert_eq!(done.stdout.matches("\nNext\n").count(), 2, "{}", done.stdout);
}

#[test]
fn passwords_of_other_servers_stand_in_no_run_file() {
    let serve = Serve::start(&[]);
    let other = format!("postgresql://bob:hunter2@127.0.0.1:{}/x", closed_port());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.json");
    let done = run(&["check", &serve.url, &other, "--probe", "0", "--json", path.to_str().expect("UTF-8")]);
    assert_eq!(done.code, Some(2));
    for number in [1, 2] {
        let text = std::fs::read_to_string(folder.path().join(format!("all-{number}.json"))).expect("written");
        assert!(!text.contains("hunter2"), "{text}");
    }
    assert!(!done.stdout.contains("hunter2") && !done.stderr.contains("hunter2"));
}

#[test]
fn what_cannot_be_done_is_said_with_a_next_step() {
    let nowhere = format!("postgresql://peaje@127.0.0.1:{}/x", closed_port());
    let table: [(&[&str], &str); 7] = [
        (&["check"], "no server was named"),
        (&["check", "oracle://app:hunter2@db/x"], "postgresql://"),
        (&["check", &nowhere], "refused"),
        (&["check", "--run", "/nonexistent/run.json"], "cannot read"),
        (&["check", &nowhere, "--since", "/nonexistent/run.json"], "cannot read"),
        (&["check", "postgresql://a/x", "postgresql://b/x", "--since", "x.json"], "compares two visits to one server"),
        (&["check", "--run", "x.json", "postgresql://a/x"], "cannot be used with"),
    ];
    for (args, words) in table {
        let done = run(args);
        assert_eq!(done.code, Some(2), "{args:?}: {}", done.stderr);
        assert!(done.stderr.contains(words), "{args:?}: {}", done.stderr);
        assert!(!done.stderr.contains("hunter2"), "{args:?}");
    }
    let sql = run(&["check", "postgresql://nowhere.invalid/x", "mysql://nowhere.invalid", "--show-sql"]);
    assert_eq!(sql.code, Some(0), "{}", sql.stderr);
    assert!(sql.stdout.contains("pg_hba_file_rules") && sql.stdout.contains("performance_schema.host_cache"));
}

#[test]
fn a_saved_run_is_judged_again() {
    let serve = Serve::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let place = path.to_str().expect("UTF-8");
    assert_eq!(run(&["check", &serve.url, "--probe", "0", "--json", place]).code, Some(0));
    let done = run(&["check", "--run", place]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let mut saved = read_run(&path).expect("a run file");
    saved.check.as_mut().expect("a check").room =
        Some(peaje_model::SessionRoom { limit: 100, in_use: 99, reserved: 0 });
    std::fs::write(&path, serde_json::to_string(&saved).expect("JSON")).expect("writable");
    let done = run(&["check", "--run", place]);
    assert_eq!(done.code, Some(1), "{} {}", done.stdout, done.stderr);
    assert!(done.stdout.contains("CRITICAL"), "{}", done.stdout);
    let page = folder.path().join("page.html");
    let args = ["check", "--run", place, "--html", page.to_str().expect("UTF-8"), "--lang", "es", "--redact"];
    assert_eq!(run(&args).code, Some(1));
    assert!(std::fs::read_to_string(&page).expect("a page").contains("lang=\"es\""));
}

#[test]
fn an_interruption_ends_all_of_it() {
    let serve = Serve::start(&["--auth-delay", "3s"]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = peaje()
        .args(["check", &serve.url, &serve.url, "--json"])
        .arg(folder.path().join("run.json"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, rustix::process::Signal::INT);
    let mut status = None;
    wait_for("the end", Duration::from_secs(5), || {
        status = child.try_wait().expect("it is our child");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(130));
}

#[test]
fn a_server_that_hangs_costs_less_than_a_minute() {
    let listener = peaje_engine::conformance::free_listener();
    let address = listener.local_addr().expect("it is bound");
    let started = Instant::now();
    let done = run(&["check", &format!("postgresql://peaje@{address}/x?sslmode=disable"), "--login-timeout", "2s"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert!(done.stderr.contains("timed-out"), "{}", done.stderr);
}
