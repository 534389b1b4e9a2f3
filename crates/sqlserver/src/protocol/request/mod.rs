//! What a client asks for after its login: batches, remote procedure calls, transaction manager requests.

mod rpc;

use super::DecodeError;
use super::read::{Body, utf16};
use super::write;

pub use rpc::{Parameter, Procedure, RpcRequest, decode_rpc};

/// Length of the headers in front of a request: one of the kind "transaction".
const ALL_HEADERS: u32 = 22;
const TRANSACTION_HEADER: u16 = 2;

/// Appends the payload of a batch outside of a transaction.
pub fn batch(out: &mut Vec<u8>, sql: &str) {
    out.extend_from_slice(&ALL_HEADERS.to_le_bytes());
    out.extend_from_slice(&(ALL_HEADERS - 4).to_le_bytes());
    out.extend_from_slice(&TRANSACTION_HEADER.to_le_bytes());
    // No transaction, one request under way.
    out.extend_from_slice(&0u64.to_le_bytes());
    out.extend_from_slice(&1u32.to_le_bytes());
    write::utf16(out, sql);
}

/// The text of a batch.
pub fn decode_batch(payload: &[u8]) -> Result<String, DecodeError> {
    let mut body = Body::new(payload);
    skip_headers(&mut body)?;
    let text = body.remaining();
    if text.len() % 2 == 1 {
        return Err(DecodeError::Malformed("a batch of an odd number of bytes"));
    }
    Ok(utf16(text))
}

/// Passes over ALL_HEADERS. Their total length counts itself.
fn skip_headers(body: &mut Body<'_>) -> Result<(), DecodeError> {
    let total = body.u32("the headers' length")? as usize;
    let rest = total.checked_sub(4).ok_or(DecodeError::Malformed("the headers' length"))?;
    body.bytes(rest, "the headers")?;
    Ok(())
}

/// A transaction manager request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begin one.
    Begin,
    /// Commit; `begin_next` = and begin another.
    Commit {
        /// Whether another one begins.
        begin_next: bool,
    },
    /// Roll back; `begin_next` = and begin another.
    Rollback {
        /// Whether another one begins.
        begin_next: bool,
    },
    /// Set a save point.
    Save,
    /// The number of another request (distributed transactions).
    Other(u16),
}

/// A transaction manager request.
pub fn decode_transaction(payload: &[u8]) -> Result<TransactionRequest, DecodeError> {
    let mut body = Body::new(payload);
    skip_headers(&mut body)?;
    Ok(match body.u16("the kind of request")? {
        5 => TransactionRequest::Begin,
        7 => TransactionRequest::Commit { begin_next: begins_next(&mut body)? },
        8 => TransactionRequest::Rollback { begin_next: begins_next(&mut body)? },
        9 => TransactionRequest::Save,
        other => TransactionRequest::Other(other),
    })
}

fn begins_next(body: &mut Body<'_>) -> Result<bool, DecodeError> {
    body.b_bytes("the transaction's name")?;
    // Clients that end here do not begin another one.
    Ok(!body.is_empty() && body.u8("the flags")? & 1 == 1)
}
