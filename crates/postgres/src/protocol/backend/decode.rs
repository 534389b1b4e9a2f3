//! Decoding what the server sends: the client's side of the login.

use std::borrow::Cow;

use super::super::read::{Body, frame, header};
use super::super::{DecodeError, MAX_MESSAGE};
use super::{AuthRequest, BackendMessage, Column, ServerError, TransactionStatus};

/// Type and whole length of the first message, of which perhaps only the header has arrived. `None` = not even that.
/// For skipping messages of any length without keeping them.
pub fn peek(bytes: &[u8]) -> Result<Option<(u8, usize)>, DecodeError> {
    header(bytes)
}

/// Decodes a message, and says how many bytes it took. `None` = more bytes are needed.
pub fn decode_backend(bytes: &[u8]) -> Result<Option<(BackendMessage<'_>, usize)>, DecodeError> {
    let Some(frame) = frame(bytes, MAX_MESSAGE)? else { return Ok(None) };
    let mut body = frame.body;
    let message = backend_message(frame.tag, &mut body)?;
    body.end()?;
    Ok(Some((message, frame.length)))
}

fn backend_message<'a>(tag: u8, body: &mut Body<'a>) -> Result<BackendMessage<'a>, DecodeError> {
    Ok(match tag {
        b'R' => BackendMessage::Authentication(auth_request(body)?),
        b'S' => BackendMessage::ParameterStatus {
            name: body.c_text("parameter name")?,
            value: body.c_text("parameter value")?,
        },
        b'K' => BackendMessage::BackendKeyData { process_id: body.i32("process id")?, secret_key: body.remaining() },
        b'Z' => BackendMessage::ReadyForQuery(transaction_status(body)?),
        b'E' => BackendMessage::Error(server_error(body)?),
        b'N' => BackendMessage::Notice(server_error(body)?),
        b'T' => BackendMessage::RowDescription(body.remaining()),
        b'D' => BackendMessage::DataRow(body.remaining()),
        b'C' => BackendMessage::CommandComplete(body.c_text("command tag")?),
        b'I' => BackendMessage::EmptyQuery,
        b'v' => negotiate_protocol_version(body)?,
        b'1' => BackendMessage::ParseComplete,
        b'2' => BackendMessage::BindComplete,
        b'3' => BackendMessage::CloseComplete,
        b'n' => BackendMessage::NoData,
        b's' => BackendMessage::PortalSuspended,
        b't' => BackendMessage::ParameterDescription(body.remaining()),
        other => {
            body.remaining();
            match other {
                b'G' => BackendMessage::CopyIn,
                b'H' => BackendMessage::CopyOut,
                b'W' => BackendMessage::CopyBoth,
                b'A' => BackendMessage::Notification,
                other => BackendMessage::Other(other),
            }
        }
    })
}

fn auth_request<'a>(body: &mut Body<'a>) -> Result<AuthRequest<'a>, DecodeError> {
    Ok(match body.i32("authentication request")? {
        0 => AuthRequest::Ok,
        2 => AuthRequest::KerberosV5,
        3 => AuthRequest::CleartextPassword,
        5 => AuthRequest::Md5Password { salt: body.array("MD5 salt")? },
        7 => AuthRequest::Gss,
        8 => AuthRequest::GssContinue(body.remaining()),
        9 => AuthRequest::Sspi,
        10 => AuthRequest::Sasl { mechanisms: mechanisms(body)? },
        11 => AuthRequest::SaslContinue(body.remaining()),
        12 => AuthRequest::SaslFinal(body.remaining()),
        other => {
            body.remaining();
            AuthRequest::Unknown(other)
        }
    })
}

/// Names up to an empty one.
fn mechanisms<'a>(body: &mut Body<'a>) -> Result<Vec<&'a str>, DecodeError> {
    let mut names = Vec::new();
    loop {
        let name = body.c_str("SASL mechanism")?;
        if name.is_empty() {
            return Ok(names);
        }
        names.push(name);
    }
}

fn transaction_status(body: &mut Body<'_>) -> Result<TransactionStatus, DecodeError> {
    match body.u8("transaction status")? {
        b'I' => Ok(TransactionStatus::Idle),
        b'T' => Ok(TransactionStatus::InTransaction),
        b'E' => Ok(TransactionStatus::Failed),
        _ => Err(body.malformed("unknown transaction status")),
    }
}

/// Fields by their letter, up to a zero byte. Unknown letters are skipped, as the manual asks.
fn server_error(body: &mut Body<'_>) -> Result<ServerError, DecodeError> {
    let mut error = ServerError::default();
    let mut untranslated = None;
    loop {
        let field = body.u8("field type")?;
        if field == 0 {
            break;
        }
        let text = body.c_text("field")?.into_owned();
        match field {
            b'S' => error.severity = text,
            b'V' => untranslated = Some(text),
            b'C' => error.code = text,
            b'M' => error.message = text,
            b'D' => error.detail = Some(text),
            b'H' => error.hint = Some(text),
            _ => {}
        }
    }
    if let Some(severity) = untranslated {
        error.severity = severity;
    }
    Ok(error)
}

fn negotiate_protocol_version<'a>(body: &mut Body<'a>) -> Result<BackendMessage<'a>, DecodeError> {
    let minor = body.i32("minor version")?;
    let count = body.i32("count of options")?;
    let mut unknown_options: Vec<Cow<'a, str>> = Vec::new();
    for _ in 0..count.max(0) {
        unknown_options.push(body.c_text("option")?);
    }
    Ok(BackendMessage::NegotiateProtocolVersion { minor, unknown_options })
}

/// The columns of a `RowDescription`.
pub fn decode_columns(body: &[u8]) -> Result<Vec<Column<'_>>, DecodeError> {
    let mut body = Body::new(b'T', body);
    let columns = body.list("columns", |body, what| {
        let name = body.c_text(what)?;
        // Table and position within it.
        body.bytes(6, what)?;
        let type_oid = body.u32(what)?;
        let type_size = body.i16(what)?;
        // Type modifier.
        body.bytes(4, what)?;
        Ok(Column { name, type_oid, type_size, format: body.i16(what)? })
    })?;
    body.end()?;
    Ok(columns)
}

/// The values of a `DataRow`; `None` = null.
pub fn decode_row(body: &[u8]) -> Result<Vec<Option<&[u8]>>, DecodeError> {
    let mut body = Body::new(b'D', body);
    let values = body.list("values", Body::value)?;
    body.end()?;
    Ok(values)
}
