//! The protocol of MySQL and MariaDB, server's side: greeting, TLS, login, queries and prepared statements.
//!
//! Everything a client is sent says that this is a reference server: the version in the greeting, `version()`,
//! `@@version_comment`, and the variable `peaje_reference_server`.

mod accounts;
mod auth;
mod capabilities;
mod command;
mod dialogue;
mod execute;
mod handshake;
mod login;
mod packet;
mod prepared;
mod reply;
mod session;
mod sql;
mod statistics;
mod status;
mod value;
mod variables;
mod watch;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::area::Area;
use crate::connection::Connection;
use crate::seats::Card;
use crate::server::Speak;
use crate::steps::{close, in_time};
use crate::{RefServerError, ServerOptions};

use accounts::Accounts;
use auth::Account;
use capabilities::Capabilities;
use packet::Writer;
use reply::{Column, Format, Reply};
use status::Status;
use value::{Type, Value};

/// What drivers decide by, and people read: the version of a MySQL whose protocol is spoken, and whose it is not.
const VERSION: &str = "8.0.99-peaje-reference-server";

/// The server's name for itself.
const HOST_NAME: &str = "reference-server";

/// What all sessions share.
pub(crate) type Shared = crate::server::Shared<Prepared>;

/// What is computed once for all sessions, and what this protocol counts.
#[derive(Debug)]
pub(crate) struct Prepared {
    account: Account,
    status: Status,
    accounts: Accounts,
    /// The whole answer to `select 1` outside of a transaction, for clients that want marks of an end and for the others.
    select_one: [Vec<u8>; 2],
}

impl Speak for Prepared {
    /// TLS never begins without a request here.
    const ALPN: &'static [u8] = b"";

    fn prepare(options: &ServerOptions, area: &mut Area) -> Result<Self, RefServerError> {
        let (account, status, accounts) = (Account::new(options, area)?, Status::new(area), Accounts::new(area));
        let select_one = [Capabilities::default(), Capabilities::DEPRECATE_EOF].map(select_one);
        Ok(Self { account, status, accounts, select_one })
    }

    async fn serve(mut connection: Connection, shared: Arc<Shared>, number: u64) {
        let seat = connection.seat();
        // Apart from the session's own memory: it is given back with the login's end.
        let login = Box::pin(login::log_in(&mut connection, &shared, number));
        let end = match in_time(&shared, seat, login).await {
            Ok(session) => session.run(&mut connection).await,
            Err(end) => end,
        };
        close(connection, end).await;
    }

    fn lost(&self, session: &Card) {
        self.status.aborted_sessions.fetch_add(1, Relaxed);
        self.accounts.left(session);
    }
}

fn select_one(client: Capabilities) -> Vec<u8> {
    let mut out = Vec::new();
    let reply = Reply::Rows { columns: vec![Column::new("1", Type::Int)], rows: vec![vec![Value::Int(1)]] };
    reply.write(&mut Writer { out: &mut out, sequence: 1 }, Format::Text, client, reply::status::AUTOCOMMIT);
    out
}
