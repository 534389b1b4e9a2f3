//! Unix sockets: unencrypted unless TLS is asked for, and as good as TLS for a password.

use std::path::Path;
use std::time::Duration;

use peaje_engine::{Surroundings, resolve};
use peaje_model::{OutcomeKind as K, Phase, TlsMode};

use super::server::{over_socket, tls_config};
use super::{LoginOptions, config, fails, succeeds};
use crate::config::ProcessSurroundings;
use crate::login::MysqlConnector;
use crate::protocol::{capability, plugin};
use peaje_engine::conformance::identity::self_signed;

fn connector(path: &Path, credentials: &str, query: &str, tls: TlsMode) -> MysqlConnector {
    let text = format!("mysql://{credentials}@({})/shop?{query}", path.display());
    MysqlConnector::new(&config(&text), LoginOptions { tls, ..LoginOptions::default() }).unwrap()
}

#[tokio::test]
async fn preferred_means_no_tls_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.sock");
    let server = over_socket(&path, |peer| {
        peer.greet_with(capability::SSL, plugin::NATIVE);
        peer.login();
        peer.ok();
        peer.rest();
    });
    let (session, trace) = succeeds(&connector(&path, "alice:secret", "", TlsMode::AsUrl)).await;
    assert!(!session.is_encrypted());
    assert_eq!((trace.laps()[Phase::Resolve], trace.round_trips()[Phase::Connect]), (Duration::ZERO, 0));
    drop(session);
    server.join().unwrap();
}

/// MySQL speaks TLS over a socket when it is asked for.
#[tokio::test]
async fn tls_over_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let identity = self_signed(&["localhost"]);
    let ca = identity.write_certificate(folder.path(), "ca.pem");
    let query = format!("ssl-mode=VERIFY_IDENTITY&ssl-ca={}", ca.display());
    for (i, (query, tls)) in
        [(query.as_str(), TlsMode::AsUrl), ("", TlsMode::Full), ("ssl-mode=REQUIRED", TlsMode::AsUrl)]
            .iter()
            .enumerate()
    {
        let path = folder.path().join(format!("{i}.sock"));
        let config = tls_config(&identity);
        let server = over_socket(&path, move |peer| {
            peer.greet_and_encrypt(&config);
            peer.login();
            peer.ok();
            peer.rest();
        });
        let (session, trace) = succeeds(&connector(&path, "alice:secret", query, *tls)).await;
        assert!(session.is_encrypted() && trace.tls.is_some());
        drop(session);
        server.join().unwrap();
    }
}

#[tokio::test]
async fn the_password_itself_may_leave_there() {
    type Ask = fn(&mut super::server::Peer);
    let table: [(&str, &str, Ask); 4] = [
        ("", "caching-sha2-password-full", |peer| {
            peer.switch(plugin::CACHING_SHA2, b"ABCDEFGHIJKLMNOPQRST");
            peer.packet();
            peer.more(&[plugin::FULL]);
        }),
        ("enable-cleartext-plugin=true", "cleartext", |peer| peer.switch(plugin::CLEARTEXT, b"")),
        ("enable-cleartext-plugin=true", "pam", |peer| peer.switch(plugin::DIALOG, b"")),
        ("enable-cleartext-plugin=true", "pam", |peer| peer.switch(plugin::DIALOG, b"\x04Password: ")),
    ];
    for (query, method, ask) in table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.sock");
        let server = over_socket(&path, move |peer| {
            peer.greet();
            peer.login();
            ask(peer);
            assert_eq!(peer.packet(), b"secret\0");
            peer.ok();
            peer.rest();
        });
        let (session, trace) = succeeds(&connector(&path, "alice:secret", query, TlsMode::AsUrl)).await;
        assert_eq!(trace.auth.map(|a| a.method), Some(method));
        drop(session);
        server.join().unwrap();
    }
}

/// The password answers the first question for one, and nothing else.
#[tokio::test]
async fn other_questions_of_pam() {
    type Ask = fn(&mut super::server::Peer);
    let again: Ask = |peer| {
        peer.switch(plugin::DIALOG, b"");
        assert_eq!(peer.packet(), b"secret\0");
        peer.more(b"\x04Welcome\nCode:\x1b[2J ");
    };
    let to_cleartext: Ask = |peer| {
        peer.switch(plugin::CLEARTEXT, b"");
        assert_eq!(peer.packet(), b"secret\0");
        peer.more(b"\x03Code:\x1b[2J ");
    };
    let no_question: Ask = |peer| {
        peer.switch(plugin::DIALOG, b"");
        peer.packet();
        peer.more(b"\x06?");
    };
    let table: [(&str, K, &str, Ask); 5] = [
        ("secret", K::Unsupported, "more than one password: `Welcome Code: [2J`", again),
        ("secret", K::Unsupported, "more than one password: `Code: [2J`", to_cleartext),
        ("secret", K::Unsupported, "more than one password: `Login:`", |peer| {
            peer.switch(plugin::DIALOG, b"\x02Login: ");
        }),
        ("secret", K::Protocol, "unexpected kind of question", no_question),
        ("", K::Rejected, "none was given", |peer| peer.switch(plugin::DIALOG, b"\x05Password: ")),
    ];
    for (password, kind, words, ask) in table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.sock");
        let server = over_socket(&path, move |peer| {
            peer.greet();
            peer.login();
            ask(peer);
            assert_eq!(peer.rest(), b"");
        });
        let credentials = if password.is_empty() { "alice".to_owned() } else { format!("alice:{password}") };
        let failure = fails(&connector(&path, &credentials, "enable-cleartext-plugin=true", TlsMode::AsUrl)).await;
        assert_eq!((failure.kind, failure.code.as_deref()), (kind, None), "{failure}");
        assert!(failure.message.contains(words), "{failure} / {words}");
        server.join().unwrap();
    }
}

/// `unix_socket` asks nothing: the server looks at who is at the other end.
#[tokio::test]
async fn the_operating_systems_user() {
    let own = ProcessSurroundings.user_name().unwrap();
    for (user, method) in [(own.as_str(), "unix-socket"), ("somebody_else", "no-password")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.sock");
        let server = over_socket(&path, |peer| {
            peer.greet();
            assert!(peer.login().1.is_empty());
            peer.ok();
            peer.rest();
        });
        let (session, trace) = succeeds(&connector(&path, user, "", TlsMode::AsUrl)).await;
        assert_eq!(trace.auth.map(|a| a.method), Some(method));
        drop(session);
        server.join().unwrap();
    }
}

#[tokio::test]
async fn a_socket_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let failure = fails(&connector(&folder.path().join("no.sock"), "alice", "", TlsMode::AsUrl)).await;
    assert_eq!((failure.kind, failure.phase), (K::Refused, Some(Phase::Connect)));
    assert!(failure.message.contains("no.sock"), "{failure}");
    let endpoint = peaje_engine::Endpoint::Unix { path: "/x".into() };
    assert_eq!(resolve(&endpoint).await, Ok(Vec::new()));
}
