//! A session that is logged in, and what is asked of it.

use peaje_engine::{Failure, Socket, Trace, Wire};
use peaje_model::{CloseMode, Phase};

use super::authenticate::Welcome;
use super::dialogue::Answer;
use super::failures;
use crate::protocol::packet::{Framing, PacketKind};
use crate::protocol::request;
use crate::protocol::token::{EnvChange, Rows, Token};
use crate::protocol::types::{Column, Value};

/// A result that is kept may take so much memory; the counters need some kilobytes.
const MOST_KEPT: usize = 16 << 20;

/// A session that is logged in.
#[derive(Debug)]
pub struct SqlServerSession {
    wire: Wire,
    welcome: Welcome,
}

impl SqlServerSession {
    pub(super) fn new(wire: Wire, welcome: Welcome) -> Self {
        Self { wire, welcome }
    }

    /// The connection below, while nothing is asked of the session.
    pub(super) fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// The server's number for this session (`@@SPID`).
    pub fn session_id(&self) -> u16 {
        self.welcome.spid
    }

    /// Version of the server: major, minor, build (high, low byte).
    pub fn server_version(&self) -> [u8; 4] {
        self.welcome.ack.version
    }

    /// What the server calls itself (`Microsoft SQL Server`).
    pub fn program(&self) -> &str {
        &self.welcome.ack.program
    }

    /// The database the session is in.
    pub fn database(&self) -> Option<&str> {
        self.welcome.database.as_deref()
    }

    /// Version of the protocol agreed on ([`crate::protocol::TDS_7_4`] or [`crate::protocol::TDS_8_0`]).
    pub fn tds_version(&self) -> u32 {
        self.welcome.ack.tds_version
    }

    /// Packet size agreed on, bytes.
    pub fn packet_size(&self) -> usize {
        self.welcome.packet_size
    }

    /// Whether the session is encrypted now; not when TLS protected the login only.
    pub fn is_encrypted(&self) -> bool {
        self.wire.is_encrypted()
    }

    /// Runs a batch and keeps the rows of all its results, in order, up to 16 MiB. An error of the server is a failure
    /// of which the session survives, unless its severity is 20 or more. Nothing here times out by itself.
    pub async fn query_rows(&mut self, sql: &str) -> Result<Vec<Vec<Value>>, Failure> {
        let mut payload = Vec::new();
        request::batch(&mut payload, sql);
        let mut trace = Trace::start();
        trace.enter(Phase::FirstQuery);
        let mut rows = Vec::new();
        self.run(&payload, Rows::Keep { bytes: MOST_KEPT }, &mut trace, |_, row| rows.push(row)).await?;
        Ok(rows)
    }

    /// Runs a batch of one result; each row's values with their columns' names. Else as [`Self::query_rows`].
    pub async fn query_named(&mut self, sql: &str) -> Result<Vec<Vec<(String, Value)>>, Failure> {
        let mut payload = Vec::new();
        request::batch(&mut payload, sql);
        let mut trace = Trace::start();
        trace.enter(Phase::FirstQuery);
        let mut rows = Vec::new();
        let named = |columns: &[Column], row: Vec<Value>| columns.iter().map(|c| c.name.clone()).zip(row).collect();
        self.run(&payload, Rows::Keep { bytes: MOST_KEPT }, &mut trace, |columns, row| rows.push(named(columns, row)))
            .await?;
        Ok(rows)
    }

    /// This end of the connection, as a server sees it if nothing stands between.
    pub fn local_address(&self) -> Option<std::net::SocketAddr> {
        match self.wire.socket() {
            Socket::Tcp(stream) => stream.local_addr().ok(),
            Socket::Unix(_) => None,
        }
    }

    /// Runs a batch and reads its whole answer without keeping it.
    pub(super) async fn run_unread(&mut self, payload: &[u8], trace: &mut Trace) -> Result<(), Failure> {
        self.run(payload, Rows::Skip, trace, |_, _| {}).await
    }

    async fn run(
        &mut self,
        payload: &[u8],
        rows: Rows,
        trace: &mut Trace,
        mut keep: impl FnMut(&[Column], Vec<Value>),
    ) -> Result<(), Failure> {
        let mut message = Vec::with_capacity(payload.len() + 16);
        Framing::new(PacketKind::Batch).packet_size(self.welcome.packet_size).write(&mut message, payload);
        self.wire.queue(&message, trace);
        let mut answer = Answer::new(rows);
        let mut error: Option<Failure> = None;
        loop {
            match answer.next(&mut self.wire, trace).await {
                Ok(None) => return error.map_or(Ok(()), Err),
                Ok(Some(Token::Row(row))) => keep(answer.columns(), row),
                Ok(Some(Token::Error(message))) => {
                    error.get_or_insert_with(|| failures::of_query(&message, trace.current()));
                }
                Ok(Some(Token::EnvChange(change))) => self.note(change),
                Ok(Some(_)) => {}
                // A server that goes away says why first.
                Err(lost) => return Err(error.unwrap_or(lost)),
            }
        }
    }

    fn note(&mut self, change: EnvChange) {
        match change {
            EnvChange::PacketSize { new, .. } => self.welcome.packet_size = new,
            EnvChange::Database { new, .. } => self.welcome.database = Some(new),
            _ => {}
        }
    }

    /// Closes. TDS has no goodbye: a polite client closes its side and waits for the server to close its own.
    pub(super) async fn close(self, mode: CloseMode, trace: &mut Trace) -> Result<(), Failure> {
        trace.enter(Phase::Close);
        match mode {
            CloseMode::Polite => self.wire.close_this_side(trace).await,
            CloseMode::Quick => self.wire.close_quickly(trace).await,
            CloseMode::Reset => self.wire.close_by_reset().map_err(|e| Failure::from_io(&e, Some(Phase::Close))),
        }
    }
}
