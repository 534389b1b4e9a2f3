//! From the driver's errors to outcomes and gaps.

use std::error::Error as _;
use std::time::Duration;

use peaje_engine::Failure;
use peaje_model::{Gap, OutcomeKind};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity};

use crate::login::failures::of_tls;

/// An error while connecting.
pub(super) fn failure(error: &Error) -> Failure {
    if let Some(db) = error.as_db_error() {
        let code = db.code().code();
        let kind = if code == "53300" { OutcomeKind::ServerFull } else { OutcomeKind::Rejected };
        let failure = Failure::new(kind, db.message()).code(code);
        return match db.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        };
    }
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(tls) = inner.downcast_ref::<rustls::Error>() {
            return of_tls(Failure::from_tls(tls));
        }
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            if let Some(tls) = io.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>()) {
                return of_tls(Failure::from_tls(tls));
            }
            return Failure::from_io(io, None);
        }
        cause = inner.source();
    }
    let words = words(error);
    let kind = match words.as_str() {
        w if w.contains("does not support TLS") => OutcomeKind::TlsNotOffered,
        w if w.contains("password missing") => OutcomeKind::Rejected,
        w if w.contains("authentication") => OutcomeKind::Unsupported,
        _ if error.is_closed() => OutcomeKind::Reset,
        _ => OutcomeKind::Protocol,
    };
    Failure::new(kind, words)
}

/// An error of a statement.
pub(super) fn gap(what: &str, error: &Error, role: &str) -> Gap {
    let Some(db) = error.as_db_error() else {
        return Gap { what: what.to_owned(), why: words(error), next_step: None };
    };
    let next_step = (db.code().code() == "42501").then(|| grant("pg_monitor", role));
    Gap { what: what.to_owned(), why: format!("{} ({})", db.message(), db.code().code()), next_step }
}

/// Why a statement has no answer.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The server refuses this one; the session goes on.
    Refused(Gap),
    /// The session is over.
    Lost(Failure),
}

impl Refusal {
    /// For a statement without which there is nothing to give: the session is then as good as lost.
    pub(super) fn fatal(self) -> Failure {
        match self {
            Refusal::Lost(failure) => failure,
            Refusal::Refused(gap) => {
                let failure = Failure::new(OutcomeKind::Rejected, format!("{}: {}", gap.what, gap.why));
                Failure { hint: gap.next_step, ..failure }
            }
        }
    }
}

/// An error of a statement, with the end of the session told apart.
pub(super) fn refusal(what: &str, error: &Error, role: &str) -> Refusal {
    match error.as_db_error() {
        Some(db) if !ends_the_session(db) => Refusal::Refused(gap(what, error, role)),
        Some(db) => Refusal::Lost(Failure::new(OutcomeKind::Reset, db.message()).code(db.code().code())),
        None => Refusal::Lost(failure(error)),
    }
}

/// A server that no longer answers: what it says next would be the answer to something else.
pub(super) fn silent(what: &str, limit: Duration) -> Refusal {
    let words = format!("{what}: no answer within {} s", limit.as_secs());
    Refusal::Lost(Failure::new(OutcomeKind::TimedOut, words))
}

fn ends_the_session(error: &DbError) -> bool {
    let fatal = matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
    // Old servers and some poolers send no severity that can be parsed.
    fatal || error.code().code().starts_with("08") || error.code().code().starts_with("57P")
}

/// The statement that gives a role what it lacks.
pub(super) fn grant(privilege: &str, role: &str) -> String {
    format!("grant {privilege} to {}", super::quote_identifier(role))
}

fn words(error: &Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_words = inner.to_string();
        if !words.contains(&inner_words) {
            words = format!("{words}: {inner_words}");
        }
        cause = inner.source();
    }
    words
}
