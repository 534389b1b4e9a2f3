//! What the server consists of: its logins, its settings, and the statements that make them.

use std::fmt::Write as _;
use std::path::Path;

use peaje_model::Secret;
use peaje_throwaway::own_account_name;

use super::Options;
use crate::counters::{quote_account, quote_identifier, quote_literal};

/// The database that is measured.
pub(super) const DATABASE: &str = "peaje";
/// The administrator.
pub(super) const ADMIN: &str = "peaje_admin";

/// A login of the throwaway server, by the way it is authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThrowawayAuth {
    /// No password.
    None,
    /// `mysql_native_password`.
    Native,
    /// `ed25519`.
    Ed25519,
    /// `unix_socket`: the account of this process, over the socket only.
    Socket,
    /// The administrator, by `mysql_native_password`: for the observer.
    Admin,
}

impl ThrowawayAuth {
    /// Every login that is no administrator.
    pub const LOGINS: [ThrowawayAuth; 4] =
        [ThrowawayAuth::None, ThrowawayAuth::Native, ThrowawayAuth::Ed25519, ThrowawayAuth::Socket];

    /// The login's name.
    pub fn user(self) -> String {
        match self {
            ThrowawayAuth::None => "peaje_none".to_owned(),
            ThrowawayAuth::Native => "peaje_native".to_owned(),
            ThrowawayAuth::Ed25519 => "peaje_ed25519".to_owned(),
            // The server compares it with the account at the other end of the socket.
            ThrowawayAuth::Socket => own_account_name().unwrap_or_else(|| "nobody".to_owned()),
            ThrowawayAuth::Admin => ADMIN.to_owned(),
        }
    }

    /// Whether it has a password.
    pub(super) fn has_password(self) -> bool {
        matches!(self, ThrowawayAuth::Native | ThrowawayAuth::Ed25519 | ThrowawayAuth::Admin)
    }

    fn account(self) -> String {
        let host = if self == ThrowawayAuth::Socket { "localhost" } else { "%" };
        quote_account(&format!("{}@{host}", self.user()))
    }

    fn identified(self, password: &str) -> String {
        match self {
            ThrowawayAuth::None => String::new(),
            ThrowawayAuth::Native | ThrowawayAuth::Admin => {
                format!(" identified via mysql_native_password using password({password})")
            }
            ThrowawayAuth::Ed25519 => format!(" identified via ed25519 using password({password})"),
            ThrowawayAuth::Socket => " identified via unix_socket".to_owned(),
        }
    }
}

/// Statements that the server runs before it lets anybody in, one a line: nobody ever finds an administrator without a
/// password.
pub(super) fn statements(password: &Secret) -> String {
    let password = quote_literal(password.expose());
    let mut text = String::from(
        "delete from mysql.global_priv where user <> 'mariadb.sys';\n\
         delete from mysql.proxies_priv;\n\
         flush privileges;\n",
    );
    let database = quote_identifier(DATABASE);
    let _ = writeln!(text, "create database {database};");
    for auth in ThrowawayAuth::LOGINS.into_iter().chain([ThrowawayAuth::Admin]) {
        let (account, identified) = (auth.account(), auth.identified(&password));
        let _ = writeln!(text, "create user {account}{identified};");
        let (rights, on) = match auth {
            ThrowawayAuth::Admin => ("all", "*.*"),
            _ => ("all", "`peaje`.*"),
        };
        let option = if auth == ThrowawayAuth::Admin { " with grant option" } else { "" };
        let _ = writeln!(text, "grant {rights} on {on} to {account}{option};");
    }
    text
}

/// Script that makes the system tables: the server reads it instead of serving.
pub(super) fn bootstrap(scripts: &[String]) -> String {
    // The administrator that the scripts make is removed before anybody can log in.
    let mut text = String::from("create database if not exists mysql;\nuse mysql;\nset @auth_root_socket = null;\n");
    for script in scripts {
        text.push_str(script);
        text.push('\n');
    }
    text
}

