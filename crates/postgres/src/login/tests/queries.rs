//! Answers to the query: of any length, with errors, with what is not followed.

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind as K, Phase};

use super::server::{Peer, Server};
use super::{LoginOptions, config, connector_with, succeeds};
use crate::login::{PostgresConnector, SetupError};
use crate::protocol::backend::{self, Column, TransactionStatus};
use crate::protocol::frontend::FrontendMessage;

fn ready(out: &mut Vec<u8>) {
    backend::ready_for_query(out, TransactionStatus::Idle);
}

/// Logs in, asks `select 1`, lets the script answer, and returns what came of it.
async fn ask(answer: impl FnOnce(&mut Peer) + Send + 'static) -> (Result<(), Failure>, Trace) {
    let server = Server::one(move |peer| {
        peer.parameters();
        peer.welcome();
        peer.message(|m| assert_eq!(*m, FrontendMessage::Query("select 1")));
        answer(peer);
    });
    let options = LoginOptions { query: "select 1".to_owned(), ..LoginOptions::default() };
    let connector = connector_with(server.port, "sslmode=disable", options);
    let (mut session, _) = succeeds(&connector).await;
    let mut trace = Trace::start();
    trace.enter(Phase::FirstQuery);
    let result = connector.query(&mut session, &mut trace).await;
    trace.stop();
    drop(session);
    server.done();
    (result, trace)
}

#[tokio::test]
async fn one_row() {
    let (result, trace) = ask(|peer| {
        peer.say(|out| {
            let column = Column { name: "?column?".into(), type_oid: 23, type_size: 4, format: 0 };
            backend::row_description(out, &[column]);
            backend::data_row(out, &[Some(b"1")]);
            backend::command_complete(out, "SELECT 1");
            ready(out);
        });
    })
    .await;
    assert_eq!(result, Ok(()));
    assert_eq!(trace.round_trips()[Phase::FirstQuery], 1);
}

#[tokio::test]
async fn empty_answers_notices_and_several_statements() {
    let (result, _) = ask(|peer| {
        peer.say(|out| {
            backend::empty_query(out);
            backend::notice(out, "NOTICE", "00000", "hello", None);
            backend::command_complete(out, "SET");
            backend::parameter_status(out, "TimeZone", "UTC");
            ready(out);
        });
    })
    .await;
    assert_eq!(result, Ok(()));
}

/// Rows are longer than any message of a login may be, and many.
#[tokio::test]
async fn long_answers_are_read_and_not_kept() {
    let (result, _) = ask(|peer| {
        let long = vec![b'x'; 3 << 20];
        peer.say(|out| backend::data_row(out, &[Some(&long)]));
        for _ in 0..100 {
            peer.say(|out| (0..100).for_each(|_| backend::data_row(out, &[Some(b"1"), None])));
        }
        peer.say(|out| {
            backend::command_complete(out, "SELECT 10001");
            ready(out);
        });
    })
    .await;
    assert_eq!(result, Ok(()));
}

#[tokio::test]
async fn errors_leave_the_session_ready() {
    let (result, _) = ask(|peer| {
        peer.say(|out| {
            backend::error(out, "ERROR", "42P01", "relation \"x\" does not exist", None);
            ready(out);
        });
    })
    .await;
    let failure = result.unwrap_err();
    assert_eq!((failure.kind, failure.code.as_deref()), (K::Rejected, Some("42P01")));
    assert_eq!(failure.phase, Some(Phase::FirstQuery));
}

#[tokio::test]
async fn a_server_that_goes_away_says_why() {
    let (result, _) = ask(|peer| peer.error("57P01", "terminating connection due to administrator command")).await;
    assert_eq!(result.unwrap_err().code.as_deref(), Some("57P01"));
    let (result, _) = ask(|_| {}).await;
    assert_eq!(result.unwrap_err().kind, K::Reset);
}

#[tokio::test]
async fn copy_is_not_followed() {
    for tag in [b'G', b'H', b'W'] {
        let (result, _) = ask(move |peer| peer.send(&[tag, 0, 0, 0, 7, 0, 0, 0])).await;
        let failure = result.unwrap_err();
        assert_eq!(failure.kind, K::Unsupported);
        assert!(failure.message.contains("COPY"));
    }
}

#[tokio::test]
async fn no_query_is_no_round_trip() {
    let server = Server::one(|peer| {
        peer.parameters();
        peer.welcome();
        assert_eq!(peer.rest(), b"");
    });
    let connector = connector_with(server.port, "sslmode=disable", LoginOptions::default());
    let (mut session, _) = succeeds(&connector).await;
    assert_eq!(connector.query(&mut session, &mut Trace::start()).await, Ok(()));
    drop(session);
    server.done();
}

#[test]
fn texts_that_cannot_be_sent() {
    let config = config("host=127.0.0.1 user=alice dbname=shop");
    let zero = LoginOptions { query: "select '\0'".to_owned(), ..LoginOptions::default() };
    assert!(matches!(PostgresConnector::new(&config, zero), Err(SetupError::ZeroByte("the query"))));
    let zero = LoginOptions { application_name: "a\0b".to_owned(), ..LoginOptions::default() };
    assert!(matches!(PostgresConnector::new(&config, zero), Err(SetupError::ZeroByte("the program name"))));
    let long = LoginOptions { application_name: "x".repeat(20_000), ..LoginOptions::default() };
    assert!(matches!(PostgresConnector::new(&config, long), Err(SetupError::StartupTooLong)));
}
