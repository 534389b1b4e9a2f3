//! Every authentication plugin that Debian's MariaDB has, each with an account of its own on a real server.
//!
//! PAM is the server's real one; what it asks is decided by service files of the test (`libpam-wrapper`), so that no
//! account of this machine is needed. A newcomer would test with `auth_pam`: its helper runs as root, for whom nothing
//! can be wrapped. `auth_pam_v1` is the same plugin within the server.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{Client, runs, start_with, until};
use peaje_engine::{Connector, Failure, Observer, Trace};
use peaje_model::{OutcomeKind as K, Secret};
use peaje_mysql::config::{Cleartext, Config, OldPassword, SslMode};
use peaje_mysql::counters::{MysqlObserver, ObserverOptions};
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};
use tempfile::TempDir;

const USER: &str = "asked";
const PASSWORD: &str = "se cret";

/// A server with all of its authentication plugins, and PAM services `one`, `two` (it asks twice) and `echo` (its
/// question is not for a password).
struct Server {
    server: ThrowawayMariadb,
    _folder: TempDir,
}

impl Server {
    fn start(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        write_services(folder.path());
        let keytab = folder.path().join("keytab");
        write(&keytab, &KEYTAB.concat());
        let path = |path: PathBuf| path.display().to_string();
        let mut all: Vec<(String, String)> = [
            ("plugin-load-add", "auth_pam_v1".to_owned()),
            ("plugin-load-add", "auth_gssapi".to_owned()),
            ("gssapi-keytab-path", path(keytab)),
            ("gssapi-principal-name", "mariadb/localhost@PEAJE.TEST".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let environment = [
            ("LD_PRELOAD", "libpam_wrapper.so".to_owned()),
            ("PAM_WRAPPER", "1".to_owned()),
            ("PAM_WRAPPER_SERVICE_DIR", path(folder.path().join("pam.d"))),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let server = start_with(&Options { max_connections: 40, settings: all, environment, ..Options::default() });
        Self { server, _folder: folder }
    }

    fn admin(&self, sql: &str) -> String {
        Client::admin(&self.server).run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// An account that is identified in this way.
    fn account(&self, identified: &str) {
        self.admin(&format!("drop user if exists {USER}; create user {USER} identified via {identified}"));
        self.admin(&format!("grant all on peaje.* to {USER}"));
    }

    /// The login of that account.
    fn config(&self, by: By) -> Config {
        let mut config = match by {
            By::Socket => self.server.socket_config(ThrowawayAuth::Native),
            By::Tls => self.server.config(ThrowawayAuth::Native, SslMode::VerifyIdentity),
            By::Plain => self.server.config(ThrowawayAuth::Native, SslMode::Disabled),
        };
        USER.clone_into(&mut config.user);
        config.password = Some(Secret::new(PASSWORD));
        config
    }

    /// Logins with credentials that were refused.
    fn denied(&self) -> u64 {
        let shown = self.admin("show global status like 'Access_denied_errors'");
        shown.split_whitespace().last().and_then(|n| n.parse().ok()).expect("a number")
    }

    /// Ends it as an administrator does: killed, it would leave behind what the wrapper keeps under /tmp.
    fn stop(self) {
        let pid = self.server.server_pid().expect("it runs here");
        let signalled = rustix::process::Pid::from_raw(pid as i32).expect("not 0");
        rustix::process::kill_process(signalled, rustix::process::Signal::TERM).expect("it is ours");
        until("the server ends", || !runs(pid));
    }
}

/// A service of PAM asks for the password of the file, once for each module.
fn write_services(folder: &Path) {
    std::fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("it is ours");
    let services = folder.join("pam.d");
    std::fs::create_dir(&services).expect("a folder");
    std::fs::set_permissions(&services, Permissions::from_mode(0o755)).expect("it is ours");
    for (service, modules) in [("one", "auth M"), ("two", "auth M\nauth M"), ("echo", "auth M echo")] {
        let accounts = folder.join(format!("accounts-{service}"));
        write(&accounts, format!("{USER}:{PASSWORD}:{service}\n").as_bytes());
        let module = format!("required {} passdb={}", pam_matrix().display(), accounts.display());
        write(&services.join(service), format!("{modules}\naccount M\n").replace('M', &module).as_bytes());
    }
    // Whatever has no service of its own.
    write(&services.join("other"), b"auth required pam_deny.so\naccount required pam_deny.so\n");
}

/// Other accounts may read it.
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("written");
    std::fs::set_permissions(path, Permissions::from_mode(0o644)).expect("it is ours");
}

fn pam_matrix() -> PathBuf {
    let folders = ["/usr/lib", "/usr/lib64"].into_iter().filter_map(|lib| std::fs::read_dir(lib).ok()).flatten();
    let mut found = folders.flatten().map(|entry| entry.path().join("pam_wrapper/pam_matrix.so"));
    found.find(|path| path.exists()).expect("pam_matrix.so is missing (package libpam-wrapper): run scripts/setup")
}

/// A file of keys (MIT Kerberos, version 2) with a key for `mariadb/localhost@PEAJE.TEST`: without one the plugin does not
/// start.
const KEYTAB: [&[u8]; 6] = [
    b"\x05\x02\x00\x00\x00\x3F\x00\x02",
    b"\x00\x0APEAJE.TEST",
    b"\x00\x07mariadb",
    b"\x00\x09localhost",
    b"\x00\x00\x00\x01\x00\x00\x00\x00\x01\x00\x11\x00\x10",
    b"kkkkkkkkkkkkkkkk",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Socket,
    Tls,
    Plain,
}

const ALL: [By; 3] = [By::Socket, By::Tls, By::Plain];

/// The method, of a login that succeeded.
async fn log_in(config: &Config) -> Result<&'static str, Failure> {
    let options = LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() };
    let connector = MysqlConnector::new(config, options).expect("the settings are sound");
    let mut trace = Trace::start();
    let login = tokio::time::timeout(Duration::from_secs(30), connector.log_in(0, &mut trace));
    let mut session = login.await.expect("the login hangs")?;
    connector.query(&mut session, &mut trace).await?;
    connector.close(session, &mut trace).await?;
    Ok(trace.auth.expect("it is told").method)
}

/// A failure of this kind and code that says this, with a next step.
fn is_refusal(result: Result<&'static str, Failure>, kind: K, code: Option<&str>, words: &str) {
    let failure = result.expect_err(words);
    assert_eq!((failure.kind, failure.code.as_deref()), (kind, code), "{words}: {failure:?}");
    let shown = format!("{} / {}", failure.message, failure.hint.as_deref().expect("a next step"));
    assert!(shown.contains(words), "{shown} / {words}");
    assert!(!shown.contains(PASSWORD) && !format!("{failure:?}").contains(PASSWORD), "{shown}");
}

/// A plugin that a later version brings makes this fail, until it has an answer.
#[tokio::test]
async fn every_plugin_of_the_server_is_spoken_or_named() {
    let server = Server::start(&[]);
    let list = "select plugin_name from information_schema.plugins where plugin_type = 'AUTHENTICATION' \
                and plugin_status = 'ACTIVE' order by 1";
    let shown = server.admin(list);
    assert_eq!(
        shown.lines().collect::<Vec<_>>(),
        ["ed25519", "gssapi", "mysql_native_password", "mysql_old_password", "pam", "unix_socket"]
    );
    for (identified, method) in [
        (format!("ed25519 using password('{PASSWORD}')"), "ed25519"),
        (format!("mysql_native_password using password('{PASSWORD}')"), "mysql-native-password"),
    ] {
        server.account(&identified);
        for by in ALL {
            assert_eq!(log_in(&server.config(by)).await.expect(method), method, "{by:?}");
        }
    }
    server.account("gssapi using 'asked@PEAJE.TEST'");
    for by in ALL {
        is_refusal(log_in(&server.config(by)).await, K::Unsupported, None, "`auth_gssapi_client`");
        is_refusal(log_in(&server.config(by)).await, K::Unsupported, None, "Kerberos");
    }
    let socket = server.server.config(ThrowawayAuth::Socket, SslMode::Disabled);
    assert_eq!(log_in(&socket).await.expect("our own account"), "unix-socket");
    server.stop();
}

/// The password answers PAM's question over TLS and the socket, when that is allowed, and never in clear.
#[tokio::test]
async fn pam_by_its_dialog() {
    let server = Server::start(&[]);
    server.account("pam using 'one'");
    for by in ALL {
        let mut config = server.config(by);
        is_refusal(log_in(&config).await, K::Unsupported, None, "enable-cleartext-plugin=true");
        config.cleartext = Cleartext::WhenProtected;
        if by == By::Plain {
            is_refusal(log_in(&config).await, K::Unsupported, None, "without TLS");
            continue;
        }
        assert_eq!(log_in(&config).await.expect("the right password"), "pam", "{by:?}");
        let before = server.denied();
        config.password = Some(Secret::new("wrong"));
        is_refusal(log_in(&config).await, K::Rejected, Some("1045"), "check the password, the user's name");
        assert_eq!(server.denied(), before + 1, "one failed login");
        config.password = None;
        is_refusal(log_in(&config).await, K::Rejected, None, "none was given");
    }
    for (service, words) in
        [("two", "more than one password: `Password:"), ("echo", "more than one password: `Password:")]
    {
        server.account(&format!("pam using '{service}'"));
        let config = Config { cleartext: Cleartext::WhenProtected, ..server.config(By::Tls) };
        is_refusal(log_in(&config).await, K::Unsupported, None, words);
    }
    // An account may have both: PAM's refusal is not the end.
    server.account("pam using 'one' or mysql_native_password using password('another')");
    let mut config = Config { cleartext: Cleartext::WhenProtected, ..server.config(By::Tls) };
    assert_eq!(log_in(&config).await.expect("PAM lets it in"), "pam");
    config.password = Some(Secret::new("another"));
    assert_eq!(log_in(&config).await.expect("the second plugin will do"), "mysql-native-password");
    server.stop();
}

#[tokio::test]
async fn pam_by_a_password_in_clear() {
    let server = Server::start(&[("pam-use-cleartext-plugin", "ON")]);
    server.account("pam using 'one'");
    for by in ALL {
        let mut config = server.config(by);
        is_refusal(log_in(&config).await, K::Unsupported, None, "enable-cleartext-plugin=true");
        config.cleartext = Cleartext::WhenProtected;
        if by == By::Plain {
            is_refusal(log_in(&config).await, K::Unsupported, None, "without TLS");
            continue;
        }
        assert_eq!(log_in(&config).await.expect("the right password"), "cleartext", "{by:?}");
        config.password = Some(Secret::new("wrong"));
        is_refusal(log_in(&config).await, K::Rejected, Some("1045"), "check the password, the user's name");
    }
    server.account("pam using 'two'");
    let config = Config { cleartext: Cleartext::WhenProtected, ..server.config(By::Tls) };
    is_refusal(log_in(&config).await, K::Unsupported, None, "more than one password");
    server.stop();
}

/// Refused on both sides unless both sides allow it.
#[tokio::test]
async fn passwords_of_before_4_1() {
    let server = Server::start(&[("secure-auth", "OFF")]);
    server.account(&format!("mysql_old_password using password('{PASSWORD}')"));
    let allowed = |by| Config { old_password: OldPassword::Allowed, ..server.config(by) };
    for by in ALL {
        is_refusal(log_in(&server.config(by)).await, K::Unsupported, None, "secure-auth=false");
        assert_eq!(log_in(&allowed(by)).await.expect("the right password"), "mysql-old-password", "{by:?}");
        let wrong = Config { password: Some(Secret::new("wrong")), ..allowed(by) };
        is_refusal(log_in(&wrong).await, K::Rejected, Some("1045"), "check the password, the user's name");
    }
    server.admin("set global secure_auth = on");
    is_refusal(log_in(&allowed(By::Tls)).await, K::Rejected, Some("1275"), "set it again");
    server.stop();
}

/// What a plugin refuses, and what peaje refuses in the middle of its dialogue, is no login by the server's own count.
#[tokio::test]
async fn the_servers_count_agrees_with_every_plugin() {
    let server = Server::start(&[("secure-auth", "OFF")]);
    server.account("pam using 'one'");
    for (user, identified) in [("asked_twice", "pam using 'two'"), ("kerberos", "gssapi using 'a@PEAJE.TEST'")] {
        server.admin(&format!("create user {user} identified via {identified}"));
    }
    server.admin(&format!("create user old identified via mysql_old_password using password('{PASSWORD}')"));
    let name = "peaje reconciled".to_owned();
    let options = ObserverOptions { ssl_mode: SslMode::Disabled, program_name: name, endpoint: None, skip: Vec::new() };
    let admin = server.server.config(ThrowawayAuth::Admin, SslMode::Disabled);
    let mut observer = MysqlObserver::connect(&admin, &options).await.expect("the observer logs in");
    let before = observer.counters().await.expect("they can be read").logins_total.expect("counted");
    let mut succeeded = 0;
    for user in [USER, "asked_twice", "kerberos", "old", "nobody"] {
        for by in ALL {
            for (password, cleartext, old_password) in [
                (PASSWORD, Cleartext::WhenProtected, OldPassword::Allowed),
                ("wrong", Cleartext::WhenProtected, OldPassword::Allowed),
                (PASSWORD, Cleartext::Never, OldPassword::Never),
            ] {
                let mut config = server.config(by);
                user.clone_into(&mut config.user);
                config.database = None;
                let config = Config { password: Some(Secret::new(password)), cleartext, old_password, ..config };
                succeeded += u64::from(log_in(&config).await.is_ok());
            }
        }
    }
    assert_eq!(succeeded, 2 + 3, "PAM over TLS and the socket, the old password by each way");
    let after = observer.counters().await.expect("they can be read").logins_total.expect("counted");
    assert_eq!(after - before, succeeded);
    observer.close().await;
    server.stop();
}
