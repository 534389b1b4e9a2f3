//! What makes a throwaway server PostgreSQL: `initdb`, its two files, and `postgres`.

use std::path::PathBuf;

use peaje_model::Secret;
use peaje_throwaway::{CertificateState, CommandLine, Folder, Recipe, ServerKeyKind, Started, ThrowawayError};

use super::ThrowawayOptions;
use super::contents::{self, ADMIN};
use super::readiness::Login;

/// The superuser's password for initdb.
const PASSWORD_FILE: &str = "password";

pub(super) struct PostgresRecipe<'a> {
    pub(super) bindir: PathBuf,
    pub(super) options: &'a ThrowawayOptions,
    pub(super) password: Secret,
}

impl Recipe for PostgresRecipe<'_> {
    const PRODUCT: &'static str = "PostgreSQL";
    const PREFIX: &'static str = "peaje-pg-";
    const ACCOUNTS: &'static [&'static str] = &["postgres", "nobody"];
    // Fast shutdown (sessions are ended), immediate shutdown, force.
    const STOP_SIGNALS: &'static str = "INT QUIT KILL";

    fn identity(&self) -> (ServerKeyKind, CertificateState) {
        (self.options.server_key, self.options.certificate)
    }

    fn before_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        folder.write(PASSWORD_FILE, self.password.expose())
    }

    fn initialise(&self, folder: &Folder) -> CommandLine {
        let mut password_file = std::ffi::OsString::from("--pwfile=");
        password_file.push(folder.join(PASSWORD_FILE));
        CommandLine::new(self.bindir.join("initdb"))
            .arg("-D")
            .arg(folder.join("data"))
            .args(["-U", ADMIN])
            .arg(password_file)
            .args(["-N", "--locale=C", "--encoding=UTF8", "--auth=scram-sha-256"])
    }

    fn after_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        folder.remove(PASSWORD_FILE)?;
        folder.write("data/pg_hba.conf", &contents::access())
    }

    fn configure(&self, folder: &Folder, port: u16) -> Result<(), ThrowawayError> {
        folder.write("data/postgresql.conf", &contents::settings(folder.path(), port, self.options))
    }

    fn serve(&self, folder: &Folder, port: u16) -> CommandLine {
        CommandLine::new(self.bindir.join("postgres"))
            .arg("-D")
            .arg(folder.join("data"))
            .args(["-p".to_owned(), port.to_string()])
    }

    fn port_was_taken(&self, log: &str) -> bool {
        log.contains("could not bind")
    }

    async fn is_ready(&self, started: &Started) -> Result<(), String> {
        Login { started, password: &self.password }.by_socket().await
    }

    async fn prepare(&self, started: &Started) -> Result<(), ThrowawayError> {
        Login { started, password: &self.password }.prepare().await
    }
}
