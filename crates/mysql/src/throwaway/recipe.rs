//! What makes a throwaway server MariaDB: its system tables, one file of statements, and `mariadbd`.

use peaje_model::Secret;
use peaje_throwaway::{CertificateState, CommandLine, Folder, Recipe, ServerKeyKind, Started, ThrowawayError};

use super::Options;
use super::binaries::{Installation, SERVER};
use super::contents::{self, INIT_FILE};
use super::login::Login;

/// Script of the system tables.
const BOOTSTRAP_FILE: &str = "bootstrap.sql";

pub(super) struct MariadbRecipe<'a> {
    pub(super) installation: Installation,
    pub(super) options: &'a Options,
    pub(super) password: Secret,
}

impl MariadbRecipe<'_> {
    /// `--no-defaults` comes first, or the server reads the files of this machine.
    fn command(&self, folder: &Folder) -> CommandLine {
        let mut base = std::ffi::OsString::from("--basedir=");
        base.push(&self.installation.base);
        let server = self.installation.bindir.join(SERVER);
        let command = match self.options.environment.as_slice() {
            [] => CommandLine::new(server),
            // It becomes the server: the process is the same.
            variables => CommandLine::new("/usr/bin/env")
                .args(variables.iter().map(|(name, value)| format!("{name}={value}")))
                .arg(server),
        };
        command.arg("--no-defaults").arg(base).args(contents::storage(folder.path()))
    }

    fn scripts(&self) -> Result<Vec<String>, ThrowawayError> {
        let read = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path).map_err(|error| ThrowawayError::Unfit {
                product: Self::PRODUCT,
                folder: self.installation.bindir.clone(),
                reason: format!("{}: {error}", path.display()),
            })
        };
        self.installation.scripts.iter().map(read).collect()
    }
}

impl Recipe for MariadbRecipe<'_> {
    const PRODUCT: &'static str = "MariaDB";
    const PREFIX: &'static str = "peaje-mariadb-";
    const ACCOUNTS: &'static [&'static str] = &["mysql", "nobody"];
    // A polite end would only write what is thrown away.
    const STOP_SIGNALS: &'static str = "KILL";

    fn identity(&self) -> (ServerKeyKind, CertificateState) {
        (self.options.server_key, self.options.certificate)
    }

    fn before_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        for name in ["data", "data/mysql", "tmp"] {
            folder.make_folder(name)?;
        }
        folder.write(BOOTSTRAP_FILE, &contents::bootstrap(&self.scripts()?))
    }

    fn initialise(&self, folder: &Folder) -> CommandLine {
        self.command(folder).args(["--bootstrap", "--log-warnings=0"]).input(folder.join(BOOTSTRAP_FILE))
    }

    fn after_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        folder.remove(BOOTSTRAP_FILE)?;
        folder.write(INIT_FILE, &contents::statements(&self.password))
    }

    fn configure(&self, _folder: &Folder, _port: u16) -> Result<(), ThrowawayError> {
        Ok(())
    }

    fn serve(&self, folder: &Folder, port: u16) -> CommandLine {
        self.command(folder).args(contents::service(folder.path(), port, self.options))
    }

    fn port_was_taken(&self, log: &str) -> bool {
        log.contains("Bind on TCP/IP port")
    }

    async fn is_ready(&self, started: &Started) -> Result<(), String> {
        Login { started, password: &self.password }.by_socket().await
    }

    async fn prepare(&self, started: &Started) -> Result<(), ThrowawayError> {
        Login { started, password: &self.password }.prove().await?;
        // It has been read, and holds the password.
        started.folder.remove(INIT_FILE)
    }
}
