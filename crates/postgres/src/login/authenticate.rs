//! The phase `authenticate`: from the start-up message until the credentials are accepted.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::{await_message, first_message};
use super::endpoint::Missed;
use super::exchange::{Exchange, Step};
use super::failures;
use super::prepared::{Credentials, Prepared};
use crate::protocol::backend::{BackendMessage, ServerError};

/// Sends the start-up message and answers what the server asks for.
pub(super) async fn authenticate(
    prepared: &Prepared,
    endpoint: usize,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<(), Missed> {
    trace.enter(Phase::Authenticate);
    wire.queue(&prepared.startup, trace);
    let end_point = wire.peer_certificate().map(|der| prepared.end_points.of(der, trace));
    let password = prepared.credentials.passwords.get(endpoint).and_then(Option::as_ref);
    let mut exchange = Exchange::new(&prepared.credentials, password, end_point.as_deref());
    let mut answer = Vec::new();
    loop {
        if let Err(failure) = await_message(wire, trace).await {
            return Err(lost(failure, &exchange));
        }
        let (message, length) = first_message(wire, trace)?;
        let step = match message {
            BackendMessage::Authentication(request) => exchange.step(&request, &mut answer, trace)?,
            BackendMessage::Error(error) => return Err(refused(&error, &exchange, &prepared.credentials)),
            BackendMessage::Notice(_) | BackendMessage::NegotiateProtocolVersion { .. } => Step::Wait,
            _ => return Err(failures::not_postgres("unexpected message before the login", trace.current()).into()),
        };
        wire.consume(length);
        match step {
            Step::Wait => {}
            Step::Answer => {
                wire.queue(&answer, trace);
                answer.clear();
            }
            Step::Accepted => {
                trace.auth = Some(exchange.facts());
                return Ok(());
            }
        }
    }
}

/// Another host may be tried as long as this one has not judged the credentials.
fn lost(failure: Failure, exchange: &Exchange<'_>) -> Missed {
    if failure.kind == OutcomeKind::Reset && !exchange.credentials_sent() {
        Missed::TryNext(failure)
    } else {
        Missed::GiveUp(failure)
    }
}

fn refused(error: &ServerError, exchange: &Exchange<'_>, credentials: &Credentials) -> Missed {
    let failure = failures::rejected(error, Some(credentials), Some(Phase::Authenticate));
    match error.code.as_str() {
        failures::CANNOT_CONNECT_NOW => Missed::TryNext(failure),
        // The server's very first word: pg_hba.conf has no line for this connection as it is.
        failures::INVALID_AUTHORIZATION if !exchange.credentials_sent() => Missed::NotThisWay(failure),
        _ => Missed::GiveUp(failure),
    }
}
