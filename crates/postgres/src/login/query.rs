//! The answer to a simple query, read to its end. Rows are counted by the server and dropped here, however many.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::OutcomeKind;

use super::dialogue::{await_message, first_message, more, skip};
use super::failures;
use crate::protocol::backend::{self, BackendMessage};

/// Reads until the server is ready again. An error of the query is a failure, after the server is ready; so is a COPY.
pub(super) async fn read_answer(wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
    let mut error: Option<Failure> = None;
    loop {
        match next(wire, trace).await {
            Ok(Next::More) => {}
            Ok(Next::Failed(failure)) => error = error.or(Some(failure)),
            Ok(Next::Ready) => return error.map_or(Ok(()), Err),
            // A server that goes away says why first.
            Err(lost) => return Err(error.unwrap_or(lost)),
        }
    }
}

enum Next {
    More,
    Failed(Failure),
    Ready,
}

async fn next(wire: &mut Wire, trace: &mut Trace) -> Result<Next, Failure> {
    let Some((tag, length)) = backend::peek(wire.buffered()).map_err(|e| failures::protocol(&e, trace.current()))?
    else {
        more(wire, trace).await?;
        return Ok(Next::More);
    };
    if matches!(tag, b'T' | b'D' | b'C' | b'I' | b'S' | b'N' | b'A') {
        skip(wire, length, trace).await?;
        return Ok(Next::More);
    }
    await_message(wire, trace).await?;
    let (message, length) = first_message(wire, trace)?;
    let next = match message {
        BackendMessage::ReadyForQuery(_) => Next::Ready,
        BackendMessage::Error(error) => Next::Failed(failures::rejected(&error, None, trace.current())),
        BackendMessage::CopyIn | BackendMessage::CopyOut | BackendMessage::CopyBoth => {
            return Err(Failure::new(OutcomeKind::Unsupported, "the query starts a COPY, which is not followed")
                .hint("give a query that returns rows")
                .phase(trace.current()));
        }
        _ => return Err(failures::not_postgres("unexpected message in the answer to a query", trace.current())),
    };
    wire.consume(length);
    Ok(next)
}
