//! What a reference server is started with.
//!
//! Delays and faults are per login, on timers of that login alone: a delay of 100 ms at 50 logins in flight leaves
//! 500 logins a second, as a far directory service would.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Auth, AuthCache, Protocol, SqlServerOptions};

/// Databases whose name begins like this do not exist, whichever protocol is spoken; every other name does.
pub const MISSING_DATABASE: &str = "missing_";

/// Whether there is no database of this name.
pub(crate) fn is_missing(database: &str) -> bool {
    let beginning = database.as_bytes().get(..MISSING_DATABASE.len());
    beginning.is_some_and(|bytes| bytes.eq_ignore_ascii_case(MISSING_DATABASE.as_bytes()))
}

/// Everything a server is started with. [`ServerOptions::default`] is a server on a free loopback port that trusts
/// everybody, without TLS.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// What it speaks.
    pub protocol: Protocol,
    /// Address to listen on. Port 0 = a free port below the ephemeral range, so that no client's own port can take it.
    pub listen: SocketAddr,
    /// How users prove who they are.
    pub auth: Auth,
    /// Whether TLS is offered.
    pub tls: TlsSetting,
    /// Sessions at most; `None` = as many as one process may open files, or as there may be processes
    /// ([`Protocol::default_sessions`] is another choice). Never more than [`Protocol::most_sessions`].
    pub max_sessions: Option<u32>,
    /// Time added before steps.
    pub delays: Delays,
    /// What goes wrong on purpose.
    pub faults: Faults,
    /// What serves a session.
    pub model: Model,
    /// Where the server runs.
    pub home: Home,
    /// Private memory that each session has and touches, bytes: when it is let in, and again at each request.
    pub session_memory: u64,
    /// Memory that all sessions share, bytes, touched once at the start.
    pub shared_memory: u64,
    /// Event loops, at least one; of a server of several processes, in each.
    pub threads: usize,
    /// Whether TLS sessions may be resumed.
    pub resumption: Resumption,
    /// Whether `caching_sha2_password` caches.
    pub auth_cache: AuthCache,
    /// What only SQL Server's protocol has.
    pub sql_server: SqlServerOptions,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            auth: Auth::Trust,
            tls: TlsSetting::Off,
            max_sessions: None,
            delays: Delays::default(),
            faults: Faults::default(),
            model: Model::default(),
            home: Home::default(),
            session_memory: 0,
            shared_memory: 0,
            threads: 1,
            resumption: Resumption::default(),
            auth_cache: AuthCache::default(),
            sql_server: SqlServerOptions::default(),
        }
    }
}

/// What serves a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Model {
    /// An event loop, or a few, for all sessions together.
    #[default]
    Event,
    /// A thread for each session, as in MySQL, in MariaDB, and in Oracle on Windows.
    Thread,
    /// A process for each session, forked from one that only listens, as in PostgreSQL, and in Oracle elsewhere.
    Process,
}

/// Where a server runs.
#[derive(Debug, Clone, Default)]
pub enum Home {
    /// On threads of this process. Only for [`Model::Event`].
    #[default]
    Here,
    /// In processes of its own, as many as it needs.
    Apart(Launch),
}

/// Told the top process of a server before it takes memory or begins another process: the moment to put it, and all that
/// comes from it, into a control group.
pub type Spawned = Arc<dyn Fn(u32) -> io::Result<()> + Send + Sync>;

/// The program whose process becomes a server of its own: it has to call [`crate::run_apart`] before anything else.
#[derive(Clone)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Told its process.
    pub spawned: Option<Spawned>,
}

impl Launch {
    /// A program with its arguments.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect(), spawned: None }
    }

    /// The same, with somebody who is told its process.
    pub fn spawned(self, told: impl Fn(u32) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { spawned: Some(Arc::new(told)), ..self }
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// Whether TLS sessions may be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Resumption {
    /// With tickets, in TLS 1.2 and 1.3; nothing is kept on the server.
    #[default]
    Tickets,
    /// Every handshake is a full one, as at a real PostgreSQL.
    Off,
}

/// Whether TLS is offered, and with which certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TlsSetting {
    /// The server says no.
    #[default]
    Off,
    /// With a certificate for `localhost`, `127.0.0.1` and `::1` made at the start.
    SelfMade(KeyKind),
    /// With files in PEM.
    Files {
        /// Certificate chain, the server's own first.
        cert: PathBuf,
        /// Private key.
        key: PathBuf,
    },
}

