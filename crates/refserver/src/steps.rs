//! What the steps of a login have in common in all protocols: delays, faults, TLS, its time limit, and the close.
//!
//! A newcomer would put a delay where a step begins. It stands before the step's *answer*, so that the client waits for
//! exactly that step.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rustls::{HandshakeKind, ServerConfig};

use crate::connection::{Connection, HandshakeEnd, at_most, pause};
use crate::counters::Count;
use crate::end::End;
use crate::seats::Bit;
use crate::server::Shared;
use crate::{ServerOptions, Step};

/// A client has this long to log in, the server's own delays aside.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(60);
/// A client that does not take its last message has this long.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// Waits as long as the options want before a step is answered.
pub(crate) async fn before<P>(step: Step, shared: &Shared<P>) {
    let delay = shared.options.delays.before(step);
    if !delay.is_zero() {
        pause(delay).await;
    }
}

/// Ends the connection after a step, if the options want it.
pub(crate) async fn after<P>(
    step: Step,
    connection: &mut Connection,
    shared: &Shared<P>,
    number: u64,
) -> Result<(), End> {
    if shared.options.faults.drops_after(step, number) {
        connection.flush().await?;
        return Err(End::Silent);
    }
    Ok(())
}

/// The TLS handshake, counted, with the delay before it and the fault after it.
pub(crate) async fn handshake<P>(
    connection: &mut Connection,
    config: Arc<ServerConfig>,
    shared: &Shared<P>,
    number: u64,
) -> Result<(), End> {
    connection.flush().await?;
    before(Step::Tls, shared).await;
    match connection.handshake(config).await {
        Ok(HandshakeKind::Resumed) => shared.counters.tls_resumed.fetch_add(1, Relaxed),
        Ok(_) => shared.counters.tls_full.fetch_add(1, Relaxed),
        Err(HandshakeEnd::Left) => return Err(End::Left),
        Err(HandshakeEnd::Failed) => return Err(End::Silent),
    };
    after(Step::Tls, connection, shared, number).await
}

/// How long a login may take.
pub(crate) fn longest_login(options: &ServerOptions) -> Duration {
    LOGIN_TIMEOUT + options.delays.of_login()
}

/// A login within its time limit. One that does not succeed is counted by its end.
/// `seat` is the connection's.
pub(crate) async fn in_time<P, S>(
    shared: &Shared<P>,
    seat: usize,
    login: impl Future<Output = Result<S, End>>,
) -> Result<S, End> {
    let logging_in = Count::of(&shared.counters.logging_in, Bit::LoggingIn, &shared.seats, seat);
    let result = at_most(longest_login(&shared.options), login).await.unwrap_or(Err(End::Silent));
    drop(logging_in);
    if let Err(end) = &result {
        end.count(&shared.counters);
    }
    result
}

/// Closes the connection as its end demands. By now the session has left every gauge: nobody can see the close and
/// still find the session counted.
pub(crate) async fn close(mut connection: Connection, end: End) {
    match end {
        End::Told => {
            // A client that has left needs no last message.
            connection.has_time_to_send(FINISH_TIMEOUT);
            let _ = at_most(FINISH_TIMEOUT, connection.finish()).await;
        }
        End::Reset => connection.reset(),
        End::Left | End::Cancel | End::Silent => {}
    }
}
