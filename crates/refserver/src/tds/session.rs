//! A session: the requests of a client that is logged in.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use peaje_sqlserver::protocol::login7::{Feature, Login7};
use peaje_sqlserver::protocol::packet::{Framing, Message, PacketKind, Reset};
use peaje_sqlserver::protocol::request::{decode_batch, decode_transaction};
use peaje_sqlserver::protocol::token::{Done, DoneKind, EnvChange, done, write};

use crate::Step;
use crate::connection::Connection;
use crate::counters::Count;
use crate::end::End;
use crate::place::{self, Place};
use crate::seats::{Doing, Listed, Who};
use crate::server::Shared;
use crate::steps::after;

use super::Prepared;
use super::inbox::Inbox;
use super::login::packet_size;
use super::message::SqlError;
use super::procedure::Kept;
use super::reply;
use super::transaction::Transaction;

/// The first session number of users; those below are the server's own.
const FIRST_SPID: u64 = 51;
const SPIDS: u64 = 32_767 - FIRST_SPID;

/// Who is logged in.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) user: String,
    pub(super) program: String,
    pub(super) host: String,
    pub(super) database: String,
    pub(super) tds_version: u32,
    pub(super) packet_size: usize,
    pub(super) features: Vec<Feature>,
    pub(super) spid: u16,
    /// The client's process; 0 = it does not say.
    process: u32,
    /// Number of the connection.
    pub(super) number: u64,
}

impl Identity {
    /// `number` is that of the connection.
    pub(super) fn new(login: Login7, number: u64) -> Self {
        let database = if login.database.is_empty() { "master".to_owned() } else { login.database };
        Self {
            user: login.user,
            program: login.program,
            host: login.host_name,
            process: login.process_id,
            database,
            tds_version: login.tds_version,
            packet_size: packet_size(login.packet_size),
            features: login.features,
            spid: spid(number),
            number,
        }
    }
}

/// The session number of connection `number`.
pub(super) fn spid(number: u64) -> u16 {
    (FIRST_SPID + (number - 1) % SPIDS) as u16
}

/// What a session works with.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) shared: &'a Shared<Prepared>,
    pub(super) identity: Identity,
    pub(super) database: String,
    pub(super) transaction: Transaction,
    pub(super) kept: HashMap<i64, Kept>,
    pub(super) last_handle: i64,
    /// What has been answered is held back for this long.
    pub(super) pause: Duration,
    pub(super) client: SocketAddr,
    pub(super) encrypted: bool,
    inbox: Inbox,
    /// A request that came while another one was answered.
    waiting: Option<Message>,
    pub(super) listed: Listed<'a>,
    _logout: Logout<'a>,
    _encrypted: Option<Count<'a>>,
    place: Place<'a>,
}

/// Counts a logout when it is dropped.
#[derive(Debug)]
struct Logout<'a>(&'a AtomicU64);