/// Kind of a key made at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum KeyKind {
    /// RSA with 2048 bits: what most servers have, and some thirty times dearer for the server.
    Rsa2048,
    /// ECDSA on P-256.
    #[default]
    EcdsaP256,
}

/// A step of a login, as the server sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Step {
    /// The TCP connection is accepted.
    Connect,
    /// The answer to the request for TLS; of MySQL, whose server speaks first, the greeting.
    Negotiate,
    /// The TLS handshake.
    Tls,
    /// From the start-up message to "credentials accepted".
    Authenticate,
    /// From there to "ready for a query". MySQL says so before it runs what belongs to the login (`init_connect`): there
    /// the first command waits.
    Session,
    /// One query.
    Query,
}

/// Time added before a step is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delays {
    /// Before the answer to the request for TLS; of MySQL, before the greeting: a server that looks up its client's name.
    pub negotiate: Duration,
    /// Before the TLS handshake is begun.
    pub tls: Duration,
    /// Before credentials are accepted or refused: a far directory service.
    pub authenticate: Duration,
    /// Before "ready for a query", of MySQL before the first command: a login trigger, `init_connect`.
    pub session: Duration,
    /// Before each query is answered.
    pub query: Duration,
}

impl Delays {
    /// The delay before a step.
    pub fn before(&self, step: Step) -> Duration {
        match step {
            Step::Connect => Duration::ZERO,
            Step::Negotiate => self.negotiate,
            Step::Tls => self.tls,
            Step::Authenticate => self.authenticate,
            Step::Session => self.session,
            Step::Query => self.query,
        }
    }

    /// All delays of one login, its queries aside.
    pub(crate) fn of_login(&self) -> Duration {
        self.negotiate + self.tls + self.authenticate + self.session
    }
}

/// What goes wrong on purpose. Connections are counted from 1 over all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Faults {
    /// Connections that end after a step, without a word.
    pub drop: Option<DropAfter>,
    /// Logins that are refused.
    pub refuse: Option<Refusal>,
    /// Every nth connection is reset (TCP RST) when its start-up message has come.
    pub reset_every: Option<NonZeroU64>,
}

/// Connections that end after a step, without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropAfter {
    /// The last step that works.
    pub step: Step,
    /// Every nth connection; 1 = all.
    pub every: NonZeroU64,
}

/// Logins that are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Every nth connection; 1 = all.
    pub every: NonZeroU64,
    /// In which way.
    pub how: RefuseHow,
}

/// The way in which a login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RefuseHow {
    /// With the words of a full server (PostgreSQL `53300`, MySQL 1040, SQL Server 17809).
    #[default]
    ServerFull,
    /// By closing the connection.
    Close,
}

impl Faults {
    /// Whether connection number `n` ends after `step`.
    pub(crate) fn drops_after(&self, step: Step, n: u64) -> bool {
        self.drop.is_some_and(|d| d.step == step && n.is_multiple_of(d.every.get()))
    }

    /// How connection number `n` is refused, if it is.
    pub(crate) fn refuses(&self, n: u64) -> Option<RefuseHow> {
        self.refuse.filter(|r| n.is_multiple_of(r.every.get())).map(|r| r.how)
    }

    /// Whether connection number `n` is reset.
    pub(crate) fn resets(&self, n: u64) -> bool {
        self.reset_every.is_some_and(|every| n.is_multiple_of(every.get()))
    }
}

#[cfg(test)]
mod tests {
    use peaje_model::Secret;

    use super::*;

    #[test]
    fn every_nth_counts_from_one() {
        let every = NonZeroU64::new(3).unwrap();
        let faults = Faults {
            drop: Some(DropAfter { step: Step::Tls, every }),
            refuse: Some(Refusal { every, how: RefuseHow::Close }),
            reset_every: Some(every),
        };
        for (n, hit) in [(1, false), (2, false), (3, true), (4, false), (6, true)] {
            assert_eq!(faults.drops_after(Step::Tls, n), hit);
            assert!(!faults.drops_after(Step::Query, n));
            assert_eq!(faults.refuses(n), hit.then_some(RefuseHow::Close));
            assert_eq!(faults.resets(n), hit);
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let auth = Auth::Scram { user: "ana".into(), password: Secret::new("hunter2") };
        assert!(!format!("{:?}", ServerOptions { auth, ..ServerOptions::default() }).contains("hunter2"));
    }
}
