//! The observer behind PgBouncer: it says so, and leaves nothing on the sessions that others will get.
//!
//! PgBouncer has to be installed (package `pgbouncer`); without it this test fails and says so.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use peaje_engine::Observer;
use peaje_model::Segment;
use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::counters::{ObserverOptions, PgObserver};
use peaje_postgres::throwaway::{ThrowawayCluster, ThrowawayOptions};

/// A PgBouncer that is killed when it goes out of scope.
struct Bouncer {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Bouncer {
    fn start(server: &ThrowawayCluster) -> Self {
        let port = free_port_below_the_ephemeral_range();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\npeaje = host=127.0.0.1 port={} dbname=peaje user=peaje_trust\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\nadmin_users = peaje_trust\n\
             pool_mode = transaction\ndefault_pool_size = 1\nunix_socket_dir =\n",
            server.port()
        );
        std::fs::write(&settings, text).expect("written");
        let mut command = Command::new("pgbouncer");
        command.arg(&settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if rustix::process::geteuid().is_root() {
            // Like PostgreSQL it refuses to be root: it runs as the server does.
            let (uid, gid) = owner(server.folder());
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("root may");
            command.uid(uid).gid(gid);
        }
        let child = command.spawn().expect("PgBouncer is installed (package pgbouncer)");
        Self { child, port, folder }
    }

    fn config(&self, database: &str) -> Config {
        assert!(self.folder.path().exists());
        let text = format!("host=127.0.0.1 port={} user=peaje_trust dbname={database} sslmode=disable", self.port);
        Config::parse(&text, &BareSurroundings).expect("well formed")
    }

    async fn observe(&self, database: &str) -> PgObserver {
        let options = ObserverOptions {
            ssl_mode: SslMode::Disable,
            application_name: "peaje".to_owned(),
            endpoint: None,
            skip: Vec::new(),
        };
        let started = Instant::now();
        loop {
            match PgObserver::connect(&self.config(database), &options).await {
                Ok(observer) => return observer,
                Err(failure) => assert!(started.elapsed() < Duration::from_secs(20), "{failure}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn owner(path: &Path) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).expect("the server's folder");
    (found.uid(), found.gid())
}

fn free_port_below_the_ephemeral_range() -> u16 {
    let first = 10_000 + u16::try_from(std::process::id() % 1_000).expect("below 1,000");
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..12_000).find(free).expect("a free port")
}

#[tokio::test]
async fn a_pooler_is_noticed_and_its_sessions_are_left_as_they_were() {
    let server = ThrowawayCluster::start(&ThrowawayOptions::default()).expect("PostgreSQL is installed");
    let bouncer = Bouncer::start(&server);
    let mut observer = bouncer.observe("peaje").await;
    let seen = observer.what_answered().await.expect("it answers");
    assert_eq!(seen.product, "PostgreSQL");
    assert_eq!(seen.segment, Segment::SomethingBetween);
    observer.counters().await.expect("readable through a pooler");
    observer.sample().await.expect("readable through a pooler");

    // The pool has one session, which the next client gets.
    let connection = format!("host=127.0.0.1 port={} user=peaje_trust dbname=peaje sslmode=disable", bouncer.port);
    let show = "select current_setting('statement_timeout'), current_setting('default_transaction_read_only')";
    let next = Command::new("psql").args(["--no-psqlrc", "-At", "-c", show, &connection]).output().expect("psql");
    assert_eq!(String::from_utf8_lossy(&next.stdout).trim(), "0|off", "{}", String::from_utf8_lossy(&next.stderr));
}

#[tokio::test]
async fn the_console_is_named_and_has_no_counters() {
    let server = ThrowawayCluster::start(&ThrowawayOptions::default()).expect("PostgreSQL is installed");
    let bouncer = Bouncer::start(&server);
    let mut observer = bouncer.observe("pgbouncer").await;
    let seen = observer.what_answered().await.expect("it answers");
    assert_eq!(seen.product, "PgBouncer");
    assert!(seen.version.is_some_and(|v| v.starts_with("1.")));
    let gap = observer.counters().await.expect_err("it has none");
    assert!(gap.why.contains("console"), "{gap:?}");
}
