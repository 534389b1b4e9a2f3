//! Unix sockets: TLS is never used there.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;

use peaje_model::{OutcomeKind as K, Phase};

use super::{LoginOptions, config, fails, succeeds};
use peaje_model::TlsMode;

use crate::login::PostgresConnector;
use crate::protocol::backend::{self, TransactionStatus};
use crate::protocol::frontend::{StartupRequest, decode_startup};

fn connector(folder: &std::path::Path, tls: TlsMode) -> PostgresConnector {
    let text = format!("host={} port=15432 user=alice dbname=shop sslmode=require", folder.display());
    PostgresConnector::new(&config(&text), LoginOptions { tls, ..LoginOptions::default() }).unwrap()
}

#[tokio::test]
async fn unix_sockets_are_never_encrypted() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.15432")).unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = vec![0; 4096];
        let got = stream.read(&mut buffer).unwrap();
        let (request, _) = decode_startup(&buffer[..got]).unwrap().unwrap();
        assert!(matches!(request, StartupRequest::Startup { .. }), "{request:?}");
        let mut out = Vec::new();
        backend::authentication_ok(&mut out);
        backend::ready_for_query(&mut out, TransactionStatus::Idle);
        stream.write_all(&out).unwrap();
    });
    let (session, trace) = succeeds(&connector(folder.path(), TlsMode::AsUrl)).await;
    assert!(!session.is_encrypted());
    assert_eq!(trace.laps()[Phase::Resolve], std::time::Duration::ZERO);
    server.join().unwrap();
}

#[tokio::test]
async fn tls_asked_for_on_a_unix_socket_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let failure = fails(&connector(folder.path(), TlsMode::Full)).await;
    assert_eq!(failure.kind, K::TlsNotOffered);
    assert!(failure.message.contains("Unix socket"));
}

#[tokio::test]
async fn a_socket_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let failure = fails(&connector(folder.path(), TlsMode::AsUrl)).await;
    assert_eq!((failure.kind, failure.phase), (K::Refused, Some(Phase::Connect)));
    assert!(failure.message.contains(".s.PGSQL.15432"), "{failure}");
}
