//! Servers that would fill our memory or keep us for ever.

use peaje_engine::{Connector, Trace};
use peaje_model::{OutcomeKind as K, Phase};

use super::server::{Peer, Server};
use super::{LoginOptions, connector, connector_with, fails, succeeds};
use crate::protocol::{MAX_CONTROL, MAX_HANDSHAKE, plugin};

/// A length that would make the client buffer is refused at its header.
#[tokio::test]
async fn packets_that_are_too_long() {
    type Send = fn(&mut Peer);
    let table: [(Phase, Send); 4] = [
        (Phase::Negotiate, |peer| peer.send(&[0xFF, 0xFF, 0xFF, 0])),
        (Phase::Negotiate, |peer| {
            let length = (MAX_HANDSHAKE as u32 + 1).to_le_bytes();
            peer.send(&[length[0], length[1], length[2], 0, 10]);
        }),
        (Phase::Authenticate, |peer| {
            peer.greet();
            peer.login();
            peer.send(&[0xFF, 0xFF, 0xFF, 2, 0xFE]);
        }),
        (Phase::Authenticate, |peer| {
            peer.greet();
            peer.login();
            peer.send(&[0xFF, 0xFF, 0xFF, 2, 0xFF]);
        }),
    ];
    for (phase, send) in table {
        let server = Server::one(move |peer| {
            send(peer);
            peer.rest();
        });
        // The client waits for no byte behind that header.
        let failure = fails(&connector(server.port, "")).await;
        assert_eq!((failure.kind, failure.phase), (K::Protocol, Some(phase)));
        server.done();
    }
}

#[tokio::test]
async fn control_packets_of_an_answer_that_are_too_long() {
    let server = Server::one(|peer| {
        peer.welcome();
        peer.packet();
        let length = (MAX_CONTROL as u32 + 1).to_le_bytes();
        peer.send(&[length[0], length[1], length[2], 1, 0]);
        peer.rest();
    });
    let options = LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() };
    let connector = connector_with(server.port, "alice:secret", "", options);
    let (mut session, _) = succeeds(&connector).await;
    let failure = connector.query(&mut session, &mut Trace::start()).await.unwrap_err();
    assert_eq!(failure.kind, K::Protocol);
    drop(session);
    server.done();
}

/// More and more rows that somebody wants to keep.
#[tokio::test]
async fn rows_without_end_are_not_kept() {
    let server = Server::one(|peer| {
        peer.welcome();
        peer.packet();
        let mut bytes = vec![1, 0, 0, 1, 1];
        crate::protocol::packet::encode(&mut bytes, 2, |out| {
            out.extend_from_slice(b"\x03def\0\0\0\x01a\x01a\x0c0000000000000");
        });
        peer.send(&bytes);
        let mut row = Vec::new();
        for n in 0..200u8 {
            row.clear();
            crate::protocol::packet::encode(&mut row, n.wrapping_add(3), |out| {
                crate::protocol::put_lenenc(out, 100_000);
                out.extend_from_slice(&vec![b'x'; 100_000]);
            });
            if peer.try_send(&row).is_err() {
                return;
            }
        }
        panic!("everything was taken");
    });
    let (mut session, _) = succeeds(&connector(server.port, "")).await;
    let failure = session.rows("select", &mut Trace::start()).await.unwrap_err();
    assert_eq!(failure.kind, K::Protocol);
    assert!(failure.message.contains("longer than anything"), "{failure}");
    drop(session);
    server.done();
}

/// Data that goes back and forth within the authentication ends.
#[tokio::test]
async fn an_authentication_without_end() {
    let server = Server::one(|peer| {
        peer.greet();
        peer.login();
        for _ in 0..3 {
            peer.switch(plugin::CACHING_SHA2, b"ABCDEFGHIJKLMNOPQRST");
            peer.packet();
            peer.more(&[plugin::FAST_OK]);
        }
        for _ in 0..20 {
            let mut out = Vec::new();
            crate::protocol::packet::encode(&mut out, peer.sequence, |out| out.extend_from_slice(&[1, 3]));
            peer.sequence = peer.sequence.wrapping_add(1);
            if peer.try_send(&out).is_err() {
                break;
            }
        }
        peer.rest();
    });
    assert_eq!(fails(&connector(server.port, "")).await.kind, K::Protocol);
    server.done();
}
