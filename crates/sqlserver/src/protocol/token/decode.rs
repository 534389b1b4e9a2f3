//! Tokens with a length in front, and those of a fixed length.

use super::{Done, DoneKind, EnvChange, LoginAck, ServerMessage, Token, id};
use crate::protocol::DecodeError;
use crate::protocol::read::Body;

/// Reads a token whose length stands in two bytes behind its type.
pub(super) fn short_token(token: u8, content: &[u8]) -> Result<Token, DecodeError> {
    let mut body = Body::new(content);
    Ok(match token {
        id::ENV_CHANGE => Token::EnvChange(env_change(&mut body)?),
        id::ERROR => Token::Error(server_message(&mut body)?),
        id::INFO => Token::Info(server_message(&mut body)?),
        id::LOGIN_ACK => Token::LoginAck(LoginAck {
            interface: body.u8("LOGINACK")?,
            tds_version: body.u32_be("LOGINACK")?,
            program: body.b_text("LOGINACK")?,
            version: body.array("LOGINACK")?,
        }),
        id::SSPI => Token::Sspi,
        other => Token::Other(other),
    })
}

fn server_message(body: &mut Body<'_>) -> Result<ServerMessage, DecodeError> {
    Ok(ServerMessage {
        number: body.array("an error's number").map(i32::from_le_bytes)?,
        state: body.u8("an error's state")?,
        severity: body.u8("an error's severity")?,
        message: body.us_text("an error's text")?,
        server: body.b_text("an error's server")?,
        procedure: body.b_text("an error's procedure")?,
        line: body.u32("an error's line")?,
    })
}

fn env_change(body: &mut Body<'_>) -> Result<EnvChange, DecodeError> {
    const WHAT: &str = "ENVCHANGE";
    Ok(match body.u8(WHAT)? {
        1 => EnvChange::Database { new: body.b_text(WHAT)?, old: body.b_text(WHAT)? },
        2 => EnvChange::Language { new: body.b_text(WHAT)?, old: body.b_text(WHAT)? },
        4 => EnvChange::PacketSize { new: packet_size(body)?, old: packet_size(body).unwrap_or(0) },
        7 => match body.b_bytes(WHAT)?.try_into() {
            Ok(collation) => EnvChange::Collation(collation),
            Err(_) => EnvChange::Other(7),
        },
        8 => EnvChange::BeginTransaction(transaction(body.b_bytes(WHAT)?)),
        9 => {
            body.b_bytes(WHAT)?;
            EnvChange::CommitTransaction(transaction(body.b_bytes(WHAT)?))
        }
        10 => {
            body.b_bytes(WHAT)?;
            EnvChange::RollbackTransaction(transaction(body.b_bytes(WHAT)?))
        }
        13 => EnvChange::MirrorPartner(body.b_text(WHAT)?),
        18 => EnvChange::ResetDone,
        20 => routing(body.us_bytes(WHAT)?)?,
        other => EnvChange::Other(other),
    })
}

fn packet_size(body: &mut Body<'_>) -> Result<usize, DecodeError> {
    body.b_text("the packet size")?.parse().map_err(|_| DecodeError::Malformed("a packet size"))
}

fn transaction(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

fn routing(bytes: &[u8]) -> Result<EnvChange, DecodeError> {
    let mut body = Body::new(bytes);
    if body.u8("a redirect")? != 0 {
        return Err(DecodeError::Malformed("a redirect that is not to TCP"));
    }
    let port = body.u16("a redirect's port")?;
    Ok(EnvChange::Routing { server: body.us_text("a redirect's server")?, port })
}

/// Reads the twelve bytes of DONE, DONEPROC or DONEINPROC.
pub(super) fn done(token: u8, body: &mut Body<'_>) -> Result<Done, DecodeError> {
    Ok(Done {
        kind: match token {
            id::DONE_PROC => DoneKind::Procedure,
            id::DONE_IN_PROC => DoneKind::InProcedure,
            _ => DoneKind::Statement,
        },
        status: body.u16("DONE")?,
        command: body.u16("DONE")?,
        rows: body.u64("DONE")?,
    })
}
