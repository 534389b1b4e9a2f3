//! Start and stop of a server, wherever it runs.
//!
//! A newcomer would count in the server and ask it. What is counted lies in memory that whoever has started the server can
//! read, whether its sessions are tasks, threads or processes.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::apart::Apart;
use crate::area::Area;
use crate::certificate::ServerTls;
use crate::connection::Connection;
use crate::counters::Counters;
use crate::event::EventLoop;
use crate::seats::{Bit, Card, Left, Seats};
use crate::system::Map;
use crate::{Home, Model, Protocol, RefCounters, RefServerError, ServerOptions, mysql, postgres, socket, tds};

/// More seats than any machine has memory for sessions in one process.
const MOST_SEATS: usize = 1 << 20;

/// What all sessions share: the server's own part, and `protocol`, what the protocol has prepared once for all logins.
#[derive(Debug)]
pub(crate) struct Shared<P: ?Sized> {
    pub(crate) options: ServerOptions,
    pub(crate) tls: Option<ServerTls>,
    pub(crate) counters: Counters,
    pub(crate) seats: Arc<Seats>,
    pub(crate) port: u16,
    /// Sessions at most.
    pub(crate) session_limit: u64,
    /// When the server was started.
    pub(crate) started: SystemTime,
    /// The memory that all sessions have together.
    _memory: Option<Map>,
    pub(crate) protocol: P,
}

/// A protocol, spoken by the server's side. Implemented by what the protocol prepares once for all logins
/// (`postgres::Prepared`, `mysql::Prepared`, `tds::Prepared`).
///
/// `serve` owns the connection from its first byte to its last:
/// 1. `in_time(&shared, seat, log_in(…))` (module `steps`) bounds the login's time and counts a login that fails;
/// 2. `log_in` takes a place (`place::take`), waits and fails where the options want it
///    (`steps::{before, after, handshake}`, `options.faults.{refuses, resets}`), enters the session into the list
///    (`shared.seats.list`), and counts `logins` *before* the client can know that it is logged in;
/// 3. the session holds its place, its entry and its gauges (`counters::Count`) and drops them when it ends;
/// 4. `steps::close(connection, end)` is last.
///
/// The future never waits for anything but the connection, `connection::pause` and `connection::at_most`: it also runs on
/// a thread or in a process of its own, where there is no event loop.
pub(crate) trait Speak: fmt::Debug + Send + Sync + Sized + 'static {
    /// The protocol's name for clients that begin with TLS at once; empty = there is none.
    const ALPN: &'static [u8];

    /// Computes what all logins share. What is counted for all processes of the server is counted in words of `area`.
    fn prepare(options: &ServerOptions, area: &mut Area) -> Result<Self, RefServerError>;

    /// Serves one connection. `number` counts connections from 1.
    fn serve(connection: Connection, shared: Arc<Shared<Self>>, number: u64) -> impl Future<Output = ()> + Send;

    /// The process of a session has been killed: counts what the session would have counted at its end.
    fn lost(&self, session: &Card);
}

/// A running reference server. Dropping it closes every session, and ends its threads and processes.
#[derive(Debug)]
pub struct RefServer {
    address: SocketAddr,
    counters: Counters,
    root_pem: Option<String>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Here(Vec<EventLoop>),
    Apart(Apart),
}

impl RefServer {
    /// Starts a server; it accepts logins when this returns.
    pub fn start(options: ServerOptions) -> Result<Self, RefServerError> {
        let launch = match (&options.home, options.model) {
            (Home::Apart(launch), _) => launch.clone(),
            (Home::Here, Model::Event) => {
                return match options.protocol {
                    Protocol::Postgres => Self::here::<postgres::Prepared>(options),
                    Protocol::Mysql => Self::here::<mysql::Prepared>(options),
                    Protocol::SqlServer => Self::here::<tds::Prepared>(options),
                };
            }
            (Home::Here, _) => return Err(RefServerError::Home),
        };
        let (apart, counters, hello) = Apart::start(&launch, &options)?;
        Ok(Self { address: hello.address, counters, root_pem: hello.root_pem, body: Body::Apart(apart) })
    }