impl Drop for Logout<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        shared: &'a Shared<Prepared>,
        identity: Identity,
        place: Place<'a>,
        connection: &Connection,
    ) -> Self {
        let who = Who {
            user: identity.user.clone(),
            database: identity.database.clone(),
            program: identity.program.clone(),
            host: identity.host.clone(),
            process: Some(identity.process.into()).filter(|process| *process != 0),
            client: Some(connection.client()),
            encrypted: connection.is_encrypted(),
            ..Who::default()
        };
        Self {
            shared,
            listed: shared.seats.list(connection.seat(), &who),
            database: identity.database.clone(),
            identity,
            transaction: Transaction::default(),
            kept: HashMap::new(),
            last_handle: 0,
            pause: Duration::ZERO,
            client: connection.client(),
            encrypted: connection.is_encrypted(),
            inbox: Inbox::of_session(),
            waiting: None,
            _logout: Logout(&shared.protocol.logouts),
            _encrypted: place::encrypted(shared, connection),
            place,
        }
    }

    /// Answers until one side ends it.
    pub(super) async fn run(mut self, connection: &mut Connection) -> End {
        loop {
            if let Err(end) = self.answer_one(connection).await {
                return end;
            }
        }
    }

    async fn answer_one(&mut self, connection: &mut Connection) -> Result<(), End> {
        let message = if let Some(message) = self.waiting.take() {
            message
        } else {
            self.listed.waits(Doing::Idle, self.transaction.depth());
            self.inbox.next(connection).await?
        };
        self.listed.works();
        self.place.work();
        if matches!(message.kind, PacketKind::Batch | PacketKind::Rpc) {
            self.shared.protocol.batches.fetch_add(1, Relaxed);
        }
        let mut tokens = Vec::with_capacity(256);
        self.reset(message.reset, &mut tokens);
        self.pause = self.shared.options.delays.query;
        if message.ignore {
            ignored(&mut tokens);
        } else if let Some(error) = self.answer(&message, &mut tokens) {
            return Err(SqlError::end(&[error], connection));
        }
        let framing =
            Framing::new(PacketKind::Response).packet_size(self.identity.packet_size).spid(self.identity.spid);
        if !self.pause.is_zero() && self.cancelled(connection).await? {
            // The request is answered by its end, and the attention by a message of its own: some drivers wait for both.
            tokens.clear();
            ignored(&mut tokens);
            framing.write(&mut connection.output, &tokens);
            tokens.clear();
            self.attention(&mut tokens);
        }
        framing.write(&mut connection.output, &tokens);
        after(Step::Query, connection, self.shared, self.identity.number).await
    }

    /// Answers a request. An error that it returns ends the session.
    fn answer(&mut self, message: &Message, tokens: &mut Vec<u8>) -> Option<SqlError> {
        match message.kind {
            PacketKind::Batch => match decode_batch(&message.payload) {
                Ok(sql) => {
                    self.batch(&sql, tokens);
                    None
                }
                Err(error) => Some(SqlError::broken(&error.to_string())),
            },
            PacketKind::Rpc => self.calls(&message.payload, tokens),
            PacketKind::TransactionManager => match decode_transaction(&message.payload) {
                Ok(request) => {
                    self.manage(request, tokens);
                    None
                }
                Err(error) => Some(SqlError::broken(&error.to_string())),
            },
            PacketKind::Attention => {
                // It came too late: there was nothing left to cancel.
                self.pause = Duration::ZERO;
                self.attention(tokens);
                None
            }
            PacketKind::Bulk => Some(SqlError::broken("bulk loads are not for the reference server")),
            _ => Some(SqlError::broken("a message that does not belong into a session")),
        }
    }

    fn batch(&mut self, sql: &str, tokens: &mut Vec<u8>) {
        if !self.transaction.is_open() && is_select_one(sql) {
            tokens.extend_from_slice(&self.shared.protocol.select_one);
            return;
        }
        let (replies, error) = self.run_text(sql, &[]);
        reply::batch(tokens, &replies, error.as_ref(), self.transaction.state());
    }

    /// `sp_reset_connection`: the session is as new.
    pub(super) fn reset(&mut self, wanted: Reset, tokens: &mut Vec<u8>) {
        if wanted == Reset::No {
            return;
        }
        self.shared.protocol.resets.fetch_add(1, Relaxed);
        let undone = if wanted == Reset::Session { self.transaction.roll_back() } else { None };
        if let Some(change) = undone {
            write::env_change(tokens, &change);
        }
        self.kept.clear();
        self.database.clone_from(&self.identity.database);
        self.listed.set_database(&self.database);
        write::env_change(tokens, &EnvChange::ResetDone);
    }

    /// Waits as long as the answer is held back. Returns whether the client did not want to wait.
    async fn cancelled(&mut self, connection: &mut Connection) -> Result<bool, End> {
        if let Some(came) = connection.waits_for_input(self.pause) {
            if !came? {
                return Ok(false);
            }
            return self.inbox.next(connection).await.map(|message| self.is_cancelled_by(message));
        }
        let over = tokio::time::sleep(self.pause);
        tokio::select! {
            () = over => Ok(false),
            message = self.inbox.next(connection) => Ok(self.is_cancelled_by(message?)),
        }
    }

    /// Whatever else has come is answered next.
    fn is_cancelled_by(&mut self, message: Message) -> bool {
        let cancelled = message.kind == PacketKind::Attention;
        self.waiting = (!cancelled).then_some(message);
        cancelled
    }

    fn attention(&self, tokens: &mut Vec<u8>) {
        let status = done::ATTENTION | self.transaction.state();
        write::done(tokens, &Done { kind: DoneKind::Statement, status, command: 0, rows: 0 });
    }
}

/// A request that its sender wants ignored is answered all the same.
fn ignored(tokens: &mut Vec<u8>) {
    write::done(tokens, &Done { kind: DoneKind::Statement, status: done::ERROR, command: 0, rows: 0 });
}

/// The query that nearly every measurement sends, as clients spell it.
fn is_select_one(sql: &str) -> bool {
    let text = sql.trim_end();
    text.strip_suffix(';').unwrap_or(text).eq_ignore_ascii_case("select 1")
}