/// Settings of both the making and the running of the server. Durability is given up, the data is thrown away.
pub(super) fn storage(folder: &Path) -> Vec<String> {
    let folder = folder.display();
    vec![
        format!("--datadir={folder}/data"),
        format!("--tmpdir={folder}/tmp"),
        "--innodb-data-file-path=ibdata1:4M:autoextend".to_owned(),
        "--innodb-temp-data-file-path=ibtmp1:1M:autoextend".to_owned(),
        "--innodb-log-file-size=4M".to_owned(),
        "--innodb-buffer-pool-size=8M".to_owned(),
        "--innodb-flush-method=nosync".to_owned(),
        "--innodb-flush-log-at-trx-commit=0".to_owned(),
        "--innodb-doublewrite=0".to_owned(),
    ]
}

/// Settings of the running server; what a login costs is left as it comes. With them the performance schema costs a
/// login nothing that could be measured: it holds the session's attributes (whose session is whose, by program name)
/// and the kind of its connection, and watches nothing.
pub(super) fn service(folder: &Path, port: u16, options: &Options) -> Vec<String> {
    let path = folder.display();
    let threads = options.max_connections.saturating_add(100);
    let mut settings = vec![
        format!("--socket={path}/{SOCKET}"),
        format!("--pid-file={path}/{PID_FILE}"),
        format!("--init-file={path}/{INIT_FILE}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--port={port}"),
        "--skip-name-resolve".to_owned(),
        format!("--max-connections={}", options.max_connections),
        format!("--ssl-cert={path}/server.crt"),
        format!("--ssl-key={path}/server.key"),
        "--plugin-load-add=auth_ed25519".to_owned(),
        "--performance-schema=ON".to_owned(),
        "--performance-schema-instrument=%=OFF".to_owned(),
        format!("--performance-schema-max-thread-instances={threads}"),
    ];
    settings.extend(UNUSED_BUFFERS.iter().map(|name| format!("--performance-schema-{name}=0")));
    settings.extend(options.settings.iter().map(|(name, value)| format!("--{name}={value}")));
    settings
}

/// The socket's name in the folder.
pub(super) const SOCKET: &str = "socket";
/// File with the server's process id.
pub(super) const PID_FILE: &str = "pid";
/// File with [`statements`].
pub(super) const INIT_FILE: &str = "init.sql";

/// Memory of the performance schema for what is not watched.
const UNUSED_BUFFERS: [&str; 14] = [
    "digests-size",
    "max-mutex-instances",
    "max-rwlock-instances",
    "max-cond-instances",
    "max-file-instances",
    "max-socket-instances",
    "max-table-instances",
    "max-table-handles",
    "max-statement-classes",
    "max-memory-classes",
    "events-waits-history-long-size",
    "events-stages-history-long-size",
    "events-statements-history-long-size",
    "events-transactions-history-long-size",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_administrator_has_rights_everywhere_and_never_without_a_password() {
        let text = statements(&Secret::new("s3cret".to_owned()));
        let everywhere: Vec<&str> = text.lines().filter(|line| line.contains(" *.* ")).collect();
        assert_eq!(everywhere, ["grant all on *.* to `peaje_admin`@`%` with grant option;"]);
        let admin = text.lines().find(|line| line.starts_with("create user `peaje_admin`")).expect("made");
        assert!(admin.ends_with("identified via mysql_native_password using password('s3cret');"));
        assert_eq!(text.lines().filter(|line| line.contains("s3cret")).count(), 3);
        assert!(text.lines().all(|line| line.ends_with(';')), "one statement a line");
    }

    #[test]
    fn what_the_caller_sets_comes_last_and_wins() {
        let options = Options { settings: vec![("skip-name-resolve".into(), "OFF".into())], ..Options::default() };
        let service = service(Path::new("/tmp/a"), 5, &options);
        assert_eq!(service.last().map(String::as_str), Some("--skip-name-resolve=OFF"));
        assert!(service.contains(&"--socket=/tmp/a/socket".to_owned()));
    }
}