    fn here<P: Speak>(options: ServerOptions) -> Result<Self, RefServerError> {
        let files = open_files();
        // The limit may be raised later: the seats take no room before they are taken.
        let seats = usize::try_from(files.maximum.unwrap_or(u64::MAX)).unwrap_or(MOST_SEATS).clamp(4096, MOST_SEATS);
        let mut area = Area::private(seats).map_err(RefServerError::Memory)?;
        let threads = options.threads;
        let Start { shared, listeners } = Start::<P>::new(options, &mut area, threads, files.current)?;
        let address = listeners.first().map_or_else(|| Ok(shared.options.listen), TcpListener::local_addr);
        let mut server = Self {
            address: address.map_err(RefServerError::Thread)?,
            counters: shared.counters.clone(),
            root_pem: shared.tls.as_ref().and_then(|tls| tls.root_pem.clone()),
            body: Body::Here(Vec::new()),
        };
        for (n, listener) in listeners.into_iter().enumerate() {
            // A failure here drops the server, and with it the threads already started.
            let started = EventLoop::start(n, listener, shared.clone())?;
            if let Body::Here(loops) = &mut server.body {
                loops.push(started);
            }
        }
        Ok(server)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// CPU time of its threads in this process so far.
    pub fn cpu(&self) -> Duration {
        match &self.body {
            Body::Here(loops) => loops.iter().map(EventLoop::cpu).sum(),
            Body::Apart(_) => Duration::ZERO,
        }
    }

    /// What it has counted so far.
    pub fn counters(&self) -> RefCounters {
        self.counters.read()
    }

    /// The process that all its others come from; this one, when it runs here.
    pub fn top_process(&self) -> u32 {
        match &self.body {
            Body::Here(_) => std::process::id(),
            Body::Apart(apart) => apart.top_process(),
        }
    }

    /// All its processes now, the top one first.
    pub fn processes(&self) -> Vec<u32> {
        match &self.body {
            Body::Here(_) => vec![std::process::id()],
            Body::Apart(apart) => apart.processes(),
        }
    }

    /// The certificate that clients verify its own against; `None` without TLS, or with a certificate from files.
    pub fn root_certificate_pem(&self) -> Option<String> {
        self.root_pem.clone()
    }
}

/// A server that is ready to serve.
#[derive(Debug)]
pub(crate) struct Start<P> {
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) listeners: Vec<TcpListener>,
}

impl<P: Speak> Start<P> {
    /// Listens on so many sockets. `most` sessions are let in if the options name no other number.
    pub(crate) fn new(
        options: ServerOptions,
        area: &mut Area,
        sockets: usize,
        most: Option<u64>,
    ) -> Result<Self, RefServerError> {
        let tls = ServerTls::new(&options.tls, options.resumption, P::ALPN)?;
        let counters = Counters::new(area);
        let seats = Arc::new(Seats::new(area));
        let protocol = P::prepare(&options, area)?;
        let memory = shared_memory(options.shared_memory).map_err(RefServerError::Memory)?;
        let (address, listeners) = socket::listen(options.listen, sockets)?;
        let session_limit = session_limit(&options, most);
        let (port, started) = (address.port(), SystemTime::now());
        let shared = Shared { options, tls, counters, seats, port, session_limit, started, _memory: memory, protocol };
        Ok(Self { shared: Arc::new(shared), listeners })
    }
}

impl<P: Speak> Shared<P> {
    /// Corrects the counts for a connection whose process has been killed.
    pub(crate) fn lost(&self, left: &Left) {
        self.counters.lost(left);
        if Bit::Listed.of(left.key) {
            self.protocol.lost(&left.card);
        }
    }
}

fn shared_memory(bytes: u64) -> io::Result<Option<Map>> {
    if bytes == 0 {
        return Ok(None);
    }
    let map = Map::inherited(usize::try_from(bytes).map_err(io::Error::other)?)?;
    map.touch();
    Ok(Some(map))
}

/// Sessions at most.
pub(crate) fn session_limit(options: &ServerOptions, most: Option<u64>) -> u64 {
    let asked = options.max_sessions.map(u64::from).or(most).unwrap_or(u32::MAX.into());
    asked.min(options.protocol.most_sessions())
}

/// Sessions are sockets, and sockets are open files.
pub(crate) fn open_files() -> Rlimit {
    getrlimit(Resource::Nofile)
}

/// Lets this process open as many files as it may. Gives that number.
pub(crate) fn raise_open_files() -> u64 {
    let Rlimit { maximum, .. } = open_files();
    // What is not allowed changes nothing, and is found out below.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    open_files().current.unwrap_or(u32::MAX.into())
}
