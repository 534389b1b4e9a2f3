//! The throwaway server, started.

use std::path::{Path, PathBuf};

use peaje_model::Secret;
use peaje_throwaway::{Server, random_password};

use super::contents::{DATABASE, SOCKET};
use super::recipe::MariadbRecipe;
use super::{CertificateState, ServerKeyKind, ThrowawayAuth, ThrowawayError, binaries};
use crate::config::{BareSurroundings, Config, SslMode};

/// How the throwaway server is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// `max_connections`.
    pub max_connections: u32,
    /// Kind of the server's key.
    pub server_key: ServerKeyKind,
    /// State of the server's certificate.
    pub certificate: CertificateState,
    /// Folder of `mariadbd`; `None` = looked for.
    pub bindir: Option<PathBuf>,
    /// Further settings, as options of the server without the dashes.
    pub settings: Vec<(String, String)>,
    /// Variables of the server's environment.
    pub environment: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_connections: 300,
            server_key: ServerKeyKind::default(),
            certificate: CertificateState::default(),
            bindir: None,
            settings: Vec::new(),
            environment: Vec::new(),
        }
    }
}

/// A private MariaDB server. It stops, and its folder goes, when this value is dropped or this process ends.
#[derive(Debug)]
pub struct ThrowawayMariadb {
    server: Server,
    bindir: PathBuf,
    password: Secret,
}

impl ThrowawayMariadb {
    /// Makes and starts a server: one to three seconds. It blocks; within an asynchronous program call it where
    /// blocking is allowed.
    pub fn start(options: &Options) -> Result<Self, ThrowawayError> {
        let installation = binaries::find(options.bindir.as_deref())?;
        let bindir = installation.bindir.clone();
        let password = random_password();
        let recipe = MariadbRecipe { installation, options, password: password.clone() };
        Ok(Self { server: Server::start(&recipe)?, bindir, password })
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// Process id of the server.
    pub fn server_pid(&self) -> Option<u32> {
        Some(self.server.pid())
    }

    /// The temporary folder.
    pub fn folder(&self) -> &Path {
        self.server.folder()
    }

    /// The Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.server.folder().join(SOCKET)
    }

    /// Folder of the server's binary.
    pub fn bindir(&self) -> &Path {
        &self.bindir
    }

    /// Certificate of the authority that signed the server's: for `ssl-ca`.
    pub fn root_certificate(&self) -> PathBuf {
        self.server.root_certificate()
    }

    /// The database that is measured.
    pub fn database(&self) -> &'static str {
        DATABASE
    }

    /// The password of every login that has one.
    pub fn password(&self) -> &Secret {
        &self.password
    }

    /// Where and how to log in, whatever variables and option files say: over TCP, and over the socket for
    /// [`ThrowawayAuth::Socket`].
    pub fn config(&self, auth: ThrowawayAuth, ssl_mode: SslMode) -> Config {
        if auth == ThrowawayAuth::Socket {
            return self.socket_config(auth);
        }
        let url = format!("mysql://peaje@127.0.0.1:{}/{DATABASE}", self.port());
        self.fill(&url, auth, ssl_mode)
    }

    /// The same over the Unix socket, without TLS.
    pub fn socket_config(&self, auth: ThrowawayAuth) -> Config {
        let mut config = self.fill(&format!("mysql://peaje@localhost/{DATABASE}"), auth, SslMode::Disabled);
        config.endpoints = vec![peaje_engine::Endpoint::Unix { path: self.socket() }];
        config
    }

    /// The last lines of the server's log.
    pub fn log_tail(&self) -> String {
        self.server.log_tail()
    }

    /// Stops the server and removes its folder; dropping does the same, silently.
    pub fn stop(self) -> Result<(), ThrowawayError> {
        self.server.stop()
    }

    fn fill(&self, url: &str, auth: ThrowawayAuth, ssl_mode: SslMode) -> Config {
        let mut config = Config::parse(url, &BareSurroundings).expect("a URL made here is well formed");
        config.user = auth.user();
        config.password = auth.has_password().then(|| self.password.clone());
        config.ssl_mode = ssl_mode;
        // Roots are for the modes that verify.
        config.ssl_ca = (ssl_mode >= SslMode::VerifyCa).then(|| self.root_certificate());
        config
    }
}
