//! Several hosts: which failures lead to the next one, and which must not.

use peaje_engine::Endpoint;
use peaje_engine::conformance::free_listener;
use peaje_model::{OutcomeKind as K, Phase, ResolveMode};

use super::server::{Peer, Server, play};
use super::{LoginOptions, config, fails, log_in, succeeds};
use crate::login::PostgresConnector;
use crate::protocol::backend;

fn connector(ports: &[u16], settings: &str) -> PostgresConnector {
    let hosts = vec!["127.0.0.1"; ports.len()].join(",");
    let ports = ports.iter().map(u16::to_string).collect::<Vec<_>>().join(",");
    let text = format!("host={hosts} port={ports} user=alice dbname=shop sslmode=disable {settings}");
    PostgresConnector::new(&config(&text), LoginOptions::default()).unwrap()
}

fn dead_port() -> u16 {
    free_listener().local_addr().unwrap().port()
}

fn welcome(peer: &mut Peer) {
    peer.parameters();
    peer.welcome();
}

#[tokio::test]
async fn dead_and_starting_hosts_are_passed_over() {
    let starting = Server::one(|peer| {
        peer.parameters();
        peer.error("57P03", "the database system is starting up");
    });
    let resetting = Server::one(|peer| {
        peer.parameters();
        peer.reset();
    });
    let good = Server::one(welcome);
    let ports = [dead_port(), starting.port, resetting.port, good.port];
    let (_, trace) = succeeds(&connector(&ports, "")).await;
    assert_eq!(trace.round_trips()[Phase::Connect], 4);
    [starting, resetting, good].into_iter().for_each(Server::done);
}

#[tokio::test]
async fn a_rejected_login_is_not_carried_to_the_next_host() {
    let asks = |code: &'static str| {
        move |peer: &mut Peer| {
            peer.parameters();
            peer.say(backend::authentication_cleartext);
            peer.password();
            if !code.is_empty() {
                peer.error(code, "no");
            }
        }
    };
    for (code, kind) in [("28P01", K::Rejected), ("53300", K::ServerFull), ("", K::Reset)] {
        let rejects = Server::one(asks(code));
        let untouched = Server::start(Vec::new());
        let failure = fails(&connector(&[rejects.port, untouched.port], "password=secret")).await;
        assert_eq!(failure.kind, kind);
        [rejects, untouched].into_iter().for_each(Server::done);
    }
}

#[tokio::test]
async fn the_message_names_every_host_that_failed() {
    let ports = [dead_port(), dead_port()];
    let failure = fails(&connector(&ports, "")).await;
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Refused, Some("ECONNREFUSED")));
    for port in ports {
        assert!(failure.message.contains(&port.to_string()), "{failure}");
    }
}

fn state(standby: &'static str, read_only: &'static str) -> impl FnOnce(&mut Peer) + Send + Clone + 'static {
    move |peer| {
        peer.parameters();
        peer.welcome_with(&[("in_hot_standby", standby), ("default_transaction_read_only", read_only)]);
        peer.rest();
    }
}

#[tokio::test]
async fn target_session_attrs_chooses_the_host() {
    // The first host is a standby, the second a primary.
    for (wanted, second) in [
        ("any", false),
        ("read-only", false),
        ("standby", false),
        ("prefer-standby", false),
        ("primary", true),
        ("read-write", true),
    ] {
        let standby = Server::one(state("on", "off"));
        let primary = Server::start(if second { vec![play(state("off", "off"))] } else { Vec::new() });
        let ports = [standby.port, primary.port];
        let (result, _) = log_in(&connector(&ports, &format!("target_session_attrs={wanted}"))).await;
        drop(result.expect("one of them fits"));
        [standby, primary].into_iter().for_each(Server::done);
    }
}

#[tokio::test]
async fn prefer_standby_falls_back_to_a_primary() {
    let primary = Server::start(vec![play(state("off", "off")), play(state("off", "off"))]);
    let (session, _) = succeeds(&connector(&[primary.port], "target_session_attrs=prefer-standby")).await;
    drop(session);
    primary.done();
}

#[tokio::test]
async fn no_host_of_the_wanted_kind() {
    let primary = Server::one(state("off", "off"));
    let failure = fails(&connector(&[primary.port], "target_session_attrs=standby")).await;
    assert_eq!((failure.kind, failure.phase), (K::Rejected, Some(Phase::Session)));
    assert!(failure.message.contains("standby"), "{failure}");
    primary.done();

    let old = Server::one(|peer| {
        peer.parameters();
        peer.welcome_with(&[("server_version", "13.11")]);
        assert_eq!(peer.rest(), b"X\0\0\0\x04");
    });
    let failure = fails(&connector(&[old.port], "target_session_attrs=read-write")).await;
    assert_eq!(failure.kind, K::Unsupported);
    old.done();
}

/// The first login looks names up and keeps the addresses.
#[tokio::test]
async fn names_are_resolved_once_or_each_time() {
    for (resolve, kept) in [(ResolveMode::Each, false), (ResolveMode::Once, true)] {
        let server = Server::start(vec![play(welcome), play(welcome)]);
        let text = format!("host=localhost port={} user=alice dbname=shop sslmode=disable", server.port);
        let options = LoginOptions { resolve, ..LoginOptions::default() };
        let connector = PostgresConnector::new(&config(&text), options).unwrap();
        let expected = Endpoint::Tcp { host: "localhost".to_owned(), address: None, port: server.port };
        assert_eq!(*connector.prepared.endpoint(0), expected);
        for _ in 0..2 {
            succeeds(&connector).await;
        }
        assert_eq!(connector.prepared.has_pinned_addresses(), kept);
        server.done();
    }
}
