//! Answers to the query: of any length, with errors, with what is not followed; and rows that are kept.

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind as K, Phase};

use super::server::{Peer, Server};
use super::{LoginOptions, config, connector, connector_with, succeeds};
use crate::login::{MysqlConnector, Rows, SetupError};
use crate::protocol::reply::Done;
use crate::protocol::result::{self, Column};
use crate::protocol::tests::recorded;
use crate::protocol::{capability, command, packet, put_lenenc, status};

/// Logs in, asks `select 1`, lets the script answer, and returns what came of it.
async fn ask(answer: impl FnOnce(&mut Peer) + Send + 'static) -> (Result<(), Failure>, Trace) {
    let server = Server::one(move |peer| {
        peer.welcome();
        assert_eq!(peer.packet(), [&[command::QUERY], &b"select 1"[..]].concat());
        answer(peer);
    });
    let options = LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() };
    let connector = connector_with(server.port, "alice:secret", "", options);
    let (mut session, _) = succeeds(&connector).await;
    let mut trace = Trace::start();
    trace.enter(Phase::FirstQuery);
    let result = connector.query(&mut session, &mut trace).await;
    trace.stop();
    drop(session);
    server.done();
    (result, trace)
}

fn columns<'a>(names: &[&'a str]) -> Vec<Column<'a>> {
    names.iter().map(|name| Column { name, kind: 253, collation: 45, flags: 0 }).collect()
}

#[tokio::test]
async fn one_row() {
    let (result, trace) = ask(|peer| peer.send(recorded::SELECT_1)).await;
    assert_eq!(result, Ok(()));
    assert_eq!(trace.round_trips()[Phase::FirstQuery], 1);
}

#[tokio::test]
async fn no_rows_and_several_results() {
    let (result, _) = ask(Peer::ok).await;
    assert_eq!(result, Ok(()));
    let (result, _) = ask(|peer| {
        let mut out = Vec::new();
        let next = result::result(&mut out, 1, capability::CLIENT, status::MORE_RESULTS, &columns(&["a"]), &[]);
        Done { status: status::AUTOCOMMIT, ..Done::default() }.encode(&mut out, next);
        peer.send(&out);
    })
    .await;
    assert_eq!(result, Ok(()));
}

/// A row of more than 16 MiB, and rows whose numbers wrap around.
#[tokio::test]
async fn long_answers_are_read_and_not_kept() {
    let (result, _) = ask(|peer| {
        let mut out = Vec::new();
        packet::encode(&mut out, 1, |out| out.push(1));
        columns(&["a"])[0].encode(&mut out, 2);
        let mut row = Vec::new();
        put_lenenc(&mut row, 0x100_0010);
        row.resize(row.len() + 0x100_0010, 0xFF);
        let mut next = packet::encode_long(&mut out, 3, &row);
        for _ in 0..1000 {
            packet::encode(&mut out, next, |out| out.extend_from_slice(b"\x011"));
            next = next.wrapping_add(1);
        }
        Done { status: 2, ..Done::default() }.encode_after_rows(&mut out, next);
        peer.send(&out);
    })
    .await;
    assert_eq!(result, Ok(()));
}

#[tokio::test]
async fn errors_leave_the_session_ready() {
    let (result, _) = ask(|peer| peer.error(1146, "Table 'shop.x' doesn't exist")).await;
    let failure = result.unwrap_err();
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Rejected, Some("1146")));
    assert_eq!(failure.phase, Some(Phase::FirstQuery));
}

/// Its number belongs to no exchange.
#[tokio::test]
async fn a_server_that_goes_away_says_why() {
    for (code, kind) in [(1927, K::Reset), (4031, K::Reset), (1053, K::Refused)] {
        let (result, _) = ask(move |peer| {
            peer.sequence = 0;
            peer.error(code, "gone");
        })
        .await;
        assert_eq!(result.unwrap_err().kind, kind);
    }
    let (result, _) = ask(|_| {}).await;
    assert_eq!(result.unwrap_err().kind, K::Reset);
}

#[tokio::test]
async fn no_file_is_sent_and_no_nonsense_followed() {
    let (result, _) = ask(|peer| {
        peer.send(&[12, 0, 0, 1, 0xFB]);
        peer.send(b"/etc/passwd");
        assert_eq!(peer.rest(), b"");
    })
    .await;
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, K::Unsupported);
    for bytes in [
        &b"\x01\0\0\x02\x01"[..],
        b"\x01\0\0\x01\xfe",
        b"\x09\0\0\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\0\0\0\x01",
    ] {
        let (result, _) = ask(move |peer| {
            peer.send(bytes);
            peer.rest();
        })
        .await;
        assert_eq!(result.unwrap_err().kind, K::Protocol, "{bytes:?}");
    }
}

#[tokio::test]
async fn no_query_is_no_round_trip() {
    let server = Server::one(|peer| {
        peer.welcome();
        assert_eq!(peer.rest(), b"");
    });
    let connector = connector(server.port, "");
    let (mut session, _) = succeeds(&connector).await;
    let mut trace = Trace::start();
    trace.enter(Phase::FirstQuery);
    connector.query(&mut session, &mut trace).await.unwrap();
    assert_eq!(trace.round_trips()[Phase::FirstQuery], 0);
    drop(session);
    server.done();
}

#[tokio::test]
async fn rows_that_are_kept() {
    let server = Server::one(|peer| {
        peer.welcome();
        peer.packet();
        let mut out = Vec::new();
        let rows = vec![vec![Some(b"1".to_vec()), None], vec![Some(b"caf\xe9".to_vec()), Some(vec![b'x'; 300])]];
        let next = result::result(&mut out, 1, capability::CLIENT, status::MORE_RESULTS, &columns(&["a", "b"]), &rows);
        result::result(&mut out, next, capability::CLIENT, 2, &columns(&["c"]), &[vec![Some(b"9".to_vec())]]);
        peer.send(&out);
        peer.packet();
        peer.sequence = 1;
        peer.error(1142, "SELECT command denied");
        peer.packet();
        peer.ok();
        peer.rest();
    });
    let (mut session, _) = succeeds(&connector(server.port, "")).await;
    let rows = session.rows("select", &mut Trace::start()).await.unwrap();
    let long = "x".repeat(300);
    let expected = vec![vec![Some("1".to_owned()), None], vec![Some("caf\u{FFFD}".to_owned()), Some(long)]];
    assert_eq!((rows.columns, rows.rows), (vec!["a".to_owned(), "b".to_owned()], expected));
    let denied = session.rows("select", &mut Trace::start()).await.unwrap_err();
    assert_eq!((denied.kind, denied.code.as_deref()), (K::Rejected, Some("1142")));
    assert_eq!(session.rows("set", &mut Trace::start()).await, Ok(Rows::default()));
    drop(session);
    server.done();
}

#[test]
fn what_cannot_be_sent() {
    let mut bad = config("mysql://alice@h");
    bad.user = "a\0b".to_owned();
    let error = MysqlConnector::new(&bad, LoginOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(error, SetupError::ZeroByte("the user name")));
    bad.user = "x".repeat(600);
    let error = MysqlConnector::new(&bad, LoginOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(error, SetupError::TooLong { .. }));
    let options = LoginOptions { program_name: "\0".to_owned(), ..LoginOptions::default() };
    let error = MysqlConnector::new(&config("mysql://alice@h"), options).map(|_| ()).unwrap_err();
    assert!(matches!(error, SetupError::ZeroByte("the program name")));
}
