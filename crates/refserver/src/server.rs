//! Start and stop: threads, each with its own event loop and its own listening socket.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::certificate::ServerTls;
use crate::connection::Connection;
use crate::counters::Counters;
use crate::cpu::CpuClock;
use crate::names::Names;
use crate::{Protocol, RefCounters, RefServerError, ServerOptions, mysql, postgres, socket, tds};

/// What all sessions share: the server's own part, and `protocol`, what the protocol has prepared once for all logins.
#[derive(Debug)]
pub(crate) struct Shared<P: ?Sized> {
    pub(crate) options: ServerOptions,
    pub(crate) tls: Option<ServerTls>,
    pub(crate) counters: Counters,
    pub(crate) names: Names,
    pub(crate) port: u16,
    /// Sessions at most.
    pub(crate) session_limit: u64,
    /// When the server was started.
    pub(crate) started: SystemTime,
    pub(crate) protocol: P,
}

/// A protocol, spoken by the server's side. Implemented by what the protocol prepares once for all logins
/// (`postgres::Prepared`, `mysql::Prepared`, `tds::Prepared`).
///
/// `serve` owns the connection from its first byte to its last:
/// 1. `in_time(&shared, log_in(…))` (module `steps`) bounds the login's time and counts a login that fails;
/// 2. `log_in` takes a place (`shared.counters.take_place`), waits and fails where the options want it
///    (`steps::{before, after, handshake}`, `options.faults.{refuses, resets}`), counts `logins` *before* the client can
///    know that it is logged in, and enters the program's name (`names::Named`);
/// 3. the session holds its place, its name and its gauges (`counters::Count`) and drops them when it ends;
/// 4. `steps::close(connection, end)` is last.
pub(crate) trait Speak: fmt::Debug + Send + Sync + Sized + 'static {
    /// The protocol's name for clients that begin with TLS at once; empty = there is none.
    const ALPN: &'static [u8];

    /// Computes what all logins share.
    fn prepare(options: &ServerOptions) -> Result<Self, RefServerError>;

    /// Serves one connection. `number` counts connections from 1.
    fn serve(connection: Connection, shared: Arc<Shared<Self>>, number: u64) -> impl Future<Output = ()> + Send;
}

/// Any protocol's prepared part, once only the common part is of interest.
trait Anything: fmt::Debug + Send + Sync {}

impl<P: Speak> Anything for P {}

/// A running reference server. Dropping it closes every session and joins its threads.
#[derive(Debug)]
pub struct RefServer {
    address: SocketAddr,
    shared: Arc<Shared<dyn Anything>>,
    threads: Vec<ServerThread>,
}

#[derive(Debug)]
struct ServerThread {
    clock: Option<Arc<CpuClock>>,
    /// Dropping it stops the thread.
    stop: Option<oneshot::Sender<()>>,
    handle: Option<JoinHandle<()>>,
}

impl RefServer {
    /// Starts a server; it accepts logins when this returns.
    pub fn start(options: ServerOptions) -> Result<Self, RefServerError> {
        match options.protocol {
            Protocol::Postgres => Self::speaking::<postgres::Prepared>(options),
            Protocol::Mysql => Self::speaking::<mysql::Prepared>(options),
            Protocol::SqlServer => Self::speaking::<tds::Prepared>(options),
        }
    }

    fn speaking<P: Speak>(options: ServerOptions) -> Result<Self, RefServerError> {
        let tls = ServerTls::new(&options.tls, options.resumption, P::ALPN)?;
        let protocol = P::prepare(&options)?;
        let (address, listeners) = socket::listen(options.listen, options.threads)?;
        let session_limit = options.max_sessions.map_or_else(open_files_limit, u64::from);
        let (counters, names) = (Counters::default(), Names::default());
        let (port, started) = (address.port(), SystemTime::now());
        let shared = Arc::new(Shared { options, tls, counters, names, port, session_limit, started, protocol });
        let mut server = Self { address, shared: shared.clone(), threads: Vec::new() };
        for (n, listener) in listeners.into_iter().enumerate() {
            // A failure here drops the server, and with it the threads already started.
            let thread = ServerThread::start(n, listener, shared.clone())?;
            server.threads.push(thread);
        }
        Ok(server)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// CPU time of its threads so far.
    pub fn cpu(&self) -> Duration {
        self.threads.iter().filter_map(|t| t.clock.as_ref()).map(|clock| clock.read()).sum()
    }

    /// What it has counted so far.
    pub fn counters(&self) -> RefCounters {
        self.shared.counters.read()
    }

    /// The certificate that clients verify its own against; `None` without TLS, or with a certificate from files.
    pub fn root_certificate_pem(&self) -> Option<String> {
        self.shared.tls.as_ref()?.root_pem.clone()
    }
}

impl ServerThread {
    fn start<P: Speak>(n: usize, listener: TcpListener, shared: Arc<Shared<P>>) -> Result<Self, RefServerError> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RefServerError::Thread)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(RefServerError::Thread)?
        };
        let (stop, stopped) = oneshot::channel();
        let (give, clock) = mpsc::sync_channel(1);
        let handle = std::thread::Builder::new()
            .name(format!("peaje-ref-{n}"))
            .spawn(move || {
                let clock = CpuClock::of_this_thread().map(Arc::new);
                // The starter may have gone; the thread then stops at once.
                let _ = give.send(clock.clone());
                run(runtime, listener, shared, stopped);
                if let Some(clock) = clock {
                    clock.end();
                }
            })
            .map_err(RefServerError::Thread)?;
        let clock = clock.recv().ok().flatten();
        Ok(Self { clock, stop: Some(stop), handle: Some(handle) })
    }
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(handle) = self.handle.take() {
            // A panic of the thread has been reported by the panic hook already.
            let _ = handle.join();
        }
    }
}

fn run<P: Speak>(
    runtime: Runtime,
    listener: tokio::net::TcpListener,
    shared: Arc<Shared<P>>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.spawn(accept(listener, shared));
    // The sender is dropped, never used: an error is the stop.
    let _ = runtime.block_on(stopped);
    // Every task is dropped with the runtime, and with it its socket.
    drop(runtime);
}

async fn accept<P: Speak>(listener: tokio::net::TcpListener, shared: Arc<Shared<P>>) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                let number = 1 + shared.counters.accepted.fetch_add(1, Relaxed);
                tokio::spawn(P::serve(Connection::new(stream, client), shared.clone(), number));
            }
            // The client has left already, or the process has no file descriptor left: later ones may succeed.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Sessions are sockets, and sockets are open files.
fn open_files_limit() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::from(u32::MAX))
}
