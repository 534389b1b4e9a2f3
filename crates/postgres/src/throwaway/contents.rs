//! What the cluster consists of: its settings, who may log in how, and its logins.

use std::fmt::Write as _;
use std::path::Path;

use peaje_model::Secret;

use super::ThrowawayOptions;
use crate::counters::{quote_identifier, quote_literal};

/// The superuser.
pub(super) const ADMIN: &str = "peaje_admin";
/// The database that is measured.
pub(super) const DATABASE: &str = "peaje";

/// A login of the throwaway server, by the way it is authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThrowawayAuth {
    /// No password.
    Trust,
    /// Password in clear.
    Password,
    /// MD5 challenge.
    Md5,
    /// SCRAM-SHA-256.
    Scram,
    /// The superuser, by SCRAM: for the observer.
    Admin,
}

impl ThrowawayAuth {
    /// Every login that is no superuser.
    pub const LOGINS: [ThrowawayAuth; 4] =
        [ThrowawayAuth::Trust, ThrowawayAuth::Password, ThrowawayAuth::Md5, ThrowawayAuth::Scram];

    /// The role's name.
    pub const fn user(self) -> &'static str {
        match self {
            ThrowawayAuth::Trust => "peaje_trust",
            ThrowawayAuth::Password => "peaje_password",
            ThrowawayAuth::Md5 => "peaje_md5",
            ThrowawayAuth::Scram => "peaje_scram",
            ThrowawayAuth::Admin => ADMIN,
        }
    }

    /// The method in `pg_hba.conf`.
    const fn method(self) -> &'static str {
        match self {
            ThrowawayAuth::Trust => "trust",
            ThrowawayAuth::Password => "password",
            ThrowawayAuth::Md5 => "md5",
            ThrowawayAuth::Scram | ThrowawayAuth::Admin => "scram-sha-256",
        }
    }
}

/// `postgresql.conf`. Durability is given up, the data is thrown away; what a login costs is left as it comes.
pub(super) fn settings(folder: &Path, port: u16, options: &ThrowawayOptions) -> String {
    let mut text = String::from("# made by peaje for a throwaway server\n");
    let folder = folder.display().to_string();
    let mut set = |name: &str, value: &str| {
        let _ = writeln!(text, "{name} = '{}'", value.replace('\\', "\\\\").replace('\'', "''"));
    };
    set("listen_addresses", "127.0.0.1");
    set("port", &port.to_string());
    set("unix_socket_directories", &folder);
    set("max_connections", &options.max_connections.to_string());
    set("ssl", "on");
    set("ssl_cert_file", &format!("{folder}/server.crt"));
    set("ssl_key_file", &format!("{folder}/server.key"));
    set("password_encryption", "scram-sha-256");
    for name in ["fsync", "synchronous_commit", "full_page_writes", "logging_collector"] {
        set(name, "off");
    }
    set("timezone", "UTC");
    set("log_timezone", "UTC");
    set("lc_messages", "C");
    for (name, value) in &options.settings {
        set(name, value);
    }
    text
}

/// `pg_hba.conf`: only from this machine, each login by its own method, nobody else.
pub(super) fn access() -> String {
    let mut text = String::from("# made by peaje for a throwaway server\n");
    for auth in ThrowawayAuth::LOGINS.into_iter().chain([ThrowawayAuth::Admin]) {
        let (user, method) = (auth.user(), auth.method());
        let _ = writeln!(text, "local all {user} {method}\nhost all {user} 127.0.0.0/8 {method}");
    }
    text
}

/// Statements that make the logins and the database, each on its own.
pub(super) fn statements(password: &Secret) -> Vec<String> {
    let password = quote_literal(password.expose());
    let mut statements = Vec::new();
    for auth in ThrowawayAuth::LOGINS {
        let stored = if auth == ThrowawayAuth::Md5 { "md5" } else { "scram-sha-256" };
        let user = quote_identifier(auth.user());
        statements.push(format!("set password_encryption = '{stored}'"));
        statements.push(match auth {
            ThrowawayAuth::Trust => format!("create role {user} login"),
            _ => format!("create role {user} login password {password}"),
        });
    }
    statements.push(format!("create database {}", quote_identifier(DATABASE)));
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_comes_in_without_a_line_and_the_superuser_never_without_a_password() {
        let access = access();
        assert!(!access.contains(" all all "));
        assert!(access.lines().filter(|l| l.contains(ADMIN)).all(|l| l.ends_with("scram-sha-256")));
        assert_eq!(access.lines().filter(|l| l.ends_with(" trust")).count(), 2);
    }

    #[test]
    fn settings_are_quoted() {
        let options = ThrowawayOptions { settings: vec![("x.y".into(), "it's \\".into())], ..Default::default() };
        let text = settings(Path::new("/tmp/a"), 5, &options);
        assert!(text.contains("x.y = 'it''s \\\\'\n"));
        assert!(text.contains("unix_socket_directories = '/tmp/a'\n"));
    }
}
