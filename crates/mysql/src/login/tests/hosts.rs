//! Several hosts: which failures lead to the next one, and which must not.

use peaje_engine::Endpoint;
use peaje_engine::conformance::free_listener;
use peaje_model::{OutcomeKind as K, Phase, ResolveMode};

use super::server::{Peer, Server, play};
use super::{LoginOptions, config, fails, succeeds};
use crate::login::MysqlConnector;

fn connector(ports: &[u16]) -> MysqlConnector {
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let text = format!("mysql://alice:secret@{}/shop", hosts.join(","));
    MysqlConnector::new(&config(&text), LoginOptions::default()).unwrap()
}

fn dead_port() -> u16 {
    free_listener().local_addr().unwrap().port()
}

#[tokio::test]
async fn dead_and_stopping_hosts_are_passed_over() {
    let stopping = Server::one(|peer| peer.error(1053, "Server shutdown in progress"));
    let closing = Server::one(|_| {});
    let resetting = Server::one(Peer::reset);
    let good = Server::one(Peer::welcome);
    let ports = [dead_port(), stopping.port, closing.port, resetting.port, good.port];
    let (_, trace) = succeeds(&connector(&ports)).await;
    assert_eq!(trace.round_trips()[Phase::Connect], 5);
    [stopping, closing, resetting, good].into_iter().for_each(Server::done);
}

#[tokio::test]
async fn a_judged_login_is_not_carried_to_the_next_host() {
    for (code, kind) in [(1045, K::Rejected), (1226, K::ServerFull), (0, K::Reset)] {
        let rejects = Server::one(move |peer: &mut Peer| {
            peer.greet();
            peer.login();
            if code != 0 {
                peer.error(code, "no");
            }
        });
        let untouched = Server::start(Vec::new());
        let failure = fails(&connector(&[rejects.port, untouched.port])).await;
        assert_eq!((failure.kind, failure.phase), (kind, Some(Phase::Authenticate)));
        [rejects, untouched].into_iter().for_each(Server::done);
    }
    // Neither is what the server says of this client before the login.
    for (code, kind) in [(1040, K::ServerFull), (1129, K::Rejected), (1130, K::Rejected)] {
        let refuses = Server::one(move |peer: &mut Peer| peer.error(code, "no"));
        let untouched = Server::start(Vec::new());
        assert_eq!(fails(&connector(&[refuses.port, untouched.port])).await.kind, kind);
        [refuses, untouched].into_iter().for_each(Server::done);
    }
}

#[tokio::test]
async fn the_message_names_every_host_that_failed() {
    let ports = [dead_port(), dead_port()];
    let failure = fails(&connector(&ports)).await;
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Refused, Some("ECONNREFUSED")));
    for port in ports {
        assert!(failure.message.contains(&port.to_string()), "{failure}");
    }
}

/// The first login looks names up and keeps the addresses.
#[tokio::test]
async fn names_are_resolved_once_or_each_time() {
    for (resolve, kept) in [(ResolveMode::Each, false), (ResolveMode::Once, true)] {
        let server = Server::start(vec![play(Peer::welcome), play(Peer::welcome)]);
        let text = format!("mysql://alice:secret@localhost:{}/shop", server.port);
        let options = LoginOptions { resolve, ..LoginOptions::default() };
        let connector = MysqlConnector::new(&config(&text), options).unwrap();
        let expected = Endpoint::Tcp { host: "localhost".to_owned(), address: None, port: server.port };
        assert_eq!(*connector.prepared.endpoint(0), expected);
        for _ in 0..2 {
            succeeds(&connector).await;
        }
        assert_eq!(connector.prepared.has_pinned_addresses(), kept);
        server.done();
    }
}
