//! From the first byte to the login message: TLS at once, or PRELOGIN and what encryption follows from it.

use std::sync::atomic::Ordering::Relaxed;

use rustls::HandshakeKind;

use peaje_sqlserver::protocol::ALPN;
use peaje_sqlserver::protocol::packet::{Framing, PacketKind};
use peaje_sqlserver::protocol::prelogin::{Agreed, Encryption, Prelogin, agreed, answer};

use crate::Step;
use crate::connection::{Connection, HandshakeEnd};
use crate::end::End;
use crate::server::Shared;
use crate::steps::{after, before, handshake};

use super::inbox::{InPrelogin, Inbox};
use super::{Prepared, VERSION};

/// First byte of a TLS handshake; no packet of TDS has this type.
const TLS_HANDSHAKE: u8 = 0x16;

/// What has been agreed on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Negotiated {
    /// TLS ends with the login message.
    pub(super) login_only: bool,
}

/// Negotiates until the login message may come.
pub(super) async fn negotiate(
    connection: &mut Connection,
    inbox: &mut Inbox,
    shared: &Shared<Prepared>,
    number: u64,
) -> Result<Negotiated, End> {
    if connection.fill().await? == 0 {
        return Err(End::Left);
    }
    let strict = connection.input.rest().first() == Some(&TLS_HANDSHAKE);
    if strict {
        let Some(tls) = &shared.tls else { return Err(End::Silent) };
        handshake(connection, tls.config.clone(), shared, number).await?;
        if connection.alpn() != Some(ALPN) {
            return Err(End::Silent);
        }
    }
    let message = inbox.next(connection).await?;
    if message.kind != PacketKind::Prelogin {
        return Err(End::Silent);
    }
    let client = Prelogin::decode(&message.payload).map_err(|_| End::Silent)?;
    before(Step::Negotiate, shared).await;
    let encryption = answer(asked(&client), setting(shared));
    let outcome = if strict { Agreed::Full } else { agreed(asked(&client), encryption) };
    reply(connection, &client, if strict { Encryption::On } else { encryption });
    after(Step::Negotiate, connection, shared, number).await?;
    match outcome {
        // Whose word holds no more: the client leaves, having been told.
        Agreed::ServerCannot | Agreed::ClientCannot => return Err(End::Told),
        Agreed::LoginOnly | Agreed::Full if !strict => carried_handshake(connection, shared, number).await?,
        Agreed::Plain | Agreed::LoginOnly | Agreed::Full => {}
    }
    Ok(Negotiated { login_only: outcome == Agreed::LoginOnly })
}

/// A client that says nothing of encryption knows nothing of it.
fn asked(client: &Prelogin) -> Encryption {
    client.encryption.unwrap_or(Encryption::NotSupported)
}

fn setting(shared: &Shared<Prepared>) -> Encryption {
    match &shared.tls {
        None => Encryption::NotSupported,
        Some(_) if shared.options.sql_server.force_encryption => Encryption::Required,
        Some(_) => Encryption::LoginOnly,
    }
}

fn reply(connection: &mut Connection, client: &Prelogin, encryption: Encryption) {
    let [major, minor, high, low] = VERSION;
    let reply = Prelogin {
        version: [major, minor, high, low, 0, 0],
        encryption: Some(encryption),
        // Every instance's name fits.
        instance: Some(vec![0]),
        thread_id: Some(Vec::new()),
        mars: Some(false),
        // Both passwords and tokens are taken: 0 leaves the choice to the client.
        fed_auth_required: client.fed_auth_required.map(|_| false),
        ..Prelogin::default()
    };
    let mut payload = Vec::new();
    reply.encode(&mut payload);
    Framing::new(PacketKind::Response).write(&mut connection.output, &payload);
}

async fn carried_handshake(connection: &mut Connection, shared: &Shared<Prepared>, number: u64) -> Result<(), End> {
    let Some(tls) = &shared.tls else { return Err(End::Silent) };
    connection.flush().await?;
    before(Step::Tls, shared).await;
    match connection.handshake_carried(tls.carried.clone(), &mut InPrelogin::new()).await {
        Ok(HandshakeKind::Resumed) => shared.counters.tls_resumed.fetch_add(1, Relaxed),
        Ok(_) => shared.counters.tls_full.fetch_add(1, Relaxed),
        Err(HandshakeEnd::Left) => return Err(End::Left),
        Err(HandshakeEnd::Failed) => return Err(End::Silent),
    };
    after(Step::Tls, connection, shared, number).await
}
