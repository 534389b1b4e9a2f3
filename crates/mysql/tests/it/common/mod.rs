//! What the tests on a real server share: the installed MariaDB, and the `mariadb` client as a second opinion.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use peaje_mysql::throwaway::{Options, ThrowawayAuth, ThrowawayMariadb};

/// Longer than a busy machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A server with few sessions and these further settings.
pub(crate) fn start(settings: &[(&str, &str)]) -> ThrowawayMariadb {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    start_with(&Options { max_connections: 40, settings, ..Options::default() })
}

/// A server.
pub(crate) fn start_with(options: &Options) -> ThrowawayMariadb {
    ThrowawayMariadb::start(options)
        .unwrap_or_else(|error| panic!("{error}\n(package mariadb-server: run scripts/setup)"))
}

/// How the client connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Tcp,
    Tls,
    /// TLS with certificate and name checked.
    VerifiedTls,
    Socket,
}

/// The `mariadb` client.
pub(crate) struct Client<'a> {
    pub(crate) server: &'a ThrowawayMariadb,
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) by: By,
}

impl<'a> Client<'a> {
    pub(crate) fn new(server: &'a ThrowawayMariadb, auth: ThrowawayAuth, by: By) -> Self {
        let config = server.config(auth, peaje_mysql::config::SslMode::Disabled);
        let password = config.password.map(|password| password.expose().to_owned()).unwrap_or_default();
        Self { server, user: config.user, password, by }
    }

    pub(crate) fn admin(server: &'a ThrowawayMariadb) -> Self {
        Self::new(server, ThrowawayAuth::Admin, By::Socket)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("mariadb");
        command.args(["--no-defaults", "--batch", "--skip-column-names", "-u", &self.user]);
        command.env("MYSQL_PWD", &self.password).env_remove("MYSQL_HOST");
        match self.by {
            By::Socket => command.arg("-S").arg(self.server.socket()),
            By::Tcp | By::Tls | By::VerifiedTls => {
                command.args(["--protocol=tcp", "-h", "127.0.0.1", "-P", &self.server.port().to_string()])
            }
        };
        match self.by {
            By::Tcp | By::Socket => command.arg("--skip-ssl"),
            By::Tls => command.arg("--ssl"),
            By::VerifiedTls => {
                command.arg("--ssl-verify-server-cert").arg("--ssl-ca").arg(self.server.root_certificate())
            }
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a script to its end.
    pub(crate) fn run(&self, sql: &str) -> Result<String, String> {
        let mut child = self.command().spawn().expect("mariadb is installed (package mariadb-client)");
        // A client that may not log in does not read its script.
        let _ = child.stdin.take().expect("piped").write_all(sql.as_bytes());
        let ended = child.wait_with_output().expect("mariadb ends");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
        if ended.status.success() { Ok(text(ended.stdout)) } else { Err(text(ended.stderr)) }
    }

    /// A client that stays logged in until its input is closed.
    pub(crate) fn stay(&self) -> Child {
        self.command().spawn().expect("mariadb is installed (package mariadb-client)")
    }
}

/// Closes the input of clients, and waits for their end.
pub(crate) fn leave(clients: Vec<Child>) {
    for mut client in clients {
        drop(client.stdin.take());
        client.wait().expect("mariadb ends");
    }
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process exists.
pub(crate) fn runs(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
