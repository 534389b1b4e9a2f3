//! `peaje login` end to end on a throwaway MariaDB, and on the reference server that speaks MySQL.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{Done, Serve, login, peaje, run, series, signal, wait_for};
use peaje_engine::{Connector, Trace};
use peaje_model::{Mode, OutcomeKind, Phase, TlsMode, Verdict};
use peaje_mysql::config::SslMode;
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};

#[test]
fn the_first_experiment_and_the_servers_own_count() {
    let args = ["mariadb:", "--concurrency", "10", "--iterations", "20", "--mode", "unpooled,pooled,persistent"];
    let (done, run) = login(&[&args[..], &["--tls", "off,full"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let answered = run.what_answered.as_ref().expect("the observer asked");
    assert!(answered.product.contains("MariaDB"), "{answered:?}");
    assert_eq!(series(&run).len(), 6);
    for s in series(&run) {
        assert_eq!(s.counts.completed, 200, "{}", s.label);
        let server = s.server.as_ref().expect("a local server has an account");
        assert_eq!(server.logins, Some(s.logins), "{}: the server's count", s.label);
        let encrypted = if s.tls == TlsMode::Full { server.sampled_sessions } else { 0 };
        assert_eq!(server.sampled_encrypted, encrypted, "{}", s.label);
        match s.mode {
            Mode::Unpooled => assert_eq!(s.logins, 200, "{}", s.label),
            Mode::Pooled | Mode::Persistent => assert!(s.logins <= 20, "{}: {}", s.label, s.logins),
        }
        assert!(s.auth_seen.iter().all(|a| a.method == "mysql-native-password"), "{:?}", s.auth_seen);
    }
    let disagree = run.findings.iter().find(|f| f.code == "counts-disagree").expect("looked at");
    assert_eq!(disagree.verdict, Verdict::Healthy);
}

#[test]
fn every_way_to_authenticate() {
    let small = ["--concurrency", "2", "--iterations", "3", "--mode", "unpooled", "--tls", "off"];
    for (auth, method) in [("trust", "no-password"), ("native", "mysql-native-password"), ("ed25519", "ed25519")] {
        let (done, run) = login(&[&["mariadb:", "--auth", auth][..], &small].concat());
        assert_eq!(done.code, Some(0), "{auth}: {}", done.stderr);
        let seen: Vec<&str> = series(&run)[0].auth_seen.iter().map(|a| a.method.as_str()).collect();
        assert_eq!(seen, [method], "{auth}");
    }
    let (done, run) = login(&[&["mariadb:", "--auth", "socket"][..], &small].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(series(&run)[0].counts.completed, 6);
    let refused = self::run(&["login", "mariadb:", "--auth", "scram"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("MariaDB has no authentication `scram`"), "{}", refused.stderr);
}

#[test]
fn sessions_are_resumed_where_the_server_lets_them() {
    let args = ["mariadb:", "--concurrency", "2", "--iterations", "10", "--mode", "unpooled", "--tls", "resumed"];
    let (done, run) = login(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let seen = &series(&run)[0].tls_seen;
    let resumed: u64 = seen.iter().filter(|t| t.resumed).map(|t| t.count).sum();
    assert!(resumed >= 15, "{seen:?}");
}

fn left_in(folder: &std::path::Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn no_throwaway_server_is_left_behind() {
    for how in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let folder = tempfile::tempdir().expect("a folder");
        // The server's own account must be able to enter it.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("ours");
        let mut command = peaje();
        command.env("TMPDIR", folder.path()).args(["login", "mariadb:", "--duration", "60s", "--mode", "unpooled"]);
        command
            .args(["--tls", "off", "--concurrency", "2", "--warm-up", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().expect("the command runs");
        wait_for("the server's folder", Duration::from_secs(30), || left_in(folder.path()) > 0);
        std::thread::sleep(Duration::from_secs(6));
        signal(&child, how);
        let done: Done = child.wait_with_output().expect("it ends").into();
        wait_for("the folder is removed", Duration::from_secs(15), || left_in(folder.path()) == 0);
        if how == rustix::process::Signal::INT {
            assert_eq!(done.code, Some(130), "{}", done.stderr);
            assert!(done.stdout.contains("unpooled"), "what was measured is printed: {}", done.stdout);
        }
    }
}

/// A status variable of the server.
fn status(server: &ThrowawayMariadb, name: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let config = server.config(ThrowawayAuth::Admin, SslMode::Disabled);
        let connector = MysqlConnector::new(&config, LoginOptions::default()).expect("sound settings");
        let mut session = connector.log_in(0, &mut Trace::start()).await.expect("the administrator may log in");
        let sql = format!("show global status like '{name}'");
        let found = session.rows(&sql, &mut Trace::start()).await.expect("it is told");
        connector.close(session, &mut Trace::start()).await.expect("closed");
        found.rows[0][1].as_deref().and_then(|value| value.parse().ok()).expect("a number")
    })
}

/// A server counts clients that leave without a word, and its administrator looks for the reason.
#[test]
fn an_interrupted_run_says_goodbye_to_the_server() {
    let server = ThrowawayMariadb::start(&Options { max_connections: 80, ..Options::default() }).expect("it starts");
    for mode in ["pooled", "persistent"] {
        let password = server.password().expose();
        let url = format!("mysql://{}:{password}@127.0.0.1:{}/peaje", ThrowawayAuth::Native.user(), server.port());
        let (before, selects) = (status(&server, "Aborted_clients"), status(&server, "Com_select"));
        let mut command = peaje();
        command.args([
            "login",
            &url,
            "--mode",
            mode,
            "--tls",
            "off",
            "--duration",
            "60s",
            "--concurrency",
            "8",
            "--yes",
        ]);
        // Queries of a moment: the interruption comes in the middle of some.
        command.args(["--warm-up", "0", "--query", "select sleep(0.02)", "--pool-min", "8"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        // Logins are over by then: one that is cut has no goodbye.
        wait_for("the load", Duration::from_secs(30), || status(&server, "Com_select") >= selects + 200);
        signal(&child, rustix::process::Signal::INT);
        let done: Done = child.wait_with_output().expect("it ends").into();
        assert_eq!(done.code, Some(130), "{mode}: {}", done.stderr);
        assert!(done.stdout.contains(mode), "{mode}: {}", done.stdout);
        wait_for("sessions have ended", Duration::from_secs(10), || status(&server, "Threads_connected") == 1);
        assert_eq!(status(&server, "Aborted_clients"), before, "{mode}");
    }
    server.stop().expect("it stops");
}

#[test]
fn failures_have_their_words_and_no_secret() {
    let server = Serve::start(&["--protocol", "mysql", "--user", "ana", "--password", "pencil-case", "--no-tls"]);
    let address = server.address();
    let url = |password: &str, rest: &str| format!("mysql://ana:{password}@{address}/{rest}");
    for (url, code, more) in [
        // Without TLS the password would travel in clear, or by a key that nobody has vouched for.
        (url("pencil-case", ""), "server-public-key-path", &[][..]),
        (url("wrong-horse", "?get-server-public-key=true"), "1045", &[]),
        (url("pencil-case", "missing_shop?get-server-public-key=true"), "1049", &[]),
        (url("pencil-case", ""), "tls-not-offered", &["--tls", "full"]),
    ] {
        let (done, run) = login(&[&[url.as_str()][..], more].concat());
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        assert!(done.stderr.contains(code) && done.stderr.contains("next:"), "{code}: {}", done.stderr);
        let all = format!("{}{}{}", done.stdout, done.stderr, serde_json::to_string(&run).expect("it can be written"));
        assert!(!all.contains("wrong-horse") && !all.contains("pencil-case"), "{all}");
    }
}

#[test]
fn a_full_authentication_each_time_is_found() {
    let server = Serve::start(&["--protocol", "mysql", "--user", "ana", "--password", "pencil", "--auth", "sha256"]);
    let url = server.url.replace("ana@", "ana:pencil@");
    let (done, run) = login(&[&url, "--logins", "40", "--yes"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let finding = run.findings.iter().find(|f| f.code == "full-authentication-each-time").expect("looked at");
    assert_eq!(finding.verdict, Verdict::Found, "{finding:?}");
    assert!(series(&run)[0].phases_us.contains_key(&Phase::Negotiate), "the wait for the greeting has its phase");
    assert_eq!(series(&run)[0].outcomes.iter().filter(|o| o.kind == OutcomeKind::Ok).count(), 1);
}
