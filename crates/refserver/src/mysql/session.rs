//! A session: the commands of a client that is logged in.
//!
//! A newcomer would send each answer as it is ready. Here answers gather in the output and leave when the client is
//! waited for: one system call for a query, however many packets answer it.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::Step;
use crate::connection::{Connection, pause};
use crate::counters::Count;
use crate::end::End;
use crate::place::{self, Place};
use crate::seats::{Doing, Who};
use crate::steps::after;

use super::Shared;
use super::accounts::Entered;
use super::capabilities::Capabilities;
use super::command::end_with;
use super::dialogue::{Dialogue, broken, out_of_order};
use super::handshake::decode_change_user;
use super::login::{check, check_database};
use super::packet::{Writer, decode};
use super::prepared::PreparedStatement;
use super::reply::{ok, status};
use super::variables::Variables;

/// Longest command: `max_allowed_packet`.
pub(crate) const LONGEST_COMMAND: usize = 1024 * 1024;
/// Answers gathered before they are sent even though more commands have come.
const MOST_GATHERED: usize = 64 * 1024;

/// Who is logged in.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) number: u64,
    pub(crate) capabilities: Capabilities,
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) program: String,
    pub(crate) process: Option<u64>,
}

impl Client {
    fn who(&self, connection: &Connection) -> Who {
        Who {
            user: self.user.clone(),
            database: self.database.clone(),
            program: self.program.clone(),
            client: Some(connection.client()),
            process: self.process,
            encrypted: connection.is_encrypted(),
            ..Who::default()
        }
    }
}

/// TLS of a session, as `show status` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Encryption {
    pub(crate) version: String,
    pub(crate) cipher: String,
    pub(crate) resumed: bool,
}

/// What a session works with.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(super) shared: &'a Shared,
    pub(super) client: Client,
    pub(super) status: u16,
    pub(super) variables: Variables,
    pub(super) statements: HashMap<u32, PreparedStatement>,
    pub(super) next_statement: u32,
    /// What has been answered is held back for this long.
    pub(super) pause: Duration,
    pub(super) encryption: Option<Encryption>,
    pub(super) entered: Entered<'a>,
    pub(super) said_goodbye: bool,
    _encrypted: Option<Count<'a>>,
    pub(super) place: Place<'a>,
}

/// What comes after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// The next command.
    Go,
    /// A query has been answered.
    Answered,
    /// Somebody else logs in on this connection, with this body.
    ChangeUser(Vec<u8>),
    /// The end.
    End(End),
}

impl<'a> Session<'a> {
    pub(crate) fn new(shared: &'a Shared, client: Client, place: Place<'a>, connection: &Connection) -> Self {
        let who = client.who(connection);
        let entered = Entered::new(&shared.protocol.accounts, &shared.seats, connection.seat(), who);
        Self {
            shared,
            client,
            status: status::AUTOCOMMIT,
            variables: Variables::default(),
            statements: HashMap::new(),
            next_statement: 1,
            pause: Duration::ZERO,
            encryption: connection.tls_names().map(|(version, cipher, resumed)| Encryption {
                version,
                cipher,
                resumed,
            }),
            entered,
            said_goodbye: false,
            _encrypted: place::encrypted(shared, connection),
            place,
        }
    }

    /// Answers until one side ends it.
    pub(crate) async fn run(mut self, connection: &mut Connection) -> End {
        let (Ok(end) | Err(end)) = self.answer_all(connection).await;
        if !self.said_goodbye {
            self.shared.protocol.status.aborted_sessions.fetch_add(1, Relaxed);
        }
        end.count_session(&self.shared.counters);
        end
    }

    async fn answer_all(&mut self, connection: &mut Connection) -> Result<End, End> {
        self.initialise(connection).await?;
        loop {
            let next = match decode(connection.input.rest(), LONGEST_COMMAND) {
                Ok(None) => {
                    self.waits();
                    match connection.fill().await? {
                        0 => return Ok(End::Left),
                        _ => continue,
                    }
                }
                Ok(Some(packet)) => {
                    let mut writer = Writer { out: &mut connection.output, sequence: packet.sequence.wrapping_add(1) };
                    let next = match packet.sequence {
                        0 => self.command(packet.body, &mut writer),
                        _ => end_with(&out_of_order(), &mut writer),
                    };
                    connection.input.consume(packet.used);
                    next
                }
                Err(error) => end_with(&broken(error), &mut Writer { out: &mut connection.output, sequence: 1 }),
            };
            if !self.pause.is_zero() {
                pause(std::mem::take(&mut self.pause)).await;
            }
            match next {
                Next::Go if connection.output.len() < MOST_GATHERED => {}
                Next::Go => connection.flush().await?,
                Next::Answered => after(Step::Query, connection, self.shared, self.client.number).await?,
                Next::ChangeUser(body) => self.change_user(&body, connection).await?,
                Next::End(end) => return Ok(end),
            }
        }
    }

    fn waits(&self) {
        let open = self.status & status::IN_TRANSACTION != 0;
        self.entered.listed.waits(if open { Doing::InTransaction } else { Doing::Idle }, open.into());
    }

    /// What a real server runs *after* its OK (`init_connect`): the client waits for it with its first command.
    async fn initialise(&self, connection: &mut Connection) -> Result<(), End> {
        let delay = self.shared.options.delays.session;
        if !delay.is_zero() {
            connection.flush().await?;
            pause(delay).await;
        }
        Ok(())
    }

    /// Everything as after the login, the user aside.
    pub(super) fn reset(&mut self) {
        self.variables = Variables::default();
        self.statements.clear();
        self.status = status::AUTOCOMMIT;
    }

    async fn change_user(&mut self, body: &[u8], connection: &mut Connection) -> Result<(), End> {
        // The client's packet was number 0.
        let mut dialogue = Dialogue { connection, sequence: 1 };
        let login = decode_change_user(body, self.client.capabilities).map_err(|e| dialogue.fatal(&broken(e)))?;
        // Whatever it has answered was computed with a scramble that is used up: it is asked anew.
        check(&mut dialogue, self.shared, &login, None).await?;
        check_database(&mut dialogue, &login.database)?;
        ok(&mut dialogue.writer(), status::AUTOCOMMIT);
        self.reset();
        if !login.program.is_empty() {
            self.client.program = login.program;
        }
        (self.client.user, self.client.database) = (login.user, login.database);
        self.client.process = login.process.or(self.client.process);
        self.entered.becomes(self.client.who(connection));
        Ok(())
    }
}
