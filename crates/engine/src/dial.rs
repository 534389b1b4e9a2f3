//! From host names to a connected socket, in the order in which database clients do it: one address after the other,
//! or all at once where the client is told to (SQL Server's `MultiSubnetFailover`).
//!
//! A newcomer would always race the addresses. Database clients do not, and what a dead address costs them is one of
//! the things peaje is asked for.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use peaje_model::{AddressProbe, Dialling, OutcomeKind, Phase, ResolveMode};
use socket2::{Domain, Protocol, SockAddr, Type};
use tokio::net::{TcpSocket, UnixStream};

use crate::{Failure, Socket, Trace, Wire};

/// One host of the connection string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A name or an address literal. `host` is what certificates are checked against; `address` (libpq's `hostaddr`)
    /// replaces the name resolution.
    Tcp {
        /// Name or literal.
        host: String,
        /// Address that saves the look-up.
        address: Option<IpAddr>,
        /// Port.
        port: u16,
    },
    /// A Unix domain socket.
    Unix {
        /// The socket's path.
        path: PathBuf,
    },
}

impl Endpoint {
    /// The host as a person wrote it.
    pub fn host(&self) -> String {
        match self {
            Endpoint::Tcp { host, address: Some(address), .. } if host.is_empty() => address.to_string(),
            Endpoint::Tcp { host, .. } => host.clone(),
            Endpoint::Unix { path } => path.display().to_string(),
        }
    }

    /// The TCP port.
    pub fn port(&self) -> Option<u16> {
        match self {
            Endpoint::Tcp { port, .. } => Some(*port),
            Endpoint::Unix { .. } => None,
        }
    }

    fn literal(&self) -> Option<SocketAddr> {
        match self {
            Endpoint::Tcp { host, address, port } => {
                let ip = address.or_else(|| host.trim_start_matches('[').trim_end_matches(']').parse().ok())?;
                Some(SocketAddr::new(ip, *port))
            }
            Endpoint::Unix { .. } => None,
        }
    }
}

/// How many source addresses of 127.0.0.0/8 connections to 127.0.0.0/8 leave from. One source address has some 28,000
/// ports for each destination, and slows down long before they are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceAddresses(u32);

impl SourceAddresses {
    /// At least one; one means: leave the choice to the operating system.
    pub fn new(count: u32) -> Self {
        Self(count.clamp(1, 4096))
    }

    /// The number of addresses.
    pub fn count(self) -> u32 {
        self.0
    }

    fn choose(self, attempt: u64, target: SocketAddr) -> Option<SocketAddr> {
        let IpAddr::V4(ip) = target.ip() else { return None };
        if self.0 < 2 || !ip.is_loopback() {
            return None;
        }
        let offset = (attempt % u64::from(self.0)) as u32;
        let source = u32::from(Ipv4Addr::LOCALHOST) + offset;
        Some(SocketAddr::new(Ipv4Addr::from(source).into(), 0))
    }
}

/// Addresses dialled at once at most, as Microsoft's drivers do.
const MOST_AT_ONCE: usize = 64;

/// Where and how to dial.
#[derive(Debug, Clone)]
pub struct DialPlan {
    /// Hosts, in order.
    pub endpoints: Vec<Endpoint>,
    /// When names are resolved.
    pub resolve: ResolveMode,
    /// In what order a name's addresses are dialled.
    pub order: Dialling,
    /// Limit for each address (libpq's `connect_timeout`); `None` = only the login timeout limits.
    pub connect_timeout: Option<Duration>,
    /// Source addresses on loopback.
    pub sources: SourceAddresses,
    /// Addresses found dead before the load: never dialled. An endpoint with no other address fails at once.
    pub skip: Vec<SocketAddr>,
    /// Addresses of each endpoint, kept from the first resolution when names are resolved once.
    pub pinned: Vec<Vec<SocketAddr>>,
}

impl DialPlan {
    /// A plan with defaults.
    pub fn new(endpoints: Vec<Endpoint>) -> Self {
        Self {
            endpoints,
            resolve: ResolveMode::Each,
            order: Dialling::InTurn,
            connect_timeout: None,
            sources: SourceAddresses::new(1),
            skip: Vec::new(),
            pinned: Vec::new(),
        }
    }

    /// The plan to dial by. When names are resolved once, the first login does it, in its phase `resolve`, and the result
    /// is kept; a name that cannot be resolved then is looked up again by each login.
    pub async fn resolved<'a>(&'a self, kept: &'a OnceLock<DialPlan>, trace: &mut Trace) -> &'a DialPlan {
        if self.resolve == ResolveMode::Each {
            return self;
        }
        if let Some(plan) = kept.get() {
            return plan;
        }
        trace.enter(Phase::Resolve);
        let plan = self.clone().with_addresses().await;
        kept.get_or_init(|| plan)
    }

