//! Decoding what the client sends: the server's side of the login.

use super::super::read::{Body, frame};
use super::super::{DecodeError, MAX_MESSAGE, MAX_STARTUP};
use super::{CANCEL_REQUEST, Described, FrontendMessage, GSS_ENCRYPTION_REQUEST, SSL_REQUEST, StartupRequest};

/// Decodes a packet before the login, and says how many bytes it took. `None` = more bytes are needed.
pub fn decode_startup(bytes: &[u8]) -> Result<Option<(StartupRequest, usize)>, DecodeError> {
    let Some(word) = bytes.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*word);
    if length < 8 {
        return Err(DecodeError::TooShort { tag: 0, length });
    }
    let total = length as usize;
    if total > MAX_STARTUP {
        return Err(DecodeError::TooLong { tag: 0, length, limit: MAX_STARTUP });
    }
    let Some(body) = bytes.get(4..total) else { return Ok(None) };
    let request = startup_request(Body::new(0, body))?;
    Ok(Some((request, total)))
}

fn startup_request(mut body: Body<'_>) -> Result<StartupRequest, DecodeError> {
    match body.u32("version")? {
        SSL_REQUEST => body.end().map(|()| StartupRequest::Ssl),
        GSS_ENCRYPTION_REQUEST => body.end().map(|()| StartupRequest::GssEncryption),
        CANCEL_REQUEST => {
            let process_id = body.i32("process id")?;
            Ok(StartupRequest::Cancel { process_id, secret_key: body.remaining().to_vec() })
        }
        version => {
            let parameters = startup_parameters(&mut body)?;
            Ok(StartupRequest::Startup { major: (version >> 16) as u16, minor: version as u16, parameters })
        }
    }
}

/// Pairs of strings up to an empty name.
fn startup_parameters(body: &mut Body<'_>) -> Result<Vec<(String, String)>, DecodeError> {
    let mut parameters = Vec::new();
    loop {
        let name = body.c_text("parameter name")?;
        if name.is_empty() {
            return body.end().map(|()| parameters);
        }
        let value = body.c_text("parameter value")?;
        parameters.push((name.into_owned(), value.into_owned()));
    }
}

/// Decodes a message after the start-up packet, and says how many bytes it took. `None` = more bytes are needed.
pub fn decode_frontend(bytes: &[u8]) -> Result<Option<(FrontendMessage<'_>, usize)>, DecodeError> {
    let Some(frame) = frame(bytes, MAX_MESSAGE)? else { return Ok(None) };
    let mut body = frame.body;
    let message = match frame.tag {
        b'Q' => FrontendMessage::Query(body.c_str("query")?),
        b'p' => FrontendMessage::Password(body.remaining()),
        b'X' => FrontendMessage::Terminate,
        b'P' => parse(&mut body)?,
        b'B' => bind(&mut body)?,
        b'D' => {
            let (what, name) = described(&mut body)?;
            FrontendMessage::Describe { what, name }
        }
        b'E' => FrontendMessage::Execute { portal: body.c_str("portal")?, max_rows: body.i32("row limit")? },
        b'C' => {
            let (what, name) = described(&mut body)?;
            FrontendMessage::Close { what, name }
        }
        b'H' => FrontendMessage::Flush,
        b'S' => FrontendMessage::Sync,
        other => {
            body.remaining();
            FrontendMessage::Other(other)
        }
    };
    body.end()?;
    Ok(Some((message, frame.length)))
}

fn parse<'a>(body: &mut Body<'a>) -> Result<FrontendMessage<'a>, DecodeError> {
    Ok(FrontendMessage::Parse {
        statement: body.c_str("statement name")?,
        query: body.c_str("query")?,
        parameter_types: body.list("parameter types", Body::u32)?,
    })
}

fn bind<'a>(body: &mut Body<'a>) -> Result<FrontendMessage<'a>, DecodeError> {
    Ok(FrontendMessage::Bind {
        portal: body.c_str("portal name")?,
        statement: body.c_str("statement name")?,
        parameter_formats: body.list("parameter formats", Body::i16)?,
        parameters: body.list("parameters", Body::value)?,
        result_formats: body.list("result formats", Body::i16)?,
    })
}

fn described<'a>(body: &mut Body<'a>) -> Result<(Described, &'a str), DecodeError> {
    let what = match body.u8("kind")? {
        b'S' => Described::Statement,
        b'P' => Described::Portal,
        _ => return Err(body.malformed("kind is neither `S` nor `P`")),
    };
    Ok((what, body.c_str("name")?))
}

/// Splits the body of a first SASL answer: mechanism and data (`None` when the client sent none).
pub fn decode_sasl_initial(body: &[u8]) -> Result<(&str, Option<&[u8]>), DecodeError> {
    let mut body = Body::new(b'p', body);
    let mechanism = body.c_str("SASL mechanism")?;
    let data = body.value("SASL data")?;
    body.end()?;
    Ok((mechanism, data))
}
