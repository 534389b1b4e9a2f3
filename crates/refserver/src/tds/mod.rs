//! The TDS protocol of SQL Server (7.2 to 7.4, and 8.0 "strict"), server's side: negotiation, login, batches, procedures.
//!
//! The product's name in LOGINACK is SQL Server's own, because drivers look at it. Everything else that a person can see
//! says that this is a reference server: `@@version`, `@@servername`, the edition, and the server's name in every message.

mod evaluate;
mod execute;
mod inbox;
mod login;
mod message;
mod negotiate;
mod options;
mod procedure;
mod reply;
mod session;
mod sql;
mod transaction;
mod views;
mod watch;

pub use options::{ServerState, SqlServerOptions};

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use peaje_sqlserver::protocol::ALPN;

use crate::area::{Area, Word};
use crate::connection::Connection;
use crate::seats::Card;
use crate::server::{Shared, Speak};
use crate::steps;
use crate::{RefServerError, ServerOptions};

/// The server's name in messages and in `@@servername`.
const SERVER_NAME: &str = "PEAJE-REFERENCE-SERVER";
/// Version of the SQL Server whose protocol is spoken (2022).
const VERSION: [u8; 4] = [16, 0, 0x03, 0xe8];
const PRODUCT_VERSION: &str = "16.0.1000.6";

/// `@@version`.
fn banner() -> String {
    format!(
        "Microsoft SQL Server 2022 as far as logins go - {PRODUCT_VERSION} - peaje reference server {}: there is no \
         database behind it, and its figures describe this machine",
        env!("CARGO_PKG_VERSION")
    )
}

/// What is computed once for all sessions, and what only TDS counts.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The whole answer to `select 1` outside of a transaction.
    select_one: Vec<u8>,
    /// Sessions that have ended.
    logouts: Word,
    /// Resets of pooled sessions.
    resets: Word,
    /// Batches and procedure calls that have come.
    batches: Word,
}

impl Speak for Prepared {
    const ALPN: &'static [u8] = ALPN;

    fn prepare(options: &ServerOptions, area: &mut Area) -> Result<Self, RefServerError> {
        if !options.protocol.has(&options.auth) {
            return Err(RefServerError::auth(options));
        }
        Ok(Self { select_one: reply::select_one(), logouts: area.word(), resets: area.word(), batches: area.word() })
    }

    async fn serve(mut connection: Connection, shared: Arc<Shared<Self>>, number: u64) {
        let seat = connection.seat();
        // Apart from the session's own memory: it is given back with the login's end.
        let login = Box::pin(login::log_in(&mut connection, &shared, number));
        let end = match steps::in_time(&shared, seat, login).await {
            Ok(session) => session.run(&mut connection).await,
            Err(end) => end,
        };
        steps::close(connection, end).await;
    }

    fn lost(&self, _: &Card) {
        self.logouts.fetch_add(1, Relaxed);
    }
}
