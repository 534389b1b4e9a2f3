//! The throwaway server, started.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use peaje_model::Secret;

use super::account::{Account, other_account};
use super::certificate::{self, ServerIdentity};
use super::contents::{self, ADMIN, DATABASE, random_password};
use super::guard::{Event, Guard};
use super::port::free_port;
use super::readiness::{Started, log_tail};
use super::{CertificateState, ServerKeyKind, ThrowawayAuth, ThrowawayError, binaries};
use crate::config::{BareSurroundings, Config, SslMode};

const INITDB_LIMIT: Duration = Duration::from_secs(120);
/// Another process may take the port between the test and the start.
const PORT_TRIES: u32 = 5;
/// The system's limit for the path of a Unix socket is 107 bytes.
const LONGEST_FOLDER: usize = 70;

/// How the throwaway server is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrowawayOptions {
    /// Kind of the server's key.
    pub server_key: ServerKeyKind,
    /// State of the server's certificate.
    pub certificate: CertificateState,
    /// `max_connections`.
    pub max_connections: u32,
    /// Folder of `initdb` and `postgres`; `None` = looked for.
    pub bindir: Option<PathBuf>,
    /// Further settings for `postgresql.conf`.
    pub settings: Vec<(String, String)>,
}

impl Default for ThrowawayOptions {
    fn default() -> Self {
        Self {
            server_key: ServerKeyKind::default(),
            certificate: CertificateState::default(),
            max_connections: 300,
            bindir: None,
            settings: Vec::new(),
        }
    }
}

/// A private PostgreSQL server. It stops, and its folder goes, when this value is dropped or this process ends.
#[derive(Debug)]
pub struct ThrowawayCluster {
    guard: Guard,
    folder: PathBuf,
    bindir: PathBuf,
    port: u16,
    pid: u32,
    password: Secret,
}

impl ThrowawayCluster {
    /// Makes and starts a server: one to three seconds. It blocks; within an asynchronous program call it where
    /// blocking is allowed.
    pub fn start(options: &ThrowawayOptions) -> Result<Self, ThrowawayError> {
        let bindir = options.bindir.clone().map_or_else(binaries::find, Ok)?;
        let account = other_account()?;
        let password = random_password();
        let folder = make_folder(account)?;
        write_private(&folder.path().join("password"), password.expose(), account)?;
        let mut guard = Guard::start(folder.path(), &bindir, ADMIN, account)?;
        let folder = folder.keep();

        // The key takes as long as initdb: both at once.
        let identity = certificate::make(options.server_key, options.certificate)?;
        wait_for_initdb(&guard, &bindir, &folder)?;
        write_identity(&folder, &identity, account)?;
        remove(&folder.join("password"))?;
        let (port, pid) = run(&mut guard, &folder, options, &password, account)?;
        Ok(Self { guard, folder, bindir, port, pid, password })
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Process id of the postmaster.
    pub fn postmaster_pid(&self) -> u32 {
        self.pid
    }

    /// The temporary folder; the Unix socket is in it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Folder of the binaries in use.
    pub fn bindir(&self) -> &Path {
        &self.bindir
    }

    /// Certificate of the authority that signed the server's: for `sslrootcert`.
    pub fn root_certificate(&self) -> PathBuf {
        self.folder.join("root.crt")
    }

    /// The database that is measured.
    pub fn database(&self) -> &'static str {
        DATABASE
    }

    /// The password of every login but the one by trust.
    pub fn password(&self) -> &Secret {
        &self.password
    }

    /// A connection string over TCP, password included: not for the eyes of a person.
    pub fn connection_string(&self, auth: ThrowawayAuth, ssl_mode: SslMode) -> Secret {
        self.string("127.0.0.1", auth, ssl_mode)
    }

    /// A connection string over the Unix socket, password included.
    pub fn socket_string(&self, auth: ThrowawayAuth) -> Secret {
        self.string(&self.folder.display().to_string(), auth, SslMode::Disable)
    }

    /// The same as a configuration, whatever `PG*` variables and files say.
    pub fn config(&self, auth: ThrowawayAuth, ssl_mode: SslMode) -> Config {
        Config::parse(self.connection_string(auth, ssl_mode).expose(), &BareSurroundings)
            .expect("a string made here is well formed")
    }

    /// The last lines of the server's log.
    pub fn log_tail(&self) -> String {
        log_tail(&self.folder)
    }

    /// Stops the server and removes its folder; dropping does the same, silently.
    pub fn stop(mut self) -> Result<(), ThrowawayError> {
        self.guard.stop()
    }

