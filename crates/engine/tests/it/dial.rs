//! Dialling against real sockets of this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use peaje_engine::{DialPlan, Endpoint, Failure, Socket, SourceAddresses, Trace, probe_addresses};
use peaje_model::{OutcomeKind, Phase, ResolveMode};
use tokio::net::TcpListener;

fn tcp(host: &str, port: u16) -> Endpoint {
    Endpoint::Tcp { host: host.to_owned(), address: None, port }
}

/// A loopback port below the ephemeral range on which nothing listens: a client that connects to a free port of the
/// ephemeral range may be connected to itself.
fn closed_port() -> u16 {
    (20_000..32_000).rev().find(|&p| std::net::TcpListener::bind(("127.0.0.1", p)).is_ok()).expect("a free port")
}

async fn listener() -> (TcpListener, u16) {
    for port in 20_000 + std::process::id() as u16 % 9_000..31_999 {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)).await {
            return (listener, port);
        }
    }
    panic!("no free port")
}

#[tokio::test]
async fn a_name_is_resolved_and_connected_in_two_phases() {
    let (_listener, port) = listener().await;
    let plan = DialPlan::new(vec![tcp("localhost", port)]);
    let mut trace = Trace::start();
    plan.dial(0, 0, &mut trace).await.expect("somebody listens");
    trace.stop();
    assert!(trace.laps()[Phase::Resolve] > Duration::ZERO);
    assert!(trace.laps()[Phase::Connect] > Duration::ZERO);
    assert!(trace.round_trips()[Phase::Connect] >= 1);
}

#[tokio::test]
async fn source_addresses_take_turns() {
    let (listener, port) = listener().await;
    let mut plan = DialPlan::new(vec![tcp("127.0.0.1", port)]);
    plan.sources = SourceAddresses::new(3);
    let mut seen = Vec::new();
    for attempt in 0..4 {
        let mut trace = Trace::start();
        let wire = plan.dial(0, attempt, &mut trace).await.expect("somebody listens");
        let (_, peer) = listener.accept().await.expect("a connection");
        assert!(matches!(wire.socket(), Socket::Tcp(_)));
        seen.push(peer.ip());
    }
    let expected: Vec<IpAddr> = [1, 2, 3, 1].map(|n| Ipv4Addr::new(127, 0, 0, n).into()).to_vec();
    assert_eq!(seen, expected);
}

async fn failure(plan: DialPlan) -> Failure {
    let mut trace = Trace::start();
    plan.dial(0, 0, &mut trace).await.expect_err("nothing listens")
}

#[tokio::test]
async fn failures_are_classified_and_name_the_address() {
    let port = closed_port();
    let refused = failure(DialPlan::new(vec![tcp("127.0.0.1", port)])).await;
    assert_eq!((refused.kind, refused.code.as_deref()), (OutcomeKind::Refused, Some("ECONNREFUSED")));
    assert!(refused.message.contains(&format!("127.0.0.1:{port}")), "{}", refused.message);
    assert!(refused.hint.is_some());

    let unknown = failure(DialPlan::new(vec![tcp("no-such-host.invalid", 5432)])).await;
    assert_eq!((unknown.kind, unknown.phase), (OutcomeKind::NotResolved, Some(Phase::Resolve)));

    let unix = failure(DialPlan::new(vec![Endpoint::Unix { path: "/nowhere/.s.PGSQL.5432".into() }])).await;
    assert_eq!((unix.kind, unix.code.as_deref()), (OutcomeKind::Refused, Some("ENOENT")));
    assert!(unix.message.contains("/nowhere/.s.PGSQL.5432"));
}

