//! Queries on a session: packets of the agreed size both ways, rows, errors.

use peaje_engine::{Connector, Trace};
use peaje_model::{OutcomeKind as K, Phase};
use peaje_sqlserver::login::LoginOptions;
use peaje_sqlserver::protocol::prelogin::Encryption;
use peaje_sqlserver::protocol::token::{EnvChange, write};
use peaje_sqlserver::protocol::types::{Column, TypeInfo, Value};

use super::server::{Peer, Server, error, finish};
use super::{connector, connector_with, succeeds};

fn logs_in(peer: &mut Peer) {
    peer.prelogin(Encryption::NotSupported);
    peer.login();
    peer.welcome();
}

#[tokio::test]
async fn messages_are_cut_into_packets_of_the_agreed_size() {
    let sql = format!("select '{}'", "x".repeat(2_000));
    let expected = sql.clone();
    let server = Server::one(move |peer| {
        peer.prelogin(Encryption::NotSupported);
        peer.login();
        peer.welcome_with(|out| write::env_change(out, &EnvChange::PacketSize { new: 512, old: 4096 }));
        let lengths = peer.packet_lengths();
        assert_eq!(lengths.len(), (22 + 2 * expected.len()).div_ceil(504));
        assert!(lengths[..lengths.len() - 1].iter().all(|l| *l == 512), "{lengths:?}");
        peer.packet_size = 512;
        let column = [Column::new("x", TypeInfo::nvarchar(4_000))];
        peer.say(|out| {
            write::col_metadata(out, &column);
            write::row(out, &column, &[Value::Text("y".repeat(4_000))]);
            finish(out, 0x10);
        });
        peer.rest();
    });
    let options = LoginOptions { query: sql, ..LoginOptions::default() };
    let connector = connector_with(server.port, "Encrypt=disable", options);
    let (mut session, _) = succeeds(&connector).await;
    assert_eq!(session.packet_size(), 512);
    let mut trace = Trace::start();
    trace.enter(Phase::FirstQuery);
    assert_eq!(connector.query(&mut session, &mut trace).await, Ok(()));
    assert!(trace.round_trips()[Phase::FirstQuery] >= 1);
    drop(session);
    server.done();
}

#[tokio::test]
async fn rows_are_kept_when_asked_for() {
    let server = Server::one(|peer| {
        logs_in(peer);
        assert_eq!(peer.batch(), "select …");
        let columns = [
            Column::new("i", TypeInfo::int()),
            Column::new("b", TypeInfo::big_int()),
            Column::new("f", TypeInfo::bit()),
            Column::new("t", TypeInfo::nvarchar(50)),
            Column::new("d", TypeInfo::datetime()),
        ];
        peer.say(|out| {
            write::col_metadata(out, &columns);
            let moment = Value::DateTime(1_700_000_000_000_000);
            write::row(
                out,
                &columns,
                &[Value::Int(7), Value::Int(1 << 40), Value::Bit(true), Value::Text("año".into()), moment],
            );
            write::nbc_row(out, &columns, &[Value::Int(8)]);
            finish(out, 0x11);
            write::col_metadata(out, &columns[..1]);
            write::row(out, &columns[..1], &[Value::Int(9)]);
            finish(out, 0x10);
        });
        peer.rest();
    });
    let (mut session, _) = succeeds(&connector(server.port, "Encrypt=disable")).await;
    let rows = session.query_rows("select …").await.unwrap();
    let (null, moment) = (Value::Null, Value::DateTime(1_700_000_000_000_000));
    let expected = [
        vec![Value::Int(7), Value::Int(1 << 40), Value::Bit(true), Value::Text("año".into()), moment],
        vec![Value::Int(8), null.clone(), null.clone(), null.clone(), null],
        vec![Value::Int(9)],
    ];
    assert_eq!(rows, expected);
    drop(session);
    server.done();
}

#[tokio::test]
async fn an_error_leaves_the_session_usable_unless_it_is_severe() {
    let server = Server::one(|peer| {
        logs_in(peer);
        peer.batch();
        peer.say(|out| {
            error(out, 208, 16, "Invalid object name 'x'.");
            error(out, 3621, 16, "The statement has been terminated.");
            finish(out, 2);
        });
        peer.batch();
        peer.say(|out| finish(out, 0));
        peer.batch();
        peer.say(|out| error(out, 596, 21, "Cannot continue the execution because the session is in the kill state."));
    });
    let (mut session, _) = succeeds(&connector(server.port, "Encrypt=disable")).await;
    let failure = session.query_rows("select * from x").await.unwrap_err();
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Rejected, Some("208")), "the first error counts");
    assert_eq!(session.query_rows("print 1").await, Ok(Vec::new()));
    let failure = session.query_rows("select 1").await.unwrap_err();
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Reset, Some("596")));
    server.done();
}

#[tokio::test]
async fn without_a_query_nothing_is_sent() {
    let server = Server::one(|peer| {
        logs_in(peer);
        assert_eq!(peer.rest(), b"");
    });
    let connector = connector(server.port, "Encrypt=disable");
    let (mut session, _) = succeeds(&connector).await;
    assert_eq!(connector.query(&mut session, &mut Trace::start()).await, Ok(()));
    drop(session);
    server.done();
}
