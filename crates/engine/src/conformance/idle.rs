//! A session that is held and not used: it keeps little, it still answers, and its end is seen without a query.

use std::net::SocketAddr;
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

use super::{Encryption, PATIENCE, Subject, Wish, free_listener, log_in, wish};
use crate::{Connector, Failure, Trace};

/// Passes one connection on to a server until it is dropped: then the client sees what it sees when a server dies.
struct Relay {
    address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Relay {
    fn start(server: SocketAddr) -> Self {
        let listener = free_listener();
        listener.set_nonblocking(true).expect("a socket");
        let listener = TcpListener::from_std(listener).expect("a socket");
        let address = listener.local_addr().expect("it is bound");
        let task = tokio::spawn(async move {
            let Ok((mut client, _)) = listener.accept().await else { return };
            let Ok(mut server) = TcpStream::connect(server).await else { return };
            let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
        });
        Self { address, task }
    }
}

async fn ended<C: Connector>(connector: &C, session: &mut C::Session) -> Failure {
    std::future::poll_fn(|context| connector.poll_ended(session, context)).await
}

/// Held sessions are polled, not read: there is no task for each.
pub(super) async fn an_idle_session_is_held_and_its_end_is_seen<S: Subject>(subject: &S) {
    for encryption in [Encryption::Off, Encryption::Demanded] {
        let relay = Relay::start(subject.server());
        let connector = subject.connector(Wish { encryption, ..wish(relay.address) });
        let mut session = match log_in(&connector, &mut Trace::start()).await {
            Ok(session) => session,
            Err(failure) => panic!("{encryption:?}: {failure:?}"),
        };
        for _ in 0..3 {
            connector.settle(&mut session);
            let idle = tokio::time::timeout(Duration::from_millis(20), ended(&connector, &mut session)).await;
            assert!(idle.is_err(), "{encryption:?}: the session lives, and is told to have ended: {idle:?}");
            let answered = connector.query(&mut session, &mut Trace::start()).await;
            assert!(answered.is_ok(), "{encryption:?}: a query after the session was idle: {answered:?}");
        }
        connector.settle(&mut session);
        let mut watched = std::pin::pin!(ended(&connector, &mut session));
        std::future::poll_fn(|context| {
            assert!(watched.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        relay.task.abort();
        let end = tokio::time::timeout(PATIENCE, watched).await;
        let Ok(failure) = end else { panic!("{encryption:?}: nobody is woken when the server is gone") };
        let by_system = failure.code.as_ref().is_none_or(|code| code.starts_with('E'));
        assert!(by_system, "{encryption:?}: the server has said nothing, and is quoted: {failure:?}");
    }
}
