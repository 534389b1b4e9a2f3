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
mod watch;

use std::sync::Arc;

use peaje_postgres::protocol::backend::{self, TransactionStatus};

use crate::area::{Area, Word};
use crate::connection::Connection;
use crate::seats::Card;
use crate::server::Speak;
use crate::steps::{close, in_time};
use crate::{RefServerError, ServerOptions};

use auth::Verifier;
use reply::Field;
use value::Type;

/// The protocol's name in a TLS handshake that begins without a request.
const ALPN: &[u8] = b"postgresql";

/// What all sessions share.
pub(crate) type Shared = crate::server::Shared<Prepared>;

/// What is computed once for all sessions.
#[derive(Debug)]
pub(crate) struct Prepared {
    verifier: Verifier,
    /// Settings told at login that are the same for all clients.
    parameters: Vec<u8>,
    /// The whole answer to `select 1` outside of a transaction.
    select_one: Vec<u8>,
    /// Transactions that have ended.
    transactions: Word,
    /// Sessions whose client has left without a goodbye.
    abandoned: Word,
}

impl Speak for Prepared {
    const ALPN: &'static [u8] = ALPN;

    fn prepare(options: &ServerOptions, area: &mut Area) -> Result<Self, RefServerError> {
        let verifier = Verifier::new(&options.auth).ok_or_else(|| RefServerError::auth(options))?;
        let mut parameters = Vec::new();
        for (name, value) in settings::reported().filter(|(name, _)| !login::OWN_PARAMETERS.contains(name)) {
            backend::parameter_status(&mut parameters, name, value);
        }
        let mut select_one = Vec::new();
        reply::describe(&mut select_one, &[Field::new("?column?", Type::INT4)], &[]).expect("text format");
        backend::data_row(&mut select_one, &[Some(b"1")]);
        backend::command_complete(&mut select_one, "SELECT 1");
        backend::ready_for_query(&mut select_one, TransactionStatus::Idle);
        Ok(Self { verifier, parameters, select_one, transactions: area.word(), abandoned: area.word() })
    }

    async fn serve(mut connection: Connection, shared: Arc<Shared>, number: u64) {
        let seat = connection.seat();
        // Apart from the session's own memory: it is given back with the login's end.
        let login = Box::pin(login::log_in(&mut connection, &shared, number));
        let end = match in_time(&shared, seat, login).await {
            Ok(session) => {
                let end = session.run(&mut connection).await;
                end.count_session(&shared.counters);
                end
            }
            Err(end) => end,
        };
        close(connection, end).await;
    }

    fn lost(&self, _: &Card) {
        // `sessions_ended` says it all.
    }
}
