//! From the first byte to the start-up message: requests for encryption, TLS at once, requests to cancel.

use peaje_postgres::protocol::frontend::{StartupRequest, decode_startup};

use crate::Step;
use crate::connection::Connection;
use crate::end::End;
use crate::steps::{after, before};

use super::end::fatal;
use super::{ALPN, Shared};

/// First byte of a TLS handshake; a start-up message would be 300 MB long.
const TLS_HANDSHAKE: u8 = 0x16;
/// Requests before the start-up message: one for each kind of encryption, and none to spare.
const MOST_REQUESTS: usize = 3;

/// What the client asks for in its start-up message.
#[derive(Debug)]
pub(crate) struct Startup {
    pub(crate) minor: u16,
    pub(crate) parameters: Vec<(String, String)>,
}

/// Negotiates until the start-up message has come.
pub(crate) async fn negotiate(connection: &mut Connection, shared: &Shared, number: u64) -> Result<Startup, End> {
    if connection.fill().await? == 0 {
        return Err(End::Left);
    }
    if connection.input.rest().first() == Some(&TLS_HANDSHAKE) {
        handshake(connection, shared, number).await?;
        if connection.alpn() != Some(ALPN) {
            return Err(End::Silent);
        }
    }
    for _ in 0..MOST_REQUESTS {
        match request(connection).await? {
            StartupRequest::Ssl if connection.is_encrypted() => return Err(End::Silent),
            StartupRequest::Ssl => answer_ssl(connection, shared, number).await?,
            StartupRequest::GssEncryption => connection.output.push(b'N'),
            StartupRequest::Cancel { .. } => return Err(End::Cancel),
            StartupRequest::Startup { major: 3, minor, parameters } => return Ok(Startup { minor, parameters }),
            StartupRequest::Startup { major, minor, .. } => {
                let message = format!("unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.2");
                return Err(fatal(connection, "0A000", &message));
            }
        }
    }
    Err(End::Silent)
}

async fn request(connection: &mut Connection) -> Result<StartupRequest, End> {
    loop {
        match decode_startup(connection.input.rest()) {
            Ok(Some((request, used))) => {
                connection.input.consume(used);
                return Ok(request);
            }
            Ok(None) if connection.fill().await? == 0 => return Err(End::Left),
            Ok(None) => {}
            // Whoever sends this does not speak the protocol, and would not understand the answer.
            Err(_) => return Err(End::Silent),
        }
    }
}

async fn answer_ssl(connection: &mut Connection, shared: &Shared, number: u64) -> Result<(), End> {
    before(Step::Negotiate, shared).await;
    if !connection.input.rest().is_empty() {
        // Bytes in clear after the request would be taken for encrypted ones: somebody may have put them there.
        return Err(fatal(connection, "08P01", "received unencrypted data after SSL request"));
    }
    let answer = if shared.tls.is_some() { b'S' } else { b'N' };
    connection.output.push(answer);
    after(Step::Negotiate, connection, shared, number).await?;
    if shared.tls.is_some() { handshake(connection, shared, number).await } else { Ok(()) }
}

async fn handshake(connection: &mut Connection, shared: &Shared, number: u64) -> Result<(), End> {
    let Some(tls) = &shared.tls else { return Err(End::Silent) };
    crate::steps::handshake(connection, tls.config.clone(), shared, number).await
}
