//! The throwaway cluster, started.

use std::path::{Path, PathBuf};

use peaje_model::Secret;
use peaje_throwaway::{Server, random_password};

use super::contents::DATABASE;
use super::recipe::PostgresRecipe;
use super::{CertificateState, ServerKeyKind, ThrowawayAuth, ThrowawayError, binaries};
use crate::config::{BareSurroundings, Config, SslMode};

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
    server: Server,
    bindir: PathBuf,
    password: Secret,
}

impl ThrowawayCluster {
    /// Makes and starts a server: one to three seconds. It blocks; within an asynchronous program call it where
    /// blocking is allowed.
    pub fn start(options: &ThrowawayOptions) -> Result<Self, ThrowawayError> {
        let bindir = options.bindir.clone().map_or_else(binaries::find, Ok)?;
        let password = random_password();
        let recipe = PostgresRecipe { bindir: bindir.clone(), options, password: password.clone() };
        Ok(Self { server: Server::start(&recipe)?, bindir, password })
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// Process id of the postmaster.
    pub fn postmaster_pid(&self) -> u32 {
        self.server.pid()
    }

    /// The temporary folder; the Unix socket is in it.
    pub fn folder(&self) -> &Path {
        self.server.folder()
    }

    /// Folder of the binaries in use.
    pub fn bindir(&self) -> &Path {
        &self.bindir
    }

    /// Certificate of the authority that signed the server's: for `sslrootcert`.
    pub fn root_certificate(&self) -> PathBuf {
        self.server.root_certificate()
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
        self.string(&self.folder().display().to_string(), auth, SslMode::Disable)
    }

    /// The same as a configuration, whatever `PG*` variables and files say.
    pub fn config(&self, auth: ThrowawayAuth, ssl_mode: SslMode) -> Config {
        Config::parse(self.connection_string(auth, ssl_mode).expose(), &BareSurroundings)
            .expect("a string made here is well formed")
    }

    /// The last lines of the server's log.
    pub fn log_tail(&self) -> String {
        self.server.log_tail()
    }

    /// Stops the server and removes its folder; dropping does the same, silently.
    pub fn stop(self) -> Result<(), ThrowawayError> {
        self.server.stop()
    }

    fn string(&self, host: &str, auth: ThrowawayAuth, ssl_mode: SslMode) -> Secret {
        let quote = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        let mut text = format!(
            "host={} port={} dbname={DATABASE} user={} sslmode={}",
            quote(host),
            self.port(),
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