    fn string(&self, host: &str, auth: ThrowawayAuth, ssl_mode: SslMode) -> Secret {
        let quote = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        let mut text = format!(
            "host={} port={} dbname={DATABASE} user={} sslmode={}",
            quote(host),
            self.port,
            auth.user(),
            ssl_mode.name(),
        );
        // With a root certificate even `require` checks the issuer: only where that was asked for.
        if ssl_mode >= SslMode::VerifyCa {
            text.push_str(" sslrootcert=");
            text.push_str(&quote(&self.root_certificate().display().to_string()));
        }
        if auth != ThrowawayAuth::Trust {
            text.push_str(" password=");
            text.push_str(&quote(self.password.expose()));
        }
        Secret::new(text)
    }
}

fn wait_for_initdb(guard: &Guard, bindir: &Path, folder: &Path) -> Result<(), ThrowawayError> {
    match guard.event(INITDB_LIMIT)? {
        Event::Initdb(0) => Ok(()),
        Event::Initdb(status) | Event::Exited(status) => {
            Err(ThrowawayError::Initdb { bindir: bindir.to_owned(), status, log: log_tail(folder) })
        }
        Event::Postgres(_) => Err(ThrowawayError::Guard(std::io::ErrorKind::InvalidData.into())),
    }
}

/// Starts the server on a free port; returns port and process id.
fn run(
    guard: &mut Guard,
    folder: &Path,
    options: &ThrowawayOptions,
    password: &Secret,
    account: Option<Account>,
) -> Result<(u16, u32), ThrowawayError> {
    write_private(&folder.join("data/pg_hba.conf"), &contents::access(), account)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let port = free_port()?;
        write_private(&folder.join("data/postgresql.conf"), &contents::settings(folder, port, options), account)?;
        guard.start_server(port)?;
        let pid = match guard.event(Duration::from_secs(10))? {
            Event::Postgres(pid) => pid,
            Event::Initdb(status) | Event::Exited(status) => {
                return Err(ThrowawayError::Exited { status, log: log_tail(folder) });
            }
        };
        match block_on(Started { folder, port, pid, password }.prepare(guard)) {
            Ok(()) => return Ok((port, pid)),
            Err(ThrowawayError::Exited { log, .. }) if tries < PORT_TRIES && log.contains("could not bind") => {}
            Err(error) => return Err(error),
        }
    }
}

/// Runs a future on a runtime of its own in a thread of its own: the caller may be inside a runtime.
fn block_on<T: Send>(future: impl Future<Output = Result<T, ThrowawayError>> + Send) -> Result<T, ThrowawayError> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(ThrowawayError::Guard)?;
                runtime.block_on(future)
            })
            .join()
            .unwrap_or_else(|_| Err(ThrowawayError::Prepare("the preparing thread panicked".to_owned())))
    })
}

/// A new folder that only the server's account can enter.
fn make_folder(account: Option<Account>) -> Result<tempfile::TempDir, ThrowawayError> {
    let mut parent = std::env::temp_dir();
    if parent.as_os_str().len() > LONGEST_FOLDER {
        parent = PathBuf::from("/tmp");
    }
    let failed = |source| ThrowawayError::Folder { path: parent.clone(), source };
    // The server tells its data folder without symbolic links.
    let parent = parent.canonicalize().map_err(failed)?;
    let folder = tempfile::Builder::new().prefix("peaje-pg-").tempdir_in(&parent).map_err(failed)?;
    give(folder.path(), account)?;
    Ok(folder)
}

fn write_identity(folder: &Path, identity: &ServerIdentity, account: Option<Account>) -> Result<(), ThrowawayError> {
    write_private(&folder.join("server.key"), &identity.key, account)?;
    write_private(&folder.join("server.crt"), &identity.certificate, account)?;
    write_private(&folder.join("root.crt"), &identity.authority, account)
}

/// Writes a file that only the server's account can read.
fn write_private(path: &Path, text: &str, account: Option<Account>) -> Result<(), ThrowawayError> {
    let failed = |source| ThrowawayError::Folder { path: path.to_owned(), source };
    std::fs::write(path, text).map_err(failed)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    give(path, account)
}

fn give(path: &Path, account: Option<Account>) -> Result<(), ThrowawayError> {
    let Some(account) = account else { return Ok(()) };
    std::os::unix::fs::chown(path, Some(account.uid), Some(account.gid))
        .map_err(|source| ThrowawayError::Folder { path: path.to_owned(), source })
}

fn remove(path: &Path) -> Result<(), ThrowawayError> {
    std::fs::remove_file(path).map_err(|source| ThrowawayError::Folder { path: path.to_owned(), source })
}
