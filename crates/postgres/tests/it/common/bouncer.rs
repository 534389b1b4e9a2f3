//! A PgBouncer in a folder of its own, in front of a throwaway server.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use peaje_model::Secret;
use peaje_postgres::config::{BareSurroundings, Config};
use peaje_postgres::throwaway::ThrowawayCluster;

/// A PgBouncer that is killed when it goes out of scope.
pub(crate) struct Bouncer {
    child: Child,
    pub(crate) port: u16,
    folder: tempfile::TempDir,
}

impl Bouncer {
    /// One that lends its only server session for a transaction.
    pub(crate) fn start(server: &ThrowawayCluster) -> Self {
        Self::with(server, "pool_mode = transaction\ndefault_pool_size = 1\n", "UTC")
    }

    /// One with these settings, in this time zone.
    pub(crate) fn with(server: &ThrowawayCluster, settings: &str, zone: &str) -> Self {
        let port = free_port();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\npeaje = host=127.0.0.1 port={} dbname=peaje user=peaje_trust\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\nadmin_users = peaje_trust\n\
             unix_socket_dir = {}\n{settings}",
            server.port(),
            folder.path().display(),
        );
        std::fs::write(&file, text).expect("written");
        let mut command = Command::new("pgbouncer");
        command.arg(&file).env("TZ", zone).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if rustix::process::geteuid().is_root() {
            // Like PostgreSQL it refuses to be root: it runs as the server does.
            let (uid, gid) = owner(server.folder());
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("root may");
            command.uid(uid).gid(gid);
        }
        let child = command.spawn().expect("PgBouncer is installed (package pgbouncer)");
        Self { child, port, folder }
    }

    pub(crate) fn connection_string(&self, database: &str) -> Secret {
        Secret::new(format!("host=127.0.0.1 port={} user=peaje_trust dbname={database} sslmode=disable", self.port))
    }

    /// Over its Unix socket.
    pub(crate) fn socket_string(&self, database: &str) -> Secret {
        let folder = self.folder.path().display();
        Secret::new(format!("host='{folder}' port={} user=peaje_trust dbname={database}", self.port))
    }

    pub(crate) fn config(&self, database: &str) -> Config {
        Config::parse(self.connection_string(database).expose(), &BareSurroundings).expect("well formed")
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Who owns a folder: whom a throwaway server runs as.
pub(crate) fn owner(path: &Path) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).expect("the server's folder");
    (found.uid(), found.gid())
}

/// A port below those that the system gives to clients.
pub(crate) fn free_port() -> u16 {
    let first = 10_000 + u16::try_from(std::process::id() % 1_000).expect("below 1,000");
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..12_000).find(free).expect("a free port")
}
