//! Every authentication plugin, what it gives away, and what is refused.

use peaje_model::{OutcomeKind as K, Phase};

use super::server::{CHALLENGE, Peer, Server};
use super::{LoginOptions, connector, connector_with, fails, gist, log_in, succeeds};
use crate::protocol::reply::AuthReply;
use crate::protocol::scramble::{self, Ed25519Key};
use crate::protocol::tests::rsa_key;
use crate::protocol::{capability, old_password, plugin};

const AUTHENTICATE: Option<Phase> = Some(Phase::Authenticate);
const OTHER: &[u8; 20] = b"ABCDEFGHIJKLMNOPQRST";

/// A challenge with the zero that stands behind it.
fn with_zero(nonce: &[u8]) -> Vec<u8> {
    [nonce, b"\0"].concat()
}

async fn method_of(script: impl FnOnce(&mut Peer) + Send + 'static, query: &str) -> &'static str {
    let server = Server::one(|peer| {
        script(peer);
        peer.ok();
        peer.rest();
    });
    let (session, trace) = succeeds(&connector(server.port, query)).await;
    drop(session);
    server.done();
    trace.auth.expect("authenticated").method
}

#[tokio::test]
async fn native() {
    let script = |peer: &mut Peer| {
        peer.greet();
        let (user, answer, plugin) = peer.login();
        assert_eq!((user.as_str(), plugin.as_str()), ("alice", plugin::NATIVE));
        assert!(scramble::native_is_right(b"secret", CHALLENGE, &answer));
    };
    assert_eq!(method_of(script, "").await, "mysql-native-password");
    let script = |peer: &mut Peer| {
        peer.greet_with(0, plugin::CACHING_SHA2);
        peer.login();
        peer.switch(plugin::NATIVE, &with_zero(OTHER));
        assert!(scramble::native_is_right(b"secret", OTHER, &peer.packet()));
    };
    assert_eq!(method_of(script, "").await, "mysql-native-password");
}

#[tokio::test]
async fn caching_sha2_with_and_without_its_cache() {
    let fast = |peer: &mut Peer| {
        peer.greet_with(0, plugin::CACHING_SHA2);
        let (_, answer, _) = peer.login();
        assert!(scramble::caching_sha2_is_right(b"secret", CHALLENGE, &answer));
        peer.more(&[plugin::FAST_OK]);
    };
    assert_eq!(method_of(fast, "").await, "caching-sha2-password-fast");

    let full_by_rsa = |peer: &mut Peer| {
        peer.greet();
        peer.login();
        peer.switch(plugin::CACHING_SHA2, &with_zero(OTHER));
        assert!(scramble::caching_sha2_is_right(b"secret", OTHER, &peer.packet()));
        peer.more(&[plugin::FULL]);
        assert_eq!(peer.packet(), [plugin::CACHING_SHA2_KEY]);
        peer.more(rsa_key::pem().as_bytes());
        assert_eq!(rsa_key::decrypt(&peer.packet(), OTHER), b"secret\0");
    };
    assert_eq!(method_of(full_by_rsa, "get-server-public-key=true").await, "caching-sha2-password-full");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    std::fs::write(&path, rsa_key::pem()).unwrap();
    let known_key = |peer: &mut Peer| {
        peer.greet_with(0, plugin::CACHING_SHA2);
        peer.login();
        peer.more(&[plugin::FULL]);
        assert_eq!(rsa_key::decrypt(&peer.packet(), CHALLENGE), b"secret\0");
    };
    let query = format!("server-public-key-path={}", path.display());
    assert_eq!(method_of(known_key, &query).await, "caching-sha2-password-full");
}

#[tokio::test]
async fn sha256_by_rsa() {
    let script = |peer: &mut Peer| {
        peer.greet_with(0, plugin::SHA256);
        // Nothing is asked for before the server says that the account needs it.
        let (_, answer, first) = peer.login();
        assert_eq!((first.as_str(), answer.len()), (plugin::NATIVE, 20));
        peer.switch(plugin::SHA256, &with_zero(OTHER));
        assert_eq!(peer.packet(), [plugin::SHA256_KEY]);
        peer.more(rsa_key::pem().as_bytes());
        assert_eq!(rsa_key::decrypt(&peer.packet(), OTHER), b"secret\0");
    };
    assert_eq!(method_of(script, "allowPublicKeyRetrieval=true").await, "sha256-password");
}

#[tokio::test]
async fn ed25519() {
    let nonce = [7; 32];
    let script = move |peer: &mut Peer| {
        peer.greet();
        peer.login();
        peer.switch(plugin::ED25519, &nonce);
        let public = Ed25519Key::new(b"secret").public();
        assert!(scramble::ed25519_is_right(&public, &nonce, &peer.packet()));
    };
    assert_eq!(method_of(script, "").await, "ed25519");
}

/// Only when the settings allow it: the challenge is that of the greeting, or of the switch.
#[tokio::test]
async fn old_passwords() {
    for query in ["secure-auth=false", "skip-secure-auth=1", "allowOldPasswords=true"] {
        let short = |peer: &mut Peer| {
            peer.greet();
            peer.login();
            peer.say(|out, n| AuthReply::OldPassword.encode(out, n));
            assert_eq!(peer.packet(), with_zero(&old_password::answer(b"secret", CHALLENGE)));
        };
        assert_eq!(method_of(short, query).await, "mysql-old-password");
        let long = |peer: &mut Peer| {
            peer.greet();
            peer.login();
            peer.switch(plugin::OLD_PASSWORD, &with_zero(OTHER));
            assert_eq!(peer.packet(), with_zero(&old_password::answer(b"secret", OTHER)));
        };
        assert_eq!(method_of(long, query).await, "mysql-old-password");
    }
}

/// MariaDB: `IDENTIFIED VIA ed25519 … OR mysql_native_password …`.
#[tokio::test]
async fn one_plugin_after_the_other() {
    let script = |peer: &mut Peer| {
        peer.greet();
        peer.login();
        peer.switch(plugin::ED25519, &[7; 32]);
        peer.packet();
        peer.switch(plugin::NATIVE, &with_zero(CHALLENGE));
        assert!(scramble::native_is_right(b"secret", CHALLENGE, &peer.packet()));
    };
    assert_eq!(method_of(script, "").await, "mysql-native-password");
}

#[tokio::test]
async fn no_password() {
    for first in [plugin::NATIVE, plugin::CACHING_SHA2] {
        for credentials in ["alice", "alice:"] {
            let server = Server::one(move |peer| {
                peer.greet_with(0, first);
                assert_eq!(peer.login(), ("alice".to_owned(), Vec::new(), first.to_owned()));
                peer.ok();
                peer.rest();
            });
            let connector = connector_with(server.port, credentials, "", LoginOptions::default());
            let (session, trace) = succeeds(&connector).await;
            assert_eq!(trace.auth.map(|a| a.method), Some("no-password"));
            drop(session);
            server.done();
        }
    }
}

/// The plugin of the settings is used first, and saves a switch.
#[tokio::test]
async fn the_plugin_of_the_settings() {
    let script = |peer: &mut Peer| {
        peer.greet();
        assert_eq!(peer.login().2, plugin::CACHING_SHA2);
        peer.more(&[plugin::FAST_OK]);
    };
    assert_eq!(method_of(script, "default-auth=caching_sha2_password").await, "caching-sha2-password-fast");
}

/// A server without plugins takes the answer of mysql_native_password.
#[tokio::test]
async fn a_server_without_plugins() {
    let script = |peer: &mut Peer| {
        use crate::protocol::greeting::Greeting;
        let old = capability::PROTOCOL_41 | capability::SECURE_CONNECTION | capability::CONNECT_WITH_DB;
        let greeting = Greeting {
            server_version: b"5.1.73",
            connection_id: 1,
            nonce: *CHALLENGE,
            capabilities: old,
            mariadb_capabilities: 0,
            collation: 8,
            status: 2,
            auth_plugin: b"",
        };
        peer.say(|out, _| greeting.encode(out));
        let (_, answer, plugin) = peer.login();
        assert!(scramble::native_is_right(b"secret", CHALLENGE, &answer) && plugin.is_empty());
    };
    assert_eq!(method_of(script, "").await, "mysql-native-password");
}

/// What a server in clear must not get out of us, whatever it asks for.
#[tokio::test]
async fn nothing_leaves_in_clear() {
    type Ask = fn(&mut Peer);
    let table: [(&str, &str, Ask); 10] = [
        ("", "in clear (mysql_clear_password)", |peer| peer.switch(plugin::CLEARTEXT, b"")),
        ("enable-cleartext-plugin=1", "in clear, without TLS", |peer| peer.switch(plugin::CLEARTEXT, b"")),
        ("", "caching_sha2_password), and the connection is not encrypted", |peer| {
            peer.switch(plugin::CACHING_SHA2, OTHER);
            peer.packet();
            peer.more(&[plugin::FULL]);
        }),
        ("", "sha256_password), and the connection is not encrypted", |peer| peer.switch(plugin::SHA256, OTHER)),
        ("", "in clear (dialog)", |peer| peer.switch(plugin::DIALOG, b"")),
        ("enable-cleartext-plugin=1", "in clear, without TLS", |peer| peer.switch(plugin::DIALOG, b"\x04Password:")),
        ("", "before 4.1 (mysql_old_password)", |peer| peer.send(&[1, 0, 0, 2, 0xFE])),
        ("", "before 4.1 (mysql_old_password)", |peer| peer.switch(plugin::OLD_PASSWORD, OTHER)),
        ("", "`auth_gssapi_client`, which is not spoken", |peer| peer.switch(plugin::KERBEROS[0], b"mariadb/db@X\0\0")),
        ("", "`auth gssapi client`", |peer| peer.switch("auth gssapi\x07client", b"")),
    ];
    for (query, words, ask) in table {
        let server = Server::one(move |peer| {
            // A greeting that names the plugin gets no more than one that switches to it.
            peer.greet_with(0, plugin::CLEARTEXT);
            let (_, answer, plugin) = peer.login();
            assert_eq!((plugin.as_str(), answer.len()), (plugin::NATIVE, 20));
            ask(peer);
            assert_eq!(peer.rest(), b"");
        });
        let failure = fails(&connector(server.port, query)).await;
        assert_eq!(gist(&failure), (K::Unsupported, None, AUTHENTICATE), "{failure}");
        assert!(failure.message.contains(words), "{failure} / {words}");
        assert!(failure.hint.is_some());
        server.done();
    }
}

#[tokio::test]
async fn a_password_that_nobody_gave() {
    let server = Server::one(|peer| {
        peer.greet();
        peer.login();
        peer.switch(plugin::ED25519, &[1; 32]);
        assert_eq!(peer.rest(), b"");
    });
    let failure = fails(&connector_with(server.port, "alice", "", LoginOptions::default())).await;
    // Without a code: it is not the server that rejected.
    assert_eq!(gist(&failure), (K::Rejected, None, AUTHENTICATE));
    server.done();
}

#[tokio::test]
async fn servers_that_do_not_keep_to_the_plugin() {
    type Cheat = fn(&mut Peer);
    let table: [(&str, Cheat); 8] = [
        ("unexpected data", |peer| peer.more(&[plugin::FAST_OK])),
        ("unexpected data", |peer| {
            peer.switch(plugin::CACHING_SHA2, OTHER);
            peer.packet();
            peer.more(&[9]);
        }),
        ("unexpected data", |peer| {
            peer.switch(plugin::CACHING_SHA2, OTHER);
            peer.packet();
            peer.more(&[plugin::FAST_OK]);
            peer.more(&[plugin::FULL]);
        }),
        ("no public key", |peer| {
            peer.switch(plugin::CACHING_SHA2, OTHER);
            peer.packet();
            peer.more(&[plugin::FULL]);
            peer.packet();
            peer.more(b"no key");
        }),
        ("no RSA key", |peer| {
            peer.switch(plugin::SHA256, OTHER);
            peer.packet();
            peer.more(b"-----BEGIN PUBLIC KEY-----\nMAMCAQU=\n-----END PUBLIC KEY-----\n");
        }),
        ("too short", |peer| peer.switch(plugin::ED25519, b"short")),
        ("one authentication plugin after the other", |peer| {
            for _ in 0..4 {
                peer.switch(plugin::NATIVE, OTHER);
                peer.packet();
            }
            peer.switch(plugin::NATIVE, OTHER);
        }),
        ("the packet ends", |peer| peer.send(&[4, 0, 0, 2, 0xFE, b'a', b'b', b'c'])),
    ];
    for (words, cheat) in table {
        let server = Server::one(move |peer| {
            peer.greet();
            peer.login();
            cheat(peer);
            assert_eq!(peer.rest(), b"");
        });
        let (result, _) = log_in(&connector(server.port, "get-server-public-key=true")).await;
        let failure = result.unwrap_err();
        assert_eq!((failure.kind, failure.phase), (K::Protocol, AUTHENTICATE), "{words}: {failure:?}");
        assert!(failure.message.contains(words), "{failure} / {words}");
        server.done();
    }
}
