//! `peaje login` end to end over TDS, on the reference server: there is no SQL Server to be had here.

use crate::common::{Serve, login, peaje, run, series};
use peaje_model::{Mode, OutcomeKind, TlsMode, Verdict};

const SERVER: [&str; 6] = ["--protocol", "sqlserver", "--user", "sa", "--password", "pencil-case"];

/// The connection string of an application.
fn pasted(server: &Serve, password: &str, rest: &str) -> String {
    let address = server.address();
    format!(
        "Server=tcp:{},{};User ID=sa;Password={password};TrustServerCertificate=True;{rest}",
        address.ip(),
        address.port()
    )
}

#[test]
fn the_first_story_with_a_pasted_connection_string() {
    let server = Serve::start(&SERVER);
    let target = pasted(&server, "pencil-case", "Encrypt=True;Max Pool Size=10");
    let load = ["--concurrency", "20", "--iterations", "20", "--mode", "unpooled,pooled", "--tls", "off,full", "--yes"];
    let (done, run) = login(&[&[target.as_str()][..], &load].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("these numbers describe this machine, not your database"), "{}", done.stdout);
    let order: Vec<_> = series(&run).iter().map(|s| (s.mode, s.tls)).collect();
    let (off, full) = (TlsMode::Off, TlsMode::Full);
    assert_eq!(order, [(Mode::Unpooled, off), (Mode::Unpooled, full), (Mode::Pooled, off), (Mode::Pooled, full)]);
    for s in series(&run) {
        assert_eq!(s.counts.completed, 400, "{}", s.label);
        let server = s.server.as_ref().expect("the reference server keeps an account");
        assert_eq!(server.logins, Some(s.logins), "{}: the server's count", s.label);
        let encrypted = if s.tls == TlsMode::Full { server.sampled_sessions } else { 0 };
        assert_eq!(server.sampled_encrypted, encrypted, "{}", s.label);
    }
    assert_eq!(series(&run)[0].logins, 400);
    assert!(series(&run)[2].logins <= 20, "the string's own pool, in two slices: {}", series(&run)[2].logins);
    assert_eq!(series(&run)[2].settings.pool.map(|pool| pool.max), Some(10));
    let disagree = run.findings.iter().find(|f| f.code == "counts-disagree").expect("looked at");
    assert_eq!(disagree.verdict, Verdict::Healthy);
}

#[test]
fn every_encryption() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root.pem").display().to_string();
    let server = Serve::start(&[&SERVER[..], &["--write-root-cert", &root]].concat());
    // Strict encryption always checks the certificate.
    for (encrypt, encrypted) in [("Strict", true), ("Mandatory", true), ("Optional", false)] {
        let target = pasted(&server, "pencil-case", &format!("Encrypt={encrypt};ServerCertificate={root}"));
        let target = target.replace("TrustServerCertificate=True;", "").replace("tcp:127.0.0.1", "tcp:localhost");
        let (done, run) = login(&[&target, "--logins", "20"]);
        assert_eq!(done.code, Some(0), "{encrypt}: {}", done.stderr);
        let s = &series(&run)[0];
        assert!(!s.tls_seen.is_empty(), "{encrypt}: even login-only encryption pays for a handshake");
        let account = s.server.as_ref().expect("an account");
        let expected = if encrypted { account.sampled_sessions } else { 0 };
        assert_eq!(account.sampled_encrypted, expected, "{encrypt}: login-only encryption is no encrypted session");
    }
}

#[test]
fn failures_have_their_words_and_no_secret() {
    let server = Serve::start(&SERVER);
    for (target, words, more) in [
        (pasted(&server, "wrong-horse", ""), "18456", &[][..]),
        (pasted(&server, "pencil-case", "Database=missing_shop"), "4060", &[]),
        (pasted(&server, "pencil-case", "").replace("TrustServerCertificate=True", "Encrypt=True"), "certificate", &[]),
        (pasted(&server, "pencil-case", "Integrated Security=SSPI"), "Kerberos", &[]),
    ] {
        let done = run(&[&["login", target.as_str()][..], more].concat());
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
        let all = format!("{}{}", done.stdout, done.stderr);
        assert!(!all.contains("wrong-horse") && !all.contains("pencil-case"), "{all}");
    }
}

#[test]
fn a_full_server_is_an_outcome() {
    let server = Serve::start(&[&SERVER[..], &["--refuse-every", "3"]].concat());
    // The first login alone is the first, the observer the second; every third is refused.
    let (done, run) = login(&[&pasted(&server, "pencil-case", ""), "--no-observer", "--logins", "30", "--yes"]);
    let outcomes = &series(&run)[0].outcomes;
    let full = outcomes.iter().find(|o| o.kind == OutcomeKind::ServerFull);
    assert!(full.is_some_and(|o| o.count >= 1), "{outcomes:?} {}", done.stderr);
}

#[test]
fn an_access_token_takes_the_place_of_a_password() {
    let server = Serve::start(&SERVER);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    // The reference server takes its password as the token.
    std::fs::write(&file, "pencil-case\n").expect("writable");
    let target = format!("Server=tcp:127.0.0.1,{};TrustServerCertificate=True", server.address().port());
    let done = run(&["login", &target, "--logins", "3", "--access-token-file", &file.display().to_string()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(!format!("{}{}", done.stdout, done.stderr).contains("pencil-case"));
    let done = run(&["login", "--access-token-file", &file.display().to_string()]);
    assert_eq!(done.code, Some(2), "only for SQL Server");
}

#[test]
fn several_protocols_at_once_are_told_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let mut command = peaje();
    command.args(["serve", "--protocol", "postgres,mysql,sqlserver", "--for-time", "2s", "--json"]).arg(&file);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("the command runs");
    crate::common::wait_for("the list of servers", std::time::Duration::from_secs(10), || file.exists());
    let text = std::fs::read_to_string(&file).expect("it was written");
    let list: Vec<serde_json::Value> = serde_json::from_str(&text).expect("it is JSON");
    let protocols: Vec<&str> = list.iter().filter_map(|s| s["protocol"].as_str()).collect();
    assert_eq!(protocols, ["postgres", "mysql", "sqlserver"]);
    for server in &list {
        let done = run(&["login", server["url"].as_str().expect("a string"), "--logins", "2", "--tls", "off"]);
        assert_eq!(done.code, Some(0), "{server}: {}", done.stderr);
    }
    assert!(child.wait().expect("it ends by itself").success());
}
