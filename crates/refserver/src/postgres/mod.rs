//! The PostgreSQL protocol, server's side: negotiation, login, simple and extended queries.
//!
//! Everything a client is sent says that this is a reference server: `version()`, `server_version`, and the setting
//! `peaje.reference_server`.

mod auth;
mod end;
mod execute;
mod extended;
mod login;
mod reply;
mod session;
mod settings;
mod sql;
mod startup;
mod statistics;
mod value;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use peaje_postgres::protocol::backend::{self, TransactionStatus};

use crate::Auth;
use crate::connection::Connection;
use crate::counters::Count;
use crate::server::Shared;

use auth::Verifier;
use end::End;
use reply::Field;
use value::Type;

/// The protocol's name in a TLS handshake that begins without a request.
pub(crate) const ALPN: &[u8] = b"postgresql";

/// A client has this long to log in, the server's own delays aside (`authentication_timeout`).
const LOGIN_TIMEOUT: Duration = Duration::from_secs(60);
/// A client that does not take its last message has this long.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// What is computed once for all sessions.
#[derive(Debug)]
pub(crate) struct Prepared {
    verifier: Verifier,
    /// Settings told at login that are the same for all clients.
    parameters: Vec<u8>,
    /// The whole answer to `select 1` outside of a transaction.
    select_one: Vec<u8>,
    /// When the server was started.
    started: SystemTime,
}

impl Prepared {
    pub(crate) fn new(auth: &Auth) -> Self {
        let mut parameters = Vec::new();
        for (name, value) in settings::reported().filter(|(name, _)| !login::OWN_PARAMETERS.contains(name)) {
            backend::parameter_status(&mut parameters, name, value);
        }
        let mut select_one = Vec::new();
        reply::describe(&mut select_one, &[Field::new("?column?", Type::INT4)], &[]).expect("text format");
        backend::data_row(&mut select_one, &[Some(b"1")]);
        backend::command_complete(&mut select_one, "SELECT 1");
        backend::ready_for_query(&mut select_one, TransactionStatus::Idle);
        Self { verifier: Verifier::new(auth), parameters, select_one, started: SystemTime::now() }
    }
}

/// Serves one connection from its first byte to its last. `number` counts connections from 1.
pub(crate) async fn serve(mut connection: Connection, shared: Arc<Shared>, number: u64) {
    let end = {
        let logging_in = Count::of(&shared.counters.logging_in);
        let limit = LOGIN_TIMEOUT + shared.options.delays.of_login();
        let login = tokio::time::timeout(limit, login::log_in(&mut connection, &shared, number)).await;
        drop(logging_in);
        match login.unwrap_or(Err(End::Silent)) {
            Ok(session) => session.run(&mut connection).await,
            Err(end) => {
                end.count(&shared.counters);
                end
            }
        }
        // The session has left every gauge before its client can see that the connection is closed.
    };
    match end {
        End::Told => {
            // A client that has left needs no last message.
            let _ = tokio::time::timeout(FINISH_TIMEOUT, connection.finish()).await;
        }
        End::Reset => connection.reset(),
        End::Left | End::Cancel | End::Silent => {}
    }
}

impl End {
    fn count(self, counters: &crate::counters::Counters) {
        let counter = match self {
            End::Left => &counters.abandoned,
            End::Cancel => &counters.cancels,
            End::Told | End::Silent | End::Reset => &counters.failed,
        };
        counter.fetch_add(1, Relaxed);
    }
}
