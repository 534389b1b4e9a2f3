//! A session: the messages of a client that is logged in.
//!
//! A newcomer would send each answer as it is ready. Here answers gather in the output and leave when the client is
//! waited for: one system call for a query, however many messages answer it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use peaje_postgres::protocol::backend::{self, TransactionStatus};
use peaje_postgres::protocol::frontend::{FrontendMessage, decode_frontend};

use crate::Step;
use crate::connection::{Connection, pause};
use crate::counters::Count;
use crate::end::End;
use crate::place::{self, Place};
use crate::seats::{Doing, Listed};
use crate::steps::after;

use super::Shared;
use super::end::broken;
use super::extended::{Portal, PreparedStatement};
use super::reply::{Reply, SqlError, describe};
use super::settings::Settings;
use super::sql::parse;

/// Answers gathered before they are sent even though more messages have come.
const MOST_GATHERED: usize = 64 * 1024;

/// Who is logged in.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) process_id: i32,
    pub(crate) number: u64,
    key: [u8; 32],
    key_length: usize,
}

impl Identity {
    /// `minor` is that of the protocol, `number` that of the connection, `process` the one that serves it alone, or 0.
    pub(crate) fn new(user: String, database: String, minor: u16, number: u64, process: u32) -> Self {
        // Keys are 4 bytes long until protocol 3.2.
        let key_length = if minor >= 2 { 32 } else { 4 };
        Self { user, database, process_id: process_id(number, process), number, key: rand::random(), key_length }
    }

    /// The key that a request to cancel has to show.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key[..self.key_length]
    }
}

/// The process that a client is told: its own, or, where one serves many, a number in its place.
pub(super) fn process_id(number: u64, process: u32) -> i32 {
    match process {
        0 => (number % u64::from(u32::MAX >> 1)) as i32,
        process => process.cast_signed(),
    }
}

/// What a session works with.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(super) shared: &'a Shared,
    pub(super) identity: Identity,
    pub(super) settings: Settings,
    /// Settings as they were when the transaction began.
    pub(super) settings_before: Option<Settings>,
    pub(super) status: TransactionStatus,
    pub(super) statements: HashMap<String, PreparedStatement>,
    pub(super) portals: HashMap<String, Portal>,
    /// An extended query has failed: everything until its `Sync` is skipped.
    pub(super) skipping: bool,
    /// What has been answered is held back for this long.
    pub(super) pause: Duration,
    pub(super) client: SocketAddr,
    pub(super) encrypted: bool,
    _encrypted: Option<Count<'a>>,
    pub(super) listed: Listed<'a>,
    place: Place<'a>,
}

/// What comes after a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The next message.
    Go,
    /// The output is sent first.
    Flush,
    /// A query has been answered.
    Answered,
    /// The end.
    End(End),
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        identity: Identity,
        settings: Settings,
        listed: Listed<'a>,
        place: Place<'a>,
        connection: &Connection,
    ) -> Self {
        Self {
            shared,
            identity,
            settings,
            settings_before: None,
            status: TransactionStatus::Idle,
            statements: HashMap::new(),
            portals: HashMap::new(),
            skipping: false,
            pause: Duration::ZERO,
            client: connection.client(),
            encrypted: connection.is_encrypted(),
            _encrypted: place::encrypted(shared, connection),
            listed,
            place,
        }
    }

    /// Answers until one side ends it.
    pub(crate) async fn run(mut self, connection: &mut Connection) -> End {
        match self.answer_all(connection).await {
            Ok(end) | Err(end) => end,
        }
    }

    async fn answer_all(&mut self, connection: &mut Connection) -> Result<End, End> {
        loop {
            let next = match decode_frontend(connection.input.rest()) {
                Ok(None) => match connection.fill().await? {
                    0 => {
                        self.shared.protocol.abandoned.fetch_add(1, Relaxed);
                        return Ok(End::Left);
                    }
                    _ => continue,
                },
                Ok(Some((message, used))) => {
                    self.listed.works();
                    self.place.work();
                    let next = self.message(message, &mut connection.output);
                    connection.input.consume(used);
                    next
                }
                Err(error) => return Ok(broken(connection, error)),
            };
            if !self.pause.is_zero() {
                pause(std::mem::take(&mut self.pause)).await;
            }
            match next {
                Next::Go if connection.output.len() < MOST_GATHERED => {}
                Next::Go | Next::Flush => connection.flush().await?,
                Next::Answered => {
                    self.answered();
                    after(Step::Query, connection, self.shared, self.identity.number).await?;
                }
                Next::End(end) => return Ok(end),
            }
        }
    }

    fn answered(&self) {
        self.listed.waits(
            match self.status {
                TransactionStatus::Idle => Doing::Idle,
                TransactionStatus::InTransaction => Doing::InTransaction,
                TransactionStatus::Failed => Doing::InFailedTransaction,
            },
            u32::from(self.status != TransactionStatus::Idle),
        );
        if self.status == TransactionStatus::Idle {
            self.shared.protocol.transactions.fetch_add(1, Relaxed);
        }
    }

    fn message(&mut self, message: FrontendMessage<'_>, out: &mut Vec<u8>) -> Next {
        match message {
            FrontendMessage::Terminate => Next::End(End::Left),
            FrontendMessage::Query(sql) => {
                self.skipping = false;
                self.pause += self.shared.options.delays.query;
                self.simple_query(sql, out);
                Next::Answered
            }
            FrontendMessage::Other(kind) => {
                let message = format!("invalid frontend message type {kind}");
                backend::error(out, "FATAL", "08P01", &message, None);
                Next::End(End::Told)
            }
            FrontendMessage::Password(_) => {
                backend::error(out, "FATAL", "08P01", "unexpected password message", None);
                Next::End(End::Told)
            }
            extended => self.extended(extended, out),
        }
    }

    fn simple_query(&mut self, sql: &str, out: &mut Vec<u8>) {
        if self.status == TransactionStatus::Idle && self.settings.all_told() && is_select_one(sql) {
            out.extend_from_slice(&self.shared.protocol.select_one);
            return;
        }
        if let Err(error) = self.run_all(sql, out) {
            self.fail(&error, out);
        }
        self.ready(out);
    }

    fn run_all(&mut self, sql: &str, out: &mut Vec<u8>) -> Result<(), SqlError> {
        for statement in parse(sql)? {
            let reply = self.execute(&statement, &[])?;
            if let Reply::Rows { fields, .. } = &reply {
                describe(out, fields, &[])?;
            }
            reply.write(out, &[])?;
        }
        Ok(())
    }

    /// Tells an error; an open transaction has failed with it.
    pub(super) fn fail(&mut self, error: &SqlError, out: &mut Vec<u8>) {
        error.write(out);
        if self.status == TransactionStatus::InTransaction {
            self.status = TransactionStatus::Failed;
        }
    }

    /// Tells what has changed, and that the next query may come.
    pub(super) fn ready(&mut self, out: &mut Vec<u8>) {
        for name in self.settings.take_untold() {
            if let Ok((name, value)) = self.settings.show(name, self.own()) {
                backend::parameter_status(out, &name, &value);
            }
        }
        backend::ready_for_query(out, self.status);
    }
}

/// The query that nearly every measurement sends, as clients spell it.
fn is_select_one(sql: &str) -> bool {
    let text = sql.strip_suffix(';').unwrap_or(sql);
    text.eq_ignore_ascii_case("select 1")
}
