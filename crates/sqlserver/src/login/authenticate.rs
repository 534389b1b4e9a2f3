//! LOGIN7 and its answer: phases `authenticate` (up to LOGINACK) and `session` (what follows it).
//!
//! Servers send the whole answer in one go, so `session` is short; what comes together with LOGINACK has been waited
//! for in `authenticate`.

use peaje_engine::{AuthFacts, Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::Answer;
use super::failures;
use super::negotiate::Negotiated;
use super::prepared::Prepared;
use crate::protocol::packet::DEFAULT_PACKET_SIZE;
use crate::protocol::prelogin::Agreed;
use crate::protocol::token::{EnvChange, LoginAck, Rows, ServerMessage, Token};

/// What a login message led to.
pub(super) enum Answered {
    /// A session.
    LoggedIn(Welcome),
    /// Log in over there instead.
    Redirected { server: String, port: u16 },
}

/// What the server told of the session.
#[derive(Debug, Clone)]
pub(super) struct Welcome {
    pub(super) ack: LoginAck,
    pub(super) packet_size: usize,
    pub(super) spid: u16,
    pub(super) database: Option<String>,
}

/// Sends the login message and reads its answer.
pub(super) async fn authenticate(
    prepared: &Prepared,
    server: Option<&str>,
    negotiated: &Negotiated,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<Answered, Failure> {
    trace.enter(Phase::Authenticate);
    let mut message = Vec::new();
    prepared.write_login(server, &negotiated.answered, &mut message);
    wire.queue(&message, trace);
    if negotiated.agreed == Agreed::LoginOnly {
        wire.leave_tls(trace);
    }
    let mut answer = Answer::new(Rows::Skip);
    let mut seen = Seen::default();
    loop {
        let token = match answer.next(wire, trace).await {
            Ok(Some(token)) => token,
            Ok(None) => break,
            // A server that goes away says why first.
            Err(lost) => {
                let refusal = seen.refusal(trace).unwrap_or_else(|| failures::lost_in_login(lost));
                return Err(failures::with_origin(refusal, prepared.password_origin.as_ref()));
            }
        };
        if matches!(token, Token::LoginAck(_)) {
            trace.auth = Some(AuthFacts { method: prepared.method(), iterations: None, cached: false });
            trace.enter(Phase::Session);
        }
        seen.note(token, trace)?;
    }
    let outcome = seen.outcome(answer.spid, trace);
    outcome.map_err(|failure| failures::with_origin(failure, prepared.password_origin.as_ref()))
}

/// Servers before 2005 write other tokens than those that are read here.
fn is_too_old(version: u32) -> bool {
    // Version 8.0 is 0x08, version 7.1 is 0x71.
    (0x7000_0000..0x7200_0000).contains(&version)
}

/// What the answer has held so far.
#[derive(Default)]
struct Seen {
    ack: Option<LoginAck>,
    error: Option<ServerMessage>,
    redirect: Option<(String, u16)>,
    packet_size: Option<usize>,
    database: Option<String>,
}

impl Seen {
    fn note(&mut self, token: Token, trace: &Trace) -> Result<(), Failure> {
        match token {
            Token::LoginAck(ack) if is_too_old(ack.tds_version) => {
                return Err(Failure::new(OutcomeKind::Unsupported, "the server speaks a version of TDS below 7.2")
                    .hint("SQL Server 2005 or later is needed")
                    .phase(trace.current()));
            }
            Token::LoginAck(ack) => self.ack = Some(ack),
            // The first error is the reason (4060), the next one only says that the login failed (18456).
            Token::Error(error) => self.error = self.error.take().or(Some(error)),
            Token::EnvChange(EnvChange::Routing { server, port }) => self.redirect = Some((server, port)),
            Token::EnvChange(EnvChange::PacketSize { new, .. }) => self.packet_size = Some(new),
            Token::EnvChange(EnvChange::Database { new, .. }) => self.database = Some(new),
            Token::Sspi | Token::FedAuthInfo => {
                return Err(Failure::new(
                    OutcomeKind::Unsupported,
                    "the server asks for a kind of authentication that peaje does not speak",
                )
                .hint("log in as a user of SQL Server, or give a token with --access-token-file FILE")
                .phase(trace.current()));
            }
            _ => {}
        }
        Ok(())
    }

    fn refusal(&self, trace: &Trace) -> Option<Failure> {
        self.error.as_ref().map(|error| failures::rejected(error, trace.current()))
    }

    fn outcome(self, spid: u16, trace: &Trace) -> Result<Answered, Failure> {
        if let Some((server, port)) = self.redirect {
            return Ok(Answered::Redirected { server, port });
        }
        match (self.ack, self.error) {
            (Some(ack), None) => Ok(Answered::LoggedIn(Welcome {
                ack,
                packet_size: self.packet_size.unwrap_or(DEFAULT_PACKET_SIZE),
                spid,
                database: self.database,
            })),
            (_, Some(error)) => Err(failures::rejected(&error, trace.current())),
            (None, None) => Err(failures::not_sql_server("neither a welcome nor an error", trace.current())),
        }
    }
}