    /// With the addresses of every name, looked up now; none for a name that cannot be resolved.
    #[must_use]
    pub async fn with_addresses(mut self) -> Self {
        self.pinned = Vec::with_capacity(self.endpoints.len());
        for endpoint in &self.endpoints {
            self.pinned.push(resolve(endpoint).await.unwrap_or_default());
        }
        self
    }

    /// Dials one endpoint: phases `resolve` and `connect`.
    pub async fn dial(&self, endpoint: usize, attempt: u64, trace: &mut Trace) -> Result<Wire, Failure> {
        let endpoint_at = &self.endpoints[endpoint];
        if let Endpoint::Unix { path } = endpoint_at {
            trace.enter(Phase::Connect);
            let stream = UnixStream::connect(path).await.map_err(|e| Failure::from_unix(&e, path))?;
            return Ok(Wire::new(Socket::Unix(stream)));
        }
        trace.enter(Phase::Resolve);
        let addresses = self.addresses(endpoint).await?;
        trace.enter(Phase::Connect);
        if !addresses.is_empty() && addresses.iter().all(|a| self.skip.contains(a)) {
            let words = format!("{}: no address answered before the load", endpoint_at.host());
            return Err(Failure::new(OutcomeKind::Unreachable, words).phase(Some(Phase::Connect)));
        }
        match self.order {
            Dialling::InTurn => self.dial_in_turn(&addresses, attempt, trace).await,
            Dialling::AtOnce => self.dial_all(&addresses, attempt, trace).await,
        }
    }

    async fn addresses(&self, endpoint: usize) -> Result<Vec<SocketAddr>, Failure> {
        match self.pinned.get(endpoint) {
            Some(pinned) if self.resolve == ResolveMode::Once && !pinned.is_empty() => Ok(pinned.clone()),
            _ => resolve(&self.endpoints[endpoint]).await,
        }
    }

    async fn dial_in_turn(&self, addresses: &[SocketAddr], attempt: u64, trace: &mut Trace) -> Result<Wire, Failure> {
        let mut last = no_address();
        for &address in addresses.iter().filter(|a| !self.skip.contains(a)) {
            trace.count_round_trip();
            match dial_one(address, self.sources.choose(attempt, address), self.connect_timeout).await {
                Ok(wire) => return Ok(wire),
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }

    /// The dials run side by side, so they are one round trip; the ones that lose are dropped, which closes them.
    async fn dial_all(&self, addresses: &[SocketAddr], attempt: u64, trace: &mut Trace) -> Result<Wire, Failure> {
        let mut last = no_address();
        let mut dials = tokio::task::JoinSet::new();
        for &address in addresses.iter().filter(|a| !self.skip.contains(a)).take(MOST_AT_ONCE) {
            dials.spawn(dial_one(address, self.sources.choose(attempt, address), self.connect_timeout));
        }
        trace.count_round_trip();
        while let Some(dialled) = dials.join_next().await {
            match dialled {
                Ok(Ok(wire)) => return Ok(wire),
                Ok(Err(failure)) => last = failure,
                Err(ended) => last = Failure::new(OutcomeKind::Aborted, format!("a dial was ended: {ended}")),
            }
        }
        Err(last)
    }
}

fn no_address() -> Failure {
    Failure::new(OutcomeKind::NotResolved, "the name has no address").phase(Some(Phase::Resolve))
}

/// Dials one address; a failure names it.
async fn dial_one(address: SocketAddr, source: Option<SocketAddr>, limit: Option<Duration>) -> Result<Wire, Failure> {
    let dialled = match limit {
        None => connect(address, source).await,
        Some(limit) => tokio::time::timeout(limit, connect(address, source))
            .await
            .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut))),
    };
    dialled.map_err(|error| {
        let failure = Failure::from_io(&error, Some(Phase::Connect));
        let message = format!("{address}: {}", failure.message);
        Failure { message, ..failure }
    })
}

