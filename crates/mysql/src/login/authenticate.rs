//! The phase `authenticate`: from the login packet until the credentials are accepted.

use peaje_engine::{Failure, Trace, Wire};

use super::dialogue::{await_packet, consume, payload};
use super::exchange::{Exchange, Step};
use super::failures;
use super::greeting::Welcome;
use super::plugins::Protection;
use super::prepared::Prepared;
use crate::protocol::reply::AuthReply;
use crate::protocol::request::Login;
use crate::protocol::{MAX_HANDSHAKE, UTF8MB4, capability, packet, plugin};

use peaje_model::{OutcomeKind, Phase};

/// Words of the server in one authentication: the longest real one has six.
const MOST_WORDS: usize = 16;

/// Sends the login and answers what the server asks for.
pub(super) async fn authenticate(
    prepared: &Prepared,
    welcome: &Welcome,
    protection: Protection,
    sequence: u8,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<(), Failure> {
    trace.enter(Phase::Authenticate);
    let mut exchange = Exchange::new(&prepared.credentials, protection, &welcome.auth_plugin, welcome.nonce);
    let mut answer = Vec::with_capacity(64);
    exchange.first(&mut answer, trace)?;
    wire.queue(&login(prepared, welcome, &exchange, &answer, sequence, wire.is_encrypted()), trace);
    let mut expected = sequence.wrapping_add(1);
    for _ in 0..MOST_WORDS {
        let header = await_packet(wire, expected, MAX_HANDSHAKE, trace).await?;
        let reply = AuthReply::decode(payload(wire, header)).map_err(|e| failures::protocol(&e, trace.current()))?;
        let step = match reply {
            AuthReply::Ok(_) => {
                consume(wire, header);
                trace.auth = Some(exchange.facts());
                return Ok(());
            }
            AuthReply::Error(error) => {
                return Err(failures::refused(&error, &prepared.credentials.password_origin, trace.current()));
            }
            AuthReply::OldPassword => {
                // The challenge is still that of the greeting.
                exchange.switch(plugin::OLD_PASSWORD.as_bytes(), &[], &mut answer, trace)?;
                Step::Answer
            }
            AuthReply::Switch { plugin, data } => {
                exchange.switch(plugin, data, &mut answer, trace)?;
                Step::Answer
            }
            AuthReply::More(data) => exchange.more(data, &mut answer, trace)?,
        };
        consume(wire, header);
        expected = header.sequence.wrapping_add(1);
        if step == Step::Answer {
            let mut framed = Vec::with_capacity(answer.len() + packet::HEADER);
            packet::encode(&mut framed, expected, |out| out.extend_from_slice(&answer));
            wire.queue(&framed, trace);
            expected = expected.wrapping_add(1);
        }
    }
    Err(Failure::new(OutcomeKind::Protocol, "the authentication does not end").phase(trace.current()))
}

fn login(
    prepared: &Prepared,
    welcome: &Welcome,
    exchange: &Exchange<'_>,
    answer: &[u8],
    sequence: u8,
    encrypted: bool,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(160 + prepared.attributes.len() + answer.len());
    let login = Login {
        capabilities: welcome.capabilities | if encrypted { capability::SSL } else { 0 },
        collation: UTF8MB4,
        user: prepared.credentials.user.as_bytes(),
        answer,
        database: prepared.database.as_bytes(),
        auth_plugin: exchange.plugin().name().as_bytes(),
        attributes: &prepared.attributes,
    };
    login.encode(&mut out, sequence);
    out
}