#[tokio::test]
async fn a_dead_address_is_dialled_first_unless_it_is_skipped() {
    let (_listener, port) = listener().await;
    let (dead, good) = (SocketAddr::new([127, 0, 0, 2].into(), port), SocketAddr::new([127, 0, 0, 1].into(), port));
    let mut plan = DialPlan::new(vec![tcp("two-addresses", port)]);
    plan.resolve = ResolveMode::Once;
    plan.pinned = vec![vec![dead, good]];
    let mut trace = Trace::start();
    plan.dial(0, 0, &mut trace).await.expect("the second address answers");
    assert_eq!(trace.round_trips()[Phase::Connect], 2, "both were dialled");
    plan.skip = vec![dead];
    let mut trace = Trace::start();
    plan.dial(0, 0, &mut trace).await.expect("the second address answers");
    assert_eq!(trace.round_trips()[Phase::Connect], 1);
}

/// Listens and has no room for another connection: as good as a dead address, which answers nothing.
async fn silent(ip: [u8; 4], port: u16) -> (socket2::Socket, Vec<tokio::net::TcpStream>) {
    let address = SocketAddr::new(ip.into(), port);
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    socket.bind(&address.into()).expect("a free address");
    socket.listen(0).expect("a listener");
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(200), tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream);
        assert!(waiting.len() < 10, "the queue of the listener fills");
    }
    (socket, waiting)
}

#[tokio::test]
async fn all_at_once_a_dead_address_costs_nothing() {
    let (_listener, port) = listener().await;
    let (_silent, _waiting) = silent([127, 0, 0, 2], port).await;
    let addresses = [[127, 0, 0, 2], [127, 0, 0, 1]].map(|ip: [u8; 4]| SocketAddr::new(ip.into(), port));
    let mut plan = DialPlan::new(vec![tcp("listener", port)]);
    plan.resolve = ResolveMode::Once;
    plan.pinned = vec![addresses.to_vec()];
    plan.connect_timeout = Some(Duration::from_millis(500));
    let mut in_turn = Trace::start();
    plan.dial(0, 0, &mut in_turn).await.expect("the second address answers");
    in_turn.stop();
    assert!(in_turn.laps()[Phase::Connect] >= Duration::from_millis(500), "waits for the dead one first");

    plan.order = peaje_model::Dialling::AtOnce;
    let mut at_once = Trace::start();
    let wire = plan.dial(0, 0, &mut at_once).await.expect("the second address answers");
    at_once.stop();
    assert!(at_once.laps()[Phase::Connect] < Duration::from_millis(400));
    assert_eq!(at_once.round_trips()[Phase::Connect], 1, "side by side");
    let Socket::Tcp(stream) = wire.socket() else { panic!("not TCP") };
    assert_eq!(stream.peer_addr().expect("connected"), addresses[1]);
}

#[tokio::test]
async fn all_at_once_and_none_answers() {
    let port = closed_port();
    let mut plan = DialPlan::new(vec![tcp("nobody", port)]);
    plan.order = peaje_model::Dialling::AtOnce;
    plan.resolve = ResolveMode::Once;
    plan.pinned = vec![[1, 2].map(|n| SocketAddr::new([127, 0, 0, n].into(), port)).to_vec()];
    let mut trace = Trace::start();
    let refused = plan.dial(0, 0, &mut trace).await.expect_err("nothing listens");
    assert_eq!((refused.kind, refused.phase), (OutcomeKind::Refused, Some(Phase::Connect)));
    plan.skip.clone_from(&plan.pinned[0]);
    let mut trace = Trace::start();
    let skipped = plan.dial(0, 0, &mut trace).await.expect_err("both are skipped");
    assert_eq!((skipped.kind, trace.round_trips()[Phase::Connect]), (OutcomeKind::Unreachable, 0));
}

#[tokio::test]
async fn every_address_is_probed() {
    let (_listener, port) = listener().await;
    let closed = closed_port();
    let endpoints = [tcp("127.0.0.1", port), tcp("127.0.0.1", closed), tcp("no-such-host.invalid", 1)];
    let (probes, resolve_us) = probe_addresses(&endpoints, Duration::from_secs(2)).await;
    let outcomes: Vec<OutcomeKind> = probes.iter().map(|p| p.outcome).collect();
    assert_eq!(outcomes, [OutcomeKind::Ok, OutcomeKind::Refused, OutcomeKind::NotResolved]);
    assert!(resolve_us.is_some());
}