/// Addresses of an endpoint by the system's resolver, in its order; none for a Unix socket.
pub async fn resolve(endpoint: &Endpoint) -> Result<Vec<SocketAddr>, Failure> {
    if let Some(literal) = endpoint.literal() {
        return Ok(vec![literal]);
    }
    let Endpoint::Tcp { host, port, .. } = endpoint else { return Ok(Vec::new()) };
    match tokio::net::lookup_host((host.as_str(), *port)).await {
        Ok(found) => {
            let mut addresses: Vec<SocketAddr> = Vec::new();
            for address in found {
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
            Ok(addresses)
        }
        Err(error) => Err(Failure::new(OutcomeKind::NotResolved, format!("cannot resolve `{host}`: {error}"))
            .hint("check the spelling, /etc/hosts and the name servers in /etc/resolv.conf")
            .phase(Some(Phase::Resolve))),
    }
}

async fn connect(address: SocketAddr, source: Option<SocketAddr>) -> io::Result<Wire> {
    let kind = Type::STREAM.nonblocking().cloexec();
    let socket = socket2::Socket::new(Domain::for_address(address), kind, Some(Protocol::TCP))?;
    socket.set_tcp_nodelay(true)?;
    if let Some(source) = source {
        // Without this the kernel picks a port at bind time that no other connection of this address may share.
        #[cfg(target_os = "linux")]
        crate::no_port::bind_address_no_port(&socket)?;
        socket.bind(&SockAddr::from(source))?;
    }
    let stream = TcpSocket::from_std_stream(socket.into()).connect(address).await?;
    Ok(Wire::new(Socket::Tcp(stream)))
}

/// Addresses probed at most: more are left to the logins.
const MOST_PROBES: usize = 64;

/// Dials every address of every endpoint once, at the same time, and closes them again; names and dials have `limit`
/// each. Nothing is sent. Also gives what the first look-up of a name took, microseconds.
pub async fn probe_addresses(endpoints: &[Endpoint], limit: Duration) -> (Vec<AddressProbe>, Option<f64>) {
    let mut distinct: Vec<Endpoint> = Vec::new();
    for endpoint in endpoints.iter().filter(|e| matches!(e, Endpoint::Tcp { .. })) {
        if !distinct.contains(endpoint) {
            distinct.push(endpoint.clone());
        }
    }
    distinct.truncate(MOST_PROBES);
    let look_ups: Vec<_> = distinct.into_iter().map(|endpoint| tokio::spawn(look_up(endpoint, limit))).collect();
    let mut probes = Vec::new();
    let mut resolve_us = None;
    for look_up in look_ups {
        let Ok((endpoint, found, took_us)) = look_up.await else { continue };
        if endpoint.literal().is_none() {
            resolve_us.get_or_insert(took_us);
        }
        match found {
            Err(failure) => probes.push(Probe::ready(endpoint.host(), String::new(), failure.kind, took_us)),
            Ok(addresses) => {
                let room = MOST_PROBES.saturating_sub(probes.len());
                probes.extend(addresses.into_iter().take(room).map(|a| Probe::start(endpoint.host(), a, limit)));
            }
        }
    }
    let mut results = Vec::with_capacity(probes.len());
    for probe in probes {
        results.push(probe.finish().await);
    }
    (results, resolve_us)
}

async fn look_up(endpoint: Endpoint, limit: Duration) -> (Endpoint, Result<Vec<SocketAddr>, Failure>, f64) {
    let before = Instant::now();
    let found = tokio::time::timeout(limit, resolve(&endpoint)).await;
    let found = found.unwrap_or_else(|_| Err(Failure::timed_out(limit, Some(Phase::Resolve))));
    (endpoint, found, before.elapsed().as_nanos() as f64 / 1e3)
}

/// A dial that runs beside others.
enum Probe {
    Ready(AddressProbe),
    Running { host: String, address: SocketAddr, task: tokio::task::JoinHandle<(OutcomeKind, f64)> },
}

impl Probe {
    fn ready(host: String, address: String, outcome: OutcomeKind, took_us: f64) -> Self {
        Probe::Ready(AddressProbe { host, address, outcome, took_us })
    }

    fn start(host: String, address: SocketAddr, limit: Duration) -> Self {
        let task = tokio::spawn(async move {
            let before = Instant::now();
            let outcome = match tokio::time::timeout(limit, connect(address, None)).await {
                Ok(Ok(_)) => OutcomeKind::Ok,
                Ok(Err(error)) => Failure::from_io(&error, Some(Phase::Connect)).kind,
                Err(_) => OutcomeKind::TimedOut,
            };
            (outcome, before.elapsed().as_nanos() as f64 / 1e3)
        });
        Probe::Running { host, address, task }
    }

    async fn finish(self) -> AddressProbe {
        match self {
            Probe::Ready(probe) => probe,
            Probe::Running { host, address, task } => {
                let (outcome, took_us) = task.await.unwrap_or((OutcomeKind::Aborted, 0.0));
                AddressProbe { host, address: address.to_string(), outcome, took_us }
            }
        }
    }
}
