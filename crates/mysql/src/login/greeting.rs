//! The phase `negotiate`: the wait for the server's greeting, which tells what it can do.

use std::sync::Arc;

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::{await_packet, consume, payload};
use super::failures;
use super::prepared::Prepared;
use crate::protocol::greeting::Greeting;
use crate::protocol::reply::{self, ServerError};
use crate::protocol::{MAX_HANDSHAKE, NONCE, capability};

/// Without these there is no login that is spoken here: servers before 4.1.
const NEEDED: u32 = capability::PROTOCOL_41 | capability::SECURE_CONNECTION;

/// What the greeting means for this login.
pub(super) struct Welcome {
    /// What both sides can do.
    pub(super) capabilities: u32,
    pub(super) offers_tls: bool,
    pub(super) nonce: [u8; NONCE],
    /// The plugin the server would begin with.
    pub(super) auth_plugin: Vec<u8>,
    pub(super) connection_id: u32,
    pub(super) version: Arc<str>,
}

/// Waits for the greeting. It is a round trip of its own: the server learns of the connection only when the last packet
/// of the connect arrives.
pub(super) async fn await_greeting(
    prepared: &Prepared,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<Welcome, Failure> {
    trace.enter(Phase::Negotiate);
    trace.count_round_trip();
    let header = await_packet(wire, 0, MAX_HANDSHAKE, trace).await?;
    let welcome = read(prepared, payload(wire, header), trace.current());
    consume(wire, header);
    welcome
}

fn read(prepared: &Prepared, payload: &[u8], phase: Option<Phase>) -> Result<Welcome, Failure> {
    let not_mysql = |e| failures::protocol(&e, phase);
    if payload.first() == Some(&reply::ERROR) {
        // Full, blocked, not allowed from this address, shutting down: said before anything else.
        return Err(failures::rejected(&ServerError::decode(payload).map_err(not_mysql)?, phase));
    }
    let greeting = Greeting::decode(payload).map_err(not_mysql)?;
    if greeting.capabilities & NEEDED != NEEDED {
        return Err(
            Failure::new(OutcomeKind::Unsupported, "the server speaks a protocol from before version 4.1").phase(phase)
        );
    }
    Ok(Welcome {
        capabilities: prepared.capabilities & greeting.capabilities,
        offers_tls: greeting.capabilities & capability::SSL != 0,
        nonce: greeting.nonce,
        auth_plugin: greeting.auth_plugin.to_vec(),
        connection_id: greeting.connection_id,
        version: prepared.version(greeting.server_version),
    })
}
